/* stack.c: with --checks: the stacks that calls of MPI were made from, each told to the simulator
 * once, by a number. */
#include "stack.h"

#include <stdlib.h>
#include <string.h>

#include "link.h"

struct stacks {
	struct frames now;
	uint32_t number;      /* of now; 0: not looked up yet */
	struct frames *known; /* by number - 1 */
	uint32_t n, cap;
	uint32_t *slot; /* a hash table of numbers, 0: free */
	uint32_t slots;
};

static int is_same(const struct frames *a, const struct frames *b)
{
	return a->n == b->n && memcmp(a->at, b->at, (size_t)a->n * sizeof *a->at) == 0;
}

static uint64_t mixed(const struct frames *f)
{
	uint64_t h = (uint64_t)f->n;

	for (int i = 0; i < f->n; i++)
		h = (h ^ f->at[i]) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Where it is, or would be. */
static uint32_t *slot_of(const struct stacks *s, const struct frames *f)
{
	uint32_t i = (uint32_t)mixed(f) & (s->slots - 1);

	while (s->slot[i] && !is_same(&s->known[s->slot[i] - 1], f))
		i = (i + 1) & (s->slots - 1);
	return &s->slot[i];
}

static int grow(struct stacks *s)
{
	uint32_t cap = s->cap ? 2 * s->cap : 64;
	struct frames *known = realloc(s->known, cap * sizeof *known);
	uint32_t *slot;

	if (!known)
		return -1;
	s->known = known;
	slot = calloc(2 * (size_t)cap, sizeof *slot);
	if (!slot)
		return -1;
	free(s->slot);
	s->slot = slot;
	s->slots = 2 * cap;
	s->cap = cap;
	for (uint32_t i = 0; i < s->n; i++)
		*slot_of(s, &s->known[i]) = i + 1;
	return 0;
}

static void tell(const struct frames *f, uint32_t number)
{
	size_t bytes = (size_t)f->n * sizeof *f->at;
	struct wire_op *op = link_room_beside(WIRE_STACK, bytes);

	op->a = number;
	op->n = (uint32_t)f->n;
	memcpy(op + 1, f->at, bytes);
	link_put(op);
}

uint32_t stack_number(void)
{
	struct stacks *s = link_state()->stacks;
	uint32_t *slot;

	if (s->number || s->now.n == 0)
		return s->number;
	if (s->n == s->cap && grow(s) < 0)
		return 0;
	slot = slot_of(s, &s->now);
	if (!*slot) {
		s->known[s->n++] = s->now;
		*slot = s->n;
		tell(&s->now, s->n);
	}
	s->number = *slot;
	return s->number;
}

void stack_is(const struct frames *f)
{
	struct link *l = link_state();

	if (!l->stacks)
		l->stacks = calloc(1, sizeof *l->stacks);
	if (!l->stacks)
		return;
	l->stacks->now = *f;
	l->stacks->number = 0;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	free(s->known);
	free(s->slot);
	free(s);
}
