/* writer.h: what one rank writes: its trace as it is compressed (sink.h), or text: whole lines, in
 * a window of memory that is the file (mapped.h). Knows no MPI.
 *
 * Invariants of text: (1) the file begins with whole lines, at any moment, whatever ends the
 * process; (2) after an error nothing more is written, the file holds what was written before, and
 * the error was returned once. */
#ifndef ORRERY_TRACER_WRITER_H
#define ORRERY_TRACER_WRITER_H

#include "mapped.h"
#include "memo.h"

#include "base/err.h"

#include <stdint.h>

/* Bytes, unless the user chooses: reserved on the disk at a time; for what is compressed. */
enum { WRITER_BUFFER = 1 << 20, WRITER_MEMORY = 16 << 20 };

struct sink;

struct writer {
	int is_text;
	pid_t owner;        /* a forked child writes nothing */
	struct sink *sink;  /* NULL: text, or closed */
	struct mapped file; /* text */
	struct str line;    /* being formatted */
	struct memo *memo;  /* of text, else NULL */
	uint64_t events;    /* put */
};

int writer_open_compressed(struct writer *w, const char *dir, uint32_t rank, uint32_t ranks,
                           size_t window, size_t memory, void (*forget)(int64_t req),
                           struct err *err);
/* Text. Creates the file, which must not exist. window: bytes of it that are reserved on the disk
 * and mapped at a time, at least 1. */
int writer_open(struct writer *w, const char *path, size_t window, struct err *err);
int writer_put(struct writer *w, uint32_t rank, const struct trace_event *ev, struct err *err);
/* A computation in a region, as an event of nothing else. duration: seconds, or -1. */
int writer_compute(struct writer *w, uint32_t rank, int64_t region, double volume, double duration,
                   struct err *err);
/* A line "# text" that is no event: readers skip it, `orrery trace` reads it. */
int writer_note(struct writer *w, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* See mapped_rescue. */
void writer_rescue(struct writer *w);
/* All is put: text says how much it was; what is compressed is ready to be merged. */
int writer_end(struct writer *w, struct err *err);
/* Closes; frees memory in any case. Of what is compressed, the files stay. */
int writer_close(struct writer *w, struct err *err);
/* The same of what is compressed and nobody merges here: all of it is in the files. */
int writer_leave(struct writer *w, struct err *err);
/* Removes what was made, before it is dropped. path: of text. */
void writer_undo(struct writer *w, const char *path);
/* The same after an error, which was told: the file ends with its last whole line. */
void writer_drop(struct writer *w);

#endif
