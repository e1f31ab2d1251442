/* writer.h: one rank's file: whole lines, in a window of memory that is the file (mapped.h). Knows
 * no MPI.
 *
 * Invariants: (1) the file begins with whole lines, at any moment, whatever ends the process; (2)
 * after an error nothing more is written, the file holds what was written before, and the error
 * was returned once. */
#ifndef ORRERY_TRACER_WRITER_H
#define ORRERY_TRACER_WRITER_H

#include "mapped.h"
#include "memo.h"

#include "base/err.h"

#include <stdint.h>

enum { WRITER_BUFFER = 1 << 20 }; /* bytes, unless the user chooses */

struct writer {
	struct mapped file;
	struct str line; /* being formatted */
	struct memo memo;
	uint64_t events; /* put */
};

/* Creates the file, which must not exist. window: bytes of it that are reserved on the disk and
 * mapped at a time, at least 1. */
int writer_open(struct writer *w, const char *path, size_t window, struct err *err);
int writer_put(struct writer *w, uint32_t rank, const struct trace_event *ev, struct err *err);
/* A line "# text" that is no event: readers skip it, `orrery trace` reads it. */
int writer_note(struct writer *w, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* See mapped_rescue. */
void writer_rescue(struct writer *w);
/* Closes; frees memory in any case. */
int writer_close(struct writer *w, struct err *err);
/* The same after an error, which was told: the file ends with its last whole line. */
void writer_drop(struct writer *w);

#endif
