/* network_cabinets_int.h: what the files of cabinets share. */
#ifndef ORRERY_CALIBRATE_NETWORK_CABINETS_INT_H
#define ORRERY_CALIBRATE_NETWORK_CABINETS_INT_H

#include "network.h"

enum { HOSTS_MOST = NET_HOSTS, FLOWS_MOST = 128, MESSAGES_MOST = 16, BLOCKS_MOST = 200 };
/* A cabinet's link is looked for from a tenth of what one host's has, where the search begins (by
 * choice), to that of all hosts. */
#define CAPACITY_LEAST 0.1
/* Logarithms by which hosts that all send at once may be slower than one alone: not much, and how
 * much is scatter: by choice, about three times what is not believed to be a difference
 * (criterion). */
#define SLOWER_MOST 0.1

struct flow {
	int a, b; /* hosts */
	double log_rate;
	double arrival[MESSAGES_MOST], size;
	int messages;
};
struct block {
	uint32_t first, n; /* of flows */
};
struct seeking {
	struct flow *flow;
	struct block *block;
	uint32_t flows, blocks;
	int hosts;
	uint64_t left_out; /* hosts whose flows are there, and who are not asked for: bits */
	double *off;       /* work space, by flow */
	double single; /* logarithm of the rate of a flow that was alone, the fastest; -infinity:
	                  none was */
};
struct parted {
	int of[HOSTS_MOST], n;
	double capacity; /* of a cabinet's link, each way, in rates of a host */
	double alone;    /* bytes/s of a flow that nothing limits but its hosts */
	double squares, criterion;
};

/* network_cabinets_flows.c: rows NET_LOAD between hosts, those of a block together, of a flow
 * together and by arrival; the caller frees them. NULL: *err says why. */
struct net_row *cabinets_rows_take(const struct net_raw *raw, uint32_t *n, struct err *err);
/* Where the block ends that begins at `first`. */
uint32_t cabinets_block_end(const struct net_row *row, uint32_t first, uint32_t n);
/* s->flow, block, off, which the caller frees. -1: *err says why. */
int cabinets_flows_read(struct seeking *s, const struct net_raw *raw, struct err *err);

/* network_cabinets_weigh.c: what of each flow a partition does not explain, with this capacity
 * (s->off): the sum of squares. Sets p->capacity, alone. */
double cabinets_squares(struct seeking *s, struct parted *p, double capacity);
/* With the best capacity from lo to hi, sets squares and criterion. */
void cabinets_weigh(struct seeking *s, struct parted *p, double lo, double hi);
/* With one near that of a partition that differs by one or two hosts: good enough to compare. */
void cabinets_weigh_near(struct seeking *s, struct parted *q, double capacity);
/* Numbers cabinets by their first host. */
void cabinets_renumber(struct parted *p, int hosts);

/* network_cabinets_search.c: the best partition, and the best that is another one. */
void cabinets_search(struct seeking *s, struct parted *best, struct parted *other);

/* network_cabinets_hosts.c: warnings of hosts that are slow beside a partition. */
int cabinets_hosts_look(const struct net_raw *raw, struct seeking *s, const struct parted *found,
                        struct str *warnings, struct err *err);

#endif
