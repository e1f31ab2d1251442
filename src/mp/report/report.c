/* report.c: what was wrong with a program without stopping it: messages nobody received, receives
 * nothing came for, requests never completed, collectives not called by all or not alike, what was
 * made and never freed; and collectives whose algorithm was not the one asked for. */
#include "report.h"
#include "mp/coll/collective.h"
#include "mp/comm/comm.h"
#include "mp/file/file.h"
#include "mp/rma/rma.h"

#include <stdio.h>
#include <stdlib.h>

/* NULL: nothing wrong with it. */
static const char *what_is_wrong(const struct req *q)
{
	if (q->kind == REQ_FREE || q->kind == REQ_PERSISTENT || q->flags & REQ_INTERNAL)
		return NULL;
	if (q->flags & REQ_LIVE && q->mate == NONE && q->kind != REQ_HANDLE)
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
		str_printf(out,
		           "%s: the algorithm asked for could not run here, %s; "
		           "the default one ran instead\n",
		           mp_call_name(CALL_COLL + k), mp->refused[k]);
		n++;
	}
	return n;
}

/* --- requests, by rank and event: where events are is asked in that order (trace_place_of) --- */

struct found {
	uint32_t rank, event, req;
};

static int found_compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return (x->req > y->req) - (x->req < y->req);
}

static uint32_t report_requests(struct mp *mp, uint32_t so_far, struct str *out)
{
	struct found found[REPORT_LINES];
	char text[REQ_TEXT_MAX];
	uint32_t r, n = 0, kept = 0;

	for (r = 0; r < mp->n_reqs; r++) {
		if (what_is_wrong(&mp->reqs[r]) && n++ + so_far < REPORT_LINES)
			found[kept++] = (struct found){mp->reqs[r].rank, mp->reqs[r].op, r};
	}
	qsort(found, kept, sizeof *found, found_compare);
	for (r = 0; r < kept; r++)
		str_printf(out, "%s: %s\n", req_describe(mp, found[r].req, text, sizeof text),
		           what_is_wrong(&mp->reqs[found[r].req]));
	return n;
}

/* --- never freed --- */

static void never(struct str *out, uint32_t n, const char *one, const char *many, const char *first)
{
	if (n)
		str_printf(out, "%u %s never freed%s%s\n", n, n == 1 ? one : many,
		           n == 1 ? ": " : "; the first: ", first);
}

static uint32_t report_communicators(struct mp *mp, struct str *out)
{
	char where[WHERE_MAX], first[WHERE_MAX + 64] = "";
	uint32_t i, n = 0;

	for (i = 1; i < mp->comms.n; i++) {
		struct comm *c = comm_at(mp, i);

		if (c->n == 0 || c->left == c->n || c->unowned)
			continue;
		if (n++ == 0)
			snprintf(first, sizeof first, "made by rank %u (its %s)", c->maker,
			         where_text(mp, c->maker, c->event, where, sizeof where));
	}
	never(out, n, "communicator was", "communicators were", first);
	return n > 0;
}

static uint32_t report_persistent(struct mp *mp, struct str *out)
{
	char first[REQ_TEXT_MAX] = "";
	uint32_t r, n = 0;

	for (r = 0; r < mp->n_reqs; r++)
		if (mp->reqs[r].kind == REQ_PERSISTENT && mp->reqs[r].flags & REQ_HELD && n++ == 0)
			req_describe(mp, r, first, sizeof first);
	never(out, n, "persistent request was", "persistent requests were", first);
	return n > 0;
}

static uint32_t report_windows(struct mp *mp, struct str *out)
{
	uint32_t first = 0, n = windows_left(mp, &first);
	char where[WHERE_MAX + 64];

	never(out, n, "window was", "windows were",
	      n ? window_where(mp, first, where, sizeof where) : "");
	return n > 0;
}

static uint32_t report_files(const struct mp *mp, struct str *out)
{
	uint32_t first = 0, n = files_left(mp, &first);
	char where[WHERE_MAX + 64];

	if (n)
		str_printf(
		    out, "%u %s never closed%s%s\n", n, n == 1 ? "file was" : "files were",
		    n == 1 ? ": " : "; the first: ", file_where(mp, first, where, sizeof where));
	return n > 0;
}

static uint32_t report_left(struct mp *mp, struct str *out)
{
	return report_communicators(mp, out) + report_persistent(mp, out) +
	       report_windows(mp, out) + report_files(mp, out);
}

/* An approximation is told to who reads its result. */
static void report_segments(const struct mp *mp, struct str *out)
{
	if (mp->segments_owed)
		str_printf(
		    out,
		    "collectives in very many segments: overheads of %llu segments were paid "
		    "in rows, so that such a call may be wrong by up to %g %% of its time "
		    "(--cfg smpi/segment-error:0: each by itself)\n",
		    (unsigned long long)mp->segments_owed, 100 * mp->segment_error);
}

static void report_rings(const struct mp *mp, struct str *out)
{
	if (mp->periods.left)
		str_printf(
		    out,
		    "collectives on rings of very many ranks: %llu rounds were taken to last as "
		    "long as those before them (--cfg smpi/ring-messages:0: all are simulated)\n",
		    (unsigned long long)mp->periods.left);
}

static void report_ripples(struct mp *mp, struct str *out)
{
	struct engine_stats s;

	engine_stats(mp->engine, &s);
	if (s.rippled)
		str_printf(out,
		           "crowds of thousands of unlike messages: at %llu dates rates were found "
		           "to within %g %% (--cfg network/sharing-error:0: exactly, which takes "
		           "much longer)\n",
		           (unsigned long long)s.rippled,
		           100 * config_number(mp->cfg, CFG_NET_SHARING_ERROR));
}

void mp_cut_short(struct mp *mp)
{
	mp->is_cut = 1;
}

uint32_t mp_report(struct mp *mp, struct str *out)
{
	uint32_t i, n = mp->report.n, calls = 0;

	report_segments(mp, out);
	report_rings(mp, out);
	report_ripples(mp, out);
	if (mp->report.lines.n)
		str_puts(out, mp->report.lines.s);
	if (mp->alive > 0 || mp->is_cut) /* what is left undone is no fault of the program's */
		return n;
	for (i = 0; i < mp->comms.n; i++)
		if (comm_at(mp, i)->n)
			coll_order_report(mp, comm_at(mp, i), out, &calls,
			                  REPORT_LINES > n ? REPORT_LINES - n : 0);
	n += calls;
	n += report_requests(mp, n, out);
	if (n > REPORT_LINES)
		str_printf(out, "… and %u more\n", n - REPORT_LINES);
	n += mp->program.tells_left ? 0 : report_left(mp, out);
	return n + report_collectives(mp, out);
}
