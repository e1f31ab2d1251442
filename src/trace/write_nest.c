/* write_nest.c: the compressed form: one file. Each rank's events go into a nest; nests that are
 * large, and all of them at the end, go into a bundle; bundles that are large, and the last one,
 * are written: a structure, then the costs of its ranks. */
#include "block.h"
#include "bundle.h"
#include "writer_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	NEST_BYTES = 64 << 20,
	NEST_NODES = 1 << 18,
	BUNDLE_BYTES = 256 << 20,
	COST_BLOCK = 256 << 10
};

struct nest_writer {
	struct output file;
	struct nest **nest; /* of each rank; NULL: none */
	uint8_t *in;        /* the rank is in the bundle */
	struct bundle bundle;
	uint32_t chapters; /* written */
	struct str raw, packed, shared;
};

static int block_write(struct nest_writer *w, enum block_kind kind, uint32_t first, uint32_t last,
                       struct err *err)
{
	struct block b = {.kind = (uint8_t)kind, .first = first, .last = last, .raw = w->raw.n};
	enum block_packing packing;
	uint8_t head[BLOCK_BYTES];
	const char *stored = w->raw.s;

	if (w->raw.failed)
		return err_nomem(err, "a block of a trace", w->raw.n);
	str_clear(&w->packed);
	if (w->packed.cap < w->raw.n) {
		str_release(&w->packed);
		w->packed.s = malloc(w->raw.n);
		if (!w->packed.s)
			return err_nomem(err, "a block of a trace", w->raw.n);
		w->packed.cap = w->raw.n;
	}
	b.stored = block_pack(w->raw.s, w->raw.n, w->packed.s, &packing);
	b.packing = (uint8_t)packing;
	if (packing == BLOCK_PLAIN)
		b.stored = w->raw.n;
	else
		stored = w->packed.s;
	b.checksum = block_checksum(stored, b.stored);
	block_put(head, &b);
	if (output_write(&w->file, head, sizeof head, err) < 0)
		return -1;
	return b.stored ? output_write(&w->file, stored, b.stored, err) : 0;
}

static int rank_compare(const void *a, const void *b)
{
	const struct bundle_member *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void u32_write(struct str *s, uint32_t v)
{
	char p[4] = {(char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};

	str_putn(s, p, 4);
}

/* Costs: of each rank that has some, its number, their length, and they. */
static int costs_write(struct nest_writer *w, struct err *err)
{
	struct bundle *b = &w->bundle;
	uint32_t first = 0;

	qsort(b->member, b->members, sizeof *b->member, rank_compare);
	str_clear(&w->raw);
	for (uint32_t i = 0; i < b->members; i++) {
		const struct bundle_member *m = &b->member[i];

		if (!m->own)
			continue;
		if (w->raw.n == 0)
			first = m->rank;
		u32_write(&w->raw, m->rank);
		u32_write(&w->raw, m->bytes);
		str_putn(&w->raw, (const char *)m->own, m->bytes);
		if (w->raw.n < COST_BLOCK)
			continue;
		if (block_write(w, BLOCK_COSTS, first, m->rank, err) < 0)
			return -1;
		str_clear(&w->raw);
	}
	return w->raw.n ? block_write(w, BLOCK_COSTS, first, b->member[b->members - 1].rank, err)
	                : 0;
}

static int bundle_flush(struct trace_writer *t, struct err *err)
{
	struct nest_writer *w = t->impl;
	struct str swap;

	str_clear(&w->raw);
	str_clear(&w->shared);
	bundle_write(&w->bundle, t->ranks, &w->raw, &w->shared);
	if (block_write(w, BLOCK_STRUCTURE, 0, w->bundle.members, err) < 0)
		return -1;
	swap = w->raw;
	w->raw = w->shared;
	w->shared = swap;
	if (block_write(w, BLOCK_SHARED, 0, w->bundle.members, err) < 0 || costs_write(w, err) < 0)
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
	uint8_t head[HEAD_BYTES];

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
	head_put(head, t->ranks);
	return output_write(&w->file, head, sizeof head, err);
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

	if (!t->manifest)
		return 0;
	m = *t->manifest;
	m.ranks = t->ranks;
	str_clear(&w->raw);
	manifest_format(&w->raw, &m);
	return block_write(w, BLOCK_TEXT, 0, 0, err);
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
	str_clear(&w->raw);
	if (block_write(w, BLOCK_END, 0, 0, err) < 0)
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
	str_release(&w->raw);
	str_release(&w->packed);
	str_release(&w->shared);
	output_release(&w->file);
	free(w);
}

const struct writer_form writer_compressed = {.open = compressed_open,
                                              .put = compressed_event,
                                              .done = compressed_done,
                                              .commit = compressed_commit,
                                              .release = nest_writer_release};
