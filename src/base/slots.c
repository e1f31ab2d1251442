/* slots.c: segments of records (slots.h). Segments are small, so that a few records take little;
 * the table of them grows by half, and whenever it does the computer is asked whether it has the
 * memory of what will be behind it (memory.h), as for an array that grows (vec.c). */
#include "slots.h"
#include "memory.h"

#include <stdlib.h>

enum { TABLE_FIRST = 4 };

void slots_init(struct slots *s, size_t size, size_t link, const char *what)
{
	BUG_ON(link % sizeof(uint32_t) != 0 || link + sizeof(uint32_t) > size ||
	       size > UINT32_MAX / SLOTS_EACH);
	*s = (struct slots){
	    .free = SLOTS_NONE, .size = (uint32_t)size, .link = (uint32_t)link, .what = what};
}

void slots_release(struct slots *s)
{
	for (uint32_t i = 0; i < s->segments; i++)
		free(s->segment[i]);
	free(s->segment);
	s->segment = NULL;
	s->n = s->segments = s->cap = 0;
	s->free = SLOTS_NONE;
}

static int table_widen(struct slots *s, struct err *err)
{
	const uint64_t bytes = (uint64_t)s->size * SLOTS_EACH;
	uint32_t more = s->cap < 2 * TABLE_FIRST ? TABLE_FIRST : s->cap / 2;
	void **moved;

	if (memory_check(more * bytes, s->what, NULL)) {
		more = s->cap / 16 > 0 ? s->cap / 16 : 1;
		if (memory_check(more * bytes, s->what, err))
			return -1;
	}
	moved = realloc(s->segment, ((size_t)s->cap + more) * sizeof *moved);
	if (!moved)
		return err_nomem(err, s->what, ((unsigned long long)s->cap + more) * sizeof *moved);
	s->segment = moved;
	s->cap += more;
	return 0;
}

static int segment_add(struct slots *s, struct err *err)
{
	const size_t bytes = (size_t)s->size * SLOTS_EACH;

	if (s->segments == UINT32_MAX >> SLOTS_SHIFT)
		return err_set(err, ERR_LIMIT, "too many %s: at most %u can be held", s->what,
		               s->n);
	if (s->segments == s->cap && table_widen(s, err) < 0)
		return -1;
	s->segment[s->segments] = malloc(bytes);
	if (!s->segment[s->segments])
		return err_nomem(err, s->what, bytes);
	s->segments++;
	return 0;
}

uint32_t slots_widen(struct slots *s, struct err *err)
{
	if (s->n == s->segments << SLOTS_SHIFT && segment_add(s, err) < 0)
		return SLOTS_NONE;
	return s->n++;
}
