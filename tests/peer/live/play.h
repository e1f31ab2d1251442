/* A random program of MPI: what its parts share. All ranks draw the same numbers of `shared`, so
 * that they agree on what they do; `own` is of one rank. What a rank receives, and what statuses
 * say, goes into its checksum. */
#ifndef PLAY_H
#define PLAY_H
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int no_peeks; /* no MPI_Request_get_status: its looks are no events of a trace */
extern int on_smpi;  /* what SMPI 3.32 has, and no more */
#define ON_SMPI on_smpi
#if defined(MPICH_VERSION)
#define ON_MPICH 1
#else
#define ON_MPICH 0
#endif

struct rng {
	uint64_t at;
};
uint64_t rng_next(struct rng *);
int rng_upto(struct rng *, int n); /* 0 to n - 1 */
static inline bool rng_coin(struct rng *r)
{
	return rng_upto(r, 2);
}
struct rng rng_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

struct play {
	MPI_Comm comm;
	int rank, n, world;
	struct rng shared, own;
	uint64_t sum;
	uint64_t seed;
	int step;
	const char *folder;
};

void play_bytes(struct play *, const void *, size_t);
void play_number(struct play *, long long);
/* source, tag, count of type; elements */
void play_status(struct play *, const MPI_Status *, MPI_Datatype);
struct rng play_between(struct play *, int a, int b); /* a stream that two ranks share */
int play_size(struct rng *);                          /* elements of a message */
void ranks_shuffled(struct rng *, int *, int n);

/* A buffer of some elements of a base type in some layout. */
struct form {
	MPI_Datatype type;
	int count;
	bool made;
	char *memory, *at;
	size_t bytes;
};
enum { BASES = 5 };
MPI_Datatype base_any(struct rng *);
void form_make(struct form *, struct rng *layout, struct rng *data, MPI_Datatype base,
               int elements);
void form_plain(struct form *, struct rng *data, MPI_Datatype base, int elements);
void form_free(struct form *);
void play_form(struct play *, const struct form *);
MPI_Datatype type_make(struct rng *, MPI_Datatype base, int elements, int depth);

/* ways to complete requests; any may be of a persistent operation */
void complete_all(struct play *, MPI_Request *, MPI_Status *, int n);

/* the parts: each is correct on any intracommunicator */
void part_pairs(struct play *);
void part_flood(struct play *);
void part_any(struct play *);
void part_several(struct play *);
void part_null(struct play *);
void part_persistent(struct play *);
void part_partitioned(struct play *);
void part_collective(struct play *);
void part_vector(struct play *);
void part_reduce(struct play *);
void part_neighbour(struct play *);
void part_inter(struct play *);
void part_groups(struct play *);
void part_types(struct play *);
void part_errors(struct play *);
void part_fence(struct play *);
void part_pscw(struct play *);
void part_lock(struct play *);
void part_shared(struct play *);
void part_dynamic(struct play *);
void part_file(struct play *);
void part_file_shared(struct play *);
void part_many_colls(struct play *);
#endif
