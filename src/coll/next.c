/* next.c: walking an algorithm. A chain of phases is walked depth first; each phase is an
 * algorithm of its own, seen through a view that says where its ranks and buffers are in those of
 * the whole. Arguments and views are recomputed at each call: they are a few dozen operations, and
 * so nothing but the cursor is kept per rank.
 *
 * A chain that is repeated starts again from its first phase; its phases see which time it is.
 *
 * Invariants: 1. c->phase[d] is the phase that the chain at depth d is in; deeper entries are 0
 * when it changes. 2. c->round counts within the innermost phase. */
#include "walk.h"

/* What the user's selector says of a phase, with the parameters it gives. */
static const struct coll_alg *phase_selected(struct coll_args *a)
{
	struct coll_choice c = coll_decide(a);
	a->segment = c.segment;
	a->fanout = c.fanout;
	return c.alg;
}

int coll_phase_open(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
                    const struct coll_cursor *c, uint32_t i, struct phase_run *run)
{
	const struct coll_phase *ph = &alg->phase[i];
	if (i >= COLL_PHASES_MAX || (!ph->alg && !ph->choose && !ph->selected))
		return -1;
	run->args = *a;
	if (ph->args || ph->selected) /* not merely a choice between forms of one algorithm */
		run->args.segment = run->args.fanout = 0;
	if (alg->repeats)
		run->args.repeat = c->repeat;
	run->view = (struct coll_view){
	    .rank = rank, .peer_stride = 1, .buf = {BUF_SEND, BUF_RECV, BUF_TMP, BUF_TOKEN}};
	run->view.off[BUF_TMP] = alg->tmp_bytes ? alg->tmp_bytes(a, rank) : 0;
	if (ph->args && !ph->args(a, rank, &run->args, &run->view))
		return 0;
	if (ph->selected)
		run->alg = phase_selected(&run->args);
	else
		run->alg = ph->alg ? ph->alg : ph->choose(&run->args);
	if (run->args.kind != COLL_REDUCE_SCATTER_BLOCK || run->alg->kind != COLL_REDUCE_SCATTER)
		run->args.kind = run->alg->kind;
	return 1;
}

static int is_copy_to_itself(const struct coll_step *s)
{
	return s->kind == STEP_COPY && s->n == 1 && s->buf == s->src_buf && s->off == s->src_off;
}

/* The steps of a phase, as steps of the whole. Where a view gives a phase one buffer under two
 * names, copies between them vanish. */
static void steps_map(struct coll_steps *out, const struct coll_view *v)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < out->n; i++) {
		struct coll_step s = out->s[i];
		s.peer = v->peers ? v->peers[s.peer] : v->peer0 + s.peer * v->peer_stride;
		s.off += v->off[s.buf];
		s.src_off += v->off[s.src_buf];
		s.buf = v->buf[s.buf];
		s.src_buf = v->buf[s.src_buf];
		if (!is_copy_to_itself(&s))
			out->s[kept++] = s;
	}
	out->n = kept;
}

/* Has the call no elements at all? */
static int is_empty(const struct coll_args *a)
{
	int of_blocks = a->kind == COLL_ALLGATHERV || a->kind == COLL_REDUCE_SCATTER ||
	                a->kind == COLL_REDUCE_SCATTER_BLOCK;
	if (!of_blocks || !a->counts2)
		return of_blocks ? coll_block_elements(a, 0, a->size) == 0 : a->count == 0;
	/* asked in each round: mostly the first block says it */
	for (uint32_t i = 0; i < a->size; i++)
		if (a->counts2[i] != 0)
			return 0;
	return 1;
}

static int next_at(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
                   struct coll_cursor *c, uint32_t depth, struct coll_steps *out)
{
	if (alg->skips_empty && is_empty(a))
		return COLL_END;
	if (alg->round) {
		out->n = 0;
		if (alg->round(a, rank, c->round, out) == COLL_END)
			return COLL_END;
		c->round++;
		return 0;
	}
	BUG_ON(depth >= COLL_DEPTH_MAX);
	for (;;) {
		struct phase_run run;
		int open = coll_phase_open(alg, a, rank, c, c->phase[depth], &run);
		if (open < 0 && (!alg->repeats || ++c->repeat >= alg->repeats(a)))
			return COLL_END;
		if (open < 0) {
			c->phase[depth] = 0;
			continue;
		}
		if (open && next_at(run.alg, &run.args, run.view.rank, c, depth + 1, out) == 0) {
			steps_map(out, &run.view);
			return 0;
		}
		if (open && run.alg->repeats)
			c->repeat = 0; /* it was that one's */
		c->phase[depth]++;
		for (uint32_t d = depth + 1; d < COLL_DEPTH_MAX; d++)
			c->phase[d] = 0;
		c->round = 0;
	}
}

/* Does this rank's call begin without elements? Those of which Open MPI returns at once. */
static int rank_is_empty(const struct coll_args *a, uint32_t rank)
{
	switch (a->kind) {
	case COLL_GATHER:
		return (rank == a->root ? a->count2 : a->count) == 0;
	case COLL_SCATTER:
		return (rank == a->root ? a->count : a->count2) == 0;
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		return a->count2 == 0; /* the send side does not count in place */
	case COLL_BCAST:
	case COLL_REDUCE:
	case COLL_ALLREDUCE:
	case COLL_SCAN:
	case COLL_EXSCAN:
	case COLL_ALLGATHERV:
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return is_empty(a);
	default:
		return 0;
	}
}

/* The library returns before it decides: what it would have decided does not begin. SimGrid, which
 * has its decisions, goes on. */
static int returns_at_once(const struct coll_args *a, uint32_t rank, const struct coll_cursor *c)
{
	return c->round == 0 && c->phase[0] == 0 && a->policy && !a->compat && a->split == 0 &&
	       coll_policy_skips_empty(a->policy, a->kind) && rank_is_empty(a, rank);
}

int coll_next(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
              struct coll_cursor *c, struct coll_steps *out)
{
	if (returns_at_once(a, rank, c))
		return COLL_END;
	return next_at(alg, a, rank, c, 0, out);
}

static uint32_t alike_at(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
                         const struct coll_cursor *c, uint32_t depth, uint32_t size)
{
	struct phase_run run;

	if (alg->round)
		return alg->alike && a->size == size ? alg->alike(a, c->round) : 0;
	if (coll_phase_open(alg, a, rank, c, c->phase[depth], &run) <= 0)
		return 0;
	return alike_at(run.alg, &run.args, run.view.rank, c, depth + 1, size);
}

uint32_t coll_alike(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
                    const struct coll_cursor *c)
{
	return c->round == 0 ? 0 : alike_at(alg, a, rank, c, 0, a->size);
}

int64_t coll_tmp_bytes(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank)
{
	int64_t most = alg->tmp_bytes ? alg->tmp_bytes(a, rank) : 0;
	const struct coll_cursor first = {0};
	struct phase_run run;
	int open;
	for (uint32_t i = 0;
	     !alg->round && (open = coll_phase_open(alg, a, rank, &first, i, &run)) >= 0; i++) {
		if (!open)
			continue;
		int64_t need = run.view.off[BUF_TMP] +
		               coll_tmp_bytes(run.alg, &run.args, run.view.rank);
		most = need > most ? need : most;
	}
	return most;
}
