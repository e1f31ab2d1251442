/* report.c: what a program that ended well left undone: messages nobody received, receives nothing came for, requests never completed. */
#include "mp_int.h"

enum { REPORT_LINES = 100 };

/* NULL: nothing wrong with it. */
static const char *what_is_wrong(const struct req *q)
{
	if (q->kind == REQ_FREE || q->kind == REQ_PERSISTENT || q->flags & REQ_INTERNAL)
		return NULL;
	if (q->flags & REQ_LIVE && q->mate == NONE)
		return q->kind == REQ_SEND ? "never received" : "nothing came";
	return q->flags & REQ_HELD ? "never waited for" : NULL;
}

uint32_t mp_report(struct mp *mp, struct str *out)
{
	uint32_t r, n = 0;
	char text[REQ_TEXT_MAX];
	const char *wrong;

	for (r = 0; r < mp->n_reqs; r++) {
		wrong = what_is_wrong(&mp->reqs[r]);
		if (!wrong)
			continue;
		if (n++ < REPORT_LINES)
			str_printf(out, "%s: %s\n", req_describe(mp, r, text, sizeof text), wrong);
	}
	if (n > REPORT_LINES)
		str_printf(out, "… and %u more\n", n - REPORT_LINES);
	return n;
}
