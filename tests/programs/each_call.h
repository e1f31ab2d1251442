/* each_call.h: what the program that tests/tools/each_call.py makes has beside its calls: things to
 * call functions with, on two ranks, each of which sends to itself. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONLY(which) if (rank == (which))
#define NULL_CONVERSION ((void *)MPI_CONVERSION_FN_NULL)
#define NEVER(rc) \
	do { \
		if ((rc) != MPI_SUCCESS) \
			broken(#rc, __LINE__); \
	} while (0)
enum { MANY = 8, TAG = 7, ROOM = 1 << 13 };

static MPI_Comm world, self, cart, graph, adjacent, inter;
static MPI_Group everybody, me;
static MPI_Win the_win, common, dynamic;
static MPI_File the_file;
static MPI_Info hints;
static MPI_Status known;
static char *children[] = {(char *)"child", NULL};
static char *program;
static int rank, calls, wrong, spawns;
static char ports[MPI_MAX_PORT_NAME + 1];
static char space[MANY][ROOM];

static inline void broken(const char *what, int line)
{
	fprintf(stderr, "each_call: line %d: %s\n", line, what);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

static inline void told(const char *name, int rc)
{
	char text[MPI_MAX_ERROR_STRING + 1] = "";
	int length;

	calls++;
	if (rc == MPI_SUCCESS)
		return;
	wrong++;
	MPI_Error_string(rc, text, &length);
	fprintf(stderr, "%s: %d: %s\n", name, rc, text);
}

/* A tool's function may say that there is nothing of the kind. */
static inline void tool(const char *name, int rc)
{
	calls++;
	if (rc != MPI_T_ERR_NOT_INITIALIZED && rc != MPI_ERR_OTHER && rc != MPI_ERR_INTERN)
		return;
	wrong++;
	fprintf(stderr, "%s: %d\n", name, rc);
}

static inline void finish(MPI_Request request)
{
	NEVER(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* A message of one int that this rank will get from itself, or has sent to itself. */
static inline MPI_Request awaited(void)
{
	static int got[MANY];
	static int next;
	MPI_Request request;

	NEVER(MPI_Irecv(&got[next++ % MANY], 1, MPI_INT, rank, TAG, world, &request));
	return request;
}

static inline MPI_Request sent(void)
{
	static int value = 5;
	MPI_Request request;

	NEVER(MPI_Isend(&value, 1, MPI_INT, rank, TAG, world, &request));
	return request;
}

static inline void run(MPI_Request *request)
{
	NEVER(MPI_Start(request));
	NEVER(MPI_Wait(request, MPI_STATUS_IGNORE));
	NEVER(MPI_Request_free(request));
}

static inline MPI_Datatype of_two(void)
{
	MPI_Datatype type;

	NEVER(MPI_Type_contiguous(2, MPI_INT, &type));
	return type;
}

/* ---- functions of the program's own, in C and in Fortran ---- */

static inline int c_copy(MPI_Comm c, int key, void *state, void *in, void *out, int *flag)
{
	(void)c, (void)key, (void)state, (void)in, (void)out;
	*flag = 0;
	return MPI_SUCCESS;
}
static inline int c_delete(MPI_Comm c, int key, void *value, void *state)
{
	(void)c, (void)key, (void)value, (void)state;
	return MPI_SUCCESS;
}
static inline void c_handler(void *handle, int *code, ...)
{
	(void)handle, (void)code;
}
static inline int c_query(void *state, MPI_Status *status)
{
	(void)state;
	NEVER(MPI_Status_set_elements(status, MPI_INT, 0));
	NEVER(MPI_Status_set_cancelled(status, 0));
	return MPI_SUCCESS;
}
static inline int c_free(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}
static inline int c_cancel(void *state, int complete)
{
	(void)state, (void)complete;
	return MPI_SUCCESS;
}
static inline void c_op(void *in, void *inout, void *length, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)length, (void)type;
}
static inline int c_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
	(void)type, (void)state;
	*extent = 4;
	return MPI_SUCCESS;
}
static inline void f_copy(void *c, void *key, void *state, void *in, void *out, MPI_Fint *flag,
                          MPI_Fint *error)
{
	(void)c, (void)key, (void)state, (void)in, (void)out;
	*flag = *error = 0;
}
static inline void f_delete(void *c, void *key, void *value, void *state, MPI_Fint *error)
{
	(void)c, (void)key, (void)value, (void)state;
	*error = 0;
}
static inline void f_handler(void *handle, MPI_Fint *code)
{
	(void)handle, (void)code;
}
static inline void f_query(void *state, MPI_Fint *status, MPI_Fint *error)
{
	(void)state, (void)status;
	*error = 0;
}
static inline void f_free(void *state, MPI_Fint *error)
{
	(void)state;
	*error = 0;
}
static inline void f_cancel(void *state, MPI_Fint *complete, MPI_Fint *error)
{
	(void)state, (void)complete;
	*error = 0;
}
static inline void f_op(void *in, void *inout, void *length, void *type)
{
	(void)in, (void)inout, (void)length, (void)type;
}
static inline void f_extent(void *type, MPI_Aint *extent, void *state, MPI_Fint *error)
{
	(void)type, (void)state;
	*extent = 4;
	*error = 0;
}

/* ---- what some calls share ---- */

/* Two partitions from this rank to itself, both started. */
#ifdef HAS_Psend_init
static inline void parts(MPI_Request *to, MPI_Request *from)
{
	NEVER(MPI_Psend_init(space[2], 2, 1, MPI_INT, rank, TAG, world, MPI_INFO_NULL, to));
	NEVER(MPI_Precv_init(space[3], 2, 1, MPI_INT, rank, TAG, world, MPI_INFO_NULL, from));
	NEVER(MPI_Start(to));
	NEVER(MPI_Start(from));
}

static inline void parts_end(MPI_Request *one, MPI_Request *two)
{
	NEVER(MPI_Wait(one, MPI_STATUS_IGNORE));
	NEVER(MPI_Wait(two, MPI_STATUS_IGNORE));
	NEVER(MPI_Request_free(one));
	NEVER(MPI_Request_free(two));
}
#endif

/* A port of rank 0, known to both. */
static inline void port(char *name)
{
	if (rank == 0)
		NEVER(MPI_Open_port(MPI_INFO_NULL, name));
	NEVER(MPI_Bcast(name, MPI_MAX_PORT_NAME, MPI_CHAR, 0, world));
}

/* Strings of Fortran end with blanks. */
static inline void ended(char *text, int length)
{
	while (length > 0 && text[length - 1] == ' ')
		length--;
	text[length] = 0;
}

static inline void *f_text(char *into, const char *text)
{
	memset(into, ' ', 256);
	return memcpy(into, text, strlen(text));
}

static inline void *f_children(void)
{
	static char words[2][256];

	f_text(words[1], "");
	return f_text(words[0], "child");
}

static inline void *f_command(void)
{
	static char word[1][256];

	return f_text(word[0], program);
}

/* ---- what all calls share ---- */

static void scene(void)
{
	int two = 2, one = 1, other, degree[2] = {1, 2}, edge[2] = {1, 0};
	void *base;

	NEVER(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	NEVER(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	NEVER(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	other = 1 - rank;
	NEVER(MPI_Comm_dup(MPI_COMM_WORLD, &world));
	NEVER(MPI_Comm_dup(MPI_COMM_SELF, &self));
	NEVER(MPI_Comm_group(world, &everybody));
	NEVER(MPI_Group_incl(everybody, 1, &rank, &me));
	NEVER(MPI_Cart_create(world, 1, &two, &one, 0, &cart));
	NEVER(MPI_Graph_create(world, 2, degree, edge, 0, &graph));
	NEVER(MPI_Dist_graph_create_adjacent(world, 1, &other, &one, 1, &other, &one, MPI_INFO_NULL,
	                                     0, &adjacent));
	NEVER(MPI_Intercomm_create(self, 0, world, other, TAG, &inter));
	NEVER(MPI_Win_create(space[0], ROOM, 1, MPI_INFO_NULL, world, &the_win));
	NEVER(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, world, &base, &common));
	NEVER(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &dynamic));
	NEVER(MPI_Win_set_errhandler(the_win, MPI_ERRORS_RETURN));
	NEVER(MPI_File_open(world, "each_call.data",
	                    MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
	                    MPI_INFO_NULL, &the_file));
	NEVER(
	    MPI_File_write_at(the_file, rank * ROOM, space[1], ROOM, MPI_BYTE, MPI_STATUS_IGNORE));
	NEVER(MPI_File_sync(the_file));
	NEVER(MPI_Info_create(&hints));
	NEVER(MPI_Info_set(hints, "a_key", "a value"));
	NEVER(MPI_Barrier(world));
}

static void scene_end(void)
{
	NEVER(MPI_File_close(&the_file));
	NEVER(MPI_Win_free(&dynamic));
	NEVER(MPI_Win_free(&common));
	NEVER(MPI_Win_free(&the_win));
	NEVER(MPI_Info_free(&hints));
	NEVER(MPI_Reduce(rank ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, 0, world));
	if (rank == 0)
		printf("each_call: %d calls, %d wrong\n", calls, wrong);
}

static int child(void)
{
	MPI_Comm parent;

	NEVER(MPI_Comm_get_parent(&parent));
	NEVER(MPI_Comm_disconnect(&parent));
	return MPI_Finalize();
}

/* With the argument "spawns" it starts further processes, too. */
static int each_call(int argc, char **argv, void (*const all[])(void))
{
	int provided;

	program = argv[0];
	NEVER(MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided));
	if (argc > 1 && strcmp(argv[1], "child") == 0)
		return child();
	spawns = argc > 1 && strcmp(argv[1], "spawns") == 0;
	NEVER(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	scene();
	for (int i = 0; all[i]; i++) {
		int left;

		all[i]();
		NEVER(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &left, MPI_STATUS_IGNORE));
		if (left)
			broken("a message is left by the call before", i);
	}
	scene_end();
	MPI_T_finalize();
	MPI_Finalize();
	return wrong != 0;
}
