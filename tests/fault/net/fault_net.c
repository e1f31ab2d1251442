/* fault_net.c: memory runs out at any point of what net does by itself: models made, messages and
 * their parts, files, collectives as a whole, a machine that changes, words. The error is worded,
 * and nothing leaks. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "net/net.h"
#include "net/storage.h"

#include <stdlib.h>

struct fixture {
	struct config cfg;
	struct platform *platform;
};

static const char machine[] =
    "<platform version='4.1'><zone id='z' routing='Full'>"
    "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><host id='c' speed='1Gf' core='2'/>"
    "<link id='l' bandwidth='125MBps' latency='10us'/>"
    "<link id='m' bandwidth='1GBps' latency='1us'/><route src='a' dst='b'><link_ctn id='l'/>"
    "</route><route src='a' dst='c'><link_ctn id='l'/><link_ctn id='m'/></route>"
    "<route src='b' dst='c'><link_ctn id='m'/></route></zone></platform>";

static int message(struct net *n, uint32_t from, uint32_t to, const struct net_part *part,
                   struct err *err)
{
	struct net_send s = {{from}, {to}, 1e6, 1, 1, net_takes_parts(n) ? part : NULL};
	struct net_sent sent;

	return net_message(n, &s, &sent, err);
}

static int store(struct net *n, struct err *err)
{
	struct store_access a = {.client = {1}, .op = STORE_WRITE, .asks = 1, .bytes = 1e6};
	uint32_t parts;

	if (net_store_find(n, a.client, "/scratch/file", &a.store, err) < 0)
		return -1;
	assert_true(a.store.v != STORE_NONE.v);
	return net_store_start(n, &a, &parts, err);
}

static int collective(struct net *n, struct err *err)
{
	struct host_id hosts[] = {{0}, {1}, {2}};
	void *memo = NULL;
	struct net_collective c = {.kind = NET_ALLREDUCE,
	                           .n = 3,
	                           .host = hosts,
	                           .sent = 1000,
	                           .received = 1000,
	                           .memo = &memo};
	double seconds = -1;
	int r = net_collective(n, &c, &seconds, err);

	free(memo);
	assert_true(r < 0 || seconds >= 0);
	return r;
}

static int all_of_it(struct net *n, struct err *err)
{
	const struct net_part half = {.part = 0.5, .backlog = 1};
	struct activity_id a;
	struct completion c;
	double least = 0;
	int r;

	if (net_load_add(n, (struct host_id){0}, (struct host_id){2}, 1e6, &least, err) < 0 ||
	    message(n, 0, 1, NULL, err) < 0 || message(n, 0, 2, &half, err) < 0 ||
	    message(n, 1, 1, NULL, err) < 0 || store(n, err) < 0 || collective(n, err) < 0 ||
	    net_compute(n, (struct host_id){2}, 1e6, 1, 2, &a, err) < 0)
		return -1;
	while ((r = net_next(n, &c, err)) > 0)
		while ((r = net_more(n, &c, err)) > 0)
			;
	if (r == 0) {
		double now = engine_now(net_engine(n));

		fault_told(&now, sizeof now);
	}
	return r;
}

/* What bounds a message of a way that was not asked for before. */
static int bounded(void *arg, struct err *err)
{
	struct fixture *f = arg;
	struct net *n = net_new(f->platform, &f->cfg, err);
	char text[128];
	int r = n ? 0 : -1;

	if (n && !net_bound(n, (struct host_id){2}, (struct host_id){1}, text, sizeof text))
		r = err_nomem(err, "words", sizeof text);
	else if (n)
		fault_told(text, strlen(text));
	net_free(n);
	return r;
}

static int simulate(void *arg, struct err *err)
{
	struct fixture *f = arg;
	struct net *n = net_new(f->platform, &f->cfg, err);
	int r = n ? all_of_it(n, err) : -1;
	struct str words;

	if (r == 0) {
		str_init(&words);
		net_explain(n, (struct host_id){0}, (struct host_id){2}, 1000, &words);
		r = words.failed || net_notices(n, &words) < 0 ? err_nomem(err, "words", words.n)
		                                               : 0;
		if (r == 0)
			fault_told(words.s, words.n);
		str_release(&words);
	}
	net_free(n);
	return r;
}

/* A link goes off while a message crosses it, of whose way the model knows nothing: whether that is
 * found does not depend on memory. */
static int stopped(void *arg, struct err *err)
{
	struct fixture *f = arg;
	struct net *n = net_new(f->platform, &f->cfg, err);
	struct completion c;
	int r = n ? message(n, 0, 1, NULL, err) : -1;

	while (r >= 0 && (r = net_next(n, &c, err)) > 0)
		;
	net_free(n);
	if (r == 0 || err->kind != ERR_PROGRAM)
		return r;
	fault_told(err->text, strlen(err->text));
	return 0;
}

static void a_link_goes_off_without_memory(void **state)
{
	static const char off[] =
	    "<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>"
	    "<host id='b' speed='1Gf'/><link id='l' bandwidth='125MBps' latency='10us'/>"
	    "<route src='a' dst='b'><link_ctn id='l'/></route>"
	    "<trace id='t' periodicity='0'>0.5 0\n</trace>"
	    "<trace_connect kind='LINK_AVAIL' trace='t' element='l'/></zone></platform>";
	struct fixture f = {0};
	struct err err;
	struct tmp tmp;

	(void)state;
	assert_ok(config_init(&f.cfg, &err), err);
	assert_ok(config_set_all(&f.cfg, "network/model:constant network/latency-factor:1",
	                         CFG_FROM_USER, &err),
	          err);
	tmp_init(&tmp);
	f.platform = platform_read(tmp_write(&tmp, "p.xml", off), &f.cfg, &err);
	tmp_release(&tmp);
	if (!f.platform)
		fail_msg("%s", err.text);
	assert_true(fault_sweep(FAULT_ALLOC, stopped, &f) > 3);
	assert_int_equal(stopped(&f, &err), 0);
	if (err.kind != ERR_PROGRAM)
		fail_msg("the link did not go off");
	platform_free(f.platform);
	config_release(&f.cfg);
}

static void memory_runs_out(void **state)
{
	static const char *const models[] = {"hybrid",    "LV08",       "CM02",
	                                     "IB",        "constant",   "psins-bus",
	                                     "psins-out", "psins-pmac", "dimemas"};
	struct fixture f = {0};
	struct err err;
	struct tmp tmp;

	(void)state;
	assert_ok(config_init(&f.cfg, &err), err);
	assert_ok(config_set_all(
	              &f.cfg,
	              "storage/file-systems:/scratch:read=1GBps:write=1GBps network/queue:3000 "
	              "network/bandwidth-factor:0:0.9;1000:0.95 psins/curves:allreduce:8:1000",
	              CFG_FROM_USER, &err),
	          err);
	tmp_init(&tmp);
	f.platform = platform_read(tmp_write(&tmp, "p.xml", machine), &f.cfg, &err);
	tmp_release(&tmp);
	if (!f.platform)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		assert_ok(config_set(&f.cfg, "network/model", models[i], CFG_FROM_USER, &err), err);
		assert_true(fault_sweep(FAULT_ALLOC, simulate, &f) > 15);
		assert_true(fault_sweep(FAULT_ALLOC, bounded, &f) > 3);
	}
	platform_free(f.platform);
	config_release(&f.cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out),
	                                   cmocka_unit_test(a_link_goes_off_without_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
