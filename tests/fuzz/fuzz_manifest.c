/* fuzz_manifest.c: any bytes as the manifest of a trace folder. What is read is written, and read
 * back the same, but for carriage returns inside a value, which become blanks. */
#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_manifest m, back;
	struct err err;
	char dir[] = "/tmp/orrery-fuzz-XXXXXX", path[64];

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof path, "%s/manifest", dir);
	content_set(path, data, size);
	if (trace_manifest_read(dir, &m, &err) == 0) {
		if (trace_manifest_write(dir, &m, &err) < 0 ||
		    trace_manifest_read(dir, &back, &err) < 0)
			abort();
		if (strlen(m.program) != strlen(back.program) || m.ranks != back.ranks ||
		    m.nominal_rate != back.nominal_rate)
			abort();
		trace_manifest_release(&m);
		trace_manifest_release(&back);
	}
	unlink(path);
	rmdir(dir);
	return 0;
}
