/* worlds.h: processes that the program starts while it runs (MPI 4.0, 11.8). They have a world of
 * their own, whose ranks are further ranks of the trace: `first` of them and those that follow,
 * counted in a file of the folder.
 *
 * The root of MPI_Comm_spawn has its command started by env, with the tracer loaded and a token.
 * A process that is traced leaves a file of this name before it begins MPI: so its parents know,
 * when MPI_Comm_spawn has returned, whether there is someone to agree with. From then on a process
 * knows the ranks in the trace of both groups (worlds_meet), and of all communicators that are made
 * of them. (In a simulated run the library tells these ranks, which are those of the simulation.)
 * Worlds that met are not merged in MPI_Finalize: `orrery trace` makes text of what each
 * process left (src/trace/text/complete.c). */
#ifndef ORRERY_TRACER_WORLDS_H
#define ORRERY_TRACER_WORLDS_H

#include "call.h"

struct worlds {
	int met; /* another world: the trace is of several */
	struct known_group {
		MPI_Group group;
		int32_t *rank; /* in the trace */
		int n;
	} * known;
	uint32_t n, cap;
	uint32_t spawns; /* of this process */
};

/* Before MPI_Init: whoever spawned us knows that we are traced. */
void worlds_tell(void);
/* A world of n processes that was spawned: its first rank in the trace, on one of them; -1. */
int64_t worlds_claim(int n);
/* Both groups of a new intercommunicator tell each other their ranks in the trace, if all of them
 * are ready for it: 1. own: a communicator of our group. *root: who spawned, or -1 for the other
 * group to say. */
int worlds_meet(MPI_Comm own, MPI_Comm inter, int ready, int *root);
/* Rank in the trace of a member of a group; of_world: the group of our own world. -1: not known. */
int32_t worlds_rank(MPI_Group group, int i, MPI_Group of_world);
/* The other group of an intercommunicator is known from now on, by its ranks in the trace, which
 * are given away. */
void worlds_know(MPI_Comm inter, int32_t *rank, int n);
void worlds_release(struct worlds *w);

/* worlds_folder.c: how many ranks are counted so far, `initial` if nothing is; n more from there
 * on. -1: they cannot be. */
int64_t worlds_counted(int64_t initial, int n);
/* The file by which a process that was started with a token says that it is traced: 0 if there is
 * none. */
int worlds_token_path(char *out, size_t n, const char *dir, const char *token);

#endif
