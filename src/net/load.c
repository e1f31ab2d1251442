/* load.c: how long the links that several messages cross need at least to carry them, whatever
 * shares them and when.
 *
 * In a flow model, the rates over a shared link add up to its bandwidth at most: what has crossed
 * it by a date is at most bandwidth x date. Acknowledgements are left out, a link that is not
 * shared (FATPIPE) says nothing; nor does any link where bandwidths change, token buckets let bytes
 * go by at once, or noise shortens messages. */
#include "model_flow.h"

#include <stdlib.h>

struct load {
	double *amount; /* by link; zeroed pages that nobody touches cost no memory */
	uint32_t *touched, n, cap;
	struct route route;
};

static struct load *load_get(struct net *n, struct err *err)
{
	uint32_t links = platform_link_count(n->platform);

	if (n->load)
		return n->load;
	n->load = calloc(1, sizeof *n->load);
	if (n->load)
		n->load->amount = calloc((size_t)links + 1, sizeof *n->load->amount);
	if (!n->load || !n->load->amount) {
		err_nomem(err, "bytes of links",
		          ((unsigned long long)links + 1) * sizeof *n->load->amount);
		return NULL;
	}
	route_init(&n->load->route);
	return n->load;
}

void load_free(struct load *l)
{
	if (!l)
		return;
	route_release(&l->route);
	free(l->amount);
	free(l->touched);
	free(l);
}

void net_load_clear(struct net *n)
{
	struct load *l = n->load;

	for (uint32_t i = 0; l && i < l->n; i++)
		l->amount[l->touched[i]] = 0;
	if (l)
		l->n = 0;
}

static int link_add(struct load *l, uint32_t link, double amount, struct err *err)
{
	if (l->amount[link] == 0) {
		uint32_t *touched = vec_grow(l->touched, &l->cap, sizeof *touched, (size_t)l->n + 1,
		                             "links", err);

		if (!touched)
			return -1;
		l->touched = touched;
		touched[l->n++] = link;
	}
	l->amount[link] += amount;
	return 0;
}

int net_load_add(struct net *n, struct host_id from, struct host_id to, double bytes, double *least,
                 struct err *err)
{
	double amount = n->model->message == flow_model_message ? flow_model_amount(n->state, bytes)
	                                                        : 0;
	struct load *l;

	if (amount <= 0 || n->changes || n->buckets || config_number(n->cfg, CFG_NOISE_SEED) != 0)
		return 0;
	l = load_get(n, err);
	if (!l || route_find(n->platform, from, to, &l->route, err) < 0)
		return -1;
	for (uint32_t i = 0; i < l->route.n; i++) {
		struct link_info info;
		double seconds;

		platform_link(n->platform, l->route.links[i], &info);
		if (info.policy != LINK_SHARED)
			continue;
		if (link_add(l, l->route.links[i].v, amount, err) < 0)
			return -1;
		seconds = l->amount[l->route.links[i].v] / info.bandwidth;
		*least = seconds > *least ? seconds : *least;
	}
	return 0;
}
