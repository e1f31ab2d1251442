/* fuzz_chapter.c: any bytes as the structure of a compressed trace, the costs that its ranks share,
 * and those of rank 0: read or refused, walked, and nothing outside of them is touched. The first
 * bytes: how many ranks, and how long the first two parts are (16 bits each). */
#include "fuzz/fuzz.h"
#include "trace/compressed/chapter.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 3000 };

static int64_t list_sum(const int64_t *v, int64_t n)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum ^= v[i];
	return sum;
}

static void walk_all(const struct chapter *c, uint32_t rank, const uint8_t *own)
{
	struct walk_frame frame[NEST_DEPTH + 2], other[NEST_DEPTH + 2];
	struct trace_event ev, again;
	struct walk w, copy;
	volatile int64_t seen = 0;

	walk_begin_at(&w, c, rank, own, frame);
	for (int i = 0; i < EVENTS_MOST && walk_next(&w, &ev); i++) {
		if (ev.op >= TRACE_OPS || ev.peer >= (int32_t)c->ranks)
			abort();
		seen ^= list_sum(ev.counts, ev.n_counts) ^ list_sum(ev.counts2, ev.n_counts2) ^
		        list_sum(ev.reqs, ev.n_reqs) ^ list_sum(ev.done, ev.n_done);
		for (int64_t k = 0; k < ev.n_members; k++)
			seen ^= ev.members[k];
		if (ev.text)
			seen ^= (int64_t)strlen(ev.text);
		/* A copy goes on as the cursor does. */
		copy = w;
		memcpy(other, frame, sizeof other);
		copy.frame = other;
		if (walk_next(&copy, &again) && walk_next(&w, &ev) && ev.op != again.op)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct chapter *c;
	struct err err;
	size_t structure, shared;
	uint8_t *part[3];

	if (size < 5)
		return 0;
	structure = data[1] | (size_t)data[2] << 8;
	shared = data[3] | (size_t)data[4] << 8;
	size -= 5;
	structure = structure < size ? structure : size;
	shared = shared < size - structure ? shared : size - structure;
	size -= structure + shared;
	/* Each part of its own, so that a read behind its end is seen. */
	part[0] = malloc(structure + 1);
	part[1] = malloc(shared + 1);
	part[2] = malloc(size + 1);
	if (!part[0] || !part[1] || !part[2])
		abort();
	part[0] = realloc(memcpy(part[0], data + 5, structure), structure ? structure : 1);
	part[1] = realloc(memcpy(part[1], data + 5 + structure, shared), shared ? shared : 1);
	part[2] = realloc(memcpy(part[2], data + 5 + structure + shared, size), size ? size : 1);
	c = chapter_read(part[0], structure, 1u + data[0] % 64, "fuzz", &err);
	if (c && chapter_read_costs(c, part[1], shared, "fuzz", &err) == 0) {
		for (uint32_t rank = 0; rank < c->ranks; rank++) {
			const uint8_t *own = rank == 0 && size ? part[2] : NULL;

			if (chapter_class_of(c, rank) != CALL_NONE &&
			    chapter_costs_check(c, rank, own, own ? size : 0, &err) == 0)
				walk_all(c, rank, own);
		}
	}
	chapter_free(c);
	for (int i = 0; i < 3; i++)
		free(part[i]);
	return 0;
}
