/* stack.c: with --checks: the stacks that calls of MPI were made from, each told to the simulator
 * once, by a number. */
#include "stack.h"

#include <stdlib.h>
#include <string.h>

#include "link.h"

struct call {
	struct frames from;
	uint32_t number; /* of it; 0: not looked up yet */
};
struct stacks {
	struct call now;      /* of a rank that is a coroutine */
	struct frames *known; /* by number - 1 */
	uint32_t n, cap;
	uint32_t *slot; /* a hash table of numbers, 0: free */
	uint32_t slots;
};

/* Of a rank that is a process: several of its threads may be about to call. */
static __thread struct call own;

static struct call *now(struct stacks *s)
{
	return link_state()->hold ? &s->now : &own;
}

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
	struct call *c = s ? now(s) : NULL;
	uint32_t *slot;

	if (!c)
		return 0;
	if (c->number || c->from.n == 0)
		return c->number;
	if (s->n == s->cap && grow(s) < 0)
		return 0;
	slot = slot_of(s, &c->from);
	if (!*slot) {
		s->known[s->n++] = c->from;
		*slot = s->n;
		tell(&c->from, s->n);
	}
	c->number = *slot;
	return c->number;
}

static struct stacks *stacks_of(struct link *l)
{
	struct stacks *s = __atomic_load_n(&l->stacks, __ATOMIC_ACQUIRE), *made, *none = NULL;

	if (s)
		return s;
	made = calloc(1, sizeof *made);
	if (__atomic_compare_exchange_n(&l->stacks, &none, made, 0, __ATOMIC_ACQ_REL,
	                                __ATOMIC_ACQUIRE))
		return made;
	free(made);
	return none;
}

void stack_is(const struct frames *f)
{
	struct stacks *s = stacks_of(link_state());

	if (s)
		*now(s) = (struct call){.from = *f};
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	free(s->known);
	free(s->slot);
	free(s);
}
