/* log.h: what a rank did, written down as it happens, in as few bytes as is quick: the tail of a
 * trace that is being made, for the case that its process does not come to its end. A call is
 * written out when it is first made, later it is a number; its costs follow.
 *
 * The file: "orrery-log 1\n", then entries, then zeros. An entry begins with a varint:
 *
 *   1 note    varint bytes, bytes
 *   2 list    varint items, each a zigzag          numbered from 1
 *   3 text    varint bytes, bytes with their NUL   numbered from 1
 *   4 call    varint open, varint given, of each given field a zigzag
 *   5 + call  volume, duration, of each open field a zigzag
 *
 * A volume is twice an integer, or 1 and the eight bytes of a double; a duration is 0 (not known),
 * twice (1 + nanoseconds), or 1 and eight bytes. The first byte of what is put at once is written
 * last: an entry that is not whole is a zero. */
#ifndef ORRERY_TRACE_LOG_H
#define ORRERY_TRACE_LOG_H

#include "call.h"

#define LOG_MAGIC "orrery-log 1\n"
enum { LOG_NOTE = 1, LOG_LIST, LOG_TEXT, LOG_CALL, LOG_CALLS };

/* What a log has, by its number among the calls of a rank: its number here + 1. Zero to begin
 * with. */
struct log_numbers {
	uint32_t *call, *list, *text;
	uint32_t cap_call, cap_list, cap_text;
	uint32_t calls, lists, texts; /* how many it has */
};
void log_numbers_release(struct log_numbers *l);
/* The entries of a call with its costs, and of what it needs that is not there yet. */
int log_call_put(struct log_numbers *l, const struct calls *c, uint32_t call, const int64_t *value,
                 struct str *out, struct err *err);
void log_note_put(struct str *out, const char *text);
/* The entry of a call that the log has, of which nothing but its costs is open; number: its number
 * here. At most LOG_COSTS_MOST bytes, all but the first of which are written to `at`; the first is
 * to be written last: *first. How many. */
enum { LOG_COSTS_MOST = 10 + 2 * 9 };
size_t log_costs_put(char *at, uint32_t number, double volume, double duration, char *first);

/* --- back --- */

struct log_reader {
	void *self;
	int (*note)(void *self, const char *text, struct err *err);
	int (*event)(void *self, const struct trace_event *ev, struct err *err);
};
/* All of a log, from its magic on. What is behind its last whole entry is left out: 0. -1: no log,
 * damaged (*err has no place), or a reader's error. */
int log_read(const uint8_t *p, size_t n, const struct log_reader *r, struct err *err);

#endif
