/* model.h: a communication model: one file that ends in one `const struct net_model`, listed in
 * net_models[] (net.c). */
#ifndef ORRERY_NET_MODEL_H
#define ORRERY_NET_MODEL_H

#include "ports.h"

/* An activity that a model starts for itself has as user this bit and 63 others that the model
 * chooses; event gets the low 32 as its number, and all of them in *user. */
#define NET_OWN (UINT64_C(1) << 63)

/* A message under way whose link changed; what revise reads and writes. */
struct net_revision {
	struct host_id from, to;
	double bandwidth, latency; /* of its way when it began (compat: latency with the changes
	                              since, kept by revise) */
	double more_latency;       /* of the link that changed, s */
	double more_inverse;       /* 1 / its bandwidth, s/byte */
	double bound, weight;      /* now; revise sets them */
	double penalty;            /* compat: SimGrid's, of which the weight is the inverse; revise
	                              sets it, too, or 0 */
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
	/* what it is */
	const char *name;
	const char *aliases; /* blank-separated */
	const char *help;    /* one line */
	/* NULL: none; or what may follow "name:" in network/model, for messages */
	const char *arguments;
	/* Model's own defaults for settings that the user left alone. */
	const struct net_model_default {
		enum config_id id;
		const char *text;
	} * defaults;
	/* NULL, or the settings that this model reads and some other does not; CFG_COUNT at the
	 * end. A user's that only other models read is told (unused.c). */
	const enum config_id *own;
	enum net_links links;
	uint8_t parts; /* messages are flows that may go in parts (net_send.part) */
	uint8_t bare;  /* sizes of messages are the program's, without envelope */
	uint8_t whole; /* collectives are decided as a whole unless the user wants them simulated */

	/* NULL, or: are the settings that are this model's alone well formed? Asked of every model,
	 * whichever is in use: no text of a setting is accepted unread. */
	int (*settings)(const struct net *n, struct err *err);

	/* its state */
	int (*init)(struct net *n, void **state, struct err *err);
	void (*release)(void *state);

	/* messages: started, and while they are under way */
	int (*message)(struct net *n, void *state, const struct net_send *s, struct net_sent *out,
	               struct err *err); /* as net_message */
	/* NULL, or: the activity of that number (NET_OWN) has ended, now. 1: this is the completion
	 * that the caller waits for as *user; 0: it concerns the model alone; -1. */
	int (*event)(struct net *n, void *state, uint32_t number, uint64_t *user, struct err *err);
	/* NULL, or: the user of the message of which that is an activity of the model's own
	 * (NET_OWN). */
	uint64_t (*whose)(const void *state, uint32_t number);
	/* NULL, or: the caller has done all that it does at this date, the clock is about to
	 * move. */
	int (*settle)(struct net *n, void *state, struct err *err);
	/* NULL, or: a link that a message crosses has another bandwidth or latency now: its bound
	 * and weight from now on. */
	int (*revise)(struct net *n, void *state, struct net_revision *r, struct err *err);
	const struct net_ports *ports; /* or NULL */

	/* figures asked for without a message */
	/* NULL, or the seconds that a message takes when nothing else moves; negative with *err
	 * set. For textbook collectives. */
	double (*alone)(struct net *n, void *state, struct host_id from, struct host_id to,
	                double bytes, struct err *err);
	/* NULL, or as net_collective. */
	int (*collective)(struct net *n, void *state, const struct net_collective *c,
	                  double *seconds, struct err *err);
	/* NULL, or the bound (0: none) and the weight of such a message's flow: what else crosses
	 * the same links (storage.c) shares as it does. */
	int (*sharing)(struct net *n, void *state, struct host_id from, struct host_id to,
	               double bytes, double *bound, double *weight, struct err *err);

	/* words */
	/* NULL, or: what bounds a flow of this way that no shared link limits ("TCP window");
	 * returns buf, or NULL: there is no memory to tell. */
	const char *(*bound)(struct net *n, void *state, struct host_id from, struct host_id to,
	                     char *buf, size_t size);
	/* One paragraph on what bounds such a message: for --explain. */
	void (*explain)(struct net *n, void *state, struct host_id from, struct host_id to,
	                double bytes, struct str *out);
};
extern const struct net_model *const net_models[]; /* NULL-terminated */

#endif
