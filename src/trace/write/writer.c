/* writer.c: writing a trace: opening, passing on, and committing: a trace that its writer was not
 * told to be whole is not there at all. */
#include "writer_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct writer_form *const forms[] = {
    [TRACE_WRITE_FOLDER] = &writer_folder,           [TRACE_WRITE_MERGED] = &writer_merged,
    [TRACE_WRITE_COMPRESSED] = &writer_compressed,   [TRACE_WRITE_SIMGRID] = &writer_simgrid,
    [TRACE_WRITE_DIMEMAS] = &writer_dimemas,         [TRACE_WRITE_GOAL] = &writer_goal,
    [TRACE_WRITE_GOAL_BINARY] = &writer_goal_binary, [TRACE_WRITE_OTF2] = &writer_otf2,
};

static void writer_free(struct trace_writer *w)
{
	if (w->impl)
		w->form->release(w);
	free(w->path);
	free(w->partial);
	free(w);
}

struct trace_writer *trace_writer_open(const char *path, enum trace_write_form form, uint32_t ranks,
                                       struct err *err)
{
	struct trace_writer *w;

	BUG_ON(ranks == 0);
	w = calloc(1, sizeof *w);
	if (w)
		w->path = strdup(path);
	if (!w || !w->path) {
		free(w);
		err_nomem(err, "a trace writer", sizeof *w);
		return NULL;
	}
	w->form = forms[form];
	w->ranks = ranks;
	w->precision = 100;
	if (w->form->open(w, err) == 0)
		return w;
	writer_free(w);
	return NULL;
}

void trace_writer_precision(struct trace_writer *w, int precision)
{
	w->precision = precision;
}

void trace_writer_about(struct trace_writer *w, const struct trace_manifest *m)
{
	w->manifest = m;
}

void trace_writer_again(struct trace_writer *w, const struct trace *source)
{
	w->source = source;
}

int trace_writer_partial(struct trace_writer *w, uint32_t rank, struct err *err)
{
	BUG_ON(rank >= w->ranks);
	if (!w->partial)
		w->partial = calloc(w->ranks, 1);
	if (!w->partial) {
		w->failed = 1;
		return err_nomem(err, "the ranks of a trace", w->ranks);
	}
	w->n_partial += !w->partial[rank];
	w->partial[rank] = 1;
	return 0;
}

/* A reader knows it when the first event was read. */
int writer_run_known(struct trace_writer *w)
{
	const char *run = w->manifest ? w->manifest->run : NULL;

	if (!w->run[0] && run && *run)
		snprintf(w->run, sizeof w->run, "%s", run);
	if (!w->run[0] && w->source)
		snprintf(w->run, sizeof w->run, "%s", w->source->run);
	return w->run[0] != '\0';
}

/* Fowler, Noll and Vo's hash of bytes (FNV-1a). */
uint64_t writer_text_mix(uint64_t mixed, const struct str *text)
{
	for (size_t i = 0; i < text->n; i++)
		mixed = (mixed ^ (unsigned char)text->s[i]) * 0x100000001b3u;
	return mixed;
}

void writer_run_make(struct trace_writer *w, uint64_t mixed)
{
	snprintf(w->run, sizeof w->run, "%016llx", (unsigned long long)mixed);
}

int writer_is_time(const struct trace_manifest *m)
{
	enum volume_unit unit = m ? trace_manifest_unit(m) : VOLUME_UNKNOWN;

	return unit == VOLUME_SECONDS || unit == VOLUME_ELAPSED;
}

struct trace_manifest writer_manifest(struct trace_writer *w)
{
	struct trace_manifest m = {.complete = 1};

	if (w->manifest)
		m = *w->manifest;
	m.ranks = w->ranks;
	m.complete = m.complete && w->n_partial == 0;
	if (writer_run_known(w))
		m.run = w->run;
	return m;
}

int trace_writer_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	BUG_ON(rank >= w->ranks);
	if (w->form->put(w, rank, ev, err) == 0)
		return 0;
	w->failed = 1;
	return -1;
}

int trace_writer_rank_done(struct trace_writer *w, uint32_t rank, struct err *err)
{
	if (!w->form->done || w->failed)
		return 0;
	if (w->form->done(w, rank, err) == 0)
		return 0;
	w->failed = 1;
	return -1;
}

int trace_writer_commit(struct trace_writer *w, const struct trace_manifest *m, struct str *notices,
                        struct err *err)
{
	int result;

	if (m)
		w->manifest = m;
	if (w->failed)
		result = err_set(err, ERR_LIMIT, "%s was not written: an event before could not be",
		                 w->path);
	else
		result = w->form->commit(w, notices, err);
	writer_free(w);
	return result;
}

void trace_writer_abandon(struct trace_writer *w)
{
	if (w)
		writer_free(w);
}
