/* nap.c: a sleep that ends early when something happens to the rank: a request of it is complete, a
 * message for it is there, a partition has arrived. A running program that looks again and again
 * (MPI_Test, MPI_Iprobe) sleeps so between two looks: then it finds what it looks for at the date
 * at which a wait would end, however long the sleeps have grown.
 *
 * A loop may look for several things in turn. What has happened may be what another one of its
 * looks will find, and nothing more may happen: so after each event, and after a request was found
 * complete, no look sleeps until all of the loop have come, that is, until the first of them is
 * there again: the first test, where a loop probes before each. A message that is found and not
 * received is no such event: a loop may find it for ever.
 *
 * Sleeps grow so that a loop that waits takes few steps. Another loop looks once for each piece of
 * a little work, and ends when the work is done: its looks take the time that they take, no more.
 * Which loop it is shows at its end only. It was of the second kind if no look found anything, but
 * work or another call has ended the row (mp_looks_end), or if what was found had been there for
 * some looks. From then on the first looks of a row of that rank, as many as the longest such row
 * had, do not grow.
 *
 * A row of naps that grow by one look each has as many looks as the square root of its length.
 * Once a wait of the rank was found to be long, at the date at which it ended, a row of the same
 * call comes to an eighth of that length by doublings and goes on by such strides, for twice that
 * length at most: then it grows as before, so that a row that gives up has not lasted much longer
 * for it. It does not stride where it reads the clock, too: it may give up at a date, and would
 * come late.
 *
 * Who looks in vain waits. A look that naps is waiting until something is found in it; one that
 * finds nothing is the price of a look if it is the first of its row, else waiting, too. What ended
 * the row is told to an explanation as of any wait (struct mp_watch). */
#include "mp_int.h"

#include <math.h>

enum { NAP_BEGINS, NAP_OVER };

int op_nap(struct mp *mp, struct op *op, double seconds, struct err *err)
{
	struct activity_id timer;

	if (turns_are_taken(mp))
		turn_occupies(mp, op->rank);
	if (engine_timer(mp->engine, seconds, event_user(EVENT_RANK, op->rank), &timer, err) < 0)
		return MP_ERROR;
	op->first = timer.v;
	op->wait_since = engine_now(mp->engine);
	mp->ranks[op->rank].napping = 1;
	mp->ranks[op->rank].looking = 1;
	return MP_BLOCKED;
}

void nap_waited(struct mp *mp, struct op *op, double until)
{
	double now = engine_now(mp->engine);

	until = until < now ? until : now;
	if (until > op->wait_since)
		op->waited += until - op->wait_since;
}

void nap_end(struct mp *mp, uint32_t rank)
{
	mp->ranks[rank].napping = 0;
	if (turns_are_taken(mp))
		turn_leaves(mp, rank);
	engine_cancel(mp->engine, (struct activity_id){op_of(mp, rank)->first});
	rank_released(mp, rank);
}

static int nap_go(struct mp *mp, struct op *op, struct err *err)
{
	if (op->stage == NAP_OVER) {
		if (op->flag)
			nap_waited(mp, op, engine_now(mp->engine));
		return MP_DONE;
	}
	op->stage = NAP_OVER;
	return op_nap(mp, op, op->volume, err);
}

int mp_nap(struct mp *mp, uint32_t rank, double seconds, int waits, struct err *err)
{
	struct op *op = op_begin(mp, rank, CALL_TEST, nap_go, err); /* a call of MPI: it sees */

	if (!op)
		return MP_ERROR;
	op->volume = seconds;
	op->flag = waits != 0;
	return op_start(mp, op, err);
}

int nap_is_due(struct mp *mp, uint32_t rank, uint32_t what)
{
	struct rank *r = &mp->ranks[rank];

	if (r->news == ROUND_LOOKS || (r->round & LOOK_PROBE && !(what & LOOK_PROBE)))
		r->round = what;
	else if (r->news > 0 && r->round == what)
		r->news = 0;
	if (r->news == 0)
		return 1;
	r->news--;
	return 0;
}

uint32_t mp_napping(const struct mp *mp)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < mp->n_ranks; i++)
		n += mp->ranks[i].napping;
	return n;
}

double mp_happened(const struct mp *mp, uint32_t rank)
{
	return mp->ranks[rank].happened;
}

static void row_learn(struct rank *r, uint32_t row)
{
	if (row > r->patience && row <= MP_PATIENCE_MAX)
		r->patience = (uint16_t)row;
}

/* The numbers of failures as which the looks of a long row count, one after the other: 0 to
 * FIRST - 1; twice as many each, up to the stride; STRIDES times the stride; then from 0 on again.
 */
enum { FIRST = 8, STRIDES = 16, STRIDE_LEAST = 7, STRIDE_MOST = 21 };

static uint32_t stride_of(const struct rank *r)
{
	return 1U << (STRIDE_LEAST - 1 + r->stride);
}

/* How many looks come before those that count as the stride; 2 FIRST = 2^4 is the first number that
 * is doubled. */
static uint32_t looks_before(const struct rank *r)
{
	return FIRST + STRIDE_LEAST - 1 + r->stride - 4;
}

static int strides(const struct rank *r)
{
	return r->stride > 0 && !r->steady;
}

uint32_t failures_stridden(const struct rank *r, uint32_t failures)
{
	uint32_t i = failures_grown(r, failures), before = looks_before(r);

	if (i < FIRST || !strides(r))
		return i;
	if (i < before)
		return 2U * FIRST << (i - FIRST);
	return i < before + STRIDES ? stride_of(r) : i - before - STRIDES;
}

/* How long a row has lasted, as a multiple of what its first look takes, each of its naps having
 * come to its end; 0: not longer than what is known. */
static double lasted(const struct rank *r, uint32_t failures)
{
	uint32_t i = failures_grown(r, failures), known = looks_before(r) + STRIDES;

	if (!strides(r))
		return 0.5 * i * i;
	return i < known ? 0 : (STRIDES + 1.0) * stride_of(r) + 0.5 * (i - known) * (i - known);
}

/* The row waited until what was found happened. */
static void wait_learn(struct rank *r, uint32_t failures)
{
	double stride = lasted(r, failures) / STRIDES * 2;
	int most = stride >= 1 << STRIDE_LEAST ? ilogb(stride) : 0;

	most = (most < STRIDE_MOST ? most : STRIDE_MOST) - STRIDE_LEAST + 1;
	if (most > r->stride)
		r->stride = (uint16_t)most & 15;
}

void look_count(struct rank *r, int found, uint32_t failures)
{
	if (found) {
		if (r->missed == 0 && !r->cut)
			wait_learn(r, failures);
		row_learn(r, r->missed);
		r->missed = 0;
		r->steady = r->cut = 0;
		return;
	}
	if (r->missed == 0 && failures > 0)
		r->cut = 1;
	r->missed += r->missed < UINT16_MAX;
}

void mp_looks_end(struct mp *mp, uint32_t rank)
{
	struct rank *r = &mp->ranks[rank];

	row_learn(r, r->tests);
	row_learn(r, r->probes);
	r->tests = r->probes = r->missed = 0;
	r->looking = r->steady = r->cut = 0;
}

void mp_looks_steady(struct mp *mp, uint32_t rank)
{
	mp->ranks[rank].steady = 1;
}

uint32_t mp_looks_stride(const struct mp *mp, uint32_t rank)
{
	return mp->ranks[rank].stride;
}

void mp_looked(struct mp *mp, uint32_t rank, double since, int found)
{
	if (found)
		mp->ranks[rank].looking = 0;
	if (mp->watch)
		mp->watch->looked(mp->watch->self, rank, since, found);
}
