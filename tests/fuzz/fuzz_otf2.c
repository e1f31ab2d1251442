/* fuzz_otf2.c: an archive of OTF2 of which one file is any bytes: libotf2 and our reader over it
 * give events of ranks that are there, or an error. The first byte says which file; the others are
 * those of a small trace, which our writer writes. Without libotf2 there is nothing to fuzz. */
#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "trace/trace.h"

#include <ftw.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 2, EVENTS_MOST = 2000 };

/* What libotf2 forgets when it cannot open an archive is not ours to mend. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libopen-trace-format2\n";
}

static const char *const files[] = {"traces.otf2",  "traces.def",   "traces/0.def",
                                    "traces/0.evt", "traces/1.def", "traces/1.evt"};

static int events_put(struct trace_writer *w, struct err *err)
{
	static const struct trace_event all[RANKS][4] = {
	    {{.op = TRACE_INIT},
	     {.op = TRACE_COMPUTE, .volume = 1e6},
	     {.op = TRACE_SEND, .peer = 1, .tag = 7, .count = 1000, .type = 6},
	     {.op = TRACE_FINALIZE}},
	    {{.op = TRACE_INIT},
	     {.op = TRACE_RECV, .peer = 0, .tag = 7, .count = 1000, .type = 6},
	     {.op = TRACE_BARRIER},
	     {.op = TRACE_FINALIZE}}};

	for (uint32_t r = 0; r < RANKS; r++)
		for (int i = 0; i < 4; i++)
			if (trace_writer_put(w, r, &all[r][i], err) < 0)
				return -1;
	return 0;
}

static int archive_write(const char *path)
{
	struct err err = {0};
	struct trace_writer *w = trace_writer_open(path, TRACE_WRITE_OTF2, RANKS, &err);

	if (!w)
		return -1;
	if (events_put(w, &err) < 0) {
		trace_writer_abandon(w);
		return -1;
	}
	return trace_writer_commit(w, NULL, NULL, &err);
}

static void archive_read(const char *path)
{
	struct trace_event ev;
	struct err err = {0};
	struct trace *t = trace_open(path, 0, &err);

	if (!t) {
		if (!err.kind || !*err.text)
			abort();
		return;
	}
	for (uint32_t r = 0; r < trace_ranks(t) && r < 64; r++)
		for (int n = 0; n < EVENTS_MOST && trace_next(t, r, &ev, &err) > 0; n++)
			if (ev.peer >= (int32_t)trace_ranks(t))
				abort();
	trace_close(t);
}

static int one_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/dev/shm/orrery-fuzz-XXXXXX", path[sizeof folder + 8],
	     file[sizeof path + 24];

	if (size < 1 || !mkdtemp(folder))
		return 0;
	snprintf(path, sizeof path, "%s/a", folder);
	if (archive_write(path) == 0) {
		snprintf(file, sizeof file, "%s/%s", path,
		         files[data[0] % (sizeof files / sizeof *files)]);
		content_set(file, data + 1, size - 1);
		archive_read(path);
	}
	nftw(folder, one_remove, 4, FTW_DEPTH | FTW_PHYS);
	return 0;
}
