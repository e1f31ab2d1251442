/* compare.c: see compare.h. The recording is read once, into the durations of each rank's calls in
 * order, 40 bytes a call; the trace is streamed over them. */
#include "compare_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* s: a call that takes so much longer than others is an outlier, unless another threshold is asked
 * for: what TCP's lost packets cost (200 ms and more) is, what a scheduler's turns do is not. */
static const double THRESHOLD = 0.05;
/* Functions that a rank's counters grow by. */
enum { FUNCTIONS_MORE = 32 };

struct job {
	struct compare *c;
	struct compare_calls *rank;
	uint32_t *place; /* of a rank's calls, those of a function together, in order */
	uint32_t *first; /* by function, functions + 1 of them: where its calls begin in place */
	uint32_t known;  /* functions of the simulation; others have no calls to match */
	uint32_t *next;  /* by function: the rank's real calls so far */
	uint32_t next_cap;
};

static int function_find(struct compare *c, const char *name, struct err *err)
{
	struct compare_function *f;

	for (uint32_t i = 0; i < c->functions; i++)
		if (!strcmp(c->function[i].name, name))
			return (int)i;
	f = vec_grow(c->function, &c->functions_cap, sizeof *f, (size_t)c->functions + 1,
	             "functions", err);
	if (!f)
		return -1;
	c->function = f;
	f[c->functions] = (struct compare_function){.name = name};
	return (int)c->functions++;
}

static int state_add(struct job *j, const struct rec_state *s, struct err *err)
{
	struct compare_calls *r = &j->rank[s->rank];
	struct compare_call *call;
	int f;

	if (s->call == CALL_INIT)
		r->start = s->leave;
	if (s->call == CALL_INIT || s->call == CALL_FINALIZE)
		return 0;
	/* Recorded durations are replayed as sleeps: both are what the program does between its
	 * calls. */
	f = function_find(j->c, mp_call_name(s->call == CALL_SLEEP ? CALL_COMPUTE : s->call), err);
	call = f < 0 ? NULL
	             : vec_grow(r->call, &r->cap, sizeof *call, (size_t)r->n + 1, "calls", err);
	if (!call)
		return -1;
	r->call = call;
	call[r->n++] = (struct compare_call){.function = (uint32_t)f,
	                                     .duration = s->leave - s->enter,
	                                     .leave = s->leave,
	                                     .real = -1};
	j->c->function[f].calls++;
	j->c->function[f].simulated += s->leave - s->enter;
	return 0;
}

static int run_read(struct job *j, struct recording *run, struct err *err)
{
	struct record rec;
	int more;

	recording_rewind(run);
	while ((more = recording_next(run, &rec, err)) > 0)
		if (rec.kind == REC_STATE && state_add(j, &rec.u.state, err) < 0)
			return -1;
	j->known = j->c->functions;
	return more;
}

/* The rank's calls by function: the k-th of f is place[first[f] + k]. */
static int calls_sort(struct job *j, struct compare_calls *r, struct err *err)
{
	uint32_t *first = calloc((size_t)j->known + 2, sizeof *first),
	         *place = malloc(((size_t)r->n + 1) * sizeof *place);

	free(j->first);
	free(j->place);
	j->first = first;
	j->place = place;
	if (!first || !place)
		return err_nomem(err, "calls", ((size_t)r->n + 1) * sizeof *place);
	for (uint32_t i = 0; i < r->n; i++) {
		r->call[i].count = first[r->call[i].function + 1]++;
	}
	for (uint32_t f = 0; f < j->known; f++)
		first[f + 1] += first[f];
	for (uint32_t i = 0; i < r->n; i++)
		place[first[r->call[i].function] + r->call[i].count] = i;
	return 0;
}

static struct compare_call *call_find(const struct job *j, struct compare_calls *r,
                                      uint32_t function, uint32_t count)
{
	if (function >= j->known || count >= j->first[function + 1] - j->first[function])
		return NULL;
	return &r->call[j->place[j->first[function] + count]];
}

static const char *event_function(const struct trace_event *ev)
{
	if (ev->op == TRACE_COMPUTE || ev->op == TRACE_SLEEP)
		return mp_call_name(CALL_COMPUTE);
	return trace_op_mpi((enum trace_op)ev->op);
}

struct real_rank {
	double date;
	double end[COMPARE_PHASES];
};

/* The number of a rank's real call among those of its function. */
static int number_next(struct job *j, uint32_t f, uint32_t *number, struct err *err)
{
	if (f >= j->next_cap) {
		uint32_t *next = realloc(j->next, ((size_t)f + FUNCTIONS_MORE) * sizeof *next);

		if (!next)
			return err_nomem(err, "functions",
			                 ((size_t)f + FUNCTIONS_MORE) * sizeof *next);
		memset(next + j->next_cap, 0,
		       ((size_t)f + FUNCTIONS_MORE - j->next_cap) * sizeof *next);
		j->next = next;
		j->next_cap = f + FUNCTIONS_MORE;
	}
	BUG_ON(!j->next);
	*number = j->next[f]++;
	return 0;
}

static uint32_t phase_of(const struct compare_calls *r, const struct compare_call *call)
{
	BUG_ON(r->n == 0);
	return (uint32_t)((uint64_t)(call - r->call) * COMPARE_PHASES / r->n);
}

static int event_add(struct job *j, uint32_t rank, struct real_rank *at,
                     const struct trace_event *ev, struct err *err)
{
	struct compare *c = j->c;
	struct compare_calls *r = &j->rank[rank];
	const char *name = event_function(ev);
	struct compare_call *call;
	double t = ev->duration;
	uint32_t number = 0;
	int f;

	if (ev->op == TRACE_INIT || ev->op == TRACE_FINALIZE || !name[0])
		return 0;
	f = function_find(c, name, err);
	if (f < 0 || number_next(j, (uint32_t)f, &number, err) < 0)
		return -1;
	if (t < 0) {
		c->untimed++;
		return 0;
	}
	c->function[f].real_calls++;
	c->function[f].real += t;
	call = call_find(j, r, (uint32_t)f, number);
	if (call) {
		call->real = t;
		call->date = at->date;
		c->matched++;
	}
	at->date += t;
	for (uint32_t p = call ? phase_of(r, call) : COMPARE_PHASES; p < COMPARE_PHASES; p++)
		at->end[p] = at->date;
	return 0;
}

static void rank_end(struct compare *c, uint32_t rank, const struct compare_calls *r,
                     struct real_rank *at)
{
	double simulated = 0, real = 0; /* end of the phase before */
	uint32_t done = 0;

	c->rank[rank].simulated = r->n ? r->call[r->n - 1].leave - r->start : 0;
	c->rank[rank].real = at->date;
	c->simulated = fmax(c->simulated, c->rank[rank].simulated);
	if (at->date > c->real)
		c->last = rank;
	c->real = fmax(c->real, at->date);
	at->end[COMPARE_PHASES - 1] =
	    at->date; /* what the simulation does not have belongs to the last */
	for (uint32_t p = 0; p < COMPARE_PHASES; p++) {
		double end = simulated;

		while (done < r->n && phase_of(r, &r->call[done]) <= p)
			end = r->call[done++].leave - r->start;
		c->phase[p].simulated += (end - simulated) / c->ranks;
		c->phase[p].real += fmax(0, at->end[p] - real) / c->ranks;
		simulated = end;
		real = fmax(real, at->end[p]);
	}
}

static int rank_read(struct job *j, struct trace *real, uint32_t rank, struct err *err)
{
	struct compare_calls *r = &j->rank[rank];
	struct real_rank at = {0};
	struct trace_event ev;
	int more;

	if (calls_sort(j, r, err) < 0)
		return -1;
	if (j->next)
		memset(j->next, 0, j->next_cap * sizeof *j->next);
	while ((more = trace_next(real, rank, &ev, err)) > 0)
		if (event_add(j, rank, &at, &ev, err) < 0)
			return -1;
	if (more == 0)
		rank_end(j->c, rank, r, &at);
	return more;
}

static int programs_check(const struct compare *c, struct err *err)
{
	uint64_t simulated = 0, real = 0;

	for (uint32_t f = 0; f < c->functions; f++) {
		simulated += c->function[f].calls;
		real += c->function[f].real_calls;
	}
	if (!(c->real > 0))
		return err_set(err, ERR_INPUT,
		               "the real run has no durations: trace it with 'orrery trace', "
		               "without the counter 'fake'");
	if (c->matched == 0)
		return err_set(err, ERR_INPUT,
		               "no call of the real run (%llu) is in the simulated one (%llu): "
		               "they are not the same program, or the recording was made without "
		               "states",
		               (unsigned long long)real, (unsigned long long)simulated);
	return 0;
}

int compare_make(struct recording *run, struct trace *real, double threshold, struct compare *c,
                 struct err *err)
{
	struct job j = {.c = c};
	uint32_t ranks = recording_info(run)->ranks;
	int r = -1;

	*c = (struct compare){.ranks = ranks, .threshold = threshold > 0 ? threshold : THRESHOLD};
	if (trace_ranks(real) != ranks)
		return err_set(err, ERR_INPUT,
		               "the simulated run has %u ranks, the real one %u: they are not the "
		               "same program",
		               ranks, trace_ranks(real));
	c->rank = calloc(ranks, sizeof *c->rank);
	j.rank = calloc(ranks, sizeof *j.rank);
	if (!c->rank || !j.rank)
		err_nomem(err, "ranks", ranks * sizeof *j.rank);
	else
		r = run_read(&j, run, err);
	for (uint32_t i = 0; i < ranks && r == 0; i++)
		r = rank_read(&j, real, i, err);
	if (r == 0)
		r = programs_check(c, err);
	if (r == 0)
		r = compare_outliers_find(c, j.rank, err);
	for (uint32_t i = 0; j.rank && i < ranks; i++)
		free(j.rank[i].call);
	free(j.rank);
	free(j.first);
	free(j.place);
	free(j.next);
	if (r < 0)
		compare_release(c);
	return r;
}

void compare_release(struct compare *c)
{
	free(c->rank);
	free(c->function);
	free(c->outlier);
	*c = (struct compare){0};
}
