/* pack_own.c: a rank's own costs, of a bundle that was merged into another: the lists among them
 * have other numbers there. */
#include "bundle_int.h"
#include "pack.h"

#include <stdlib.h>
#include <string.h>

#define BIT(f) (UINT32_C(1) << (f))
static const uint32_t lists_bits = BIT(CALL_COUNTS) | BIT(CALL_COUNTS2) | BIT(CALL_MEMBERS) |
                                   BIT(CALL_REMOTE) | BIT(CALL_REQS) | BIT(CALL_DONE);

static const struct bundle_member *member_find(const struct bundle *b, uint32_t rank)
{
	uint32_t low = 0, high = b->members;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (b->member[mid].rank < rank)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->members && b->member[low].rank == rank ? &b->member[low] : NULL;
}

static uint32_t index_find(const struct bundle_class *c, uint32_t rank)
{
	uint32_t low = 0, high = c->rank.n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (column_item(&c->rank, mid) < rank)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int class_has_lists(const struct bundle_class *c)
{
	for (uint32_t i = 0; i < c->calls; i++)
		if (c->call[i].open & lists_bits)
			return 1;
	return 0;
}

struct moving {
	const struct bundle_class *c;
	const struct pack_map *map;
	const uint8_t *own, *end;
	uint32_t index, node, slot;
	uint64_t left; /* numbers that may still be written out */
	struct str *out;
	int bad;
};

/* The column of a slot in a member's own bytes, or NULL: it is shared. */
static const uint8_t *slot_column(struct moving *m)
{
	uint32_t at;

	memcpy(&at, m->own + (size_t)m->slot * sizeof at, sizeof at);
	if (at == 0)
		return NULL;
	if (at >= (size_t)(m->end - m->own)) {
		m->bad = 1;
		return NULL;
	}
	return m->own + at;
}

/* The number here of list x there. */
static int64_t list_here(struct moving *m, int64_t x)
{
	m->bad |= x < 0 || x > m->map->lists;
	return m->bad ? 0 : m->map->list[x];
}

static void lists_copy(struct moving *m, const uint8_t *p, uint64_t n)
{
	int64_t *v;

	if (column_is_constant(p)) {
		const struct column all = {.same = list_here(m, column_get(p, 0)), .n = 1};

		column_write(m->out, &all); /* whatever their number: it is not in the form */
		return;
	}
	m->bad |= n > m->left;
	v = m->bad ? NULL : malloc((size_t)n * sizeof *v);
	m->left -= m->bad ? 0 : n;
	for (uint64_t i = 0; v && i < n; i++)
		v[i] = list_here(m, column_get(p, i));
	if (v)
		column_put(m->out, v, n);
	else
		m->out->failed |= !m->bad;
	free(v);
}

static void slot_copy(struct moving *m, enum call_field f, uint64_t n)
{
	const uint8_t *p = slot_column(m), *end;
	uint32_t at = (uint32_t)m->out->n;

	if (!p || m->bad || m->out->failed)
		return;
	end = f == CALL_VOLUME || f == CALL_DURATION ? doubles_check(p, m->end, n)
	                                             : column_check(p, m->end, n);
	if (!end || n == 0) {
		m->bad = 1;
		return;
	}
	memcpy(m->out->s + (size_t)m->slot * sizeof at, &at, sizeof at);
	if (call_field_is_list(f))
		lists_copy(m, p, n);
	else
		str_putn(m->out, (const char *)p, (size_t)(end - p));
}

/* How often the nodes of a loop are gone through, which is reached n times. */
static uint64_t runs_in(struct moving *m, uint64_t n)
{
	const uint8_t *p = slot_column(m);

	if (n == 0 || m->bad)
		return 0;
	if (!p)
		return n * (uint64_t)column_item(&m->c->cost[m->slot], m->index);
	if (!column_check(p, m->end, n)) {
		m->bad = 1;
		return 0;
	}
	return (uint64_t)column_get(p, n - 1);
}

static void nodes_copy(struct moving *m, uint32_t nodes, uint64_t n)
{
	for (; nodes > 0 && !m->bad; nodes--) {
		uint32_t v = m->c->node[m->node++];

		if (v & 1) {
			uint64_t runs = runs_in(m, n);

			slot_copy(m, CALL_RUNS, n);
			m->slot++;
			nodes_copy(m, v / 2, runs);
			continue;
		}
		for (uint32_t k = 0; k < call_columns(&m->c->call[v / 2]); k++, m->slot++)
			slot_copy(m, call_column_field(&m->c->call[v / 2], k), n);
	}
}

int bundle_own_moved(const struct bundle *b, uint32_t rank, const struct pack_map *map,
                     const uint8_t *own, size_t n, struct str *out, struct err *err)
{
	const struct bundle_member *who = member_find(b, rank);
	const struct bundle_class *c = who ? &b->cls[who->cls] : NULL;
	struct moving m = {.c = c,
	                   .map = map,
	                   .own = own,
	                   .end = own + n,
	                   .left = pack_values_most(n),
	                   .out = out};

	str_clear(out);
	if (!c || n < 4 * (size_t)c->slots)
		return err_set(err, ERR_INPUT, "costs of rank %u came damaged", rank);
	if (!class_has_lists(c))
		return 0;
	m.index = index_find(c, rank);
	for (uint32_t i = 0; i < c->slots; i++)
		str_putn(out, "\0\0\0\0", 4);
	if (!out->failed)
		nodes_copy(&m, c->top, 1);
	if (out->failed)
		return err_nomem(err, "costs of a trace", n);
	return m.bad ? err_set(err, ERR_INPUT, "costs of rank %u came damaged", rank) : 0;
}
