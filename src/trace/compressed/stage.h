/* stage.h: what is drawn of messages and loops, put on a stage where all parts fit together: of a
 * trace whose sends, receives and loops are drawn (Vijayakumar 2010, 5.1), each rank gets a
 * sequence of exact events that cannot deadlock, whatever the seed.
 *
 * All ranks are read through ahead (composed), with a date each: the sum of what its calls took;
 * who meets in a collective goes on with the latest date. So it is known who sends what to whom.
 * Then each rank says its part: its own sends, computations and collectives as they are, and for
 * each message that comes to it a receive, posted at the beginning of the stretch of time (window)
 * in which the message is sent. Its own receives become waits for the oldest such messages.
 *
 * It cannot deadlock: a wait for messages that ends at a date waits only for those sent before that
 * date; a collective, which ends at the latest date of its members, for what they do before that; a
 * blocking send at a date for a receiver that has begun that window, or stands in a collective that
 * ends in it or later, before which it has posted all up to that end. So everything waits for what
 * is earlier, and the earliest for nothing, even if all messages are sent by rendezvous. */
#ifndef ORRERY_TRACE_STAGE_H
#define ORRERY_TRACE_STAGE_H

#include "trace/trace.h"

struct stage;
/* raw: the next event as drawn, of a rank, for one of two readings that do not know of each other:
 * as trace_next. */
typedef int stage_raw(void *self, int reading, uint32_t rank, struct trace_event *ev,
                      struct err *err);
struct stage *stage_new(uint32_t ranks, stage_raw *raw, void *self, struct err *err);
void stage_free(struct stage *s);
/* Only this rank will be asked for: what comes to others is not kept. */
void stage_only(struct stage *s, uint32_t rank);
/* As trace_next. */
int stage_next(struct stage *s, uint32_t rank, struct trace_event *ev, struct err *err);

#endif
