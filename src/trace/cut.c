/* cut.c: the ranks whose record ends before the program did. */
#include "trace_int.h"

#include <stdlib.h>

void trace_cut(struct trace *t, uint32_t rank)
{
	t->partial++;
	if (!t->cut)
		t->cut = calloc(1, t->ranks / 8 + 1);
	if (t->cut) /* without memory for it they are counted all the same */
		t->cut[rank / 8] |= (uint8_t)(1 << rank % 8);
}

static int is_cut(const struct trace *t, uint32_t rank)
{
	return rank < t->ranks && t->cut[rank / 8] >> rank % 8 & 1;
}

void trace_partial_which(const struct trace *t, struct str *out)
{
	enum { RANGES_TOLD = 8 };
	uint32_t told = 0;

	if (!t->cut && t->partial)
		str_puts(out, " (there was no memory to keep which)");
	if (!t->cut)
		return;
	str_puts(out, t->partial == 1 ? " (rank " : " (ranks ");
	for (uint32_t rank = 0; rank < t->ranks && told <= RANGES_TOLD; rank++) {
		uint32_t first = rank;

		if (!is_cut(t, rank))
			continue;
		while (is_cut(t, rank + 1))
			rank++;
		if (told++ == RANGES_TOLD) {
			str_puts(out, ", …");
			continue;
		}
		str_printf(out, "%s%u", told > 1 ? ", " : "", first);
		if (rank > first)
			str_printf(out, "-%u", rank);
	}
	str_putc(out, ')');
}
