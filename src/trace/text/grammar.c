/* grammar.c: from a dialect to a table in which names are looked up: open addressing over the first
 * eight letters, which tell nearly all actions apart, so that a look-up is one load, one
 * multiplication and one comparison. */
#include "trace/trace_int.h"

#include "base/nearest.h"

#include <assert.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 24 };

/* The first eight letters as a number; eight bytes can be read from name. */
static uint64_t name_head(const char *name, size_t n)
{
	uint64_t head;

	memcpy(&head, name, sizeof head);
	return n >= 8 ? head : head & (((uint64_t)1 << (8 * n)) - 1);
}

static_assert(GRAMMAR_SLOTS == 1 << 8, "name_slot gives eight bits");

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* A copy of the name as it is looked up; 0 when it is too long to be one. */
static int name_fold(const struct grammar *g, const char *name, size_t n, char *out)
{
	if (n == 0 || n >= NAME_MAX_LENGTH)
		return 0;
	memset(out, 0, NAME_MAX_LENGTH + 8);
	for (size_t i = 0; i < n; i++)
		out[i] = g->dialect->any_case ? small(name[i]) : name[i];
	return 1;
}

static const struct action *slot_find(const struct grammar *g, const char *name, size_t n)
{
	uint64_t head = name_head(name, n);
	uint32_t i = name_slot(head, n);
	const struct grammar_slot *s;

	for (s = &g->slots[i]; s->action; s = &g->slots[++i % GRAMMAR_SLOTS])
		if (s->head == head && s->length == n &&
		    (n <= 8 || strncmp(s->action->name + 8, name + 8, n - 8) == 0))
			return s->action;
	return NULL;
}

static void slots_add(struct grammar *g, const struct action *a, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		char name[NAME_MAX_LENGTH + 8];
		size_t length = strlen(a[k].name);
		uint32_t i;

		BUG_ON(!name_fold(g, a[k].name, length, name));
		BUG_ON(slot_find(g, name, length) != NULL);
		i = name_slot(name_head(name, length), length);
		while (g->slots[i % GRAMMAR_SLOTS].action)
			i++;
		g->slots[i % GRAMMAR_SLOTS] = (struct grammar_slot){
		    name_head(name, length),
		    &a[k],
		    (uint32_t)length,
		    (uint8_t)(action_is_quick(&a[k]) &&
		              !(a[k].op == TRACE_SENDRECV && g->dialect->first_partner)),
		    (uint8_t)action_is_message(&a[k]),
		    (uint8_t)action_kept(&a[k])};
	}
}

void grammar_init(struct grammar *g, const struct dialect *d)
{
	memset(g, 0, sizeof *g);
	g->dialect = d;
	g->default_type = TYPE_BYTE;
	g->peers = INT32_MAX;
	slots_add(g, d->actions, d->n);
	slots_add(g, d->aliases, d->n_aliases);
}

const struct action *grammar_find(const struct grammar *g, const char *name, size_t n,
                                  uint16_t *flags)
{
	char folded[NAME_MAX_LENGTH + 8];
	const struct action *a;

	*flags = 0;
	if (g->dialect->any_case) {
		if (!name_fold(g, name, n, folded))
			return NULL;
		name = folded;
	}
	a = slot_find(g, name, n);
	if (a || n < 2 || *name != 'i')
		return a;
	a = slot_find(g, name + 1, n - 1);
	if (!a || !trace_op_is_collective(a->op))
		return NULL;
	*flags = TRACE_NONBLOCKING;
	return a;
}

const char *grammar_nearest(const struct grammar *g, const char *name, size_t n, char *buf,
                            size_t size)
{
	struct nearest best;

	if (n >= size)
		return NULL;
	memcpy(buf, name, n);
	buf[n] = '\0';
	nearest_init(&best, buf);
	for (size_t i = 0; i < g->dialect->n; i++)
		nearest_offer(&best, g->dialect->actions[i].name);
	return best.best;
}
