/* sink.h: writing files so that nothing half-written is taken for complete: the text goes to
 * "<path>.part", which gets its name at the end. Every error of the disk is seen: of write, and of
 * close, where some file systems report a full disk. */
#ifndef ORRERY_TRACE_SINK_H
#define ORRERY_TRACE_SINK_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct sink {
	char *path; /* final name */
	char *part; /* name while it is written; NULL: a device, written in place */
	int fd;     /* -1: opened for each write */
	uint8_t open, keep;
};
/* keep: whether the descriptor may stay open between writes. Creates or empties the file. */
int sink_open(struct sink *s, const char *path, int keep, struct err *err);
int sink_write(struct sink *s, const char *text, size_t n, struct err *err);
/* Gives the file its name. */
int sink_commit(struct sink *s, struct err *err);
/* Releases s; a file that was not committed is removed. */
void sink_release(struct sink *s);

/* A whole file at once. */
int file_replace(const char *path, const char *text, size_t n, struct err *err);

#endif
