/* left.h: what one process of a traced run left of itself, if its rank was not merged with the
 * others (tracer/sink.h): chapters, in rank-<r>.part, and a log, in rank-<r>.log or .log2, of what
 * is in none of them.
 *
 * A process may be killed at any moment: between a chapter and the next log there are the log of
 * before, whose events are in the last chapter, and perhaps a new one. A log says how many chapters
 * were before it: only one that has them all goes on where they end. */
#ifndef ORRERY_TRACE_LEFT_H
#define ORRERY_TRACE_LEFT_H

#include "log.h"

struct left {
	const char *dir; /* the caller's: for errors */
	struct mapping {
		const uint8_t *p;
		size_t n;
	} part, log[2];
	uint32_t rank;
	uint32_t ranks;    /* of the run, as a log says; else the rank and those before it */
	uint32_t chapters; /* whole ones */
	int next;          /* the log that goes on behind them, or -1 */
	int noted;         /* the one to take notes of: it has them all, if any has */
};
/* 1, 0: it left nothing, -1. */
int left_open(struct left *l, const char *dir, uint32_t rank, struct err *err);
void left_close(struct left *l);
/* Its files. */
void left_remove(const char *dir, uint32_t rank);
/* The rank whose file has this name, or -1. */
int64_t left_rank(const char *name);
/* All events, those of the chapters first, and the notes of the log: before them, if there are
 * chapters. */
int left_read(const struct left *l, const struct log_reader *r, struct err *err);
/* The log that goes on behind the chapters, if there is one. */
int left_log(const struct left *l, const struct log_reader *r, struct err *err);
/* *err, if it is of input, is of the chapters: their file goes before it. Returns -1. */
int left_part_fault(const struct left *l, struct err *err);
/* The bytes of chapter i, as bundle_pack gave them. */
int left_chapter(const struct left *l, uint32_t i, struct str *out, struct err *err);

#endif
