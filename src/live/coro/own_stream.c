/* own_stream.c: the standard streams of a rank: those of the simulator, which a rank cannot close,
 * until it opens others in their places. */
#include "coro_int.h"

#include <unistd.h>

/* Which of the three it is, of all or of this rank; -1: none. */
static int which(const FILE *f)
{
	return f == stdin ? 0 : f == stdout ? 1 : f == stderr ? 2 : -1;
}

static int is_common(const FILE *f)
{
	const struct coros *c = coros_now;

	return f == c->stream[0] || f == c->stream[1] || f == c->stream[2];
}

static void put(int i, FILE *f)
{
	static const char *const name[] = {"stdin", "stdout", "stderr"};
	struct coros *c = coros_now;
	FILE **copy = image_symbol(&c->image, coro_slot(c, c->rank), name[i]);
	FILE **library[] = {&stdin, &stdout, &stderr};

	coro_now()->own->stream[i] = f;
	*library[i] = f;
	if (copy)
		*copy = f;
	c->has_streams = 1;
}

FILE *own_freopen(const char *path, const char *mode, FILE *f)
{
	struct coro *r = coro_now();
	int i = which(f);
	FILE *fresh;

	if (i < 0 || !is_common(f))
		return freopen(path, mode, f);
	if (!r->own)
		r->own = calloc(1, sizeof *r->own);
	fflush(f);
	fresh = path && r->own ? fopen(path, mode) : NULL;
	if (fresh)
		put(i, fresh);
	return fresh;
}

int own_fclose(FILE *f)
{
	struct own *o = coro_now()->own;
	int i = which(f);

	if (is_common(f))
		return fflush(f);
	if (o && i >= 0 && o->stream[i] == f) /* what is written later goes nowhere */
		o->stream[i] = NULL;
	return fclose(f);
}

int own_close(int fd)
{
	return fd >= 0 && fd <= 2 ? 0 : close(fd);
}

void own_streams_release(struct own *o)
{
	for (int i = 0; i < 3; i++)
		if (o->stream[i])
			fclose(o->stream[i]);
}
