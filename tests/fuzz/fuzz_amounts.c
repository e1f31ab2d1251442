/* fuzz_amounts.c: files of what regions take (run --computation FILE): read without a crash or with
 * an error that names the file; what is read begins with the mark, has an amount for each line that
 * says 'region', and every amount is a finite number, not negative. */
#include "fuzz.h"

#include "live/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Lines whose first word is 'region', counted apart from the reader. */
static uint32_t regions_count(const char *text)
{
	uint32_t n = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		line += strspn(line, " \t");
		n += strncmp(line, "region", 6) == 0 && (line[6] == ' ' || line[6] == '\t');
	}
	return n;
}

static void check(const struct amounts *a, const char *text, size_t size)
{
	static const char mark[] = "# orrery-computation 1";
	size_t order = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* its mark */

	text += order;
	size -= order;
	if (size < sizeof mark - 1 || memcmp(text, mark, sizeof mark - 1) != 0)
		abort();
	for (uint32_t i = 0; i < a->n; i++)
		if (!isfinite(a->amount[i].value) || a->amount[i].value < 0)
			abort();
	if (a->rest == AMOUNTS_SECONDS && !(a->seconds >= 0))
		abort();
	if (!memchr(text, '\0', size) && regions_count(text) != a->n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("amounts", 0);
	char path[64], *text = calloc(1, size + 1);
	struct amounts a;
	struct err err = {0};

	if (!text || fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	if (size)
		memcpy(text, data, size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (amounts_read(&a, path, &err) == 0) {
		check(&a, text, size);
		amounts_release(&a);
	} else if (!strstr(err.text, path)) {
		abort();
	}
	free(text);
	close(fd);
	return 0;
}
