/* nodes.h: the machine that a PSINS description describes: nodes with links to busses, as a zone
 * (zone_nodes.c) made by its reader (read_psins.c).
 *
 * A node is one host, or one host for each run of processors of equal speed. */
#ifndef ORRERY_PLATFORM_NODES_H
#define ORRERY_PLATFORM_NODES_H

#include "platform/platform_int.h"

/* What a line "Node" says. */
struct node_spec {
	uint32_t cores, in, out; /* in, out: links from and to the busses; 0: no limit */
	double local_bw, local_lat;
	double *ratio;   /* speed of each processor, relative to the base system's; the last one is
	                    that of the rest */
	uint32_t ratios; /* at least 1 */
	struct prop *props;
	struct place at;
};

struct nodes {
	uint32_t n;
	uint32_t *spec;       /* of each node: index in specs */
	uint32_t *first_host; /* of each node, and one more; counted from the zone's first */
	struct node_spec *specs;
	double bw, lat;    /* of one bus, and of the links; bw 0: no limit */
	uint32_t busses;   /* 0: no limit */
	double base_speed; /* of a processor of the base system */
};

extern const struct zone_kind zone_nodes;

/* The zone with its hosts and links; m's arrays live in the arena. */
int nodes_make(struct build *b, const struct nodes *m, struct err *err);
/* End of the run of processors of equal ratio that begins with processor `from`. */
uint32_t node_run_end(const struct node_spec *s, uint32_t from);

#endif
