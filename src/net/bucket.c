/* bucket.c: links that were idle send the first bytes at once (setting network/burst): the token
 * bucket of a traffic shaper, of a cloud's network, of a switch with buffers. A link's level is
 * what it may send at once; it grows at the link's rate up to the burst, and falls by what is sent.
 * Below 0 it is in debt: what was promised is still under way, so that messages close behind each
 * other get no credit. A message's credit is the least of its links'. */
#include "net_int.h"

#include <stdlib.h>

struct level {
	double bytes, date;
};

struct buckets {
	double burst, header; /* bytes; header: of each message, besides its own */
	struct level *level;  /* by resource id; not yet used: full */
	uint32_t n, cap;
};

int buckets_init(struct net *n, struct err *err)
{
	double burst = config_number(n->cfg, CFG_NET_BURST);

	if (burst <= 0)
		return 0;
	n->buckets = calloc(1, sizeof *n->buckets);
	if (!n->buckets)
		return err_nomem(err, "buckets", sizeof *n->buckets);
	n->buckets->burst = burst;
	n->buckets->header = config_number(n->cfg, CFG_NET_BURST_HEADER);
	return 0;
}

void buckets_free(struct buckets *b)
{
	if (!b)
		return;
	free(b->level);
	free(b);
}

static int level_get(struct buckets *b, uint32_t resource, struct level **out, struct err *err)
{
	if (resource >= b->n) {
		struct level *level = vec_grow(b->level, &b->cap, sizeof *level,
		                               (size_t)resource + 1, "buckets", err);

		if (!level)
			return -1;
		b->level = level;
		for (; b->n <= resource; b->n++)
			level[b->n] = (struct level){b->burst, 0};
	}
	*out = &b->level[resource];
	return 0;
}

/* What has come in since the last look, at the rate of all that time. */
static void level_fill(const struct buckets *b, struct level *l, double now, double rate)
{
	l->bytes += (now - l->date) * rate;
	l->date = now;
	if (l->bytes > b->burst)
		l->bytes = b->burst;
}

void buckets_settle(struct net *n, struct resource_id r)
{
	struct buckets *b = n->buckets;

	if (b && r.v < b->n)
		level_fill(b, &b->level[r.v], engine_now(n->engine), engine_capacity(n->engine, r));
}

int buckets_take(struct net *n, const struct path *p, double bytes, const struct net_part *part,
                 double *credit, struct err *err)
{
	struct buckets *b = n->buckets;
	const double header = part->joined ? 0 : b->header * part->part;
	double now = engine_now(n->engine);
	struct level *l;

	bytes = bytes * part->part + header;
	*credit = bytes < b->burst ? bytes : b->burst;
	for (uint32_t i = 0; i < p->n_uses; i++) {
		const struct flow_use *u = &n->cache.uses[p->uses + i];

		if (u->coef < 1) /* acknowledgements on the way back */
			continue;
		if (level_get(b, u->resource.v, &l, err) < 0)
			return -1;
		level_fill(b, l, now, engine_capacity(n->engine, u->resource));
		if (*credit > l->bytes)
			*credit = l->bytes > 0 ? l->bytes : 0;
		l->bytes -= bytes;
	}
	if (p->n_uses == 0)
		*credit = 0;
	*credit -= header;
	return 0;
}
