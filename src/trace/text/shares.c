/* shares.c: the members of communicators that many ranks make at once: the same list in each rank's
 * line. It is kept once, as long as one of the ranks is at that event. */
#include "base/hash.h"
#include "trace/trace_int.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 256 };

struct shared_ranks {
	uint32_t uses;
	size_t length;
	char *text; /* as it stands in the line */
	int64_t n;
	int32_t rank[];
};

struct shares {
	struct shared_ranks *slot[SLOTS]; /* by a hash of the text: the last one */
};

static uint32_t slot_of(const char *text, size_t length)
{
	return (uint32_t)(hash_text(text, length) % SLOTS);
}

struct shares *shares_new(struct err *err)
{
	struct shares *s = calloc(1, sizeof *s);

	if (!s)
		err_nomem(err, "lists of ranks", sizeof *s);
	return s;
}

void shares_leave(struct shared_ranks *s)
{
	if (!s || --s->uses > 0)
		return;
	free(s->text);
	free(s);
}

void shares_release(struct shares *s)
{
	for (int i = 0; s && i < SLOTS; i++)
		shares_leave(s->slot[i]);
	free(s);
}

const int32_t *shares_at(const struct shared_ranks *s, int64_t *n)
{
	*n = s->n;
	return s->rank;
}

struct shared_ranks *shares_find(const struct shares *s, const char *text, size_t length)
{
	struct shared_ranks *found = s->slot[slot_of(text, length)];

	if (!found || found->length != length || memcmp(found->text, text, length) != 0)
		return NULL;
	found->uses++;
	return found;
}

struct shared_ranks *shares_add(struct shares *s, const char *text, size_t length,
                                const int32_t *ranks, int64_t n, struct err *err)
{
	size_t bytes = (size_t)n * sizeof *ranks;
	struct shared_ranks *new = malloc(sizeof *new + bytes),
	                    **slot = &s->slot[slot_of(text, length)];
	char *copy = malloc(length);

	if (!new || !copy) {
		free(new);
		free(copy);
		err_nomem(err, "a list of ranks", sizeof *new + bytes + length);
		return NULL;
	}
	*new = (struct shared_ranks){.uses = 2, .length = length, .text = copy, .n = n};
	memcpy(copy, text, length);
	memcpy(new->rank, ranks, bytes);
	shares_leave(*slot);
	*slot = new;
	return new;
}
