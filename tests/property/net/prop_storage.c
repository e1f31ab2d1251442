/* prop_storage.c: who holds a file, beside the definition: of the mount points that begin its name
 * as whole folders the longest, a disk of the host's own before a remote one before a file system,
 * with slashes behind mount points or without. And what an access takes on a file system whose
 * servers are nobody's hosts: a round trip each, its stripes side by side, within what the client
 * can move; several clients share a disk alike. */
#include "../../unit/net/fixture.h"
#include "../prop.h"

#include "net/storage.h"

#include <math.h>

enum { HOSTS = 3, DISKS = 3, SYSTEMS = 3, PATH = 64 };

static const char *const folders[] = {"/", "/a", "/a/b", "/ab", "/a/b/c", "/b", "/b/a"};
enum { FOLDERS = sizeof folders / sizeof *folders };

struct mount {
	char path[PATH]; /* as written; perhaps with a slash behind it */
	size_t length;   /* without it */
	int host;        /* -1: all see it */
	int remote;      /* of `host` there is a remote_disk property to this disk */
};
struct drawn {
	struct mount disk[HOSTS * DISKS], remote[HOSTS], system[SYSTEMS];
	int disks, systems, remote_is[HOSTS]; /* the disk; -1: none */
};

/* A folder, none that `used` has. */
static void mount_draw(struct rng *r, struct mount *m, unsigned *used)
{
	uint32_t k;

	do
		k = (uint32_t)rng_below(r, FOLDERS);
	while (*used >> k & 1);
	*used |= 1U << k;
	m->length = strlen(folders[k]);
	snprintf(m->path, sizeof m->path, "%s%s", folders[k],
	         m->length > 1 && prop_once_in(r, 3) ? "/" : "");
}

static void draw(struct rng *r, struct drawn *d)
{
	unsigned shared = 0;

	memset(d, 0, sizeof *d);
	for (int h = 0; h < HOSTS; h++) {
		unsigned used = 0;

		for (uint32_t n = prop_from(r, 0, DISKS - 1); n > 0; n--) {
			d->disk[d->disks].host = h;
			mount_draw(r, &d->disk[d->disks++], &used);
		}
		d->remote_is[h] = -1;
	}
	for (int h = 0; h < HOSTS; h++) {
		unsigned used = 0;

		if (d->disks == 0 || prop_once_in(r, 2))
			continue;
		d->remote_is[h] = (int)rng_below(r, (uint64_t)d->disks);
		mount_draw(r, &d->remote[h], &used);
	}
	for (d->systems = 0; d->systems < SYSTEMS && !prop_once_in(r, 4); d->systems++)
		mount_draw(r, &d->system[d->systems], &shared);
}

static void machine_text(const struct drawn *d, struct str *out)
{
	str_puts(out, "<platform version='4.1'><zone id='z' routing='Full'>");
	for (int h = 0; h < HOSTS; h++) {
		str_printf(out, "<host id='h%d' speed='1Gf'>", h);
		for (int i = 0; i < d->disks; i++)
			if (d->disk[i].host == h)
				str_printf(out,
				           "<disk id='d%d' read_bw='1MBps' write_bw='1MBps'><prop "
				           "id='mount' value='%s'/></disk>",
				           i, d->disk[i].path);
		if (d->remote_is[h] >= 0)
			str_printf(out, "<prop id='remote_disk' value='%s:d%d:h%d'/>",
			           d->remote[h].path, d->remote_is[h],
			           d->disk[d->remote_is[h]].host);
		str_puts(out, "</host>");
	}
	str_puts(out, "<link id='l' bandwidth='1MBps' latency='1ms'/>");
	for (int a = 0; a < HOSTS; a++)
		for (int b = 0; b < a; b++)
			str_printf(out, "<route src='h%d' dst='h%d'><link_ctn id='l'/></route>", a,
			           b);
	str_puts(out, "</zone></platform>");
}

/* Whether the folder is one of those that a file's name goes through. */
static int goes_through(const char *file, const struct mount *m)
{
	size_t n = m->length;

	return n == 1 || (!strncmp(file, m->path, n) && (file[n] == '/' || file[n] == '\0'));
}

static uint32_t holder(const struct drawn *d, int host, const char *file)
{
	uint32_t found = STORE_NONE.v;
	size_t longest = 0;

	for (int i = 0; i < d->disks; i++)
		if (d->disk[i].host == host && goes_through(file, &d->disk[i]) &&
		    d->disk[i].length > longest) {
			found = (uint32_t)i;
			longest = d->disk[i].length;
		}
	if (d->remote_is[host] >= 0 && goes_through(file, &d->remote[host]) &&
	    d->remote[host].length > longest) {
		found = (uint32_t)d->remote_is[host];
		longest = d->remote[host].length;
	}
	for (int i = 0; i < d->systems; i++)
		if (goes_through(file, &d->system[i]) && d->system[i].length > longest) {
			found = (uint32_t)(d->disks + i);
			longest = d->system[i].length;
		}
	return found;
}

static void file_draw(struct rng *r, char *out)
{
	int n = snprintf(out, PATH, "%s", folders[rng_below(r, FOLDERS)]);

	if (prop_once_in(r, 2))
		snprintf(out + n, PATH - (size_t)n, "%s%s", prop_once_in(r, 2) ? "/" : "",
		         prop_once_in(r, 2) ? "b" : "x/a");
}

static void holders(void **state)
{
	struct prop_run run = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct str machine, settings;
		struct fixture f;
		struct drawn d;
		struct rng r;

		rng_init(&r, run.seed + i, "storage", 0);
		draw(&r, &d);
		str_init(&machine);
		str_init(&settings);
		machine_text(&d, &machine);
		for (int k = 0; k < d.systems; k++)
			str_printf(&settings, "%s%s:read=1:write=1",
			           k ? ";" : "storage/file-systems:", d.system[k].path);
		fixture_init(&f, machine.s, settings.s ? settings.s : "");
		if (!f.net)
			fail_msg("%s", f.err.text);
		for (int k = 0; k < 60; k++) {
			uint32_t h = (uint32_t)rng_below(&r, HOSTS), want;
			struct store_id got;
			char file[PATH];

			file_draw(&r, file);
			want = holder(&d, (int)h, file);
			assert_ok(net_store_find(f.net, (struct host_id){h}, file, &got, &f.err),
			          f.err);
			if (got.v != want)
				fail_msg("seed %llu: %s on host %u is in %d, not %d\n%s\n%s",
				         (unsigned long long)(run.seed + i), file, h, (int)got.v,
				         (int)want, machine.s, settings.s ? settings.s : "");
		}
		fixture_release(&f);
		str_release(&machine);
		str_release(&settings);
	}
}

/* --- accesses --- */

struct system {
	double read, write, latency, client, stripe, metadata;
	int servers, stripes;
};

static void system_draw(struct rng *r, struct system *s)
{
	*s = (struct system){.read = 1e6 * (1 + rng_unit(r)),
	                     .write = 1e6 * (1 + rng_unit(r)),
	                     .latency = 1e-3 * rng_unit(r),
	                     .client = prop_once_in(r, 2) ? 0 : 1e6 * (1 + 4 * rng_unit(r)),
	                     .stripe = (double)prop_from(r, 1, 100000),
	                     .metadata = prop_once_in(r, 2) ? 0 : 10 + 100 * rng_unit(r),
	                     .servers = (int)prop_from(r, 1, 6)};
	s->stripes = (int)prop_from(r, 1, (uint32_t)s->servers);
}

static void system_fixture(const struct system *s, struct fixture *f)
{
	char settings[512];
	struct drawn none = {.remote_is = {-1, -1, -1}};
	struct str machine;

	snprintf(
	    settings, sizeof settings,
	    "storage/file-systems:/s:read=%.17g:write=%.17g:latency=%.17g:client=%.17g:stripe=%.0f:"
	    "metadata=%.17g:servers=%d:stripes=%d",
	    s->read, s->write, s->latency, s->client, s->stripe, s->metadata, s->servers,
	    s->stripes);
	str_init(&machine);
	machine_text(&none, &machine);
	fixture_init(f, machine.s, settings);
	if (!f->net)
		fail_msg("%s", f->err.text);
	str_release(&machine);
}

static uint32_t access_start(struct fixture *f, uint32_t client, enum store_op op, double bytes,
                             uint32_t asks)
{
	struct store_access a = {.client = {client}, .op = op, .bytes = bytes, .asks = asks};
	uint32_t parts;

	assert_ok(net_store_start(f->net, &a, &parts, &f->err), f->err);
	return parts;
}

/* When the last of so many has ended. */
static double last(struct fixture *f, uint32_t n)
{
	double date = 0;

	while (n-- > 0)
		date = next_of_any(f);
	return date;
}

/* n bytes in k = min(stripes, ceil(n / stripe)) parts at once, each from a disk of its own: n / k
 * at the disk's rate, or all of them at the client's. Requests of its own are answered at the
 * metadata server's rate; transfers ask nobody there. */
static void one_access(void **state)
{
	struct prop_run run = prop_begin(100);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fixture f;
		struct system s;
		struct rng r;
		double bytes, rate, took, want;
		uint32_t asks, parts;
		int op, k;

		rng_init(&r, run.seed + i, "access", 0);
		system_draw(&r, &s);
		system_fixture(&s, &f);
		op = (int)rng_below(&r, 3);
		bytes = op == STORE_ASK ? 0 : floor(pow(10, 1 + 6 * rng_unit(&r)));
		asks = prop_from(&r, 0, 3);
		parts = access_start(&f, 0, (enum store_op)op, bytes, asks);
		k = (int)fmin(s.stripes, fmax(1, ceil(bytes / s.stripe)));
		rate = op == STORE_READ ? s.read : s.write;
		took = last(&f, parts);
		want = asks * s.latency;
		if (op == STORE_ASK)
			want += s.metadata > 0 ? asks / s.metadata : 0;
		else
			want += fmax(bytes / k / rate, s.client > 0 ? bytes / s.client : 0);
		assert_int_equal(parts, op == STORE_ASK ? 1 : k);
		if (fabs(took - want) > 1e-9 * want)
			fail_msg("seed %llu: %g bytes took %.12g s, not %.12g",
			         (unsigned long long)(run.seed + i), bytes, took, want);
		fixture_release(&f);
	}
}

/* Two clients on the one server: each at half its rate until the smaller one is done. One reads,
 * one writes: what the disk can do at all is the larger of its two rates, and neither gets more
 * than its own. */
static void two_clients(void **state)
{
	struct prop_run run = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fixture f;
		struct system s;
		struct rng r;
		double small, large, first, second, each, most, ended;
		int mixed;

		rng_init(&r, run.seed + i, "clients", 0);
		system_draw(&r, &s);
		s.servers = s.stripes = 1;
		s.client = s.latency = 0;
		system_fixture(&s, &f);
		mixed = prop_once_in(&r, 2);
		large = floor(1e5 * (1 + rng_unit(&r)));
		small = floor(large / 2);
		access_start(&f, 1, STORE_READ, small, 0);
		access_start(&f, 2, mixed ? STORE_WRITE : STORE_READ, large, 0);
		most = mixed ? fmax(s.read, s.write) : s.read;
		each = most / 2; /* rates differ by less than a factor of two: each has its half */
		first = small / each;
		second = first + (large - small) / (mixed ? s.write : s.read);
		ended = next_of_any(&f);
		if (fabs(ended - first) > 1e-9 * first)
			fail_msg("seed %llu: %.12g s, not %.12g",
			         (unsigned long long)(run.seed + i), ended, first);
		assert_close(next_of_any(&f), second, 1e-9);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(holders), cmocka_unit_test(one_access),
	                                   cmocka_unit_test(two_clients)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
