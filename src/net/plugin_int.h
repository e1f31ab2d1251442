/* plugin_int.h: a communication model in a shared object: what is kept of it. */
#ifndef ORRERY_NET_PLUGIN_INT_H
#define ORRERY_NET_PLUGIN_INT_H

#include "plugin.h"

#include <orrery/model.h>

enum { REASON_MAX = 512 };

struct plugin {
	struct orrery_net face; /* first: what the model gets is a pointer to it */
	struct net *net;
	struct net_model model;           /* as this room sees it */
	const struct orrery_model *entry; /* in the object */
	struct orrery_model theirs;       /* what it fills of it */
	struct str asked;                 /* "key key ": settings */
	void *handle, *state;
	char *values[2];         /* what settings are given in, cut where each value ends */
	struct hash64 open;      /* tickets of messages whose end is not known yet -> how many */
	char reason[REASON_MAX]; /* why it failed */
	struct route route;
	uint32_t *links, links_cap;
	struct flow_use *uses;
	uint32_t uses_cap;
	uint32_t *hosts, hosts_cap;
	double noise; /* of the message that it is asked for; else 1 */
};

/* plugin_api.c */
extern const struct orrery_api plugin_api; /* what models call */
/* What settings are given in is cut where each value ends. */
int plugin_values_cut(struct plugin *p, struct err *err);
/* A link as it is now; by how much its latency is more than the platform says, s. */
double plugin_link_now(const struct net *n, struct link_id l, struct link_info *info);
/* A message is under way from now on; -1 if it is not, with the reason; one of its ends has been
 * told. */
int plugin_ticket_give(struct plugin *p, uint64_t ticket, struct err *err);
int plugin_ticket_check(struct plugin *p, uint64_t ticket);
void plugin_ticket_take(struct plugin *p, uint64_t done);

#endif
