/* models.h: messages sent at given dates through a model, and when they arrive: for tests of the
 * models of net. */
#ifndef ORRERY_TESTS_UNIT_NET_MODELS_H
#define ORRERY_TESTS_UNIT_NET_MODELS_H

#include "fixture.h"

struct sent {
	double date;
	const char *from, *to;
	double bytes;
	double arrival; /* expected; relative precision 1e-12 */
};

enum { SENT_MAX = 64, TIMER = 1000 };

static inline void sent_send(struct fixture *f, const struct sent *s, uint64_t user)
{
	struct net_send m = {.bytes = s->bytes, .stretch = f->stretch, .user = user};
	struct net_sent sent;

	assert_int_equal(platform_host_find(f->platform, s->from, &m.from), 0);
	assert_int_equal(platform_host_find(f->platform, s->to, &m.to), 0);
	assert_ok(net_message(f->net, &m, &sent, &f->err), f->err);
}

/* Sends each message at its date (those of one date in the order given): when they arrive. */
static inline void arrivals_find(const char *machine, const char *settings, const struct sent *s,
                                 uint32_t n, double *arrival)
{
	struct fixture f;
	struct completion c;
	struct activity_id a;
	int r;

	fixture_init(&f, machine, settings);
	if (!f.net)
		fail_msg("%s", f.err.text);
	for (uint32_t i = 0; i < n; i++)
		assert_ok(engine_timer(net_engine(f.net), s[i].date, TIMER + i, &a, &f.err), f.err);
	while ((r = net_next(f.net, &c, &f.err)) > 0) {
		if (c.user >= TIMER)
			sent_send(&f, &s[c.user - TIMER], c.user - TIMER);
		else
			arrival[c.user] = engine_now(net_engine(f.net));
	}
	assert_ok(r, f.err);
	fixture_release(&f);
}

static inline void check_arrivals(const char *machine, const char *settings, const struct sent *s,
                                  uint32_t n)
{
	double arrival[SENT_MAX] = {0};

	assert_true(n <= SENT_MAX);
	arrivals_find(machine, settings, s, n, arrival);
	for (uint32_t i = 0; i < n; i++) {
		double d = arrival[i] - s[i].arrival;

		if (!((d < 0 ? -d : d) <= 1e-12 * s[i].arrival))
			fail_msg("message %u (%s to %s at %g s) arrives at %.15g s, not %.15g", i,
			         s[i].from, s[i].to, s[i].date, arrival[i], s[i].arrival);
	}
}

#define CHECK(machine, settings, ...) \
	do { \
		const struct sent sent_[] = {__VA_ARGS__}; \
		check_arrivals(machine, settings, sent_, sizeof sent_ / sizeof *sent_); \
	} while (0)

#endif
