/* test_shared.c: what ranks of a host share (its memory), links that were idle (token buckets), and
 * textbook collectives of numbers of members that are no powers of two, worked by hand from
 * docs/models.md. */
#include "models.h"

#include <stdlib.h>

/* --- memory --- */

#define HOST \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-1' " \
	"speed='1Gf' core='4' bw='1GBps' lat='1us'/></platform>"
#define MEMORY "memory/bandwidth:10e9 computation/memory-traffic:4e9 "

/* Seconds of k computations of 1e9 on a host of 1 Gf, on those sockets. */
static double computed(const char *settings, const uint32_t *socket, int k)
{
	struct fixture f;
	struct activity_id a;
	struct completion c;

	fixture_init(&f, HOST, settings);
	if (!f.net)
		fail_msg("%s", f.err.text);
	for (int i = 0; i < k; i++)
		assert_ok(net_compute(f.net, (struct host_id){0}, socket[i], 1e9, 1, &a, &f.err),
		          f.err);
	for (int r = 1; r > 0;)
		assert_ok(r = net_next(f.net, &c, &f.err), f.err);
	double date = engine_now(net_engine(f.net));
	fixture_release(&f);
	return date;
}

/* k ranks of a socket go at min(1, B / (k b)) of their speed: two move 8 of 10 GB/s, four want
 * 16. */
static void of_a_socket(void **state)
{
	static const uint32_t one[] = {0, 0, 0, 0}, two[] = {0, 1, 0, 1}, three[] = {0, 0, 0, 1},
	                      none[] = {NET_NO_SOCKET, NET_NO_SOCKET, NET_NO_SOCKET, NET_NO_SOCKET};

	(void)state;
	assert_close(computed(MEMORY, one, 1), 1, 1e-12);
	assert_close(computed(MEMORY, one, 2), 1, 1e-12);
	assert_close(computed(MEMORY, one, 3), 1.2, 1e-6);
	assert_close(computed(MEMORY, one, 4), 1.6, 1e-6);
	assert_close(computed(MEMORY "memory/sockets:2", two, 4), 1, 1e-12);
	assert_close(computed(MEMORY "memory/sockets:2", three, 4), 1.2, 1e-6);
	assert_close(computed(MEMORY, none, 4), 1, 1e-12);
	assert_close(computed("memory/bandwidth:10e9", one, 4), 1, 1e-12);
}

/* round: i mod sockets; fill: i / (cores / sockets), again from the first when all are full. */
static void which_socket(void **state)
{
	static const uint32_t round[] = {0, 1, 0, 1, 0}, fill[] = {0, 0, 1, 1, 0};
	struct fixture f;

	(void)state;
	for (int way = 0; way < 2; way++) {
		fixture_init(&f, HOST,
		             way ? "memory/sockets:2 memory/placement:fill" : "memory/sockets:2");
		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(net_socket(f.net, (struct host_id){0}, i),
			                 (way ? fill : round)[i]);
		fixture_release(&f);
	}
}

static void memory_refused(void **state)
{
	static const char *const wrong[][2] = {
	    {"memory/sockets:0", "setting memory/sockets is 0: of a host, 1 to 64"},
	    {"memory/sockets:65", "setting memory/sockets is 65: of a host, 1 to 64"},
	    {"memory/placement:spread", "setting memory/placement is 'spread': round or fill"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct fixture f;

		fixture_init(&f, HOST, wrong[i][0]);
		assert_null(f.net);
		assert_int_equal(f.err.kind, ERR_INPUT);
		assert_string_equal(f.err.text, wrong[i][1]);
		fixture_release(&f);
	}
}

/* --- bursts --- */

#define PAIR \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>" \
	"<host id='b' speed='1Gf'/>" \
	"<link id='l' bandwidth='1MBps' latency='0'/>" \
	"<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>"
#define BURST "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 network/burst:100000 "

/* b = 100 kB, 1 MB/s. 300 kB at 0: 100 kB are credit, the rest takes 0.2 s; the level is -200 kB.
 * At 0.2 s it is 0: the next 300 kB take 0.3 s, and leave -300 kB. At 1 s it is full, at 100 kB and
 * no more: 50 kB pass at once, and of 100 kB the other half takes 0.05 s. */
static void bursts(void **state)
{
	(void)state;
	CHECK(PAIR, BURST, {0, "a", "b", 3e5, 0.2}, {0.2, "a", "b", 3e5, 0.5},
	      {1, "a", "b", 5e4, 1}, {1, "a", "b", 1e5, 1.05});
	CHECK(PAIR, "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0",
	      {0, "a", "b", 3e5, 0.3});
}

#define FASTER \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>" \
	"<host id='b' speed='1Gf'/><link id='l' bandwidth='1MBps' latency='0'/>" \
	"<route src='a' dst='b'><link_ctn id='l'/></route><trace id='t' periodicity='0'>" \
	"0.1 10000000\n</trace><trace_connect kind='BANDWIDTH' trace='t' element='l'/>" \
	"</zone></platform>"

/* 300 kB at 0 leave the level at -200 kB and 200 kB to move: 100 in 0.1 s, and at 10 MB/s from then
 * on 100 in 0.01 s. So filled the bucket: at 0.11 s it is empty, and 50 kB take 0.005 s; at 0.125 s
 * it has 150 - 50 kB, and no more than that: 100 kB pass at once. */
static void a_bucket_of_a_link_that_changes(void **state)
{
	(void)state;
	CHECK(FASTER, BURST, {0, "a", "b", 3e5, 0.11}, {0.11, "a", "b", 5e4, 0.115},
	      {0.125, "a", "b", 1e5, 0.125});
}

/* With a header of 10 kB: 50 kB take 60 of the bucket's 100, and pass; the next take 40, of which
 * 10 are the header's: 30 are credit, and 20 take 0.02 s. */
static void headers(void **state)
{
	(void)state;
	CHECK(PAIR, BURST "network/burst-header:10000", {0, "a", "b", 5e4, 0},
	      {0, "a", "b", 5e4, 0.02});
}

/* A host to itself, where there is no link and nothing takes any time: no bytes of headers
 * either. */
static void headers_without_links(void **state)
{
	(void)state;
	CHECK(PAIR, BURST "network/burst-header:10000", {0, "a", "a", 0, 0}, {0, "a", "a", 5e4, 0});
}

/* --- textbook collectives --- */

#define STAR \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-7' " \
	"speed='1Gf' bw='100MBps' lat='10us'/></platform>"
#define T(m) (20e-6 + ((m) + 16) / 100e6) /* with the envelope */

static double whole(enum net_coll kind, uint32_t p, double sent, double received)
{
	struct host_id host[8];
	void *memo = NULL;
	struct net_collective c = {
	    .kind = kind, .n = p, .host = host, .sent = sent, .received = received, .memo = &memo};
	struct fixture f;
	double seconds;

	for (uint32_t i = 0; i < p; i++)
		host[i].v = i;
	fixture_init(&f, STAR,
	             "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 "
	             "smpi/collectives:analytic");
	assert_int_equal(net_collectives_whole(f.net, &f.err), 1);
	assert_ok(net_collective(f.net, &c, &seconds, &f.err), f.err);
	free(memo);
	fixture_release(&f);
	return seconds;
}

/* Six members, three rounds; blocks up a tree of six: 1, 2 and the 2 that are left; of seven: 1, 2
 * and 3; of three: 1 and 1. */
static void textbook(void **state)
{
	const double n = 6e6, m = 1e6;

	(void)state;
	assert_close(whole(NET_BARRIER, 6, 0, 0), 3 * T(0), 1e-9);
	assert_close(whole(NET_BCAST, 6, 100, 0), 3 * T(100), 1e-9);
	assert_close(whole(NET_BCAST, 6, n, 0), T(n / 2) + T(n / 4) + T(n / 8) + 5 * T(n / 6),
	             1e-9);
	assert_close(whole(NET_REDUCE, 6, n, n), 2 * (T(n / 2) + T(n / 4) + T(n / 8)), 1e-9);
	assert_close(whole(NET_GATHER, 6, m, n), T(m) + T(2 * m) + T(2 * m), 1e-9);
	assert_close(whole(NET_GATHERV, 7, m, 7 * m), T(m) + T(2 * m) + T(3 * m), 1e-9);
	assert_close(whole(NET_SCATTER, 3, 3 * m, m), T(m) + T(m), 1e-9);
	assert_close(whole(NET_ALLGATHER, 5, m, 5 * m), T(m) + T(2 * m) + T(m), 1e-9);
	assert_close(whole(NET_ALLTOALL, 6, n, n), 5 * T(n / 6), 1e-9);
	assert_close(whole(NET_ALLTOALLV, 6, 60, 60), 3 * T(30), 1e-9);
	assert_close(whole(NET_REDUCE_SCATTER, 6, n, m), T(n / 2) + T(n / 4) + T(n / 8), 1e-9);
	assert_close(whole(NET_EXSCAN, 5, m, m), 3 * T(m), 1e-9);
	for (int k = 0; k < NET_COLLS; k++)
		assert_double_is(whole((enum net_coll)k, 1, n, n), 0);
}

static void names(void **state)
{
	(void)state;
	for (int k = 0; k < NET_COLLS; k++) {
		const char *name = net_coll_name((enum net_coll)k);

		assert_int_equal(net_coll_find(name, strlen(name)), k);
		assert_int_not_equal(net_coll_find(name, strlen(name) - 1), k);
	}
	assert_int_equal(net_coll_find("AllReduce", 9), NET_ALLREDUCE);
	assert_int_equal(net_coll_find("", 0), NET_COLLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_a_socket),
	    cmocka_unit_test(which_socket),
	    cmocka_unit_test(memory_refused),
	    cmocka_unit_test(bursts),
	    cmocka_unit_test(a_bucket_of_a_link_that_changes),
	    cmocka_unit_test(headers),
	    cmocka_unit_test(headers_without_links),
	    cmocka_unit_test(textbook),
	    cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
