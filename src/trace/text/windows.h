/* windows.h: lines of a file that are read again, by many readers each at its own place. Windows on
 * the file are shared: ranks whose lines lie side by side, as in a trace in order of time, read
 * them with one read. */
#ifndef ORRERY_TRACE_WINDOWS_H
#define ORRERY_TRACE_WINDOWS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct window;
struct windows {
	int fd; /* the owner's */
	const char *path;
	struct window **at; /* sets of a few */
	uint32_t mask, turn;
	char *line; /* one that is longer than a window tells */
	size_t line_cap;
};
/* As many as that many readers need, at most 18 MiB; each is made when it is first used. */
int windows_init(struct windows *w, int fd, const char *path, uint32_t readers, struct err *err);
void windows_release(struct windows *w);
/* The line at `from`, before `to` (where whole lines end): good until the next call. It ends with
 * '\n', and eight more bytes can be read. NULL with *err set. */
const char *windows_line(struct windows *w, uint64_t from, uint64_t to, struct err *err);

#endif
