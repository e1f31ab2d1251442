/* net.h: the face of the seam between machine and engine: what a message between two hosts costs,
 * and what a computation costs on a host. The only room that sees both platform and engine. Knows
 * no ranks, tags or files.
 *
 * A communication model is one file ending in one `static const struct net_model`, listed in
 * net_models[] and chosen by the setting network/model. A model turns (from, to, bytes) into an
 * engine flow (or a timer); its parameters come from the settings. */
#ifndef ORRERY_NET_H
#define ORRERY_NET_H

#include "engine/engine.h"
#include "platform/platform.h"

struct net;

/* Links and CPUs become engine resources when first used. cfg and platform must outlive it. */
struct net *net_new(const struct platform *p, const struct config *cfg, struct err *err);
/* The same with a communication model of the caller's (include/orrery/model.h) instead of the one
 * that the settings name; NULL: that one. The entry is copied. */
struct orrery_model;
struct net *net_new_with(const struct platform *p, const struct config *cfg,
                         const struct orrery_model *entry, struct err *err);
void net_free(struct net *n);
struct engine *net_engine(struct net *n); /* owned by n */
const struct platform *net_platform(const struct net *n);

/* Starts the transfer of `bytes` (as the wire carries them: the caller has added any envelope) now.
 * The completion carries user. */
int net_message(struct net *n, struct host_id from, struct host_id to, double bytes, uint64_t user,
                struct activity_id *out, struct err *err);
/* Bytes of the envelope that the caller adds to a message: 16 as in SMPI, or 0 in models whose
 * formulas count the program's bytes alone. */
double net_envelope(const struct net *n);
/* How long it takes at least until messages have crossed their links, whatever else there is and in
 * whatever order they go: *least is raised to what the busiest link needs for those added since
 * net_load_clear. Bytes as for net_message. A model without flows, or a machine that changes: not
 * raised. */
int net_load_add(struct net *n, struct host_id from, struct host_id to, double bytes, double *least,
                 struct err *err);
void net_load_clear(struct net *n);
/* The next message takes `factor` times as long as the model says (noise): its latency and its
 * transfer, not the time of processors. */
void net_stretch_next(struct net *n, double factor);
/* The next message is a piece of another one. Only where net_takes_pieces. */
struct net_part {
	double part;   /* of the transfer of a message of that size: 0 to 1 */
	double waited; /* s of its latency that are over; below 0: it has so much more */
	double luck;   /* 0 to 2: how much it waits for of what is queued before it (network/queue);
	                  1: the mean */
	int answered;  /* data go the other way between the two: they carry the acknowledgements */
	int joined;    /* it follows another one of its connection at once, in the same packets: no
	                  headers of its own */
};
void net_part_next(struct net *n, const struct net_part *p);
double net_latency_last(const struct net *n); /* s, of the last message, whatever of it was over;
                                                 only where net_takes_pieces */
int net_takes_pieces(const struct net *n);
/* Appends what the machine's profiles say of links and what settings ask for and the model cannot
 * follow, a line each. -1: no memory. */
int net_notices(const struct net *n, struct str *out);
/* As engine_next and engine_more, for what the caller has started: the model's own events are its
 * own affair. net_more may fail (-1). */
int net_next(struct net *n, struct completion *out, struct err *err);
int net_more(struct net *n, struct completion *out, struct err *err);
/* Starts a computation of `volume` (flop or instructions, > 0) on one core of a host. */
int net_compute(struct net *n, struct host_id h, double volume, uint64_t user,
                struct activity_id *out, struct err *err);
double net_host_speed(struct net *n, struct host_id h); /* of one core, per second */

/* A collective decided as a whole: all members have called it, and all end `seconds` later.
 * Operations in the order of mp's enum coll_kind. */
enum net_coll {
	NET_BARRIER,
	NET_BCAST,
	NET_REDUCE,
	NET_ALLREDUCE,
	NET_GATHER,
	NET_GATHERV,
	NET_SCATTER,
	NET_SCATTERV,
	NET_ALLGATHER,
	NET_ALLGATHERV,
	NET_ALLTOALL,
	NET_ALLTOALLV,
	NET_ALLTOALLW,
	NET_REDUCE_SCATTER,
	NET_REDUCE_SCATTER_BLOCK,
	NET_SCAN,
	NET_EXSCAN,
	NET_COLLS
};
struct net_collective {
	enum net_coll kind;
	uint32_t n;                 /* members, at least 1 */
	uint32_t root;              /* which member, where there is one */
	const struct host_id *host; /* of each member; the same for all calls of one communicator */
	double sent, received; /* bytes of the call: at the root, where there is one; else the most
	                          of any member */
	void **memo; /* NULL at first; what the model wants to keep with these members, to be freed
	                with free() */
};
const char *net_coll_name(enum net_coll k);                /* "allreduce" */
enum net_coll net_coll_find(const char *name, size_t len); /* NET_COLLS if unknown */
/* Whether collectives are decided as a whole (1) or simulated message by message (0): setting
 * smpi/collectives, else as the model has it. -1: asked for in vain. */
int net_collectives_whole(const struct net *n, struct err *err);
/* The duration of one, s: the model's, or else of a textbook algorithm on messages alone
 * (collective.c). */
int net_collective(struct net *n, const struct net_collective *c, double *seconds, struct err *err);
/* Who is told what a program loses when the machine's availability profiles turn something off.
 * Each returns -1 with *err set where the program cannot go on, 0 where it does not matter. by: the
 * profile. */
struct net_watch {
	void *self;
	int (*host_off)(void *self, struct host_id h, const char *by, struct err *err);
	/* why: "link 'x' is off (profile)"; user: of the message that crosses it. */
	int (*message_lost)(void *self, uint64_t user, const char *why, struct err *err);
};
/* Hosts that are off already are told at once: -1 if the watch says so. */
int net_watch(struct net *n, const struct net_watch *w, struct err *err);

/* Storage (storage.c): disks of hosts, and file systems that all hosts see (setting
 * storage/file-systems). */
struct store_id {
	uint32_t v;
};
#define STORE_NONE ((struct store_id){0xffffffffu})
/* Where the file of this name is, as a host sees it: the longest mount point that begins its name;
 * a disk of the host's own before a shared file system. STORE_NONE: nobody has it. A name that is
 * not absolute is taken to begin with "/". */
int net_store_find(struct net *n, struct host_id h, const char *file, struct store_id *out,
                   struct err *err);
enum store_op {
	STORE_READ,
	STORE_WRITE,
	STORE_ASK /* a file is opened, closed, removed, synchronised: no data */
};
struct store_access {
	struct store_id store;
	struct host_id client;
	enum store_op op;
	uint32_t asks; /* round trips before the data move, each one latency */
	double bytes;
	uint64_t user;
};
/* Starts it now: *parts activities, each of which ends with a completion that carries user; at
 * least one. */
int net_store_start(struct net *n, const struct store_access *a, uint32_t *parts, struct err *err);

/* Tables of (threshold, values) as in network/bandwidth-factor and smpi/os: "thr:v[:v2…];…", any
 * order. */
struct factor_row {
	double threshold, value[2];
};
struct factor_table {
	struct factor_row *rows;
	uint32_t n;
};
/* Sorted by threshold. A text with neither ':' nor ';' is a constant from 0. */
int factor_table_parse(struct factor_table *t, const char *text, struct err *err);
void factor_table_release(struct factor_table *t);
/* value[0] of the row with the largest threshold strictly below size; none: `below`. */
double factor_lookup(const struct factor_table *t, double size, double below);
/* base + per byte of the same row (overheads); below the first threshold: 0, in compat the first
 * row. */
double overhead_lookup(const struct factor_table *t, double size, int compat);

/* An activity that a model starts for itself has as user this bit and 63 others that the model
 * chooses; event gets the low 32 as its number, and all of them in *user. */
#define NET_OWN (UINT64_C(1) << 63)

/* Ports. In some models (LogGPS) messages keep the processes at both ends busy: each process then
 * has a port, a processor and a network interface of its own, and asks it before it sends or
 * computes. The caller numbers ports and messages as it likes, from 0. */
struct port_send {
	uint32_t slot;     /* the message's number: free again when it has arrived */
	uint32_t from, to; /* ports */
	double bytes;      /* of the program, without envelope */
	uint64_t sent;     /* completion: the call that sends may go on; 0: nobody waits for that */
	uint64_t arrived;  /* completion: the receiver has it */
	uint64_t complete; /* 0: eager. Else synchronous: completion "the receiver is there, the
	                      sender has done its part" */
	int batch;         /* of a non-blocking call: those that follow belong to it */
};
struct net_ports {
	double (*eager)(
	    void *state); /* largest message, in bytes, that does not wait for its receive */
	int (*add)(struct net *n, void *state, const struct host_id *host, uint32_t count,
	           struct err *err); /* once */
	int (*send)(struct net *n, void *state, const struct port_send *s, struct err *err);
	/* The process has posted a receive: what it asks for next comes after all that the port has
	 * seen. */
	void (*received)(void *state, uint32_t port);
	/* The receive of a synchronous message is posted. */
	int (*matched)(struct net *n, void *state, uint32_t slot, struct err *err);
	int (*compute)(struct net *n, void *state, uint32_t port, double volume, uint64_t user,
	               struct err *err);
};
/* The ports of the model chosen, or NULL: then messages and computations are net_message's and
 * net_compute's. */
const struct net_ports *net_ports(const struct net *n);
void *net_state(struct net *n); /* what the functions of net_ports take */
/* A message under way whose link changed; what revise reads and writes. */
struct net_revision {
	struct host_id from, to;
	double bandwidth, latency; /* of its way when it began (compat: latency with the changes
	                              since, kept by revise) */
	double more_latency;       /* of the link that changed, s */
	double more_inverse;       /* 1 / its bandwidth, s/byte */
	double bound, weight;      /* now; revise sets them */
	uint64_t user;             /* of the activity */
	struct link_id link;       /* the one that changed */
};

/* What a model makes of links that change (profiles). */
enum net_links {
	LINKS_FLOWS,    /* its messages are flows over them: `revise` reaches those under way */
	LINKS_AT_START, /* a message takes the figures of its way when it is sent */
	LINKS_UNKNOWN,  /* it knows none; only that a link is off stops a message */
	LINKS_OWN,      /* a plugin that says it follows them */
	LINKS_UNSAID,   /* a plugin that does not */
};

struct net_model {
	const char *name;
	const char *aliases; /* blank-separated */
	const char *help;    /* one line */
	/* Model's own defaults for settings that the user left alone. */
	const struct net_model_default {
		enum config_id id;
		const char *text;
	} * defaults;
	int (*init)(struct net *n, void **state, struct err *err);
	void (*release)(void *state);
	/* Starts one message; as net_message. */
	int (*message)(struct net *n, void *state, struct host_id from, struct host_id to,
	               double bytes, uint64_t user, struct activity_id *out, struct err *err);
	/* NULL, or: the activity of that number (NET_OWN) has ended, now. 1: this is the completion
	 * that the caller waits for as *user; 0: it concerns the model alone; -1. */
	int (*event)(struct net *n, void *state, uint32_t number, uint64_t *user, struct err *err);
	uint8_t pieces; /* messages are flows that may go in pieces (net_part_next) */
	uint8_t bare;   /* sizes of messages are the program's, without envelope */
	uint8_t whole; /* collectives are decided as a whole unless the user wants them simulated */
	/* NULL, or as net_collective. */
	int (*collective)(struct net *n, void *state, const struct net_collective *c,
	                  double *seconds, struct err *err);
	/* NULL, or the seconds that a message takes when nothing else moves; negative with *err
	 * set. For textbook collectives. */
	double (*alone)(struct net *n, void *state, struct host_id from, struct host_id to,
	                double bytes, struct err *err);
	/* NULL, or: the caller has done all that it does at this date, the clock is about to
	 * move. */
	int (*settle)(struct net *n, void *state, struct err *err);
	const char
	    *arguments; /* NULL: none; or what may follow "name:" in network/model, for messages */
	const struct net_ports *ports; /* or NULL */
	/* NULL, or: a link that a message crosses has another bandwidth or latency now: its bound
	 * and weight from now on. */
	int (*revise)(struct net *n, void *state, struct net_revision *r, struct err *err);
	enum net_links links;
	/* NULL, or: the user of the message of which that is an activity of the model's own
	 * (NET_OWN). */
	uint64_t (*whose)(const void *state, uint32_t number);
	/* NULL, or the bound (0: none) and the weight of such a message's flow: what else crosses
	 * the same links (storage.c) shares as it does. */
	int (*sharing)(struct net *n, void *state, struct host_id from, struct host_id to,
	               double bytes, double *bound, double *weight, struct err *err);
	/* NULL, or: what bounds a flow of this way that no shared link limits ("TCP window");
	 * returns buf. */
	const char *(*bound)(struct net *n, void *state, struct host_id from, struct host_id to,
	                     char *buf, size_t size);
	/* One paragraph on what bounds such a message: for --explain. */
	void (*explain)(struct net *n, void *state, struct host_id from, struct host_id to,
	                double bytes, struct str *out);
};
extern const struct net_model *const net_models[]; /* NULL-terminated */
void net_explain(struct net *n, struct host_id from, struct host_id to, double bytes,
                 struct str *out);
/* Who is told of what the messages of a model that has no flows are made of: from that date on,
 * which may be to come, the message of that user is in the part of that name ("waits for a bus").
 * One dated before the last one takes its place. */
struct net_parts {
	void *self;
	void (*part)(void *self, uint64_t user, double from, const char *name);
};
void net_set_parts(struct net *n, const struct net_parts *p); /* copied; NULL: nobody */
/* The message's user of a flow's, which may be the model's own. */
uint64_t net_user(const struct net *n, uint64_t user);
/* 1: the activity is the flow of that message. */
int net_flow_is(const struct net *n, struct activity_id a, uint64_t user);
/* For explanations; both return buf. Slow: not while simulating. */
const char *net_bound(struct net *n, struct host_id from, struct host_id to, char *buf,
                      size_t size);
/* Hosts that are virtual ones of one computer (setting virtual-hosts/processors) share its
 * processors. net_work: so many seconds of one of them, which is no rank's computation; ends with a
 * completion that carries user. */
int net_shares_processors(const struct net *n);
void net_compute_apart(struct net *n); /* computations share nothing: their volumes are elapsed
                                          time, perhaps that of sleeps */
int net_work(struct net *n, double seconds, uint64_t user, struct err *err);
const char *net_resource_name(struct net *n, struct resource_id r, char *buf,
                              size_t size); /* "link X", "cores of X" */

#endif
