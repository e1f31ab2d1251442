/* test_sites.c: tests of tracer/sites.c: regions get one number per pair of sites, and the names
 * that dladdr gives this very program. */
#include "test.h"

#include "tracer/sites.h"

#include <stdio.h>

struct told {
	int modules, regions;
	int64_t number;
	char module[256], name[512];
};

static int module_told(void *self, const char *name, const char *path, struct err *err)
{
	struct told *t = self;

	(void)err;
	t->modules++;
	assert_true(strlen(path) >= strlen(name) &&
	            !strcmp(path + strlen(path) - strlen(name), name));
	snprintf(t->module, sizeof t->module, "%s", name);
	return 0;
}

static int region_told(void *self, int64_t number, const char *name, struct err *err)
{
	struct told *t = self;

	(void)err;
	t->regions++;
	t->number = number;
	snprintf(t->name, sizeof t->name, "%s", name);
	return 0;
}

/* Addresses inside this program: what is behind the start of two functions. */
static void *inside(int which, int offset)
{
	return (char *)(which ? (uintptr_t)module_told : (uintptr_t)region_told) + offset;
}

static void test_pairs(void **state)
{
	struct told t = {0};
	struct sites_out out = {&t, module_told, region_told};
	struct sites s;
	struct err err;
	uint64_t a, b;
	char start[300];

	(void)state;
	sites_init(&s, 1);
	a = site_key(&s, inside(0, 4), &err);
	b = site_key(&s, inside(1, 4), &err);
	assert_int_equal(region_get(&s, 0, a, &out, &err), 0);
	assert_int_equal(t.modules, 1);
	snprintf(start, sizeof start, "start>%s+0x", t.module);
	assert_int_equal(strncmp(t.name, start, strlen(start)), 0);
	assert_int_equal(region_get(&s, a, b, &out, &err), 1);
	assert_int_equal(region_get(&s, b, a, &out, &err), 2); /* there and back are two */
	assert_int_equal(region_get(&s, a, a, &out, &err), 3);
	assert_int_equal(t.regions, 4);
	assert_int_equal(t.modules, 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(region_get(&s, a, b, &out, &err), 1);
		assert_int_equal(region_get(&s, 0, a, &out, &err), 0);
	}
	assert_int_equal(t.regions, 4);
	sites_release(&s);
}

/* More pairs than the cache has slots: numbers stay what they were. */
static void test_many(void **state)
{
	struct told t = {0};
	struct sites_out out = {&t, module_told, region_told};
	struct sites s;
	struct err err;

	(void)state;
	sites_init(&s, 1);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 40; i++)
			for (int k = 0; k < 40; k++)
				assert_int_equal(region_get(&s, (uintptr_t)inside(0, i),
				                            (uintptr_t)inside(1, k), &out, &err),
				                 i * 40 + k);
	assert_int_equal(t.regions, 1600);
	sites_release(&s);
}

static uint64_t __attribute__((noinline)) wrapped(struct sites *s, struct err *err)
{
	uint64_t key = site_key(s, __builtin_return_address(0), err);

	__asm__ volatile("" : "+r"(key)); /* no tail call: this function keeps its frame */
	return key;
}

static uint64_t __attribute__((noinline)) library(struct sites *s, struct err *err)
{
	uint64_t key = wrapped(s, err);

	__asm__ volatile("" : "+r"(key));
	return key;
}

/* Two calls of one library: one site with a frame, two with two. */
static void test_paths(void **state)
{
	struct told t = {0};
	struct sites_out out = {&t, module_told, region_told};
	struct sites s;
	struct err err;
	uint64_t a, b;

	(void)state;
	sites_init(&s, 1);
	a = library(&s, &err);
	b = library(&s, &err);
	assert_true(a == b);
	sites_release(&s);
	sites_init(&s, 2);
	a = library(&s, &err);
	b = library(&s, &err);
	assert_true(a != 0 && b != 0 && a != b);
	assert_int_equal(region_get(&s, a, b, &out, &err), 0);
	assert_non_null(strchr(t.name, '<'));
	assert_true(strchr(t.name, '<') !=
	            strrchr(t.name, '<')); /* both sites have a frame above */
	sites_release(&s);
}

/* What cannot be walked or named does no harm. */
static void test_nowhere(void **state)
{
	struct told t = {0};
	struct sites_out out = {&t, module_told, region_told};
	struct sites s;
	struct err err;
	uint64_t a;

	(void)state;
	sites_init(&s, 3);
	a = site_key(&s, (void *)(uintptr_t)16, &err);
	assert_true(a != 0);
	assert_int_equal(region_get(&s, 0, a, &out, &err), 0);
	assert_string_equal(t.name, "start>?");
	sites_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pairs), cmocka_unit_test(test_many), cmocka_unit_test(test_paths),
	    cmocka_unit_test(test_nowhere)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
