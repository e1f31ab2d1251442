/* platform_int.h: what the files of this room share.
 *
 * A platform is a tree of zones. A zone holds points (hosts, routers, child zones) and, by its
 * kind, knows the way between any two of its own points: that is all a zone kind is (struct
 * zone_kind; one file each, listed in zone_kinds). The way between two hosts of different zones is
 * composed from those local ways (route.c).
 *
 * Ids are dense. Hosts and links are numbered in blocks: a block is a range of ids that belongs to
 * one zone and is either a table of named records or computed (hosts: prefix, radical, suffix;
 * links: the zone's kind answers for offset 0..n-1). Invariants: (1) blocks are sorted by their
 * first id and leave no hole; (2) a zone's parent has a smaller index than the zone; (3) a gateway
 * lies inside the child zone it stands for, so that each step of the composition goes strictly
 * deeper and must end. */
#ifndef ORRERY_PLATFORM_INT_H
#define ORRERY_PLATFORM_INT_H

#include "platform/platform.h"

#define NONE32 0xffffffffu

enum {
	ROUTE_LINKS_MAX = 1 << 20, /* a longer route is an error of the platform, not a machine */
	NAME_MAX_LEN = 4096,       /* of a host, link or zone; longer ones are refused */
	NAME_IN_FULL = 4 * NAME_MAX_LEN, /* room for any name that is computed */
	HOSTS_MAX = 1 << 28,
};

struct place {
	uint32_t line, column;
};

struct prop {
	const char *key, *value;
	struct prop *next;
};

/* A point of the network: host, router or zone, in one word. */
enum point_kind { POINT_HOST, POINT_ROUTER, POINT_ZONE };
struct point {
	uint32_t code;
};
static inline struct point point_make(enum point_kind kind, uint32_t index)
{
	return (struct point){(uint32_t)kind << 30 | index};
}
static inline enum point_kind point_kind(struct point a)
{
	return (enum point_kind)(a.code >> 30);
}
static inline uint32_t point_index(struct point a)
{
	return a.code & 0x3fffffffu;
}
static inline int point_same(struct point a, struct point b)
{
	return a.code == b.code;
}
static inline int point_none(struct point a)
{
	return a.code == NONE32;
}
#define POINT_NONE ((struct point){NONE32})

/* radical.c: the list of numbers "0-9,12,20-23": ranges in the order given. first is the rank of lo
 * in the list. */
struct range {
	uint32_t lo, hi, first;
};
struct radical {
	struct range *ranges;
	uint32_t n, cap;
	uint32_t count; /* numbers in all */
};
/* Fails without place. The array belongs to the caller (radical_release). */
int radical_parse(const char *text, struct radical *out, struct err *err);
void radical_release(struct radical *r);
void radical_truncate(struct radical *r, uint32_t count); /* keeps the first numbers */
uint32_t radical_number(const struct radical *r, uint32_t rank);

/* hosts.c */
struct named_host {
	const char *name;
	struct host_info info;
	struct prop *props;
	const double *coords; /* x y z, or NULL */
};
struct host_block {
	uint32_t first, n;
	uint32_t zone;
	uint32_t named; /* index of its first host in platform.hosts, or NONE32: computed */
	/* of a computed block */
	struct radical radical;
	const char *prefix, *suffix;
	struct host_info info;
	struct prop *props;
};
struct router {
	const char *name;
	uint32_t zone;
	const double *coords;
};
struct named_link {
	const char *name;
	struct link_info info;
	uint32_t id;
	struct place at;
};
struct link_block {
	uint32_t first, n;
	uint32_t zone;  /* of a computed block */
	uint32_t named; /* index of its first link in platform.links, or NONE32: computed */
};

/* profile.c */
enum law { LAW_FIXED, LAW_NORMAL, LAW_EXPONENTIAL, LAW_UNIFORM };
struct draw {
	enum law law;
	double a, b; /* value; mean and deviation; rate; lower and upper end */
};
struct profile_row {
	struct draw delay,
	    value; /* delay: not stochastic: the date in a round; else since the change before */
};
struct profile {
	const char *name;
	struct profile_row *rows;
	uint32_t rows_n, rows_cap;
	int stochastic, loops;
	int is_file;           /* name is that of a file that was read */
	double period;         /* of a round, s; not stochastic */
	struct place negative; /* of the first value below 0; line 0: there is none */
};
/* text begins at that place of the file. period: PERIODICITY unless the text says otherwise; 0:
 * none. */
int profile_parse(struct profile *p, const char *text, const char *file, struct place at,
                  double period, struct err *err);
void profile_release(struct profile *p);

/* names.c: the one name space of hosts, routers and zones. Names of computed hosts are not stored:
 * they are found by taking the name apart into prefix, number and suffix, each (prefix, suffix)
 * pair being a family with a sorted list of ranges. */
struct name_range {
	uint32_t lo, hi;
	uint32_t first_host;
};
struct family {
	const char *prefix, *suffix;
	struct name_range *ranges;
	uint32_t n, cap;
};
struct names {
	struct hash_str points;   /* name -> index in entries */
	struct hash_str families; /* prefix \1 suffix -> index */
	struct name_entry {
		struct point point;
		struct place at;
	} * entries;
	struct family *family;
	uint32_t entries_n, entries_cap, family_n, family_cap;
};
void names_init(struct names *n);
void names_release(struct names *n);
struct build;
int names_add(struct build *b, const char *name, struct point p, struct place at, struct err *err);
int names_add_block(struct build *b, const struct host_block *block, struct place at,
                    struct err *err);
/* After the last name: no explicit name may be that of a computed host. */
int names_check(struct build *b, struct err *err);
struct point names_find(const struct names *n, const char *name); /* POINT_NONE if absent */
struct platform;
struct zone;
const struct zone *names_find_zone(const struct platform *p, const char *name,
                                   size_t n); /* NULL if absent */

/* hops.c: declared ways between two points of a zone. */
struct hop {
	struct point src, dst; /* points of one zone */
	struct point gw_src,
	    gw_dst; /* where the way leaves from and arrives; the end itself for a host or router */
	uint32_t first, n; /* links: a slice of platform.hop_links */
	double latency;    /* their sum, s */
};
struct hop_table {
	struct hash64 index; /* src.code << 32 | dst.code -> hops */
	struct hop *hops;
	uint32_t n, cap;
};
void hop_table_init(struct hop_table *t);
void hop_table_release(struct hop_table *t);
/* Puts what was declared, and the way back when symmetrical; a second declaration of one way is an
 * error. */
struct declared;
int hop_table_declare(struct hop_table *t, const struct build *b, const struct declared *d,
                      struct err *err);
const struct hop *hop_table_find(const struct hop_table *t, struct point src, struct point dst);

/* zones.c */
struct zone {
	const char *id;
	const struct zone_kind *kind;
	uint32_t index, parent, depth; /* parent is NONE32 for the root */
	uint32_t jump;                 /* a zone far around it: route.c. Of the root: itself */
	/* of the zones inside it (their indices follow its own); NONE32: still open */
	uint32_t last;
	uint32_t children; /* child zones */
	uint32_t first_host,
	    first_link;    /* of a cluster: its only block of hosts, of computed links */
	uint32_t links;    /* computed links */
	const char *shape; /* topo_parameters of a cluster; else "" */
	struct place at;
	struct hop_table *bypass; /* or NULL */
	void *self;               /* what its kind keeps */
};

/* A way being walked: what a kind appends goes to r, or, behind a way between two points that is
 * still to be found, to the end of r->todo. */
struct walk {
	const struct platform *p;
	struct route *r;
	struct err *err;
	uint32_t mark; /* what lies above it in r->todo is of the walk at hand */
	/* compat, the order of links that zone_dijkstra.c tells of: where the list of links begins
	 * that this walk adds to; that of a way that joins two steps (NONE32: one of its own);
	 * whether the links of steps come in reverse; how many steps there have been */
	uint32_t base, join_base, steps;
	int reversed;
	int joined; /* successive steps have gateways that differ: route_sum */
	int sums;   /* only r->latency counts, whatever order the links come in */
	int inside; /* the walk at hand is between an end and a gateway, or two gateways */
};
/* Something to be appended: the way between two points; or the links of a hop; or a link; or the
 * latencies of a hop. */
struct route_piece {
	enum { PIECE_BETWEEN, PIECE_HOP, PIECE_HOP_BACK, PIECE_LINK, PIECE_SUM } kind;
	struct point src, dst;
	/* PIECE_LINK: the link; PIECE_BETWEEN: the base; PIECE_HOP: NONE32, but of the first step
	 * of a walk whose others are in r->todo from here on */
	uint32_t at;
	const struct hop *hop;
};
/* a and b are points of the zone; src and dst the real ends, inside a and b or the same as they. */
struct ends {
	struct point a, b, src, dst;
};

/* What <route> or <zoneRoute> declared. */
struct declared {
	struct hop hop, back; /* back: the same links the other way, when symmetrical */
	int symmetrical;
	struct place at;
};

/* A kind of zone. What a kind does not offer is NULL. */
struct zone_kind {
	const char *name;
	const char *describe;                                          /* one line for people */
	int (*init)(struct build *b, struct zone *z, struct err *err); /* at its start tag */
	int (*point)(struct build *b, struct zone *z, struct point a,
	             struct err *err); /* a host, router or child zone was added */
	int (*declare)(struct build *b, struct zone *z, const struct declared *d, struct err *err);
	int (*seal)(struct build *b, struct zone *z, struct err *err); /* at its end tag */
	int (*walk)(struct walk *w, const struct zone *z,
	            const struct ends *e); /* the way between two of its points */
	void (*link)(const struct platform *p, const struct zone *z, uint32_t offset,
	             struct link_info *out);
	void (*link_name)(const struct platform *p, const struct zone *z, uint32_t offset,
	                  char *buf, size_t n);
	/* Offset of its implicit link of that name; pair: the x_UP of a split x (x_DOWN follows).
	 * NONE32 if there is none. */
	uint32_t (*link_find)(const struct platform *p, const struct zone *z, const char *name,
	                      int pair);
	int free_names; /* its links' names do not begin with the zone's own */
	const struct hop_table *(*declared)(
	    const struct zone *z); /* the ways that were declared, of kinds that keep them */
	/* What compat changes in this zone, the i-th item for i = 0, 1, …; NULL after the last. */
	const char *(*quirk)(const struct platform *p, const struct zone *z, int i);
	void (*release)(struct zone *z);
};
extern const struct zone_kind *const zone_kinds[]; /* those of routing="…", then NULL */
extern const struct zone_kind zone_full, zone_floyd, zone_dijkstra, zone_dijkstra_cache, zone_none,
    zone_star, zone_vivaldi; /* of <zone> */
extern const struct zone_kind zone_flat, zone_torus, zone_fat_tree,
    zone_dragonfly;                                          /* of <cluster> */
const struct zone_kind *zone_kind_find(const char *routing); /* case does not count */

/* Where a machine's description puts ranks (PSINS's Map). */
struct task_map {
	uint8_t known, fill; /* it says so; ranks not in `node` fill nodes one after the other */
	uint32_t fill_from;
	uint32_t *node, n; /* of each rank, or NONE32 */
};

struct platform {
	struct arena arena;
	const char *name, *path, *title, *source, *calibration;
	const char *bandwidth, *latency; /* where they are from: "STATE: source"; "": not told */
	const char *processor;           /* NULL or "": not told */
	enum volume_unit speed_unit;
	struct platform_rate rate[VOLUME_UNITS]; /* of speed_unit: but for the rate itself */
	int compat;
	struct zone **zones;
	struct host_block *host_blocks;
	struct named_host *hosts;
	struct router *routers;
	struct link_block *link_blocks;
	struct named_link *links;
	struct link_id *hop_links;
	uint32_t zones_n, zones_cap, host_blocks_n, host_blocks_cap, hosts_n, hosts_cap, routers_n,
	    routers_cap;
	uint32_t link_blocks_n, link_blocks_cap, links_n, links_cap, hop_links_n, hop_links_cap;
	uint32_t host_count, link_count;
	uint32_t free_names; /* zones whose kind has free_names */
	struct names names;
	struct hash_str link_names; /* explicit links -> index in links */
	struct hash_str pair_names; /* split links -> index of x_UP; x_DOWN is the next one */
	struct task_map map;
	struct disk_info *disks;
	uint32_t disks_n, disks_cap;
	struct profile **profiles;
	struct profile_use *profile_uses;
	uint32_t profiles_n, profiles_cap, profile_uses_n, profile_uses_cap;
	struct place trace_twice; /* a <trace_connect> of a trace that was already connected, of
	                             which SimGrid takes no notice; line 0: none */
	/* the global one, for a host to itself in Full, Floyd and Dijkstra zones */
	struct link_id loopback;
	/* change.c: 1, unless it is asked about as another machine */
	double latency_scale, bandwidth_scale, speed_scale;
	struct host_id first_computing;
	struct link_change *changes;
	struct host_change *host_changes;
	uint32_t changes_n, changes_cap, host_changes_n, host_changes_cap;
	uint32_t fat_tree_hosts; /* of the fat trees so far: SimGrid counts positions over all of
	                            them (compat) */
	uint32_t fat_tree_cables,
	    dragonfly_cables; /* numbered over all of the platform: part of their names */
};

/* change.c */
struct link_change {
	uint32_t link;
	double bandwidth, latency; /* < 0: as it was */
};
struct host_change {
	uint32_t host;
	double speed; /* a factor */
};
void link_before_changes(const struct platform *p, struct link_id l, struct link_info *out);
void link_change_apply(const struct platform *p, uint32_t link, struct link_info *info);
void route_change_apply(const struct platform *p, struct route *r);

/* A platform in the making. */
struct build {
	struct platform *p;
	struct config *cfg;
	const char *file;
	struct zone *current; /* innermost open zone, or NULL */
};
int build_error(const struct build *b, struct place at, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

struct zone *zone_open(struct build *b, const char *id, const struct zone_kind *kind,
                       struct place at, struct err *err);
int zone_close(struct build *b, struct err *err);
int zone_add_point(struct build *b, struct point a, struct err *err); /* tells the current zone */
int zone_around(const struct zone *z, const struct zone *in);         /* in is z, or lies in it */
int zone_contains(const struct platform *p, const struct zone *z,
                  struct point a); /* at any depth */

/* hosts.c. Blocks are added to the current zone. */
int host_add(struct build *b, const char *name, const struct host_info *info, const double *coords,
             struct place at, struct err *err);
/* Takes over the radical. */
int host_add_block(struct build *b, const char *prefix, struct radical *radical, const char *suffix,
                   const struct host_info *info, struct place at, struct err *err);
int router_add(struct build *b, const char *name, const double *coords, struct place at,
               struct err *err);
const struct host_block *host_block_of(const struct platform *p, uint32_t host);
struct zone *point_zone(const struct platform *p,
                        struct point a); /* the zone it lies in; NULL for the root zone itself */
const char *point_name(const struct platform *p, struct point a, char *buf, size_t n);
const char *point_word(struct point a); /* "host", "router", "zone" */

/* links.c */
enum link_split { LINK_WHOLE, LINK_SPLIT };
int link_add(struct build *b, const char *name, const struct link_info *info, enum link_split split,
             struct place at, struct err *err);
int link_add_block(struct build *b, struct zone *z, uint64_t n,
                   struct err *err); /* computed by z's kind */
struct link_id link_find(const struct platform *p,
                         const char *name); /* v is NONE32 if there is none */
struct link_id link_find_pair(const struct platform *p, const char *name); /* the x_UP of x */
/* offset when z's computed link of that offset has this name (pair: is the x_UP of x), else
 * NONE32 */
uint32_t link_named(const struct platform *p, const struct zone *z, uint64_t offset,
                    const char *name, int pair);
int link_check_names(struct build *b, struct err *err);

/* route.c */
int walk_push_slow(struct walk *w, uint32_t link);
/* Appends a link: at once, if nothing of this walk waits and there is room. Its latency is added at
 * once in any case. */
static inline int walk_push(struct walk *w, uint32_t link, double latency)
{
	struct route *r = w->r;

	r->latency += latency;
	if (r->todo_n > w->mark || r->n == r->cap)
		return walk_push_slow(w, link);
	r->links[r->n++] = (struct link_id){link};
	return 0;
}
/* Nothing waits, and so many links more are at hand. */
static inline int walk_has_room(const struct walk *w, uint32_t links)
{
	const struct route *r = w->r;

	return r->todo_n == w->mark && r->cap - r->n >= links;
}
/* Latencies are added at once: those of a hop; of no link. */
void walk_add(struct walk *w, const struct hop *h);
void walk_latency(struct walk *w, double seconds);
/* Those of a hop are added after what waits. */
int walk_add_later(struct walk *w, const struct hop *h);
void walk_to_front(
    struct walk *w,
    uint32_t from); /* the links from that one of r->links on go before all since w->base */
/* Follows a declared hop, completed at both ends: *at is where the walk stands and becomes the
 * hop's arrival. Its latencies are added by whom knows their order. */
int walk_hop(struct walk *w, const struct hop *h, struct point *at);
int walk_to(struct walk *w, struct point at, struct point dst);
int walk_loopback(struct walk *w); /* the global loopback link */
/* From a point to itself: the way that a zone's steps declare for that, or the loopback. */
int walk_itself(struct walk *w, const struct hop_table *steps, const struct ends *e);
int walk_missing(struct walk *w, const struct zone *z, const struct ends *e);

/* read_simgrid.c */
int simgrid_read(struct build *b, const char *path, struct err *err);

/* read_psins.c: a machine description of PSINS; whether a file is one */
int psins_machine_read(struct build *b, const char *path, struct err *err);
int psins_machine_is(const char *path, struct err *err); /* 1, 0, or -1 */

/* task_map.c: placement by p->map, which is known */
int task_map_place(const struct platform *p, uint32_t np, int overcommit, struct placement *out,
                   struct config *cfg, struct err *err);

/* catalogue.c: finds the file of a machine, and reads the comment header of one (fields are
 * allocated in the arena; "" if absent). */
char *catalogue_find(const char *machine, struct err *err);
struct machine_header {
	char *name, *title, *source, *calibration, *bandwidth, *latency;
	char *processor, *speed, *rate[VOLUME_UNITS]; /* as written; "" where it says nothing */
};
/* "RATE ±N %: source", or "none": 1, 0, or -1 with what is wrong. */
int machine_rate_parse(const char *text, struct platform_rate *out, struct err *err);
int machine_header_read(const char *path, struct machine_header *h, struct err *err);
void machine_header_release(struct machine_header *h);

/* A network that was measured (a machine of the catalogue, or data/networks), for generate: figures
 * of a host's link, and of its loopback, as generate_spec has them; its settings as <prop> lines of
 * XML; where its figures come from. */
struct platform_preset {
	struct str settings, source;
	char bandwidth[32], latency[32], loopback[64];
};
void platform_preset_init(struct platform_preset *q);
void platform_preset_release(struct platform_preset *q);
int platform_preset_read(const char *name, struct platform_preset *q, struct err *err);

#endif
