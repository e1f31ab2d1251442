/* write_ours.c: our form, as a folder or as a merged file. */
#include "writer_int.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mark[] = "# orrery-trace 1";

/* --- folder --- */

static int folder_open(struct trace_writer *w, struct err *err)
{
	struct outs *o = calloc(1, sizeof *o);

	if (!o)
		return err_nomem(err, "a trace writer", sizeof *o);
	w->impl = o;
	if (outs_open(o, w->path, ".tit", w->ranks, err) < 0)
		return -1;
	for (uint32_t i = 0; i < o->n; i++) {
		str_puts(&o->out[i].text, mark);
		str_putc(&o->out[i].text, '\n');
	}
	return 0;
}

static int folder_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	struct outs *o = w->impl;

	trace_event_format(&o->out[rank].text, rank, ev);
	return outs_written(o, rank, err);
}

/* Files of ranks that the trace which was here before had and this one has not. */
static void stale_remove(const char *path, uint32_t ranks)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		unsigned rank;
		char end[8];

		if (sscanf(entry->d_name, "rank-%9u.%7s", &rank, end) == 2 &&
		    strcmp(end, "tit") == 0 && rank >= ranks)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

static int folder_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct trace_manifest m = {.ranks = w->ranks, .complete = 1};

	(void)notices;
	if (outs_commit(w->impl, err) < 0)
		return -1;
	stale_remove(w->path, w->ranks);
	return trace_manifest_write(w->path, &m, err);
}

static void folder_release(struct trace_writer *w)
{
	outs_release(w->impl);
	free(w->impl);
}

const struct writer_form writer_folder = {folder_open, folder_put, folder_commit, folder_release};

/* --- merged file --- */
enum { MERGED_TEXT = 256 << 10 };

static int merged_flush(struct out *out, struct err *err)
{
	if (out->text.failed)
		return err_nomem(err, "text of a trace", out->text.n);
	if (sink_write(&out->sink, out->text.s, out->text.n, err) < 0)
		return -1;
	str_clear(&out->text);
	return 0;
}

static int merged_open(struct trace_writer *w, struct err *err)
{
	struct out *out = calloc(1, sizeof *out);

	if (!out)
		return err_nomem(err, "a trace writer", sizeof *out);
	if (sink_open(&out->sink, w->path, 1, err) < 0) {
		free(out);
		return -1;
	}
	w->impl = out;
	str_printf(&out->text, "%s ranks=%u\n", mark, w->ranks);
	return 0;
}

static int merged_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	struct out *out = w->impl;

	trace_event_format(&out->text, rank, ev);
	return out->text.failed || out->text.n > MERGED_TEXT ? merged_flush(out, err) : 0;
}

static int merged_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct out *out = w->impl;

	(void)notices;
	return merged_flush(out, err) < 0 ? -1 : sink_commit(&out->sink, err);
}

static void merged_release(struct trace_writer *w)
{
	struct out *out = w->impl;

	sink_release(&out->sink);
	str_release(&out->text);
	free(out);
}

const struct writer_form writer_merged = {merged_open, merged_put, merged_commit, merged_release};
