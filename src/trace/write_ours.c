/* write_ours.c: our form, as a folder or as a merged file. */
#include "writer_int.h"

#include <stdlib.h>

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

static int folder_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct outs *o = w->impl;
	struct trace_manifest m = {.complete = 1};

	(void)notices;
	if (w->manifest)
		m = *w->manifest;
	m.ranks = w->ranks;
	return outs_flush(o, err) < 0 || trace_manifest_write(o->folder.part, &m, err) < 0
	           ? -1
	           : outs_commit(o, err);
}

static void folder_release(struct trace_writer *w)
{
	outs_release(w->impl);
	free(w->impl);
}

const struct writer_form writer_folder = {
    .open = folder_open, .put = folder_put, .commit = folder_commit, .release = folder_release};

/* --- merged file --- */
enum { MERGED_TEXT = 256 << 10 };
struct merged {
	struct output file;
	struct str text;
};

static int merged_flush(struct merged *m, struct err *err)
{
	if (m->text.failed)
		return err_nomem(err, "text of a trace", m->text.n);
	if (output_write(&m->file, m->text.s, m->text.n, err) < 0)
		return -1;
	str_clear(&m->text);
	return 0;
}

static int merged_open(struct trace_writer *w, struct err *err)
{
	struct merged *m = calloc(1, sizeof *m);

	if (!m)
		return err_nomem(err, "a trace writer", sizeof *m);
	w->impl = m;
	if (output_open(&m->file, w->path, err) < 0)
		return -1;
	str_printf(&m->text, "%s ranks=%u\n", mark, w->ranks);
	return 0;
}

static int merged_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	struct merged *m = w->impl;

	trace_event_format(&m->text, rank, ev);
	return m->text.failed || m->text.n > MERGED_TEXT ? merged_flush(m, err) : 0;
}

static int merged_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct merged *m = w->impl;

	(void)notices;
	return merged_flush(m, err) < 0 ? -1 : output_commit(&m->file, err);
}

static void merged_release(struct trace_writer *w)
{
	struct merged *m = w->impl;

	output_release(&m->file);
	str_release(&m->text);
	free(m);
}

const struct writer_form writer_merged = {
    .open = merged_open, .put = merged_put, .commit = merged_commit, .release = merged_release};
