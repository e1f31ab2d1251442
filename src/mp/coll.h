/* coll.h: collective algorithms as pure functions.
 *
 * An algorithm is a function of (arguments, rank, round) to a short list of steps. It has no state and no callbacks; asked twice, it
 * answers the same. One executor runs it (coll_exec.c: sizes only in replay, data in live runs), one verifier proves on symbolic
 * data that it performs the collective (coll_verify.c). Blocking and non-blocking forms are the same function. Linear algorithms use one
 * round per partner, so that lists stay short whatever the size of the communicator.
 *
 * Steps are issued in order. SEND and RECV block; ISEND and IRECV are posted; WAITALL waits for everything posted since the last WAITALL of
 * this collective (requests stay outstanding over rounds). REDUCE and COPY act on memory. A sendrecv is ISEND, IRECV, WAITALL (SMPI's order).
 * Offsets and lengths are bytes. */
#ifndef ORRERY_MP_COLL_H
#define ORRERY_MP_COLL_H

#include "base/base.h"

#include <stdint.h>

enum coll_kind {
	COLL_BARRIER, COLL_BCAST, COLL_REDUCE, COLL_ALLREDUCE, COLL_GATHER, COLL_GATHERV, COLL_SCATTER, COLL_SCATTERV, COLL_ALLGATHER,
	COLL_ALLGATHERV, COLL_ALLTOALL, COLL_ALLTOALLV, COLL_ALLTOALLW, COLL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_BLOCK, COLL_SCAN,
	COLL_EXSCAN, COLL_KINDS
};
const char *coll_kind_name(enum coll_kind k); /* "bcast" */

struct coll_args {
	enum coll_kind kind;
	uint32_t size; /* ranks of the communicator, p */
	uint32_t root;
	/* Elements and bytes of one element. bcast, reduce, allreduce, scan, exscan: of the whole buffer (send side). gather, scatter, allgather,
	 * alltoall: of one block; send side and receive side (equal in a correct program). */
	int64_t count, count2;
	int64_t type_size, type_size2;
	/* Vector forms, elements per rank (NULL otherwise): gatherv, allgatherv, reduce_scatter: counts2 = receive counts, known to
	 * all ranks of allgatherv and reduce_scatter, to the root of gatherv; scatterv: counts at the root; alltoallv: own counts, counts2. */
	const int64_t *counts, *counts2;
	uint8_t commutative, in_place;
	uint8_t basic_type; /* a predefined datatype */
};

enum coll_buf { BUF_SEND, BUF_RECV, BUF_TMP, BUFS };
enum coll_step_kind { STEP_SEND, STEP_RECV, STEP_ISEND, STEP_IRECV, STEP_WAITALL, STEP_REDUCE, STEP_COPY };
struct coll_step {
	uint8_t kind; /* enum coll_step_kind */
	uint8_t buf;  /* enum coll_buf: data sent, received into, reduced into, copied to */
	uint8_t src_buf;       /* REDUCE, COPY: operand read */
	uint8_t reduce_left;   /* REDUCE: 1: dst = src op dst (src is of lower ranks); 0: dst = dst op src */
	uint32_t peer;         /* rank in the communicator */
	int64_t off, src_off, len;
};

enum { COLL_STEPS_MAX = 16, COLL_END = -1 };
struct coll_steps {
	struct coll_step s[COLL_STEPS_MAX];
	uint32_t n;
};

/* Appends the steps of this round to *out (which is empty); returns 0, or COLL_END when rank has no such round and none after. A round may be
 * empty. */
typedef int coll_round_fn(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out);

/* An algorithm may be a chain of phases, each a collective of its own on transformed arguments (allreduce = reduce to 0, then bcast). */
enum { COLL_PHASES_MAX = 4 };
struct coll_phase {
	coll_round_fn *round;
	/* Arguments of this phase from those of the whole (NULL: the same). Buffers keep their names over phases. */
	void (*args)(const struct coll_args *whole, uint32_t rank, struct coll_args *phase);
};
struct coll_alg {
	enum coll_kind kind;
	const char *name;    /* "binomial_tree": SimGrid's name where it has one */
	const char *source;  /* paper, library, section */
	const char *cost;    /* its cost formula in L (latency), B (bandwidth), p, n */
	struct coll_phase phase[COLL_PHASES_MAX]; /* up to the first with a NULL round */
	/* Bytes of BUF_TMP that rank needs (NULL: none). */
	int64_t (*tmp_bytes)(const struct coll_args *a, uint32_t rank);
	uint8_t needs_commutative;
	/* NULL, or why it cannot run with these arguments (then a selector falls back and says so). */
	const char *(*refuses)(const struct coll_args *a);
};
extern const struct coll_alg *const coll_algs[]; /* NULL-terminated; the order breaks ties */
const struct coll_alg *coll_alg_find(enum coll_kind k, const char *name); /* NULL if unknown */
/* The nonblocking form's algorithm (SimGrid: linear, whatever the selector). */
const struct coll_alg *coll_alg_nonblocking(enum coll_kind k, const struct coll_args *a);

/* Selectors: a function of operation, sizes, shape. */
struct coll_selector {
	const char *name;
	const char *help;
	const struct coll_alg *(*choose)(const struct coll_args *a);
};
extern const struct coll_selector *const coll_selectors[]; /* NULL-terminated */

/* The verifier: runs all ranks of one call on symbolic data with zero eager threshold (sends wait for their receives) and checks that it
 * ends, that no message is left, that every rank's receive buffer holds exactly what MPI says, each contribution once (in rank order when
 * the operator is not commutative). 0, or -1 with the first difference. */
int coll_verify(const struct coll_alg *alg, const struct coll_args *args_by_rank, struct err *err);

#endif
