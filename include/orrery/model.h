/* orrery/model.h: a communication model of your own, as a shared object.
 *
 *   cc -shared -fPIC -I<prefix>/include -o libmymodel.so mymodel.c
 *   orrery replay TRACE -p MACHINE --model /path/libmymodel.so:key=value,key=value
 *   orrery replay TRACE -p MACHINE --model /path/libmymodel.so --cfg
 *   'network/plugin:key=value;key=value'
 *
 * A model says what a message between two hosts costs. It defines one object named
 * orrery_model_entry:
 *
 *   const struct orrery_model orrery_model_entry = {ORRERY_MODEL_ABI, sizeof(struct orrery_model),
 *   "mine", …};
 *
 * Units: seconds, bytes, bytes per second. Hosts, links and resources are numbers from 0. Functions
 * that return int return 0, or -1 after having said why with orrery_fail; a function of the model
 * that gets -1 from Orrery passes it on. The run is single-threaded and must be deterministic: no
 * clocks, no addresses in decisions, no random numbers but seeded ones. See examples/model.
 *
 * C and C++. The version changes only when an old shared object would no longer work; new fields
 * come at the ends of the structures, whose sizes are given: a model built against an older header
 * runs as it did. */
#ifndef ORRERY_MODEL_H
#define ORRERY_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_MODEL_ABI 1u

enum orrery_unit { ORRERY_UNIT_NONE, ORRERY_UNIT_TIME, ORRERY_UNIT_SIZE, ORRERY_UNIT_BANDWIDTH };
enum orrery_sharing { ORRERY_SHARED, ORRERY_FATPIPE }; /* a fat pipe bounds each flow alone */

/* The way from one host to another. */
struct orrery_route {
	double latency, bandwidth; /* of all its links; the least of them, 0: no link */
	const uint32_t *links;     /* valid until the next call of orrery_route_find */
	uint32_t n_links;
};
/* On machines that change (profiles), figures of routes and links are those of the date. A link
 * whose bandwidth is 0 for a while has the last other one here; flows through it wait. A message
 * over a link that is off, or goes off while it is under way, ends the run: Orrery sees to that. */
struct orrery_link {
	double latency, bandwidth;
	enum orrery_sharing sharing;
};

/* A transfer through resources, which active flows share by weighted max-min fairness. */
struct orrery_flow {
	double amount, latency;    /* bytes, after so many seconds in which nothing is used */
	double bound;              /* highest rate; 0: none */
	double weight;             /* > 0: 1 if in doubt */
	const uint32_t *resources; /* each once */
	uint32_t n_resources;
};

/* A collective: all members have called it. */
struct orrery_collective {
	const char *operation;  /* "allreduce" */
	uint32_t members, root; /* root: which member, where there is one */
	const uint32_t *hosts;  /* of each member */
	double sent, received;  /* bytes of the call: at the root, where there is one; else the most
	                           of any member */
};

/* What Orrery gives; use the functions below. */
struct orrery_net;
struct orrery_api {
	uint32_t abi, size;
	int (*fail)(struct orrery_net *net, const char *text);
	const char *(*setting)(struct orrery_net *net, const char *key);
	int (*number)(struct orrery_net *net, const char *key, enum orrery_unit unit,
	              double otherwise, double *out);
	double (*now)(struct orrery_net *net);
	uint32_t (*hosts)(struct orrery_net *net);
	const char *(*host_name)(struct orrery_net *net, uint32_t host, char *buf, size_t n);
	int (*route_find)(struct orrery_net *net, uint32_t from, uint32_t to,
	                  struct orrery_route *out);
	int (*link_get)(struct orrery_net *net, uint32_t link, struct orrery_link *out);
	const char *(*link_name)(struct orrery_net *net, uint32_t link, char *buf, size_t n);
	int (*resource_of_link)(struct orrery_net *net, uint32_t link, uint32_t *out);
	int (*resource_new)(struct orrery_net *net, double capacity, enum orrery_sharing sharing,
	                    uint32_t *out);
	int (*timer)(struct orrery_net *net, double delay, uint64_t done);
	int (*flow)(struct orrery_net *net, const struct orrery_flow *f, uint64_t done);
	double (*noise)(struct orrery_net *net);
	void (*part)(struct orrery_net *net, uint64_t ticket, double from, const char *name);
};
struct orrery_net {
	const struct orrery_api *api;
};

/* What a model says it takes into account. Where it does not and it would matter, a notice tells
 * the user. */
enum { ORRERY_FOLLOWS_NOISE = 1, ORRERY_FOLLOWS_LINKS = 2 };

/* A link that a flow under way goes through has another bandwidth or latency now. The capacity that
 * flows share has changed already. */
struct orrery_revision {
	uint64_t done; /* what orrery_start_flow was given */
	uint32_t link;
	double bandwidth, latency; /* of the link, now */
	double bound, weight;      /* of the flow: set what they should be from now on */
};

struct orrery_model {
	uint32_t abi, size; /* ORRERY_MODEL_ABI, sizeof(struct orrery_model) */
	const char *name, *help;
	/* *state: the model's own, given to all other functions. NULL: it has none. */
	int (*init)(struct orrery_net *net, void **state);
	void (*release)(void *state);
	/* A message of `bytes` leaves now: start timers or flows, the last of which is done with
	 * `ticket`, once. */
	int (*message)(struct orrery_net *net, void *state, uint32_t from, uint32_t to,
	               double bytes, uint64_t ticket);
	/* NULL, or: what was started with orrery_event(number) is done. *ticket: set it and return
	 * 1 to say that this message has arrived now; 0: not yet, or nothing of the kind. */
	int (*event)(struct orrery_net *net, void *state, uint32_t number, uint64_t *ticket);
	/* NULL, or the duration of a collective, for smpi/collectives:analytic. */
	int (*collective)(struct orrery_net *net, void *state, const struct orrery_collective *c,
	                  double *seconds);
	/* NULL, or a sentence on what bounds such a message, for --explain. */
	void (*explain)(struct orrery_net *net, void *state, uint32_t from, uint32_t to,
	                double bytes, char *buf, size_t n);
	int envelope; /* 1: sizes have the 16 bytes of MPI's envelope added, as in SMPI; 0: they are
	                 the program's */
	int whole_collectives; /* 1: `collective` decides unless the user wants messages
	                          (smpi/collectives:simulated) */
	uint32_t follows;      /* ORRERY_FOLLOWS_… */
	/* NULL: flows keep their bounds and weights; or see struct orrery_revision. */
	int (*revise)(struct orrery_net *net, void *state, struct orrery_revision *r);
};
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct orrery_model orrery_model_entry;

/* Says why a function is about to return -1. Returns -1. */
static inline int orrery_fail(struct orrery_net *net, const char *text)
{
	return net->api->fail(net, text);
}
/* What --model x.so:key=value or the setting network/plugin gives, valid as long as the model; NULL
 * if neither does. What a model has not asked for when `init` returns it does not know: to
 * give it is an error. */
static inline const char *orrery_setting(struct orrery_net *net, const char *key)
{
	return net->api->setting(net, key);
}
/* The same as a number, with its unit ("2us", "1GBps"), 0 or more; `otherwise` if it is not
 * given. */
static inline int orrery_number(struct orrery_net *net, const char *key, enum orrery_unit unit,
                                double otherwise, double *out)
{
	return net->api->number(net, key, unit, otherwise, out);
}
static inline double orrery_now(struct orrery_net *net)
{
	return net->api->now(net);
}
static inline uint32_t orrery_hosts(struct orrery_net *net)
{
	return net->api->hosts(net);
}
static inline const char *orrery_host_name(struct orrery_net *net, uint32_t host, char *buf,
                                           size_t n)
{
	return net->api->host_name(net, host, buf, n);
}
static inline int orrery_route_find(struct orrery_net *net, uint32_t from, uint32_t to,
                                    struct orrery_route *out)
{
	return net->api->route_find(net, from, to, out);
}
static inline int orrery_link_get(struct orrery_net *net, uint32_t link, struct orrery_link *out)
{
	return net->api->link_get(net, link, out);
}
static inline const char *orrery_link_name(struct orrery_net *net, uint32_t link, char *buf,
                                           size_t n)
{
	return net->api->link_name(net, link, buf, n);
}
/* What flows over a link use. */
static inline int orrery_resource_of_link(struct orrery_net *net, uint32_t link, uint32_t *out)
{
	return net->api->resource_of_link(net, link, out);
}
/* One of the model's own: a bus, an interface. */
static inline int orrery_resource_new(struct orrery_net *net, double capacity,
                                      enum orrery_sharing sharing, uint32_t *out)
{
	return net->api->resource_new(net, capacity, sharing, out);
}
/* `done` of a timer or flow: the ticket of a message, which ends so once, or this. */
static inline uint64_t orrery_event(uint32_t number)
{
	return UINT64_C(1) << 63 | number;
}
static inline int orrery_start_timer(struct orrery_net *net, double delay, uint64_t done)
{
	return net->api->timer(net, delay, done);
}
static inline int orrery_start_flow(struct orrery_net *net, const struct orrery_flow *f,
                                    uint64_t done)
{
	return net->api->flow(net, f, done);
}

/* In `message`: by how much this one takes longer than the model says (noise of the network,
 * usually 1). */
static inline double orrery_noise(struct orrery_net *net)
{
	return net->api->noise(net);
}

/* For --explain: from that date on, which may be to come, the message is in the part of that name
 * ("waits for an interface"). Nothing need be reported of flows done with the ticket itself. */
static inline void orrery_part(struct orrery_net *net, uint64_t ticket, double from,
                               const char *name)
{
	net->api->part(net, ticket, from, name);
}

#ifdef __cplusplus
}
#endif

#endif
