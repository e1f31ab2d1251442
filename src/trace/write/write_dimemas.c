/* write_dimemas.c: Dimemas .dim, text, as foreign/dimemas.c reads it: events as portable.h has
 * them. A send's completion is not recorded. Sizes of collectives are those of a rank's block. */
#include "portable.h"
#include "writer_int.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT = 256 << 10 };

static const enum trace_op collectives[] = {TRACE_BARRIER,
                                            TRACE_BCAST,
                                            TRACE_GATHER,
                                            TRACE_GATHERV,
                                            TRACE_SCATTER,
                                            TRACE_SCATTERV,
                                            TRACE_ALLGATHER,
                                            TRACE_ALLGATHERV,
                                            TRACE_ALLTOALL,
                                            TRACE_ALLTOALLV,
                                            TRACE_REDUCE,
                                            TRACE_ALLREDUCE,
                                            TRACE_REDUCE_SCATTER,
                                            TRACE_REDUCE_SCATTER_BLOCK,
                                            TRACE_SCAN};

struct dim_writer {
	struct output file;
	struct portable p;
	int body;        /* lines, in an unnamed file: the head counts communicators */
	struct str text; /* the last of them */
};

static int text_flush(struct dim_writer *d, size_t most, struct err *err)
{
	if (d->text.failed)
		return err_nomem(err, "text of a trace", d->text.n);
	if (d->text.n <= most)
		return 0;
	if (output_put(d->body, d->text.s, d->text.n) < 0)
		return err_sys(err, errno, "cannot write to a temporary file");
	str_clear(&d->text);
	return 0;
}

/* Its number, or -1. */
static int collective_number(enum trace_op op)
{
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
		if (collectives[i] == op)
			return (int)i;
	return -1;
}

static int dim_open(struct trace_writer *w, struct err *err)
{
	struct dim_writer *d = calloc(1, sizeof *d);

	if (!d)
		return err_nomem(err, "a trace writer", sizeof *d);
	w->impl = d;
	d->body = temporary_open(err);
	if (d->body < 0 || portable_init(&d->p, "Dimemas", w->ranks, err) < 0)
		return -1;
	return output_open(&d->file, w->path, err);
}

static void message_line(struct dim_writer *d, uint32_t rank, const struct portable_op *o)
{
	int sync = o->kind == PORTABLE_SEND ? o->synchronous + 2 * o->nonblocking : 0;

	if (o->kind == PORTABLE_SEND)
		str_printf(&d->text, "2:%u:0:%d:-1:%lld:%d:%u:%d\n", rank, o->peer,
		           (long long)o->bytes, o->tag, o->comm, sync);
	else
		str_printf(&d->text, "3:%u:0:%d:-1:%lld:%d:%u:%d\n", rank, o->peer,
		           (long long)o->bytes, o->tag, o->comm,
		           o->kind == PORTABLE_WAIT_RECV ? 2 : o->nonblocking);
}

static int op_put(void *self, uint32_t rank, const struct portable_op *o, struct err *err)
{
	struct dim_writer *d = self;

	switch (o->kind) {
	case PORTABLE_COMPUTE:
		str_printf(&d->text, "1:%u:0:%.9f\n", rank, o->seconds);
		break;
	case PORTABLE_COLLECTIVE:
		str_printf(&d->text, "10:%u:0:%d:%u:%d:0:%lld:%lld:1\n", rank,
		           collective_number(o->op), o->comm, o->is_root, (long long)o->sent,
		           (long long)o->received);
		break;
	case PORTABLE_WAIT_SEND:
		return 0;
	default:
		message_line(d, rank, o);
		break;
	}
	return text_flush(d, TEXT, err);
}

static int dim_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                   struct err *err)
{
	struct dim_writer *d = w->impl;

	if (trace_op_is_collective((enum trace_op)ev->op) &&
	    collective_number((enum trace_op)ev->op) < 0)
		return portable_cannot(&d->p, rank, ev, err);
	portable_about(&d->p, w->manifest);
	return portable_put(&d->p, rank, ev, op_put, d, err);
}

/* The head: how many ranks and communicators; the communicators; then all lines. */
static void head_format(const struct dim_writer *d, uint32_t ranks, struct str *out)
{
	str_printf(out, "#DIMEMAS:\"orrery\":1,0:%u(", ranks);
	for (uint32_t i = 0; i < ranks; i++)
		str_puts(out, i ? ",1" : "1");
	str_printf(out, "),%u,0,0\n", d->p.comms);
	for (uint32_t i = 0; i < d->p.comms; i++) {
		const struct portable_comm *c = &d->p.comm[i];

		str_printf(out, "d:1:%u:%u", i + 1, c->n);
		for (uint32_t k = 0; k < c->n; k++)
			str_printf(out, ":%d", c->member[k]);
		str_putc(out, '\n');
	}
}

static int body_copy(struct dim_writer *d, struct err *err)
{
	char *buffer = malloc(TEXT);
	off_t at = 0;
	ssize_t n = -1;

	if (!buffer)
		return err_nomem(err, "text of a trace", TEXT);
	while ((n = pread(d->body, buffer, TEXT, at)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		if (output_write(&d->file, buffer, (size_t)n, err) < 0)
			break;
		at += n;
	}
	free(buffer);
	if (n < 0)
		return err_sys(err, errno, "cannot read a temporary file");
	return n == 0 ? 0 : -1;
}

static int dim_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct dim_writer *d = w->impl;
	struct str head = {0};
	int r;

	portable_notices(&d->p, notices);
	head_format(d, w->ranks, &head);
	r = head.failed ? err_nomem(err, "text of a trace", head.n)
	                : output_write(&d->file, head.s, head.n, err);
	str_release(&head);
	if (r < 0 || text_flush(d, 0, err) < 0 || body_copy(d, err) < 0)
		return -1;
	return output_commit(&d->file, err);
}

static void dim_release(struct trace_writer *w)
{
	struct dim_writer *d = w->impl;

	if (d->body >= 0)
		close(d->body);
	portable_release(&d->p);
	str_release(&d->text);
	output_release(&d->file);
	free(d);
}

const struct writer_form writer_dimemas = {
    .open = dim_open, .put = dim_put, .commit = dim_commit, .release = dim_release};
