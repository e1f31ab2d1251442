/* test_sweep_print.c: a sweep of two algorithms written by hand, as text, JSON, CSV and a figure:
 *
 *   ranks bytes    first      second     "ours"         "theirs"
 *   2     0        1 us       not run    first          first
 *   2     1024     8 us       2 us       second         first: 4 times
 *   16    0        3 ms       1 ms       first: 3 times second
 *   16    1024     given up   20 s       second         second
 */
#include "study/study.h"

#include "test.h"

#include <math.h>

static const struct coll_alg first = {.name = "first"}, second = {.name = "second"};
static const struct coll_alg *algs[] = {&first, &second};
static int64_t ranks[] = {2, 16}, bytes[] = {0, 1024};

struct made {
	struct sweep s;
	struct sweep_cell cells[4];
	double seconds[4][2];
	struct sweep_choice choices[4][2];
	struct str out;
};

static void cell(struct made *m, int at, double a, double b, uint32_t fastest, uint32_t ours,
                 uint32_t theirs)
{
	double *t = m->seconds[at];

	t[0] = a;
	t[1] = b;
	m->choices[at][0] = (struct sweep_choice){{.alg = algs[ours]}, t[ours]};
	m->choices[at][1] = (struct sweep_choice){{.alg = algs[theirs]}, t[theirs]};
	m->cells[at] = (struct sweep_cell){
	    .seconds = t, .fastest = fastest, .choices = m->choices[at]};
}

static void made_init(struct made *m)
{
	*m = (struct made){.s = {.kind = COLL_ALLREDUCE,
	                         .give_up = 4,
	                         .algs = algs,
	                         .n_algs = 2,
	                         .selector = {"ours", "theirs"},
	                         .n_selectors = 2,
	                         .ranks = {ranks, 2, 2},
	                         .bytes = {bytes, 2, 2},
	                         .cells = m->cells}};
	cell(m, 0, 1e-6, NAN, 0, 0, 0);
	cell(m, 1, 8e-6, 2e-6, 1, 1, 0);
	cell(m, 2, 3e-3, 1e-3, 1, 0, 1);
	cell(m, 3, INFINITY, 20, 1, 1, 1);
	m->choices[3][0].choice.wanted = &first;
	str_init(&m->out);
}

static void has(const struct made *m, const char *part)
{
	if (!strstr(m->out.s, part))
		fail_msg("\"%s\" is not in: %s", part, m->out.s);
}

/* Columns are as wide as they are: one blank for several. */
static void text_make(struct made *m)
{
	size_t n = 0;

	sweep_text(&m->s, "a machine", &m->out);
	for (size_t i = 0; i < m->out.n; i++)
		if (m->out.s[i] != ' ' || (n > 0 && m->out.s[n - 1] != ' '))
			m->out.s[n++] = m->out.s[i];
	m->out.s[m->out.n = n] = '\0';
}

/* Mean losses: (0 + 0 + 2 + 0) / 4 = 50 %, (0 + 3 + 0 + 0) / 4 = 75 %. */
static void as_text(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	text_make(&m);
	has(&m, "allreduce on a machine: the fastest of 2 algorithms");
	has(&m, " 2 0 first 1 us +0.0% +0.0%\n");
	has(&m, " 2 1024 second 2 us +0.0% +300.0%\n");
	has(&m, " 16 0 second 1 ms +200.0% +0.0%\n");
	has(&m, " 16 1024 second 20 s +0.0% +0.0%\n");
	has(&m, " +50.0% +75.0%\n");
	str_release(&m.out);
}

/* From ten times on a loss is a factor; what no choice could run is a dash, and no part of the
 * mean. */
static void losses_far_off(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	m.choices[0][0].seconds = NAN;
	m.choices[1][1].seconds = 2e-6 * 10.994;
	m.choices[2][1].seconds = 1e-3 * 10.996;
	text_make(&m);
	has(&m, "1 us - +0.0%\n");
	has(&m, "2 us +0.0% +999.4%\n");
	has(&m, "1 ms +200.0% x11\n");
	/* (0 + 2 + 0) / 3; (0 + 9.994 + 9.996 + 0) / 4 = 4.9975, or 499.75 % */
	has(&m, " +66.7% +499.");
	str_release(&m.out);
	/* (0 + 9.994 + 37.996 + 0) / 4 = 12 */
	m.choices[2][1].seconds = 1e-3 * 38.996;
	text_make(&m);
	has(&m, "mean loss +66.7% x13\n");
	str_release(&m.out);
}

/* A selector none of whose choices was measured loses nobody knows how much. */
static void losses_unknown(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	for (int i = 0; i < 4; i++)
		m.choices[i][1].seconds = NAN;
	text_make(&m);
	has(&m, "mean loss +50.0% -\n");
	str_release(&m.out);
}

static void as_csv(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	sweep_csv(&m.s, &m.out);
	assert_string_equal(m.out.s, "operation,ranks,bytes,algorithm,seconds,selectors\n"
	                             "allreduce,2,0,first,1e-06,ours theirs\n"
	                             "allreduce,2,0,second,,\n"
	                             "allreduce,2,1024,first,8e-06,theirs\n"
	                             "allreduce,2,1024,second,2e-06,ours\n"
	                             "allreduce,16,0,first,0.003,ours\n"
	                             "allreduce,16,0,second,0.001,theirs\n"
	                             "allreduce,16,1024,first,,\n"
	                             "allreduce,16,1024,second,20,ours theirs\n");
	str_release(&m.out);
}

/* What was given up is null, what did not run is not there; a machine's name is quoted. */
static void as_json(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	m.cells[2].large = 7;
	sweep_json(&m.s, "a \"fast\" machine", &m.out);
	has(&m, "{\"operation\":\"allreduce\",\"machine\":\"a \\\"fast\\\" machine\",\"complete\":"
	        "true,\"means_little\":false,\"cells\":[");
	has(&m, "{\"ranks\":2,\"bytes\":0,\"fastest\":\"first\",\"seconds\":1e-06,"
	        "\"algorithms\":{\"first\":1e-06},");
	has(&m, "\"theirs\":{\"algorithm\":\"first\",\"seconds\":8e-06,\"loss\":3}");
	has(&m,
	    "\"algorithms\":{\"first\":null,\"second\":20},\"selectors\":{\"ours\":{\"algorithm\":"
	    "\"second\",\"instead_of\":\"first\",\"seconds\":20,\"loss\":0}");
	has(&m, "\"not_simulated\":7}");
	assert_string_equal(m.out.s + m.out.n - 3, "]}\n");
	str_release(&m.out);
}

static int count_of(const struct made *m, const char *part)
{
	int n = 0;

	for (const char *at = m->out.s; (at = strstr(at, part)); at++)
		n++;
	return n;
}

/* The axis ends at 4, where times are given up: 4 times as slow and given up are at the top, 0 of
 * 200; 3 times at 200 (1 - log2(3) / 2) = 41.5; the fastest at the bottom. Of x, 0 bytes is drawn
 * as 1: 0 of 10 binary orders; 1024 at the end. `second` wins three cells of four, so its line is
 * the first of the legend, in blue. */
static void as_figure(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	sweep_svg(&m.s, "<machine> & co", &m.out);
	has(&m, "allreduce on &lt;machine&gt; &amp; co</text>");
	assert_int_equal(count_of(&m, "<svg "), 1);
	assert_int_equal(count_of(&m, "font-weight=\"bold\">"), 2);
	has(&m, ">2 ranks</text>");
	has(&m, ">16 ranks</text>");
	assert_int_equal(count_of(&m, "&#8805; 4</text>"), 2);
	has(&m, "stroke=\"#0072B2\" d=\"M300.0 200.0\"/>");           /* second, 2 ranks */
	has(&m, "stroke=\"#D55E00\" d=\"M0.0 200.0L300.0 0.0\"/>");   /* first, 2 ranks */
	has(&m, "stroke=\"#0072B2\" d=\"M0.0 200.0L300.0 200.0\"/>"); /* second, 16 ranks */
	has(&m, "stroke=\"#D55E00\" d=\"M0.0 41.5L300.0 0.0\"/>");    /* first, 16 ranks */
	has(&m, ">second <tspan fill=\"#666\">(fastest 3 of 4)</tspan>");
	has(&m, ">first <tspan fill=\"#666\">(fastest 1 of 4)</tspan>");
	has(&m, ">1 Ki</text>");
	assert_int_equal(count_of(&m, ">others</text>"), 0);
	assert_int_equal(count_of(&m, "<g "), count_of(&m, "</g>"));
	assert_int_equal(count_of(&m, "nan"), 0);
	assert_int_equal(count_of(&m, "inf"), 0);
	str_release(&m.out);
}

/* Of two that win as many cells, the first of the legend is the one that is nearer to the fastest:
 * `first` loses by 4, then wins by 3; `second`, the other way round. */
static void nearer_first(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	cell(&m, 0, 4, 1, 1, 1, 1);
	cell(&m, 1, 1, 3, 0, 0, 0);
	m.s.ranks.n = 1;
	sweep_svg(&m.s, "m", &m.out);
	assert_true(strstr(m.out.s, ">second <tspan") < strstr(m.out.s, ">first <tspan"));
	str_clear(&m.out);
	cell(&m, 0, 3, 1, 1, 1, 1);
	cell(&m, 1, 1, 4, 0, 0, 0);
	sweep_svg(&m.s, "m", &m.out);
	assert_true(strstr(m.out.s, ">first <tspan") < strstr(m.out.s, ">second <tspan"));
	str_release(&m.out);
}

/* One size of messages: against ranks, one panel. Nobody measured anything: a figure all the same.
 */
static void against_ranks(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	m.s.bytes.n = 1;
	m.s.cells[1] = m.cells[2];
	sweep_svg(&m.s, "m", &m.out);
	assert_int_equal(count_of(&m, "font-weight=\"bold\">"), 1);
	has(&m, ">0 bytes</text>");
	has(&m, "against ranks;");
	str_clear(&m.out);
	m.s.n_algs = 0;
	m.s.ranks.n = 1;
	m.s.n_selectors = 0;
	sweep_svg(&m.s, "m", &m.out);
	has(&m, "</svg>\n");
	str_clear(&m.out);
	sweep_csv(&m.s, &m.out);
	assert_string_equal(m.out.s, "operation,ranks,bytes,algorithm,seconds,selectors\n");
	str_clear(&m.out);
	sweep_json(&m.s, "m", &m.out);
	has(&m, "\"fastest\":\"\",\"seconds\":null,\"algorithms\":{},\"selectors\":{}");
	str_release(&m.out);
}

/* Stopped in the third cell, before the fourth: what was measured is there, and nothing of the rest
 * is taken for a result. Of the finished ones the second algorithm wins one of two. */
static void stopped(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	for (int i = 2; i < 4; i++) {
		m.cells[i].unfinished = 1;
		m.choices[i][0] = m.choices[i][1] = (struct sweep_choice){.seconds = 0};
		m.seconds[i][1] = NAN;
	}
	m.seconds[3][0] = NAN;
	m.s.unfinished = 2;
	text_make(&m);
	has(&m, " 2 1024 second 2 us +0.0% +300.0%\n");
	assert_null(strstr(m.out.s, " 16 "));
	has(&m, "mean loss +0.0% +150.0%\n"); /* (0 + 0) / 2, (0 + 3) / 2 */
	str_clear(&m.out);
	sweep_csv(&m.s, &m.out);
	assert_string_equal(m.out.s, "operation,ranks,bytes,algorithm,seconds,selectors\n"
	                             "allreduce,2,0,first,1e-06,ours theirs\n"
	                             "allreduce,2,0,second,,\n"
	                             "allreduce,2,1024,first,8e-06,theirs\n"
	                             "allreduce,2,1024,second,2e-06,ours\n"
	                             "allreduce,16,0,first,0.003,\n");
	str_clear(&m.out);
	sweep_json(&m.s, "m", &m.out);
	has(&m, "\"complete\":false,\"means_little\":false,\"cells\":[");
	has(&m, "{\"ranks\":16,\"bytes\":0,\"fastest\":\"\",\"seconds\":null,\"algorithms\":{"
	        "\"first\":0.003},\"selectors\":{},\"not_simulated\":0,\"complete\":false}");
	str_clear(&m.out);
	sweep_svg(&m.s, "m", &m.out);
	has(&m, ">second <tspan fill=\"#666\">(fastest 1 of 2)</tspan>");
	has(&m, ">not measured</text>");
	assert_int_equal(count_of(&m, "nan"), 0);
	assert_int_equal(count_of(&m, ">others</text>"), 0);
	str_release(&m.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_text),        cmocka_unit_test(losses_far_off),
	    cmocka_unit_test(losses_unknown), cmocka_unit_test(as_csv),
	    cmocka_unit_test(as_json),        cmocka_unit_test(as_figure),
	    cmocka_unit_test(nearer_first),   cmocka_unit_test(against_ranks),
	    cmocka_unit_test(stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
