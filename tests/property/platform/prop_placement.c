/* prop_placement.c: ranks on hosts, held to a plain list of places:
 *   random hostfiles of every form (name, name:count, slots=, comments, blanks, ends of lines), on
 *   hosts whose names hold colons and numbers: rank i is on place i, round again when
 *   oversubscribed, and refused when not; one letter changed, the file is refused with its line,
 *   or places as another list says;
 *   machines of PSINS with nodes of different cores and ratios, with and without Map: no processor
 *   twice before all of its node are taken, and each rank on the node of its Map. */
#include "property/prop.h"
#include "unit/platform/lib.h"

enum { PLACES_MOST = 400, RANKS_MOST = 120, NODES_MOST = 8 };

static const char *const names[] = {"n0", "n1", "n2", "z:1", "z:1:2", "a.b-c", "7", "k"};
enum { HOSTS = sizeof names / sizeof *names };

struct places {
	uint32_t host[PLACES_MOST], n;
};

static void machine_read(struct fixture *f)
{
	struct str s;

	str_init(&s);
	str_puts(&s, "<platform version='4.1'><zone id='w' routing='Full'>");
	for (int i = 0; i < HOSTS; i++)
		str_printf(&s, "<host id='%s' speed='1f'/>", names[i]);
	str_puts(&s, "</zone></platform>");
	fixture_must_read(f, s.s, NULL);
	str_release(&s);
}

/* --- hostfiles --- */

static const char *blanks(struct rng *r, int least)
{
	static const char *const some[] = {"", " ", "\t", "  "};

	return some[least + (int)rng_below(r, (uint64_t)(4 - least))];
}

/* One line, and its places. */
static void line_draw(struct rng *r, struct str *s, struct places *l)
{
	uint32_t h = (uint32_t)rng_below(r, HOSTS), count = 1;
	char word[32];

	snprintf(word, sizeof word, "%s", names[h]);
	if (prop_once_in(r, 3))
		snprintf(word, sizeof word, "%s:%u", names[h], count = prop_from(r, 1, 5));
	for (uint32_t k = 0; k < HOSTS; k++) /* z:1 twice is the host z:1:2 */
		if (!strcmp(names[k], word)) {
			h = k;
			count = 1;
		}
	str_printf(s, "%s%s", blanks(r, 0), word);
	if (prop_once_in(r, 3))
		str_printf(s, "%sslots=%u", blanks(r, 1), count = prop_from(r, 1, 5));
	if (prop_once_in(r, 6))
		str_printf(s, "%smax_slots=%u", blanks(r, 1), prop_from(r, 1, 9));
	str_printf(s, "%s%s\n", prop_once_in(r, 5) ? " # n1:9" : blanks(r, 0),
	           prop_once_in(r, 3) ? "\r" : "");
	while (count-- > 0)
		l->host[l->n++] = h;
}

static void hostfile_draw(struct rng *r, struct str *s, struct places *l)
{
	l->n = 0;
	for (uint32_t lines = prop_from(r, 1, 12); lines > 0; lines--) {
		while (prop_once_in(r, 4))
			str_puts(s, prop_once_in(r, 2) ? "# a comment\n" : " \t\r\n");
		line_draw(r, s, l);
	}
}

static int place(struct fixture *f, const char *hostfile, uint32_t np, int overcommit,
                 struct placement *out)
{
	struct fixture file;

	fixture_write(&file, hostfile);
	int got = placement_make(f->p, file.path, np, 0, overcommit, out, &f->cfg, &f->err);
	unlink(file.path);
	return got;
}

static void placed_check(const struct places *l, const struct placement *got, const char *file)
{
	for (uint32_t i = 0; i < got->n; i++)
		if (got->host[i].v != l->host[i % l->n])
			fail_msg("rank %u is on %s, not %s, by\n%s", i, names[got->host[i].v],
			         names[l->host[i % l->n]], file);
}

static void hostfiles_are_lists_of_places(void **state)
{
	struct prop_run prop = prop_begin(400);
	struct fixture f;

	(void)state;
	machine_read(&f);
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct placement got;
		struct places l;
		struct str text;
		struct rng r;
		uint32_t np;
		int over;

		rng_init(&r, prop.seed + i, "hostfiles", 0);
		str_init(&text);
		hostfile_draw(&r, &text, &l);
		np = prop_from(&r, 1, RANKS_MOST);
		over = prop_once_in(&r, 2);
		if (place(&f, text.s, np, over, &got) == 0) {
			assert_true(np <= l.n || over);
			assert_int_equal(got.n, np);
			placed_check(&l, &got, text.s);
			placement_release(&got);
		} else if (np <= l.n || over || !strstr(f.err.text, "--oversubscribe")) {
			fail_msg("%u ranks: %s, by\n%s", np, f.err.text, text.s);
		}
		str_release(&text);
	}
	fixture_release(&f);
}

static void refused_at(struct fixture *f, const char *hostfile, const char *place_and_text)
{
	struct placement got;

	if (place(f, hostfile, 1, 0, &got) == 0)
		fail_msg("accepted: %s", hostfile);
	if (f->err.kind != ERR_INPUT || !strstr(f->err.text, place_and_text))
		fail_msg("expected \"%s\", got: %s", place_and_text, f->err.text);
}

/* A host of the platform with a count that is none: what is wrong is the count. */
static void wrong_counts_are_told_as_such(void **state)
{
	struct fixture f;

	(void)state;
	machine_read(&f);
	refused_at(&f, "n1\n n1:0", ":2:5: expected a count from 1 to 67108864");
	refused_at(&f, "n1:2x", ":1:4: expected a count from 1");
	refused_at(&f, "n1:", ":1:4: expected a count from 1");
	refused_at(&f, "n1:-1", ":1:4: expected a count from 1");
	refused_at(&f, "n1:99999999999999999999", ":1:4: expected a count from 1");
	refused_at(&f, "z:1:x", ":1:5: expected a count from 1");
	refused_at(&f, "z:1:2:0", ":1:7: expected a count from 1");
	refused_at(&f, "n9:2", ":1:1: platform ");
	refused_at(&f, "n9:x", "has no host 'n9:x' (its first host is 'n0')");
	refused_at(&f, "n1 slots=", ":1:10: expected a count");
	refused_at(&f, "n1 slots=2 max_slots=x", ":1:22: expected a count");
	refused_at(&f, "n1 2", ":1:4: expected 'slots=count' after the host, found '2'");
	refused_at(&f, "", "the hostfile names no host");
	fixture_release(&f);
}

/* --- PSINS --- */

struct nodes {
	uint32_t n, cores[NODES_MOST];
	int mixed[NODES_MOST]; /* two kinds of processors */
	int map[RANKS_MOST];   /* -1: none */
	int fill;              /* first node of those without; -1: nobody says */
	uint32_t mapped;
};

static void nodes_draw(struct rng *r, struct nodes *m, struct str *s)
{
	memset(m, 0, sizeof *m);
	m->n = prop_from(r, 1, NODES_MOST);
	str_printf(s, "Machine %u 1e9 1e-6 %u\n", m->n, prop_from(r, 0, 3));
	for (uint32_t i = 0; i < m->n; i++) {
		m->cores[i] = prop_from(r, 1, 5);
		m->mixed[i] = m->cores[i] > 1 && prop_once_in(r, 3);
		str_printf(s, "Node %u %u 1 1 1e9 1e-7 1%s\n", i, m->cores[i],
		           m->mixed[i] ? " 0.5" : "");
	}
	m->fill = -1;
	for (int i = 0; i < RANKS_MOST; i++)
		m->map[i] = -1;
	if (prop_once_in(r, 3)) { /* no Map: as Map -1 0 */
		m->fill = 0;
		return;
	}
	for (uint32_t k = prop_from(r, 0, 12); k > 0; k--) {
		uint32_t task = prop_from(r, 0, 15);

		if (m->map[task] >= 0)
			continue;
		m->map[task] = (int)rng_below(r, m->n);
		str_printf(s, "Map %u %d\n", task, m->map[task]);
		m->mapped++;
	}
	if (prop_once_in(r, 2) || !m->mapped)
		str_printf(s, "Map -1 %d\n", m->fill = (int)rng_below(r, m->n));
}

/* "node3" or, of processors that differ, "node3.0" and "node3.1": the first is one processor, the
 * other the rest. */
static void nodes_check(const struct nodes *m, const struct platform *p, const struct placement *pl,
                        uint64_t seed)
{
	uint32_t taken[NODES_MOST] = {0}, first[NODES_MOST] = {0}, all = 0;

	for (uint32_t i = 0; i < m->n; i++)
		all += m->cores[i];
	for (uint32_t i = 0; i < pl->n; i++) {
		unsigned node, part = 0;
		char name[64];

		platform_host_name(p, pl->host[i], name, sizeof name);
		int words = sscanf(name, "node%u.%u", &node, &part);
		assert_int_equal(words, m->mixed[node] ? 2 : 1);
		if (m->map[i] >= 0 && node != (unsigned)m->map[i])
			fail_msg("PROP_SEED=%llu: rank %u is on %s, not on node %d",
			         (unsigned long long)seed, i, name, m->map[i]);
		taken[node]++;
		first[node] += m->mixed[node] && part == 0;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		/* each turn round the processors takes the first one once */
		if (m->mixed[i] && first[i] != (taken[i] + m->cores[i] - 1) / m->cores[i])
			fail_msg("PROP_SEED=%llu: node %u: %u of %u ranks on its first processor",
			         (unsigned long long)seed, i, first[i], taken[i]);
		/* without a Map of its own nobody sits twice before all places are taken */
		if (!m->mapped && pl->n <= all && taken[i] > m->cores[i])
			fail_msg("PROP_SEED=%llu: node %u: %u ranks on %u cores",
			         (unsigned long long)seed, i, taken[i], m->cores[i]);
	}
}

static void nodes_are_filled_as_their_map_says(void **state)
{
	struct prop_run prop = prop_begin(2000);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct placement pl;
		struct nodes m;
		struct fixture f;
		struct str text;
		struct rng r;
		uint32_t np, all = 0;
		int over, unmapped = 0;

		rng_init(&r, prop.seed + i, "nodes", 0);
		str_init(&text);
		nodes_draw(&r, &m, &text);
		fixture_must_read(&f, text.s, NULL);
		np = prop_from(&r, 1, prop_once_in(&r, 3) ? RANKS_MOST : 16);
		over = prop_once_in(&r, 2);
		for (uint32_t k = 0; k < m.n; k++)
			all += m.cores[k];
		for (uint32_t k = 0; k < np; k++)
			unmapped |= m.fill < 0 && m.map[k] < 0;
		if (placement_make(f.p, NULL, np, 0, over, &pl, &f.cfg, &f.err) < 0) {
			if (!unmapped && (np <= all || over))
				fail_msg("PROP_SEED=%llu: %u ranks: %s",
				         (unsigned long long)(prop.seed + i), np, f.err.text);
		} else {
			assert_true(!unmapped && (np <= all || over));
			assert_int_equal(pl.n, np);
			nodes_check(&m, f.p, &pl, prop.seed + i);
			placement_release(&pl);
		}
		fixture_release(&f);
		str_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hostfiles_are_lists_of_places),
	    cmocka_unit_test(wrong_counts_are_told_as_such),
	    cmocka_unit_test(nodes_are_filled_as_their_map_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
