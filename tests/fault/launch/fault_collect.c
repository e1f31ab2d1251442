/* fault_collect.c: what the ranks of a traced run left in its folder is read while each allocation,
 * read, open or look fails: it is all that they said, or an error, and nothing leaks. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "launch/collect.h"

#include <stdlib.h>
#include <string.h>

static void told(const char *text)
{
	fault_told(text ? text : "", text ? strlen(text) + 1 : 1);
}

static void counts_told(const struct call_counts *c)
{
	struct str s = {0};

	fault_hold(1); /* a text that is cut says so by itself */
	call_counts_text(c, &s);
	fault_hold(0);
	told(s.s);
	str_release(&s);
}

static int collect(void *arg, struct err *err)
{
	struct collection c;
	int r = collection_read(&c, arg, 0, err);

	if (r == 0) {
		const uint64_t n[] = {c.ranks, c.found, c.ended, c.events, c.beside, c.stopped};

		assert_int_equal(c.ranks, 4);
		assert_int_equal(c.found, 3);
		assert_int_equal(c.ended, 2);
		assert_int_equal(c.untraced.n, 2);
		fault_told(n, sizeof n);
		told(c.run);
		told(c.mpi);
		told(c.counter);
		told(c.processor);
		told(c.hosts.s);
		told(c.missing.s);
		told(c.absent.s);
		counts_told(&c.untraced);
		counts_told(&c.local);
	}
	collection_release(&c);
	return r;
}

/* Rank 2 of four left nothing, rank 3 came to no end: its events are its lines. */
static void what_ranks_left(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_OPEN, FAULT_LOOK};
	static const char *const ends[] = {
	    "# untraced 3 MPI_Put\n# local 12 MPI_Comm_rank\n# beside 1500 ms\n# end 1\n",
	    "# untraced 4 MPI_Put\n# untraced 1 MPI_Get\n# end 1\n", NULL, ""};
	char name[32], text[512];
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	tmp_write(&tmp, ".worlds", "4\n");
	for (int rank = 0; rank < 4; rank++) {
		if (!ends[rank])
			continue;
		snprintf(name, sizeof name, "rank-%d.tit", rank);
		snprintf(text, sizeof text,
		         "# ranks 3\n# run 0123456789abcdef\n# host node%d\n# mpi MPICH "
		         "Version:\t4.0.2\n# processor model %d\n# counter cputime\n%d init\n%s",
		         rank, rank % 2, rank, ends[rank]);
		tmp_write(&tmp, name, text);
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert_true(fault_sweep(kinds[i], collect, tmp.dir) >= 2);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_ranks_left)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
