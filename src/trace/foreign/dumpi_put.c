/* dumpi_put.c: what a call of a DUMPI trace becomes (dumpi_put.h). */
#include "dumpi_put.h"

static int finalize_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	(void)c;
	d->ended |= op == TRACE_FINALIZE;
	foreign_event(&ev, (enum trace_op)op);
	return dumpi_event_put(d, &ev, err);
}

static int left_out(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	(void)op;
	return foreign_note(d->f, err, "calls of MPI_%s are left out", c->name);
}

/* clang-format off */
static const struct dumpi_row rows[] = {
    {"Init", finalize_put, TRACE_INIT}, {"Init_thread", finalize_put, TRACE_INIT},
    {"Finalize", finalize_put, TRACE_FINALIZE}, {"Win_test", left_out, 0},
    {"Comm_spawn", left_out, 0}, {"Comm_spawn_multiple", left_out, 0},
    {"Comm_accept", left_out, 0}, {"Comm_connect", left_out, 0}, {"Comm_join", left_out, 0},
    {NULL, NULL, 0},
};
/* clang-format on */

static const struct dumpi_row *row_find(const char *name)
{
	static const struct dumpi_row *const tables[] = {rows, dumpi_p2p_rows, dumpi_coll_rows,
	                                                 dumpi_object_rows};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct dumpi_row *r = tables[i]; r->name; r++)
			if (!strcmp(r->name, name))
				return r;
	return NULL;
}

/* A clock's seconds have 16 bits. Back by less than half of that is no turn of it: threads. */
static int64_t clock_since(int64_t before, int64_t now)
{
	static const int64_t turn = ((int64_t)1 << 16) * 1000000000;

	return now - before < -turn / 2 ? now - before + turn : now - before;
}

/* Records are written when a call is left: that of what a call-back calls, before its caller's. */
static void date_note(struct dumpi *d, const struct dumpi_call *c)
{
	if (c->wall[1] < 0 || d->file.threads)
		return;
	d->date += d->wall < 0 ? 0 : clock_since(d->wall, c->wall[1]);
	d->wall = c->wall[1];
	foreign_date(d->f, d->rank, (double)d->date);
}

/* The time since the last call was left, by the processor's clock where it was recorded. */
static int computation_put(struct dumpi *d, const struct dumpi_call *c, struct err *err)
{
	const int64_t *clock = c->cpu[0] >= 0 ? c->cpu : c->wall;
	int64_t before = d->left;
	int64_t counted = c->counted[0] - d->counted;
	double ns = (double)clock_since(before, clock[0]);

	d->left = clock[1];
	d->counted = c->counted[1];
	if (before < 0 || ns < 0)
		return 0;
	return c->has_counted ? foreign_counted(d->f, d->rank, ns, counted, err)
	                      : foreign_compute(d->f, d->rank, ns, -1, err);
}

int dumpi_call_put(struct dumpi *d, const struct dumpi_call *c, struct err *err)
{
	const struct dumpi_row *row;
	int about_types;

	date_note(d, c);
	if (!strncmp(c->name, "Function_", 9))
		return 0;
	if (computation_put(d, c, err) < 0)
		return -1;
	about_types = dumpi_type_call(d, c, err);
	if (about_types != 0)
		return about_types < 0 ? -1 : 0;
	row = row_find(c->name);
	return row ? row->put(d, c, row->op, err) : 0;
}
