/* carrier_heap.c: the two heaps of a carrier: when its flows end, in virtual time, and up to which
 * level each promised enough (carrier.c). */
#include "carrier_int.h"

enum { CAPS_SPARE = 64 };

/* --- the heap of ends --- */

static int end_before(const struct carried *a, const struct carried *b)
{
	return a->ends < b->ends || (a->ends == b->ends && a->seq < b->seq);
}

static void end_put(struct engine *e, struct carrier *c, uint32_t at, struct carried x)
{
	c->ends[at] = x;
	e->activities[x.flow].moving = at;
}

static void end_up(struct engine *e, struct carrier *c, uint32_t at, struct carried x)
{
	for (; at > 0 && end_before(&x, &c->ends[(at - 1) / 2]); at = (at - 1) / 2)
		end_put(e, c, at, c->ends[(at - 1) / 2]);
	end_put(e, c, at, x);
}

static void end_down(struct engine *e, struct carrier *c, uint32_t at, struct carried x)
{
	for (uint32_t child; (child = 2 * at + 1) < c->n; at = child) {
		if (child + 1 < c->n && end_before(&c->ends[child + 1], &c->ends[child]))
			child++;
		if (end_before(&x, &c->ends[child]))
			break;
		end_put(e, c, at, c->ends[child]);
	}
	end_put(e, c, at, x);
}

void ends_remove(struct engine *e, struct carrier *c, uint32_t at)
{
	struct carried last = c->ends[--c->n];

	if (at == c->n)
		return;
	if (at > 0 && end_before(&last, &c->ends[(at - 1) / 2]))
		end_up(e, c, at, last);
	else
		end_down(e, c, at, last);
}

int ends_add(struct engine *e, struct carrier *c, struct carried x, struct err *err)
{
	void *p = vec_grow(c->ends, &c->ends_cap, sizeof *c->ends, (size_t)c->n + 1, "flows", err);

	if (!p)
		return -1;
	c->ends = p;
	end_up(e, c, c->n++, x);
	return 0;
}

/* --- the heap of caps --- */

double cap_level(const struct engine *e, const struct activity *a)
{
	return flow_promise(e, a) / a->weight;
}

int cap_holds(const struct engine *e, const struct carrier *c, const struct cap *x)
{
	const struct activity *a = &e->activities[x->flow];

	return a->state == ACTIVITY_CARRIED && carried_use(e, a)->resource == c->resource &&
	       cap_level(e, a) == x->level;
}

static void cap_up(struct carrier *c, uint32_t at, struct cap x)
{
	for (; at > 0 && x.level < c->caps[(at - 1) / 2].level; at = (at - 1) / 2)
		c->caps[at] = c->caps[(at - 1) / 2];
	c->caps[at] = x;
}

void caps_pop(struct carrier *c)
{
	struct cap x = c->caps[--c->n_caps];
	uint32_t at = 0;

	for (uint32_t child; (child = 2 * at + 1) < c->n_caps; at = child) {
		if (child + 1 < c->n_caps && c->caps[child + 1].level < c->caps[child].level)
			child++;
		if (x.level <= c->caps[child].level)
			break;
		c->caps[at] = c->caps[child];
	}
	c->caps[at] = x;
}

/* Those that hold no more are most of them. */
static void caps_sift(const struct engine *e, struct carrier *c)
{
	uint32_t n = c->n_caps;

	c->n_caps = 0;
	for (uint32_t i = 0; i < n; i++)
		if (cap_holds(e, c, &c->caps[i])) {
			struct cap x = c->caps[i];
			cap_up(c, c->n_caps++, x);
		}
}

int caps_add(struct engine *e, struct carrier *c, uint32_t id, struct err *err)
{
	if (c->n_caps > 2 * c->n + CAPS_SPARE)
		caps_sift(e, c);
	void *p = vec_grow(c->caps, &c->caps_cap, sizeof *c->caps, (size_t)c->n_caps + 1, "flows",
	                   err);
	if (!p)
		return -1;
	c->caps = p;
	cap_up(c, c->n_caps++, (struct cap){cap_level(e, &e->activities[id]), id});
	return 0;
}
