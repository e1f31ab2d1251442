/* sweep.c: the rates of the open flows: progressive filling (Bertsekas and Gallager, 6.5.2) over
 * the room that the background leaves, which opens other flows as late as it can.
 *
 * The level of all open flows rises together. Every touched resource has a key, the level at which
 * it is next to be looked at: the smaller of the level at which its open flows saturate it (room /
 * heft; heft: the sum of coef * weight of its flows without a rate) and of its old level, while
 * background flows are limited there. The least key is next:
 *   - open flows through it whose ceiling is below are fixed at their ceiling: nothing else can
 *     stop them earlier;
 *   - at its old level, with room left: the flows that it limited gain, and are opened (so they are
 *     where a departure has let somebody else above that level);
 *   - at saturation: members above this level must come down, and are opened; if there are none its
 *     open flows are fixed.
 *
 * No round of repair follows, because nothing that is fixed is disturbed by what is opened later.
 * Whoever is opened has a level of at least the sweep's. A saturated resource has no member above
 * its level when it is saturated, so that a flow opened later through it is tied with it. And no
 * key falls below the sweep's level: room / heft becomes a mean of what it was and of the level of
 * the flow that is opened.
 *
 * The flow of a carrier (carrier.c) rises as one, through all contended resources of those that it
 * carries. Where another resource than its own is saturated first, those of them that go through it
 * are taken out of it and opened one by one: the sum of what is open is the same, nothing that was
 * fixed is touched, and the rest goes on rising. Two resources that are tied would take them from
 * each other at each repair, so then its own is looked at first.
 *
 * Right, because the rule (each flow has its ceiling, or a resource that is full and where no flow
 * has a higher level) characterises the max-min solution. It holds for the fixed by construction,
 * for the background at touched resources because these end full at their old level and nobody is
 * above, elsewhere because nothing changed. It ends, because the set of open flows only grows, at
 * worst to the connected component.
 *
 * Keys only rise while flows are fixed, so they are lower bounds then, renewed when they are the
 * least. Up to MANY touched resources the least is looked for, above that there is a heap: each of
 * its moves is a branch that is mispredicted half of the time, the search has none. Levels within
 * SAME_LEVEL are tied: two resources that fill up together are found so by different sums.
 */
#include "carrier_int.h"
#include "repair_int.h"

#include <math.h>
#include <string.h>

enum { MANY = 256 };

/* --- the least key --- */

static int key_before(const struct repair *p, uint32_t a, uint32_t b)
{
	return p->keys[a] < p->keys[b] || (p->keys[a] == p->keys[b] && a < b);
}

static void heap_put(struct repair *p, uint32_t at, uint32_t i)
{
	p->heap[at] = i;
	p->place[i] = at;
}

static __attribute__((noinline)) void heap_up(struct repair *p, uint32_t i)
{
	uint32_t at = p->place[i];

	for (; at > 0 && key_before(p, i, p->heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap_put(p, at, p->heap[(at - 1) / 2]);
	heap_put(p, at, i);
}

static __attribute__((noinline)) void heap_down(struct repair *p, uint32_t i)
{
	uint32_t at = p->place[i];

	for (uint32_t child; (child = 2 * at + 1) < p->n_heap; at = child) {
		if (child + 1 < p->n_heap && key_before(p, p->heap[child + 1], p->heap[child]))
			child++;
		if (!key_before(p, p->heap[child], i))
			break;
		heap_put(p, at, p->heap[child]);
	}
	heap_put(p, at, i);
}

static inline void key_set(struct repair *p, uint32_t i, double key)
{
	double before = p->keys[i];

	p->keys[i] = key;
	if (i >= p->n_heap)
		return;
	if (key < before)
		heap_up(p, i);
	else
		heap_down(p, i);
}

/* There is nothing more to do at i, if that is so. */
static inline void key_end(struct repair *p, uint32_t i, int over)
{
	static const double more[2] = {0, KEY_NONE};

	if (p->n_heap > 0 && over)
		key_set(p, i, KEY_NONE);
	else
		p->keys[i] += more[over];
}

/* The heap has all touched resources, or none. */
static void heap_extend(struct repair *p)
{
	while (p->n_heap < p->n_touched) {
		p->place[p->n_heap] = p->n_heap;
		p->heap[p->n_heap] = p->n_heap;
		heap_up(p, p->n_heap++);
	}
}

/* The first whose key is the least. Without a branch for each, which would be mispredicted: nothing
 * tells where the least is. */
static uint32_t key_least(const struct repair *p)
{
	pair a = {KEY_NONE, KEY_NONE}, b = a;
	const double *k = p->keys, *end = k + p->n_touched;
	unsigned found;

	if (p->n_heap > 0)
		return p->heap[0];
	for (; k < end; k += KEYS_TOGETHER) {
		a = pair_least(pair_load(k), a);
		b = pair_least(pair_load(k + 2), b);
		a = pair_least(pair_load(k + 4), a);
		b = pair_least(pair_load(k + 6), b);
	}
	a = pair_least(a, b);
	a = pair_least((pair){a[1], a[0]}, a);
	for (k = p->keys;; k += KEYS_TOGETHER) {
		found = pair_equal(pair_load(k), a) | pair_equal(pair_load(k + 2), a) << 2 |
		        pair_equal(pair_load(k + 4), a) << 4 | pair_equal(pair_load(k + 6), a) << 6;
		if (found)
			return (uint32_t)(k - p->keys) + (uint32_t)__builtin_ctz(found);
	}
}

/* --- keys --- */

static inline double touched_key(struct touched *t)
{
	double room = sum2x2_value(&t->left, ROOM), level = INFINITY;
	int gain = room > FULL * t->capacity;

	if (t->open > 0) {
		level = room > 0 ? room / sum2x2_value(&t->left, HEFT) : 0;
		gain = level > t->old_level * (1 + SAME_LEVEL);
	} else if (room < -FULL * t->capacity && t->level < 0) {
		level = 0; /* too much is given out */
	}
	t->fills = level;
	t->low = 0;
	return number_of((t->limited > 0) & (t->old_level < level) & (gain | t->above),
	                 t->old_level, level);
}

/* What the flows that the resource limits, and that are not open, get. */
static double touched_limited(struct engine *e, const struct touched *t)
{
	struct resource *r = &e->resources[t->resource];
	const struct member *m = resource_members(e, r), *end = m + resource_limits(e, r);
	double heft = 0;

	for (; m < end; m++) {
		const struct activity *a = &e->activities[m->activity];
		heft += number_if(a->moving == NO_ID, member_coef(e, r, *m) * a->weight);
	}
	return heft * t->old_level;
}

/* The flows that it limits stay as they are while the open ones leave them all but a share of what
 * they have, and hardly more. */
static __attribute__((noinline)) double rippling_key(struct engine *e, struct touched *t)
{
	double room = sum2x2_value(&t->left, ROOM),
	       heft = t->open > 0 ? sum2x2_value(&t->left, HEFT) : 0;
	double more = room - heft * t->old_level, slack;

	if (t->limited == 0 || t->above)
		return touched_key(t);
	slack = e->ripple_end * touched_limited(e, t);
	if (more > slack)
		return touched_key(t);
	t->fills = t->open > 0 ? t->old_level : INFINITY;
	t->low = 0;
	if (more >= -slack)
		return t->fills;
	return heft > 0 ? larger(0, (room + slack) / heft) : 0; /* then they are opened */
}

static inline double key_of(struct engine *e, struct touched *t)
{
	return __builtin_expect(e->ripple_end > 0, 0) ? rippling_key(e, t) : touched_key(t);
}

static void keys_renew(struct engine *e)
{
	struct repair *p = e->repair;

	if (p->n_touched > MANY)
		heap_extend(p);
	while (p->n_stale > 0) {
		uint32_t i = p->stale[--p->n_stale];
		p->touched[i].stale = 0;
		key_set(p, i, key_of(e, &p->touched[i]));
	}
}

/* --- fixing --- */

/* Gives the flow of a carrier its level. */
static void carrier_fix(struct engine *e, struct moving *m, double level, uint32_t limiter)
{
	struct repair *p = e->repair;
	const struct activity *flow = &e->activities[m->activity];
	const struct carrier_use *use = carrier_of_flow(e, flow)->uses;

	if (fabs(level - flow->rate) <= SAME_RATE * flow->rate)
		level = flow->rate;
	m->rate = level;
	m->limiter = limiter;
	m->fixed = 1;
	pair given = {-level, -1};
	level *= 1 + 2 * SAME_RATE;
	for (uint32_t k = 0; k < m->n_steps; k++) {
		const struct step *s = &p->steps[m->steps + k];
		struct touched *t = &p->touched[s->touched];
		if (s->gone)
			continue;
		sum2x2_add(&t->left, (pair){use[k].coef, use[k].coef} * given);
		t->low = 1;
		t->foreign -= k > 0;
		t->fastest = k > 0 ? larger(t->fastest, level) : t->fastest;
		key_end(p, s->touched, (--t->open | t->limited) == 0);
	}
}

/* Gives m, of activity a, its rate. A rate that is the old one but for rounding is the old one: its
 * neighbours then need not change either. limiter: the step of what limits it, or NO_ID. */
static void moving_fix(struct engine *e, struct moving *m, const struct activity *a, double rate,
                       double level, uint32_t limiter)
{
	if (__builtin_expect(m->carrier, 0)) {
		carrier_fix(e, m, level, limiter);
		return;
	}
	struct repair *p = e->repair;

	if (fabs(rate - a->rate) <= SAME_RATE * a->rate)
		rate = a->rate;
	m->rate = rate;
	m->limiter = limiter;
	m->fixed = 1;
	double *spared = limiter == NO_ID ? NULL : &p->touched[p->steps[limiter].touched].fastest;
	double fastest = spared ? *spared : 0;
	pair given = {-rate, -a->weight};
	level *= 1 + 2 * SAME_RATE; /* not below rate / weight, whatever the rounding */
	for (uint32_t at = m->steps, end = at + m->n_steps; at < end; at++) {
		const struct step *s = &p->steps[at];
		struct touched *t = &p->touched[s->touched];
		double coef = step_coef(e, a, s);
		sum2x2_add(&t->left, (pair){coef, coef} * given);
		t->low = 1;
		t->fastest = larger(t->fastest, level);
		key_end(p, s->touched, (--t->open | t->limited) == 0);
	}
	if (spared)
		*spared = fastest;
}

/* At its ceiling. */
static inline void moving_fix_top(struct engine *e, struct moving *m)
{
	const struct activity *a = &e->activities[m->activity];

	moving_fix(e, m, a, moving_ceiling(e, a), m->top, NO_ID);
}

/* Fixes the flows whose ceiling comes first; keeps in the list of the resource those that still
 * have no rate. Their number. */
static uint32_t fix_ceilings(struct engine *e, struct touched *t, double level)
{
	struct repair *p = e->repair;
	uint32_t fixed = 0, *link = &t->first;

	level *= 1 + SAME_RATE;
	if (t->lowest > level)
		return 0;
	t->lowest = INFINITY;
	for (uint32_t at = *link; at != NO_ID; at = p->steps[at].next) {
		struct moving *m = &p->moving[p->steps[at].moving];
		if (m->fixed)
			continue;
		if (m->top <= level) {
			moving_fix_top(e, m);
			fixed++;
			continue;
		}
		if (m->top < t->lowest)
			t->lowest = m->top;
		*link = at;
		link = &p->steps[at].next;
	}
	*link = NO_ID;
	return fixed;
}

static void fix_at_resource(struct engine *e, uint32_t index, double level)
{
	struct repair *p = e->repair;
	struct touched *t = &p->touched[index];

	for (uint32_t at = t->first; t->open > 0; at = p->steps[at].next) {
		struct moving *m = &p->moving[p->steps[at].moving];
		if (m->fixed | p->steps[at].gone)
			continue;
		const struct activity *a = &e->activities[m->activity];
		moving_fix(e, m, a, level * a->weight, level, at);
	}
	t->first = NO_ID;
	t->lowest = INFINITY;
	t->level = level;
}

/* --- opening --- */

/* Opens the flows that a resource limits and that are not open. */
static int open_limited(struct engine *e, uint32_t r, struct err *err)
{
	const struct member *m = resource_members(e, &e->resources[r]),
	                    *end = m + resource_limits(e, &e->resources[r]);

	for (; m < end; m++)
		if (repair_add(e, m->activity, err))
			return -1;
	return 0;
}

/* Of the background flows of a resource that its open ones saturate at this level: above which
 * level must they be opened? Each pass finds the level of saturation with those above the level of
 * the pass before, which only rises, until they stay the same (or none are left: those of the pass
 * before are tied with the others). *highest: nobody who is not above is higher. */
static double level_to_open(struct engine *e, const struct touched *t, double level,
                            double *highest)
{
	struct resource *r = &e->resources[t->resource];
	const struct member *m = resource_members(e, r);
	double had_room = sum2x2_value(&t->left, ROOM), had_heft = sum2x2_value(&t->left, HEFT);
	double before = e->ripple_end > 0 ? level * e->tied : level;
	uint32_t had = resource_uncarried(e, r);

	for (uint32_t joined = NO_ID;;) {
		double room = had_room, heft = had_heft, above = level * e->tied;
		double others = 0;
		uint32_t n = 0;
		for (uint32_t i = 0; i < had; i++) {
			const struct activity *a = &e->activities[m[i].activity];
			double rate = number_if(a->moving == NO_ID, a->rate);
			if (rate > above * a->weight) {
				double coef = member_coef(e, r, m[i]);
				room += coef * rate;
				heft += coef * a->weight;
				n++;
			} else {
				others = larger(others, rate / a->weight);
			}
		}
		*highest = others;
		if (n == 0 || n == joined)
			return n == 0 ? before : above;
		joined = n;
		before = above;
		level = larger(level, room / heft);
	}
}

/* Opens the members of a resource, saturated at this level, that are above it. */
static int open_faster(struct engine *e, uint32_t index, double level, struct err *err)
{
	const struct touched *t = &e->repair->touched[index];
	struct book *b = &e->books[t->book];
	struct resource *r = &e->resources[t->resource];
	uint32_t n = resource_uncarried(e, r);
	double above = level * e->tied, highest;

	if ((t->n == n) |
	    ((b->others_level <= above) & ((t->limited == 0) | (t->old_level <= above))))
		return 0;
	above = level_to_open(e, t, level, &highest);
	const struct member *m = resource_members(e, r);
	for (uint32_t i = 0; i < n; i++) {
		const struct activity *a = &e->activities[m[i].activity];
		if ((a->moving == NO_ID) & (a->rate > above * a->weight) &&
		    repair_add(e, m[i].activity, err))
			return -1;
	}
	b->others_level = highest; /* the open ones are counted when all is done */
	return 0;
}

/* --- carried flows, on another resource than that which carries them --- */

/* The carrier's flow of m loses `id`, which is open by itself from now on. */
static int split_flow(struct engine *e, uint32_t m, uint32_t id, struct err *err)
{
	struct repair *p = e->repair;
	const struct activity *a = &e->activities[id],
	                      *flow = &e->activities[p->moving[m].activity];
	uint32_t first = p->moving[m].steps, limiter = a->limiter;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct use *u = engine_uses(e, a) + k;
		if (!u->contended)
			continue;
		const struct step *s = &p->steps[first + carrier_use_of(e, flow, u->resource)];
		struct touched *t = &p->touched[s->touched];
		/* What it has there is its own; repair_add opens it, and counts it. */
		sum2x2_add(&t->left, (pair){-coef_at(e, a, u) * (flow->rate * a->weight),
		                            -step_coef(e, flow, s)});
	}
	if (flow_uncarry(e, id, err))
		return -1;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct use *u = engine_uses(e, a) + k;
		if (!u->contended)
			continue;
		uint32_t use = carrier_use_of(e, flow, u->resource);
		struct step *s = &p->steps[first + use];
		struct touched *t = &p->touched[s->touched];
		sum2x2_add(&t->left, (pair){0, step_coef(e, flow, s)});
		s->gone = carrier_use_flows(e, flow, use) == 0;
		t->open -= s->gone;
		t->foreign -= s->gone & (use > 0);
		t->limited += k == limiter;
	}
	return repair_add(e, id, err);
}

/* Does the resource that carries the flows of m fill up at this level too? Then it is to be looked
 * at first, and they stay where they are. Each resource waits for another once, so that two do not
 * wait for one another. */
static int tied(struct engine *e, uint32_t index, const struct moving *m, double level)
{
	struct repair *p = e->repair;
	uint32_t own = p->steps[m->steps].touched;
	struct touched *t = &p->touched[own];

	if (p->touched[index].deferred)
		return 0;
	double key = key_of(e, t);
	key_set(p, own, key);
	if (t->fills > level * (1 + SAME_LEVEL))
		return 0;
	p->touched[index].deferred = 1;
	key_set(p, index, nextafter(larger(key, p->keys[index]), INFINITY));
	return 1;
}

/* The resource is saturated at this level. Flows that are carried elsewhere are limited here now,
 * or by themselves before: they are opened one by one. */
static int open_carried(struct engine *e, uint32_t index, double level, struct err *err)
{
	struct repair *p = e->repair;
	uint32_t resource = p->touched[index].resource;

	for (uint32_t at = p->touched[index].first, next; at != NO_ID; at = next) {
		const struct step s = p->steps[at];
		uint32_t m = s.moving;
		next = s.next;
		if (!p->moving[m].carrier || p->moving[m].fixed || s.use == 0 || s.gone)
			continue;
		if (tied(e, index, &p->moving[m], level))
			return 0;
		const struct activity *flow = &e->activities[p->moving[m].activity];
		const uint32_t *flows;
		uint32_t n;
		if (carried_on(e, flow, resource, &flows, &n, err))
			return -1;
		for (uint32_t i = 0; i < n; i++)
			if (split_flow(e, m, flows[i], err))
				return -1;
		if (carrier_size(e, flow) > 0)
			continue;
		p->moving[m].fixed = 1; /* nothing is left of it */
		p->moving[m].rate = flow->rate;
	}
	return 0;
}

/* --- the sweep --- */

/* The resource is next, at this level. */
static int sweep_step(struct engine *e, uint32_t index, double key, double level, struct err *err)
{
	struct repair *p = e->repair;
	struct touched *t = &p->touched[index];
	uint32_t before = p->n_moving;

	if (fix_ceilings(e, t, key) > 0)
		return 0;
	if (key < level)
		return open_limited(e, t->resource, err);
	if (open_faster(e, index, level, err))
		return -1;
	uint8_t waits = p->touched[index].deferred;
	if (p->n_moving == before && p->touched[index].foreign > 0 &&
	    open_carried(e, index, level, err))
		return -1;
	if (p->n_moving == before && p->touched[index].deferred == waits) {
		key_set(p, index, KEY_NONE);
		fix_at_resource(e, index, level);
	}
	return 0;
}

/* What no resource limits has its ceiling. */
static void fix_rest(struct engine *e)
{
	struct moving *m = e->repair->moving, *end = m + e->repair->n_moving;

	for (; m < end; m++)
		if (!m->fixed)
			moving_fix_top(e, m);
}

static int repair_sweep(struct engine *e, struct err *err)
{
	struct repair *p = e->repair;

	p->n_heap = 0;
	for (;;) {
		keys_renew(e);
		if (p->n_touched == 0)
			break;
		uint32_t i = key_least(p);
		if (p->keys[i] >= KEY_NONE)
			break;
		struct touched *t = &p->touched[i];
		double key = t->low ? key_of(e, t) : p->keys[i];
		if (key > p->keys[i])
			key_set(p, i, key);
		else if (sweep_step(e, i, key, t->fills, err))
			return -1;
	}
	fix_rest(e);
	return 0;
}

int repair_run(struct engine *e, uint32_t *size, struct err *err)
{
	*size = 0;
	do {
		/* who becomes contended may find no memory, which nobody is told of there */
		if (e->broken || repair_sweep(e, err) || e->broken)
			return -1;
		*size += e->repair->n_moving;
		e->repair_uses += e->repair->n_steps;
		if (repair_commit(e, err))
			return -1;
	} while (e->repair->n_touched > 0);
	return 0;
}
