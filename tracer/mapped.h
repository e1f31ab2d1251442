/* mapped.h: a file that grows at its end, through a window of memory that is the file: what was put
 * there stays when the process is killed, whatever kills it. Knows no MPI and no format.
 *
 *     char *at = mapped_room(m, n, &err);    n bytes, to be filled
 *     mapped_keep(m, n);                     they are whole: part of the file from here on
 *
 * Invariants
 *  1. The first start + kept bytes of the file are what was kept, at any moment, also in a signal
 *     handler. Behind them, while the file is open, are bytes that are not whole, then zeros: a
 *     reader of a file whose process was killed stops there (src/trace/text/lines.c).
 *  2. A window is on the disk before it is written to: a full disk is an error of mapped_room, not
 *     a signal, and then the file ends with what was kept.
 *  3. The descriptor may be closed by the application, or stand for another file by now (a program
 *     that closes all from 3 on, then opens its own): it is compared, by device and inode, each
 *     time before it is used, and the file is opened anew if it is not ours.
 * Where files cannot be mapped, the window is memory and is written when it is full. */
#ifndef ORRERY_TRACER_MAPPED_H
#define ORRERY_TRACER_MAPPED_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

struct mapped {
	int fd; /* -1: closed */
	dev_t dev;
	ino_t ino;
	pid_t owner;        /* a forked child leaves the file alone */
	const char *path;   /* kept by the caller */
	char *at;           /* the window; NULL: none */
	size_t cap, window; /* its bytes; the most that are wanted */
	uint64_t start;     /* where it begins in the file */
	volatile size_t kept;
	int memory; /* the window is memory */
};

/* The same descriptor under a number that programs do not count up to. fd -1: -1. */
int descriptor_raise(int fd);
/* Makes the file, which must not exist. window: bytes that are reserved at a time, at least 1, once
 * the file has grown: at first MAPPED_FIRST, then twice as many each time, as thousands of ranks
 * may have a file each; fewer where the disk has no more. */
enum { MAPPED_FIRST = 16 << 10 };
int mapped_open(struct mapped *m, const char *path, size_t window, struct err *err);
/* Nothing is kept yet: the window is memory from now on. */
int mapped_to_memory(struct mapped *m, struct err *err);
/* Room for n bytes behind what is kept; valid until the next call. NULL: an error, and what is kept
 * is as it was. */
char *mapped_room(struct mapped *m, size_t n, struct err *err);
static inline void mapped_keep(struct mapped *m, size_t n)
{
	__atomic_signal_fence(__ATOMIC_RELEASE);
	m->kept += n;
}
/* Bytes of the file. */
static inline uint64_t mapped_size(const struct mapped *m)
{
	return m->start + m->kept;
}
/* Before the process ends unawares, from a signal handler or a destructor: no memory, no locks, no
 * messages. Writes what is kept where the window is memory; else there is nothing to do. */
void mapped_rescue(struct mapped *m);
/* The file ends with what is kept. Closed in any case. */
int mapped_close(struct mapped *m, struct err *err);

#endif
