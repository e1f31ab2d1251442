/* fuzz_bundle.c: any bytes as what a rank sends up the tree: merged into a bundle that is empty,
 * and once more beside what came first, or refused; what is merged can be packed, moved, written,
 * and read or refused. The first byte: how many ranks. */
#include "fuzz/fuzz.h"
#include "trace/compressed/chapter.h"
#include "trace/compressed/pack.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 500 };

static void walk_all(const struct chapter *c, uint32_t rank, const struct bundle_member *m)
{
	struct walk_frame frame[NEST_DEPTH + 2];
	struct trace_event ev;
	struct walk w;

	walk_begin_at(&w, c, rank, m->own, frame);
	for (int i = 0; i < EVENTS_MOST && walk_next(&w, &ev); i++)
		if (ev.op >= TRACE_OPS)
			abort();
}

static void chapter_look(const struct bundle *b, uint32_t ranks, const struct str *structure,
                         const struct str *costs)
{
	struct err err;
	struct chapter *c = chapter_read((const uint8_t *)structure->s, structure->n, ranks, "fuzz",
	                                 &err);

	if (c && chapter_read_costs(c, (const uint8_t *)costs->s, costs->n, "fuzz", &err) == 0)
		for (uint32_t i = 0; i < b->members; i++) {
			const struct bundle_member *m = &b->member[i];

			if (chapter_class_of(c, m->rank) != CALL_NONE &&
			    chapter_costs_check(c, m->rank, m->own, m->bytes, &err) == 0)
				walk_all(c, m->rank, m);
		}
	chapter_free(c);
}

static void bundle_look(const struct bundle *b, uint32_t ranks)
{
	struct str structure = {0}, costs = {0};

	bundle_write(b, ranks, &structure, &costs);
	if (!structure.failed && !costs.failed)
		chapter_look(b, ranks, &structure, &costs);
	str_clear(&structure);
	bundle_pack(b, 1, &structure);
	str_release(&structure);
	str_release(&costs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pack_map map = {0};
	struct bundle b;
	struct str moved = {0};
	struct err err;
	uint8_t *bytes;

	if (size < 1 || size > 1 << 16)
		return 0;
	bytes = malloc(size);
	if (!bytes)
		abort();
	memcpy(bytes, data, size);
	bundle_init(&b, 100);
	if (bundle_merge(&b, bytes + 1, size - 1, NULL, &err) == 0) {
		bundle_look(&b, 1u + bytes[0] % 64);
		if (bundle_merge(&b, bytes + 1, size - 1, &map, &err) == 0) {
			bundle_look(&b, 1u + bytes[0] % 64);
			for (uint32_t i = 0; i < b.members; i++)
				if (b.member[i].own)
					bundle_own_moved(&b, b.member[i].rank, &map,
					                 b.member[i].own, b.member[i].bytes, &moved,
					                 &err);
			pack_map_release(&map);
		}
	}
	str_release(&moved);
	bundle_release(&b);
	free(bytes);
	return 0;
}
