/* reader.h: what the files that read SimGrid's format share: read_simgrid.c (frame and dispatch),
 * read_values.c, read_resources.c, read_cluster.c, read_routes.c. */
#ifndef ORRERY_PLATFORM_READER_H
#define ORRERY_PLATFORM_READER_H

#include "platform/schema.h"

/* A <link_ctn>: the link one way, and the other way. */
struct ctn {
	struct link_id there, back;
};

struct setting {
	const char *key, *value;
	struct place at;
};

struct reader {
	struct build b;
	int begun;                /* the settings are complete: resources follow */
	uint64_t noticed;         /* elements of which a notice was given */
	struct setting *settings; /* of the <config> being read */
	uint32_t settings_n, settings_cap;
	struct declared route; /* the <route> being read, and its links */
	struct ctn *ctn;
	uint32_t ctn_n, ctn_cap;
	struct prop **props; /* where a <prop> of the element being read goes, or NULL: nowhere */
};

/* read_values.c: the value of an attribute of the current tag in base units; errors name tag, attribute and place. */
int value_read(const struct xml *x, const char *attr, enum unit_kind kind, double *out, struct err *err);
/* Zero when the attribute is empty or not there; negative values are refused. */
int value_read_optional(const struct xml *x, const char *attr, enum unit_kind kind, double *out, struct err *err);
int value_read_speed(const struct xml *x, uint32_t pstate, double *out, struct err *err); /* one item of the list "speed" */
int value_read_int(const struct xml *x, const char *attr, int64_t min, int64_t max, int64_t *out, struct err *err);
/* NULL in *out when empty; else three numbers in the arena. */
int value_read_coords(const struct xml *x, struct arena *a, const double **out, struct err *err);
int value_read_cores(const struct xml *x, struct host_info *info, struct err *err);
int value_refuse_profiles(const struct xml *x, struct err *err); /* availability files and initial states */
int value_refuse(const struct xml *x, const char *attr, const char *why, struct err *err); /* when the attribute is not empty */

typedef int reader_fn(struct reader *r, struct xml *x, struct err *err);
reader_fn read_host, read_peer, read_router, read_link;
reader_fn read_cluster, read_cabinet, read_host_link, read_backbone;
reader_fn read_route, read_zone_route, read_link_ctn, read_route_end;
reader_fn read_bypass_route, read_bypass_zone_route, read_bypass_end;
/* Notes that the element (or what `why` names of it) changes nothing here; once per element name. */
int reader_notice(struct reader *r, const struct xml *x, int element, const char *why, struct err *err);

#endif
