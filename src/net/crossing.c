/* crossing.c: links that change, in models whose messages are not flows over links (constant,
 * LogGPS, PSINS, Dimemas, plugins): which messages cross a link that goes off, and what of the
 * machine's profiles such a model cannot follow.
 *
 * Nothing here is asked when no link changes its state (or, where the model takes its figures from
 * routes, its bandwidth). */
#include "change.h"

#include <stdlib.h>
#include <string.h>

struct crossing {
	uint64_t user;
	struct host_id from, to;
};

/* Under way, in no order; index: user -> place. */
struct crossings {
	struct crossing *list;
	uint32_t n, cap;
	struct hash64 index;
	struct route route;
};

/* --- what is told once --- */

/* The first profile of a kind between two, and how many there are. */
static uint32_t profiles_of(const struct platform *p, enum profile_kind least,
                            enum profile_kind most, struct profile_use *first)
{
	const struct profile_use *uses;
	uint32_t count = platform_profiles(p, &uses), found = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (uses[i].kind < least || uses[i].kind > most)
			continue;
		if (found++ == 0)
			*first = uses[i];
	}
	return found;
}

int net_notices(const struct net *n, struct str *out)
{
	static const char *const why[] = {
	    [LINKS_FLOWS] = NULL,
	    [LINKS_UNKNOWN] =
	        "has no effect: the model does not know the bandwidth and latency of links (that "
	        "a link is off, it does)",
	    [LINKS_AT_START] =
	        "does not reach messages under way: they keep the bandwidth and latency that "
	        "their way had when sent",
	    [LINKS_UNSAID] =
	        "may not reach all messages: the model does not say that it follows links "
	        "(orrery/model.h)",
	    [LINKS_OWN] = NULL,
	};
	struct profile_use first;
	uint32_t count;
	char name[256];

	if (n)
		unused_notices(n, out);
	if (n && n->noise_unsaid && config_text(n->cfg, CFG_NOISE_SEED)[0] &&
	    config_text(n->cfg, CFG_NOISE_NETWORK)[0])
		str_printf(
		    out,
		    "model %s: noise/network does not reach its messages: it does not say that "
		    "it follows noise (orrery/model.h)\n",
		    n->model->name);
	if (n && !n->model->parts && strcmp(config_text(n->cfg, CFG_SMPI_CONNECTIONS), "none") != 0)
		str_printf(out,
		           "model %s: smpi/connections has no effect: only models of flows have "
		           "connections (hybrid, LV08, CM02)\n",
		           n->model->name);
	if (!n || !why[n->links])
		return out->failed ? -1 : 0;
	count = profiles_of(n->platform, PROFILE_BANDWIDTH, PROFILE_LATENCY, &first);
	if (count == 0)
		return out->failed ? -1 : 0;
	str_printf(
	    out, "model %s: profile %s of the %s of link '%s'", n->model->name,
	    profile_name(first.profile), profile_kind_word(first.kind),
	    platform_link_name(n->platform, (struct link_id){first.target}, name, sizeof name));
	if (count > 1)
		str_printf(out, " (and %u more)", count - 1);
	str_printf(out, " %s\n", why[n->links]);
	return out->failed ? -1 : 0;
}

/* --- messages --- */

int crossings_init(struct net *n, struct err *err)
{
	struct profile_use first;

	if (n->links == LINKS_FLOWS ||
	    (profiles_of(n->platform, PROFILE_LINK, PROFILE_LINK, &first) == 0 &&
	     (n->links != LINKS_AT_START ||
	      profiles_of(n->platform, PROFILE_BANDWIDTH, PROFILE_BANDWIDTH, &first) == 0)))
		return 0;
	n->crossings = calloc(1, sizeof *n->crossings);
	if (!n->crossings)
		return err_nomem(err, "messages under way", sizeof *n->crossings);
	hash64_init(&n->crossings->index);
	route_init(&n->crossings->route);
	return 0;
}

void crossings_free(struct crossings *c)
{
	if (!c)
		return;
	hash64_release(&c->index);
	route_release(&c->route);
	free(c->list);
	free(c);
}

/* A model that decides when a message arrives as it is sent cannot have it wait for bandwidth. */
static int link_moves(const struct net *n, struct link_id l, struct err *err)
{
	struct link_info info;
	char name[256];

	platform_link(n->platform, l, &info);
	if (n->links != LINKS_AT_START || change_capacity(n, l, info.bandwidth) > 0)
		return 0;
	return err_set(err, ERR_PROGRAM,
	               "link '%s' has bandwidth 0, which in model %s is as good as off,",
	               platform_link_name(n->platform, l, name, sizeof name), n->model->name);
}

int crossing_begin(struct net *n, struct host_id from, struct host_id to, uint64_t user,
                   struct err *err)
{
	struct crossings *c = n->crossings;
	struct crossing *list;
	struct err why;

	if (route_find(n->platform, from, to, &c->route, &why) < 0) {
		if (why.kind != ERR_LIMIT)
			return 0; /* the model does without */
		*err = why;
		return -1;
	}
	for (uint32_t i = 0; i < c->route.n; i++) {
		if (change_link_on(n, c->route.links[i], err) < 0 ||
		    link_moves(n, c->route.links[i], err) < 0)
			return -1;
	}
	list = vec_grow(c->list, &c->cap, sizeof *list, (size_t)c->n + 1, "messages under way",
	                err);
	if (!list)
		return -1;
	c->list = list;
	list[c->n] = (struct crossing){user, from, to};
	return hash64_put(&c->index, user, c->n++, err);
}

void crossing_end(struct net *n, uint64_t user)
{
	struct crossings *c = n->crossings;
	uint32_t at = hash64_remove(&c->index, user), last = c->n - 1;

	if (at == HASH_NONE)
		return;
	c->n--;
	if (at == last)
		return;
	c->list[at] = c->list[last];
	hash64_put(&c->index, c->list[at].user, at, NULL); /* the key is there: it cannot fail */
}

int crossing_find(struct net *n, struct link_id l, uint64_t *user, struct err *err)
{
	struct crossings *c = n->crossings;

	for (uint32_t i = 0; i < c->n; i++) {
		if (route_find(n->platform, c->list[i].from, c->list[i].to, &c->route, err) < 0)
			return -1;
		for (uint32_t k = 0; k < c->route.n; k++) {
			if (c->route.links[k].v != l.v)
				continue;
			*user = c->list[i].user;
			return 1;
		}
	}
	return 0;
}
