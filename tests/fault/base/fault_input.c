/* fault_input.c: every allocation, read and open of the line reader fails in turn, on plain and
 * compressed text. */
#include "base/input.h"

#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include <zlib.h>

static struct tmp tmp;

static int read_lines(void *arg, struct err *err)
{
	struct input *in = input_open(arg, 300, err);
	char *line;
	size_t n;
	int more;

	if (!in)
		return -1;
	while ((more = input_line(in, &line, &n, err)) > 0)
		;
	input_close(in);
	return more;
}

static int read_whole(void *arg, struct err *err)
{
	size_t n;
	char *text = input_read_all(arg, &n, err);

	free(text);
	return text ? 0 : -1;
}

static void sweep(fault_body body)
{
	char plain[300], gz[300], zst[300];

	snprintf(plain, sizeof plain, "%s", tmp_path(&tmp, "plain"));
	snprintf(gz, sizeof gz, "%s", tmp_path(&tmp, "gz"));
	fault_sweep(FAULT_ALLOC, body, plain);
	fault_sweep(FAULT_READ, body, plain);
	fault_sweep(FAULT_OPEN, body, plain);
	assert_true(fault_sweep(FAULT_ALLOC, body, gz) >= 5); /* zlib's own are among them */
	fault_sweep(FAULT_READ, body, gz);
#ifdef ORRERY_HAVE_ZSTD
	snprintf(zst, sizeof zst, "%s", tmp_path(&tmp, "zst"));
	fault_sweep(FAULT_ALLOC, body, zst);
	fault_sweep(FAULT_READ, body, zst);
#else
	(void)zst;
#endif
}

static void lines(void **state)
{
	(void)state;
	sweep(read_lines);
}

static void whole(void **state)
{
	(void)state;
	sweep(read_whole);
}

/* 200 lines of 0 to 995 letters, plain and compressed. */
static int setup(void **state)
{
	gzFile gz;
	FILE *f;
	int i;

	(void)state;
	tmp_init(&tmp);
	f = fopen(tmp_path(&tmp, "plain"), "w");
	gz = gzopen(tmp_path(&tmp, "gz"), "w");
	if (!f || !gz)
		return -1;
	for (i = 0; i < 200; i++) {
		fprintf(f, "%*d\n", i * 5, i);
		gzprintf(gz, "%*d\n", i * 5, i);
	}
	if (fclose(f) != 0 || gzclose(gz) != Z_OK)
		return -1;
	f = fopen(tmp_path(&tmp, "zst"), "w"); /* RFC 8878: one raw block of four bytes a frame */
	for (i = 0; f && i < 30000; i++)
		fwrite("\x28\xb5\x2f\xfd\x20\x04\x21\0\0one\n", 1, 13, f);
	return f && fclose(f) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(whole)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
