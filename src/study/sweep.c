/* sweep.c: all algorithms of an operation, over numbers of ranks and bytes. A cell (ranks, bytes)
 * is a task of a thread. Placements are made before, one for each
 * number of ranks: they note what they do in the settings.
 *
 * Invariants: 1. a cell is written by one thread. 2. What threads share is only read, but for
 * `done`. */
#include "study_int.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

struct work {
	struct sweep *s;
	const struct sweep_plan *plan;
	struct place *places; /* by number of ranks */
	const struct coll_policy *policies;
	/* who chooses the parts of algorithms made of others, unless the plan says */
	struct coll_policy parts;
	atomic_ullong
	    done; /* of the algorithms of all cells, each as much as it has pairs of ranks */
	uint64_t total;
};

/* --- one cell --- */

static int is_stopped(const struct sweep_plan *plan)
{
	return plan->stop && atomic_load(plan->stop) != 0;
}

/* About as long as it takes: an algorithm of a cell, as much as it has pairs of ranks. progress:
 * NULL in threads that do not tell. */
static uint64_t algorithm_units(const struct work *w, uint32_t cell)
{
	uint64_t p = (uint64_t)w->plan->ranks->v[cell / w->plan->bytes->n];
	return p * p;
}

static void algorithm_done(struct work *w, uint32_t cell, struct progress *progress)
{
	uint64_t units = algorithm_units(w, cell), done = atomic_fetch_add(&w->done, units) + units;
	if (!progress)
		return;
	progress->done = done;
	progress->total = w->total;
	progress->what = "measurements";
	progress->tick(progress);
}

static int choice_measure(struct coll_contest *contest, const struct coll_args *a,
                          const struct coll_policy *policy, struct sweep_choice *out,
                          struct err *err)
{
	struct coll_args with = *a;
	struct sweep_choice got = {.choice = {0}};

	with.policy = policy;
	got.choice = coll_decide(&with);
	if (coll_contest_time(contest, &got.choice, policy, HUGE_VAL, &got.seconds, err) < 0)
		return -1;
	*out = got;
	return 0;
}

static int stop_look(const struct work *w, struct err *err)
{
	return is_stopped(w->plan) ? err_set(err, ERR_LIMIT, "the measurement was stopped") : 0;
}

/* What selectors choose first, to its end: most often that is near the fastest, and the others are
 * given up soon. */
static int all_measure(struct work *w, uint32_t at, struct coll_contest *contest,
                       const struct coll_args *a, struct progress *progress, struct err *err)
{
	struct sweep_cell *cell = &w->s->cells[at];
	double best = HUGE_VAL, least = HUGE_VAL;
	for (uint32_t i = 0; i < w->s->n_selectors; i++) {
		if (stop_look(w, err) < 0 ||
		    choice_measure(contest, a, &w->policies[i], &cell->choices[i], err) < 0)
			return -1;
		best = fmin(best, cell->choices[i].seconds);
		algorithm_done(w, at, progress);
	}
	cell->large = coll_contest_large(contest);
	for (uint32_t i = 0; i < w->s->n_algs; i++) {
		struct coll_choice c = {.alg = w->s->algs[i]};
		if (stop_look(w, err) < 0 ||
		    coll_contest_time(contest, &c, NULL, best * w->plan->give_up, &cell->seconds[i],
		                      err) < 0)
			return -1;
		best = fmin(best, cell->seconds[i]);
		if (cell->seconds[i] < least) {
			least = cell->seconds[i];
			cell->fastest = i;
		}
		algorithm_done(w, at, progress);
	}
	cell->large = coll_contest_large(contest) - cell->large;
	return 0;
}

static int cell_measure(void *self, uint32_t at, struct progress *progress, struct err *err)
{
	struct work *w = self;
	const struct sweep_plan *plan = w->plan;
	uint32_t ranks = at / plan->bytes->n, bytes = at % plan->bytes->n;
	const struct place *place = &w->places[ranks];
	struct coll_bench b = {.platform = plan->platform,
	                       .cfg = plan->cfg,
	                       .host = place->hosts.host,
	                       .p = place->hosts.n,
	                       .shape = &place->shape,
	                       .policy = plan->own ? plan->own : &w->parts,
	                       .stop = plan->stop};
	int64_t *counts = malloc(b.p * sizeof *counts);
	struct coll_contest *contest;
	struct coll_args a;
	int r;
	if (is_stopped(plan)) {
		free(counts);
		return 0;
	}
	if (!counts)
		return err_nomem(err, "counts of a collective", b.p * sizeof *counts);
	coll_measure_args(plan->kind, &b, plan->bytes->v[bytes], counts, &a);
	contest = coll_contest_new(&b, &a, err);
	r = contest ? all_measure(w, at, contest, &a, progress, err) : -1;
	coll_contest_free(contest);
	free(counts);
	w->s->cells[at].unfinished = r < 0;
	if (r < 0)
		w->s->cells[at].large = 0;
	return is_stopped(plan) ? 0 : r; /* what ends a measurement then is that */
}

/* --- making and taking down --- */

static int algs_list(struct sweep *s, const struct sweep_plan *plan, struct err *err)
{
	enum coll_kind k = plan->kind == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER
	                                                           : plan->kind;
	const struct coll_alg *const *all = plan->algs ? plan->algs : coll_algs;
	uint32_t n = 0;
	while (all[n])
		n++;
	s->algs = calloc(n + 1, sizeof *s->algs);
	if (!s->algs)
		return err_nomem(err, "algorithms", (n + 1) * sizeof *s->algs);
	for (uint32_t i = 0; i < n; i++)
		if (all[i]->kind == k && !all[i]->defect)
			s->algs[s->n_algs++] = all[i];
	return 0;
}

static int selectors_list(struct sweep *s, const struct sweep_plan *plan,
                          struct coll_policy *policies)
{
	for (const struct coll_selector *const *sel = coll_selectors; plan->selectors && *sel;
	     sel++)
		if ((*sel)->choose && (*sel) != coll_selector_find("automatic") &&
		    s->n_selectors + 1 < SWEEP_SELECTORS_MAX) {
			policies[s->n_selectors].selector = *sel;
			s->selector[s->n_selectors++] = (*sel)->name;
		}
	if (plan->own) {
		policies[s->n_selectors] = *plan->own;
		s->selector[s->n_selectors++] = plan->own_name;
	}
	return 0;
}

static int sizes_copy(struct sizes *to, const struct sizes *from, struct err *err)
{
	to->v = malloc(from->n * sizeof *to->v);
	if (!to->v)
		return err_nomem(err, "sizes", from->n * sizeof *to->v);
	to->n = to->cap = from->n;
	for (uint32_t i = 0; i < from->n; i++)
		to->v[i] = from->v[i];
	return 0;
}

static int cells_make(struct sweep *s, const struct sweep_plan *plan, struct err *err)
{
	uint32_t n = plan->ranks->n * plan->bytes->n;
	if (sizes_copy(&s->ranks, plan->ranks, err) < 0 ||
	    sizes_copy(&s->bytes, plan->bytes, err) < 0)
		return -1;
	s->cells = calloc(n, sizeof *s->cells);
	if (!s->cells)
		return err_nomem(err, "measurements", n * sizeof *s->cells);
	for (uint32_t i = 0; i < n; i++) {
		s->cells[i].seconds = calloc(s->n_algs + 1, sizeof *s->cells[i].seconds);
		s->cells[i].choices = calloc(s->n_selectors + 1, sizeof *s->cells[i].choices);
		if (!s->cells[i].seconds || !s->cells[i].choices)
			return err_nomem(err, "measurements", s->n_algs * sizeof(double));
		for (uint32_t k = 0; k < s->n_algs; k++)
			s->cells[i].seconds[k] = NAN;
		s->cells[i].unfinished = 1;
	}
	return 0;
}

static void unfinished_count(struct sweep *s)
{
	for (uint32_t i = 0; i < s->ranks.n * s->bytes.n; i++)
		s->unfinished += s->cells[i].unfinished;
}

void sweep_release(struct sweep *s)
{
	for (uint32_t i = 0; s->cells && i < s->ranks.n * s->bytes.n; i++) {
		free(s->cells[i].seconds);
		free(s->cells[i].choices);
	}
	free(s->cells);
	free(s->algs);
	sizes_release(&s->ranks);
	sizes_release(&s->bytes);
	*s = (struct sweep){0};
}

/* After all threads have ended, in the order of the table. */
static int large_cells_tell(const struct sweep *s, struct config *cfg, struct err *err)
{
	for (uint32_t p = 0; p < s->ranks.n; p++) {
		uint32_t most = 0;

		for (uint32_t b = 0; b < s->bytes.n; b++)
			most = sweep_at(s, p, b)->large > most ? sweep_at(s, p, b)->large : most;
		if (large_tell(s->kind, s->ranks.v[p], most, s->n_algs, cfg, err) < 0)
			return -1;
	}
	return 0;
}

int sweep_run(struct sweep *s, const struct sweep_plan *plan, struct progress *progress,
              struct err *err)
{
	struct coll_policy policies[SWEEP_SELECTORS_MAX] = {0};
	struct work w = {.s = s,
	                 .plan = plan,
	                 .policies = policies,
	                 .parts = {.selector = coll_selector_find("ompi")}};
	const uint32_t cells = plan->ranks->n * plan->bytes->n;
	int r = 0;
	*s = (struct sweep){.kind = plan->kind,
	                    .give_up = plan->give_up,
	                    .means_little = study_means_little(plan->cfg)};
	selectors_list(s, plan, policies);
	if (notices_add(plan->platform, plan->cfg, err) < 0)
		return -1;
	w.places = calloc(plan->ranks->n, sizeof *w.places);
	if (!w.places)
		r = err_nomem(err, "placements", plan->ranks->n * sizeof *w.places);
	for (uint32_t i = 0; i < plan->ranks->n && r == 0; i++)
		r = study_place_make(&w.places[i], plan->platform, &plan->where, plan->ranks->v[i],
		                     plan->cfg, err);
	if (r == 0 && algs_list(s, plan, err) == 0 && cells_make(s, plan, err) == 0) {
		for (uint32_t i = 0; i < cells; i++)
			w.total += algorithm_units(&w, i) * (s->n_algs + s->n_selectors);
		r = cells_measure(cells, plan->threads, cell_measure, &w, progress, err);
		r = r == 0 ? large_cells_tell(s, plan->cfg, err) : -1;
		unfinished_count(s);
	} else {
		r = -1;
	}
	for (uint32_t i = 0; w.places && i < plan->ranks->n; i++)
		study_place_release(&w.places[i]);
	free(w.places);
	if (r < 0)
		sweep_release(s);
	return r;
}
