/* outs.c: one output file per rank, for many ranks: the first keep their descriptors, the others
 * open and close for each write. */
#include "writer_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_MOST = 64 << 10, TEXT_LEAST = 4 << 10, TEXTS_ALL = 64 << 20 };

static int out_open(struct out *out, const char *dir, const char *ending, uint32_t rank, int keep,
                    struct err *err)
{
	char *path;
	int result;

	if (asprintf(&path, "%s/rank-%u%s", dir, rank, ending) < 0)
		return err_nomem(err, "a file name", strlen(dir));
	result = sink_open(&out->sink, path, keep, err);
	free(path);
	return result;
}

int outs_open(struct outs *o, const char *dir, const char *ending, uint32_t n, struct err *err)
{
	size_t most = TEXTS_ALL / n;
	uint32_t kept = files_kept_open();

	*o = (struct outs){.most = most > TEXT_MOST    ? TEXT_MOST
	                           : most < TEXT_LEAST ? TEXT_LEAST
	                                               : most};
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return err_sys(err, errno, "cannot make the folder %s", dir);
	o->out = calloc(n, sizeof *o->out);
	if (!o->out)
		return err_nomem(err, "the files of a trace", n * sizeof *o->out);
	for (; o->n < n; o->n++)
		if (out_open(&o->out[o->n], dir, ending, o->n, o->n < kept, err) < 0)
			return -1;
	return 0;
}

static int out_flush(struct out *out, struct err *err)
{
	if (out->text.failed)
		return err_nomem(err, "text of a trace", out->text.n);
	if (out->text.n == 0)
		return 0;
	if (sink_write(&out->sink, out->text.s, out->text.n, err) < 0)
		return -1;
	str_clear(&out->text);
	return 0;
}

int outs_written(struct outs *o, uint32_t rank, struct err *err)
{
	struct out *out = &o->out[rank];

	return out->text.failed || out->text.n > o->most ? out_flush(out, err) : 0;
}

int outs_commit(struct outs *o, struct err *err)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (out_flush(&o->out[i], err) < 0)
			return -1;
	for (uint32_t i = 0; i < o->n; i++)
		if (sink_commit(&o->out[i].sink, err) < 0)
			return -1;
	return 0;
}

void outs_release(struct outs *o)
{
	for (uint32_t i = 0; i < o->n; i++) {
		sink_release(&o->out[i].sink);
		str_release(&o->out[i].text);
	}
	free(o->out);
	*o = (struct outs){0};
}
