/* memo.h: lines of a trace, formatted once. A program repeats itself: all but the volume and the
 * duration of an event was formatted a moment ago, most often. The text of recent events is kept
 * and copied; what is not found, and what has lists, goes to trace_event_format, which alone knows
 * what a line looks like. */
#ifndef ORRERY_TRACER_MEMO_H
#define ORRERY_TRACER_MEMO_H

#include "base/str.h"
#include "trace/trace.h"

enum { MEMO_SLOTS = 128, MEMO_TEXT = 88 };

struct memo_slot {
	struct trace_event ev; /* op TRACE_OPS: free */
	uint32_t head, n;      /* the text's length up to the volume of a computation, and in all */
	char text[MEMO_TEXT];  /* without duration and newline */
};

struct memo {
	struct memo_slot slots[MEMO_SLOTS];
	struct str scratch;
};

void memo_init(struct memo *m);
void memo_release(struct memo *m);
/* Appends the line of an event, as trace_event_format does; numbers may be written otherwise, with
 * the same value: durations in whole nanoseconds, volumes rounded to integers. s must have room for
 * a line (memo_format allocates nothing then). */
void memo_format(struct memo *m, struct str *s, uint32_t rank, const struct trace_event *ev);

#endif
