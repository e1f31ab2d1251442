/* pack.c: see pack.h. Numbers are varints, sequences columns (column.h).
 *
 *   events
 *   texts, then each: bytes, bytes      lists, then each: items, column
 *   classes, then each: members, column of their ranks, top, nodes, the nodes, slots, calls,
 *       then of each call: open, which fields have a column, the columns;
 *       a column of each slot, a column that says who has costs of her own
 *   members, then each: rank, class, bytes, bytes */
#include "pack.h"
#include "bundle_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BIT(f) (UINT32_C(1) << (f))

void pack_map_release(struct pack_map *m)
{
	free(m->list);
	*m = (struct pack_map){0};
}

/* --- to bytes --- */

static void interned_pack(const struct interned *t, struct str *out)
{
	varint_put(out, t->n ? t->n - 1 : 0);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t n;
		const char *bytes = interned_get(t, i, &n);

		varint_put(out, n);
		str_putn(out, bytes, n);
	}
}

static void call_pack(const struct bundle_class *c, uint32_t call, struct str *out)
{
	const struct column *param = &c->param[class_param_at(call, 0)];
	uint32_t given = 0;

	for (uint32_t f = 0; f < CALL_FIELDS; f++)
		given |= param[f].v || param[f].same != 0 ? BIT(f) : 0;
	varint_put(out, c->call[call].open);
	varint_put(out, given);
	for (; given; given &= given - 1)
		column_write(out, &param[__builtin_ctz(given)]);
}

static void class_pack(const struct bundle_class *c, struct str *out)
{
	varint_put(out, c->rank.n);
	column_write(out, &c->rank);
	varint_put(out, c->top);
	varint_put(out, c->nodes);
	for (uint32_t i = 0; i < c->nodes; i++)
		varint_put(out, c->node[i]);
	varint_put(out, c->slots);
	varint_put(out, c->calls);
	for (uint32_t i = 0; i < c->calls; i++)
		call_pack(c, i, out);
	for (uint32_t i = 0; i < c->slots; i++)
		column_write(out, &c->cost[i]);
	column_write(out, &c->own);
}

void bundle_pack(const struct bundle *b, int own, struct str *out)
{
	varint_put(out, b->events);
	interned_pack(&b->texts, out);
	interned_lists_put(&b->lists, out);
	varint_put(out, b->classes);
	for (uint32_t i = 0; i < b->classes; i++)
		class_pack(&b->cls[i], out);
	varint_put(out, b->members);
	for (uint32_t i = 0; i < b->members; i++) {
		const struct bundle_member *m = &b->member[i];

		varint_put(out, m->rank);
		varint_put(out, m->cls);
		varint_put(out, own ? m->bytes : 0);
		if (own && m->bytes)
			str_putn(out, (const char *)m->own, m->bytes);
	}
}

/* --- from bytes --- */

struct unpack {
	const uint8_t *p, *end; /* p: NULL after an error */
	uint64_t bytes;         /* all of them */
	uint64_t values;        /* numbers that they have been written out to so far */
	struct bundle *b;
	struct pack_map map;
	uint32_t *text, texts;
	uint32_t *cls, classes; /* by number there: the number here */
	struct err *err;
};

static int bad(struct unpack *u)
{
	return err_set(u->err, ERR_INPUT, "what a rank did came damaged (%td bytes are left)",
	               u->p ? u->end - u->p : 0);
}

/* A number of at most `most`; 0 after an error, with u->p NULL. */
static uint64_t number(struct unpack *u, uint64_t most)
{
	uint64_t v = 0;

	if (u->p)
		u->p = varint_get(u->p, u->end, &v);
	if (u->p && v > most)
		u->p = NULL;
	return u->p ? v : 0;
}

static uint32_t number32(struct unpack *u)
{
	return (uint32_t)number(u, UINT32_MAX - 1);
}

/* So many things, each of at least a byte. */
static uint32_t how_many(struct unpack *u)
{
	return (uint32_t)number(u, u->p ? (uint64_t)(u->end - u->p) : 0);
}

static int values_allow(struct unpack *u, uint64_t n)
{
	uint64_t most = pack_values_most(u->bytes);

	if (n <= most - u->values) {
		u->values += n;
		return 0;
	}
	return err_set(u->err, ERR_LIMIT,
	               "what a rank did, in %" PRIu64 " bytes, stands for more than %" PRIu64
	               " numbers: damaged, or made to fill the memory",
	               u->bytes, most);
}

/* A column of n values to the end of c. */
static int column_take(struct unpack *u, uint32_t n, struct column *c)
{
	const uint8_t *p = u->p;

	u->p = p ? column_check(p, u->end, n) : NULL;
	if (!u->p)
		return bad(u);
	if (n == 0)
		return 0;
	if (column_is_constant(p))
		return column_repeat(c, column_get(p, 0), n, u->err);
	if (values_allow(u, n) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (column_push(c, column_get(p, i), u->err) < 0)
			return -1;
	return 0;
}

static uint32_t *numbers_make(uint32_t n, struct err *err)
{
	uint32_t *p = calloc((size_t)n + 1, sizeof *p);

	if (!p)
		err_nomem(err, "numbers of a trace", n * sizeof *p);
	return p;
}

static int texts_merge(struct unpack *u)
{
	u->texts = how_many(u);
	u->text = u->p ? numbers_make(u->texts, u->err) : NULL;
	if (!u->text)
		return u->p ? -1 : bad(u);
	for (uint32_t i = 1; i <= u->texts; i++) {
		uint32_t n = how_many(u);

		if (!u->p || (uint64_t)(u->end - u->p) < n || n == 0 || u->p[n - 1] != 0)
			return bad(u);
		u->text[i] = interned_put(&u->b->texts, u->p, n, u->err);
		if (u->text[i] == CALL_NONE)
			return -1;
		u->p += n;
	}
	return 0;
}

static int lists_merge(struct unpack *u)
{
	enum { LIST_MOST = 1 << 26 }; /* as many as there may be ranks */
	struct column c = {0};
	int r = 0;

	u->map.lists = how_many(u);
	u->map.list = u->p ? numbers_make(u->map.lists, u->err) : NULL;
	if (!u->map.list)
		return u->p ? -1 : bad(u);
	for (uint32_t i = 1; i <= u->map.lists && r == 0; i++) {
		uint32_t n = (uint32_t)number(u, LIST_MOST);

		column_release(&c);
		r = column_take(u, n, &c);
		if (r == 0 && !c.v) /* written out */
			r = n == 0                   ? bad(u)
			    : values_allow(u, n) < 0 ? -1
			                             : column_widen(&c, c.same, u->err);
		if (r < 0)
			break;
		u->map.list[i] = interned_put(&u->b->lists, c.v, (size_t)n * sizeof *c.v, u->err);
		r = u->map.list[i] == CALL_NONE ? -1 : 0;
	}
	column_release(&c);
	return r;
}

/* Numbers of texts or lists become those here. */
static int column_renumber(struct unpack *u, struct column *c, const uint32_t *to, uint32_t n)
{
	if (!c->v) {
		if (c->same < 0 || c->same > n)
			return bad(u);
		c->same = to[c->same];
	}
	for (uint32_t i = 0; c->v && i < c->n; i++) {
		if (c->v[i] < 0 || c->v[i] > n)
			return bad(u);
		c->v[i] = to[c->v[i]];
	}
	return 0;
}

static int is_of_ops(const struct column *c)
{
	if (!c->v)
		return c->same >= 0 && c->same < TRACE_OPS;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->v[i] < 0 || c->v[i] >= TRACE_OPS)
			return 0;
	return 1;
}

/* What it holds otherwise is looked at when the chapter that is made of it is read. */
static int field_renumber(struct unpack *u, enum call_field f, struct column *c)
{
	if (f == CALL_OP && !is_of_ops(c))
		return bad(u);
	if (f == CALL_TEXT)
		return column_renumber(u, c, u->text, u->texts);
	if (call_field_is_list(f))
		return column_renumber(u, c, u->map.list, u->map.lists);
	return 0;
}

static int call_read(struct unpack *u, struct bundle_class *c, uint32_t call)
{
	struct column *param = &c->param[class_param_at(call, 0)];
	uint32_t members = c->rank.n, given;

	c->call[call].open = (uint32_t)number(u, BIT(CALL_FIELDS) - 1);
	given = (uint32_t)number(u, BIT(CALL_FIELDS) - 1);
	if (!u->p)
		return bad(u);
	for (uint32_t f = 0; f < CALL_FIELDS; f++) {
		if (given >> f & 1 ? column_take(u, members, &param[f]) < 0
		                   : column_repeat(&param[f], 0, members, u->err) < 0)
			return -1;
		if (field_renumber(u, (enum call_field)f, &param[f]) < 0)
			return -1;
		c->call[call].field[f] = column_item(&param[f], 0);
	}
	return 0;
}

/* The nodes from *at on, so many of them and what is in them, in preorder; their slots are counted.
 */
static int nodes_check(const struct bundle_class *c, uint32_t *at, uint32_t nodes, int depth,
                       uint64_t *slots)
{
	for (; nodes > 0; nodes--) {
		uint32_t v = *at < c->nodes ? c->node[*at] : 0;

		if (++*at > c->nodes || depth > NEST_DEPTH || (!(v & 1) && v / 2 >= c->calls))
			return 0;
		*slots += v & 1 ? 1 : call_columns(&c->call[v / 2]);
		if (v & 1 && !nodes_check(c, at, v / 2, depth + 1, slots))
			return 0;
	}
	return 1;
}

/* Slots that are numbers of lists. */
static int costs_renumber(struct unpack *u, struct bundle_class *c)
{
	uint32_t slot = 0;

	for (uint32_t i = 0; i < c->nodes; i++) {
		const struct call *call = &c->call[c->node[i] / 2];

		if (c->node[i] & 1) {
			slot++;
			continue;
		}
		for (uint32_t k = 0; k < call_columns(call); k++, slot++)
			if (call_field_is_list(call_column_field(call, k)) &&
			    field_renumber(u, call_column_field(call, k), &c->cost[slot]) < 0)
				return -1;
	}
	return 0;
}

static int class_make(struct unpack *u, struct bundle_class *c)
{
	c->node = malloc(((size_t)c->nodes + 1) * sizeof *c->node);
	c->call = calloc((size_t)c->calls + 1, sizeof *c->call);
	c->param = calloc(class_param_at(c->calls, 0) + 1, sizeof *c->param);
	c->cost = calloc((size_t)c->slots + 1, sizeof *c->cost);
	c->histogram = calloc((size_t)c->slots + 1, sizeof *c->histogram);
	c->maybe = calloc((size_t)c->slots + 1, sizeof *c->maybe);
	c->turns = calloc((size_t)c->slots + 1, sizeof *c->turns);
	return c->node && c->call && c->param && c->cost && c->histogram && c->maybe && c->turns
	           ? 0
	           : err_nomem(u->err, "the structure of a trace", c->nodes * sizeof *c->node);
}

/* A class as it is there, with numbers as they are here. */
static int class_read(struct unpack *u, struct bundle_class *c)
{
	const uint8_t *nodes;
	uint64_t slots = 0;
	uint32_t at = 0, members = how_many(u); /* each has its own line below */

	if (!u->p || members == 0)
		return bad(u);
	if (column_take(u, members, &c->rank) < 0)
		return -1;
	c->top = number32(u);
	c->nodes = how_many(u);
	nodes = u->p;
	for (uint32_t i = 0; i < c->nodes; i++)
		number32(u);
	c->slots = how_many(u);
	c->calls = how_many(u);
	if (!u->p || class_make(u, c) < 0)
		return u->p ? -1 : bad(u);
	for (uint32_t i = 0; i < c->calls; i++)
		if (call_read(u, c, i) < 0)
			return -1;
	for (uint32_t i = 0; i < c->nodes; i++) {
		uint64_t v = 0;

		nodes = varint_get(nodes, u->end, &v);
		c->node[i] = (uint32_t)v;
	}
	if (!nodes_check(c, &at, c->top, 0, &slots) || at != c->nodes || slots != c->slots)
		return bad(u);
	for (uint32_t i = 0; i < c->slots; i++)
		if (column_take(u, members, &c->cost[i]) < 0)
			return -1;
	return column_take(u, members, &c->own) < 0 ? -1 : costs_renumber(u, c);
}

static int columns_join(struct column *a, const struct column *b, uint64_t n, struct err *err)
{
	for (uint64_t i = 0; i < n; i++)
		if (column_join(&a[i], &b[i], err) < 0)
			return -1;
	return 0;
}

/* The class `there` becomes one here, or members of one that is here. */
static int class_join(struct unpack *u, struct bundle_class *there, uint32_t *number_here)
{
	struct bundle_class *c;
	struct str key = {0};
	int made;

	varint_put(&key, there->top);
	for (uint32_t i = 0; i < there->nodes; i++)
		varint_put(&key, there->node[i]);
	for (uint32_t i = 0; i < there->calls; i++)
		call_key_put(&key, &there->call[i], there->call[i].field[CALL_TEXT]);
	c = key.failed ? NULL : bundle_class_get(u->b, &key, &made, u->err);
	if (key.failed)
		err_nomem(u->err, "the structure of a trace", key.n);
	str_release(&key);
	if (!c)
		return -1;
	*number_here = (uint32_t)(c - u->b->cls);
	if (made) {
		*c = *there;
		*there = (struct bundle_class){0};
		return 0;
	}
	if (c->calls != there->calls || c->slots != there->slots)
		return bad(u);
	if (columns_join(c->param, there->param, class_param_at(c->calls, 0), u->err) < 0 ||
	    columns_join(c->cost, there->cost, c->slots, u->err) < 0 ||
	    column_join(&c->own, &there->own, u->err) < 0)
		return -1;
	return column_join(&c->rank, &there->rank, u->err);
}

static int classes_merge(struct unpack *u)
{
	u->classes = how_many(u);
	u->cls = u->p ? numbers_make(u->classes, u->err) : NULL;
	if (!u->cls)
		return u->p ? -1 : bad(u);
	for (uint32_t i = 0; i < u->classes; i++) {
		struct bundle_class there = {0};
		int r = class_read(u, &there);

		if (r == 0)
			r = class_join(u, &there, &u->cls[i]);
		class_release(&there);
		if (r < 0)
			return -1;
	}
	return 0;
}

static int member_merge(struct unpack *u)
{
	struct bundle *b = u->b;
	struct bundle_member *m = vec_grow(b->member, &b->cap_members, sizeof *m,
	                                   (size_t)b->members + 1, "ranks of a trace", u->err);
	uint32_t rank = number32(u), cls = number32(u), n = how_many(u);
	struct str moved = {0};
	int r = 0;

	if (!m)
		return -1;
	b->member = m;
	if (!u->p || cls >= u->classes || (uint64_t)(u->end - u->p) < n)
		return bad(u);
	m = &m[b->members++];
	*m = (struct bundle_member){.rank = rank, .cls = u->cls[cls]};
	if (n > 0)
		r = bundle_own_moved(b, rank, &u->map, u->p, n, &moved, u->err);
	if (n > 0 && r == 0) {
		const char *from = moved.n ? moved.s : (const char *)u->p;

		m->bytes = moved.n ? (uint32_t)moved.n : n;
		m->own = malloc(m->bytes);
		if (m->own)
			memcpy(m->own, from, m->bytes);
		else
			r = err_nomem(u->err, "costs of a trace", m->bytes);
		b->bytes += m->bytes;
	}
	str_release(&moved);
	u->p += n;
	return r;
}

static int all_merge(struct unpack *u)
{
	uint64_t events = number(u, UINT64_MAX);
	uint32_t members;

	if (texts_merge(u) < 0 || lists_merge(u) < 0 || classes_merge(u) < 0)
		return -1;
	members = how_many(u);
	for (uint32_t i = 0; i < members; i++)
		if (member_merge(u) < 0)
			return -1;
	if (!u->p || u->p != u->end)
		return bad(u);
	u->b->events += events;
	return 0;
}

int bundle_merge(struct bundle *b, const uint8_t *bytes, size_t n, struct pack_map *map,
                 struct err *err)
{
	struct unpack u = {.p = bytes, .end = bytes + n, .bytes = n, .b = b, .err = err};
	int r = all_merge(&u);

	free(u.text);
	free(u.cls);
	if (map && r == 0)
		*map = u.map;
	else
		pack_map_release(&u.map);
	return r;
}
