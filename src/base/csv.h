/* csv.h: a line of comma-separated values (RFC 4180, without line ends inside quotes; blanks around
 * fields and quotes are no part of them). */
#ifndef ORRERY_BASE_CSV_H
#define ORRERY_BASE_CSV_H

#include "err.h"
#include "str.h"

enum { CSV_FIELDS = 64 };
/* Cuts a line into its fields, in place, zero-terminated; an empty line has one, empty. Their
 * number; -1 with *err: a quote is not closed, something stands behind one, or they are more than
 * CSV_FIELDS: without a place, which the caller knows. "" inside quotes is one quote. */
int csv_split(char *line, char *field[CSV_FIELDS], struct err *err);

/* The lines of a text, each after "# ". NULL: none. */
void csv_comments_put(const char *text, struct str *out);

#endif
