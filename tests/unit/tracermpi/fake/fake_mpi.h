/* fake_mpi.h: an MPI library for the tests of the tracer: one process, rank fake.rank of
 * fake.ranks, whose peers are made up. It answers as the standard says a library may: requests are
 * complete in an order drawn at random, handles of finished requests are given again, wildcards
 * match anyone. What it drew can be looked at afterwards. It moves no data.
 *
 * Handles are those of MPICH, whose mpi.h it is compiled with. The tracer finds it where it finds
 * MPICH: behind itself (RTLD_NEXT), so it is a shared library. */
#ifndef ORRERY_TESTS_FAKE_MPI_H
#define ORRERY_TESTS_FAKE_MPI_H

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

enum { FAKE_RANKS = 32, FAKE_COMMS = 64, FAKE_REQUESTS = 1024, FAKE_TYPES = 512, FAKE_DIMS = 4 };

enum fake_topology { FAKE_PLAIN, FAKE_CART, FAKE_GRAPH, FAKE_DIST_GRAPH };

struct fake_group {
	int used, n, world[FAKE_RANKS];
};

struct fake_comm {
	int used, rank, inter;
	struct fake_group members, remote; /* world ranks */
	enum fake_topology topology;
	int dims, dim[FAKE_DIMS], periodic[FAKE_DIMS];
	int n_in, n_out, in[FAKE_RANKS], out[FAKE_RANKS]; /* neighbours of this rank */
};

struct fake_request {
	int used, persistent, active, complete, cancelled;
	int source, tag; /* of its status when it is complete */
	MPI_Comm *later; /* MPI_Comm_idup: where the communicator goes */
	MPI_Comm later_comm;
};

struct fake_message {
	int used, source, tag;
};

struct fake {
	int rank, ranks, provided;
	int fail; /* MPI_ERR_…: what the next call of the program returns, doing nothing */
	uint32_t pending; /* bit i: the next call that completes several leaves its i-th request
	                   * pending, the others being complete: MPI_ERR_IN_STATUS */
	int at_once; /* of 100 requests, so many are complete when they are made, and share a handle
	              */
	int color[FAKE_RANKS], key[FAKE_RANKS]; /* what the others give MPI_Comm_split */
	uint64_t told; /* the identity that the last MPI_Bcast of another root gave */
	uint64_t
	    inter[2]; /* what MPI_Allreduce on an intercommunicator gives: first, second time */
	int inter_times, finalized, aborted;
	uint64_t random;
	int still;                       /* no request becomes complete of itself */
	uint32_t identities[FAKE_RANKS]; /* given so far by each as root */
	struct fake_comm comm[FAKE_COMMS];
	struct fake_group group[FAKE_COMMS];
	struct fake_request request[FAKE_REQUESTS];
	struct fake_message message[FAKE_REQUESTS];
	int shared; /* requests that are complete behind the shared handle */
	/* a program's calls of the library, by what they do: what no tracer may change */
	uint64_t calls;
	int wired, wire[FAKE_RANKS]; /* one process of several: sockets to the others */
	void (*during)(void);        /* called inside of each call: what happens meanwhile */
};
extern struct fake fake;

void fake_reset(int rank, int ranks, uint64_t seed);
uint32_t fake_below(uint32_t n);
int fake_once_in(uint32_t n);
/* Whether this call is to fail: its code, or MPI_SUCCESS. Counts the call. */
int fake_result(void);

struct fake_comm *fake_comm(MPI_Comm c);
MPI_Comm fake_comm_new(const struct fake_group *members, int first);
struct fake_group *fake_group(MPI_Group g);
int fake_group_new(const struct fake_group *from, MPI_Group *g);
struct fake_request *fake_request(MPI_Request r);
/* A request for an operation with this partner and tag, which may be wildcards. */
int fake_request_new(MPI_Request *r, MPI_Comm c, int source, int tag, int persistent);
/* A sender and a tag that match. */
void fake_match(MPI_Comm c, int source, int tag, int *sender, int *found);
void fake_status(MPI_Status *s, int source, int tag);

/* Several processes (fake_wire.c): the wires are made, then each process takes its own. */
void fake_wires_make(int wires[FAKE_RANKS][FAKE_RANKS], int ranks);
void fake_wires_use(int wires[FAKE_RANKS][FAKE_RANKS]);
void fake_wire_send(int to, const void *p, size_t n);
int fake_wire_recv(int from, void *p, size_t n); /* MPI_SUCCESS or MPI_ERR_TRUNCATE */
void fake_wire_bcast(int root, void *p, size_t n);
void fake_wire_allreduce(const int *in, int *out, int n, MPI_Op op);

/* Bytes of a datatype, from its map: every element of it, in order. */
int64_t fake_type_size(MPI_Datatype t);

#endif
