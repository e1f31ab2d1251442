/* prop_runs.c: random runs told to a profile and to a recorder, against plain sums over the list of
 * calls; dates are multiples of 1/8 s, so that sums are exact in any order. What is recorded comes
 * back as it was told, and its profile is the run's. */
#include "../prop.h"

#include "observe/observe.h"

#include "base/rng.h"
#include "tmp.h"

enum { RANKS = 5, CALLS_MOST = 900, KINDS = 9 };

static const struct {
	enum mp_call call;
	enum time_class class;
} kinds[KINDS] = {
    {CALL_COMPUTE, TIME_COMPUTE}, {CALL_SLEEP, TIME_COMPUTE},
    {CALL_SEND, TIME_P2P},        {CALL_RECV, TIME_P2P},
    {CALL_WAITALL, TIME_P2P},     {(enum mp_call)(CALL_COLL + COLL_BCAST), TIME_COLL},
    {CALL_COMM, TIME_OTHER},      {CALL_FILE_READ, TIME_IO},
    {CALL_IPROBE, TIME_P2P},
};

struct told {
	uint32_t rank, number;
	int kind;
	int32_t partner;
	double enter, leave, bytes, wait;
};
struct run {
	struct told call[CALLS_MOST];
	uint32_t n, ranks;
	double last[RANKS], makespan;
};

static void run_draw(struct run *run, struct rng *r)
{
	*run = (struct run){.ranks = 1 + (uint32_t)rng_below(r, RANKS)};
	run->n = (uint32_t)rng_below(r, CALLS_MOST);
	for (uint32_t i = 0; i < run->n; i++) {
		struct told *t = &run->call[i];
		uint64_t eighths = rng_below(r, 20);

		t->number = i;
		t->rank = (uint32_t)rng_below(r, run->ranks);
		t->kind = (int)rng_below(r, KINDS);
		t->enter = run->last[t->rank] + (double)rng_below(r, 3) / 8;
		t->leave = t->enter + (double)eighths / 8;
		t->partner = (int32_t)rng_below(r, run->ranks + 1) - 1;
		t->bytes = (double)(rng_u64(r) >> (24 + rng_below(r, 40)));
		if (t->kind > 1)
			t->wait = (double)rng_below(r, eighths + 1) / 8;
		run->last[t->rank] = t->leave;
		run->makespan = t->leave > run->makespan ? t->leave : run->makespan;
	}
}

static int by_end(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	if (x->leave != y->leave)
		return x->leave < y->leave ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void tell(const struct run *run, const struct mp_observer *o)
{
	for (uint32_t i = 0; i < run->n; i++) {
		const struct told *t = &run->call[i];
		enum mp_call call = kinds[t->kind].call;

		o->enter(o->self, t->rank, call, t->enter);
		o->leave(o->self, t->rank, call, t->leave, t->partner, t->bytes, t->wait);
	}
}

/* --- plain sums --- */

static void classes_of(const struct run *run, uint32_t rank, double out[TIME_CLASSES])
{
	double end = 0;

	memset(out, 0, TIME_CLASSES * sizeof *out);
	for (uint32_t i = 0; i < run->n; i++) {
		const struct told *t = &run->call[i];

		if (t->rank != rank)
			continue;
		out[kinds[t->kind].class] += t->leave - t->enter - t->wait;
		out[TIME_WAIT] += t->wait;
		out[TIME_OTHER] += t->enter - end;
		end = t->leave;
	}
	out[TIME_IDLE] = run->makespan - end;
}

static void row_of(const struct run *run, enum mp_call call, struct profile_row *out)
{
	double time[RANKS] = {0};
	int called[RANKS] = {0};

	*out = (struct profile_row){.call = call};
	for (uint32_t i = 0; i < run->n; i++) {
		const struct told *t = &run->call[i];

		if (kinds[t->kind].call != call)
			continue;
		out->calls++;
		out->wait += t->wait;
		out->bytes += t->bytes;
		time[t->rank] += t->leave - t->enter;
		called[t->rank] = 1;
	}
	out->min = time[0];
	for (uint32_t i = 0; i < run->ranks; i++) {
		out->ranks += (uint32_t)called[i];
		out->time += time[i];
		out->min = time[i] < out->min ? time[i] : out->min;
		out->max = time[i] > out->max ? time[i] : out->max;
	}
	out->mean = out->time / run->ranks;
	out->imbalance = out->mean > 0 ? out->max / out->mean - 1 : 0;
}

static void rows_agree(const struct run *run, const struct profile *p)
{
	struct profile_row rows[CALL_CALLS];
	uint32_t n = profile_rows(p, rows);
	uint64_t calls = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct profile_row want;

		row_of(run, rows[i].call, &want);
		calls += want.calls;
		assert_true(i == 0 || rows[i - 1].call < rows[i].call);
		assert_int_equal(rows[i].calls, want.calls);
		assert_int_equal(rows[i].ranks, want.ranks);
		assert_double_is(rows[i].time, want.time);
		assert_double_is(rows[i].wait, want.wait);
		assert_close(rows[i].bytes, want.bytes, 1e-12);
		assert_double_is(rows[i].min, want.min);
		assert_double_is(rows[i].max, want.max);
		assert_close(rows[i].mean, want.mean, 1e-15);
		assert_true(rows[i].imbalance - want.imbalance < 1e-12 &&
		            want.imbalance - rows[i].imbalance < 1e-12);
	}
	assert_int_equal(calls, run->n);
}

static void profile_agrees(const struct run *run, const struct profile *p)
{
	struct profile_shares s;
	double all[TIME_CLASSES] = {0};

	for (uint32_t rank = 0; rank < run->ranks; rank++) {
		double want[TIME_CLASSES], got[TIME_CLASSES], sum = 0;

		classes_of(run, rank, want);
		profile_rank_classes(p, rank, got);
		for (int c = 0; c < TIME_CLASSES; c++) {
			if (got[c] != want[c])
				fail_msg("rank %u of %u, %s: %g s, not %g", rank, run->ranks,
				         time_class_name((enum time_class)c), got[c], want[c]);
			all[c] += want[c];
			sum += got[c];
		}
		assert_double_is(sum, run->makespan);
	}
	profile_shares(p, &s);
	assert_double_is(s.makespan, run->makespan);
	for (int c = 0; c < TIME_CLASSES; c++)
		assert_double_is(s.seconds[c], all[c]);
	rows_agree(run, p);
}

static struct profile *profile_of(const struct run *run)
{
	struct err err;
	struct profile *p = profile_new(run->ranks, &err);
	struct mp_observer o;

	assert_non_null(p);
	o = profile_observer(p);
	tell(run, &o);
	assert_ok(profile_end(p, 0, &err), err);
	return p;
}

/* --- recordings --- */

static struct recording *recorded(const struct run *run, struct tmp *t)
{
	const struct run_info info = {.ranks = run->ranks, .program = "p"};
	char path[256];
	struct err err;
	struct mp_observer o;
	struct recording *rec;
	struct recorder *w;

	snprintf(path, sizeof path, "%s", tmp_path(t, "run.orr"));
	w = recorder_open(path, &info, NULL, NULL, &err);
	assert_non_null(w);
	o = recorder_observer(w);
	tell(run, &o);
	assert_ok(recorder_close(w, 0, &err), err);
	rec = recording_open(path, &err);
	assert_non_null(rec);
	assert_string_equal(recording_notice(rec), "");
	return rec;
}

/* Its states are the calls, each as it was told, in the order of their ends. */
static void states_come_back(const struct run *run, struct recording *rec)
{
	static struct told left[CALLS_MOST];
	struct record r;
	struct err err;
	uint32_t n = 0;

	memcpy(left, run->call, sizeof left);
	while (recording_next(rec, &r, &err) == 1) {
		const struct rec_state *s = &r.u.state;
		struct told *t = left;

		assert_int_equal(r.kind, REC_STATE);
		while (t < left + run->n &&
		       !(t->rank == s->rank && t->enter == s->enter && t->leave == s->leave &&
		         kinds[t->kind].call == s->call && t->bytes == s->bytes &&
		         t->wait == s->wait && t->partner == s->partner))
			t++;
		assert_true(t < left + run->n);
		t->rank = RANKS; /* found */
		n++;
	}
	assert_int_equal(n, run->n);
}

static void profiles_are_plain_sums(void **state)
{
	static struct run run;
	struct tmp tmp;
	struct rng r;
	struct err err;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t i = 0; i < 40; i++) {
		struct profile *p, *q;
		struct recording *rec;

		rng_init(&r, prop_seed(i), "runs", 0);
		run_draw(&run, &r);
		qsort(run.call, run.n, sizeof *run.call, by_end);
		p = profile_of(&run);
		profile_agrees(&run, p);
		rec = recorded(&run, &tmp);
		states_come_back(&run, rec);
		q = recording_profile(rec, &err);
		assert_non_null(q);
		profile_agrees(&run, q);
		recording_close(rec);
		profile_free(p);
		profile_free(q);
	}
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(profiles_are_plain_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
