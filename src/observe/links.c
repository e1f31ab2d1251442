/* links.c: the busiest links of a run: what went over them, how much of their bandwidth that is,
 * and for how long they held messages back (docs/explain.md). */
#include "explain_int.h"

#include <stdio.h>
#include <stdlib.h>

struct busy {
	struct link_id link;
	struct net_link_use use;
	double share; /* of what it could have carried in the whole run */
};

struct busy_links {
	struct busy *all; /* the busiest first */
	uint32_t n;
};

static int busier(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->link.v > y->link.v) - (x->link.v < y->link.v);
}

/* -1: there is no memory to sort them. */
static int links_find(struct net *n, double makespan, struct busy_links *out)
{
	uint32_t links = platform_link_count(net_platform(n)), cap = 0;

	*out = (struct busy_links){NULL, 0};
	for (uint32_t l = 0; l < links; l++) {
		struct busy b = {.link = {l}}, *all;

		if (!net_link_use(n, b.link, &b.use) || !(b.use.moved > 0))
			continue;
		b.share = makespan > 0 ? b.use.moved / (b.use.bandwidth * makespan) : 0;
		all = vec_grow(out->all, &cap, sizeof *all, (size_t)out->n + 1, "links", NULL);
		if (!all) {
			free(out->all);
			return -1;
		}
		out->all = all;
		all[out->n++] = b;
	}
	if (out->n > 1)
		qsort(out->all, out->n, sizeof *out->all, busier);
	return 0;
}

void links_text(struct net *n, double makespan, struct str *out)
{
	enum { CELL = 32, SHOWN = 20 };
	char name[256], bytes[CELL], held[CELL];
	struct busy_links b;

	if (links_find(n, makespan, &b) < 0) {
		out->failed = 1;
		return;
	}
	if (b.n == 0)
		str_puts(out, "links: no message went over one, or the model has none\n");
	else
		str_printf(out,
		           "links, the busiest first, %u of %u that were used:\n"
		           "       carried    used     held back          link\n",
		           b.n < SHOWN ? b.n : SHOWN, b.n);
	for (uint32_t i = 0; i < b.n && i < SHOWN; i++) {
		const struct busy *x = &b.all[i];

		fmt_si(bytes, sizeof bytes, x->use.moved, "B");
		fmt_seconds(held, sizeof held, x->use.held);
		str_printf(out, "  %12s %5.1f %% %12s %5.1f %%  %s\n", bytes, 100 * x->share, held,
		           makespan > 0 ? 100 * x->use.held / makespan : 0,
		           platform_link_name(net_platform(n), x->link, name, sizeof name));
	}
	free(b.all);
}

void links_json(struct net *n, double makespan, struct json *j)
{
	char name[256];
	struct busy_links b;

	if (links_find(n, makespan, &b) < 0) {
		j->out->failed = 1;
		return;
	}
	json_key(j, "links");
	json_array(j);
	for (uint32_t i = 0; i < b.n; i++) {
		const struct busy *x = &b.all[i];

		json_object(j);
		json_put_string(j, "link",
		                platform_link_name(net_platform(n), x->link, name, sizeof name));
		json_put_double(j, "bytes", x->use.moved);
		json_put_double(j, "bandwidth", x->use.bandwidth);
		json_put_double(j, "utilisation", x->share);
		json_put_double(j, "held_back", x->use.held);
		json_end(j);
	}
	json_end(j);
	free(b.all);
}
