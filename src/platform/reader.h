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

/* A <trace_connect>. */
struct connection {
	enum profile_kind kind;
	uint32_t trace; /* index of its profile */
	const char *element;
	struct place trace_at, at;
};

struct reader {
	struct build b;
	int begun;                /* the settings are complete: resources follow */
	uint64_t noticed;         /* elements of which a notice was given */
	int idle_told;            /* that a host of speed 0 computes nothing */
	struct setting *settings; /* of the <config> being read */
	uint32_t settings_n, settings_cap;
	struct hash_str settings_seen; /* of any <config> */
	struct declared route;         /* the <route> being read, and its links */
	struct ctn *ctn;
	uint32_t ctn_n, ctn_cap;
	struct hash_str profile_files, trace_ids; /* name -> index of the profile */
	struct hash64 profiled; /* kind << 32 | target -> place in platform.profile_uses */
	struct profile *trace;  /* of the <trace> being read; NULL: it is in a file */
	struct str trace_text;
	struct place trace_at; /* where its text begins */
	double trace_period;
	struct connection *connections;
	uint32_t connections_n, connections_cap;
	struct prop **props; /* where a <prop> of the element being read goes, or NULL: nowhere */
	struct prop *disk_props,
	    **host_props; /* those of the <disk> being read, and where its host's go */
};

/* read_values.c: the value of an attribute of the current tag in base units; errors name tag,
 * attribute and place. */
int value_read(const struct xml *x, const char *attr, enum unit_kind kind, double *out,
               struct err *err);
/* Zero when the attribute is empty or not there; negative values are refused. */
int value_read_optional(const struct xml *x, const char *attr, enum unit_kind kind, double *out,
                        struct err *err);
/* Seconds: in compat as SimGrid rounds them. */
int value_read_time(const struct reader *r, const struct xml *x, const char *attr, double *out,
                    struct err *err);
int value_read_time_optional(const struct reader *r, const struct xml *x, const char *attr,
                             double *out, struct err *err);
/* One item of the list "speed"; least: 0, or 1 where it cannot be 0. */
int value_read_speed(const struct reader *r, const struct xml *x, uint32_t pstate, int least,
                     double *out, struct err *err);
int value_read_int(const struct xml *x, const char *attr, int64_t min, int64_t max, int64_t *out,
                   struct err *err);
/* NULL in *out when empty; else three numbers in the arena. */
int value_read_coords(const struct xml *x, struct arena *a, const double **out, struct err *err);
int value_read_cores(const struct xml *x, struct host_info *info, struct err *err);
int value_refuse(const struct xml *x, const char *attr, const char *why,
                 struct err *err); /* when the attribute is not empty */

/* read_profiles.c: the profile that an attribute names, if it does, becomes that of a host or
 * link. */
int profile_read(struct reader *r, const struct xml *x, const char *attr, enum profile_kind kind,
                 uint32_t target, struct err *err);
int profile_read_state(struct reader *r, const struct xml *x, enum profile_kind kind,
                       uint32_t target, struct err *err); /* state_file, or state of version 3 */
int profile_read_host(struct reader *r, const struct xml *x, uint32_t host,
                      struct err *err); /* all of a host's or peer's */
/* Of a cluster of version 3: the hosts added last, each with the file of its number. */
int profiles_read_cluster(struct reader *r, const struct xml *x, const char *attr,
                          enum profile_kind kind, struct err *err);
int read_trace_text(struct reader *r, const struct xml *x, const char *s, size_t n,
                    struct err *err);
int profiles_connect(struct reader *r, struct err *err); /* at the end of the file */

typedef int reader_fn(struct reader *r, struct xml *x, struct err *err);
reader_fn read_host, read_peer, read_router, read_link, read_disk, read_disk_end;
reader_fn read_cluster, read_cabinet, read_host_link, read_backbone;
reader_fn read_route, read_zone_route, read_link_ctn, read_route_end;
reader_fn read_trace, read_trace_end, read_trace_connect;
reader_fn read_bypass_route, read_bypass_zone_route, read_bypass_end;
/* Notes that the element (or what `why` names of it) changes nothing here; once per element
 * name. */
int reader_notice(struct reader *r, const struct xml *x, int element, const char *why,
                  struct err *err);

#endif
