/* prop_messages.c: laws of messages on random machines that do not change:
 *   noise of a factor 2 doubles what a message alone takes, exactly;
 *   a message in two parts, the second one behind the first, takes what it takes whole;
 *   messages sent together are not over before the busiest link can have carried them
 *     (net_load_add), and none sooner than it would be alone without others' help.
 * PROP_SEED and PROP_CASES repeat or lengthen a run. */
#include "../random_platform.h"
#include "test.h"
#include "tmp.h"

#include "net/net.h"

#include <math.h>
#include <stdlib.h>

enum { TOGETHER = 12 };

struct world {
	struct config cfg;
	struct platform *platform;
	struct net *net;
	struct rng rng;
	uint64_t seed;
};

static void net_again(struct world *w)
{
	struct err err;

	net_free(w->net);
	w->net = net_new(w->platform, &w->cfg, &err);
	if (!w->net)
		fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.text);
}

/* 0: this machine changes by itself, of which these laws say nothing. */
static int world_init(struct world *w, uint64_t seed, const char *settings)
{
	struct machine_text m;
	struct tmp tmp;
	struct err err;
	int still;

	*w = (struct world){.seed = seed};
	rng_init(&w->rng, seed, "machine", 0);
	machine_write(&m, &w->rng, 1);
	still = !strstr(m.text.s, "<trace");
	assert_ok(config_init(&w->cfg, &err), err);
	assert_ok(config_set_all(&w->cfg, settings, CFG_FROM_USER, &err), err);
	tmp_init(&tmp);
	w->platform = platform_read(tmp_write(&tmp, "p.xml", m.text.s), &w->cfg, &err);
	tmp_release(&tmp);
	str_release(&m.text);
	if (!w->platform)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
	return still;
}

static void world_release(struct world *w)
{
	net_free(w->net);
	platform_free(w->platform);
	config_release(&w->cfg);
}

static struct net_send message_draw(struct world *w, uint64_t user)
{
	uint32_t hosts = platform_host_count(w->platform);

	return (struct net_send){.from = {(uint32_t)rng_below(&w->rng, hosts)},
	                         .to = {(uint32_t)rng_below(&w->rng, hosts)},
	                         .bytes = floor(pow(10, 7 * rng_unit(&w->rng))),
	                         .stretch = 1,
	                         .user = user};
}

static void start(struct world *w, const struct net_send *s)
{
	struct net_sent sent;
	struct err err;

	if (net_message(w->net, s, &sent, &err) < 0)
		fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.text);
}

/* The date of the next end. */
static double next(struct world *w)
{
	struct completion c;
	struct err err;

	if (net_next(w->net, &c, &err) != 1)
		fail_msg("seed %llu: a message never ends", (unsigned long long)w->seed);
	return engine_now(net_engine(w->net));
}

static double alone(struct world *w, const struct net_send *s)
{
	net_again(w);
	start(w, s);
	return next(w);
}

static void check_close(const struct world *w, const char *law, double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-12 * expected))
		fail_msg("seed %llu: %s: %.17g s, not %.17g", (unsigned long long)w->seed, law, got,
		         expected);
}

static void noise_doubles(struct world *w)
{
	struct net_send s = message_draw(w, 1);
	double once = alone(w, &s);

	s.stretch = 2;
	check_close(w, "noise of 2", alone(w, &s), 2 * once);
}

static void parts_add_up(struct world *w)
{
	struct net_send s = message_draw(w, 1);
	double whole = alone(w, &s), cut = 0.1 + 0.8 * rng_unit(&w->rng);
	struct net_part first = {.part = cut}, second = {.part = 1 - cut, .waited = INFINITY};

	if (!net_takes_parts(w->net))
		return;
	s.part = &first;
	net_again(w);
	start(w, &s);
	next(w);
	s.part = &second;
	start(w, &s);
	check_close(w, "two parts", next(w), whole);
}

static void links_carry_no_more(struct world *w)
{
	struct net_send s[TOGETHER];
	double least = 0, longest = 0, end = 0;
	struct err err;

	for (int i = 0; i < TOGETHER; i++) {
		s[i] = message_draw(w, (uint64_t)i);
		longest = fmax(longest, s[i].from.v == s[i].to.v ? 0 : s[i].bytes);
	}
	net_again(w);
	net_load_clear(w->net);
	for (int i = 0; i < TOGETHER; i++)
		assert_ok(net_load_add(w->net, s[i].from, s[i].to, s[i].bytes, &least, &err), err);
	for (int i = 0; i < TOGETHER; i++)
		start(w, &s[i]);
	for (int i = 0; i < TOGETHER; i++)
		end = next(w);
	if (end < least * (1 - 1e-9))
		fail_msg("seed %llu: all over at %.17g s, and a link needs %.17g",
		         (unsigned long long)w->seed, end, least);
	assert_true(longest == 0 || least >= 0);
}

static void laws(void **state)
{
	static const char *const settings[] = {
	    "network/model:hybrid",
	    "network/model:LV08",
	    "network/model:CM02 network/crosstraffic:no",
	    "network/model:hybrid network/weight-S:1000",
	    "network/model:psins-bus psins/busses:1",
	    "network/model:constant network/latency-factor:1e-4"};
	enum { N = sizeof settings / sizeof *settings };
	const char *seed = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = seed ? strtoull(seed, NULL, 10) : 1,
	         n = cases ? strtoull(cases, NULL, 10) : 600, done = 0;

	(void)state;
	for (uint64_t i = from; i < from + n; i++) {
		struct world w;

		if (world_init(&w, i, settings[i % N])) {
			noise_doubles(&w);
			parts_add_up(&w);
			links_carry_no_more(&w);
			done++;
		}
		world_release(&w);
	}
	assert_true(seed || done >= n / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
