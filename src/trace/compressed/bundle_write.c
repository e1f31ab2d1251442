/* bundle_write.c: the structure of a bundle as bytes (docs/formats/compressed-trace.md). */
#include "bundle.h"
#include "trace/column/turns.h"

#include <stdlib.h>

static void texts_put(const struct interned *t, struct str *out)
{
	varint_put(out, t->n ? t->n - 1 : 0);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t n;
		const char *text = interned_get(t, i, &n);

		varint_put(out, n - 1); /* its NUL is not written */
		str_putn(out, text, n - 1);
	}
}

static int64_t related(enum relation r, int64_t rank, int64_t ranks, int64_t v)
{
	switch (r) {
	case RELATION_MINUS:
		return v - rank;
	case RELATION_MODULO:
		return (v - rank + ranks) % ranks;
	case RELATION_XOR:
		return v ^ rank;
	default:
		return v;
	}
}

/* A rank as a function of the rank: by the relation that is shortest. */
static void peer_put(const struct column *c, const struct column *rank, uint32_t ranks,
                     struct str *out)
{
	int64_t *v = malloc(c->n * sizeof *v);
	struct str form = {0};
	size_t at = out->n;

	if (!v) {
		out->failed = 1;
		return;
	}
	for (int r = 0; r < RELATIONS; r++) {
		for (uint32_t i = 0; i < c->n; i++)
			v[i] = related((enum relation)r, column_item(rank, i), ranks,
			               column_item(c, i));
		str_clear(&form);
		column_put(&form, v, c->n);
		out->failed |= form.failed;
		if (r > 0 && form.n + 1 >= out->n - at)
			continue;
		out->n = at;
		str_putc(out, (char)r);
		str_putn(out, form.s, form.n);
	}
	str_release(&form);
	free(v);
}

static int is_default(const struct column *c, enum call_field f)
{
	return !c->v && c->same == call_field_default(f);
}

static int is_rank(const struct column *c, enum call_field f)
{
	return (f == CALL_PEER || f == CALL_PEER2) && column_item(c, 0) >= 0;
}

static void call_put(const struct bundle_class *c, uint32_t call, uint32_t ranks, struct str *out)
{
	const struct column *param = &c->param[class_param_at(call, 0)];
	uint32_t given = 0;

	for (uint32_t f = 0; f < CALL_FIELDS; f++)
		if (!is_default(&param[f], (enum call_field)f) && !(c->call[call].open >> f & 1))
			given |= UINT32_C(1) << f;
	varint_put(out, given);
	varint_put(out, c->call[call].open);
	for (uint32_t f = 0; f < CALL_FIELDS; f++) {
		if (!(given >> f & 1))
			continue;
		if (is_rank(&param[f], (enum call_field)f))
			peer_put(&param[f], &c->rank, ranks, out);
		else if (f == CALL_PEER || f == CALL_PEER2)
			str_putc(out, RELATION_NONE), column_write(out, &param[f]);
		else
			column_write(out, &param[f]);
	}
}

static void cost_put(const struct column *c, int is_double, struct str *out)
{
	int64_t *v;

	if (!is_double) {
		column_write(out, c);
		return;
	}
	if (!c->v) {
		doubles_put(out, &c->same, 1);
		return;
	}
	v = c->v;
	doubles_put(out, v, c->n);
}

/* How often each loop runs, where this is the same each time. */
static void runs_put(const struct bundle_class *c, const uint32_t *number, struct str *out)
{
	uint32_t slot = 0;

	for (uint32_t i = 0; i < c->nodes; i++) {
		if (!(c->node[i] & 1))
			slot += call_columns(&c->call[c->node[i] / 2]);
		else if (c->histogram[slot])
			str_putc(out, COLUMN_DRAWN), varint_put(out, number[c->histogram[slot++]]);
		else
			column_write(out, &c->cost[slot++]);
	}
}

static void turns_put(const uint32_t *turns, const uint32_t *number, struct str *out)
{
	int64_t v[TURNS_MOST];

	for (uint32_t i = 0; i < turns[0]; i++)
		v[i] = number[turns[i + 1]];
	str_putc(out, SCALE_TURNS);
	varint_put(out, turns[0]);
	column_put(out, v, turns[0]);
}

/* The columns of the leaves, in the order of the nodes. */
static void costs_put(const struct bundle_class *c, const uint32_t *number, struct str *out)
{
	uint32_t slot = 0;

	for (uint32_t i = 0; i < c->nodes; i++) {
		const struct call *call = &c->call[c->node[i] / 2];

		if (c->node[i] & 1) {
			slot++;
			continue;
		}
		for (uint32_t k = 0; k < call_columns(call); k++, slot++) {
			if (!c->histogram[slot]) {
				cost_put(&c->cost[slot], k < 2, out);
				continue;
			}
			if (c->turns[slot]) {
				turns_put(c->turns[slot], number, out);
				continue;
			}
			str_putc(out, k < 2 ? SCALE_HISTOGRAM : COLUMN_DRAWN);
			varint_put(out, number[c->histogram[slot]]);
		}
	}
}

static void class_put(const struct bundle_class *c, uint32_t ranks, const uint32_t *number,
                      struct str *out, struct str *costs)
{
	varint_put(out, c->rank.n);
	column_write(out, &c->rank);
	varint_put(out, c->calls);
	for (uint32_t i = 0; i < c->calls; i++)
		call_put(c, i, ranks, out);
	varint_put(out, c->top);
	varint_put(out, c->nodes);
	for (uint32_t i = 0; i < c->nodes; i++)
		varint_put(out, c->node[i]);
	runs_put(c, number, out);
	column_write(costs, &c->own);
	costs_put(c, number, costs);
}

/* What a rank takes in all, on average, of volumes or of durations of computations. */
static double rank_sum(const struct bundle *b, enum call_field f)
{
	double sum = 0;

	for (uint32_t i = 1; i < b->places.n; i++) {
		const int64_t *key = interned_get(&b->places, i, &(uint32_t){0});

		if (b->histogram[i - 1].top.n > 0 && key[0] == f)
			sum += b->histogram[i - 1].sum;
	}
	return b->members ? sum / b->members : 0;
}

/* From where on a value decides by itself how long the program takes: it may be an outlier. */
static double outlier_least(const struct bundle *b, uint32_t i)
{
	const int64_t *key = interned_get(&b->places, i, &(uint32_t){0});

	if (b->histogram[i - 1].top.n == 0)
		return 0;
	return rank_sum(b, (enum call_field)key[0]) * (100 - b->precision) / 1000;
}

/* The histograms that are used, by their new numbers; NULL: no memory. */
static uint32_t *histograms_put(const struct bundle *b, struct str *costs)
{
	uint32_t n = 0, *number = calloc((size_t)b->places.n + 1, sizeof *number);

	if (!number)
		return NULL;
	for (uint32_t k = 0; k < b->classes; k++)
		for (uint32_t i = 0; i < b->cls[k].slots; i++) {
			const uint32_t *turns = b->cls[k].turns[i];

			number[b->cls[k].histogram[i]] = 1;
			for (uint32_t t = 1; turns && t <= turns[0]; t++)
				number[turns[t]] = 1;
		}
	number[0] = 0;
	for (uint32_t i = 1; i < b->places.n; i++)
		if (number[i])
			number[i] = ++n;
	varint_put(costs, n);
	if (n > 0)
		varint_put(costs, (uint64_t)b->precision);
	for (uint32_t i = 1; i < b->places.n; i++)
		if (number[i])
			histogram_write(&b->histogram[i - 1], b->precision, outlier_least(b, i),
			                costs);
	return number;
}

void bundle_write(const struct bundle *b, uint32_t ranks, struct str *out, struct str *costs)
{
	uint32_t *number = histograms_put(b, costs);

	if (!number) {
		out->failed = 1;
		return;
	}
	varint_put(out, b->events);
	texts_put(&b->texts, out);
	interned_lists_put(&b->lists, out);
	varint_put(out, b->classes);
	for (uint32_t i = 0; i < b->classes; i++)
		class_put(&b->cls[i], ranks, number, out, costs);
	free(number);
}
