/* openmpi_java.c: what Open MPI's library for Java (libmpi_java.so.40) takes out of the inside of
 * Open MPI 4.1: the installed one works on top of this front therefore, as that for C++ does.
 *
 * 1. Layouts are those that Open MPI's headers compile into that library; what it does not look
 *    at is room.
 * 2. It looks into a datatype for whether its elements lie without gaps, which no object of ours
 *    says: it asks for a copy by the datatype then, which is right for all. Where handles that the
 *    program made point (openmpi.h) is memory for that, read as zero.
 * 3. It takes and gives back buffers in code of its own, as several threads may
 * (opal_uses_threads); only where there is none a function here is called, which it calls under a
 * lock.
 */
#include "front_int.h"

#include "objects/type.h"
#include "proxy.h"

#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

/* ---- objects with a class ---- */

typedef void construct(void *object);
typedef void destruct(void *object);

struct java_class {
	const char *name;
	struct java_class *parent;
	construct *construct;
	destruct *destruct;
	int initialized, depth;
	construct **constructs;
	destruct **destructs;
	size_t size;
};

struct java_object {
	struct java_class *class;
	int references;
};

enum { EPOCH = 1 }; /* of classes that are ready */

FRONT extern int opal_class_init_epoch;
int opal_class_init_epoch = EPOCH;

static int depth_of(const struct java_class *class)
{
	int depth = 0;

	for (; class; class = class->parent)
		depth++;
	return depth;
}

/* What makes an object of a class, from the first class on, and what ends it, from its own on. As
 * the library for C++ finds this one, too, and not that of libopen-pal.so.40, it is for all. */
FRONT void opal_class_initialize(struct java_class *class);
void opal_class_initialize(struct java_class *class)
{
	size_t depth = (size_t)depth_of(class), makes = depth, ends = 0;
	construct **constructs = calloc(depth + 1, sizeof *constructs);
	destruct **destructs = calloc(depth + 1, sizeof *destructs);

	if (!constructs || !destructs)
		abort(); /* as in token_make */
	for (const struct java_class *c = class; c; c = c->parent) {
		if (c->construct)
			constructs[--makes] = c->construct;
		if (c->destruct)
			destructs[ends++] = c->destruct;
	}
	class->depth = (int)depth;
	memmove(constructs, constructs + makes, (depth - makes + 1) * sizeof *constructs);
	class->constructs = constructs;
	class->destructs = destructs;
	class->initialized = EPOCH;
}

static void object_make(struct java_class *class, void *object)
{
	if (class->initialized != EPOCH)
		opal_class_initialize(class);
	*(struct java_object *)object = (struct java_object){class, 1};
	for (construct **c = class->constructs; c && *c; c++)
		(*c)(object);
}

static void object_end(void *object)
{
	for (destruct **d = ((struct java_object *)object)->class->destructs; d && *d; d++)
		(*d)(object);
}

/* ---- errors ---- */

struct java_error {
	struct java_object super;
	int code, class;
	char text[N_MAX_ERROR_STRING];
};

struct java_array {
	struct java_object super;
	char lock[64];
	int lowest_free, number_free, size, max_size, block_size;
	uint64_t *free_bits;
	struct java_error **at;
};
static_assert(offsetof(struct java_array, at) == 112, "as in opal_pointer_array_t");

FRONT extern struct java_array ompi_mpi_errcodes;
FRONT extern struct java_error ompi_err_unknown;
static struct java_error errors[N_ERR_LASTCODE];
static struct java_error *error_at[N_ERR_LASTCODE];
struct java_array ompi_mpi_errcodes = {.at = error_at};
struct java_error ompi_err_unknown;

/* 0: there is no error of that code. */
static int error_of(struct java_error *e, int code)
{
	int length;

	*e = (struct java_error){.code = code, .class = code};
	return orr_Error_string(in_class(code), e->text, &length) == MPI_SUCCESS;
}

static void errors_fill(void)
{
	for (int i = 0; i < N_ERR_LASTCODE; i++) {
		if (error_of(&errors[i], i))
			error_at[i] = &errors[i];
	}
	ompi_mpi_errcodes.size = N_ERR_LASTCODE;
	error_of(&ompi_err_unknown, out_class(MPI_ERR_UNKNOWN));
}

/* ---- lists of buffers ---- */

struct java_item {
	struct java_object super;
	struct java_item *next, *previous;
	int free;
};

/* Buffers that are not in use, last in first out; the ghost is the last one. */
struct java_list {
	struct java_object super;
	_Alignas(16) struct {
		uint64_t counter;
		struct java_item *item;
	} head;
	struct java_item ghost;
	_Alignas(16) size_t room[4];
	size_t item_size;
	size_t more_room[3];
	struct java_class *item_class;
};
static_assert(offsetof(struct java_list, ghost) == 32, "as in opal_lifo_t");
static_assert(offsetof(struct java_list, item_class) == 144, "as in opal_free_list_t");

FRONT extern struct java_class opal_free_list_t_class, opal_free_list_item_t_class;
FRONT extern int opal_cache_line_size;
FRONT extern _Bool opal_uses_threads;
int opal_cache_line_size = 64;
_Bool opal_uses_threads = 1;

static void list_construct(void *object)
{
	struct java_list *list = object;

	list->head.counter = 0;
	list->head.item = list->ghost.next = &list->ghost;
}

/* Those that are in use at the end are lost, as they may be read. */
static void list_destruct(void *object)
{
	struct java_list *list = object;

	while (list->head.item != &list->ghost) {
		struct java_item *item = list->head.item;

		list->head.item = item->next;
		object_end(item);
		free(item);
	}
}

struct java_class opal_free_list_t_class = {.name = "opal_free_list_t",
                                            .construct = list_construct,
                                            .destruct = list_destruct,
                                            .size = 352};
struct java_class opal_free_list_item_t_class = {.name = "opal_free_list_item_t", .size = 56};

/* If there is no room, handles that the program made are none to look into. */
static void handles_map(void)
{
	mmap((void *)OBJECTS_MADE, OBJECTS_MADE_BYTES, PROT_READ,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

/* Called once, after MPI_Init: what it needs else is made here, too. */
FRONT int opal_free_list_init(struct java_list *list, size_t size, size_t alignment,
                              struct java_class *class, ...);
int opal_free_list_init(struct java_list *list, size_t size, size_t alignment,
                        struct java_class *class, ...)
{
	(void)alignment; /* of items that are not read by others at once */
	list->item_size = size;
	list->item_class = class;
	errors_fill();
	handles_map();
	return 0;
}

FRONT int opal_free_list_grow_st(struct java_list *list, size_t n, struct java_item **out);
int opal_free_list_grow_st(struct java_list *list, size_t n, struct java_item **out)
{
	struct java_item *item = calloc(1, list->item_size);

	(void)n; /* as many as the program uses at once */
	*out = item;
	if (!item)
		return -2; /* OPAL_ERR_OUT_OF_RESOURCE */
	object_make(list->item_class, item);
	return 0;
}

/* ---- what it calls ---- */

/* Called as it is loaded: it would have signals of a network's library left alone. */
FRONT void opal_init_psm(void);
void opal_init_psm(void)
{
}

/* Its one variable, which has its value. */
FRONT int mca_base_var_register(const char *project, ...);
int mca_base_var_register(const char *project, ...)
{
	(void)project;
	return 0;
}

FRONT int32_t opal_datatype_copy_content_same_ddt(N_Datatype type, int32_t count, char *to,
                                                  char *from);
int32_t opal_datatype_copy_content_same_ddt(N_Datatype type, int32_t count, char *to, char *from)
{
	struct orr_type *t = orr_type_of(in_Datatype(type));
	int64_t bytes;
	char *packed;

	if (!t || orr_type_bytes(t, count, &bytes))
		return -1; /* OPAL_ERROR */
	packed = malloc(bytes ? (size_t)bytes : 1);
	if (!packed)
		return -1;
	orr_pack(from, count, t, 0, bytes, packed);
	orr_unpack(to, count, t, 0, bytes, packed);
	free(packed);
	return 0;
}

struct java_op {
	void *environment, *object;
	int base_type;
};

FRONT void ompi_op_set_java_callback(N_Op op, void *environment, void *object, int base_type);
void ompi_op_set_java_callback(N_Op op, void *environment, void *object, int base_type)
{
	struct java_op *o = malloc(sizeof *o);

	(void)op;
	if (!o)
		abort(); /* as in token_make */
	*o = (struct java_op){environment, object, base_type};
	token_recent(0)->language = LANGUAGE_JAVA;
	token_recent(0)->proxy = o;
}

void java_op(struct callback *c, void *in, void *inout, int len, N_Datatype type)
{
	typedef void call(void *, void *, int *, N_Datatype *, int, void *, void *);
	const struct java_op *o = c->proxy;

	((call *)c->function)(in, inout, &len, &type, o->base_type, o->environment, o->object);
}
