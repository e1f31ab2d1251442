/* coll.h: collective algorithms as pure functions.
 *
 * An algorithm is a function of (arguments, rank, round) to a short list of steps. It has no state
 * and no callbacks; asked twice, it answers the same. One executor runs it (coll_exec.c: sizes only
 * in replay, data in live runs), one verifier proves on symbolic data that it performs the
 * collective (verify/verify.c). Blocking and non-blocking forms are the same function. Linear
 * algorithms use one round per partner, so that lists stay short whatever the size of the
 * communicator. Why so: docs/decisions/0010-collectives-as-step-lists.md.
 *
 * Who runs an algorithm calls coll_next() until it returns COLL_END and performs the steps in
 * order:
 *   SEND, RECV    block; ISEND, IRECV post a request, known in this collective by the number `req`
 *   WAIT          waits for the outstanding request `req`
 *   WAITALL       waits for all that is outstanding, completing in the order of arrival
 *                 (MPI_Waitall)
 *   FILE          an access to the storage of the call's file: file.c's algorithms alone have it
 *   REDUCE, COPY  act on memory; in replay their operands need not exist
 * Requests stay outstanding over rounds; an algorithm ends with none. A sendrecv is ISEND, IRECV,
 * WAITALL (SMPI's order of posting). All messages of one collective carry one tag: between two
 * ranks they match in order. Offsets and lengths are bytes.
 *
 * Buffers hold packed data (SimGrid's packed size for derived types), vector forms without gaps in
 * rank order: who has it otherwise packs it before and unpacks it after. In place is his affair
 * too: he gives as send buffer a copy of what coll_in_place() says, as SMPI does, and no algorithm
 * sees the difference. bcast reads and writes BUF_RECV at all ranks, the root included. */
#ifndef ORRERY_COLL_H
#define ORRERY_COLL_H

#include "base/base.h"

#include <stdint.h>

enum coll_kind {
	COLL_BARRIER,
	COLL_BCAST,
	COLL_REDUCE,
	COLL_ALLREDUCE,
	COLL_GATHER,
	COLL_GATHERV,
	COLL_SCATTER,
	COLL_SCATTERV,
	COLL_ALLGATHER,
	COLL_ALLGATHERV,
	COLL_ALLTOALL,
	COLL_ALLTOALLV,
	COLL_ALLTOALLW,
	COLL_REDUCE_SCATTER,
	COLL_REDUCE_SCATTER_BLOCK,
	COLL_SCAN,
	COLL_EXSCAN,
	/* Neighbourhood collectives: blocks are for or of neighbours, not ranks. */
	COLL_NEIGHBOR_ALLGATHER,
	COLL_NEIGHBOR_ALLGATHERV,
	COLL_NEIGHBOR_ALLTOALL,
	COLL_NEIGHBOR_ALLTOALLV,
	COLL_NEIGHBOR_ALLTOALLW,
	COLL_KINDS
};
const char *coll_kind_name(enum coll_kind k);    /* "bcast" */
enum coll_kind coll_kind_find(const char *name); /* COLL_KINDS if unknown */

struct coll_alg;
struct coll_selector;
struct coll_rules; /* a tuning file of a real library, read (rules/rules.h) */
const char *coll_rules_path(const struct coll_rules *r); /* the file's name; the file owns it */

/* What the user has chosen: a selector, and for some operations another one or one algorithm (NULL:
 * as the selector says). All zero is the selector "default". */
struct coll_policy {
	const struct coll_selector *selector, *selectors[COLL_KINDS];
	const struct coll_alg *fixed[COLL_KINDS];
	const struct coll_rules *rules,
	    *rules_of[COLL_KINDS]; /* of the selector "file", where that is chosen */
	struct coll_rules *owned;  /* all that were read, linked */
};
/* Sets the choice for one operation by the name of an algorithm or a selector, or "file:PATH"
 * (--cfg smpi/bcast:name); ERR_INPUT names those that exist. */
int coll_policy_set(struct coll_policy *p, enum coll_kind k, const char *name, struct err *err);
/* The same for all operations that have no choice of their own: a selector, or "file:PATH". */
int coll_policy_select(struct coll_policy *p, const char *name, struct err *err);
/* What the settings say: smpi/coll-selector, and smpi/<operation> where given. The policy is to be
 * released, after an error too. */
int coll_policy_read(struct coll_policy *p, const struct config *cfg, struct err *err);
void coll_policy_release(struct coll_policy *p);

/* Where the ranks of a communicator run: which share a host. Hosts are numbered in the order of
 * their lowest ranks, their leaders. */
struct coll_shape {
	uint32_t nodes;
	uint32_t per_node;      /* ranks on each host, if all have as many; else 0 */
	uint32_t *node, *local; /* of each rank: its host, its place among the host's ranks */
	uint32_t *first;        /* of each host, and one more: where its ranks begin in member */
	uint32_t *member;       /* ranks, host by host, rising */
	uint32_t *leader;       /* of each host */
	uint8_t blocked;        /* the ranks of each host are consecutive */
};
/* host[i]: any name of the host of rank i (copied). */
int coll_shape_init(struct coll_shape *s, const uint32_t *host, uint32_t p, struct err *err);
void coll_shape_release(struct coll_shape *s);

/* Roots of calls on intercommunicators: this rank (MPI_ROOT); another of its group (MPI_PROC_NULL).
 * Else, the rank in the other group. */
enum { COLL_ROOT = 0xfffffffdu, COLL_NO_ROOT = 0xfffffffeu };

enum { COUNTS_UNCHECKED = 1, OPERATOR_UNCHECKED = 2 };
enum coll_types { TYPES_UNKNOWN, TYPES_INTEGER, TYPES_REAL, TYPES_COMPLEX };
const char *coll_types_text(uint8_t t); /* "integers" */

/* One rank's view of the call. Zero what is unused. */
struct coll_args { /* without holes, so that two can be compared as bytes (task.c) */
	enum coll_kind kind;
	uint32_t size; /* ranks of the communicator, p */
	uint32_t root; /* or COLL_ROOT, COLL_NO_ROOT */
	/* Intercommunicators (inter.c): ranks below `split` are one group, the others the other
	 * one; 0: there is one group only. */
	uint32_t split;
	/* Elements and bytes of one element. bcast, reduce, allreduce, scan, exscan: of the whole
	 * buffer (send side). gather, scatter, allgather, alltoall: of one block; send side and
	 * receive side: the bytes equal in a correct program, each rank's elements its own.
	 * reduce_scatter_block: of one block (send side). Vector forms: of this rank's own block,
	 * where it has one. bcast and reductions are cut by elements: the pair is the same at all
	 * ranks, and who has a broadcast of several gives all the same one (coll_order.c). */
	int64_t count, count2;
	int64_t type_size, type_size2;
	/* Vector forms, elements per rank (NULL otherwise): gatherv, allgatherv, reduce_scatter:
	 * counts2 = receive counts, known to all ranks of allgatherv and reduce_scatter, to the
	 * root of gatherv; scatterv: counts at the root; alltoallv: own counts, counts2; alltoallw:
	 * bytes, with type sizes 1. */
	const int64_t *counts, *counts2;
	/* Their sums before each rank, in elements, from who has them at hand; NULL: added up where
	 * needed, p steps each time. */
	const int64_t *displs, *displs2;
	int64_t least2, most2; /* of counts2, if `counted` */
	/* Neighbourhood collectives: this rank's neighbours in MPI's order: ranks of the
	 * communicator, or -2 (MP_PROC_NULL); of a grid one list for both, below and above in each
	 * dimension. Who calls mp_collective says with the numbers for how many its counts are. */
	const int32_t *sources, *destinations;
	uint32_t n_sources, n_destinations;
	const struct coll_shape *shape; /* NULL: every rank has its own host */
	/* for algorithms made of "the selected" others; NULL: selector "default" */
	const struct coll_policy *policy;
	/* for composed algorithms: what a phase's arguments function decided */
	const struct coll_alg *chosen;
	const int64_t *each; /* collective accesses to files: bytes of each rank, once all have
	                        called; the caller's (file.c) */
	/* What a tuning file gives an algorithm that has such a parameter: bytes of a segment
	 * (COLL_WHOLE: no segments), and its k: children of a node, columns of chains, radix,
	 * requests at a time. 0: the algorithm's own. A phase that is a collective of its own does
	 * not inherit them. */
	int64_t segment;
	/* allgather, allgatherv, whose ranks may have a type each: bytes of the element by which
	 * all cut what is received; 0: type_size2. */
	int64_t element;
	/* Which operator it is, by an address that is the same for the same one; NULL: not known.
	 * It is only compared with what others give. */
	const char *operator_name;
	uint32_t fanout;
	uint32_t repeat; /* in the phases of a repeated chain: which time, from 0 */
	uint8_t commutative, in_place;
	uint8_t basic_type; /* a predefined datatype */
	uint8_t flat;  /* part of a node-aware algorithm: all ranks on one host, or one of each;
	                  node-aware ones are not for it */
	uint8_t types; /* enum coll_types: what the elements are, where that can be compared with
	                  what others give */
	uint8_t unchecked;    /* COUNTS_, OPERATOR_: not the program's own words, and not to be
	                         compared with those of others */
	uint8_t own_operator; /* the program's own, whose time is known: rates of reductions are
	                         not for it */
	uint8_t null_op;      /* replayed without its operator (MPI_OP_NULL in SimGrid's replay) */
	uint8_t counted;      /* coll_args_count has been here */
	uint8_t sizes_only; /* nobody reads offsets (replay): those that cost time to compute may be
	                       left 0 */
	uint8_t compat;     /* compat:simgrid-3.32 */
};

#define COLL_WHOLE INT64_MAX

/* BUF_TOKEN is bytes that matter only by coming: what is sent from it is anything, what is received
 * into it is dropped. */
enum coll_buf { BUF_SEND, BUF_RECV, BUF_TMP, BUF_TOKEN, BUFS };
enum coll_step_kind {
	STEP_SEND,
	STEP_RECV,
	STEP_ISEND,
	STEP_IRECV,
	STEP_WAIT,
	STEP_WAITALL,
	STEP_REDUCE,
	STEP_COPY,
	STEP_FILE
};
struct coll_step {
	uint8_t kind;        /* enum coll_step_kind */
	uint8_t buf;         /* enum coll_buf: data sent, received into, reduced into, copied to */
	uint8_t src_buf;     /* REDUCE, COPY: operand read */
	uint8_t reduce_left; /* REDUCE: 1: dst = src op dst (src is of lower ranks); 0: dst = dst op
	                        src */
	uint32_t peer;       /* rank in the communicator */
	uint32_t req; /* ISEND, IRECV: number given to the request; WAIT: the one waited for */
	uint32_t n;   /* COPY: pieces of len bytes, the i-th at off + i*stride from src_off +
	                 i*src_stride; FILE: what; otherwise 1 */
	int64_t off, src_off, len;
	int64_t stride, src_stride;
};

enum { COLL_STEPS_MAX = 16, COLL_END = -1, COLL_DEPTH_MAX = 8 };
struct coll_steps {
	struct coll_step s[COLL_STEPS_MAX];
	uint32_t n;
};

/* Where one rank is in an algorithm; all zero at the start. */
struct coll_cursor {
	uint32_t round, repeat;
	uint8_t phase[COLL_DEPTH_MAX];
};
/* The next steps of rank: sets *out (perhaps to no step) and advances *c; returns 0, or COLL_END
 * when nothing is left. */
int coll_next(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
              struct coll_cursor *c, struct coll_steps *out);
/* Looks at all of counts2 once, where algorithms would in each round. Not between two groups. */
void coll_args_count(struct coll_args *a);
/* How many rounds that are alike (coll_alg.alike) begin with the one that *c is before, where all
 * ranks of the call take part in them; else 0. */
uint32_t coll_alike(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
                    const struct coll_cursor *c);
/* Bytes of BUF_TMP that rank needs, and of the buffers that a correct call gives. */
int64_t coll_tmp_bytes(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank);
int64_t coll_send_bytes(const struct coll_args *a, uint32_t rank);
int64_t coll_recv_bytes(const struct coll_args *a, uint32_t rank);
/* What the send buffer of an in-place call is a copy of: *len bytes at *off of the receive buffer.
 * len 0: nothing (no in-place form, or this rank's argument is not MPI_IN_PLACE in it: only the
 * root's is in reduce and gather). scatter's root, who gives no receive buffer, needs no copy
 * either: its block ends in one nobody reads. */
void coll_in_place(const struct coll_args *a, uint32_t rank, int64_t *off, int64_t *len);

/* What writes an algorithm. Appends the steps of this round to *out (which is empty); returns 0, or
 * COLL_END when rank has no such round and none after. A round may be empty. */
typedef int coll_round_fn(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out);

/* Where a phase's ranks and buffers are in those of the whole. Starts as the identity. */
struct coll_view {
	uint32_t rank; /* the caller's, in the phase */
	uint32_t peer0,
	    peer_stride;       /* rank i of the phase is rank peer0 + i*peer_stride of the whole */
	const uint32_t *peers; /* or, if not NULL, rank peers[i] */
	uint8_t buf[BUFS];
	int64_t off[BUFS];
};

/* An algorithm may be a chain of phases, each a collective of its own on transformed arguments
 * (allreduce = reduce to 0, then bcast). */
enum { COLL_PHASES_MAX = 8 };
struct coll_phase {
	/* The algorithm; or what choose says, of the phase's arguments, all ranks the same; or
	 * what the user's policy says. */
	const struct coll_alg *alg;
	const struct coll_alg *(*choose)(const struct coll_args *phase);
	uint8_t selected;
	/* Makes the phase's arguments and view from those of the whole (both come in as copies of
	 * the whole's); returns 0 when rank takes no part. NULL: the same. */
	int (*args)(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
	            struct coll_view *view);
};
struct coll_alg {
	enum coll_kind kind;
	const char *name;   /* "binomial_tree": SimGrid's name where it has one */
	const char *source; /* paper, library, section */
	const char *cost; /* on the critical path: L latency, B bandwidth, p ranks, n bytes in all,
	                     m bytes of a block, s of a segment */
	coll_round_fn *round;                           /* or, if NULL, */
	struct coll_phase phase[COLL_PHASES_MAX];       /* up to the first with none of the three */
	uint32_t (*repeats)(const struct coll_args *a); /* the chain is walked so many times (NULL:
	                                                   once); not inside another such chain */
	/* Bytes of BUF_TMP used by rounds here, or by views on it (NULL: none). Those of the phases
	 * come on top. */
	int64_t (*tmp_bytes)(const struct coll_args *a, uint32_t rank);
	uint8_t needs_commutative;
	/* Its segments go one way, down trees or up: what a rank receives depends on nothing that
	 * it has sent, but for a bounded number of messages. */
	uint8_t one_way;
	uint8_t skips_empty; /* without elements it returns at once, as its library does: no empty
	                        messages */
	/* NULL, or, of a ring: how many rounds are alike from this one on, which is the first such;
	 * else 0. Alike: in each pair of rounds a rank exchanges as many messages of about the same
	 * bytes with its neighbours on the ring, under the same numbers of requests. Not of round
	 * 0. */
	uint32_t (*alike)(const struct coll_args *a, uint32_t round);
	/* NULL, or why it cannot run with these arguments. Then `instead` is taken (what the
	 * library that it comes from runs there; NULL: the default one), and the choice says so. */
	const char *(*refuses)(const struct coll_args *a);
	const struct coll_alg *instead;
	/* NULL, or what is wrong with it: it is here to reproduce a peer's behaviour, and only
	 * compat selects it. The verifier must find it wrong. */
	const char *defect;
};
extern const struct coll_alg *const coll_algs[]; /* NULL-terminated; the order breaks ties */
const struct coll_alg *coll_alg_find(enum coll_kind k, const char *name); /* NULL if unknown */
/* The nonblocking form's algorithm (SimGrid: linear, whatever the selector). */
const struct coll_alg *coll_alg_nonblocking(enum coll_kind k, const struct coll_args *a);
/* On an intercommunicator (args.split; alg/inter.c); NULL: there is no such collective. */
const struct coll_alg *coll_inter_alg(enum coll_kind k);
/* NULL, or why alg cannot run with these arguments. */
const char *coll_alg_refuses(const struct coll_alg *alg, const struct coll_args *a);

/* Which algorithm a call uses, and why. */
struct coll_choice {
	const struct coll_alg *alg;
	int64_t segment; /* as in coll_args */
	uint32_t fanout;
	const struct coll_selector *selector; /* who chose; NULL: the user fixed it */
	const struct coll_rules *rules;       /* if a rule of a file did: the file, */
	uint32_t line;                        /* and the line */
	/* what was chosen first, if alg stands in for it; else NULL */
	const struct coll_alg *wanted;
	const char *refused; /* why it could not run */
};

/* Selectors: a function of operation, sizes, shape. */
struct coll_selector {
	const char *name;
	const char *help;
	const struct coll_alg *(*choose)(const struct coll_args *a);
	/* Instead of choose, by those that give parameters: sets alg, segment, fanout, rules and
	 * line. */
	void (*decide)(const struct coll_args *a, struct coll_choice *out);
	/* its library returns from a call without elements before it decides */
	uint8_t skips_empty;
};
extern const struct coll_selector
    *const coll_selectors[]; /* NULL-terminated; the first is "default" */
const struct coll_selector *coll_selector_find(const char *name); /* NULL if unknown */
extern const struct coll_selector coll_selector_automatic; /* who runs the program measures first */
/* The choice for a blocking call, by a->policy. */
struct coll_choice coll_decide(const struct coll_args *a);
/* The choice for this call in words, for people: "rab_rdb, chosen by the selector mpich"; which
 * rule of which file; segments; what was wanted and why it could not be; what it is made of.
 * Appends to *out, without newline. */
void coll_choice_explain(const struct coll_choice *c, const struct coll_args *a, struct str *out);
/* What an algorithm made of others runs in this call, as far as these are algorithms of the table:
 * "bcast binomial_tree, reduce binomial", or nothing. So also the one that it leaves the call to (a
 * ring of fewer elements than ranks, levels where hosts differ). Into *out, which is empty. */
void coll_parts(const struct coll_alg *alg, const struct coll_args *a, struct str *out);
/* coll_decide's algorithm; *why (may be NULL): why the one wanted could not run, or NULL. */
const struct coll_alg *coll_choose(const struct coll_args *a, const char **why);
/* The same for what an MPI library does inside a call of another kind: where nobody but the
 * selector "default", which is no library's, would decide, this one of a library does. */
const struct coll_alg *coll_choose_as(const struct coll_args *a,
                                      const struct coll_selector *library);

/* The verifier: runs all ranks of one call on symbolic data with zero eager threshold (sends wait
 * for their receives) and checks that it ends, that no message is left, that every rank's receive
 * buffer holds exactly what MPI says, each contribution once (in rank order when the operator is
 * not commutative). 0, or -1 with the first difference. */
int coll_verify(const struct coll_alg *alg, const struct coll_args *args_by_rank, struct err *err);

#endif
