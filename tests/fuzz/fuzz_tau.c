/* fuzz_tau.c: any bytes as a trace of TAU: records, and the names of events beside them (the first
 * 16 bits say how long those are). What is read as an event must be of a rank that is there. */
#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "trace/trace.h"

#include <unistd.h>

enum { RANKS_MOST = 64, EVENTS_MOST = 2000 };

static void trace_read(const char *path)
{
	struct trace_event ev;
	struct err err = {0};
	struct trace *t = trace_open(path, 0, &err);

	if (!t && !err.text[0])
		abort();
	for (uint32_t r = 0; t && r < trace_ranks(t) && r < RANKS_MOST; r++)
		for (int n = 0; n < EVENTS_MOST && trace_next(t, r, &ev, &err) > 0; n++)
			if (ev.peer >= (int32_t)trace_ranks(t))
				abort();
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/orrery-fuzz-XXXXXX", trc[64], edf[64];
	size_t n;

	if (size < 2 || size > 1 << 16)
		return 0;
	n = data[0] | (size_t)data[1] << 8;
	n = n < size - 2 ? n : size - 2;
	if (!mkdtemp(dir))
		abort();
	snprintf(trc, sizeof trc, "%s/tau.trc", dir);
	snprintf(edf, sizeof edf, "%s/tau.edf", dir);
	content_set(edf, data + 2, n);
	content_set(trc, data + 2 + n, size - 2 - n);
	trace_read(trc);
	unlink(trc);
	unlink(edf);
	rmdir(dir);
	return 0;
}
