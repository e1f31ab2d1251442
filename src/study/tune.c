/* tune.c: which algorithm of a real library is the fastest on a machine, by operation, ranks and
 * bytes. A cell (operation, ranks, bytes) is a task of a thread; what they share is only read, but
 * for the two counters and the first error. */
#include "study_int.h"
#include "tune_int.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[TUNE_FORMATS] = {"ompi", "mpich", "mpich-4.3"};

const char *tune_format_name(enum tune_format f)
{
	return formats[f];
}

enum tune_format tune_format_find(const char *name)
{
	int f = 0;
	while (f < TUNE_FORMATS && strcmp(formats[f], name) != 0)
		f++;
	return (enum tune_format)f;
}

static uint32_t candidates(enum tune_format f, enum coll_kind k, struct coll_choice *out)
{
	return f == TUNE_OMPI ? candidates_ompi(k, out)
	                      : candidates_mpich(k, f == TUNE_MPICH_4_3, out);
}

int tune_format_has(enum tune_format f, enum coll_kind k)
{
	struct coll_choice all[CANDIDATES_MAX];
	return candidates(f, k, all) > 1;
}

struct work {
	const struct tune_plan *plan;
	struct tuned *tuned;
	struct place *places;
	uint32_t cells;
	uint32_t *large; /* by cell: candidates that send too many messages */
	atomic_uint done;
};

struct best {
	struct coll_choice choice;
	double seconds;
};

static void best_take(struct best *b, const struct coll_choice *c, double seconds)
{
	if (seconds < b->seconds)
		*b = (struct best){*c, seconds};
}

static int is_for_any(const struct work *w, const struct coll_choice *c)
{
	return w->plan->format == TUNE_OMPI || !is_of_two_levels_mpich(c);
}

/* The fastest of the candidates, and of those that any communicator can run; a selector's own
 * choice if none can run. */
static int best_find(const struct work *w, enum coll_kind k, const struct place *place,
                     int64_t bytes, int64_t *counts, struct best *best, struct best *of_any,
                     uint32_t *large, struct err *err)
{
	const struct coll_policy parts = {
	    .selector = coll_selector_find(w->plan->format == TUNE_OMPI ? "ompi-4" : "mpich")};
	struct coll_bench b = {w->plan->platform, w->plan->cfg, place->hosts.host, place->hosts.n,
	                       &place->shape,     &parts,       w->plan->stop};
	struct coll_choice all[CANDIDATES_MAX];
	uint32_t n = candidates(w->plan->format, k, all), i = 0;
	struct coll_contest *contest;
	struct coll_args a;
	double t = NAN;
	int r;
	coll_measure_args(k, &b, bytes, counts, &a);
	*best = (struct best){all[0], HUGE_VAL};
	while (i + 1 < n && !is_for_any(w, &all[i]))
		i++;
	*of_any = (struct best){all[i], HUGE_VAL};
	contest = coll_contest_new(&b, &a, err);
	r = contest ? 0 : -1;
	for (i = 0; i < n && r == 0; i++) {
		int any = is_for_any(w, &all[i]);
		r = coll_contest_time(contest, &all[i], NULL, any ? of_any->seconds : best->seconds,
		                      &t, err);
		best_take(best, &all[i], t);
		if (any)
			best_take(of_any, &all[i], t);
	}
	if (of_any->seconds <= best->seconds)
		*best = *of_any;
	*large = contest ? coll_contest_large(contest) : 0;
	coll_contest_free(contest);
	return r;
}

static int is_stopped(const struct tune_plan *plan)
{
	return plan->stop && atomic_load(plan->stop) != 0;
}

static int cell_measure(struct work *w, uint32_t at, struct err *err)
{
	uint32_t per_kind = w->plan->ranks->n * w->plan->bytes->n,
	         ranks = at % per_kind / w->plan->bytes->n;
	struct tuned *t = &w->tuned[at / per_kind];
	const struct place *place = &w->places[ranks];
	int64_t *counts = malloc(place->hosts.n * sizeof *counts),
	        bytes = w->plan->bytes->v[at % w->plan->bytes->n];
	struct best best, of_any;
	uint32_t large;
	int r;
	if (!counts)
		return err_nomem(err, "counts of a collective", place->hosts.n * sizeof *counts);
	r = best_find(w, t->kind, place, t->kind == COLL_BARRIER ? 0 : bytes, counts, &best,
	              &of_any, &large, err);
	free(counts);
	if (r < 0)
		return is_stopped(w->plan) ? 0 : -1; /* what ends a measurement then is that */
	t->best[at % per_kind] = best.choice;
	t->of_any[at % per_kind] = of_any.choice;
	w->large[at] = large;
	return 0;
}

static int cell_tell(void *self, uint32_t at, struct progress *progress, struct err *err)
{
	struct work *w = self;
	int r = is_stopped(w->plan) ? 0 : cell_measure(w, at, err);
	uint32_t done = atomic_fetch_add(&w->done, 1) + 1;

	if (progress) {
		progress->done = done;
		progress->total = w->cells;
		progress->tick(progress);
	}
	return r;
}

static int work_init(struct work *w, struct err *err)
{
	const struct tune_plan *plan = w->plan;
	uint32_t per_kind = plan->ranks->n * plan->bytes->n;
	w->cells = plan->n_kinds * per_kind;
	w->tuned = calloc(plan->n_kinds, sizeof *w->tuned);
	w->places = calloc(plan->ranks->n, sizeof *w->places);
	w->large = calloc(w->cells, sizeof *w->large);
	if (!w->tuned || !w->places || !w->large)
		return err_nomem(err, "measurements", plan->n_kinds * sizeof *w->tuned);
	for (uint32_t i = 0; i < plan->n_kinds; i++) {
		w->tuned[i] = (struct tuned){plan->kinds[i], plan->ranks, plan->bytes,
		                             calloc(per_kind, sizeof(struct coll_choice)),
		                             calloc(per_kind, sizeof(struct coll_choice))};
		if (!w->tuned[i].best || !w->tuned[i].of_any)
			return err_nomem(err, "measurements",
			                 per_kind * sizeof(struct coll_choice));
	}
	for (uint32_t i = 0; i < plan->ranks->n; i++)
		if (study_place_make(&w->places[i], plan->platform, &plan->where, plan->ranks->v[i],
		                     plan->cfg, err) < 0)
			return -1;
	return 0;
}

static void work_release(struct work *w)
{
	for (uint32_t i = 0; w->tuned && i < w->plan->n_kinds; i++) {
		free(w->tuned[i].best);
		free(w->tuned[i].of_any);
	}
	for (uint32_t i = 0; w->places && i < w->plan->ranks->n; i++)
		study_place_release(&w->places[i]);
	free(w->tuned);
	free(w->places);
	free(w->large);
}

/* After all threads have ended, in the order of the file. */
static int large_cells_tell(const struct work *w, struct err *err)
{
	const struct tune_plan *plan = w->plan;
	const uint32_t *at = w->large;

	for (uint32_t k = 0; k < plan->n_kinds; k++)
		for (uint32_t r = 0; r < plan->ranks->n; r++) {
			struct coll_choice all[CANDIDATES_MAX];
			uint32_t most = 0;

			for (uint32_t b = 0; b < plan->bytes->n; b++, at++)
				most = *at > most ? *at : most;
			if (large_tell(plan->kinds[k], plan->ranks->v[r], most,
			               candidates(plan->format, plan->kinds[k], all), plan->cfg,
			               err) < 0)
				return -1;
		}
	return 0;
}

static struct tune_extent extent_of(const struct work *w)
{
	const uint32_t per_kind = w->cells / w->plan->n_kinds;
	struct tune_extent extent = {.cells = w->cells,
	                             .means_little = study_means_little(w->plan->cfg)};

	for (uint32_t i = 0; i < w->cells; i++)
		extent.measured += w->tuned[i / per_kind].best[i % per_kind].alg != NULL;
	return extent;
}

int tune_run(const struct tune_plan *plan, struct progress *progress, struct str *out,
             struct tune_extent *extent, struct err *err)
{
	struct work w = {.plan = plan};
	int r = notices_add(plan->platform, plan->cfg, err);
	if (r == 0)
		r = work_init(&w, err);
	if (r == 0)
		r = cells_measure(w.cells, plan->threads, cell_tell, &w, progress, err);
	if (r == 0)
		r = large_cells_tell(&w, err);
	if (r == 0)
		*extent = extent_of(&w);
	if (r == 0 && plan->format == TUNE_OMPI)
		tune_write_ompi(w.tuned, plan->n_kinds, platform_name(plan->platform), extent, out);
	else if (r == 0)
		r = tune_write_mpich(w.tuned, plan->n_kinds, plan->format == TUNE_MPICH_4_3, out,
		                     err);
	work_release(&w);
	return r;
}
