/* file_name.h: the names of files, split into what is the same each time and numbers that are not
 * (a rank, a step; after Vijayakumar 2010, 3.2.3): so that a program that writes out.0017.00300 in
 * its rank 17 at step 300 does the same at each step and on each rank.
 *
 * The text of such a call begins with a byte 1 and has a byte 2 for each number, behind it '0' +
 * the digits that it has at least; the numbers are in the call's sizes, which an open has none of.
 * A name that begins with a byte 1 itself has another one before it. */
#ifndef ORRERY_TRACE_FILE_NAME_H
#define ORRERY_TRACE_FILE_NAME_H

#include "call.h"

enum { FILE_NUMBERS = 4, FILE_NAME_MOST = 256 };
enum { FILE_NAME_ROOM = FILE_NAME_MOST + 20 * FILE_NUMBERS };
extern const enum call_field file_name_fields[FILE_NUMBERS];

static inline int file_name_has(enum trace_op op)
{
	return op == TRACE_FILE_OPEN || op == TRACE_IO_OPEN || op == TRACE_IO_UNLINK;
}
/* The text of an event's name among `texts`; its numbers go to the fields of f, whose bits are
 * added to *open. CALL_NONE with *err set. */
uint32_t file_name_put(struct interned *texts, const struct trace_event *ev, int64_t *f,
                       uint32_t *open, struct err *err);
/* Whether a field of a call is a number of its file's name; for eyes: the name with the words
 * for its numbers in their places. */
int file_name_uses(const char *text, enum call_field f);
void file_name_show(const char *text, const char *const word[FILE_NUMBERS], struct str *out);
/* The event as it was, in place of one with a split name. */
void file_name_join(struct trace_event *ev, char room[FILE_NAME_ROOM]);

#endif
