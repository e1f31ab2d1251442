/* fixture.h: a network on a machine that is given as text, under settings; messages on it. */
#ifndef ORRERY_TESTS_UNIT_NET_FIXTURE_H
#define ORRERY_TESTS_UNIT_NET_FIXTURE_H

#include "test.h"
#include "tmp.h"

#include "net/net.h"

struct fixture {
	struct err err;
	struct config cfg;
	struct platform *platform;
	struct net *net;
	double stretch; /* of messages sent; 1 */
};

static inline void fixture_init(struct fixture *f, const char *machine, const char *settings)
{
	struct tmp tmp;

	memset(f, 0, sizeof *f);
	f->stretch = 1;
	assert_ok(config_init(&f->cfg, &f->err), f->err);
	if (settings)
		assert_ok(config_set_all(&f->cfg, settings, CFG_FROM_USER, &f->err), f->err);
	tmp_init(&tmp);
	f->platform = platform_read(tmp_write(&tmp, "machine", machine), &f->cfg, &f->err);
	tmp_release(&tmp);
	if (!f->platform)
		fail_msg("%s", f->err.text);
	f->net = net_new(f->platform, &f->cfg, &f->err);
}

static inline void fixture_release(struct fixture *f)
{
	net_free(f->net);
	platform_free(f->platform);
	config_release(&f->cfg);
}

static inline struct host_id host(const struct fixture *f, const char *name)
{
	struct host_id h;

	assert_int_equal(platform_host_find(f->platform, name, &h), 0);
	return h;
}

static inline void send(struct fixture *f, const char *from, const char *to, double bytes,
                        uint64_t user)
{
	struct net_send s = {host(f, from), host(f, to), bytes, f->stretch, user, NULL};
	struct net_sent sent;

	assert_ok(net_message(f->net, &s, &sent, &f->err), f->err);
}

/* The date of the next end, which must be that of `user`. */
static inline double next(struct fixture *f, uint64_t user)
{
	struct completion c;

	assert_int_equal(engine_next(net_engine(f->net), &c, &f->err), 1);
	assert_int_equal(c.user, user);
	assert_ok(engine_check(net_engine(f->net), &f->err), f->err);
	return engine_now(net_engine(f->net));
}

static inline double next_of_any(struct fixture *f)
{
	struct completion c;

	assert_int_equal(engine_next(net_engine(f->net), &c, &f->err), 1);
	return engine_now(net_engine(f->net));
}

#endif
