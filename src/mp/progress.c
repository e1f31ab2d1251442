/* progress.c: when a library sees what has come for its rank (setting smpi/progress):
 *
 *   async   at once, as with a library that has a thread or hardware of its own for that
 *   calls   only while its rank is in a call of MPI, as MPICH and Open MPI do by default: what
 *           arrives while it computes is seen at the beginning of its next call, and only then the
 *           next messages leave
 *
 * What has to wait for a call is kept by who sent it: collectives in the background (task.c) and
 * one-sided operations (rma.c); requests of messages are a matter of connections (stream.c). A rank
 * for which something is kept is stalled until its next call. */
#include "mp_int.h"

#include <string.h>

int progress_init(struct mp *mp, struct err *err)
{
	const char *text = config_text(mp->cfg, CFG_SMPI_PROGRESS);

	if (strcmp(text, "async") == 0)
		return 0;
	if (strcmp(text, "calls") != 0)
		return err_set(err, ERR_INPUT,
		               "setting smpi/progress takes calls or async, not \"%s\"", text);
	mp->progress.in_calls = 1;
	return 0;
}

/* Whether what happens to a rank now is noticed by its library. */
int progress_sees(const struct mp *mp, uint32_t rank)
{
	return !mp->progress.in_calls || (mp->ranks[rank].op != NONE &&
	                                  op_at(mp, mp->ranks[rank].op)->call > CALL_LAST_OUTSIDE);
}

void progress_stall(struct mp *mp, uint32_t rank, enum progress_kind kind, progress_fn *go_on)
{
	mp->ranks[rank].stalled = 1;
	mp->progress.go_on[kind] = go_on;
}

int progress_run(struct mp *mp, uint32_t rank, struct err *err)
{
	mp->ranks[rank].stalled = 0;
	for (int i = 0; i < PROGRESS_KINDS; i++) {
		if (mp->progress.go_on[i] && mp->progress.go_on[i](mp, rank, err) < 0)
			return -1;
	}
	return 0;
}
