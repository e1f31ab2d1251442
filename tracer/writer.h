/* writer.h: one rank's file: a memory buffer of whole lines, written when it is full and at the
 * end. Knows no MPI.
 *
 * Invariants: (1) the first `committed` bytes of the buffer are whole lines, at any moment, even
 * inside a signal handler; (2) the file holds whole lines only, unless a write failed half way; (3)
 * after an error nothing more is written, and the error was returned once. */
#ifndef ORRERY_TRACER_WRITER_H
#define ORRERY_TRACER_WRITER_H

#include "memo.h"

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

enum { WRITER_BUFFER = 1 << 20 }; /* bytes, unless the user chooses */

struct writer {
	int fd;       /* -1: closed */
	pid_t owner;  /* a forked child does not write its parent's buffer */
	size_t limit; /* flush when the buffer holds so much */
	struct str lines;
	struct memo memo;
	volatile size_t committed;
	uint64_t events, bytes; /* put, written */
	const char *path;       /* kept by the caller; for messages */
};

/* Creates the file, which must not exist. buffer: its size in bytes, at least 1. */
int writer_open(struct writer *w, const char *path, size_t buffer, struct err *err);
int writer_put(struct writer *w, uint32_t rank, const struct trace_event *ev, struct err *err);
/* A line "# text" that is no event: readers skip it, `orrery trace` reads it. */
int writer_note(struct writer *w, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int writer_flush(struct writer *w, struct err *err);
/* Writes what is committed, from a signal handler or a destructor: no memory, no locks, no
 * messages. */
void writer_rescue(struct writer *w);
/* Flushes and closes; frees the buffer in any case. */
int writer_close(struct writer *w, struct err *err);
/* Forgets what is in the buffer, closes. */
void writer_drop(struct writer *w);

#endif
