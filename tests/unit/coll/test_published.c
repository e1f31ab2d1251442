/* test_published.c: what the selectors ompi, impi and mvapich2 choose, at every number of ranks and
 * every size where the libraries' tables change, and on both sides of it, is what these tables say,
 * as they stand in the sources (published_*.h). The selectors' own tables are data/selectors. */
#include "published_impi.h"
#include "published_mvapich2.h"
#include "published_ompi.h"
#include "test.h"

enum { P_MOST = 5000 };

static unsigned checked;

/* What the selector wants for a call whose table is asked with `size`. */
static const struct coll_alg *chosen(const struct published *t, const char *selector, uint32_t p,
                                     int64_t size)
{
	static int64_t counts[P_MOST];
	static uint32_t host[P_MOST];
	struct coll_policy policy = {.selector = coll_selector_find(selector)};
	struct coll_shape shape = {0};
	struct coll_choice c;
	struct err err;
	/* Open MPI and MVAPICH2 ask with an average block, Intel MPI with all. */
	int averages = t->kind == COLL_ALLGATHERV && t->per_host == 0;
	struct coll_args a = {.kind = t->kind,
	                      .size = p,
	                      .count = size,
	                      .count2 = size,
	                      .type_size = 1,
	                      .type_size2 = 1,
	                      .commutative = t->op != ORDERED,
	                      .basic_type = 1,
	                      .policy = &policy};

	for (uint32_t i = 0; i < p; i++) {
		counts[i] = averages ? size : size / p + (i < size % p);
		host[i] = t->per_host ? i / t->per_host : i;
	}
	if (t->kind == COLL_ALLGATHERV || t->kind == COLL_REDUCE_SCATTER)
		a.counts2 = counts;
	if (t->kind == COLL_ALLTOALLV)
		a.counts = a.counts2 = counts;
	assert_ok(coll_shape_init(&shape, host, p, &err), err);
	a.shape = t->per_host > 1 ? &shape : NULL;
	c = coll_decide(&a);
	coll_shape_release(&shape);
	return c.wanted ? c.wanted : c.alg;
}

/* Names that stand for what another selector says; and MVAPICH2's doubling, which is for powers of
 * two, and Bruck's else. */
static const char *meant(const struct published *t, const char *name, uint32_t p, int64_t size)
{
	if (strncmp(name, "mvapich2 ", 9) == 0 || strcmp(name, "mvapich2") == 0)
		return chosen(t, "mvapich2", p, size)->name;
	if (strncmp(name, "default", 7) == 0 && t->kind == COLL_BARRIER)
		return "ompi_basic_linear";
	if (t->kind == COLL_ALLGATHERV && t->per_host == 0 && strncmp(name, "mpich_rdb", 9) == 0 &&
	    (p & (p - 1)) != 0)
		return "ompi_bruck";
	return name;
}

static void check(const struct published *t, const char *selector, const char *entries, uint32_t p,
                  int64_t size)
{
	size_t n;
	const char *row = published_name(t, entries, size, &n), *name = meant(t, row, p, size),
	           *got = chosen(t, selector, p, size)->name;

	n = name == row ? n : strlen(name);
	checked++;
	if (strlen(got) != n || strncmp(got, name, n) != 0)
		fail_msg("%s %s, %u ranks, %u a host, %lld bytes: %s, not %.*s", selector,
		         coll_kind_name(t->kind), p, t->per_host, (long long)size, got, (int)n,
		         name);
}

static void check_sizes(const struct published *t, const char *selector, const char *entries,
                        uint32_t p)
{
	int64_t bounds[PUBLISHED_BOUNDS];
	int n = published_bounds(entries, bounds);

	for (int i = 0; i < n; i++)
		for (int64_t size = bounds[i] - 1; size <= bounds[i] + 1; size++)
			if (size >= 0)
				check(t, selector, entries, p, size);
	if (n == 0)
		check(t, selector, entries, p, 1000);
}

/* The first, the last, and one between of the numbers of ranks of a row: with several a host, those
 * that fill hosts. */
static void check_row(const struct published *t, const char *selector, int r)
{
	uint32_t lo = r ? t->rows[r - 1].most + 1 : 2, hi = t->rows[r].most, c = t->per_host;
	uint32_t p[3];

	hi = hi == MANY ? lo + 100 : hi;
	p[0] = lo;
	p[1] = lo + (hi - lo) / 2;
	p[2] = hi;
	for (int i = 0; i < 3; i++) {
		p[i] = c > 1 ? (p[i] + c - 1) / c * c : p[i];
		if (p[i] <= hi)
			check_sizes(t, selector, t->rows[r].entries, p[i]);
	}
}

static void check_all(const struct published *tables, size_t n, const char *selector)
{
	checked = 0;
	for (size_t i = 0; i < n; i++)
		for (int r = 0; r < PUBLISHED_ROWS && tables[i].rows[r].entries; r++)
			check_row(&tables[i], selector, r);
	print_message("%s: %u decisions\n", selector, checked);
}

static void open_mpi(void **state)
{
	(void)state;
	check_all(published_ompi, sizeof published_ompi / sizeof *published_ompi, "ompi");
}

static void intel_mpi(void **state)
{
	(void)state;
	check_all(published_impi, sizeof published_impi / sizeof *published_impi, "impi");
}

static void mvapich2(void **state)
{
	(void)state;
	check_all(published_mvapich2, sizeof published_mvapich2 / sizeof *published_mvapich2,
	          "mvapich2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(open_mpi), cmocka_unit_test(intel_mpi),
	                                   cmocka_unit_test(mvapich2)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
