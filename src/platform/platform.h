/* platform.h: the face of the platform room: the machine at rest. Hosts, links, and the route
 * between any two hosts; immutable once built; knows no time.
 *
 * Hosts and links are dense 32-bit ids. Regular topologies do not store their links or routes: they
 * compute them (a fat tree of a million hosts takes a few hundred bytes), so a link's description
 * is always asked for by id. */
#ifndef ORRERY_PLATFORM_H
#define ORRERY_PLATFORM_H

#include "base/base.h"

#include <stdint.h>

struct platform;

struct host_id {
	uint32_t v;
};
struct link_id {
	uint32_t v;
};

enum link_policy { LINK_SHARED, LINK_FATPIPE };

struct host_info {
	double speed; /* of one core, flop/s (or instructions/s: whatever the trace counts) */
	uint32_t cores;
};
struct link_info {
	double bandwidth; /* bytes/s */
	double latency;   /* s */
	enum link_policy policy;
};

/* machine: a file (SimGrid XML, versions 1 to 4, or a machine description of PSINS: told by its
 * content), or a name of the catalogue (looked up in ORRERY_DATA, the source tree and the installed
 * share/orrery/machines). The platform's <config> settings are put into cfg with CFG_FROM_PLATFORM
 * before anything is built, for some of them decide routes (network/loopback-*, compat). One line
 * per construct that was accepted but changes nothing goes to cfg->notices. Errors have file, line
 * and column. Returns NULL on error. */
struct platform *platform_read(const char *machine, struct config *cfg, struct err *err);
void platform_free(struct platform *p);
/* Calls each() with every file that it was read from, until it returns something else than 0, which
 * is returned: its own, found in the catalogue or not, and those of profiles. */
int platform_files_each(const struct platform *p, int (*each)(void *self, const char *file),
                        void *self);

uint32_t platform_host_count(const struct platform *p);
uint32_t platform_link_count(const struct platform *p);
void platform_host(const struct platform *p, struct host_id h, struct host_info *out);
/* All that is said of both is the same: they are of one cluster, and no host was changed. 0: it may
 * be so nevertheless. */
int platform_hosts_alike(const struct platform *p, struct host_id a, struct host_id b);
/* 0: a host of speed 0, which is there for its place in the network (a file server): no rank runs
 * on it. */
int platform_computes(const struct platform *p, struct host_id h);
/* The first one that does: the figures of a machine's processors are its. */
struct host_id platform_first_computing(const struct platform *p);
void platform_link(const struct platform *p, struct link_id l, struct link_info *out);
/* Names may be computed: they are written into buf (n bytes, truncated with a final NUL) and buf is
 * returned. */
const char *platform_host_name(const struct platform *p, struct host_id h, char *buf, size_t n);
const char *platform_link_name(const struct platform *p, struct link_id l, char *buf, size_t n);
int platform_host_find(const struct platform *p, const char *name,
                       struct host_id *out); /* 0, or -1 if there is none */
/* The value of a host's property (<prop>), or NULL. */
const char *platform_host_prop(const struct platform *p, struct host_id h, const char *key);
/* Disks of hosts (<disk>), in the order of the file. */
struct disk_info {
	const char *name; /* unique on its host */
	struct host_id host;
	double read, write; /* bytes/s, > 0 */
	/* files whose names begin with it are here; "/" if the file does not say */
	const char *mount;
};
uint32_t platform_disks(const struct platform *p, const struct disk_info **out);
/* Speed of its cores relative to those of the system that the trace was recorded on (property
 * cpu-ratio; PSINS's CPU ratio): 1 if unknown. */
double platform_host_ratio(const struct platform *p, struct host_id h);
/* From the file's comment header (docs/machines.md): its name (without header: the file's), one
 * line of title, where the figures come from, and what of them is calibrated; "" where the header
 * says nothing. */
const char *platform_name(const struct platform *p);
const char *platform_title(const struct platform *p);
const char *platform_source(const struct platform *p);
const char *platform_calibration(const struct platform *p);
/* Where these figures of the network are from, "STATE: source" (docs/machines.md); "": not told. */
const char *platform_bandwidth_source(const struct platform *p);
const char *platform_latency_source(const struct platform *p);
const char *platform_path(const struct platform *p); /* the file read */

/* What the speed of its hosts counts (header line "speed:"); the model of their processors
 * ("processor:"), or "". */
enum volume_unit platform_speed_unit(const struct platform *p);
const char *platform_processor(const struct platform *p);
/* How many of a unit a core of the first host does per second: its own speed, where that counts
 * this unit, or a line "rate-UNIT:" of the header. */
struct platform_rate {
	double rate;
	double deviation;   /* relative, of one program beside another; 0: not told */
	const char *source; /* "" if it is not told */
};
/* 1, or 0: nobody says. */
int platform_rate(const struct platform *p, enum volume_unit unit, struct platform_rate *out);

/* A core of one model of processor beside one of another: which part of the time of `from` it takes
 * is 1 / ratio. Names as kernels, makers or benchmarks write them. */
struct processor_ratio {
	double ratio, deviation; /* deviation: relative, of one program beside another */
	char source[512];
	char generation[2][96]; /* of from and to, where only that is known; else "" */
};
/* 1; 0: nothing published that we know is of one of them, nor of its generation; -1: the table
 * cannot be read. */
int processor_ratio(const char *from, const char *to, struct processor_ratio *out, struct err *err);
/* Whether it has a ratio to others: 1, 0, -1. near: the nearest name that is known, or "". */
int processor_find(const char *model, char *near, size_t n, struct err *err);
/* A name without what differs between who writes it: small letters, no "(R)", "CPU", "@ 2.5GHz". */
void processor_key(const char *model, char *out, size_t n);

/* The machine as another one: factors on all latencies, bandwidths and speeds, and on the speed of
 * a host (they multiply); a link with other figures (< 0: as it was). Before anything else is asked
 * of it. */
void platform_scale(struct platform *p, double latency, double bandwidth, double speed);
int platform_host_scale(struct platform *p, struct host_id h, double speed, struct err *err);
double platform_speed_scale(const struct platform *p, struct host_id h); /* all of that host's */
int platform_link_set(struct platform *p, struct link_id l, double bandwidth, double latency,
                      struct err *err);
int platform_link_find(const struct platform *p, const char *name,
                       struct link_id *out); /* 0, or -1 if there is none */

/* A route: the links in order of travel; a link may occur more than once. */
struct route {
	struct link_id *links;
	uint32_t n, cap;
	double latency;           /* sum over the links, s (limiters without their own) */
	double beyond;            /* of it: what no link has, by coordinates */
	struct route_piece *todo; /* while it is being found */
	uint32_t todo_n, todo_cap;
};
void route_init(struct route *r);
void route_release(struct route *r);
/* Fills r (cleared first, memory kept). No route between the two: -1, naming both hosts and what is
 * missing in the platform. */
int route_find(const struct platform *p, struct host_id from, struct host_id to, struct route *r,
               struct err *err);

/* Availability profiles: figures of the machine that change with time (profile.c;
 * docs/machines.md). The platform only holds them: what platform_host and platform_link say is the
 * state before the first change. */
enum profile_kind {
	PROFILE_SPEED,     /* of a host's cores: a factor on what platform_host says */
	PROFILE_HOST,      /* is the host on? 0: off */
	PROFILE_BANDWIDTH, /* of a link, bytes/s */
	PROFILE_LATENCY,   /* of a link, s */
	PROFILE_LINK,      /* is the link on? 0: off */
	PROFILE_KINDS
};
struct profile;
struct profile_use {
	enum profile_kind kind;
	uint32_t target; /* a host's id, or a link's */
	const struct profile *profile;
};
uint32_t platform_profiles(const struct platform *p, const struct profile_use **out);
const char *profile_kind_word(enum profile_kind kind); /* "speed", "state", … */
const char *profile_name(
    const struct profile *p); /* where it is from: a file, or file:line of the <trace> */
/* The changes of a profile one by one. stream and index name the random numbers of a stochastic
 * one. */
struct profile_cursor {
	const struct profile *profile;
	uint32_t row;
	uint64_t round;
	double date;
	struct rng rng;
};
void profile_start(const struct profile *p, const char *stream, uint64_t index,
                   struct profile_cursor *c);
/* The next change: 1 with its date (s, never before the one before; may be for ever) and value (>=
 * 0), 0 when there is none any more. */
int profile_next(struct profile_cursor *c, double *date, double *value);

/* Order of hosts in which ranks are placed when there is no hostfile: order of declaration; in
 * compat, SimGrid's (by name, byte by byte, over the whole platform). hosts has
 * platform_host_count() places. */
void platform_host_order(const struct platform *p, int compat, struct host_id *hosts);

/* The tree of zones: name, kind, hosts, computed links; one indented line each, or a JSON array of
 * objects. Appends. */
void platform_zones_text(const struct platform *p, struct str *out);
void platform_zones_json(const struct platform *p, struct json *j);
/* Pictures, as SVG: the tree of zones; a route with its bottleneck and where its latency comes
 * from. Appended. */
int platform_draw(const struct platform *p, struct str *out, struct err *err);
int route_draw(const struct platform *p, struct host_id from, struct host_id to,
               const struct route *r, struct str *out, struct err *err);
/* Which link of a route bounds a single flow: an index in r->links; UINT32_MAX for a route without
 * links. */
uint32_t route_bottleneck(const struct platform *p, const struct route *r);
/* Appends one line per construct for which compat:simgrid-3.32 gives other times (docs/compat.md),
 * with file and line. Returns their number. */
int platform_check(const struct platform *p, struct str *out);
/* The same without the order of hosts, which concerns only ranks that no hostfile places; and
 * whether that order can change a time. */
int platform_check_constructs(const struct platform *p, struct str *out);
int platform_order_matters(const struct platform *p);
/* Tries routes between hosts; *pairs: how many; a line for pairs without one, and one for routes
 * without latency (another of docs/compat.md). -1: no memory. */
int platform_routes_try(const struct platform *p, struct str *remarks, uint64_t *pairs,
                        struct err *err);
/* All hosts together. Speeds are those of a core. */
struct platform_sum {
	uint64_t cores;
	double slowest, fastest;
};
void platform_add_up(const struct platform *p, struct platform_sum *s);

/* Descriptions of regular machines (generate.c). Texts are those of SimGrid XML, with units; NULL
 * where the default holds. Defaults are round figures, measured nowhere: a core of 10 Gflop/s,
 * cables of 100 Gb/s and 1 us. */
#define GENERATE_PREFIX "node-"
#define GENERATE_SPEED "10Gf"
#define GENERATE_BANDWIDTH "12.5GBps"
#define GENERATE_LATENCY "1us"
struct generate_spec {
	const char *kind;   /* flat, torus, fat-tree, dragonfly, hierarchical; never NULL */
	const char *shape;  /* "64", "8x8x4": hosts; dimensions; children from the hosts up; groups
	                       to nodes; cabinets to hosts; never NULL */
	const char *preset; /* a network that was measured (preset.c); NULL: none */
	const char *name, *prefix, *suffix; /* of the machine (NULL: the kind, with '_' for '-'); of
	                                       its hosts' names */
	const char *speed;                  /* of a core */
	const char *processor;              /* its model, or NULL: not told */
	uint32_t cores;                     /* of a host; 0: one */
	const char *bandwidth, *latency;    /* of every cable */
	const char *sharing;                /* SPLITDUPLEX (NULL), SHARED, FATPIPE */
	const char *loopback, *backbone;    /* "BANDWIDTH[,LATENCY]", or NULL: the preset's, none */
	const char *limiter;                /* of a host, both ways together; NULL: none */
	const char *uplink; /* hierarchical: "BANDWIDTH[,LATENCY];…" of the groups, from the lowest;
	                       NULL: as a host's */
	const char *cables; /* fat-tree: parallel ones per level; dragonfly: between groups,
	                       chassis, routers; NULL: one */
	const char *parents, *taper; /* fat-tree: parents per level, or cables down per cable up;
	                                both NULL: full bisection */
	struct str *notices;         /* NULL, or what is not as it was asked for is appended */
};
/* Appends SimGrid XML, version 4.1. An option that its kind has no use for is an error. */
int platform_generate(const struct generate_spec *g, struct str *out, struct err *err);

/* Placement of ranks: rank i runs on host[i]. */
struct placement {
	struct host_id *host;
	uint32_t n;
};
/* hostfile: one host per line, `name`, `name:count`, `name slots=count`, '#' comments; NULL:
 * platform_host_order. Entries are used round robin when there are more ranks than places
 * (allowed, and noted in cfg->notices, only as `overcommit` says: otherwise an error that tells
 * both counts and the remedy). np ranks. */
enum placement_overcommit {
	PLACEMENT_PLACES, /* no more ranks than places */
	PLACEMENT_ANY,
	PLACEMENT_CORES /* while the hosts named have cores */
};
int placement_make(const struct platform *p, const char *hostfile, uint32_t np, int compat,
                   enum placement_overcommit overcommit, struct placement *out, struct config *cfg,
                   struct err *err);
void placement_release(struct placement *pl);
int platform_has_map(
    const struct platform *p); /* the machine says itself where ranks run (PSINS) */

/* The catalogue. Returns the number of machines; *out is an array owned by the caller through
 * catalogue_free. */
struct catalogue_entry {
	char *name, *path, *title, *source, *calibration; /* from the comment header of the file */
};
int catalogue_list(struct catalogue_entry **out, struct err *err);
void catalogue_free(struct catalogue_entry *list, int n);

#endif
