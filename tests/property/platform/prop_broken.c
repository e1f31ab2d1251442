/* prop_broken.c: laws of platform files that somebody has broken, made of those of tests/platforms:
 *   cut short anywhere, a file is refused with its place, unless only blanks were cut;
 *   with lines and attributes deleted, doubled, exchanged or replaced by absurd ones, a file is
 *   refused with its place, or is a platform whose
 *     hosts have a way to each other, positive and finite, or a reason why not; profiles and
 *     settings included. Never a crash.
 * PROP_SEED and PROP_CASES (mutants of each file) repeat or lengthen a run; PROP_CASES over 100
 * also cuts at every byte, not at each seventh. */
#include "test.h"
#include "tmp.h"

#include "platform/platform.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>

enum { TEXT_MAX = 1 << 16, LINES = 400 };

static const char *const absurd[] = {"",
                                     "0",
                                     "-1",
                                     "1e400",
                                     "nan",
                                     "1e-320",
                                     "99999999999999999999",
                                     "0-9,0-9",
                                     "0-63",
                                     "5-2",
                                     "a",
                                     "world",
                                     "c",
                                     "1Gf",
                                     "1GBps",
                                     "1us",
                                     "UP",
                                     "Full",
                                     "Floyd",
                                     "Dijkstra",
                                     "Cluster",
                                     "None",
                                     "DijkstraCache",
                                     "Vivaldi",
                                     "TORUS",
                                     "FAT_TREE",
                                     "2,2",
                                     "2;2,2;1,2;1,1",
                                     "FATPIPE",
                                     "SHARED",
                                     "2,1;2,1;2,1;1",
                                     "SPLITDUPLEX",
                                     "&#0;",
                                     "1 2 3",
                                     "NO",
                                     "network/model",
                                     "1e300",
                                     "4294967296",
                                     "n0",
                                     "DRAGONFLY"};

static struct tmp tmp;

static char *file_text(const char *path, size_t *n)
{
	static char text[TEXT_MAX];
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	*n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[*n] = 0;
	return text;
}

/* "p.xml:LINE:COLUMN: " or, for what concerns the file as a whole, "p.xml: ". */
static int has_place(const char *text)
{
	const char *at = strstr(text, "p.xml:");

	return at && (isdigit((unsigned char)at[6]) ? strchr(at + 6, ':') != NULL : at[6] == ' ');
}

static void routes_try(const struct platform *p, const char *what)
{
	uint32_t n = platform_host_count(p);
	struct route r;
	struct err err;

	route_init(&r);
	for (uint32_t i = 0; i < 36; i++) {
		struct host_id a = {(i * 7919u) % n}, b = {(i * 104729u + i / 6) % n};

		if (route_find(p, a, b, &r, &err) < 0) {
			if (err.kind != ERR_INPUT || !err.text[0])
				fail_msg("%s: a route fails without a reason (%d: %s)", what,
				         err.kind, err.text);
			continue;
		}
		if (!(r.latency >= 0 && r.latency < INFINITY))
			fail_msg("%s: a route of latency %g", what, r.latency);
		for (uint32_t k = 0; k < r.n; k++) {
			struct link_info info;
			platform_link(p, r.links[k], &info);
			if (!(info.bandwidth > 0 && info.bandwidth < INFINITY))
				fail_msg("%s: a link of bandwidth %g", what, info.bandwidth);
		}
	}
	route_release(&r);
}

/* 1: it is a platform, 0: it was refused in words. */
static int broken_read(const char *text, size_t n, const char *what)
{
	struct config cfg;
	struct err err = {0};

	assert_ok(config_init(&cfg, &err), err);
	struct platform *p = platform_read(tmp_write_n(&tmp, "p.xml", text, n), &cfg, &err);
	if (p)
		routes_try(p, what);
	else if (err.kind != ERR_INPUT || !has_place(err.text))
		fail_msg("%s: refused without a place (%d): %s", what, err.kind, err.text);
	int ok = p != NULL;
	platform_free(p);
	config_release(&cfg);
	return ok;
}

static void cut_everywhere(const char *path, size_t step)
{
	size_t n, last;
	char *text = file_text(path, &n), what[400];

	for (last = n; last > 0 && text[last - 1] != '>'; last--)
		;
	for (size_t cut = 0; cut < last; cut += step) {
		snprintf(what, sizeof what, "%s cut at %zu", path, cut);
		if (broken_read(text, cut, what))
			fail_msg("%s: accepted", what);
	}
}

/* --- mutants --- */

struct mutant {
	const char *line[LINES + 64];
	size_t len[LINES + 64];
	uint32_t n;
	char text[TEXT_MAX + 4096];
};

static void split(struct mutant *m, const char *text, size_t n)
{
	const char *end = text + n;

	for (m->n = 0; text < end && m->n < LINES; m->n++) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		m->line[m->n] = text;
		m->len[m->n] = (size_t)(eol ? eol + 1 - text : end - text);
		text += m->len[m->n];
	}
}

static void line_change(struct mutant *m, struct rng *r)
{
	uint32_t a = (uint32_t)rng_below(r, m->n), b = (uint32_t)rng_below(r, m->n);
	const char *line = m->line[a];
	size_t len = m->len[a];

	switch (rng_below(r, 3)) {
	case 0: /* deleted */
		m->n--;
		memmove(m->line + a, m->line + a + 1, (m->n - a) * sizeof *m->line);
		memmove(m->len + a, m->len + a + 1, (m->n - a) * sizeof *m->len);
		break;
	case 1: /* doubled */
		m->line[m->n] = line;
		m->len[m->n++] = len;
		break;
	default: /* exchanged */
		m->line[a] = m->line[b];
		m->len[a] = m->len[b];
		m->line[b] = line;
		m->len[b] = len;
	}
}

static size_t join(struct mutant *m)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->n && n + m->len[i] < TEXT_MAX; i++) {
		memcpy(m->text + n, m->line[i], m->len[i]);
		n += m->len[i];
	}
	return n;
}

/* The k-th quoted value of the text. */
static int value_find(const char *text, size_t n, uint64_t k, size_t *from, size_t *to)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] != '"')
			continue;
		for (*from = ++i; i < n && text[i] != '"'; i++)
			;
		*to = i;
		if (k-- == 0)
			return 1;
	}
	return 0;
}

static size_t value_change(struct mutant *m, size_t n, struct rng *r)
{
	uint64_t values = 0;
	size_t from, to, other, other_end;
	char new[256];

	for (size_t i = 0; i < n; i++)
		values += m->text[i] == '"';
	values /= 2;
	if (values == 0 || !value_find(m->text, n, rng_below(r, values), &from, &to))
		return n;
	snprintf(new, sizeof new, "%s", absurd[rng_below(r, sizeof absurd / sizeof *absurd)]);
	if (rng_below(r, 2) && value_find(m->text, n, rng_below(r, values), &other, &other_end) &&
	    other_end - other < sizeof new)
		snprintf(new, sizeof new, "%.*s", (int)(other_end - other), m->text + other);
	memmove(m->text + from + strlen(new), m->text + to, n - to);
	memcpy(m->text + from, new, strlen(new));
	return n - (to - from) + strlen(new);
}

static void mutate(const char *path, uint64_t seed, uint64_t cases, uint64_t *accepted)
{
	static struct mutant m;
	size_t n, whole;
	char *text = file_text(path, &whole), what[400];
	struct rng r;

	for (uint64_t c = 0; c < cases; c++) {
		rng_init(&r, seed + c, path, 0);
		split(&m, text, whole);
		for (uint64_t k = rng_below(&r, 3); k > 0 && m.n > 1; k--)
			line_change(&m, &r);
		n = join(&m);
		for (uint64_t k = rng_below(&r, 4); k > 0; k--)
			n = value_change(&m, n, &r);
		if (rng_below(&r, 8) == 0 && n > 0)
			m.text[rng_below(&r, n)] = (char)rng_below(&r, 256);
		snprintf(what, sizeof what, "%s PROP_SEED=%llu", path,
		         (unsigned long long)(seed + c));
		*accepted += (uint64_t)broken_read(m.text, n, what);
	}
}

static void broken_files_are_refused_or_work(void **state)
{
	const char *seed_text = getenv("PROP_SEED"), *cases_text = getenv("PROP_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 20261121;
	uint64_t cases = cases_text ? strtoull(cases_text, NULL, 0) : 40, files = 0, accepted = 0;
	DIR *dir = opendir(TEST_SRC "/tests/platforms");
	struct dirent *e;
	char path[300];

	(void)state;
	assert_non_null(dir);
	tmp_init(&tmp);
	printf("PROP_SEED=%llu PROP_CASES=%llu\n", (unsigned long long)seed,
	       (unsigned long long)cases);
	while ((e = readdir(dir))) {
		if (!strstr(e->d_name, ".xml"))
			continue;
		snprintf(path, sizeof path, TEST_SRC "/tests/platforms/%s", e->d_name);
		cut_everywhere(path, cases > 100 ? 1 : 7);
		mutate(path, seed, cases, &accepted);
		files++;
	}
	closedir(dir);
	tmp_release(&tmp);
	printf("%llu files, %llu mutants, %llu of them platforms\n", (unsigned long long)files,
	       (unsigned long long)(files * cases), (unsigned long long)accepted);
	assert_true(accepted >
	            files * cases / 20); /* a test that breaks everything would show nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(broken_files_are_refused_or_work)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
