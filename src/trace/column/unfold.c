/* unfold.c: columns for those who read them at each event (column.h): the pieces of a column as
 * records, with a table that tells where to begin, and a period as an array. A look-up is one line
 * of memory then, where the written form takes a search in rising numbers and three reads.
 *
 * Memory is that of the structure, not of the ranks: what does not get shorter with them (noise,
 * longer tables) stays as it is written. */
#include "column_int.h"

#include "base/arena.h"

enum { PIECES_UNFOLD = 4096, PERIOD_UNFOLD = 4096 };

struct unfolding {
	struct unfolded u;
	struct arena *arena;
	size_t *most;
	struct err *err;
	int failed; /* there was no memory */
};

/* For n of a size; NULL if that much may not be taken, or there is no memory. */
static void *room_take(struct unfolding *f, size_t n, size_t size)
{
	void *p;

	if (n * size > *f->most)
		return NULL;
	p = arena_alloc(f->arena, n * size, f->err);
	f->failed = !p;
	if (p)
		*f->most -= n * size;
	return p;
}

/* Each of these: whether it is unfolded. */
static int period_unfold(struct unfolding *f, const uint8_t *p)
{
	uint64_t t;
	int64_t *value;

	p = varint_read(p, &t);
	value = t <= PERIOD_UNFOLD ? room_take(f, t, sizeof *value) : NULL;
	if (!value)
		return 0;
	for (uint64_t i = 0; i < t; i++)
		value[i] = column_get(p, i);
	f->u.period = (uint32_t)t;
	f->u.value = value;
	return 1;
}

/* About two entries for a piece: where the one for i begins. */
static int from_make(struct unfolding *f, uint64_t n, uint64_t r)
{
	struct unfolded *u = &f->u;
	uint16_t *from, k = 0;
	uint64_t entries;

	while ((n - 1) >> u->shift >= 2 * r)
		u->shift++;
	entries = ((n - 1) >> u->shift) + 1;
	from = room_take(f, entries, sizeof *from);
	if (!from)
		return 0;
	for (uint64_t b = 0; b < entries; b++) {
		while (u->piece[k].end <= b << u->shift)
			k++;
		from[b] = k;
	}
	u->from = from;
	return 1;
}

static int pieces_unfold(struct unfolding *f, const uint8_t *p, uint64_t n)
{
	struct unfolded_piece *piece;
	const uint8_t *first, *step;
	uint64_t r, begin = 0;

	p = varint_read(p, &r);
	piece = r <= PIECES_UNFOLD ? room_take(f, r, sizeof *piece) : NULL;
	if (!piece)
		return 0;
	first = column_skip(p, r);
	step = column_skip(first, r);
	for (uint64_t k = 0; k < r; k++) {
		int64_t by = column_get(step, k);

		piece[k].end = (uint64_t)column_get(p, k);
		piece[k].step = by;
		piece[k].first = minus(column_get(first, k), (int64_t)(begin * (uint64_t)by));
		begin = piece[k].end;
	}
	f->u.piece = piece;
	return from_make(f, n, r);
}

int column_unfold(const uint8_t *p, uint64_t n, struct arena *a, size_t *most,
                  const struct unfolded **out, struct err *err)
{
	struct unfolding f = {.arena = a, .most = most, .err = err};
	struct unfolded *u = NULL;
	int done;

	*out = NULL;
	if (n == 0 || (*p != FORM_PERIOD && *p != FORM_PIECES))
		return 0;
	done = *p == FORM_PERIOD ? period_unfold(&f, p + 1) : pieces_unfold(&f, p + 1, n);
	if (done)
		u = room_take(&f, 1, sizeof *u);
	if (u)
		*u = f.u;
	*out = u;
	return f.failed ? -1 : 0;
}
