/* prop_collect.c: folders as runs leave them, some ranks killed: each rank's file is whole, ends
 * after some line, ends in reserved room that was never written (zeros), or is not there. What
 * collect.c says of the folder (looking at the two ends of the files) is compared with the files as
 * they were drawn. */
#include "property/prop.h"
#include "tmp.h"

#include "launch/collect.h"

enum { RANKS = 12, MODELS = 4, CALLS = 5 };

static const char *const models[MODELS] = {"EPYC", "AMD EPYC", "AMD EPYC 7763", "Xeon"};
static const char *const calls[CALLS] = {"MPI_Put", "MPI_Get", "MPI_Comm_rank", "MPI_Wtime",
                                         "MPI_Ibcast"};

enum { WHOLE, CUT, ZEROS, MISSING };

struct drawn {
	int ranks, how[RANKS], model[RANKS], events[RANKS];
	int untraced[CALLS], local[CALLS];
	int64_t bytes;
};

/* The lines of one rank. A cut one ends behind one of its events. */
static void rank_write(struct drawn *d, struct rng *r, struct tmp *t, int rank)
{
	int events = prop_once_in(r, 6) ? (int)prop_from(r, 5000, 9000) : (int)prop_from(r, 0, 30);
	struct str s;
	char name[32];

	str_init(&s);
	d->events[rank] = events;
	str_printf(&s, "# orrery-trace 1\n# run 00000000000000ab\n# ranks %d\n# host node%d\n",
	           d->ranks, rank / 2);
	str_printf(&s, "# mpi Open MPI v4.1.4, package: whoever\n# processor %s\n",
	           models[d->model[rank]]);
	str_puts(&s, "# counter fake\n# clock clock_gettime\n# rate 1000000\n");
	for (int i = 0; i < events; i++)
		str_printf(&s, "%d compute %d\n", rank, i + 1);
	for (int i = 0; i < CALLS && d->how[rank] == WHOLE; i++) {
		int n = (int)prop_from(r, 1, 100), is_local = i == 2 || i == 3;

		if (prop_once_in(r, 2))
			continue;
		*(is_local ? &d->local[i] : &d->untraced[i]) += n;
		str_printf(&s, "# %s %d %s\n", is_local ? "local" : "untraced", n, calls[i]);
	}
	if (d->how[rank] == WHOLE)
		str_printf(&s, "# end %d\n", events);
	for (int i = (int)prop_from(r, 1, 5000); d->how[rank] == ZEROS && i > 0; i--)
		str_putc(&s, '\0');
	snprintf(name, sizeof name, "rank-%d.tit", rank);
	tmp_write_n(t, name, s.s, s.n);
	d->bytes += (int64_t)s.n;
	str_release(&s);
}

static void draw(struct drawn *d, struct rng *r, struct tmp *t)
{
	*d = (struct drawn){.ranks = (int)prop_from(r, 1, RANKS)};
	for (int i = 0; i < d->ranks; i++) {
		d->how[i] = prop_once_in(r, 2) ? WHOLE : (int)prop_from(r, CUT, MISSING);
		d->model[i] = (int)prop_from(r, 0, MODELS - 1);
		if (d->how[i] != MISSING)
			rank_write(d, r, t, i);
	}
}

/* "AMD EPYC; Xeon": each model once, in the order of the ranks. */
static void models_text(const struct drawn *d, struct str *out)
{
	int told[MODELS] = {0};

	for (int i = 0; i < d->ranks; i++)
		if (d->how[i] != MISSING && !told[d->model[i]]++)
			str_printf(out, "%s%s", out->n ? "; " : "", models[d->model[i]]);
}

static void hosts_text(const struct drawn *d, struct str *out)
{
	for (int i = 0; i < d->ranks; i++)
		if (d->how[i] == MISSING)
			str_printf(out, "%s?", i ? "," : "");
		else
			str_printf(out, "%snode%d", i ? "," : "", i / 2);
}

/* The first eight that did not end, and whether there are more. */
static void missing_text(const struct drawn *d, struct str *out)
{
	int n = 0;

	for (int i = 0; i < d->ranks; i++)
		if (d->how[i] != WHOLE && n++ < 8)
			str_printf(out, "%s%d", n > 1 ? ", " : "", i);
	if (n > 8)
		str_puts(out, ", …");
}

/* The most frequent first; of equal ones by name. */
static void counts_text(const int *counts, struct str *out)
{
	int told[CALLS] = {0};

	for (;;) {
		int best = -1;

		for (int i = 0; i < CALLS; i++)
			if (counts[i] && !told[i] &&
			    (best < 0 || counts[i] > counts[best] ||
			     (counts[i] == counts[best] && strcmp(calls[i], calls[best]) < 0)))
				best = i;
		if (best < 0)
			return;
		told[best] = 1;
		str_printf(out, "%s%d %s", out->n ? ", " : "", counts[best], calls[best]);
	}
}

static void same(struct str *found, struct str *wanted)
{
	const char *a = found->s ? found->s : "", *b = wanted->s ? wanted->s : "";

	if (strcmp(a, b) != 0)
		fail_msg("\"%s\", not \"%s\"", a, b);
	str_release(wanted);
}

static void compare(struct collection *c, const struct drawn *d)
{
	struct str text, found;
	int there = 0, ended = 0;
	uint64_t events = 0;

	str_init(&text);
	str_init(&found);
	for (int i = 0; i < d->ranks; i++) {
		there += d->how[i] != MISSING;
		ended += d->how[i] == WHOLE;
		events += (uint64_t)d->events[i];
	}
	assert_int_equal(c->found, there);
	if (there == 0)
		return;
	assert_int_equal(c->ranks, d->ranks);
	assert_int_equal(c->ended, ended);
	assert_int_equal(c->events, events);
	assert_int_equal(c->bytes, d->bytes);
	assert_string_equal(c->run, "00000000000000ab");
	assert_string_equal(c->mpi, "Open MPI v4.1.4");
	assert_double_is(c->rate, 1e6);
	hosts_text(d, &text);
	same(&c->hosts, &text);
	missing_text(d, &text);
	same(&c->missing, &text);
	models_text(d, &text);
	assert_string_equal(c->processor, text.s);
	str_clear(&text);
	counts_text(d->untraced, &text);
	call_counts_text(&c->untraced, &found);
	same(&found, &text);
	counts_text(d->local, &text);
	str_clear(&found);
	call_counts_text(&c->local, &found);
	same(&found, &text);
	str_release(&found);
}

static void test_random_folders(void **state)
{
	struct prop_run run = prop_begin(150);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct collection c;
		struct drawn d;
		struct rng r;
		struct err err = {0};
		struct tmp t;

		rng_init(&r, run.seed, "folders", i);
		tmp_init(&t);
		draw(&d, &r, &t);
		/* as many as were started, which the caller may know: a folder without the first
		 * and the last file does not say */
		assert_ok(collection_read(&c, t.dir, (uint32_t)d.ranks, &err), err);
		compare(&c, &d);
		collection_release(&c);
		tmp_release(&t);
	}
}

/* A number of ranks that nobody can have started is the fault of the file, not a reason to look for
 * as many. */
static void test_absurd_numbers_of_ranks(void **state)
{
	static const char *const numbers[] = {"4294967297", "4000000000", "99999999999999", "-3",
	                                      "x"};
	struct collection c;
	struct err err = {0};
	char text[128];
	struct tmp t;

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		tmp_init(&t);
		snprintf(text, sizeof text, "# orrery-trace 1\n# ranks %s\n0 init\n# end 1\n",
		         numbers[i]);
		tmp_write(&t, "rank-0.tit", text);
		if (collection_read(&c, t.dir, 0, &err) == 0)
			assert_true(c.found == 1 && c.ranks <= 1);
		else
			assert_int_equal(err.kind, ERR_INPUT);
		collection_release(&c);
		tmp_release(&t);
	}
}

static void test_two_runs_in_one_folder(void **state)
{
	struct collection c;
	struct err err = {0};
	struct tmp t;

	(void)state;
	tmp_init(&t);
	tmp_write(&t, "rank-0.tit",
	          "# orrery-trace 1\n# run 0000000000000001\n# ranks 2\n0 init\n");
	tmp_write(&t, "rank-1.tit",
	          "# orrery-trace 1\n# run 0000000000000002\n# ranks 2\n1 init\n");
	assert_fails(collection_read(&c, t.dir, 0, &err), err, ERR_INPUT, "two programs");
	collection_release(&c);
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_folders),
	    cmocka_unit_test(test_absurd_numbers_of_ranks),
	    cmocka_unit_test(test_two_runs_in_one_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
