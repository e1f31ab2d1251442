/* write_nest.c: the compressed form: one file. Each rank's events go into a nest; nests that are
 * large, and all of them at the end, go into a bundle; bundles that are large, and the last one,
 * are written: a structure, then the costs of its ranks. */
#include "trace/compressed/block_out.h"
#include "writer_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	NEST_BYTES = 64 << 20,
	NEST_NODES = 1 << 18,
	BUNDLE_BYTES = 256 << 20,
};

struct nest_writer {
	struct output file;
	struct nest **nest; /* of each rank; NULL: none */
	uint8_t *in;        /* the rank is in the bundle */
	struct bundle bundle;
	uint32_t chapters; /* written */
	struct block_out out;
};

static int rank_compare(const void *a, const void *b)
{
	const struct bundle_member *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int bytes_write(void *self, const void *bytes, size_t n, struct err *err)
{
	return output_write(self, bytes, n, err);
}

static int bundle_flush(struct trace_writer *t, struct err *err)
{
	struct nest_writer *w = t->impl;
	struct bundle *b = &w->bundle;

	if (b->members > 1)
		qsort(b->member, b->members, sizeof *b->member, rank_compare);
	if (block_out_bundle(&w->out, b, t->ranks, err) < 0)
		return -1;
	for (uint32_t i = 0; i < b->members; i++) {
		const struct bundle_member *m = &b->member[i];

		if (m->own && block_out_costs(&w->out, m->rank, m->own, m->bytes, err) < 0)
			return -1;
	}
	if (block_out_costs_end(&w->out, err) < 0)
		return -1;
	bundle_release(&w->bundle);
	memset(w->in, 0, t->ranks);
	w->chapters++;
	return 0;
}

/* A rank's nest into the bundle. */
static int compressed_flush(struct trace_writer *t, uint32_t rank, struct err *err)
{
	struct nest_writer *w = t->impl;
	struct nest *n = w->nest[rank];

	if (n->events == 0)
		return 0;
	if (nest_close(n, err) < 0)
		return -1;
	if ((w->in[rank] || w->bundle.bytes > BUNDLE_BYTES) && bundle_flush(t, err) < 0)
		return -1;
	if (bundle_add(&w->bundle, rank, n, err) < 0)
		return -1;
	w->in[rank] = 1;
	nest_clear(n);
	return 0;
}

static int compressed_open(struct trace_writer *t, struct err *err)
{
	struct nest_writer *w = calloc(1, sizeof *w);

	if (!w)
		return err_nomem(err, "a trace writer", sizeof *w);
	t->impl = w;
	bundle_init(&w->bundle, 100);
	if (output_open(&w->file, t->path, err) < 0)
		return -1;
	w->nest = calloc(t->ranks, sizeof *w->nest);
	w->in = calloc(t->ranks, 1);
	if (!w->nest || !w->in)
		return err_nomem(err, "the ranks of a trace", t->ranks * sizeof *w->nest);
	w->out.write = bytes_write;
	w->out.self = &w->file;
	return block_out_head(&w->out, t->ranks, err);
}

static struct nest *nest_of(struct nest_writer *w, uint32_t rank, struct err *err)
{
	if (!w->nest[rank]) {
		w->nest[rank] = malloc(sizeof **w->nest);
		if (w->nest[rank])
			nest_init(w->nest[rank]);
		else
			err_nomem(err, "a rank of a trace", sizeof **w->nest);
	}
	return w->nest[rank];
}

static int compressed_event(struct trace_writer *t, uint32_t rank, const struct trace_event *ev,
                            struct err *err)
{
	struct nest_writer *w = t->impl;
	struct nest *n = nest_of(w, rank, err);

	w->bundle.precision = t->precision;
	w->bundle.ranks = t->ranks;
	if (!n || nest_put(n, ev, err) < 0)
		return -1;
	return n->bytes > NEST_BYTES || n->n_node > NEST_NODES ? compressed_flush(t, rank, err) : 0;
}

static void nest_free(struct nest_writer *w, uint32_t rank)
{
	if (w->nest[rank])
		nest_release(w->nest[rank]);
	free(w->nest[rank]);
	w->nest[rank] = NULL;
}

static int compressed_done(struct trace_writer *t, uint32_t rank, struct err *err)
{
	struct nest_writer *w = t->impl;

	if (!nest_of(w, rank, err) || compressed_flush(t, rank, err) < 0)
		return -1;
	nest_free(w, rank);
	return 0;
}

static int manifest_put(struct trace_writer *t, struct err *err)
{
	struct nest_writer *w = t->impl;
	struct trace_manifest m;
	struct str text = {0};
	int r;

	if (!t->manifest && t->n_partial == 0)
		return 0;
	m = writer_manifest(t);
	manifest_format(&text, &m);
	r = text.failed ? err_nomem(err, "a manifest", text.n)
	                : block_out_put(&w->out, BLOCK_TEXT, text.s, text.n, err);
	str_release(&text);
	return r;
}

static int compressed_commit(struct trace_writer *t, struct str *notices, struct err *err)
{
	struct nest_writer *w = t->impl;

	(void)notices;
	for (uint32_t i = 0; i < t->ranks; i++)
		if (w->nest[i] && compressed_done(t, i, err) < 0)
			return -1;
	/* What is drawn of messages needs all ranks in one chapter. */
	if (w->chapters == 0 && bundle_settle(&w->bundle, err) < 0)
		return -1;
	if (bundle_flush(t, err) < 0 || manifest_put(t, err) < 0)
		return -1;
	if (block_out_put(&w->out, BLOCK_END, NULL, 0, err) < 0)
		return -1;
	return output_commit(&w->file, err);
}

static void nest_writer_release(struct trace_writer *t)
{
	struct nest_writer *w = t->impl;

	for (uint32_t i = 0; w->nest && i < t->ranks; i++)
		nest_free(w, i);
	free(w->nest);
	free(w->in);
	bundle_release(&w->bundle);
	block_out_release(&w->out);
	output_release(&w->file);
	free(w);
}

const struct writer_form writer_compressed = {.open = compressed_open,
                                              .put = compressed_event,
                                              .done = compressed_done,
                                              .commit = compressed_commit,
                                              .release = nest_writer_release};
