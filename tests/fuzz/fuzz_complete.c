/* fuzz_complete.c: any bytes as the file that the tracer left of a rank. What could be completed is
 * complete: a second time changes nothing. */
#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/orrery-fuzz-XXXXXX", path[64];
	uint64_t resolved, dropped;
	struct err err;

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof path, "%s/rank-0.tit", dir);
	content_set(path, data, size);
	if (trace_folder_complete(dir, 1, NULL, NULL, NULL, &err) == 0) {
		if (trace_folder_complete(dir, 1, &resolved, &dropped, NULL, &err) < 0 ||
		    resolved != 0 || dropped != 0)
			abort();
	}
	unlink(path);
	rmdir(dir);
	return 0;
}
