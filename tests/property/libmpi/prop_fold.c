/* prop_fold.c: folded memory (libmpi/guest/fold.c, memory.c) beside a list of allocations: random
 * calls of malloc, calloc, realloc and free, and of SMPI's for the same; after each, what the
 * memory at random places is (folded, known page by page, neither) and for how many bytes, worked
 * out from the list; and that what has to keep its values keeps them. */
#include "../../unit/libmpi/guest.h"

#include "base/rng.h"

#include <errno.h>
#include <string.h>

enum { THRESHOLD = 3 << 20, BARE = 256 << 10, MOST = 24, STEPS = 1500, PARTS = 3 };
enum kind { NOT, FOLDED, PAGES }; /* as enum fold_kind */

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*shared)(size_t, const char *, int);
	void *(*partial)(size_t, const size_t *, int, const char *, int);
	void (*shared_free)(void *);
	int (*folded)(const void *, size_t);
	int (*memory)(const void *, size_t, size_t *);
} lib;

static size_t page;

static size_t up(size_t n)
{
	return (n + page - 1) / page * page;
}

/* --- the list --- */

struct allocation {
	unsigned char *p;
	size_t size;
	enum kind kind;
	int n_parts; /* 0: all of it is folded */
	size_t part[2 * PARTS];
	unsigned char first, last; /* of what keeps its values */
};
static struct allocation list[MOST];
static int n_list;

/* What one byte of the address space is: of what lies in the pages of an allocation that is ours,
 * whole pages of the parts are folded. */
static enum kind kind_at(uintptr_t at)
{
	for (int i = 0; i < n_list; i++) {
		const struct allocation *a = &list[i];
		size_t off = at - (uintptr_t)a->p;
		int in = a->n_parts == 0;

		if (a->kind == NOT || at < (uintptr_t)a->p || off >= up(a->size))
			continue;
		for (int k = 0; k < a->n_parts; k++)
			in |= off >= up(a->part[2 * k]) && off < a->part[2 * k + 1] / page * page;
		return a->kind == FOLDED && !in ? NOT : a->kind;
	}
	return NOT;
}

/* How many bytes from here on, all in the pages of one allocation, are of one kind: looked at page
 * by page. */
static size_t same_from(uintptr_t at, size_t n)
{
	enum kind kind = kind_at(at);
	size_t same = 0;

	while (same < n && kind_at(at + same) == kind)
		same += page - (at + same) % page;
	return same < n ? same : n;
}

static void place_check(uint64_t seed, struct rng *r)
{
	const struct allocation *a = &list[rng_below(r, (uint64_t)n_list)];
	size_t off = rng_below(r, up(a->size)), n = 1 + rng_below(r, up(a->size) - off), same = 0;
	uintptr_t at = (uintptr_t)a->p + off;
	int kind = lib.memory(a->p + off, n, &same);
	size_t want = same_from(at, n);

	if (a->kind == NOT)
		return;
	if (kind != (int)kind_at(at) || same != want)
		fail_msg("seed %llu: %zu of %zu bytes: kind %d for %zu, not %d for %zu",
		         (unsigned long long)seed, off, a->size, kind, same, kind_at(at), want);
	/* of one allocation, or one part of it */
	assert_int_equal(lib.folded(a->p + off, same), kind == FOLDED);
	assert_int_equal(lib.folded(a->p + off, up(a->size) - off + 1), 0);
}

/* --- values --- */

/* The first and the last byte, where an allocation has values of its own. */
static void values_put(struct allocation *a, unsigned char x)
{
	a->first = x;
	a->last = (unsigned char)(x + 1);
	if (a->kind != FOLDED && a->size > 0) {
		a->p[0] = a->first;
		a->p[a->size - 1] = a->size > 1 ? a->last : a->first;
	}
}

static void values_check(const struct allocation *a)
{
	if (a->kind == FOLDED || a->size == 0)
		return;
	assert_int_equal(a->p[0], a->first);
	assert_int_equal(a->p[a->size - 1], a->size > 1 ? a->last : a->first);
}

/* Folded: what is written at a place is read a block further on. */
static void folded_check(const struct allocation *a, struct rng *r)
{
	size_t from = a->n_parts ? up(a->part[0]) : 0;
	size_t to = a->n_parts ? a->part[1] / page * page : a->size;

	if (a->kind != FOLDED || to < from + BLOCK + 8 || a->size / BLOCK > 4000)
		return;
	size_t off = from + rng_below(r, to - from - BLOCK - 4);

	volatile unsigned char *p = a->p; /* what a compiler takes for two places is one */
	p[off] = (unsigned char)off;
	p[off + BLOCK] = (unsigned char)(off + 77);
	assert_int_equal(p[off], (unsigned char)(off + 77));
}

/* --- steps --- */

static size_t size_draw(struct rng *r)
{
	static const size_t around[] = {1, 4095, 4096, BARE, THRESHOLD, 5 << 20};
	size_t of = around[rng_below(r, sizeof around / sizeof *around)];

	return rng_below(r, 3) ? of - (of > 1) + rng_below(r, 3) : 1 + rng_below(r, 8 << 20);
}

static enum kind kind_of(size_t size)
{
	return size >= THRESHOLD ? FOLDED : size >= BARE ? PAGES : NOT;
}

static void put(void *p, size_t size, enum kind kind, struct rng *r)
{
	assert_non_null(p);
	list[n_list] = (struct allocation){.p = p, .size = size, .kind = kind};
	values_put(&list[n_list], (unsigned char)rng_below(r, 200));
	n_list++;
}

static void parts_draw(struct rng *r)
{
	struct allocation *a = &list[n_list];
	size_t size = BLOCK + rng_below(r, 6 << 20);
	size_t at = 0;

	*a = (struct allocation){
	    .size = size, .kind = FOLDED, .n_parts = 1 + (int)rng_below(r, PARTS)};
	for (int k = 0; k < 2 * a->n_parts; k++)
		a->part[k] = at += rng_below(r, (size - at) / 2 + 1);
	a->p = lib.partial(size, a->part, a->n_parts, "f.c", 1);
	assert_non_null(a->p);
	n_list++;
}

static void resize(struct rng *r)
{
	struct allocation *a = &list[rng_below(r, (uint64_t)n_list)], was = *a;
	size_t size = size_draw(r);
	unsigned char *p;

	if (a->n_parts) /* SMPI's are not given to realloc */
		return;
	p = lib.realloc(a->p, size);
	assert_non_null(p);
	a->p = p;
	a->size = size;
	/* a large one stays what it was while it is large; small ones are the C library's */
	if (was.kind == FOLDED)
		a->kind = size >= 4096 ? FOLDED : NOT;
	else if (was.kind == PAGES)
		a->kind = size >= BARE ? PAGES : NOT;
	if (a->kind != FOLDED && was.kind != FOLDED)
		assert_int_equal(p[0], was.first);
	if (a->kind != FOLDED && was.kind != FOLDED && size >= was.size && was.size > 1)
		assert_int_equal(p[was.size - 1], was.last);
	values_put(a, (unsigned char)rng_below(r, 200));
}

static void release(struct rng *r)
{
	int i = (int)rng_below(r, (uint64_t)n_list);

	values_check(&list[i]);
	errno = 4711;
	if (list[i].n_parts)
		lib.shared_free(list[i].p);
	else
		lib.free(list[i].p);
	assert_int_equal(errno, 4711); /* POSIX: free leaves it alone */
	list[i] = list[--n_list];
}

static void make(struct rng *r)
{
	size_t size = size_draw(r), n;
	unsigned char *p;

	switch (rng_below(r, 4)) {
	case 0:
		put(lib.malloc(size), size, kind_of(size), r);
		break;
	case 1:
		n = 1 + rng_below(r, 5);
		p = lib.calloc(n, size);
		for (size_t i = 0; kind_of(n * size) != FOLDED && i < n * size; i += 511)
			assert_int_equal(p[i], 0);
		put(p, n * size, kind_of(n * size), r);
		break;
	case 2:
		put(lib.shared(size, "f.c", 1), size, FOLDED, r);
		list[n_list - 1].n_parts = 0;
		break;
	default:
		parts_draw(r);
	}
}

static void steps(void **state)
{
	const char *one = getenv("PROP_SEED");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one ? from : 3;

	(void)state;
	for (uint64_t seed = from; seed <= to; seed++) {
		struct rng r;

		rng_init(&r, seed, "fold", 0);
		for (int step = 0; step < STEPS / 3; step++) {
			if (n_list == MOST || (n_list > 4 && rng_below(&r, 3) == 0))
				release(&r);
			else if (n_list > 4 && rng_below(&r, 3) == 0)
				resize(&r);
			else
				make(&r);
			for (int i = 0; i < n_list; i++)
				values_check(&list[i]);
			place_check(seed, &r);
			folded_check(&list[rng_below(&r, (uint64_t)n_list)], &r);
			for (int i = 0; i < n_list; i++)
				values_check(&list[i]); /* whatever was written to a folded one */
		}
		while (n_list)
			release(&r);
	}
}

/* --- what is no allocation --- */

static void refused(void **state)
{
	size_t same;
	int x;

	(void)state;
	errno = 0;
	assert_null(lib.calloc(SIZE_MAX / 2, 3));
	assert_int_equal(errno, ENOMEM);
	assert_null(lib.malloc(SIZE_MAX - 100));
	assert_int_equal(errno, ENOMEM);
	assert_null(lib.shared(SIZE_MAX - 1, "f.c", 1));
	assert_int_equal(errno, ENOMEM);
	lib.free(NULL);
	lib.shared_free(NULL);
	assert_int_equal(lib.memory(&x, sizeof x, &same), NOT);
	assert_int_equal(same, sizeof x);
	assert_int_equal(lib.folded(&x, sizeof x), 0);
	assert_int_equal(lib.folded(NULL, 0), 0);
	void *p = lib.realloc(NULL, THRESHOLD); /* as malloc */
	assert_int_equal(lib.folded(p, THRESHOLD), 1);
	lib.free(p);
}

/* More than there are mappings of one block for: the blocks are larger, and it is folded. */
static void large(void **state)
{
	size_t size = (size_t)1 << 40, same;
	volatile unsigned char *p = lib.malloc(size);

	(void)state;
	assert_true(p != NULL);
	assert_int_equal(lib.memory((void *)(uintptr_t)p, size, &same), FOLDED);
	assert_int_equal(same, size);
	p[0] = 1;
	p[size - 1] = 2;
	p[size / 2] = 3; /* a whole number of blocks from the beginning */
	assert_int_equal(p[0], 3);
	lib.free((void *)(uintptr_t)p);
	assert_int_equal(lib.memory((void *)(uintptr_t)p, size, &same), NOT);
}

/* Parts of no page are none, and parts that adjoin are one: no edge is where nothing changes. */
static void parts_in_one_piece(void **state)
{
	enum { ALL = 8 << 20 };
	size_t none[] = {BLOCK + 1, BLOCK + 4095, 2 * BLOCK, 2 * BLOCK}, same;
	size_t adjoin[] = {0, BLOCK, BLOCK, 3 * BLOCK, 4 * BLOCK, 5 * BLOCK};
	unsigned char *p = lib.partial(ALL, none, 2, "f.c", 1);

	(void)state;
	assert_non_null(p);
	assert_int_equal(lib.memory(p, ALL, &same), NOT);
	assert_int_equal(same, ALL);
	lib.shared_free(p);
	p = lib.partial(ALL, adjoin, 3, "f.c", 1);
	assert_non_null(p);
	assert_int_equal(lib.memory(p, ALL, &same), FOLDED);
	assert_int_equal(same, 3 * BLOCK);
	assert_int_equal(lib.folded(p, 3 * BLOCK), 1);
	assert_int_equal(lib.folded(p, 3 * BLOCK + 1), 0);
	assert_int_equal(lib.memory(p + same, ALL - same, &same), NOT);
	assert_int_equal(same, BLOCK);
	lib.shared_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(refused),
	                                   cmocka_unit_test(parts_in_one_piece),
	                                   cmocka_unit_test(large)};
	char text[16];

	page = (size_t)sysconf(_SC_PAGESIZE);
	snprintf(text, sizeof text, "%d", THRESHOLD);
	setenv("ORRERY_FOLD", text, 1);
	if (!guest_open())
		return SKIPPED;
	*(void **)&lib.malloc = guest_named("malloc");
	*(void **)&lib.calloc = guest_named("calloc");
	*(void **)&lib.realloc = guest_named("realloc");
	*(void **)&lib.free = guest_named("free");
	*(void **)&lib.shared = guest_named("smpi_shared_malloc");
	*(void **)&lib.partial = guest_named("smpi_shared_malloc_partial");
	*(void **)&lib.shared_free = guest_named("smpi_shared_free");
	*(void **)&lib.folded = guest_named("orrery_folded");
	*(void **)&lib.memory = guest_named("orrery_memory");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
