/* notes.h: what ranks note beside their events ("key value" lines), merged: hosts one behind the
 * other, numbers of calls and events added up, other lines once. */
#ifndef ORRERY_TRACE_NOTES_H
#define ORRERY_TRACE_NOTES_H

#include "base/err.h"
#include "base/str.h"

/* Adds the notes of the ranks behind those of `all`. */
int notes_merge(struct str *all, const char *more, struct err *err);

#endif
