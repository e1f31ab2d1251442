/* counted.h: what the notes of a text file say of it: which run it is of, and how many events it
 * has. Whatever of ours writes text writes them: "# run 8f7d4abdf34820ec" before the first event,
 * "# end 122" after the last one. A file that says "run" and not "end" was cut, and one with
 * another number of events was damaged. Files that follow one another in one (`cat rank-*.tit`) add
 * up. */
#ifndef ORRERY_TRACE_COUNTED_H
#define ORRERY_TRACE_COUNTED_H

#include "trace/trace_int.h"

struct counted {
	uint64_t events, said; /* read so far; that the notes read so far say */
	uint32_t runs, ends;   /* notes "# run", "# end" */
};
/* A line that begins with '#', at l: -1 if it is of another run than the trace. */
int counted_note(struct counted *c, struct trace *t, const struct lines *l, const char *line,
                 struct err *err);
enum counted_state { COUNTED_WHOLE, COUNTED_CUT, COUNTED_DAMAGED };
/* Of a file that was read to its end. */
enum counted_state counted_end(const struct counted *c, const struct lines *l);
/* What is wrong with it. remedy: what to do. Returns -1. */
int counted_error(const struct counted *c, const char *path, enum counted_state state,
                  const char *remedy, struct err *err);

/* Is the line the note that says the run? */
int counted_is_run(const char *line);
/* The two notes. */
void counted_run_put(struct str *s, const char *run);
void counted_end_put(struct str *s, uint64_t events);
/* Of a file of many ranks: the record of this one ends before the program did. */
void counted_partial_put(struct str *s, uint32_t rank);
int counted_is_partial(const char *line, uint64_t *rank);

#endif
