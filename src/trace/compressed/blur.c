/* blur.c: a bundle under a precision level: which values go to which histogram.
 *
 * Volumes and durations go there at once. Those of computations that are far from each other by
 * their place or their turn (turns.h) go to different ones, as all ranks are there at once. What
 * says who sends how much to whom, and how often loops around such calls run, is kept as it is, and
 * noted in histograms beside; when all ranks are in (bundle_settle), it is dropped where a reader
 * can draw it without harm:
 *  1. nothing in the bundle waits for anything but messages, requests and collectives;
 *  2. in a loop whose runs are drawn there is no collective, and nothing that each rank has of its
 *     own: what it has is drawn too, or the same each time;
 *  3. the values of a place differ by no more than the precision allows, or the precision is 0
 *     (Vijayakumar 2010, 4.4: what does not merge is kept). */
#include "bundle_int.h"
#include "trace/column/turns.h"
#include "trace/trace_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MOST = 256 }; /* of a place; what is behind goes to the last */

/* The histogram of a place (its number + 1), which `key` tells from others; 0 with *err set. */
static uint32_t histogram_get(struct bundle *b, const void *key, size_t n, struct err *err)
{
	uint32_t before = b->places.n, i;
	struct histogram *h = vec_grow(b->histogram, &b->cap_histograms, sizeof *h,
	                               (size_t)before + 1, "histograms", err);

	if (!h) /* before the place is there: each has its histogram */
		return 0;
	b->histogram = h;
	i = interned_put(&b->places, key, n, err);
	if (i == CALL_NONE)
		return 0;
	if (i >= before)
		histogram_init(&h[i - 1], b->precision);
	return i;
}

/* --- volumes, durations --- */

/* Calls of the same operation and size, computations of the same region, in all classes; k: which
 * of their levels. */
static uint32_t cost_histogram(const struct blurring *x, uint32_t k)
{
	const int64_t *f = x->cls->call[x->call].field;
	const int64_t key[] = {
	    x->field, f[CALL_OP], f[CALL_REGION], f[CALL_COUNT], f[CALL_SIZE], f[CALL_LINE], k};

	return histogram_get(x->b, key, sizeof key, x->err);
}

/* Of these, the one whose values are no further than a ratio from a level. */
static uint32_t level_histogram(const struct blurring *x, double level, double apart)
{
	uint32_t number = 0;

	for (uint32_t k = 0; k < LEVELS_MOST; k++) {
		uint32_t before = x->b->places.n;
		double *at;

		number = cost_histogram(x, k);
		if (number == 0)
			return 0;
		at = &x->b->histogram[number - 1].level;
		if (number >= before)
			*at = level;
		if (fmax(*at, level) <= apart * fmin(*at, level) || *at == level)
			break;
	}
	return number;
}

static int is_computation(const struct blurring *x)
{
	return x->cls->call[x->call].field[CALL_OP] == TRACE_COMPUTE;
}

/* As turns.h, of a column; at least 1. */
static uint32_t column_turns(const struct column *c, int precision, double *level, double *apart)
{
	uint32_t n = c->n < TURNS_LOOKED_AT ? c->n : TURNS_LOOKED_AT;
	double v[TURNS_LOOKED_AT];

	for (uint32_t i = 0; i < n; i++) {
		v[i] = bits_double(column_item(c, i));
		v[i] = v[i] > 0 ? v[i] : 0;
	}
	return turns_find(v, n, precision, level, apart);
}

/* The first member decides which values go apart: the others are in step with it. */
static int cost_begin(const struct blurring *x)
{
	double level[TURNS_MOST] = {0}, apart = 1;
	uint32_t n = is_computation(x) ? column_turns(x->values, x->b->precision, level, &apart)
	                               : 1;
	uint32_t *turns = n > 1 ? calloc((size_t)n + 1, sizeof *turns) : NULL, number;

	x->cls->turns[x->slot] = turns;
	if (n > 1 && !turns)
		return err_nomem(x->err, "histograms", n * sizeof *turns);
	if (turns)
		turns[0] = n;
	for (uint32_t i = n; i > 0; i--) {
		number = level_histogram(x, level[i - 1], apart);
		if (number == 0)
			return -1;
		x->cls->histogram[x->slot] = number;
		if (turns)
			turns[i] = number;
	}
	return 0;
}

static int cost_add(const struct blurring *x, uint32_t i, uint64_t times)
{
	const uint32_t *turns = x->cls->turns[x->slot];
	uint32_t number = turns ? turns[1 + i % turns[0]] : x->cls->histogram[x->slot];
	struct histogram *h = &x->b->histogram[number - 1];
	double v = bits_double(column_item(x->values, i));

	if (times == 1 && v > 0 && is_computation(x))
		outliers_note(&h->top, &(struct outlier){v, x->rank, x->slot, i});
	return histogram_add(h, v > 0 ? v : 0, times, x->rank, x->err);
}

/* What is 0, or not known (-1), for the first member, is kept. */
int blur_cost(const struct blurring *x)
{
	const struct column *c = x->values;
	const uint32_t *number = &x->cls->histogram[x->slot];
	uint32_t by_one;

	if (x->b->precision == 100 || c->n == 0)
		return *number != 0;
	if (*number == 0 && (x->cls->rank.n > 0 || (!c->v && !(bits_double(c->same) > 0))))
		return 0;
	if (*number == 0 && cost_begin(x) < 0)
		return -1;
	by_one = c->v || x->cls->turns[x->slot];
	for (uint32_t i = 0; i < c->n; i += by_one ? 1 : c->n)
		if (cost_add(x, i, by_one ? 1 : c->n) < 0)
			return -1;
	return 1;
}

/* --- messages, loops --- */

#define BIT(f) (UINT32_C(1) << (f))
static const uint32_t message_fields = BIT(CALL_PEER) | BIT(CALL_PEER2) | BIT(CALL_TAG) |
                                       BIT(CALL_TAG2) | BIT(CALL_COUNT) | BIT(CALL_COUNT2);

static int is_message(int64_t op)
{
	return trace_op_has((enum trace_op)op, TRACE_SENDS | TRACE_RECEIVES | TRACE_PROBES) &&
	       !trace_op_has((enum trace_op)op, TRACE_PARTITIONED);
}

/* Calls with the same parameters, what is open and the peers apart. */
static uint32_t message_histogram(const struct blurring *x)
{
	struct {
		struct call call;
		int64_t field;
	} key = {x->cls->call[x->call], x->field};
	static const enum call_field apart[] = {CALL_PEER, CALL_PEER2, CALL_REQ,
	                                        CALL_COMM, CALL_TEXT,  CALL_COUNTS};

	for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
		key.call.field[apart[i]] = 0;
	return histogram_get(x->b, &key, sizeof key, x->err);
}

/* A loop of a class. */
static uint32_t runs_histogram(const struct blurring *x)
{
	const int64_t key[] = {CALL_RUNS, x->cls - x->b->cls, x->slot};

	return histogram_get(x->b, key, sizeof key, x->err);
}

/* Ranks by how far they are ahead; MPI_PROC_NULL and its like stay what they are. */
static double note_value(const struct blurring *x, int64_t v)
{
	if ((x->field == CALL_PEER || x->field == CALL_PEER2) && v >= 0)
		v = (v - (int64_t)x->rank + (int64_t)x->b->ranks) % (int64_t)x->b->ranks;
	return (double)v;
}

int blur_note(const struct blurring *x)
{
	const struct column *c = x->values;
	uint32_t *number = &x->cls->maybe[x->slot];

	if (x->b->precision == 100 || x->b->ranks == 0)
		return 0;
	if (x->call != CALL_NONE && (!(message_fields >> x->field & 1) ||
	                             !is_message(x->cls->call[x->call].field[CALL_OP])))
		return 0;
	if (*number == 0)
		*number = x->call == CALL_NONE ? runs_histogram(x) : message_histogram(x);
	if (*number == 0)
		return -1;
	for (uint32_t i = 0; i < c->n; i += c->v ? 1 : c->n)
		if (histogram_add(&x->b->histogram[*number - 1], note_value(x, column_item(c, i)),
		                  c->v ? 1 : c->n, x->rank, x->err) < 0)
			return -1;
	return 0;
}

/* --- settling --- */

/* Whether a reader that draws knows what this waits for (stage.c). */
static int call_is_free(const struct call *c)
{
	int64_t op = c->field[CALL_OP], flags = c->field[CALL_FLAGS];
	int looks = op_has((uint8_t)op, TRACE_TESTS);

	if (flags & (TRACE_BY_KEY | TRACE_OLDEST | TRACE_LATEST | TRACE_LATEST_RECV |
	             TRACE_OUTSTANDING | TRACE_NAMELESS) ||
	    (flags & TRACE_NO_DONE && !looks && op != TRACE_IPROBE) || c->field[CALL_REMOTE])
		return 0;
	return !op_has((uint8_t)op,
	               TRACE_PARTITIONED | TAKES_PARTS | TRACE_WINDOW | TRACE_MPI_IO) &&
	       op != TRACE_INTERCOMM_CREATE && op != TRACE_INTERCOMM_MERGE &&
	       op != TRACE_COMM_IDUP && op != TRACE_RESOLVE;
}

static int bundle_is_free(const struct bundle *b)
{
	for (uint32_t k = 0; k < b->classes; k++)
		for (uint32_t i = 0; i < b->cls[k].calls; i++)
			if (!call_is_free(&b->cls[k].call[i]))
				return 0;
	return 1;
}

static uint32_t own_at(const struct bundle_member *m, uint32_t slot)
{
	uint32_t at;

	memcpy(&at, m->own + (size_t)slot * sizeof at, sizeof at);
	return at;
}

/* Which slots of a class some member has columns of its own for. */
static uint8_t *owned_find(const struct bundle *b, const struct bundle_class *cls, struct err *err)
{
	uint8_t *owned = calloc(cls->slots + 1, 1);

	if (!owned) {
		err_nomem(err, "the structure of a trace", cls->slots);
		return NULL;
	}
	for (uint32_t i = 0; i < b->members; i++) {
		const struct bundle_member *m = &b->member[i];

		for (uint32_t s = 0; &b->cls[m->cls] == cls && m->own && s < cls->slots; s++)
			owned[s] |= own_at(m, s) != 0;
	}
	return owned;
}

struct settling {
	struct bundle *b;
	struct bundle_class *cls;
	uint8_t *owned;
	uint32_t at, slot; /* next node, next slot */
	uint32_t drawn;
};

static void slot_draw(struct settling *x, uint32_t slot)
{
	uint32_t number = x->cls->maybe[slot];
	const struct histogram *h = number ? &x->b->histogram[number - 1] : NULL;

	if (!x->owned[slot] || !h || !histogram_fits(h) || !histogram_is_near(h, x->b->precision))
		return;
	x->cls->histogram[slot] = number;
	x->owned[slot] = 0;
	x->drawn++;
}

static int is_collective(const struct call *c)
{
	enum trace_op op = (enum trace_op)c->field[CALL_OP];

	return trace_op_is_collective(op) || trace_op_makes_comm(op) || op == TRACE_COMM_FREE ||
	       op == TRACE_INIT || op == TRACE_FINALIZE;
}

/* The next node, with what is in it: 1 if it could be in a loop whose runs are drawn. */
static int node_settle(struct settling *x)
{
	uint32_t node = x->cls->node[x->at++], first = x->slot;
	int free = 1;

	if (node & 1) {
		x->slot++;
		for (uint32_t k = 0; k < node / 2; k++)
			free &= node_settle(x);
		if (free)
			slot_draw(x, first);
		return free && !x->owned[first];
	}
	x->slot += call_columns(&x->cls->call[node / 2]);
	for (uint32_t s = first; s < x->slot; s++) {
		if (s >= first + 2)
			slot_draw(x, s);
		free &= !x->owned[s];
	}
	return free && !is_collective(&x->cls->call[node / 2]);
}

/* Takes what is drawn out of a member's own columns, which are in the order of their places. */
static void member_settle(const struct bundle_class *cls, struct bundle_member *m)
{
	uint32_t to = 4 * cls->slots, last = CALL_NONE, from = 0;

	for (uint32_t s = 0; s <= cls->slots; s++) {
		uint32_t at = s < cls->slots ? own_at(m, s) : m->bytes;

		if (at == 0)
			continue;
		if (last != CALL_NONE) {
			uint32_t moved = cls->histogram[last] ? 0 : to;

			memcpy(m->own + 4 * (size_t)last, &moved, sizeof moved);
			if (moved) {
				memmove(m->own + to, m->own + from, at - from);
				to += at - from;
			}
		}
		last = s;
		from = at;
	}
	m->bytes = to;
	if (to > 4 * cls->slots)
		return;
	free(m->own);
	m->own = NULL;
	m->bytes = 0;
}

static int members_settle(struct bundle *b, struct err *err)
{
	for (uint32_t k = 0; k < b->classes; k++)
		column_release(&b->cls[k].own);
	b->bytes = 0;
	for (uint32_t i = 0; i < b->members; i++) {
		struct bundle_member *m = &b->member[i];
		struct bundle_class *cls = &b->cls[m->cls];

		if (m->own)
			member_settle(cls, m);
		b->bytes += m->bytes;
		if (column_push(&cls->own, m->own != NULL, err) < 0)
			return -1;
	}
	return 0;
}

int bundle_settle(struct bundle *b, struct err *err)
{
	struct settling x = {.b = b};

	if (b->precision == 100 || b->ranks == 0 || !bundle_is_free(b))
		return 0;
	for (uint32_t k = 0; k < b->classes; k++) {
		x.cls = &b->cls[k];
		x.at = x.slot = 0;
		x.owned = owned_find(b, x.cls, err);
		if (!x.owned)
			return -1;
		while (x.at < x.cls->nodes)
			node_settle(&x);
		free(x.owned);
	}
	if (x.drawn == 0)
		return 0;
	return members_settle(b, err) < 0 ? -1 : 1;
}
