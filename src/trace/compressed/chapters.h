/* chapters.h: the chapters of a compressed file, mapped, with their costs. Structures are unpacked
 * when the file is opened, costs when a rank first needs them.
 *
 * A file that ends before its end (the program that wrote it was killed, the disk was full) has
 * what is before that. */
#ifndef ORRERY_TRACE_CHAPTERS_H
#define ORRERY_TRACE_CHAPTERS_H

#include "block.h"
#include "chapter.h"

struct costs {
	struct block block;
	const uint8_t *stored;
	uint8_t *raw;   /* unpacked; NULL: not yet, or stored plainly */
	uint32_t users; /* ranks that are in it now */
	uint8_t checked, bad;
};
struct part { /* a chapter with its costs */
	struct chapter *chapter;
	uint8_t *raw, *shared;
	uint8_t whole; /* what is shared is there */
	struct costs *costs;
	uint32_t n, cap;
};
struct chapters {
	const uint8_t *map;
	size_t size;
	struct part *part;
	uint32_t n, cap;
	uint32_t depth;  /* frames that a rank needs */
	uint64_t damage; /* offset at which something is missing; 0: nothing is */
	uint8_t cut;     /* it is: the file ends in or before the block that would be there */
};

/* Whether a file or folder is a compressed trace, or has one: 1, 0, -1. */
int chapters_probe(const char *path, struct err *err);
/* Maps the file; its head is first in it. Goes through its blocks. */
int chapters_map(struct chapters *f, const char *path, struct err *err);
int chapters_scan(struct chapters *f, const char *path, uint32_t ranks, struct err *err);
/* The costs of a rank in a part: 1, 0 if it has none there, -1: they are damaged (*err is set only
 * if that is due to this computer). *out: the block that has them, also where it is damaged. */
int part_costs(struct part *p, uint32_t rank, const char *path, struct costs **out,
               const uint8_t **own, size_t *n, struct err *err);
/* Where a block of costs begins in the file. */
uint64_t chapters_costs_at(const struct chapters *f, const struct costs *c);
void chapters_release(struct chapters *f);

#endif
