/* star.h: zones where each host has a way up to a centre and a way down from it: routing="Cluster"
 * and routing="Vivaldi". */
#ifndef ORRERY_PLATFORM_STAR_H
#define ORRERY_PLATFORM_STAR_H

#include "platform/platform_int.h"

/* What <cabinet> says besides its hosts: a private link each way. */
struct cabinet_spec {
	double bw, lat;
};

int star_init(struct build *b, struct zone *z, struct err *err);
void star_release(struct zone *z);
/* <host_link>: resolved at the end of the zone, for the host and links may follow. */
int star_add_host_link(struct build *b, struct zone *z, const char *host, const char *up,
                       const char *down, struct place at, struct err *err);
/* The block of hosts added last becomes a cabinet. */
int star_add_cabinet(struct zone *z, const struct host_block *hosts,
                     const struct cabinet_spec *spec, struct err *err);
/* The last one of a zone counts. */
int star_set_backbone(struct build *b, struct zone *z, const char *name,
                      const struct link_info *info, struct place at, struct err *err);
int star_add_spoke(struct zone *z, uint32_t host, struct link_id up, struct link_id down,
                   struct err *err);
int star_walk(struct walk *w, const struct zone *z, struct point a, struct point b);

#endif
