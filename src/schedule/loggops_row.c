/* loggops_row.c: in which row things happen at a date. All that is left of a date is agenda.part[0]
 * from `taken` on. Operations and messages are there in the order in which they came into being; a
 * look at a processor stands where what it is for would, had it come anew (docs/decisions/0019). */
#include "loggops_int.h"

#include <stdlib.h>
#include <string.h>

uint32_t lane_next(const struct run *r, uint32_t rank, const struct cpu *cpu, uint64_t *when)
{
	uint32_t best = SCHEDULE_NONE;

	*when = NEVER;
	for (uint32_t l = 0; l < r->n_lanes; l++) {
		uint32_t id = cpu->lane[l].first;
		uint64_t gate;

		if (id == SCHEDULE_NONE)
			continue;
		gate = gate_of(r, rank, l);
		if (gate > r->now)
			*when = gate < *when ? gate : *when;
		else if (best == SCHEDULE_NONE ||
		         r->s->op[id].date < r->s->op[cpu->lane[best].first].date)
			best = l;
	}
	return best;
}

/* What would begin at a HAPPEN_LOOK of now: when it came into being; NEVER: nothing. */
static uint64_t look_order(const struct run *r, const struct happening_at *h)
{
	const struct cpu *cpu = cpu_of(r, h->rank, h->op);
	uint64_t when;
	uint32_t lane = cpu->until <= r->now ? lane_next(r, h->rank, cpu, &when) : SCHEDULE_NONE;

	return lane == SCHEDULE_NONE ? NEVER : r->s->op[cpu->lane[lane].first].date;
}

/* The first of n operations and messages that came into being at `order` or later: they are sorted
 * by that, and no HAPPEN_LOOK is among them. */
static uint32_t place_of(const struct run *r, const struct happening_at *item, uint32_t n,
                         uint64_t order)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (r->s->op[item[mid].op].date < order)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A look keeps when it got its place in its date. */
uint64_t order_now(const struct run *r, uint32_t i)
{
	const struct happening_at *h = &r->agenda.part[0].item[i];

	return h->what == HAPPEN_LOOK ? h->date : r->s->op[h->op].date;
}

/* The first of that which came into being at `order` or later; the last one is what is placed. */
static uint32_t place_now(const struct run *r, uint64_t order)
{
	uint32_t low = r->agenda.taken, high = r->agenda.part[0].n - 1;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (order_now(r, mid) < order)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int looks_compare(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Mostly they are in their row. */
static void looks_sort(struct look *look, uint32_t n)
{
	uint32_t i = 1;

	while (i < n && look[i - 1].order <= look[i].order)
		i++;
	if (i < n)
		qsort(look, n, sizeof *look, looks_compare);
}

/* As place_of, where it is likely to be near. */
static uint32_t place_near(const struct run *r, const struct happening_at *item, uint32_t n,
                           uint64_t order)
{
	uint32_t from = 0, step = 1;

	while (from + step < n && r->s->op[item[from + step - 1].op].date < order) {
		from += step;
		step *= 2;
	}
	return from + place_of(r, item + from, from + step < n ? step : n - from, order);
}

/* Puts the looks of a date where what they are for would be, had it come anew. */
static void looks_merge(struct run *r, struct agenda_part *p, uint32_t others)
{
	struct happening_at *item = p->item, *sorted = r->sorted;
	uint32_t from = 0, to = 0, cap = p->cap;

	looks_sort(r->look, r->n_looks);
	for (uint32_t k = 0; k < r->n_looks; k++) {
		uint32_t n = place_near(r, item + from, others - from, r->look[k].order);

		memcpy(sorted + to, item + from, n * sizeof *sorted);
		from += n;
		to += n;
		sorted[to] = r->look[k].at;
		sorted[to++].date = r->look[k].order;
	}
	memcpy(sorted + to, item + from, (others - from) * sizeof *sorted);
	p->item = sorted;
	p->cap = r->sorted_cap;
	r->sorted = item;
	r->sorted_cap = cap;
}

int date_sort(struct run *r, struct err *err)
{
	struct agenda_part *p = &r->agenda.part[0];
	uint32_t others = 0;

	r->n_looks = 0;
	for (uint32_t i = 0; i < p->n; i++)
		r->n_looks += p->item[i].what == HAPPEN_LOOK;
	if (r->n_looks == 0 || p->n == 1)
		return 0;
	struct look *look = vec_grow(r->look, &r->looks_cap, sizeof *look, r->n_looks, "events",
	                             err);
	struct happening_at *sorted = vec_grow(r->sorted, &r->sorted_cap, sizeof *sorted, p->n,
	                                       "events", err);
	if (look)
		r->look = look;
	if (sorted)
		r->sorted = sorted;
	if (!look || !sorted)
		return -1;
	r->n_looks = 0;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->item[i].what == HAPPEN_LOOK)
			look[r->n_looks++] = (struct look){look_order(r, &p->item[i]), p->item[i]};
		else
			p->item[others++] = p->item[i];
	looks_merge(r, p, others);
	return 0;
}

/* The last of what happens now is a look: to its place among what is still to come. */
static void look_place(struct run *r, uint64_t order)
{
	struct agenda_part *p = &r->agenda.part[0];
	struct happening_at h = p->item[p->n - 1];
	uint32_t place = place_now(r, order);

	h.date = order;
	memmove(p->item + place + 1, p->item + place, (p->n - 1 - place) * sizeof *p->item);
	p->item[place] = h;
}

int look_at(struct run *r, uint32_t rank, uint32_t number, struct cpu *cpu, uint64_t date,
            struct err *err)
{
	struct happening_at h = {
	    .date = date, .op = number, .what = HAPPEN_LOOK, .rank = rank & 0x3fffffff};

	if (cpu->look <= date)
		return 0;
	cpu->look = date;
	if (agenda_add(&r->agenda, &h, err) < 0)
		return -1;
	if (date == r->now)
		look_place(r, look_order(r, &h));
	return 0;
}
