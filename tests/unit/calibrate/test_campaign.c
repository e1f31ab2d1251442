/* test_campaign.c: a campaign on a machine that exists only as formulas (made_up.h): which parts
 * are measured, on which ranks, and what each decides about the next. */
#include "calibrate/network/campaign.h"

#include "made_up.h"

enum { RANKS = 16, PARTS = 8 };

/* A machine: hosts of its ranks, cabinets of its hosts, and what was asked of it. */
struct machine {
	struct truth t;
	const char *host[RANKS];
	int cabinet[RANKS]; /* by rank */
	double uplink;      /* of a cabinet, each way, in rates of a host; 0: never limits */
	double both;        /* what is left of it if it carries both ways at once; 0: all */
	const char *fails;  /* the part that does */
	char part[PARTS][16];
	int parts;
	double now;
	struct str out;
};

struct line {
	char op[16];
	int a, b, pairs;
	double size;
};

static void row(struct machine *m, const char *op, const struct line *q, double duration)
{
	str_printf(&m->out, "%s,%d,%d,%d,%.0f,%.6f,%.9g\n", op, q->a, q->b, q->pairs, q->size,
	           m->now, duration);
	m->now += 1e-3;
}

/* What each line of a plan tells, as data/measure/measure.c says, without noise. */
static void line_measure(struct machine *m, const struct line *q)
{
	const struct truth *t = &m->t;
	int late = q->size >= t->threshold;
	double half = truth_half(t, q->size), os = t->os + t->os_byte * q->size;

	if (!strcmp(q->op, "pingpong")) {
		row(m, "pingpong", q, 2 * half);
		row(m, "send", q, late ? half : os);
	} else if (!strcmp(q->op, "isend")) {
		row(m, "isend", q, t->os);
	} else if (!strcmp(q->op, "recv")) {
		row(m, "recv", q, late ? half : t->or_);
	} else if (!strcmp(q->op, "late")) {
		row(m, "late_send", q, late ? 5 * half + 2e-3 : os);
		row(m, "late_recv", q, late ? half : t->or_);
	} else if (!strcmp(q->op, "exchange")) {
		row(m, "exchange", q, half);
	} else if (!strcmp(q->op, "flow") || !strcmp(q->op, "ring")) {
		row(m, q->op, q, q->size / t->bandwidth);
	} else if (!strcmp(q->op, "order")) {
		row(m, "order", q, half / 2 + truth_half(t, 1));
	}
}

/* All at once: a link of a cabinet is shared by those that cross it. */
static void load_measure(struct machine *m, const struct line *all, int n)
{
	for (int i = 0; i < n; i++) {
		int from = m->cabinet[all[i].a], to = m->cabinet[all[i].b], out = 0, in = 0,
		    back = 0;
		double rate = 1;

		for (int k = 0; k < n; k++) {
			int a = m->cabinet[all[k].a], b = m->cabinet[all[k].b];

			out += a != b && a == from;
			in += a != b && b == to;
			back += a != b && (b == from || a == to);
		}
		if (from != to && m->uplink > 0)
			rate = fmin(1, fmin(m->uplink / out, m->uplink / in)) *
			       (back && m->both > 0 ? m->both : 1);
		for (int message = 1; message <= 3; message++)
			row(m, "load", &all[i],
			    message * all[i].size / (rate * m->t.bandwidth) + m->t.latency);
	}
}

static int line_read(const char **text, struct line *q)
{
	int n = 0;

	if (sscanf(*text, "%15s %d %d %lf %d\n%n", q->op, &q->a, &q->b, &q->size, &q->pairs, &n) !=
	    5)
		return 0;
	*text += n;
	return 1;
}

static void plan_measure(struct machine *m, const char *text)
{
	struct line q, block[RANKS];
	int n = 0, wanted = 0, ranks = 0;

	while (ranks < RANKS && m->host[ranks])
		ranks++;
	while (line_read(&text, &q)) {
		if (q.a >= ranks || q.b >= ranks) { /* how many there are, "hosts" asks */
			assert_string_equal(m->part[m->parts - 1], "hosts");
			continue;
		}
		if (strcmp(q.op, "load") != 0) {
			line_measure(m, &q);
			continue;
		}
		wanted = q.pairs % 1000;
		assert_in_range(wanted, 1, RANKS);
		block[n++] = q;
		if (n == wanted) {
			load_measure(m, block, n);
			n = 0;
		}
	}
	assert_string_equal(text, "");
	assert_int_equal(n, 0); /* no block is cut off */
}

static int measure(void *self, const char *part, const struct str *plan, struct net_raw *raw,
                   struct err *err)
{
	struct machine *m = self;
	char path[] = "/tmp/orrery-test-XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0 && m->parts < PARTS);
	assert_true(plan->n > 0);
	snprintf(m->part[m->parts++], sizeof m->part[0], "%s", part);
	if (m->fails && !strcmp(m->fails, part)) {
		close(fd);
		unlink(path);
		return err_set(err, ERR_INPUT, "the launcher failed");
	}
	str_init(&m->out);
	str_puts(&m->out, "# hosts: ");
	for (int i = 0; i < RANKS && m->host[i]; i++)
		str_printf(&m->out, "%s%s", i ? "," : "", m->host[i]);
	str_puts(&m->out, "\nop,src,dst,pairs,size,start,duration\n");
	plan_measure(m, plan->s);
	assert_int_equal(write(fd, m->out.s, m->out.n), m->out.n);
	close(fd);
	str_release(&m->out);
	r = net_raw_read(raw, path, err);
	unlink(path);
	return r;
}

static const struct net_campaign asked = {.max_size = 1 << 20, .samples = 200, .seed = 1};

struct result {
	struct net_raw raw;
	struct str doubts;
	struct err err;
	int code;
};

static void run(struct machine *m, const struct net_campaign *c, struct result *r)
{
	struct net_measurer by = {.measure = measure, .self = m};

	net_raw_init(&r->raw);
	str_init(&r->doubts);
	r->code = net_campaign_run(c, &by, &r->raw, &r->doubts, &r->err);
}

static void result_release(struct result *r)
{
	net_raw_release(&r->raw);
	str_release(&r->doubts);
}

static void parts_are(const struct machine *m, const char *const *expected)
{
	int n = 0;

	for (; expected[n]; n++) {
		assert_true(n < m->parts);
		assert_string_equal(m->part[n], expected[n]);
	}
	assert_int_equal(m->parts, n);
}
#define PARTS_ARE(m, ...) parts_are(m, (const char *const[]){__VA_ARGS__, NULL})

/* Three rounds of 12 sizes, evenly spread, leave 1/13 of the gap each. Of 200 * 0.16 late sizes,
 * log-uniform to 1 MiB, the gap before is of tens of kilobytes; 13^3 is 2197. */
static void a_threshold_is_closed_in_on(void **state)
{
	static const double thresholds[] = {50000, 65536 - 32, 12345};

	(void)state;
	for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
		struct machine m = {.t = usual, .host = {"a", "b"}};
		struct result r;
		struct net_fit f;

		m.t.threshold = m.t.eager = thresholds[i];
		run(&m, &asked, &r);
		assert_ok(r.code, r.err);
		PARTS_ARE(&m, "hosts", "raw", "late0", "late1", "late2");
		assert_ok(net_fit_make(&r.raw, 0, &f, &r.err), r.err);
		assert_true(f.detached_low < thresholds[i] && f.detached >= thresholds[i]);
		assert_true(f.detached - f.detached_low <= 64);
		net_fit_release(&f);
		result_release(&r);
	}
}

static void two_hosts_are_one_cabinet(void **state)
{
	struct machine m = {.t = usual, .host = {"a", "a", "b", "b"}};
	struct result r;

	(void)state;
	run(&m, &asked, &r);
	assert_ok(r.code, r.err);
	PARTS_ARE(&m, "hosts", "raw", "late0", "late1", "late2"); /* no loads: too few hosts */
	assert_int_equal(r.raw.cabinets.n, 1);
	assert_int_equal(r.raw.one_host, 0);
	assert_int_equal(r.doubts.n, 0);
	for (uint32_t i = 0; i < r.raw.n; i++) { /* rank 1 is beside rank 0, 2 on the other host */
		const struct net_row *q = &r.raw.rows[i];

		assert_int_equal(q->local, q->src / 2 == q->dst / 2);
		assert_int_equal(q->far, 0);
	}
	result_release(&r);
}

/* Two of its ranks are all there is to measure, whatever their number. */
static void one_host_is_measured_between_two_ranks(void **state)
{
	struct machine m = {.t = usual, .host = {"a", "a", "a", "a", "a"}};
	struct result r;

	(void)state;
	run(&m, &asked, &r);
	assert_ok(r.code, r.err);
	assert_int_equal(r.raw.one_host, 1);
	assert_int_equal(r.raw.n_hosts, 5);
	for (uint32_t i = 0; i < r.raw.n; i++) {
		assert_int_equal(r.raw.rows[i].local, 0); /* it is taken as the network */
		if (r.raw.rows[i].op == NET_PINGPONG)
			assert_true(r.raw.rows[i].src == 0 && r.raw.rows[i].dst == 1);
	}
	result_release(&r);
}

/* Eight hosts, two cabinets of four, interleaved: link of a cabinet as fast as one host. */
static void cabinets_decide_who_is_near(void **state)
{
	struct machine m = {.t = usual,
	                    .host = {"a", "b", "c", "d", "e", "f", "g", "h"},
	                    .cabinet = {0, 1, 0, 1, 0, 1, 0, 1},
	                    .uplink = 1};
	struct result r;
	int near = 0, far = 0;

	(void)state;
	run(&m, &asked, &r);
	assert_ok(r.code, r.err);
	assert_string_equal(m.part[1], "loads");
	assert_int_equal(r.raw.cabinets.n, 2);
	for (int h = 0; h < 8; h++)
		assert_int_equal(r.raw.cabinets.of[h], h % 2);
	assert_true(fabs(r.raw.cabinets.uplink / m.t.bandwidth - 1) < 0.05);
	for (uint32_t i = 0; i < r.raw.n; i++) {
		const struct net_row *q = &r.raw.rows[i];

		assert_int_equal(q->far, q->src % 2 != q->dst % 2);
		if (q->op == NET_PINGPONG) {
			assert_int_equal(q->src, 0);
			near += q->dst == 2; /* the nearest of its cabinet, */
			far += q->dst == 1;  /* and of the other one */
		}
	}
	assert_true(near >= 2 * far && far > 0);
	result_release(&r);
}

/* The link of a cabinet carries two thirds where it does both ways at once, as all hosts at once
 * make it: the model has what it carries one way, and the rest is told. */
static void links_are_measured_one_way(void **state)
{
	struct machine m = {.t = usual,
	                    .host = {"a", "b", "c", "d", "e", "f", "g", "h"},
	                    .cabinet = {0, 0, 0, 1, 1, 1, 1, 1},
	                    .uplink = 1.5,
	                    .both = 2.0 / 3};
	struct net_fit f;
	struct result r;

	(void)state;
	run(&m, &asked, &r);
	assert_ok(r.code, r.err);
	assert_int_equal(r.raw.cabinets.n, 2);
	assert_ok(net_fit_make(&r.raw, 0, &f, &r.err), r.err);
	if (fabs(f.uplink / m.t.bandwidth / m.uplink - 1) > 0.02)
		fail_msg("%g", f.uplink / m.t.bandwidth);
	if (!strstr(f.warnings.s, "between cabinets carry 67 %")) /* 66.67 */
		fail_msg("%s", f.warnings.s);
	net_fit_release(&f);
	result_release(&r);
}

static void cabinets_given_are_taken(void **state)
{
	struct machine m = {.t = usual,
	                    .host = {"a", "b", "c", "d", "e", "f"},
	                    .cabinet = {0, 0, 0, 1, 1, 1},
	                    .uplink = 1};
	struct net_campaign c = asked;
	struct result r;

	(void)state;
	assert_ok(net_campaign_cabinets(&c, "2x3", &r.err), r.err);
	run(&m, &c, &r);
	assert_ok(r.code, r.err);
	assert_int_equal(r.raw.cabinets.n, 2);
	for (int h = 0; h < 6; h++)
		assert_int_equal(r.raw.cabinets.of[h], h / 3);
	result_release(&r);
}

#define REFUSED(m, c, words) \
	do { \
		struct result r_; \
		run(m, c, &r_); \
		assert_int_equal(r_.code, -1); \
		assert_int_equal(r_.err.kind, ERR_INPUT); \
		if (!strstr(r_.err.text, words)) \
			fail_msg("\"%s\" is not in: %s", words, r_.err.text); \
		result_release(&r_); \
	} while (0)

static void what_cannot_be_measured_is_refused(void **state)
{
	struct machine one = {.t = usual, .host = {"a"}},
	               few = {.t = usual, .host = {"a", "b", "c"}},
	               many = {.t = usual, .host = {"a", "b", "c", "d", "e"}},
	               alone = {.t = usual,
	                        .host = {"a", "b", "c", "d", "e"},
	                        .cabinet = {0, 1, 1, 1, 1},
	                        .uplink = 0.5};
	struct net_campaign two = asked, single = asked;
	struct err err;

	(void)state;
	assert_ok(net_campaign_cabinets(&two, "2x2", &err), err);
	assert_ok(net_campaign_cabinets(&single, "5x1", &err), err);
	REFUSED(&one, &asked, "one process only");
	assert_int_equal(one.parts, 1);
	REFUSED(&many, &two, "--cabinets 2x2, and 5 hosts"); /* four places */
	two.per_cabinet = 3;
	REFUSED(&few, &two, "--cabinets 2x3, and 3 hosts"); /* one cabinet is no two */
	assert_int_equal(few.parts, 1);                     /* found before anything is measured */
	REFUSED(&alone, &single, "alone in its cabinet");
	assert_int_equal(alone.parts, 2);
}

static void a_part_that_fails_ends_it(void **state)
{
	static const char *const parts[] = {"hosts", "loads", "raw", "late0", "late1", "late2"};

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct machine m = {.t = usual, .host = {"a", "b", "c", "d"}, .fails = parts[i]};
		struct result r;

		run(&m, &asked, &r);
		assert_int_equal(r.code, -1);
		assert_string_equal(r.err.text, "the launcher failed");
		assert_int_equal(m.parts, i + 1);
		assert_int_equal(r.raw.n > 0, i >= 2); /* what was measured is kept */
		result_release(&r);
	}
}

static void cabinets_are_parsed(void **state)
{
	static const char *const bad[] = {"",    "x",    "4",    "4x",   "x4",    "1x4",
	                                  "2x0", "2x-1", "2 x4", "2x4x", "2x4x8", "ax4"};
	struct net_campaign c = {0};
	struct err err;

	(void)state;
	assert_ok(net_campaign_cabinets(&c, "16x32", &err), err);
	assert_true(c.cabinets == 16 && c.per_cabinet == 32);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (net_campaign_cabinets(&c, bad[i], &err) != -1)
			fail_msg("'%s' was taken", bad[i]);
}

/* A file that was kept says the same as the rows that it was made of. */
static void what_is_kept_is_read_again(void **state)
{
	struct machine m = {.t = usual, .host = {"a", "a", "b"}};
	char path[] = "/tmp/orrery-test-XXXXXX";
	int fd = mkstemp(path);
	struct result r, again = {0};
	struct str text;

	(void)state;
	assert_true(fd >= 0);
	run(&m, &asked, &r);
	assert_ok(r.code, r.err);
	str_init(&text);
	net_raw_write(&r.raw, &text);
	assert_int_equal(write(fd, text.s, text.n), text.n);
	close(fd);
	net_raw_init(&again.raw);
	str_init(&again.doubts);
	assert_ok(net_raw_read(&again.raw, path, &again.err), again.err);
	assert_ok(net_campaign_look(&asked, &again.raw, &again.doubts, &again.err), again.err);
	assert_int_equal(again.raw.n, r.raw.n);
	assert_int_equal(again.raw.n_hosts, 3);
	for (uint32_t i = 0; i < r.raw.n; i++) {
		const struct net_row *p = &r.raw.rows[i], *q = &again.raw.rows[i];

		assert_true(p->op == q->op && p->src == q->src && p->dst == q->dst &&
		            p->pairs == q->pairs && p->local == q->local && p->far == q->far);
		assert_true(p->size == q->size && p->duration == q->duration);
	}
	unlink(path);
	str_release(&text);
	result_release(&r);
	result_release(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_threshold_is_closed_in_on),
	    cmocka_unit_test(two_hosts_are_one_cabinet),
	    cmocka_unit_test(one_host_is_measured_between_two_ranks),
	    cmocka_unit_test(cabinets_decide_who_is_near),
	    cmocka_unit_test(links_are_measured_one_way),
	    cmocka_unit_test(cabinets_given_are_taken),
	    cmocka_unit_test(what_cannot_be_measured_is_refused),
	    cmocka_unit_test(a_part_that_fails_ends_it),
	    cmocka_unit_test(cabinets_are_parsed),
	    cmocka_unit_test(what_is_kept_is_read_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
