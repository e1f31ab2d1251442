/* report.c: what a program that ended well left undone: messages nobody received, receives nothing came for, requests never completed; and
 * collectives whose algorithm was not the one asked for. */
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

static uint32_t report_collectives(const struct mp *mp, struct str *out)
{
	uint32_t n = 0;
	int k;

	for (k = 0; k < COLL_KINDS; k++) {
		if (!mp->refused[k])
			continue;
		str_printf(out, "%s: the algorithm asked for could not run here, %s; the default one ran instead\n",
		           mp_call_name(CALL_COLL + k), mp->refused[k]);
		n++;
	}
	return n;
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
	return n + report_collectives(mp, out);
}
