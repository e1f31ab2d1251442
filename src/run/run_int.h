/* run_int.h: what the files of the room share. */
#ifndef ORRERY_RUN_INT_H
#define ORRERY_RUN_INT_H

#include "computation.h"
#include "run.h"

struct running {
	const struct run_plan *plan;
	struct live_options options;
	struct computation computation;
	struct str said; /* when it started: for the notices */
	struct live *live;
	struct mp *mp;
	struct basis basis; /* of processor time of this computer on the machine */
	int has_basis;
	char *words;
	char library[4096];     /* the folder of ours */
	uint32_t ranks, places; /* places: of these and those that they spawned */
	struct err ended;       /* how the processes ended: kind ERR_NONE: well */
	/* What the program's file says (program.c). */
	enum mpi_family family;
	const char *mpi;              /* the library that it was linked with, or NULL */
	char mpi_name[32];            /* that one, where its version is known */
	int spawns;                   /* it names MPI_Comm_spawn */
	int needs_mpi;                /* it needs a library of MPI */
	int is_static;                /* it may have MPI within */
	struct live_kernels *kernels; /* or NULL */
	int folds_itself; /* it calls functions of SMPI for that (include/orrery/smpi.h) */
	int found;        /* LD_LIBRARY_PATH leads it to our library */
	/* Its trace (environment.c). */
	struct traced traced;
	char tracer[4096]; /* the library */
	int traces;
};

int program_read(struct running *r, struct err *err);
int environment_make(struct running *r, struct err *err);
/* What memory is folded (folds.c): allocations from so many bytes on, 0: none; of functions,
 * "name=bytes;…" appended. */
int folds_read(const struct run_plan *plan, uint64_t *from, struct str *functions, struct err *err);
/* What the volumes of the trace are: known once computations are. */
int environment_volumes(const struct running *r, struct err *err);

#endif
