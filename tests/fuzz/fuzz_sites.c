/* fuzz_sites.c: any bytes as the file `sites` of a trace's folder, their first line being the name
 * of a region: read or refused, and a name comes out of every region. */
#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "trace/trace_int.h"

#include <string.h>
#include <unistd.h>

static void region_check(const char *dir, const char *region)
{
	struct site_names *s = NULL;
	struct err err = {0};

	if (site_names_read(&s, dir, &err) == 0) {
		if (s && !site_names_region(s, region, &err))
			abort();
	} else if (!err.text[0]) {
		abort();
	}
	site_names_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/orrery-fuzz-XXXXXX", path[64], region[256];
	const uint8_t *line = memchr(data, '\n', size);
	size_t n = line ? (size_t)(line - data) : 0;

	if (!mkdtemp(dir))
		abort();
	snprintf(region, sizeof region, "%.*s", (int)(n < 250 ? n : 250), (const char *)data);
	snprintf(path, sizeof path, "%s/sites", dir);
	content_set(path, line ? line + 1 : data, size - (line ? n + 1 : 0));
	region_check(dir, region);
	unlink(path);
	rmdir(dir);
	return 0;
}
