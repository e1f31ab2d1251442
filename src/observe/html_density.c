/* html_density.c: what the page shows of a run too large to be in it with every call: the share of
 * each class in each cell of a grid of time by ranks.
 *
 * A state covers its cells in two parts: first its waiting, then the rest (mp tells how long was
 * waited, not when; waiting comes before what was waited for begins to move). What is covered by
 * nothing is `other` before the end of the rank, and idle after. */
#include "html_int.h"

#include <math.h>
#include <stdlib.h>

struct density {
	const struct html_scope *scope;
	struct html_grid grid;
	float *seconds; /* [row][column][class] */
	double *last;   /* per rank */
	double width;   /* of a column, s */
};

struct html_grid html_grid_of(const struct html_scope *s)
{
	struct html_grid g = {.rows = s->ranks < HTML_ROWS ? s->ranks : HTML_ROWS};

	if (g.rows == 0)
		g.rows = 1;
	g.columns = HTML_CELLS / g.rows < HTML_COLUMNS ? HTML_CELLS / g.rows : HTML_COLUMNS;
	return g;
}

static float *cell(const struct density *d, uint32_t row, uint32_t column)
{
	return d->seconds + ((size_t)row * d->grid.columns + column) * TIME_CLASSES;
}

static uint32_t row_of(const struct density *d, uint32_t rank)
{
	return (uint32_t)((uint64_t)(rank - d->scope->first_rank) * d->grid.rows / d->scope->ranks);
}

static uint32_t column_of(const struct density *d, double date)
{
	double c = floor((date - d->scope->from) / d->width);

	return c < 0 ? 0 : c < d->grid.columns ? (uint32_t)c : d->grid.columns - 1;
}

static void cover(struct density *d, uint32_t rank, double from, double to, enum time_class class)
{
	uint32_t row = row_of(d, rank), c, last;
	double left, right;

	from = from > d->scope->from ? from : d->scope->from;
	to = to < d->scope->to ? to : d->scope->to;
	if (!(to > from))
		return;
	last = column_of(d, to);
	for (c = column_of(d, from); c <= last; c++) {
		left = d->scope->from + c * d->width;
		right = left + d->width;
		left = from > left ? from : left;
		right = to < right ? to : right;
		if (right > left)
			cell(d, row, c)[class] += (float)(right - left);
	}
}

static void cover_state(struct density *d, const struct rec_state *s)
{
	double *last = &d->last[s->rank - d->scope->first_rank];

	cover(d, s->rank, *last, s->enter, TIME_OTHER);
	cover(d, s->rank, s->enter, s->enter + s->wait, TIME_WAIT);
	cover(d, s->rank, s->enter + s->wait, s->leave, call_class(s->call));
	*last = s->leave;
}

/* Shares in 255ths, [row][class][column]: planes of one class pack best. */
static void put_row(const struct density *d, uint32_t row, struct str *s)
{
	uint32_t c;
	int k, j;

	for (k = 0; k < TIME_CLASSES; k++) {
		for (c = 0; c < d->grid.columns; c++) {
			const float *v = cell(d, row, c);
			float all = 0;
			for (j = 0; j < TIME_CLASSES; j++)
				all += v[j];
			str_putc(s, (char)(uint8_t)(all > 0 ? lrintf(255 * v[k] / all) : 0));
		}
	}
}

static int put_rows(struct out *o, const struct density *d, struct err *err)
{
	struct str s;
	uint32_t row;
	int got = 0;

	str_init(&s);
	for (row = 0; row < d->grid.rows && got == 0; row++) {
		put_row(d, row, &s);
		if (s.failed)
			got = err_nomem(err, "the page's data", s.cap);
		else if (s.n > HTML_CHUNK || row + 1 == d->grid.rows)
			got = html_put_data(o, "density", s.s, s.n, err);
		if (s.n > HTML_CHUNK)
			str_clear(&s);
	}
	str_release(&s);
	return got;
}

static int fill(struct density *d, struct cursor *c, struct err *err)
{
	struct record rec;
	uint32_t r;
	int got;

	while ((got = cursor_next(c, &rec, err)) > 0)
		if (rec.kind == REC_STATE)
			cover_state(d, &rec.u.state);
	for (r = 0; got == 0 && r < d->scope->ranks; r++)
		cover(d, d->scope->first_rank + r, d->last[r], d->scope->to, TIME_IDLE);
	return got;
}

int html_put_density(struct out *o, struct cursor *c, const struct html_scope *s, struct err *err)
{
	struct density d = {.scope = s, .grid = html_grid_of(s)};
	size_t cells = (size_t)d.grid.rows * d.grid.columns;
	int got = -1;

	d.width = (s->to - s->from) / d.grid.columns;
	d.seconds = calloc(cells, TIME_CLASSES * sizeof *d.seconds);
	d.last = calloc(s->ranks + 1u, sizeof *d.last);
	if (!d.seconds || !d.last)
		err_nomem(err, "the page's densities",
		          cells * TIME_CLASSES * sizeof *d.seconds + s->ranks * 8ull);
	else if (fill(&d, c, err) == 0)
		got = put_rows(o, &d, err);
	free(d.seconds);
	free(d.last);
	return got;
}
