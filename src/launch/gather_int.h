/* gather_int.h: the stream of gathered files, for who packs and who unpacks. */
#ifndef ORRERY_LAUNCH_GATHER_INT_H
#define ORRERY_LAUNCH_GATHER_INT_H

#include "gather.h"
#include "trace/compressed/block.h"

enum { GATHER_BLOCK = 1 << 20, NAME_MOST = 255, FILE_NAME = 16, FILE_BYTES, FOLDER };

/* Takes a child's stream: each block goes to take(). */
typedef int block_taker(void *self, const struct block *b, const uint8_t *head, const void *stored,
                        struct err *err);

/* One stream, up to its end; room: of GATHER_BLOCK. */
int gather_stream_take(int fd, block_taker *take, void *self, char *room, struct err *err);
/* Groups of the sources from `first` on, all at the same time. */
int gather_groups_take(const struct gather *g, int first, block_taker *take, void *self, char *room,
                       struct err *err);
int gather_sources_check(const struct gather *g, struct err *err);

#endif
