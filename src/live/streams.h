/* streams.h: what ranks write, apart: with the number of the rank before each line, or in a file
 * for each rank and stream. */
#ifndef ORRERY_LIVE_STREAMS_H
#define ORRERY_LIVE_STREAMS_H

#include "base/base.h"

#include <stddef.h>
#include <stdint.h>

enum { LINE_PIECE = 4096, LINE_MOST = 1 << 20 };

struct line { /* of one stream: what has no end yet; all 0: none */
	char *text;
	size_t n, room;
	uint8_t going_on; /* it is too long, and its beginning was written */
};

/* Bytes of a rank's stream: whole lines go to a descriptor; of lines over LINE_MOST bytes (or that
 * there is no memory for) pieces, with the rank before the first. */
void line_take(struct line *l, uint32_t rank, int fd, const char *p, size_t n);
/* The stream has ended: so has its last line, and its memory is given back. */
void line_end(struct line *l, uint32_t rank, int fd);
/* All of it, whatever the descriptor is; -1, with errno: not all, as where a disk is full. */
int line_bytes(int fd, const char *p, size_t n);

/* A folder for them, if it is not there. */
int streams_folder(const char *folder, struct err *err);
/* Opened for writing: stream is 1 or 2, flags are those of open(). */
int streams_file(const char *folder, uint32_t rank, int stream, int flags, struct err *err);
/* -1: the disk is full, so that what ranks wrote last may not be there. They write themselves, and
 * few look whether they could. */
int streams_room(const char *folder, struct err *err);

#endif
