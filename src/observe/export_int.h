/* export_int.h: what exporters share: a file being written, the records of a window, sorting by
 * date. */
#ifndef ORRERY_EXPORT_INT_H
#define ORRERY_EXPORT_INT_H

#include "observe.h"

/* --- a file being written (out.c) ---
 * Append to o->s with the functions of str.h, then call out_tick now and then (after each record):
 * it writes what has gathered. */
struct out {
	struct str s;
	struct output file;
	int failed;
	struct err err;
};
int out_open(struct out *o, const char *path, struct err *err); /* "-": standard output */
int out_tick(struct out *o); /* -1 after a failure, which out_close words */
/* ok: the export went well so far; when it did not (then *err says why already), or the file cannot
 * be written, what was there before stays. */
int out_close(struct out *o, int ok, struct err *err);

/* --- records of a window (export.c) --- */
struct cursor {
	struct recording *r;
	struct export_options o; /* completed: ranks and to are set */
	struct recording_totals totals;
	uint64_t done;
};
void cursor_init(struct cursor *c, struct recording *r,
                 const struct export_options *o); /* rewinds */
/* As recording_next, without the records outside of the window; communicators are not told. */
int cursor_next(struct cursor *c, struct record *out, struct err *err);
/* A line for the user, if the caller wants notices. */
void export_notice(const struct export_options *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* --- sorting by date, also what does not fit in memory (datesort.c) --- */
struct datesort;
/* item: bytes of an item; memory: bytes to sort in at a time, beyond which runs go to a temporary
 * file. */
struct datesort *datesort_new(size_t item, size_t memory, struct err *err);
void datesort_free(struct datesort *s);
int datesort_put(struct datesort *s, double date, const void *item, struct err *err);
/* After the last put; then the items in the order of (date, order of put). next: 1, 0 at the end,
 * -1. */
int datesort_finish(struct datesort *s, struct err *err);
int datesort_next(struct datesort *s, double *date, void *item, struct err *err);

#endif
