/* outs.c: a folder with one file per rank, for many ranks: the first keep their descriptors, the
 * others open and close for each write. */
#include "writer_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MOST = 64 << 10, TEXT_LEAST = 4 << 10, TEXTS_ALL = 64 << 20 };

int outs_open(struct outs *o, const char *dir, const char *ending, uint32_t n, struct err *err)
{
	size_t most = TEXTS_ALL / n;

	*o = (struct outs){.kept = files_kept_open(),
	                   .ending = ending,
	                   .most = most > TEXT_MOST    ? TEXT_MOST
	                           : most < TEXT_LEAST ? TEXT_LEAST
	                                               : most};
	if (output_folder_open(&o->folder, dir, err) < 0)
		return -1;
	o->out = calloc(n, sizeof *o->out);
	if (!o->out)
		return err_nomem(err, "the files of a trace", n * sizeof *o->out);
	o->n = n;
	for (uint32_t i = 0; i < n; i++)
		o->out[i].fd = -1;
	return 0;
}

static void head_put(struct outs *o, struct out *out)
{
	struct str text = {0};

	str_putn(&text, o->head.s, o->head.n);
	str_putn(&text, out->text.s, out->text.n);
	text.failed |= o->head.failed;
	str_release(&out->text);
	out->text = text;
	out->begun = 1;
}

/* Also where there is nothing to write: a rank without events has an empty file. */
static int out_flush(struct outs *o, uint32_t rank, int keep, struct err *err)
{
	struct out *out = &o->out[rank];
	char name[64];

	if (!out->begun && !out->text.failed && (o->head.n || o->head.failed))
		head_put(o, out);
	if (out->text.failed)
		return err_nomem(err, "text of a trace", out->text.n);
	snprintf(name, sizeof name, "rank-%u%s", rank, o->ending);
	if (output_folder_append(&o->folder, name, &out->fd, keep, out->text.s, out->text.n, err) <
	    0)
		return -1;
	str_clear(&out->text);
	return 0;
}

int outs_written(struct outs *o, uint32_t rank, struct err *err)
{
	struct out *out = &o->out[rank];

	return out->text.failed || out->text.n > o->most ? out_flush(o, rank, rank < o->kept, err)
	                                                 : 0;
}

int outs_flush(struct outs *o, struct err *err)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (out_flush(o, i, 0, err) < 0)
			return -1;
	return 0;
}

int outs_commit(struct outs *o, struct err *err)
{
	return outs_flush(o, err) < 0 ? -1 : output_folder_commit(&o->folder, err);
}

void outs_release(struct outs *o)
{
	for (uint32_t i = 0; i < o->n; i++) {
		if (o->out[i].fd >= 0)
			close(o->out[i].fd);
		str_release(&o->out[i].text);
	}
	output_folder_release(&o->folder);
	str_release(&o->head);
	free(o->out);
	*o = (struct outs){.folder.lock = -1};
}
