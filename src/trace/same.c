/* same.c: whether a rank of one chapter makes the same calls as in another, told by their
 * structures: node by node, however often the loops run. What they cost is passed over. */
#include "compressed/chapter.h"
#include "compressed/file_name.h"
#include "trace_int.h"

struct sameness {
	const struct walk *w[2];
	struct str line[2];
	struct err *err;
};

/* The call of a node when it is reached for the i-th time, as a line. */
static void line_put(struct sameness *s, int which, uint32_t node, uint64_t i)
{
	const struct walk *w = s->w[which];
	char name[FILE_NAME_ROOM];
	struct trace_event ev;

	walk_event(w, &w->cls->node[node], i, &ev);
	file_name_join(&ev, name);
	ev.volume = 0;
	ev.duration = -1;
	str_clear(&s->line[which]);
	trace_event_format(&s->line[which], w->rank, &ev);
}

static int varies(const struct walk *w, uint32_t node)
{
	const struct chapter_node *d = &w->cls->node[node];

	for (uint32_t k = 2; k < w->cls->call[d->call].columns; k++)
		if (walk_own_at(w, d->slot + k))
			return 1;
	return 0;
}

static int calls_same(struct sameness *s, uint32_t node, uint64_t n)
{
	uint64_t most = varies(s->w[0], node) || varies(s->w[1], node) ? n : n > 0;

	for (uint64_t i = 0; i < most; i++) {
		line_put(s, 0, node, i);
		line_put(s, 1, node, i);
		if (s->line[0].failed || s->line[1].failed)
			return err_nomem(s->err, "lines of a trace", s->line[0].n);
		if (s->line[0].n != s->line[1].n ||
		    memcmp(s->line[0].s, s->line[1].s, s->line[0].n) != 0)
			return 0;
	}
	return 1;
}

/* How often a loop has run when it was reached for the i-th time, all times before included. */
static uint64_t runs_until(const struct walk *w, uint32_t node, uint64_t i)
{
	uint32_t slot = w->cls->node[node].slot;
	uint64_t runs = (uint64_t)walk_slot(w, slot, walk_own_at(w, slot) ? i : 0);

	return walk_own_at(w, slot) ? runs : runs * (i + 1);
}

/* Whether a loop that is reached n times runs as often each time; all its runs. */
static int runs_same(const struct sameness *s, uint32_t node, uint64_t n, uint64_t *runs)
{
	uint32_t own = 0;

	for (int k = 0; k < 2; k++)
		own |= walk_own_at(s->w[k], s->w[k]->cls->node[node].slot);
	*runs = n > 0 ? runs_until(s->w[0], node, n - 1) : 0;
	for (uint64_t i = own ? 0 : n - 1; i < n; i++)
		if (runs_until(s->w[0], node, i) != runs_until(s->w[1], node, i))
			return 0;
	return 1;
}

static int nodes_same(struct sameness *s, uint32_t at, uint32_t end, uint64_t n)
{
	int r = 1;

	while (r == 1 && n > 0 && at < end) {
		const struct chapter_node *a = &s->w[0]->cls->node[at],
		                          *b = &s->w[1]->cls->node[at];
		uint64_t runs;

		if (a->end != b->end || (a->call == NODE_NONE) != (b->call == NODE_NONE))
			return 0;
		if (a->call != NODE_NONE)
			r = calls_same(s, at, n);
		else if (!runs_same(s, at, n, &runs))
			return 0;
		else
			r = nodes_same(s, at + 1, a->end, runs);
		at = a->end;
	}
	return r;
}

int walk_same(const struct walk *a, const struct walk *b, struct err *err)
{
	struct sameness s = {.w = {a, b}, .err = err};
	int r = a->cls->nodes == b->cls->nodes ? nodes_same(&s, 0, a->cls->nodes, 1) : 0;

	str_release(&s.line[0]);
	str_release(&s.line[1]);
	return r;
}
