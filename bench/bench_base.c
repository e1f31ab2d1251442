/* bench_base.c: what one operation of the hot containers costs, in nanoseconds, at two sizes: in
 * cache and out of it. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPERATIONS = 2000000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(const char *what, uint32_t size, double start, long n)
{
	printf("%-28s %8u  %7.1f ns\n", what, size, (now() - start) / (double)n * 1e9);
}

/* The classic hold model: pop the least, put it back later. */
static void bench_heap(uint32_t size)
{
	struct heap h;
	struct rng r;
	struct heap_item top;
	double start;
	uint32_t i;
	long n;

	heap_init(&h);
	rng_init(&r, 1, "heap", size);
	for (i = 0; i < size; i++)
		heap_set(&h, i, rng_unit(&r), i, NULL);
	start = now();
	for (n = 0; n < OPERATIONS; n++) {
		top = heap_pop(&h);
		heap_set(&h, top.id, top.date + rng_unit(&r), (uint64_t)n, NULL);
	}
	report("heap: pop and set", size, start, OPERATIONS);
	start = now();
	for (n = 0; n < OPERATIONS; n++) {
		i = (uint32_t)rng_below(&r, size);
		heap_set(&h, i, h.items[h.pos[i]].date + 0.01, (uint64_t)n, NULL);
	}
	report("heap: move later", size, start, OPERATIONS);
	heap_release(&h);
}

static void bench_hash(uint32_t size)
{
	struct hash64 h;
	uint64_t sum = 0, key;
	double start;
	long n;

	hash64_init(&h);
	for (key = 0; key < size; key++)
		hash64_put(&h, key << 32 | key, (uint32_t)key, NULL);
	start = now();
	for (n = 0; n < OPERATIONS; n++) {
		key = (uint64_t)n * 7919 % size;
		sum += hash64_find(&h, key << 32 | key);
	}
	report("hash64: find", size, start, OPERATIONS);
	start = now();
	for (n = 0; n < OPERATIONS; n++) {
		key = (uint64_t)n * 7919 % size;
		hash64_put(&h, key << 32 | key, hash64_remove(&h, key << 32 | key), NULL);
	}
	report("hash64: remove and put", size, start, OPERATIONS);
	hash64_release(&h);
	if (sum == 42)
		puts("");
}

static void bench_num(const char *what, const char *text)
{
	size_t n = strlen(text);
	double start = now(), d, sum = 0;
	int64_t i;
	long k;

	for (k = 0; k < OPERATIONS; k++)
		sum += num_parse_double(text, n, &d) == 0 ? d : 0;
	report(what, (uint32_t)n, start, OPERATIONS);
	start = now();
	for (k = 0; k < OPERATIONS; k++)
		sum += num_parse_count(text, n, &i) == 0 ? (double)i : 0;
	report("  as a count", (uint32_t)n, start, OPERATIONS);
	if (sum == 42)
		puts("");
}

static void bench_input(void)
{
	char path[] = "/tmp/orrery-bench-XXXXXX", *line;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct input *in;
	double start;
	size_t n;
	long k;

	for (k = 0; k < OPERATIONS; k++)
		fprintf(f, "%ld isend %ld 0 %ld\n", k % 64, k % 63, k * 37 % 100000);
	fclose(f);
	in = input_open(path, 0, NULL);
	start = now();
	while (in && input_line(in, &line, &n, NULL) > 0)
		;
	report("input: a line of a trace", 20, start, OPERATIONS);
	input_close(in);
	remove(path);
}

int main(void)
{
	bench_heap(1000);
	bench_heap(1000000);
	bench_hash(1000);
	bench_hash(1000000);
	bench_num("num: 65536", "65536");
	bench_num("num: 1.23457e+08", "1.23457e+08");
	bench_num("num: 17 digits", "0.12345678901234567");
	bench_input();
	return 0;
}
