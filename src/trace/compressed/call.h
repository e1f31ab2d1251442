/* call.h: structure and cost apart. What was called is a struct call: all of an event that is the
 * same each time its line of the program is reached, as numbers (lists and texts by their number in
 * a table), kept once. What it cost, and what of it differs from time to time (its open fields), is
 * handed out beside it.
 *
 * Fields are opened where they are known to vary (the volume and the duration always; what a test
 * found, what a wildcard got), and where a call that is else the same was seen with many values. */
#ifndef ORRERY_TRACE_CALL_H
#define ORRERY_TRACE_CALL_H

#include "trace/column/column.h"
#include "trace/trace.h"

enum call_field {
	CALL_OP,
	CALL_FLAGS,
	CALL_PEER,
	CALL_TAG,
	CALL_PEER2,
	CALL_TAG2,
	CALL_ROOT,
	CALL_COUNT,
	CALL_COUNT2,
	CALL_TYPE,
	CALL_TYPE2,
	CALL_SIZE,
	CALL_SIZE2,
	CALL_COMM,
	CALL_PARENT,
	CALL_REQ,
	CALL_MESSAGE,
	CALL_OBJECT,
	CALL_REGION,
	CALL_LINE,
	CALL_TEXT,
	/* lists */
	CALL_COUNTS,
	CALL_COUNTS2,
	CALL_MEMBERS,
	CALL_REMOTE,
	CALL_REQS,
	CALL_DONE,
	CALL_FIELDS,
	/* the cost: the bits of a double, always open */
	CALL_VOLUME = CALL_FIELDS,
	CALL_DURATION,
	CALL_COLUMNS,
	CALL_RUNS = CALL_COLUMNS /* not of a call: how often a loop ran */
};
enum { CALL_NONE = 0xffffffffu };

struct call {
	int64_t field[CALL_FIELDS]; /* open ones: 0 */
	uint32_t open, zero;        /* bits of fields; nothing, so that calls compare as bytes */
};
static inline uint32_t call_columns(const struct call *c)
{
	return 2 + (uint32_t)__builtin_popcount(c->open);
}
/* The field of a column of a call: volume, duration, then the open fields in their order. */
enum call_field call_column_field(const struct call *c, uint32_t column);

/* Things that are kept once: byte strings by number, 0 being the empty one. */
struct interned {
	struct interned_item {
		uint64_t hash;
		uint32_t at, n; /* in bytes, of each */
	} * item;
	uint32_t n, cap;
	uint8_t *bytes;
	uint32_t used, bytes_cap;
	uint32_t *slot; /* open addressing: number + 1, 0 is free */
	uint32_t mask;
};
/* Its number, or CALL_NONE with *err set. */
uint32_t interned_put(struct interned *t, const void *bytes, size_t n, struct err *err);
/* Its number, or CALL_NONE: it is not there. */
uint32_t interned_find(const struct interned *t, const void *bytes, size_t n);
const void *interned_get(const struct interned *t, uint32_t i, uint32_t *n);
void interned_release(struct interned *t);
/* All but the first, which is nothing, as columns: lists of int64_t (column.h). */
void interned_lists_put(const struct interned *t, struct str *out);

/* The calls of a rank. */
struct calls {
	struct call *call;
	uint32_t n, cap;
	struct interned lists, texts;
	struct interned keys;   /* of calls, in their order from 1 on: 0 is nothing */
	struct interned shapes; /* calls without what may be opened */
	struct shape *shape;    /* of each */
	uint32_t shapes_cap;
};
void calls_release(struct calls *c);
/* The number of an event's call, or CALL_NONE with *err set; value gets what is open, in the order
 * of its columns. */
uint32_t calls_put(struct calls *c, const struct trace_event *ev, int64_t value[CALL_COLUMNS],
                   struct err *err);

/* Whether an event is a call again, found without a look into the tables: 1, and value as above; 0:
 * not known. */
int call_again(const struct calls *c, const struct call *call, const struct trace_event *ev,
               int64_t value[CALL_COLUMNS]);

/* Whether the lists of numbers of an event (not members) are those of a call. */
int call_lists_same(const struct calls *c, const struct call *call, const struct trace_event *ev);

/* Which call comes next, told by the three before it: one that was guessed takes no look into the
 * tables. Zero to begin with. */
enum { CALL_GUESSES = 1 << 10 };
struct call_guess {
	uint32_t before[3];
	uint32_t slot[CALL_GUESSES]; /* number + 1 */
};
/* As calls_put. */
uint32_t calls_put_guessed(struct calls *c, struct call_guess *g, const struct trace_event *ev,
                           int64_t value[CALL_COLUMNS], struct err *err);

/* The event of a call: fields as they are in call. list, text: what its numbers mean. */
struct call_lists { /* what a list is looked up in */
	const int64_t *(*get)(const void *self, int64_t number, int64_t *n);
	const int32_t *(*get_narrow)(const void *self, int64_t number, int64_t *n);
	const char *(*text)(const void *self, int64_t number);
	const void *self;
};
void call_field_set(struct trace_event *ev, enum call_field f, int64_t value,
                    const struct call_lists *lists);
/* The event of a call among those of a rank, with what of it is open. Its lists are those of c,
 * which are there until something is put; narrow ones (members) it has none. */
void calls_event(const struct calls *c, uint32_t call, const int64_t *value,
                 struct trace_event *ev);

#endif
