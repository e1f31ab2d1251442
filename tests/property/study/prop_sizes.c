/* prop_sizes.c: lists of sizes beside a set built number by number as the words mean it: k, M, G
 * are powers of 1000, K, Ki, Mi, Gi of 1024; A..B doubles, A..B*N multiplies by N; the list is what
 * is in the set, rising, whatever the order of its items, and a list written out is itself. */
#include "../prop.h"

#include "study/study.h"

enum { LISTS = 400, ITEMS = 6, SET_MAX = 512 };

struct set {
	int64_t v[SET_MAX];
	uint32_t n;
};

static void set_add(struct set *s, int64_t x)
{
	uint32_t i = 0;

	while (i < s->n && s->v[i] < x)
		i++;
	if (i < s->n && s->v[i] == x)
		return;
	assert_true(s->n < SET_MAX);
	memmove(&s->v[i + 1], &s->v[i], (s->n++ - i) * sizeof *s->v);
	s->v[i] = x;
}

/* A number below 2^31 times its suffix. */
static int64_t number_draw(struct rng *r, struct str *text)
{
	static const struct {
		const char *word;
		int64_t times;
	} suffixes[] = {{"", 1},     {"k", 1000},  {"M", 1000000},  {"G", 1000000000},
	                {"K", 1024}, {"Ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824}};
	uint64_t k = rng_below(r, 8);
	int64_t x = 1 + (int64_t)rng_below(r, k ? 100 : 100000);

	str_printf(text, "%lld%s", (long long)x, suffixes[k].word);
	return x * suffixes[k].times;
}

static void item_draw(struct rng *r, struct str *text, struct set *set)
{
	int64_t from = number_draw(r, text), to = from, times = 2;

	if (rng_below(r, 2)) {
		to = from * (int64_t)(1 + rng_below(r, 5000)) + (int64_t)rng_below(r, 3);
		str_printf(text, "..%lld", (long long)to);
		if (to >= INT64_C(4294967295)) { /* numbers that long need a suffix */
			to = from;
			text->n = (size_t)(strrchr(text->s, '.') - text->s) - 1;
			text->s[text->n] = '\0';
		} else if (rng_below(r, 2)) {
			times = 2 + (int64_t)rng_below(r, 20);
			str_printf(text, "*%lld", (long long)times);
		}
	}
	for (int64_t x = from; x <= to; x *= times)
		set_add(set, x);
}

static void check_is_set(const char *text, const struct set *set)
{
	struct sizes s;
	struct err err;

	assert_ok(sizes_parse(&s, text, "--bytes", INT64_MAX, &err), err);
	if (s.n != set->n)
		fail_msg("\"%s\" has %u sizes, not %u", text, s.n, set->n);
	for (uint32_t i = 0; i < s.n; i++)
		if (s.v[i] != set->v[i])
			fail_msg("\"%s\": %lld, not %lld", text, (long long)s.v[i],
			         (long long)set->v[i]);
	sizes_release(&s);
	assert_null(s.v);
}

static void by_definition(void **state)
{
	struct str text;
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(1), "sizes", 0);
	str_init(&text);
	for (int i = 0; i < LISTS; i++) {
		struct set set = {.n = 0};
		uint64_t items = 1 + rng_below(&r, ITEMS);

		str_clear(&text);
		for (uint64_t k = 0; k < items; k++) {
			if (k)
				str_putc(&text, ',');
			item_draw(&r, &text, &set);
		}
		check_is_set(text.s, &set);
	}
	str_release(&text);
}

/* At the limit and one beyond it. */
static void the_limit(void **state)
{
	static const struct {
		const char *text;
		int64_t max;
		int good;
	} lists[] = {{"16", 16, 1},
	             {"17", 16, 0},
	             {"1..16", 16, 1},
	             {"1..17", 16, 0},
	             {"1Gi", 1 << 30, 1},
	             {"1025Mi", 1 << 30, 0},
	             {"0", 0, 1},
	             {"1", 0, 0},
	             {"4294967295", INT64_MAX, 1},
	             {"4294967296", INT64_MAX, 0},
	             {"8..8", 8, 1},
	             {"8..7", 8, 0}};
	struct sizes s;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		int r = sizes_parse(&s, lists[i].text, "--bytes", lists[i].max, &err);

		if ((r == 0) != lists[i].good)
			fail_msg("\"%s\" up to %lld: %d", lists[i].text, (long long)lists[i].max,
			         r);
		sizes_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(by_definition),
	                                   cmocka_unit_test(the_limit)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
