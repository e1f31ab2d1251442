/* test_schedule.c: small schedules whose ends are worked by hand from the rules of LogGOPS: what
 * takes which processor and interface for how long. L = 2 us, o = 1 us, g = 4 us, G = 10 ns,
 * O = 1 ns, S = 1000 bytes. */
#include "test.h"
#include "tmp.h"

#include "schedule/schedule_int.h"

#include <math.h>
#include <time.h>

static const struct schedule_model model = {
    .L = 2e-6, .o = 1e-6, .g = 4e-6, .G = 10e-9, .O = 1e-9, .S = 1000};
static struct tmp tmp;

static int run(const char *text, struct schedule_result *out)
{
	static const double unit[] = {1e-9, 1e-9, 2e-9};
	struct trace_schedule s;
	struct err err;
	int done;

	if (trace_schedule_read(tmp_write(&tmp, "s.goal", text), &s, &err) != 1)
		fail_msg("not read: %s", text);
	assert_true(s.ranks <= 3);
	done = schedule_run(&s, &model, unit, NULL, out, &err);
	trace_schedule_release(&s);
	return done;
}

static void ends_at(const char *text, double microseconds)
{
	struct schedule_result r;

	assert_int_equal(run(text, &r), 1);
	if (r.end < microseconds * 1e-6 - 1e-13 || r.end > microseconds * 1e-6 + 1e-13)
		fail_msg("%.6f us, not %.6f: %s", r.end * 1e6, microseconds, text);
}

static void does_not_end(const char *text)
{
	struct schedule_result r;

	if (run(text, &r) != 0)
		fail_msg("it ends: %s", text);
}

static void processors(void **state)
{
	(void)state;
	ends_at("num_ranks 1\nrank 0 {\na: calc 3000\nb: calc 5000\n}\n", 8);
	ends_at("num_ranks 1\nrank 0 {\na: calc 3000\nb: calc 5000 cpu 1\n}\n", 5);
	/* across processors: after the end, and after the start */
	ends_at("num_ranks 1\nrank 0 {\na: calc 3000\nb: calc 5000 cpu 1\nb requires a\n}\n", 8);
	ends_at("num_ranks 1\nrank 0 {\na: calc 3000\nb: calc 5000 cpu 1\nb irequires a\n}\n", 5);
	/* a processor that is twice as slow */
	ends_at("num_ranks 3\nrank 0 {\n}\nrank 1 {\n}\nrank 2 {\na: calc 3000\n}\n", 6);
}

#define TO_1 "rank 1 {\nr: recv 101b from 0\n}\n"

static void messages(void **state)
{
	(void)state;
	/* o + L + o + G (k - 1) */
	ends_at("num_ranks 2\nrank 0 {\ns: send 101b to 1\n}\n" TO_1, 1 + 2 + 1 + 1);
	/* the second one leaves g + G (k - 1) after the first: the interface */
	ends_at("num_ranks 2\nrank 0 {\ns: send 101b to 1\nt: send 101b to 1\n}\n"
	        "rank 1 {\nr: recv 101b from 0\nq: recv 101b from 0\n}\n",
	        5 + 1 + 2 + 1 + 1);
	/* or o + O (k - 1), by another interface: the processor; the receiver's has two as well,
	 * and its processor takes the first until 5 */
	ends_at("num_ranks 2\nrank 0 {\ns: send 101b to 1\nt: send 101b to 1 nic 1\n}\n"
	        "rank 1 {\nr: recv 101b from 0\nq: recv 101b from 0\n}\n",
	        5 + 1 + 1);
	/* by other processors as well: both at once */
	ends_at("num_ranks 2\nrank 0 {\ns: send 101b to 1\nt: send 101b to 1 cpu 1 nic 1\n}\n"
	        "rank 1 {\nr: recv 101b from 0\nq: recv 101b from 0\n}\n",
	        5);
	/* what is taken in holds up a computation, which began to be ready later */
	ends_at("num_ranks 2\nrank 0 {\ns: send 101b to 1\n}\n"
	        "rank 1 {\na: calc 3000\nb: calc 500\nb requires a\nr: recv 101b from 0\n}\n",
	        3 + 2 + 0.5);
}

static void waits(void **state)
{
	(void)state;
	/* eager: the sender goes on after o + O (k - 1) */
	ends_at("num_ranks 2\nrank 0 {\ns: send 101b to 1\na: calc 10000\na requires s\n}\n" TO_1,
	        1 + 0.1 + 10);
	/* more than S: after its receive is met, which rank 1 posts at 20 */
	ends_at("num_ranks 2\nrank 0 {\ns: send 2001b to 1\na: calc 10000\na requires s\n}\n"
	        "rank 1 {\nb: calc 20000 cpu 1\nr: recv 2001b from 0 cpu 1\nr requires b\n}\n",
	        20 + 10);
	/* of any source: what has come first */
	ends_at("num_ranks 3\nrank 0 {\na: calc 9000\ns: send 1b to 1 tag 2\ns requires a\n}\n"
	        "rank 1 {\nr: recv 1b from -1 tag -1\na: calc 100\na requires r\n"
	        "q: recv 1b from 0 tag 2\n}\n"
	        "rank 2 {\ns: send 1b to 1 tag 1\n}\n",
	        9 + 1 + 2 + 1);
}

static void without_end(void **state)
{
	(void)state;
	does_not_end("num_ranks 2\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
	             "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n");
	does_not_end(
	    "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n");
	does_not_end("num_ranks 2\nrank 0 {\ns: send 1b to 1\n}\nrank 1 {\n}\n");
	does_not_end("num_ranks 1\nrank 0 {\na: calc 9000000000000000000\n}\n");
}

static void path_computes(const char *text, double end, double microseconds)
{
	struct schedule_result r;

	ends_at(text, end);
	assert_int_equal(run(text, &r), 1);
	if (fabs(r.path * 1e6 - microseconds) > 1e-6)
		fail_msg("the path computes %.6f us, not %.6f: %s", r.path * 1e6, microseconds,
		         text);
}

/* How much of the time that decides the end is computed. */
static void paths(void **state)
{
	(void)state;
	/* the longer of two processors; of two that one waits for, whichever is told last */
	path_computes("num_ranks 1\nrank 0 {\na: calc 3000\nb: calc 5000 cpu 1\n}\n", 5, 5);
	path_computes("num_ranks 1\nrank 0 {\na: calc 9000 cpu 1\nb: calc 3000\nc: calc 1000\n"
	              "c requires a\nc requires b\n}\n",
	              10, 10);
	/* the message is there when the computation ends, or the other way round; a processor that
	 * is twice as slow */
	path_computes("num_ranks 2\nrank 0 {\ns: send 101b to 1\n}\nrank 1 {\na: calc 9000 cpu 1\n"
	              "r: recv 101b from 0\nb: calc 500\nb requires a\nb requires r\n}\n",
	              9.5, 9.5);
	path_computes("num_ranks 2\nrank 0 {\na: calc 1000\ns: send 101b to 1\ns requires a\n}\n"
	              "rank 1 {\na: calc 2000 cpu 1\nr: recv 101b from 0\nb: calc 500\n"
	              "b requires a\nb requires r\n}\n",
	              1 + 5 + 0.5, 1.5);
	path_computes("num_ranks 3\nrank 0 {\n}\nrank 1 {\n}\nrank 2 {\na: calc 3000\n}\n", 6, 6);
	/* the second message waits for the interface: what was computed before the first */
	path_computes("num_ranks 2\nrank 0 {\na: calc 1000\ns: send 101b to 1\ns requires a\n"
	              "b: calc 3000 cpu 1\nt: send 101b to 1\nt requires b\n}\n"
	              "rank 1 {\nr: recv 101b from 0\nq: recv 101b from 0\n}\n",
	              1 + 5 + 5, 1);
	/* a message is taken in from 3 to 5, by another processor than that whose computation lets
	 * the receive be posted at 4 */
	path_computes("num_ranks 2\nrank 0 {\ns: send 101b to 1 cpu 1\n}\nrank 1 {\na: calc 4000\n"
	              "r: recv 101b from 0\nr requires a\nb: calc 1000\nb requires r\n}\n",
	              6, 1);
	/* of more than S: the sender goes on when the receive is posted, at 20 */
	path_computes("num_ranks 2\nrank 0 {\ns: send 2001b to 1\na: calc 10000\na requires s\n}\n"
	              "rank 1 {\nb: calc 20000 cpu 1\nr: recv 2001b from 0 cpu 1\n"
	              "r requires b\n}\n",
	              30, 30);
}

/* A receive has no limit, but what is longer is told. */
static void longer(void **state)
{
	static const char text[] = "num_ranks 2\nrank 0 {\ns: send 101b to 1\n}\nrank 1 {\n"
	                           "r: recv 1b from 0\n}\n";
	struct schedule_result r;

	(void)state;
	ends_at(text, 1 + 2 + 1 + 1);
	assert_int_equal(run(text, &r), 1);
	assert_int_equal(r.longer, 1);
	assert_int_equal(r.long_send, 0);
	assert_int_equal(r.long_receive, 1);
}

/* What becomes ready of a rank comes to where libstdc++'s std::sort by kinds puts it: of what that
 * (g++ 12) made of these, the sums h = 1000003 h + place. */
static void as_std_sort(void **state)
{
	static const struct {
		uint32_t n, m;
		uint64_t sum;
	} cases[] = {{17, 3, 11880141989617190684u},    {17, 11, 1024453419835358890u},
	             {17, 101, 6957612724790892122u},   {40, 3, 11414035300834295740u},
	             {40, 11, 5598999798669685808u},    {40, 101, 6848124704099557620u},
	             {100, 3, 9023381658269292620u},    {100, 11, 13037369202279797828u},
	             {1000, 11, 14666987537371011494u}, {1000, 101, 15812653753891534620u},
	             {50000, 3, 15812883404526395102u}, {50000, 101, 16363910946762537610u}};
	struct schedule_op *op = calloc(50001, sizeof *op);
	struct err err;

	(void)state;
	assert_non_null(op);
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		const struct trace_schedule s = {.op = op, .n_ops = cases[c].n};
		struct freed f = {0};
		uint64_t sum = 0;

		for (uint32_t i = 0; i < cases[c].n; i++) {
			uint64_t x = 7 * (uint64_t)i * i + 3 * i + i / 5;

			op[i].kind = (uint8_t)(x % cases[c].m % 3 + 1);
			assert_ok(freed_add(&f, i, &err), err);
		}
		assert_ok(freed_sort_as_loggopsim(&f, &s, &err), err);
		for (uint32_t i = 0; i < f.n; i++)
			sum = sum * 1000003 + f.id[i];
		if (sum != cases[c].sum)
			fail_msg("%u by %u: %llu", cases[c].n, cases[c].m, (unsigned long long)sum);
		freed_release(&f);
	}
	free(op);
}

static void sums(void **state)
{
	struct schedule_result r;

	(void)state;
	assert_int_equal(
	    run("num_ranks 2\nrank 0 {\ns: send 101b to 1\na: calc 4000\n}\n" TO_1, &r), 1);
	assert_int_equal(r.messages, 1);
	assert_double_is(r.bytes, 101);
	assert_float_equal(r.computing * 1e6, 4, 1e-9);
	assert_float_equal(r.sending * 1e6, 1.1 + 2, 1e-9);
}

/* At one date what came into being first goes first: at 6 us a computation of 1 ns that was ready
 * at 0.5 us, then the message that left at 1 us; though a send that was ready before both is
 * looked at, whose interface is taken until 6.5 us, and which the message keeps until 7.001 us. */
static void first_come(void **state)
{
	(void)state;
	ends_at("num_ranks 2\nrank 0 {\nw: calc 1000\nm: send 1b to 1\nm requires w\n"
	        "r: recv 1b from 1\nq: recv 1b from 1\n}\n"
	        "rank 1 {\nc: calc 6000\na: calc 500 cpu 1\ns: send 1b to 0\ns requires a\n"
	        "d: calc 1\nd requires a\nb: calc 2500 cpu 2\nt: send 1b to 0 cpu 2\n"
	        "t requires b\nr: recv 1b from 0\n}\n",
	        7.001 + 1 + 2 + 1);
}

/* A thousand that become ready at once: sends before receives before computations, each in the
 * order of the file. The computations would hold up the sends by 1 us. */
static void many_at_once(void **state)
{
	struct str s;

	(void)state;
	str_init(&s);
	str_puts(&s, "num_ranks 2\nrank 0 {\na: calc 1000\n");
	for (int i = 0; i < 500; i++)
		str_printf(&s, "c%d: calc 2\nc%d requires a\ns%d: send 1b to 1\ns%d requires a\n",
		           i, i, i, i);
	str_puts(&s, "}\nrank 1 {\n");
	for (int i = 0; i < 500; i++)
		str_printf(&s, "r%d: recv 1b from 0\n", i);
	str_puts(&s, "}\n");
	ends_at(s.s, 1 + 499 * 4 + 1 + 2 + 1);
	str_release(&s);
}

/* Processor time of one rank that posts so many receives with tags of their own, which another
 * sends: the order in which they are posted is not that in which they come. */
static double seconds_of_tags(int n)
{
	struct schedule_result r;
	struct str s;
	clock_t start;

	str_init(&s);
	str_puts(&s, "num_ranks 2\nrank 0 {\n");
	for (int i = 0; i < n; i++)
		str_printf(&s, "s%d: send 1b to 1 tag %d\n", i, i);
	str_puts(&s, "}\nrank 1 {\n");
	for (int i = 0; i < n; i++)
		str_printf(&s, "r%d: recv 1b from 0 tag %d\n", i, n - 1 - i);
	str_puts(&s, "}\n");
	start = clock();
	assert_int_equal(run(s.s, &r), 1);
	str_release(&s);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void tags_at_one_date(void **state)
{
	double few = seconds_of_tags(5000), many = seconds_of_tags(20000);

	(void)state;
	if (many > 9 * few + 0.1)
		fail_msg("5,000 tags take %g s, 20,000 %g s", few, many);
}

/* Processor time of so many ranks, each of which computes 1 us and then nine times nothing: all
 * that waits goes on at one date. */
static double seconds_of_ranks(uint32_t ranks)
{
	enum { OPS = 10 };
	struct trace_schedule s = {.ranks = ranks,
	                           .cpus = 1,
	                           .nics = 1,
	                           .n_ops = ranks * OPS,
	                           .computing = 1000.0 * ranks};
	double *unit = malloc(ranks * sizeof *unit);
	struct schedule_result r;
	struct err err;
	clock_t start;

	s.op = calloc((size_t)s.n_ops + 1, sizeof *s.op);
	s.first = calloc((size_t)ranks + 1, sizeof *s.first);
	assert_true(s.op && s.first && unit);
	for (uint32_t i = 0; i < s.n_ops; i++)
		s.op[i] = (struct schedule_op){
		    .kind = SCHEDULE_CALC, .rank = i / OPS, .size = i % OPS ? 0 : 1000};
	for (uint32_t i = 0; i <= ranks; i++)
		s.first[i] = i * OPS;
	for (uint32_t i = 0; i < ranks; i++)
		unit[i] = 1e-9;
	start = clock();
	assert_int_equal(schedule_run(&s, &model, unit, NULL, &r, &err), 1);
	assert_double_is(r.end, 1e-6);
	assert_close(r.path, 1e-6, 1e-4);
	free(unit);
	trace_schedule_release(&s);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Four times as many ranks may take nine times as long, not sixteen. */
static void ranks_at_one_date(void **state)
{
	double few = seconds_of_ranks(15000), many = seconds_of_ranks(60000);

	(void)state;
	if (many > 9 * few + 0.1)
		fail_msg("15,000 ranks take %g s, 60,000 %g s", few, many);
}

static int setup(void **state)
{
	(void)state;
	tmp_init(&tmp);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(processors),
	                                   cmocka_unit_test(messages),
	                                   cmocka_unit_test(waits),
	                                   cmocka_unit_test(without_end),
	                                   cmocka_unit_test(sums),
	                                   cmocka_unit_test(first_come),
	                                   cmocka_unit_test(paths),
	                                   cmocka_unit_test(longer),
	                                   cmocka_unit_test(as_std_sort),
	                                   cmocka_unit_test(many_at_once),
	                                   cmocka_unit_test(ranks_at_one_date),
	                                   cmocka_unit_test(tags_at_one_date)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
