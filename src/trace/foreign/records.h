/* records.h: the events that a foreign reader puts, kept until they are read.
 *
 * A trace of another tool is translated as a whole when it is opened, rank by rank or mixed, and
 * read afterwards by rank. What its events commonly are (messages, waits, computations without
 * anything unusual) becomes a record of a few bytes; every other one becomes its line of our text,
 * which is parsed, and checked, as any other text of ours. Both give the same event
 * (tests/property/trace/prop_records.c).
 *
 * Records stay in memory while a rank has no more than its share of RECORDS_ALL; beyond that they
 * go to an unnamed temporary file (TMPDIR), in pieces of whole records. */
#ifndef ORRERY_TRACE_FOREIGN_RECORDS_H
#define ORRERY_TRACE_FOREIGN_RECORDS_H

#include "../trace_int.h"

struct records;
/* path: of the trace, for messages; not copied. NULL with *err set. */
struct records *records_new(uint32_t ranks, const char *path, struct err *err);
void records_free(struct records *r);
int records_put(struct records *r, uint32_t rank, const struct trace_event *ev, struct err *err);
/* The same of the commonest events, of which nothing else is known: a non-blocking send or receive
 * (op; peer and tag may be TRACE_ANY if it receives), the wait for one. */
int records_put_message(struct records *r, uint32_t rank, enum trace_op op, int32_t peer,
                        int32_t tag, int64_t bytes, int64_t req, struct err *err);
int records_put_wait(struct records *r, uint32_t rank, uint32_t req, struct err *err);
/* How many were put. */
uint64_t records_count(const struct records *r);
/* The next event of a rank, in the order in which they were put: 1, 0 at the end, -1. The grammar
 * is that of our text. Nothing may be put any more. Arrays and text of the event are valid until
 * the rank's next one. */
int records_next(struct records *r, uint32_t rank, const struct grammar *grammar,
                 struct trace_event *ev, struct err *err);
/* Of `rank` the next event is wanted soon, of `then` after it: fetched into the cache. */
void records_soon(const struct records *r, uint32_t rank, uint32_t then);
/* Number of a rank's last event, from 1; 0: none was read. */
uint64_t records_place(const struct records *r, uint32_t rank);
/* The rank's events end before its program did. Whether they do is told once. */
void records_cut(struct records *r, uint32_t rank);
int records_cut_take(struct records *r, uint32_t rank);

#endif
