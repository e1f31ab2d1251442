/* fuzz_input.c: lines of a file, plain or gzip, with a small buffer; the whole of the file must be
 * the sum of its lines. */
#include "base/input.h"

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes consumed by reading all lines, or -1. */
static int64_t read_lines(const char *path)
{
	struct err err;
	struct input *in = input_open(path, 256, &err);
	int64_t offset;
	char *line;
	size_t n;
	int more;

	if (!in)
		return -1;
	while ((more = input_line(in, &line, &n, &err)) > 0)
		if (line[n] != '\0')
			abort();
	offset = more < 0 ? -1 : (int64_t)input_offset(in);
	input_close(in);
	return offset;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	char path[64], *whole;
	struct err err;
	size_t n = 0;
	int64_t sum;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	sum = read_lines(path);
	whole = input_read_all(path, &n, &err);
	/* A zero byte is no text to who reads lines; who takes the whole looks for itself. */
	if (sum >= 0 ? !whole || (size_t)sum != n : whole && !memchr(whole, '\0', n))
		abort();
	free(whole);
	close(fd);
	return 0;
}
