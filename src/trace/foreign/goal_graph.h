/* goal_graph.h: a GOAL schedule: operations of each rank, and what each waits for. */
#ifndef ORRERY_TRACE_GOAL_GRAPH_H
#define ORRERY_TRACE_GOAL_GRAPH_H

#include "foreign.h"

enum goal_kind { GOAL_SEND = 1, GOAL_RECV = 2, GOAL_CALC = 3 };

/* Kinds above GOAL_CALC are LogGOPSim 2's, of Portals 4 and gem5, by their words; NULL: no kind.
 * Their counters and handlers work in the network interface, which a rank of MPI does not see. */
const char *goal_portals(unsigned kind);
extern const char goal_portals_remedy[];

struct goal_node {
	uint8_t kind, cpu, nic;
	uint8_t issued, done; /* done: its end is known to be past */
	uint8_t over;         /* a message that has met its other side (goal_order.c) */
	uint8_t seen;
	uint8_t comm;      /* of a message: index in foreign.comms */
	int32_t peer, tag; /* TRACE_ANY */
	int64_t size;      /* bytes; ns */
	uint32_t waits;    /* edges into it that hold it back */
	uint32_t unissued; /* of these, from operations that were not started */
	uint32_t ends,
	    starts; /* edges out of it: where they begin in graph.out, by what they wait for */
	uint32_t n_ends, n_starts;
};
struct goal_edge {
	uint32_t from, to;
	uint8_t start; /* waits for the start of `from`, else for its end */
};
struct goal_graph {
	struct goal_node *node;
	uint32_t n, cap;
	struct goal_edge *edge;
	uint32_t n_edges, cap_edges;
	void *work; /* of its sequence */
	size_t work_bytes;
	struct goal_order *order; /* of the graph that the reader fills: all ranks so far */
	uint8_t together;         /* a rank has a choice */
	struct goal_named *named; /* of the same: a rank receives of any tag (goal_named.c) */
};
/* A send to one of two ranks, which the schedule has not, is a mark of htsim's: it tells the date
 * at which it may start, and sends nothing. It becomes a computation that takes no time (noted). */
int goal_is_mark(uint32_t ranks, unsigned kind, uint64_t peer);
extern const char goal_mark_note[];
int goal_mark(struct foreign *f, struct goal_node *node, struct err *err);
int goal_node_add(struct goal_graph *g, const struct goal_node *node, struct err *err);
int goal_edge_add(struct goal_graph *g, uint32_t from, uint32_t to, int start, struct err *err);
void goal_graph_clear(struct goal_graph *g);
void goal_graph_release(struct goal_graph *g);
/* The graph is one rank's; it is empty then. 0; 1: all ranks are to be read again, from the first
 * on, with what is known of them now; -1. */
int goal_graph_put(struct foreign *f, uint32_t rank, struct goal_graph *g, struct err *err);
/* All ranks are there: puts the events of each in an order that its edges allow. 0; 1: as above;
 * -1.
 */
int goal_graph_end(struct foreign *f, struct goal_graph *g, struct err *err);

/* What becomes of a rank that was read, or of all; or -1. */
enum { GOAL_PUT = 0, GOAL_AGAIN = 1, GOAL_COUNTED = 2 };
int goal_named_rank(struct foreign *f, uint32_t rank, struct goal_graph *g, struct err *err);
int goal_named_end(struct foreign *f, struct goal_graph *g, struct err *err);
void goal_named_free(struct goal_named *a);

#endif
