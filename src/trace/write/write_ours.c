/* write_ours.c: our form, as a folder or as a merged file. */
#include "trace/text/counted.h"
#include "writer_int.h"

#include <stdlib.h>

static const char mark[] = "# orrery-trace 1";
static const uint64_t TEXT_NONE = 0xcbf29ce484222325u; /* mixed of no text */

/* --- folder --- */

static int folder_open(struct trace_writer *w, struct err *err)
{
	struct outs *o = calloc(1, sizeof *o);

	if (!o)
		return err_nomem(err, "a trace writer", sizeof *o);
	w->impl = o;
	return outs_open(o, w->path, ".tit", w->ranks, err);
}

/* Which run it is has to be known when the first text is written. */
static void folder_head(struct trace_writer *w)
{
	struct outs *o = w->impl;
	uint64_t mixed = TEXT_NONE;

	if (o->head.n)
		return;
	if (!writer_run_known(w)) {
		for (uint32_t i = 0; i < o->n; i++)
			mixed = writer_text_mix(mixed, &o->out[i].text);
		writer_run_make(w, mixed);
	}
	str_puts(&o->head, mark);
	str_putc(&o->head, '\n');
	counted_run_put(&o->head, w->run);
}

static int folder_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	struct outs *o = w->impl;

	trace_event_format(&o->out[rank].text, rank, ev);
	o->out[rank].events++;
	if (o->out[rank].text.n > o->most)
		folder_head(w);
	return outs_written(o, rank, err);
}

static int folder_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct outs *o = w->impl;
	struct trace_manifest m;

	(void)notices;
	folder_head(w);
	m = writer_manifest(w);
	for (uint32_t i = 0; i < o->n; i++)
		if (!w->partial || !w->partial[i])
			counted_end_put(&o->out[i].text, o->out[i].events);
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
	struct str text, head;
	uint64_t events;
};

static int merged_head(struct trace_writer *w, struct err *err)
{
	struct merged *m = w->impl;
	struct trace_manifest about;

	if (m->head.n)
		return 0;
	if (!writer_run_known(w))
		writer_run_make(w, writer_text_mix(TEXT_NONE, &m->text));
	str_printf(&m->head, "%s ranks=%u\n", mark, w->ranks);
	counted_run_put(&m->head, w->run);
	if (w->manifest) {
		about = writer_manifest(w);
		manifest_format_merged(&m->head, &about);
	}
	return m->head.failed ? err_nomem(err, "text of a trace", m->head.n)
	                      : output_write(&m->file, m->head.s, m->head.n, err);
}

static int merged_flush(struct trace_writer *w, struct err *err)
{
	struct merged *m = w->impl;

	if (m->text.failed)
		return err_nomem(err, "text of a trace", m->text.n);
	if (merged_head(w, err) < 0)
		return -1;
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
	return output_open(&m->file, w->path, err);
}

static int merged_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	struct merged *m = w->impl;

	trace_event_format(&m->text, rank, ev);
	m->events++;
	return m->text.failed || m->text.n > MERGED_TEXT ? merged_flush(w, err) : 0;
}

static int merged_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct merged *m = w->impl;

	(void)notices;
	if (merged_flush(w, err) < 0) /* its head is of what it begins with */
		return -1;
	for (uint32_t i = 0; w->partial && i < w->ranks; i++)
		if (w->partial[i])
			counted_partial_put(&m->text, i);
	counted_end_put(&m->text, m->events);
	return merged_flush(w, err) < 0 ? -1 : output_commit(&m->file, err);
}

static void merged_release(struct trace_writer *w)
{
	struct merged *m = w->impl;

	output_release(&m->file);
	str_release(&m->text);
	str_release(&m->head);
	free(m);
}

const struct writer_form writer_merged = {
    .open = merged_open, .put = merged_put, .commit = merged_commit, .release = merged_release};
