/* fortran.c: the Fortran functions of Open MPI's ABI that a table cannot make, and their helpers.
 */
#include "fortran.h"

/* Of libmpi.so.40, which is another library. */
FRONT void *orrery_cell_new(intptr_t value);
FRONT int orrery_cell_is(const void *value);

void *temp_new(size_t size)
{
	void *p = malloc(size);

	if (!p)
		abort(); /* the caller has no way to say it */
	return p;
}

char *f_string_in(const char *string, size_t length)
{
	while (length > 0 && string[length - 1] == ' ')
		length--;
	while (length > 0 && *string == ' ') {
		string++;
		length--;
	}
	char *s = temp_new(length + 1);

	memcpy(s, string, length);
	s[length] = '\0';
	return s;
}

void f_string_out(char *string, size_t length, const char *from)
{
	size_t n = strlen(from);

	if (n > length)
		n = length;
	memcpy(string, from, n);
	memset(string + n, ' ', length - n);
}

/* ---- lengths ---- */

FRONT int PMPI_Comm_size(N_Comm comm, int *size);
FRONT int PMPI_Comm_rank(N_Comm comm, int *rank);
FRONT int PMPI_Comm_remote_size(N_Comm comm, int *size);
FRONT int PMPI_Comm_test_inter(N_Comm comm, int *flag);
FRONT int PMPI_Topo_test(N_Comm comm, int *status);
FRONT int PMPI_Cartdim_get(N_Comm comm, int *ndims);
FRONT int PMPI_Graph_neighbors_count(N_Comm comm, int rank, int *n);
FRONT int PMPI_Dist_graph_neighbors_count(N_Comm comm, int *in, int *out, int *weighted);

static MPI_Count fortran_local(N_Comm comm)
{
	int size = 0;

	return PMPI_Comm_size(comm, &size) ? 0 : size;
}

MPI_Count fortran_peers(N_Comm comm)
{
	int inter = 0;
	int size = 0;

	if (PMPI_Comm_test_inter(comm, &inter) || !inter)
		return fortran_local(comm);
	return PMPI_Comm_remote_size(comm, &size) ? 0 : size;
}

static void degrees(N_Comm comm, int *in, int *out)
{
	int kind = 0;
	int n = 0;
	int weighted;

	*in = *out = 0;
	if (PMPI_Topo_test(comm, &kind))
		return;
	kind = in_topology(kind);
	if (kind == MPI_CART) {
		if (!PMPI_Cartdim_get(comm, &n))
			*in = *out = 2 * n;
	} else if (kind == MPI_GRAPH) {
		if (!PMPI_Comm_rank(comm, &n) && !PMPI_Graph_neighbors_count(comm, n, in))
			*out = *in;
	} else if (kind == MPI_DIST_GRAPH) {
		(void)PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
	}
}

MPI_Count fortran_in(N_Comm comm)
{
	int in, out;

	degrees(comm, &in, &out);
	return in;
}

MPI_Count fortran_out(N_Comm comm)
{
	int in, out;

	degrees(comm, &in, &out);
	return out;
}

/* ---- the spellings of a name (fortran.py has those of generated functions) ---- */

#define SPELLED(text, id, symbol, params) \
	FRONT void symbol##_##id params __asm__(text) __attribute__((weak, alias("p" #symbol "_")));
#define SPELL(symbol, upper, name, params) \
	SPELLED(#symbol, plain, symbol, params) \
	SPELLED(#symbol "_", one, symbol, params) \
	SPELLED(#symbol "__", two, symbol, params) \
	SPELLED(#upper, upper, symbol, params) \
	SPELLED("p" #symbol, p_plain, symbol, params) \
	SPELLED("p" #symbol "__", p_two, symbol, params) \
	SPELLED("P" #upper, p_upper, symbol, params) \
	SPELLED("o" #symbol "_f", own, symbol, params) \
	SPELLED(#name "_f", f, symbol, params) \
	SPELLED(#name "_f08", f08, symbol, params) \
	SPELLED("P" #name "_f", p_f, symbol, params) \
	SPELLED("P" #name "_f08", p_f08, symbol, params)

/* ---- attributes: INTEGERs, of the address's size but in the oldest functions ---- */

/* What C is given by address comes by value; what C set is its pointer. */
static MPI_Aint attr_integer(int keyval, void *value)
{
	int key = in_keyval(keyval);

	if (key == MPI_WIN_BASE)
		return (MPI_Aint)value;
	if (key == MPI_WIN_SIZE)
		return *(MPI_Aint *)value;
	if (key < ORR_HANDLES)
		return *(int *)value;
	return orrery_cell_is(value) ? *(intptr_t *)value : (MPI_Aint)value;
}

#define ATTRIBUTES(name, upper, called, get, set, type, kind, integer) \
	FRONT int get(N_##type handle, int keyval, void *value, int *flag); \
	FRONT int set(N_##type handle, int keyval, void *value); \
	FRONT void pmpi_##name##_get##kind##_(MPI_Fint *handle, MPI_Fint *keyval, integer *value, \
	                                      MPI_Fint *flag, MPI_Fint *ierr); \
	void pmpi_##name##_get##kind##_(MPI_Fint *handle, MPI_Fint *keyval, integer *value, \
	                                MPI_Fint *flag, MPI_Fint *ierr) \
	{ \
		void *found = NULL; \
\
		*ierr = get(fin_##type(*handle), *keyval, &found, flag); \
		if (!*ierr && *flag) \
			*value = (integer)attr_integer(*keyval, found); \
	} \
	SPELL(mpi_##name##_get##kind, upper, called, \
	      (MPI_Fint * handle, MPI_Fint * keyval, integer * value, MPI_Fint * flag, \
	       MPI_Fint * ierr))
#define ATTRIBUTES_SET(name, upper, called, set, type, integer) \
	FRONT void pmpi_##name##_(MPI_Fint *handle, MPI_Fint *keyval, integer *value, \
	                          MPI_Fint *ierr); \
	void pmpi_##name##_(MPI_Fint *handle, MPI_Fint *keyval, integer *value, MPI_Fint *ierr) \
	{ \
		*ierr = set(fin_##type(*handle), *keyval, orrery_cell_new(*value)); \
	} \
	SPELL(mpi_##name, upper, called, \
	      (MPI_Fint * handle, MPI_Fint * keyval, integer * value, MPI_Fint * ierr))
ATTRIBUTES(comm, MPI_COMM_GET_ATTR, MPI_Comm_get_attr, PMPI_Comm_get_attr, PMPI_Comm_set_attr, Comm,
           _attr, MPI_Aint)
ATTRIBUTES(type, MPI_TYPE_GET_ATTR, MPI_Type_get_attr, PMPI_Type_get_attr, PMPI_Type_set_attr,
           Datatype, _attr, MPI_Aint)
ATTRIBUTES(win, MPI_WIN_GET_ATTR, MPI_Win_get_attr, PMPI_Win_get_attr, PMPI_Win_set_attr, Win,
           _attr, MPI_Aint)
ATTRIBUTES_SET(comm_set_attr, MPI_COMM_SET_ATTR, MPI_Comm_set_attr, PMPI_Comm_set_attr, Comm,
               MPI_Aint)
ATTRIBUTES_SET(type_set_attr, MPI_TYPE_SET_ATTR, MPI_Type_set_attr, PMPI_Type_set_attr, Datatype,
               MPI_Aint)
ATTRIBUTES_SET(win_set_attr, MPI_WIN_SET_ATTR, MPI_Win_set_attr, PMPI_Win_set_attr, Win, MPI_Aint)
ATTRIBUTES(attr, MPI_ATTR_GET, MPI_Attr_get, PMPI_Comm_get_attr, PMPI_Comm_set_attr, Comm, ,
           MPI_Fint)
ATTRIBUTES_SET(attr_put, MPI_ATTR_PUT, MPI_Attr_put, PMPI_Comm_set_attr, Comm, MPI_Fint)

/* ---- the rest ---- */

FRONT int PMPI_Buffer_detach(void *buffer_addr, int *size);
FRONT void pmpi_buffer_detach_(void *buffer_addr, MPI_Fint *size, MPI_Fint *ierr);
void pmpi_buffer_detach_(void *buffer_addr, MPI_Fint *size, MPI_Fint *ierr)
{
	void *buffer; /* mpif.h has no way to return it */

	(void)buffer_addr;
	*ierr = PMPI_Buffer_detach(&buffer, size);
}
SPELL(mpi_buffer_detach, MPI_BUFFER_DETACH, MPI_Buffer_detach,
      (void *buffer_addr, MPI_Fint *size, MPI_Fint *ierr))

FRONT int PMPI_Pcontrol(const int level, ...);
FRONT void pmpi_pcontrol_(MPI_Fint *level);
void pmpi_pcontrol_(MPI_Fint *level)
{
	(void)PMPI_Pcontrol(*level);
}
SPELL(mpi_pcontrol, MPI_PCONTROL, MPI_Pcontrol, (MPI_Fint * level))

FRONT int PMPI_Info_create_env(int argc, char *argv[], N_Info *info);
FRONT void pmpi_info_create_env_(MPI_Fint *info, MPI_Fint *ierr);
void pmpi_info_create_env_(MPI_Fint *info, MPI_Fint *ierr)
{
	N_Info made = NULL;

	*ierr = PMPI_Info_create_env(0, NULL, &made);
	if (!*ierr)
		*info = fout_Info(made);
}
SPELL(mpi_info_create_env, MPI_INFO_CREATE_ENV, MPI_Info_create_env,
      (MPI_Fint * info, MPI_Fint *ierr))

/* MPI 4.0, 10: the length is that of the string, and 0 asks for nothing else. */
FRONT int PMPI_Info_get_string(N_Info info, const char *key, int *buflen, char *value, int *flag);
FRONT void pmpi_info_get_string_(MPI_Fint *info, char *key, MPI_Fint *buflen, char *value,
                                 MPI_Fint *flag, MPI_Fint *ierr, size_t l_key, size_t l_value);
void pmpi_info_get_string_(MPI_Fint *info, char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag,
                           MPI_Fint *ierr, size_t l_key, size_t l_value)
{
	int n = *buflen > 0 ? *buflen + 1 : *buflen; /* with the zero of C */
	char *k = f_string_in(key, l_key);
	char *found = temp_new((size_t)(n > 0 ? n : 1));

	*ierr = PMPI_Info_get_string(fin_Info(*info), k, &n, found, flag);
	if (!*ierr && *flag) {
		if (*buflen > 0)
			f_string_out(value, l_value, found);
		*buflen = n - 1;
	}
	free(found);
	free(k);
}
SPELL(mpi_info_get_string, MPI_INFO_GET_STRING, MPI_Info_get_string,
      (MPI_Fint * info, char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag, MPI_Fint *ierr,
       size_t l_key, size_t l_value))

/* Likewise (MPI 4.0, 11.3). */
FRONT int PMPI_Session_get_nth_pset(N_Session session, N_Info info, int n, int *pset_len,
                                    char *pset_name);
FRONT void pmpi_session_get_nth_pset_(MPI_Fint *session, MPI_Fint *info, MPI_Fint *n,
                                      MPI_Fint *pset_len, char *pset_name, MPI_Fint *ierr,
                                      size_t l_pset_name);
void pmpi_session_get_nth_pset_(MPI_Fint *session, MPI_Fint *info, MPI_Fint *n, MPI_Fint *pset_len,
                                char *pset_name, MPI_Fint *ierr, size_t l_pset_name)
{
	int room = *pset_len > 0 ? *pset_len + 1 : 0;
	char *found = temp_new((size_t)room + 1);

	found[0] = '\0';
	*ierr = PMPI_Session_get_nth_pset(fin_Session(*session), fin_Info(*info), *n, &room, found);
	if (!*ierr) {
		if (*pset_len > 0)
			f_string_out(pset_name, l_pset_name, found);
		*pset_len = room - 1;
	}
	free(found);
}
SPELL(mpi_session_get_nth_pset, MPI_SESSION_GET_NTH_PSET, MPI_Session_get_nth_pset,
      (MPI_Fint * session, MPI_Fint *info, MPI_Fint *n, MPI_Fint *pset_len, char *pset_name,
       MPI_Fint *ierr, size_t l_pset_name))

/* A status is the same in all of them. */
#define COPY_STATUS(symbol, upper, name) \
	FRONT void p##symbol##_(const N_Status *from, N_Status *to, MPI_Fint *ierr); \
	void p##symbol##_(const N_Status *from, N_Status *to, MPI_Fint *ierr) \
	{ \
		memcpy(to, from, sizeof *to); \
		if (ierr) \
			*ierr = 0; \
	} \
	SPELL(symbol, upper, name, (const N_Status *from, N_Status *to, MPI_Fint *ierr))
COPY_STATUS(mpi_status_f082f, MPI_STATUS_F082F, MPI_Status_f082f)
COPY_STATUS(mpi_status_f2f08, MPI_STATUS_F2F08, MPI_Status_f2f08)

/* ---- failures (failures.c) ---- */

#define OF_COMM(symbol, upper, name) \
	FRONT int P##name(N_Comm comm); \
	FRONT void p##symbol##_(MPI_Fint *comm, MPI_Fint *ierr); \
	void p##symbol##_(MPI_Fint *comm, MPI_Fint *ierr) \
	{ \
		*ierr = P##name(fin_Comm(*comm)); \
	} \
	SPELL(symbol, upper, name, (MPI_Fint * comm, MPI_Fint * ierr))
OF_COMM(mpix_comm_revoke, MPIX_COMM_REVOKE, MPIX_Comm_revoke)
OF_COMM(mpix_comm_failure_ack, MPIX_COMM_FAILURE_ACK, MPIX_Comm_failure_ack)

#define FLAG_OF(symbol, upper, name) \
	FRONT int P##name(N_Comm comm, int *flag); \
	FRONT void p##symbol##_(MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *ierr); \
	void p##symbol##_(MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *ierr) \
	{ \
		*ierr = P##name(fin_Comm(*comm), flag); \
	} \
	SPELL(symbol, upper, name, (MPI_Fint * comm, MPI_Fint * flag, MPI_Fint * ierr))
FLAG_OF(mpix_comm_agree, MPIX_COMM_AGREE, MPIX_Comm_agree)
FLAG_OF(mpix_comm_is_revoked, MPIX_COMM_IS_REVOKED, MPIX_Comm_is_revoked)

#define MADE_OF(symbol, upper, name, kind) \
	FRONT int P##name(N_Comm comm, N_##kind *made); \
	FRONT void p##symbol##_(MPI_Fint *comm, MPI_Fint *made, MPI_Fint *ierr); \
	void p##symbol##_(MPI_Fint *comm, MPI_Fint *made, MPI_Fint *ierr) \
	{ \
		N_##kind o_made = NULL; \
\
		*ierr = P##name(fin_Comm(*comm), &o_made); \
		if (!*ierr) \
			*made = fout_##kind(o_made); \
	} \
	SPELL(symbol, upper, name, (MPI_Fint * comm, MPI_Fint * made, MPI_Fint * ierr))
MADE_OF(mpix_comm_shrink, MPIX_COMM_SHRINK, MPIX_Comm_shrink, Comm)
MADE_OF(mpix_comm_get_failed, MPIX_COMM_GET_FAILED, MPIX_Comm_get_failed, Group)
MADE_OF(mpix_comm_failure_get_acked, MPIX_COMM_FAILURE_GET_ACKED, MPIX_Comm_failure_get_acked,
        Group)

FRONT int PMPIX_Comm_ack_failed(N_Comm comm, int num_to_ack, int *num_acked);
FRONT void pmpix_comm_ack_failed_(MPI_Fint *comm, MPI_Fint *to, MPI_Fint *acked, MPI_Fint *ierr);
void pmpix_comm_ack_failed_(MPI_Fint *comm, MPI_Fint *to, MPI_Fint *acked, MPI_Fint *ierr)
{
	*ierr = PMPIX_Comm_ack_failed(fin_Comm(*comm), *to, acked);
}
SPELL(mpix_comm_ack_failed, MPIX_COMM_ACK_FAILED, MPIX_Comm_ack_failed,
      (MPI_Fint * comm, MPI_Fint *to, MPI_Fint *acked, MPI_Fint *ierr))

FRONT int PMPIX_Comm_iagree(N_Comm comm, int *flag, N_Request *request);
FRONT void pmpix_comm_iagree_(MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *request, MPI_Fint *ierr);
void pmpix_comm_iagree_(MPI_Fint *comm, MPI_Fint *flag, MPI_Fint *request, MPI_Fint *ierr)
{
	N_Request made = NULL;

	*ierr = PMPIX_Comm_iagree(fin_Comm(*comm), flag, &made);
	if (!*ierr)
		*request = fout_Request(made);
}
SPELL(mpix_comm_iagree, MPIX_COMM_IAGREE, MPIX_Comm_iagree,
      (MPI_Fint * comm, MPI_Fint *flag, MPI_Fint *request, MPI_Fint *ierr))

/* The callbacks are given the program's own variable, as Open MPI does it: what they write there it
 * sees. */
FRONT int PMPI_Grequest_start(void *query, void *free, void *cancel, void *state,
                              N_Request *request);
FRONT void pmpi_grequest_start_(void *query, void *free, void *cancel, MPI_Aint *state,
                                MPI_Fint *request, MPI_Fint *ierr);
void pmpi_grequest_start_(void *query, void *free, void *cancel, MPI_Aint *state, MPI_Fint *request,
                          MPI_Fint *ierr)
{
	N_Request made = NULL;

	*ierr = PMPI_Grequest_start(query, free, cancel, state, &made);
	orrery_fortran_callbacks(3, 0);
	if (!*ierr)
		*request = fout_Request(made);
}
SPELL(mpi_grequest_start, MPI_GREQUEST_START, MPI_Grequest_start,
      (void *query, void *free, void *cancel, MPI_Aint *state, MPI_Fint *request, MPI_Fint *ierr))

/* Arguments of a spawned program: an array of strings that ends with a blank one, `stride` apart.
 */
static char **argv_in(const char *argv, size_t length, size_t stride)
{
	size_t n = 0;
	char **out = temp_new(sizeof *out);

	if (argv == &mpi_fortran_argv_null_) {
		out[0] = NULL;
		return out;
	}
	for (;; n++) {
		char *s = f_string_in(argv + n * stride, length);
		char **more = realloc(out, (n + 2) * sizeof *out);

		if (!more)
			abort(); /* as in temp_new */
		out = more;
		out[n] = *s ? s : NULL;
		if (!*s) {
			free(s);
			return out;
		}
	}
}

static void argv_free(char **argv)
{
	for (char **a = argv; *a; a++)
		free(*a);
	free(argv);
}

FRONT int PMPI_Comm_spawn(const char *command, char *argv[], int maxprocs, N_Info info, int root,
                          N_Comm comm, N_Comm *intercomm, int codes[]);
FRONT void pmpi_comm_spawn_(char *command, char *argv, MPI_Fint *maxprocs, MPI_Fint *info,
                            MPI_Fint *root, MPI_Fint *comm, MPI_Fint *intercomm, MPI_Fint *codes,
                            MPI_Fint *ierr, size_t l_command, size_t l_argv);
void pmpi_comm_spawn_(char *command, char *argv, MPI_Fint *maxprocs, MPI_Fint *info, MPI_Fint *root,
                      MPI_Fint *comm, MPI_Fint *intercomm, MPI_Fint *codes, MPI_Fint *ierr,
                      size_t l_command, size_t l_argv)
{
	char *c = f_string_in(command, l_command);
	char **a = argv_in(argv, l_argv, l_argv);
	N_Comm made = NULL;

	*ierr = PMPI_Comm_spawn(c, a, *maxprocs, fin_Info(*info), *root, fin_Comm(*comm), &made,
	                        f_errcodes(codes));
	if (made)
		*intercomm = fout_Comm(made);
	free(c);
	argv_free(a);
}
SPELL(mpi_comm_spawn, MPI_COMM_SPAWN, MPI_Comm_spawn,
      (char *command, char *argv, MPI_Fint *maxprocs, MPI_Fint *info, MPI_Fint *root,
       MPI_Fint *comm, MPI_Fint *intercomm, MPI_Fint *codes, MPI_Fint *ierr, size_t l_command,
       size_t l_argv))

FRONT int PMPI_Comm_spawn_multiple(int count, char *commands[], char **argvs[],
                                   const int maxprocs[], const N_Info infos[], int root,
                                   N_Comm comm, N_Comm *intercomm, int codes[]);
FRONT void pmpi_comm_spawn_multiple_(MPI_Fint *count, char *commands, char *argvs,
                                     MPI_Fint *maxprocs, MPI_Fint *infos, MPI_Fint *root,
                                     MPI_Fint *comm, MPI_Fint *intercomm, MPI_Fint *codes,
                                     MPI_Fint *ierr, size_t l_commands, size_t l_argvs);
void pmpi_comm_spawn_multiple_(MPI_Fint *count, char *commands, char *argvs, MPI_Fint *maxprocs,
                               MPI_Fint *infos, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *intercomm,
                               MPI_Fint *codes, MPI_Fint *ierr, size_t l_commands, size_t l_argvs)
{
	size_t n = (size_t)*count;
	char **c = temp_new(n * sizeof *c + 1);
	char ***a = temp_new(n * sizeof *a + 1);
	N_Info *i = temp_new(n * sizeof *i + 1);
	int none = argvs == &mpi_fortran_argvs_null_;
	N_Comm made = NULL;

	for (size_t k = 0; k < n; k++) {
		c[k] = f_string_in(commands + k * l_commands, l_commands);
		/* ARRAY_OF_ARGV(count, *): the arguments of one command are `count` strings apart
		 */
		a[k] = argv_in(none ? &mpi_fortran_argv_null_ : argvs + k * l_argvs, l_argvs,
		               n * l_argvs);
		i[k] = fin_Info(infos[k]);
	}
	*ierr = PMPI_Comm_spawn_multiple(*count, c, none ? NULL : a, maxprocs, i, *root,
	                                 fin_Comm(*comm), &made, f_errcodes(codes));
	if (made)
		*intercomm = fout_Comm(made);
	for (size_t k = 0; k < n; k++) {
		free(c[k]);
		argv_free(a[k]);
	}
	free(c);
	free(a);
	free(i);
}
SPELL(mpi_comm_spawn_multiple, MPI_COMM_SPAWN_MULTIPLE, MPI_Comm_spawn_multiple,
      (MPI_Fint * count, char *commands, char *argvs, MPI_Fint *maxprocs, MPI_Fint *infos,
       MPI_Fint *root, MPI_Fint *comm, MPI_Fint *intercomm, MPI_Fint *codes, MPI_Fint *ierr,
       size_t l_commands, size_t l_argvs))

/* MPI_F_SYNC_REG: that it is called is all. */
FRONT void pmpi_f_sync_reg_(void *buf);
void pmpi_f_sync_reg_(void *buf)
{
	(void)buf;
}
SPELL(mpi_f_sync_reg, MPI_F_SYNC_REG, MPI_F_sync_reg, (void *buf))
