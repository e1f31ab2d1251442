/* progress.c: when non-blocking collectives go on (setting smpi/progress; for requests of messages:
 * stream.c; for the targets of one-sided operations: rma.c).
 *
 *   async   whenever their messages arrive, as with a library that has a thread or hardware of its
 *           own for that
 *   calls   only while their rank is in a call of MPI, as MPICH and Open MPI do by default: what
 *           arrives while it computes is seen at the beginning of its next call, and only then the
 *           next messages leave
 *
 * A collective whose messages have arrived while its rank was elsewhere is stalled: it is in a list
 * of its rank until the next call. */
#include "task_int.h"

#include <stdlib.h>
#include <string.h>

int progress_init(struct mp *mp, struct err *err)
{
	const char *text = config_text(mp->cfg, CFG_SMPI_PROGRESS);

	if (strcmp(text, "async") == 0)
		return 0;
	if (strcmp(text, "calls") != 0)
		return err_set(err, ERR_INPUT,
		               "setting smpi/progress takes calls or async, not \"%s\"", text);
	mp->progress_in_calls = 1;
	return 0;
}

/* Whether what happens to a rank now is noticed by its library. */
int progress_sees(const struct mp *mp, uint32_t rank)
{
	return !mp->progress_in_calls ||
	       (mp->ranks[rank].op != NONE && mp->ops[mp->ranks[rank].op].call > CALL_LAST_OUTSIDE);
}

int progress_stall(struct mp *mp, uint32_t task, struct err *err)
{
	struct op *t = &mp->ops[task];
	uint32_t *at;

	if (!mp->stalled) {
		mp->stalled = malloc(mp->n_ranks * sizeof *mp->stalled);
		if (!mp->stalled)
			return err_nomem(err, "collectives of ranks",
			                 mp->n_ranks * sizeof *mp->stalled);
		memset(mp->stalled, 0xff, mp->n_ranks * sizeof *mp->stalled);
	}
	for (at = &mp->stalled[t->rank]; *at != NONE; at = &mp->ops[*at].stalled)
		;
	*at = task;
	t->stalled = NONE;
	mp->ranks[t->rank].stalled = 1;
	return 0;
}

int progress_run(struct mp *mp, uint32_t rank, struct err *err)
{
	uint32_t task;

	mp->ranks[rank].stalled = 0;
	while (mp->stalled && (task = mp->stalled[rank]) != NONE) {
		mp->stalled[rank] = mp->ops[task].stalled;
		if (task_background(mp, task, err) < 0)
			return -1;
	}
	return rma_progress(mp, rank, err);
}
