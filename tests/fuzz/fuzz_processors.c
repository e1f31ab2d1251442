/* fuzz_processors.c: any bytes as the table of processors (data/processors.txt) and as
 * /proc/cpuinfo: ratios are positive and finite, or there is none, or an error. */
#include "platform/platform.h"

#include "base/processor.h"
#include "fuzz/content.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void name_look(const uint8_t *data, size_t size, char *name, size_t n)
{
	char text[4096];

	if (size > sizeof text - 1)
		size = sizeof text - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	processor_name_in(text, name, n);
	if (memchr(name, '\0', n) == NULL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/dev/shm/orrery-fuzz-XXXXXX", path[sizeof folder + 16], name[200];
	char near[128];
	struct processor_ratio ratio;
	struct err err = {0};

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof path, "%s/processors.txt", folder);
	content_set(path, data, size);
	setenv("ORRERY_DATA", folder, 1);
	name_look(data, size, name, sizeof name);
	if (processor_ratio("Intel Xeon X", name, &ratio, &err) > 0 &&
	    !(ratio.ratio > 0 && isfinite(ratio.ratio) && isfinite(ratio.deviation)))
		abort();
	if (processor_ratio("A", "B", &ratio, &err) > 0 &&
	    !(ratio.ratio > 0 && isfinite(ratio.ratio) && isfinite(ratio.deviation)))
		abort();
	processor_find(name, near, sizeof near, &err);
	unlink(path);
	rmdir(folder);
	return 0;
}
