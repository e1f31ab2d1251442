/* turns.c: ranks that take turns, as SimGrid's do at each request to its kernel (rules.turns).
 *
 * Of the ranks that run at one date each posts one message, then each its next. (With
 * smpi/async-small-thresh > 0 it takes three to five requests to post one, and the receiver's
 * mailboxes are locked meanwhile. Here it takes one all the same, so that ranks with different
 * messages may come in another order.)
 *
 * Who waits for several requests is woken by each, looks, and is put to wait again, behind those
 * that wait already. If that happens to it several times at one date, the others' first times come
 * before its second. Of the two that wait for a message, the one that waits longer goes on first.
 */
#include "task_int.h"

#include <stdlib.h>

int turns_init(struct mp *mp, struct err *err)
{
	if (!mp->rules.turns)
		return 0;
	mp->turns.at = calloc(mp->n_ranks, sizeof *mp->turns.at);
	return mp->turns.at ? 0 : err_nomem(err, "ranks", mp->n_ranks * sizeof *mp->turns.at);
}

void turn_waits(struct mp *mp, uint32_t rank)
{
	double now = engine_now(mp->engine);
	struct waiter *w = &mp->turns.at[rank];

	w->times = w->since == now ? w->times + 1 : 0;
	w->since = now;
	w->turn = ++mp->turns.waits;
}

int turn_is_before(const struct mp *mp, uint32_t a, uint32_t b)
{
	const struct waiter *v = &mp->turns.at[a], *w = &mp->turns.at[b];

	if (v->since != w->since)
		return v->since < w->since;
	return v->times != w->times ? v->times < w->times : (int32_t)(v->turn - w->turn) < 0;
}

void turn_passes(struct mp *mp, uint32_t rank)
{
	turn_waits(mp, rank);
	rank_wake(mp, rank);
}

/* --- of a blocking collective --- */

void task_turns_begin(struct mp *mp, struct op *t)
{
	t->turns = 0;
	turn_waits(mp, t->rank);
	if (t->handle == NONE)
		t->turns_since = engine_now(mp->engine);
}

void task_turn_comes(struct mp *mp, struct op *t)
{
	double now = engine_now(mp->engine);

	if (t->handle != NONE)
		return;
	turn_waits(mp, t->rank);
	t->turns = t->turns_since == now ? t->turns + 1 : 0;
	t->turns_since = now;
	if (t->turns == 0)
		rank_wake(mp, t->rank);
}

int task_turn_passes(struct mp *mp, struct op *t)
{
	if (t->handle != NONE || t->turns == 0)
		return 0;
	t->turns--;
	rank_wake(mp, t->rank);
	return 1;
}
