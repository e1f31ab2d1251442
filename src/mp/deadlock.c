/* deadlock.c: why nobody can go on. */
#include "task_int.h"

int deadlock_explain(struct mp *mp, struct err *err)
{
	return err_set(err, ERR_PROGRAM, "deadlock at %.9g s: %u ranks wait for ever", engine_now(mp->engine), mp->alive);
}
