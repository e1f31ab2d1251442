/* net.h: the face of the seam between machine and engine: what a message between two hosts costs,
 * and what a computation costs on a host. The only room that sees both platform and engine. Knows
 * no ranks, tags or files.
 *
 * A communication model (model.h) turns a message into an engine flow (or a timer); it is chosen by
 * the setting network/model, and its parameters come from the settings. Apart from this face:
 * ports.h, of models in which messages keep processes busy; storage.h; factor.h, tables by size. */
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
/* Of a communication model that is not ours (include/orrery/model.h); or NULL. */
const char *net_plugin_name(const struct net *n);
/* Of any: its own name, whichever of its names the settings give; a shared object's path. */
const char *net_model_name(const struct net *n);
/* Before a net is made: which settings of factors SimGrid 3.32's flow model of that name reads. 1:
 * those of smpi/… (hybrid, IB); 0: those of network/…; -1: SimGrid has no such model. */
int net_factors_of(const char *model);
/* 0: a message of that model crosses no links of the machine, whatever these are. */
int net_knows_links(const char *model);
/* A model that the user names is meant as it is: the machine's factors, which were fitted for the
 * hybrid one, go from the settings where they are for another. What should be known of that is
 * appended to told, a line each. */
int net_model_by_hand(struct config *cfg, const char *machine, struct str *told, struct err *err);
struct engine *net_engine(struct net *n); /* owned by n */
const struct platform *net_platform(const struct net *n);

/* A part of a message, where net_takes_parts. */
struct net_part {
	double part;    /* of the transfer of a message of that size: 0 to 1 */
	double waited;  /* s of its latency that are over; below 0: it has so much more */
	double backlog; /* 0 to 2: how much of what is queued before it (network/queue) it waits
	                   for; 1: the mean */
	int answered;   /* data go the other way between the two: they carry the acknowledgements */
	int joined;     /* it follows another one of its connection at once, in the same packets: no
	                   headers of its own */
};
struct net_send {
	struct host_id from, to;
	double bytes;   /* as the wire carries them: the caller has added any envelope */
	double stretch; /* its latency and its transfer take so many times as long as the model says
	                   (noise), not the time of processors; 1: as it says */
	uint64_t user;  /* which the completion carries */
	const struct net_part *part; /* NULL: a whole message */
};
struct net_sent {
	struct activity_id activity; /* or ACTIVITY_NONE: the model has none of its own */
	double latency;              /* s, whatever of it was over; only where net_takes_parts */
};
/* Starts the transfer now. */
int net_message(struct net *n, const struct net_send *s, struct net_sent *out, struct err *err);
/* The message of that user, which has left at this date, is one more like it too: they arrive
 * together, in one completion. 1; 0: it is to be sent by itself. */
int net_message_again(struct net *n, struct activity_id a, uint64_t user);
int net_takes_parts(const struct net *n);
/* 1: messages are flows over links that stay as they are, and a computation has its core to itself;
 * 0: a model of another kind, a machine that changes, processors or memory that are shared. */
int net_is_plain(const struct net *n);
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
/* Have messages crossed a link so far, or any link (NULL)? Has anything computed on a host, or on
 * any (NULL)? 1, 0; -1: the model does not tell, as its messages are not flows over links. */
int net_crossed(const struct net *n, const struct link_id *link);
int net_computed(const struct net *n, const struct host_id *host);
/* Appends what the machine's profiles say of links and what settings ask for and the model cannot
 * follow, a line each. -1: no memory. */
int net_notices(const struct net *n, struct str *out);
/* As engine_next and engine_more, for what the caller has started: the model's own events are its
 * own affair. net_more may fail (-1). */
int net_next(struct net *n, struct completion *out, struct err *err);
int net_more(struct net *n, struct completion *out, struct err *err);
/* Starts a computation of `volume` (flop or instructions, > 0) on one core of a host, whose rank is
 * on that socket: it shares the socket's memory (settings memory/…). NET_NO_SOCKET: it does not. */
enum { NET_NO_SOCKET = 0xff };
int net_compute(struct net *n, struct host_id h, uint32_t socket, double volume, uint64_t user,
                struct activity_id *out, struct err *err);
/* Compat: what is computed on the host is told anew when it ends (engine_compat_mark). */
int net_compat_mark(struct net *n, struct host_id h, struct err *err);
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

/* What went over a link since engine_meter (engine.h). 0: it was not used, or the model has no
 * flows.
 */
struct net_link_use {
	double moved; /* bytes of the messages and acknowledgements that began, as the model moves
	                 them: slowed by its bandwidth factor, a message counts for more */
	double bandwidth; /* bytes/s, now */
	double held;      /* s in which it limited messages */
};
int net_link_use(const struct net *n, struct link_id l, struct net_link_use *out);
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
/* For explanations; returns buf, or NULL: there is no memory to tell. Slow: not while simulating.
 */
const char *net_bound(struct net *n, struct host_id from, struct host_id to, char *buf,
                      size_t size);
/* Hosts that are virtual ones of one computer (setting virtual-hosts/processors) share its
 * processors. net_work: so many seconds of one of them, which is no rank's computation; ends with a
 * completion that carries user. */
int net_shares_processors(const struct net *n);
/* The socket of the index-th rank of a host (memory/sockets, memory/placement). */
uint32_t net_socket(const struct net *n, struct host_id h, uint32_t index);
int net_shares_memory(const struct net *n);
void net_compute_apart(struct net *n); /* computations share nothing: their volumes are elapsed
                                          time, perhaps that of sleeps */
int net_work(struct net *n, double seconds, uint64_t user, struct err *err);
const char *net_resource_name(struct net *n, struct resource_id r, char *buf,
                              size_t size); /* "link X", "cores of X" */

#endif
