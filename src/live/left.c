/* left.c: objects of MPI that the program never freed, as each rank tells at its end (--checks): by
 * kind and by the call that made them, all ranks together. */
#include "live_int.h"

#include <stdlib.h>

struct live_left {
	uint32_t kind, place;
	uint64_t n;
	uint32_t ranks, first, last; /* how many, the first of them; the one counted last */
};

static struct live_left *left_at(struct live *l, uint32_t kind, uint32_t place, struct err *err)
{
	struct live_left *p = l->left;

	for (uint32_t i = 0; i < l->n_left; i++)
		if (p[i].kind == kind && p[i].place == place)
			return &p[i];
	p = vec_grow(p, &l->cap_left, sizeof *p, (size_t)l->n_left + 1, "what was never freed",
	             err);
	if (!p)
		return NULL;
	l->left = p;
	p[l->n_left] = (struct live_left){.kind = kind, .place = place, .first = UINT32_MAX};
	return &p[l->n_left++];
}

static int left_add(struct live *l, uint32_t rank, const struct wire_left *w, struct err *err)
{
	int64_t place = site_place(l, rank, w->site, err);
	struct live_left *p;

	if (w->kind == 0 || w->kind >= WIRE_LEFT_KINDS)
		return live_broken(l, rank, err, "objects that were not freed");
	p = place < 0 ? NULL : left_at(l, w->kind, (uint32_t)place, err);
	if (!p)
		return -1;
	p->n += w->n;
	if (p->ranks == 0 || p->last != rank)
		p->ranks++;
	p->last = rank;
	if (rank < p->first)
		p->first = rank;
	return 0;
}

int left_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_left *w = live_list(l, op, 0, op->n, sizeof *w);

	if (!w)
		return live_broken(l, rank, err, "objects that were not freed");
	for (uint32_t i = 0; i < op->n; i++)
		if (left_add(l, rank, &w[i], err) < 0)
			return MP_ERROR;
	return MP_DONE;
}

void live_left_text(const struct live *l, struct str *out)
{
	static const char *const names[WIRE_LEFT_KINDS][2] = {
	    [WIRE_LEFT_COMM] = {"communicator", "communicators"},
	    [WIRE_LEFT_TYPE] = {"datatype", "datatypes"},
	    [WIRE_LEFT_OP] = {"operator", "operators"},
	    [WIRE_LEFT_GROUP] = {"group", "groups"},
	    [WIRE_LEFT_INFO] = {"info", "infos"},
	    [WIRE_LEFT_ERRHANDLER] = {"error handler", "error handlers"},
	    [WIRE_LEFT_REQUEST] = {"request", "requests"},
	    [WIRE_LEFT_WIN] = {"window", "windows"},
	    [WIRE_LEFT_FILE] = {"file", "files"},
	    [WIRE_LEFT_MESSAGE] = {"message", "messages"},
	    [WIRE_LEFT_SESSION] = {"session", "sessions"},
	};

	for (uint32_t i = 0; i < l->n_left; i++) {
		const struct live_left *p = &l->left[i];

		str_printf(out, "never freed: %llu %s, made at %s, by %s%u%s\n",
		           (unsigned long long)p->n, names[p->kind][p->n != 1], l->place[p->place],
		           p->ranks == 1 ? "rank " : "", p->ranks == 1 ? p->first : p->ranks,
		           p->ranks == 1 ? "" : " ranks");
	}
}
