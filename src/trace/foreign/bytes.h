/* bytes.h: a binary file in memory, read with its bounds checked. */
#ifndef ORRERY_TRACE_FOREIGN_BYTES_H
#define ORRERY_TRACE_FOREIGN_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	const unsigned char *at, *end;
	uint8_t big;  /* big-endian */
	uint8_t over; /* more was asked for than there is: what was given then is 0 */
};

static inline uint64_t bytes_take(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->at) < n) {
		b->over = 1;
		b->at = b->end;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)b->at[b->big ? n - 1 - i : i] << 8 * i;
	b->at += n;
	return v;
}

static inline void bytes_skip(struct bytes *b, uint64_t n)
{
	if ((uint64_t)(b->end - b->at) < n) {
		b->over = 1;
		b->at = b->end;
	} else
		b->at += n;
}

#endif
