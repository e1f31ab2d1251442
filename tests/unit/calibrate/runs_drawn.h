/* runs_drawn.h: real runs that are drawn: computations whose region, host, volume and duration are
 * known, as a trace that `calibrate cpu` reads. */
#ifndef ORRERY_TESTS_RUNS_DRAWN_H
#define ORRERY_TESTS_RUNS_DRAWN_H

#include "base/rng.h"
#include "calibrate/cpu.h"
#include "tmp.h"

enum { DRAWN_MOST = 4000 };

struct drawn {
	int run, rank, host, region;
	double volume, seconds, working_set;
};
struct drawn_runs {
	struct drawn all[DRAWN_MOST];
	int n;
	struct tmp tmp;
};

/* Which rank is on which host, in the order of ranks. */
static const int drawn_host[] = {0, 1, 1, 2};
enum { DRAWN_RANKS = 4, DRAWN_HOSTS = 3 };
#define DRAWN_HOST_LIST "node-0,node-1,node-1,node-2"

static inline const char *drawn_region(int i)
{
	static const char *const names[] = {"start>a.c:1", "a.c:1>a.c:7", "a.c:7>b.c:3"};

	return names[i];
}

/* A rank's computations of a run as lines of a merged trace. Each rank numbers regions in its own
 * way: rank r has region i as (i + r) % 3. */
static inline void drawn_lines(const struct drawn_runs *d, int run, struct str *out)
{
	str_puts(out, "# orrery-trace 1\n");
	for (int rank = 0; rank < DRAWN_RANKS; rank++) {
		str_printf(out, "%d init\n", rank);
		for (int i = 0; i < 3; i++)
			str_printf(out, "%d region %d %s\n", rank, (i + rank) % 3, drawn_region(i));
	}
	for (int i = 0; i < d->n; i++) {
		const struct drawn *q = &d->all[i];

		if (q->run == run)
			str_printf(out, "%d compute %.17g region=%d t=%.17g\n", q->rank, q->volume,
			           (q->region + q->rank) % 3, q->seconds);
	}
	for (int rank = 0; rank < DRAWN_RANKS; rank++)
		str_printf(out, "%d finalize\n", rank);
}

static inline struct trace *drawn_trace(struct drawn_runs *d, const char *text, const char *name,
                                        struct err *err)
{
	struct trace *t = trace_open(tmp_write(&d->tmp, name, text), DRAWN_RANKS, err);

	if (!t)
		fail_msg("%s", err->text);
	return t;
}

#endif
