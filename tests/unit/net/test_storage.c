/* test_storage.c: who holds a file, what an access to it takes, and what the setting
 * storage/file-systems refuses, with its place and what would be right. */
#include "models.h"

#include "net/storage.h"

#define HOSTS \
	"<platform version='4.1'><zone id='z' routing='Full'>" \
	"<host id='a' speed='1Gf'><disk id='d' read_bw='100MBps' write_bw='50MBps'/>" \
	"<disk id='e' read_bw='1MBps' write_bw='1MBps'><prop id='mount' " \
	"value='/data'/></disk></host>" \
	"<host id='b' speed='1Gf'><prop id='remote_disk' value='/far:e:a'/></host>" \
	"<host id='c' speed='1Gf'/><link id='l' bandwidth='25MBps' latency='1ms'/>" \
	"<route src='a' dst='b'><link_ctn id='l'/></route><route src='a' dst='c'><link_ctn " \
	"id='l'/></route>" \
	"<route src='b' dst='c'><link_ctn id='l'/></route></zone></platform>"
#define PLAIN_NET \
	"network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 network/latency-factor:1 " \
	"network/bandwidth-factor:1 "

static void net_init(struct fixture *f, const char *file_systems)
{
	char settings[1024];

	snprintf(settings, sizeof settings, PLAIN_NET "%s%s",
	         *file_systems ? "storage/file-systems:" : "", file_systems);
	fixture_init(f, HOSTS, settings);
}

static struct store_id found(struct fixture *f, uint32_t host, const char *file)
{
	struct store_id out;

	assert_ok(net_store_find(f->net, (struct host_id){host}, file, &out, &f->err), f->err);
	return out;
}

/* Stores are numbered in the platform's order, then in that of the setting: 0 is a's /, 1 a's
 * /data, 2 /far, 3 /s, 4 /s/deep. */
static void holders(void **state)
{
	static const struct {
		uint32_t host;
		const char *file;
		uint32_t store;
	} files[] = {
	    {0, "/x", 0},       {0, "/data", 1},     {0, "/data/", 1},   {0, "/data/x", 1},
	    {0, "/datax", 0},   {0, "data/x", 0},    {0, "/s/x", 3},     {0, "/s/deep/x", 4},
	    {0, "/s/deepx", 3}, {0, "/", 0},         {1, "/far/x", 1},   {1, "/farther", ~0u},
	    {1, "/s/deep", 4},  {1, "/data/x", ~0u}, {2, "/far/x", 2},   {2, "/x", ~0u},
	    {2, "x", ~0u},      {2, "/s", 3},        {2, "/s//deep", 3}, {0, "", 0},
	};
	struct fixture f;

	(void)state;
	net_init(&f, "/far/:read=1:write=1;/s:read=1:write=1;/s/deep:read=1:write=1");
	if (!f.net)
		fail_msg("%s", f.err.text);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (found(&f, files[i].host, files[i].file).v != files[i].store)
			fail_msg("host %u, \"%s\": store %u", files[i].host, files[i].file,
			         found(&f, files[i].host, files[i].file).v);
	fixture_release(&f);
}

/* The date at which all that was started at 0 is over. */
static double over(struct fixture *f, const struct store_access *a, uint32_t n)
{
	struct completion c;
	uint32_t parts, left = 0;
	int r;

	for (uint32_t i = 0; i < n; i++) {
		assert_ok(net_store_start(f->net, &a[i], &parts, &f->err), f->err);
		assert_true(parts >= 1);
		left += parts;
	}
	for (; (r = net_next(f->net, &c, &f->err)) > 0; left--)
		assert_int_equal(c.user, 7);
	assert_ok(r, f->err);
	assert_int_equal(left, 0);
	return engine_now(net_engine(f->net));
}

static double lasts(const char *file_systems, const char *file, uint32_t host, enum store_op op,
                    uint32_t asks, double bytes, uint32_t times)
{
	struct store_access a[8];
	struct fixture f;
	double date;

	net_init(&f, file_systems);
	if (!f.net)
		fail_msg("%s", f.err.text);
	for (uint32_t i = 0; i < times; i++)
		a[i] = (struct store_access){.store = found(&f, host, file),
		                             .client = {host},
		                             .op = op,
		                             .asks = asks,
		                             .bytes = bytes,
		                             .user = 7};
	date = over(&f, a, times);
	fixture_release(&f);
	return date;
}

/* bytes / bandwidth; k at once take k times as long; from another host the way is 1 ms, once there
 * and once back for each ask, and 25 MB/s. */
static void disks(void **state)
{
	(void)state;
	assert_close(lasts("", "/x", 0, STORE_READ, 0, 1e8, 1), 1, 1e-12);
	assert_close(lasts("", "/x", 0, STORE_WRITE, 0, 1e8, 1), 2, 1e-12);
	assert_close(lasts("", "/x", 0, STORE_READ, 0, 1e8, 8), 8, 1e-12);
	assert_close(lasts("", "/far/x", 1, STORE_READ, 1, 1e6, 1), 1 + 2e-3, 1e-12);
	assert_close(lasts("", "/far/x", 1, STORE_WRITE, 3, 1e6, 1), 1 + 6e-3, 1e-12);
	assert_close(lasts("", "/far/x", 1, STORE_ASK, 1, 0, 1), 2e-3, 1e-12);
	assert_close(lasts("", "/x", 0, STORE_ASK, 1, 0, 1), 0, 0);
	assert_close(lasts("", "/x", 0, STORE_READ, 0, 0, 1), 0, 0);
}

/* 8 MB in stripes of 1 MB over four servers of 1 MB/s: 2 s; over two, 4 s; in stripes of 4 MB on
 * two of them, 4 s; in one stripe, 8 s. The next access begins with the next server, so that two
 * which use two of four servers each do not meet. */
static void stripes(void **state)
{
#define FOUR "/s:read=1MBps:write=1MBps:servers=4:stripe=1MB"
	(void)state;
	assert_close(lasts(FOUR, "/s", 2, STORE_READ, 0, 8e6, 1), 2, 1e-12);
	assert_close(lasts(FOUR ":stripes=2", "/s", 2, STORE_READ, 0, 8e6, 1), 4, 1e-12);
	assert_close(lasts(FOUR ":stripes=2", "/s", 2, STORE_READ, 0, 8e6, 2), 4, 1e-12);
	assert_close(lasts(FOUR ":stripes=2", "/s", 2, STORE_READ, 0, 8e6, 4), 8, 1e-12);
	assert_close(lasts("/s:stripe=4MB:read=1MBps:write=1MBps:servers=4", "/s", 2, STORE_WRITE,
	                   0, 8e6, 1),
	             4, 1e-12);
	assert_close(lasts("/s:stripe=8MB:read=1MBps:write=1MBps:servers=4", "/s", 2, STORE_WRITE,
	                   0, 8e6, 1),
	             8, 1e-12);
	assert_close(lasts(FOUR ":stripes=9", "/s", 2, STORE_READ, 0, 8e6, 1), 2, 1e-12);
}

/* A client moves 2 MB/s at most, whatever the servers can; 10 asks a second, together; each waits
 * its latency first. */
static void limits(void **state)
{
	(void)state;
	assert_close(lasts(FOUR ":client=2MBps", "/s", 2, STORE_READ, 0, 8e6, 1), 4, 1e-12);
	assert_close(lasts(FOUR ":client=2MBps", "/s", 2, STORE_READ, 0, 8e6, 3), 12, 1e-12);
	assert_close(lasts(FOUR ":metadata=10:latency=1ms", "/s", 2, STORE_ASK, 1, 0, 5),
	             0.5 + 1e-3, 1e-12);
	assert_close(lasts(FOUR ":latency=1ms", "/s", 2, STORE_READ, 2, 4e6, 1), 1 + 2e-3, 1e-12);
}

static void refusals(void **state)
{
#define RW "read=1:write=1"
	static const char *const texts[][2] = {
	    {"scratch:" RW, "\"scratch\": a file system begins with where it is mounted"},
	    {"/s", "\"/s\": needs read= and write="},
	    {"/s:read=1GBps", "needs read= and write="},
	    {"/s:read=0:write=1", "needs read= and write="},
	    {"/s:read", "\"read\": expected key=value"},
	    {"/s:" RW ":speed=1", "\"speed\": there are read, write, latency"},
	    {"/s:read=fast:write=1", "\"fast\""},
	    {"/s:read=-1:write=1", "\"-1\": cannot be negative"},
	    {"/s:" RW ":latency=-1ms", "\"-1ms\": cannot be negative"},
	    {"/s:" RW ":stripe=0", "stripe= is at least one byte"},
	    {"/s:" RW ":servers=0", "\"0\": servers are a number from 1 to 1048576"},
	    {"/s:" RW ":servers=1.5", "\"1.5\": servers are a number"},
	    {"/s:" RW ":servers=a+nowhere", "\"nowhere\": this platform has no such host"},
	    {"/s:" RW ":servers=2:servers=3", "\"servers\": given twice"},
	    {"/s:" RW ":metadata=many", "\"many\": a number per second"},
	    {"/s:" RW ":metadata=-1", "\"-1\": a number per second"},
	    {"/s:" RW ":stripes=0", "\"0\": a number of servers, 1 or more"},
	    {"/s:" RW ":stripes=2.5", "\"2.5\": a number of servers, 1 or more"},
	    {"/s:" RW ":stripes=nan", "\"nan\": a number of servers, 1 or more"},
	    {"/s:" RW ":metadata=nan", "\"nan\": a number per second"},
	    {"/s:" RW ":metadata=inf", "\"inf\": a number per second"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct fixture f;

		net_init(&f, texts[i][0]);
		if (f.net)
			fail_msg("\"%s\" is taken", texts[i][0]);
		assert_int_equal(f.err.kind, ERR_INPUT);
		if (!strstr(f.err.text, texts[i][1]) ||
		    !strstr(f.err.text, "setting storage/file-systems: "))
			fail_msg("\"%s\" is not in: %s", texts[i][1], f.err.text);
		fixture_release(&f);
	}
}

/* A disk that is said to be elsewhere and is not: told when a file of it is wanted. */
static void no_such_remote_disk(void **state)
{
	static const char *const props[][2] = {
	    {"/far", "expected MOUNT:DISK:HOST"},
	    {"/far:d", "expected MOUNT:DISK:HOST"},
	    {"/far:d:nowhere", "expected MOUNT:DISK:HOST, with a host of the platform"},
	    {"/far:none:a", "that host has no such disk"},
	    {"/far:d:b", "that host has no such disk"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof props / sizeof *props; i++) {
		struct store_id out;
		struct fixture f;
		char xml[1024];

		snprintf(xml, sizeof xml,
		         "<platform version='4.1'><zone id='z' routing='Full'><host id='a' "
		         "speed='1Gf'><disk id='d' read_bw='1' write_bw='1'/></host><host id='b' "
		         "speed='1Gf'><prop id='remote_disk' value='%s'/></host></zone></platform>",
		         props[i][0]);
		fixture_init(&f, xml, PLAIN_NET);
		assert_fails(net_store_find(f.net, (struct host_id){1}, "/far/x", &out, &f.err),
		             f.err, ERR_INPUT, props[i][1]);
		assert_int_equal(out.v, STORE_NONE.v);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(holders),  cmocka_unit_test(disks),
	    cmocka_unit_test(stripes),  cmocka_unit_test(limits),
	    cmocka_unit_test(refusals), cmocka_unit_test(no_such_remote_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
