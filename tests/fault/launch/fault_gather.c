/* fault_gather.c: files that came from the hosts of a run become a trace while each allocation,
 * read, write, open or look fails: it is the whole trace, or an error, and nothing leaks. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "launch/traced.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tmp tmp;

static void came(void)
{
	char name[64], text[256];

	for (int rank = 0; rank < 2; rank++) {
		snprintf(name, sizeof name, "run/rank-%d.tit", rank);
		snprintf(text, sizeof text,
		         "# ranks 2\n# run 0123456789abcdef\n# host node%d\n# counter cputime\n"
		         "%d init\n%d finalize\n# untraced %d MPI_Put\n# end 2\n",
		         rank, rank, rank, 1 + rank);
		tmp_write(&tmp, name, text);
	}
}

static void told(const char *name)
{
	char line[256];
	FILE *f = fopen(tmp_path(&tmp, name), "r");

	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		if (strncmp(line, "date", 4) != 0)
			fault_told(line, strlen(line));
	fclose(f);
}

static int gather(void *arg, struct err *err)
{
	struct str notices = {0};
	struct traced t;
	int r = traced_gather_begin(&t, arg, 0, err);

	if (r == 0) {
		fault_hold(1);
		came();
		fault_hold(0);
		r = traced_gather_end(&t, 1, &notices, err);
		fault_hold(1);
		if (r == 0) {
			told("run/manifest");
			told("run/rank-0.tit");
			told("run/rank-1.tit");
		}
		fault_hold(0);
		traced_release(&t);
	}
	str_release(&notices);
	fault_hold(1);
	r = r < 0 ? -1 : 0;
	if (system("rm -rf \"$RUN\"") != 0)
		abort();
	fault_hold(0);
	return r;
}

static void folders(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_WRITE, FAULT_OPEN,
	                                        FAULT_LOOK};
	char folder[256];

	(void)state;
	tmp_init(&tmp);
	snprintf(folder, sizeof folder, "%s", tmp_path(&tmp, "run"));
	setenv("RUN", folder, 1);
	setenv("SOURCE_DATE_EPOCH", "0", 1);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert_true(fault_sweep(kinds[i], gather, folder) >= 2);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(folders)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
