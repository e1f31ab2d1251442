/* object.h: what every object of MPI begins with, and how handles become objects.
 *
 * A handle of the neutral interface (mpi_abi.h) is a predefined constant below ORR_HANDLES, or
 * ORR_HANDLES and the number of a slot in the table of its kind: a number that fits in 26 bits, so
 * that handles of 32 bits and integers of Fortran are arithmetic. The kind is looked at each time a
 * handle comes in: a handle of another kind, a null handle or a freed object is an error, no crash.
 *
 * All state of a rank that these files keep is one struct orr_local, found through orr_local(): who
 * holds several ranks in a process changes what it returns. Such ranks borrow their predefined
 * objects from one state, but for the few that differ from rank to rank (own[]). One mutex guards
 * the tables; counts of references are atomic.
 */
#ifndef ORRERY_LIBMPI_OBJECT_H
#define ORRERY_LIBMPI_OBJECT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_abi.h"

enum orr_kind {
	ORR_NONE, /* freed */
	ORR_COMM,
	ORR_TYPE,
	ORR_OP,
	ORR_GROUP,
	ORR_INFO,
	ORR_ERRHANDLER,
	ORR_REQUEST,
	ORR_WIN,
	ORR_FILE,
	ORR_MESSAGE,
	ORR_SESSION,
	ORR_KINDS
};
/* Predefined types of Fortran that both families have beside those of mpi_abi.h. */
#define ORR_2COMPLEX ((MPI_Datatype)0x2f3)
#define ORR_2DOUBLE_COMPLEX ((MPI_Datatype)0x2f4)

struct orr_attr;
struct orr_errhandler;
struct orr_info;
struct orr_object {
	uint32_t kind; /* enum orr_kind */
	_Atomic uint32_t refs;
	/* predefined ones: the constant; 0: freed by the program, kept by others */
	uint32_t handle;
	uint32_t shown; /* how often the program holds the handle: it frees it as often */
	uint32_t inner; /* references by other objects, as orr_objects_left reckons them */
	uint64_t site;  /* the call that made it, or gave its handle to the program last */
	char *name;     /* NULL: none given */
	struct orr_attr *attrs;
	struct orr_errhandler *handler;
	struct orr_info *info;
};

/* The object of a handle, or NULL if it is no living object of this kind. */
void *orr_object(enum orr_kind kind, const void *handle);
void *orr_handle(const void *object);
/* A new object of `size` bytes, zeroed, with one reference and a handle, or NULL. */
void *orr_object_new(enum orr_kind kind, size_t size);
void *orr_object_keep(void *object); /* one reference more; returns it */
/* One reference less: 1 if that was the last; what is common has then been released, and the caller
 * releases what is its own and calls orr_object_end. */
int orr_object_drop(void *object);
void orr_object_end(void *object);

void *orr_handle_null(enum orr_kind kind); /* MPI_COMM_NULL and its like */
/* The program gets the handle (once more), with a reference; 0 if there is no memory. */
void *orr_handle_show(void *object);
/* The program frees the handle: after the last time it leads nowhere, whoever keeps the object. The
 * reference remains, for the caller to drop. Returns how often the program still holds it. */
uint32_t orr_handle_hide(void *object);

/* What the program made, still holds and should have freed: one for each kind and place, at most
 * `room` of them. How many there are. */
struct orr_left {
	uint64_t site;
	uint32_t kind, n;
};
int orr_objects_left(struct orr_left *out, int room);

int orr_name_set(struct orr_object *o, const char *name);
void orr_name_get(const struct orr_object *o, const char *otherwise, char *name, int *length);

/* Objects by slot. A table that grows leaves the old one where it is: readers take no lock. */
struct orr_table {
	struct orr_slots *_Atomic slots;
	int32_t n, free; /* used so far; first of the free ones, -1: none */
};
struct orr_keyvals;
struct orr_errors;
struct orr_buffer;
struct orr_type;
struct orr_datarep;
enum { ORR_OWN_FIRST = 0x101, ORR_OWN = 2 }; /* MPI_COMM_WORLD, MPI_COMM_SELF */
struct orr_local {
	pthread_mutex_t mutex;
	int started;
	void **predefined; /* ORR_HANDLES of them, but those in own[] */
	void *own[ORR_OWN];
	void *environment;              /* MPI_INFO_ENV */
	const struct orr_local *lender; /* NULL, or whose predefined objects these are */
	struct orr_table table[ORR_KINDS];
	int as_mpich; /* bounds of types as MPICH has them (type_make.c) */
	int as_openmpi;
	struct orr_keyvals *keyvals;
	struct orr_errors *errors;
	struct orr_errhandler *file_handler; /* of MPI_FILE_NULL */
	struct {
		int code;
		char text[120];
	} note; /* what orr_error_note said of an error that is being returned */
	struct {
		int code;                       /* MPI_SUCCESS: of none */
		struct orr_errhandler *handler; /* kept; NULL: the default one */
		void *comm;
		char name[64];
	} failed; /* what orr_error_of said of a request */
	struct orr_buffer *buffers;
	int tools; /* how often MPI_T_init_thread was called, and MPI_T_finalize not */
	struct orr_datarep *datareps;
	struct orr_type *f90_types; /* parametric ones, for ever */
};
/* The object in a slot, or NULL. */
struct orr_object *orr_table_at(const struct orr_table *t, int32_t slot);
void orr_table_end(struct orr_table *t);
extern struct orr_local *orr_local_now; /* hidden, as all of the library */
static inline struct orr_local *orr_local(void)
{
	return orr_local_now;
}
void orr_lock(void);
void orr_unlock(void);
/* state.c: makes the predefined objects that need no communication (types, operators, error
 * handlers, infos, empty group): before anything else, any number of times. MPI_SUCCESS or
 * MPI_ERR_NO_MEM. */
int orr_local_start(void);
/* Releases all that is left: after the last call of MPI, for those who look for leaks. */
void orr_local_end(void);

static inline int orr_is_predefined(const struct orr_object *o)
{
	return o->handle != 0 && o->handle < ORR_HANDLES;
}
/* Gives an object a predefined handle. */
void orr_predefine(uint32_t constant, void *object);

#endif
