/* sink.h: where the events of a process go when its trace is compressed as it is made.
 *
 *   event ──> its call, its costs ──┬──> log (log.h)
 *                                   └──> held (what may still change) ──> nest
 *   nest ──memory full──> chapter file
 *
 * The log is a file mapped into memory: what outlives the process.
 *
 * At the end the chapters of all ranks are merged (gather.c), and the files are gone. Of a process
 * that does not come to its end they are what `orrery trace` reads (src/trace/restore.c): chapters,
 * then the events of the log that are not in one. Knows no MPI.
 *
 * An event that is one that came before but for its costs (again.h) takes the short way: its number
 * and its costs go to the log, its costs to where the loop that is walked expects it.
 *
 * Invariants: (1) an event is in the log before it is in the nest; (2) a log says how many
 * chapters were before it (its note "chapters N"): one with fewer than there are is in the last of
 * them;
 * (3) memory is bounded by `memory`, nearly: the nest becomes a chapter at a quarter of it, as
 * columns double when they grow. */
#ifndef ORRERY_TRACER_SINK_H
#define ORRERY_TRACER_SINK_H

#include "again.h"
#include "held.h"
#include "mapped.h"

#include "trace/compressed/log.h"
#include "trace/compressed/nest.h"

enum { SINK_LOG = 64 << 20 };

struct sink {
	struct nest nest;
	struct call_guess guess;
	struct again again;
	struct log_numbers numbers;
	struct held held;
	struct mapped log;
	struct str line, notes; /* notes: one a line, for the merged trace */
	size_t memory, window;
	uint64_t events, passed; /* put; in the nests so far */
	uint32_t rank, ranks, chapters;
	int other; /* which of the two names the log has */
	char path[2][4096], part[4096];
};

/* The files are `dir`/rank-<rank>.log, .log2, .part; window: bytes of the log that are reserved at
 * a time; memory: what all of this may take. */
int sink_open(struct sink *s, const char *dir, uint32_t rank, uint32_t ranks, size_t window,
              size_t memory, void (*forget)(int64_t req), struct err *err);
int sink_put(struct sink *s, const struct trace_event *ev, struct err *err);
/* A computation in a region; duration: seconds, or -1. */
int sink_compute(struct sink *s, int64_t region, double volume, double duration, struct err *err);
int sink_note(struct sink *s, const char *text, struct err *err);
/* Nothing more comes: what is held goes on, the last nest is closed (it is not in the chapter
 * file). */
int sink_end(struct sink *s, struct err *err);
/* After that, where nobody merges here: the last nest is a chapter too, and the log has notes only.
 */
int sink_leave(struct sink *s, struct err *err);
/* The i-th of s->chapters chapters that were put away, as bytes of bundle_pack. */
int sink_chapter(const struct sink *s, uint32_t i, struct str *out, struct err *err);
/* The files are left as they are, or removed. */
void sink_close(struct sink *s, int remove);
void sink_rescue(struct sink *s);

#endif
