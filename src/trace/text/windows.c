/* windows.c: a set-associative cache of a file: windows of 4 KiB at multiples of that, and a tail,
 * so that a short line that begins in a window ends in it too. A line that does not is read by
 * itself.
 *
 * The number of windows follows the number of readers: of a file sorted by rank each reader has one
 * place, and two of them seldom meet in one set. Beyond 2,048 readers they share: what is read by
 * a million ranks one after the other lies side by side, or each line costs a read. */
#include "windows.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 4 << 10, TAIL = 256, SPARE = 16, WAYS = 4, SETS_MOST = 1024 };

struct window {
	uint64_t from;
	uint32_t n;
	char text[WINDOW + TAIL + SPARE];
};

int windows_init(struct windows *w, int fd, const char *path, uint32_t readers, struct err *err)
{
	uint32_t sets = 1;

	while (sets < SETS_MOST && sets * (WAYS / 2) < readers)
		sets *= 2;
	*w = (struct windows){.fd = fd, .path = path, .mask = sets - 1};
	w->at = calloc((size_t)sets * WAYS, sizeof *w->at);
	return w->at ? 0 : err_nomem(err, "windows on a trace file", sets * WAYS * sizeof *w->at);
}

void windows_release(struct windows *w)
{
	for (size_t i = 0; w->at && i < ((size_t)w->mask + 1) * WAYS; i++)
		free(w->at[i]);
	free(w->at);
	free(w->line);
	*w = (struct windows){.fd = -1};
}

/* The n bytes from there, or as many as the file has: how many, or -1. */
static ssize_t text_read(const struct windows *w, char *text, size_t n, uint64_t from,
                         struct err *err)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = pread(w->fd, text + have, n - have, (off_t)(from + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "cannot read %s", w->path);
		if (got == 0)
			break;
		have += (size_t)got;
	}
	if (have == 0)
		return err_set(err, ERR_LIMIT, "%s became shorter while it was read", w->path);
	return (ssize_t)have;
}

/* One of a set that is not used yet, or in turn. NULL when memory is exhausted. */
static struct window *window_of_set(struct windows *w, struct window **set, struct err *err)
{
	uint32_t i = 0;

	while (i < WAYS && set[i])
		i++;
	if (i == WAYS)
		return set[w->turn++ % WAYS];
	set[i] = malloc(sizeof *set[i]);
	if (!set[i])
		err_nomem(err, "windows on a trace file", sizeof *set[i]);
	return set[i];
}

static struct window *window_get(struct windows *w, uint64_t at, struct err *err)
{
	uint64_t from = at / WINDOW * WINDOW;
	struct window **set = w->at + ((uint32_t)hash_mix(from) & w->mask) * WAYS, *window;
	ssize_t n;

	for (uint32_t i = 0; i < WAYS && set[i]; i++)
		if (set[i]->from == from && set[i]->n > at - from)
			return set[i];
	window = window_of_set(w, set, err);
	if (!window)
		return NULL;
	window->from = from;
	window->n = 0;
	n = text_read(w, window->text, WINDOW + TAIL, from, err);
	if (n < 0)
		return NULL;
	window->n = (uint32_t)n;
	return window;
}

/* The end of the line, put there if it is the last of the file and has none; NULL: it is beyond. */
static char *line_find_end(char *line, size_t have, uint64_t length)
{
	char *end = memchr(line, '\n', have);

	if (!end && length <= have) {
		end = line + length;
		*end = '\n';
	}
	return end;
}

static const char *long_line(struct windows *w, uint64_t from, uint64_t to, struct err *err)
{
	for (size_t want = 2 * WINDOW;; want *= 2) {
		ssize_t n;

		if (want > w->line_cap) {
			char *line = realloc(w->line, want + SPARE);

			if (!line) {
				err_nomem(err, "a line of a trace file", want);
				return NULL;
			}
			w->line = line;
			w->line_cap = want;
		}
		n = text_read(w, w->line, want, from, err);
		if (n < 0)
			return NULL;
		if (line_find_end(w->line, (size_t)n, to - from))
			return w->line;
		if ((size_t)n < want && (uint64_t)n < to - from) {
			err_set(err, ERR_LIMIT, "%s became shorter while it was read", w->path);
			return NULL;
		}
	}
}

const char *windows_line(struct windows *w, uint64_t from, uint64_t to, struct err *err)
{
	struct window *window = window_get(w, from, err);
	char *line;

	if (!window)
		return NULL;
	if (window->n <= from - window->from) {
		err_set(err, ERR_LIMIT, "%s became shorter while it was read", w->path);
		return NULL;
	}
	line = window->text + (from - window->from);
	return line_find_end(line, window->n - (size_t)(from - window->from), to - from)
	           ? line
	           : long_line(w, from, to, err);
}
