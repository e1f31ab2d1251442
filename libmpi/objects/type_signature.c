/* type_signature.c: sequences of basic types, and counts of elements in a number of bytes.
 *
 * The signature of a sequence b1 … bn is the polynomial b1 P^(n-1) + … + bn modulo 2^64: the one of
 * two sequences in a row, or of one repeated, follows from theirs, so that a tree of loops needs no
 * unfolding.
 */
#include "type.h"

struct sequence {
	uint64_t hash, power; /* power: P^n */
};
static const uint64_t prime = 0x9e3779b97f4a7c15u;

static struct sequence follow(struct sequence a, struct sequence b)
{
	return (struct sequence){a.hash * b.power + b.hash, a.power * b.power};
}

static struct sequence repeat(struct sequence s, int64_t count)
{
	struct sequence out = {0, 1};
	for (; count > 0; count >>= 1, s = follow(s, s))
		if (count & 1)
			out = follow(out, s);
	return out;
}

static struct sequence sequence_of(const struct orr_node *n)
{
	if (n->op == NODE_LEAF)
		return repeat((struct sequence){n->basic, prime}, n->count);
	if (n->op == NODE_LOOP)
		return repeat(sequence_of(n->child), n->count);
	struct sequence out = {0, 1};
	for (int64_t i = 0; i < n->count; i++)
		out = follow(out, sequence_of(n->entry[i].node));
	return out;
}

uint64_t orr_signature(struct orr_type *t, int64_t count)
{
	struct sequence s = repeat(sequence_of(t->map), count);
	return s.hash ^ s.power;
}

/* --- elements in bytes --- */

static int64_t elements_in(const struct orr_node *n, int64_t bytes, int *whole)
{
	if (bytes >= n->size)
		return n->elements;
	if (n->op == NODE_LEAF) {
		int64_t one = n->size / n->count;
		*whole = *whole && bytes % one == 0;
		return bytes / one;
	}
	if (n->op == NODE_LOOP) {
		int64_t k = bytes / n->child->size;
		return k * n->child->elements +
		       elements_in(n->child, bytes - k * n->child->size, whole);
	}
	int64_t i = 0;
	while (i + 1 < n->count && n->entry[i + 1].before <= bytes)
		i++;
	return n->entry[i].elements +
	       elements_in(n->entry[i].node, bytes - n->entry[i].before, whole);
}

int64_t orr_elements_of(struct orr_type *t, int64_t bytes, int *whole)
{
	*whole = 1;
	if (t->size == 0) {
		*whole = bytes == 0;
		return 0;
	}
	int64_t k = bytes / t->size;
	return k * t->map->elements + elements_in(t->map, bytes % t->size, whole);
}

static int64_t bytes_in(const struct orr_node *n, int64_t elements)
{
	if (elements >= n->elements)
		return n->size;
	if (n->op == NODE_LEAF)
		return elements * (n->size / n->count);
	if (n->op == NODE_LOOP) {
		int64_t k = elements / n->child->elements;
		return k * n->child->size + bytes_in(n->child, elements - k * n->child->elements);
	}
	int64_t i = 0;
	while (i + 1 < n->count && n->entry[i + 1].elements <= elements)
		i++;
	return n->entry[i].before + bytes_in(n->entry[i].node, elements - n->entry[i].elements);
}

int64_t orr_bytes_of(struct orr_type *t, int64_t elements)
{
	if (t->size == 0)
		return 0;
	int64_t k = elements / t->map->elements;
	return k * t->size + bytes_in(t->map, elements % t->map->elements);
}
