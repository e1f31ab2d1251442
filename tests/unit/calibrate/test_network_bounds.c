/* test_network_bounds.c: what a fit of a network may not become, whatever was measured: traffic of
 * acknowledgements below none, a limit of both directions that a ring of hosts disproves, overheads
 * of more than the time there is, a latency that the bandwidth holds. And what measurements do not
 * tell is a warning, not a number. */
#include "made_up.h"

#include "calibrate/network/network_int.h"
#include "calibrate/network/network_result.h"

static struct net_fit fitted(double exchange, double ring)
{
	struct truth t = usual;
	struct net_raw raw;
	struct net_fit f, out;
	struct err err;

	t.noise = 5e-4;
	t.exchange = exchange;
	t.ring = ring;
	measured(&t, 1, MEASUREMENTS, &raw);
	assert_ok(net_fit_make(&raw, 0, &f, &err), err);
	out = f; /* its numbers: texts go */
	net_fit_release(&f);
	net_raw_release(&raw);
	return out;
}

/* All hosts send and receive at once, and take `ring` times as long as one pair: up to a tenth more
 * is acknowledgements; less than one pair is luck, and no traffic below 0. */
static void rings(void **state)
{
	static const struct {
		double ring, crosstraffic;
	} seen[] = {{0.97, 0}, {1, 0}, {1.03, 0.03}, {1.08, 0.08}};

	(void)state;
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
		struct net_fit f = fitted(1, seen[i].ring);

		assert_true(fabs(f.crosstraffic - seen[i].crosstraffic) < 0.004);
		assert_true(f.crosstraffic >= 0);
		assert_double_is(f.limiter, 0);
	}
}

/* Both directions at once take 1.6 times as long between two hosts: their link carries one at a
 * time, up to 2 B / 1.6; not so if a ring of all of them goes as fast as a pair. */
static void both_directions(void **state)
{
	(void)state;
	assert_close(fitted(1.6, 1.6).limiter, 2 * usual.bandwidth / 1.6, 0.02);
	assert_double_is(fitted(1.6, 1).limiter, 0);
}

/* A call takes some time, and never more than the way of the message leaves it. */
static void overheads(void **state)
{
	const struct net_table none = {0};

	(void)state;
	for (double room = 1e-7; room < 1; room *= 10)
		for (double seconds = 0; seconds < 2; seconds = 3 * seconds + 1e-7) {
			double send = overhead_most(NET_SEND, room, &none, 100, seconds),
			       recv = overhead_most(NET_RECV, room, &none, 100, seconds);

			assert_true(send > 0 && recv > 0);
			assert_true(send <= room && recv <= room);
			assert_true(seconds == 0 || send <= seconds);
			if (seconds > 0 && seconds < room / 10)
				assert_double_is(send, seconds);
		}
}

/* Sizes as benchmarks have them, powers of two, none of them large, or each but once: nothing that
 * a line of 10 us and 1 ns a byte through all of them would not be. */
static void few_sizes(void **state)
{
	static const struct {
		int least, most, times;
	} made[] = {{1, 8, 10}, {1, 16, 1}, {1, 16, 10}, {0, 12, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		struct net_raw raw;
		struct net_fit f;
		struct err err;

		net_raw_init(&raw);
		for (int k = 0; k < made[i].times; k++)
			for (int e = made[i].least; e <= made[i].most; e++)
				made_row(&raw,
				         (struct net_row){.op = NET_PINGPONG,
				                          .dst = 1,
				                          .pairs = 1,
				                          .size = exp2(e),
				                          .duration = 2 * (1e-5 + 1e-9 * exp2(e))});
		assert_ok(net_fit_make(&raw, 0, &f, &err), err);
		for (int e = made[i].least; e <= made[i].most; e++)
			assert_close(net_fit_pingpong(&f, exp2(e)), 1e-5 + 1e-9 * exp2(e), 0.01);
		assert_close(f.bandwidth, 1e9, 0.01);
		assert_close(f.latency, 1e-5, 0.01);
		assert_null(strstr(f.warnings.s ? f.warnings.s : "", "bimodal"));
		net_fit_release(&f);
		net_raw_release(&raw);
	}
}

/* Rows of sizes from lo to hi are left, of others those of another operation than `of` (NET_OPS:
 * none). */
static void sizes_left(struct net_raw *raw, enum net_op of, double lo, double hi)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < raw->n; i++)
		if ((raw->rows[i].size >= lo && raw->rows[i].size <= hi) ||
		    (of != NET_OPS && raw->rows[i].op != of))
			raw->rows[n++] = raw->rows[i];
	raw->n = n;
}

/* A fit warns in these words, or (NULL) of nothing. */
static void warns(const struct net_raw *raw, const char *words, struct net_fit *f)
{
	struct err err;
	const char *told;

	assert_ok(net_fit_make(raw, 0, f, &err), err);
	told = f->warnings.s ? f->warnings.s : "";
	if (words ? !strstr(told, words) : f->warnings.n > 0)
		fail_msg("'%s' instead of '%s'", told, words ? words : "");
	net_fit_release(f);
}

/* No message was large enough to wait for its receiver: the threshold is not one of 2 kB, twice the
 * largest. */
static void only_small(void **state)
{
	struct net_raw raw;
	struct net_fit f;

	(void)state;
	measured(&usual, 1, 2 * MEASUREMENTS, &raw);
	sizes_left(&raw, NET_OPS, 0, 1000);
	warns(&raw, "no message waited for its receiver, the largest of 9", &f);
	net_raw_release(&raw);
	/* Nor where large ones were measured, but none with a late receiver. */
	measured(&usual, 1, MEASUREMENTS, &raw);
	sizes_left(&raw, NET_LATE_SEND, 0, 1000);
	warns(&raw, "is a guess, 65536; measure larger ones", &f);
	net_raw_release(&raw);
}

/* The threshold of 65536 bytes is between messages of 5 kB and 500 kB. */
static void wide_threshold(void **state)
{
	struct net_raw raw, wide;
	struct net_fit f;

	(void)state;
	measured(&usual, 1, MEASUREMENTS, &raw);
	warns(&raw, NULL, &f);
	measured(&usual, 1, MEASUREMENTS, &wide);
	sizes_left(&wide, NET_LATE_SEND, 0, 5000);
	sizes_left(&raw, NET_LATE_SEND, 500000, 1e9);
	for (uint32_t i = 0; i < raw.n; i++)
		if (raw.rows[i].op == NET_LATE_SEND)
			made_row(&wide, raw.rows[i]);
	warns(&wide, "the threshold is anywhere between", &f);
	net_raw_release(&wide);
	net_raw_release(&raw);
}

static void only_large(void **state)
{
	struct net_raw raw;
	struct net_fit f;

	(void)state;
	measured(&usual, 1, MEASUREMENTS, &raw);
	sizes_left(&raw, NET_OPS, 100000, 1e9);
	warns(&raw, "no round trips of less than 10", &f);
	net_raw_release(&raw);
}

/* A fast network: 1 us of which 0.7 are latency. */
static struct truth fast_made(void)
{
	struct truth t = usual;

	t.os = 1e-7;
	t.os_byte = 1e-11;
	t.or_ = 2e-7;
	t.latency = 7e-7;
	t.bandwidth = 1e10;
	t.rendezvous_latency = 3e-6;
	return t;
}

/* The latency is that, and known as well as is said; not a microsecond, the least there ever was.
 */
static void short_latency(void **state)
{
	struct truth t = fast_made();
	int held = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct net_raw raw;
		struct net_fit f;

		truth_fitted(&t, seed, &raw, &f);
		assert_close(f.latency, t.latency, 0.05);
		held += fabs(f.latency - t.latency) <= f.latency_95;
		net_fit_release(&f);
		net_raw_release(&raw);
	}
	assert_in_range(held, 16, 20);
}

/* Its 2 us of a round trip, by a clock of 1 us; and by one of 0.1 us, which is 5 %. */
static void coarse_clock(void **state)
{
	static const double clock[] = {1e-6, 1e-7};
	struct truth t = fast_made();

	(void)state;
	for (int c = 0; c < 2; c++) {
		struct net_raw raw;
		struct net_fit f;

		measured(&t, 1, MEASUREMENTS, &raw);
		for (uint32_t i = 0; i < raw.n; i++)
			raw.rows[i].duration = clock[c] * round(raw.rows[i].duration / clock[c]);
		if (c == 0) {
			warns(&raw, "clock: the shortest round trips are multiples of 1e-06 s", &f);
		} else {
			struct err err;

			assert_ok(net_fit_make(&raw, 0, &f, &err), err);
			assert_null(strstr(f.warnings.s ? f.warnings.s : "", "clock"));
			net_fit_release(&f);
		}
		net_raw_release(&raw);
	}
}

/* Durations in ms and us instead of s, beside starts in s; and starts that were not kept. */
static void other_units(void **state)
{
	static const struct {
		double unit;
		int starts;
	} made[] = {{1e3, 1}, {1e6, 1}, {1e6, 0}};

	(void)state;
	for (size_t m = 0; m < sizeof made / sizeof *made; m++) {
		struct net_raw raw;
		struct net_fit f;

		measured(&usual, 1, MEASUREMENTS, &raw);
		for (uint32_t i = 0; i < raw.n; i++) {
			raw.rows[i].duration *= made[m].unit;
			raw.rows[i].start *= made[m].starts;
		}
		warns(&raw, "are they in seconds?", &f);
		net_raw_release(&raw);
	}
}

/* One size, or one duration for all sizes: an error, with what is wanted. Another unit: the result
 * is not to be used. */
static void no_variety(void **state)
{
	struct net_raw raw, same;
	struct net_fit f;
	struct str why;
	struct err err;

	(void)state;
	measured(&usual, 1, MEASUREMENTS, &raw);
	measured(&usual, 1, MEASUREMENTS, &same);
	for (uint32_t i = 0; i < raw.n; i++) {
		raw.rows[i].size = 1000;
		same.rows[i].duration = 1e-4;
	}
	assert_fails(net_fit_make(&raw, 0, &f, &err), err, ERR_INPUT,
	             "all 600 round trips between hosts are of 1000 bytes: five sizes at least");
	assert_fails(net_fit_make(&same, 0, &f, &err), err, ERR_INPUT,
	             "all 600 round trips between hosts took 0.0001 s, whatever their sizes");
	net_raw_release(&raw);
	net_raw_release(&same);
	measured(&usual, 1, MEASUREMENTS, &raw);
	str_init(&why);
	for (int unit = 0; unit < 2; unit++) {
		assert_ok(net_fit_make(&raw, 0, &f, &err), err);
		str_clear(&why);
		net_verdict(&raw, &f, &why);
		assert_true((why.n && strstr(why.s, "not in seconds")) == unit);
		net_fit_release(&f);
		for (uint32_t i = 0; i < raw.n; i++)
			raw.rows[i].duration *= 1e3;
	}
	str_release(&why);
	net_raw_release(&raw);
}

/* A nominal bandwidth of a hundredth of what messages have: Mbit/s, as if it was given as B/s. That
 * of the link is used, and nothing said. */
static void nominal_bandwidth(void **state)
{
	struct net_raw raw;
	struct net_fit f;
	struct err err;

	(void)state;
	measured(&usual, 1, MEASUREMENTS, &raw);
	assert_ok(net_fit_make(&raw, usual.bandwidth / 100, &f, &err), err);
	assert_close(f.bandwidth, usual.bandwidth, 0.02);
	assert_non_null(f.warnings.s);
	assert_non_null(strstr(f.warnings.s, "it is not used; is its unit right?"));
	net_fit_release(&f);
	assert_ok(net_fit_make(&raw, 1.25 * usual.bandwidth, &f, &err), err);
	assert_double_is(f.bandwidth, 1.25 * usual.bandwidth);
	assert_int_equal(f.warnings.n, 0);
	net_fit_release(&f);
	net_raw_release(&raw);
}

/* Cabinets that were told, and no message between them: there is no link of 0 B/s. */
static void cabinets_unmeasured(void **state)
{
	struct net_raw raw;
	struct net_fit f;
	struct str out;
	struct err err;

	(void)state;
	measured(&usual, 1, MEASUREMENTS, &raw);
	net_raw_cabinets(&raw, &(struct net_cabinets){.n = 2, .hosts = 4, .of = {0, 0, 1, 1}});
	assert_ok(net_fit_make(&raw, 0, &f, &err), err);
	str_init(&out);
	net_result_tell(&raw, &f, &out);
	assert_non_null(strstr(out.s, "2 cabinets, and nothing was measured between them"));
	str_release(&out);
	net_fit_release(&f);
	net_raw_release(&raw);
}

/* Four pairs of which one alone takes 0.01 s for 1e6 bytes share a switch of 2e8 bytes/s unevenly:
 * two have 0.8e8 each and end at 0.0125 s, the others 0.2e8, and then half of it each, until 0.02
 * s. Of three that are known (a host left out), about that. */
static void unfair_switch(void **state)
{
	static const double end[] = {0.0125, 0.0125, 0.02, 0.02};
	uint32_t kept = 0;
	struct net_raw raw;
	struct net_fit f;
	struct err err;

	(void)state;
	measured(&usual, 1, MEASUREMENTS, &raw);
	for (uint32_t i = 0; i < raw.n; i++)
		if (raw.rows[i].op != NET_FLOW)
			raw.rows[kept++] = raw.rows[i];
	raw.n = kept;
	for (int repeat = 0; repeat < 3; repeat++) {
		struct net_row row = {.op = NET_FLOW, .dst = 1, .pairs = 1, .size = 1e6};

		row.duration = 0.01;
		made_row(&raw, row);
		for (int i = 0; i < 4; i++) {
			row.src = 2 * i;
			row.dst = 2 * i + 1;
			row.pairs = 4;
			row.duration = end[(i + repeat) % 4];
			made_row(&raw, row);
		}
	}
	for (int left_out = 0; left_out < 2; left_out++) {
		assert_ok(net_fit_make(&raw, 0, &f, &err), err);
		if (fabs(f.backbone / 2e8 - 1) > (left_out ? 0.25 : 1e-6) ||
		    fabs(f.backbone - 4e8 * f.efficiency) > 1)
			fail_msg("left out %d: %g, %g", left_out, f.backbone, f.efficiency);
		net_fit_release(&f);
		kept = 0;
		for (uint32_t i = 0; i < raw.n; i++)
			if (raw.rows[i].op != NET_FLOW || raw.rows[i].src != 4)
				raw.rows[kept++] = raw.rows[i];
		raw.n = kept;
	}
	net_raw_release(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rings),
	    cmocka_unit_test(both_directions),
	    cmocka_unit_test(overheads),
	    cmocka_unit_test(few_sizes),
	    cmocka_unit_test(only_small),
	    cmocka_unit_test(wide_threshold),
	    cmocka_unit_test(only_large),
	    cmocka_unit_test(short_latency),
	    cmocka_unit_test(coarse_clock),
	    cmocka_unit_test(other_units),
	    cmocka_unit_test(no_variety),
	    cmocka_unit_test(nominal_bandwidth),
	    cmocka_unit_test(cabinets_unmeasured),
	    cmocka_unit_test(unfair_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
