/* sent.h: what the ranks of one call send, counted from the steps of an algorithm. */
#ifndef ORRERY_TESTS_COLL_SENT_H
#define ORRERY_TESTS_COLL_SENT_H

#include "coll/write.h"

#include "test.h"

/* What one rank sends in one call. */
struct sent {
	int64_t messages, bytes;
};

static inline struct sent sent_by(const struct coll_alg *alg, const struct coll_args *a,
                                  uint32_t rank)
{
	struct coll_cursor c = {0};
	struct coll_steps out = {.n = 0};
	struct sent sent = {0, 0};

	while (out.n = 0, coll_next(alg, a, rank, &c, &out) != COLL_END)
		for (uint32_t i = 0; i < out.n; i++)
			if (out.s[i].kind == STEP_SEND || out.s[i].kind == STEP_ISEND) {
				sent.messages++;
				sent.bytes += out.s[i].buf == BUF_TOKEN ? 0 : out.s[i].len;
			}
	return sent;
}

/* elements of one byte; of a block, or of the whole buffer */
static inline struct coll_args call(enum coll_kind kind, uint32_t p, int64_t count)
{
	return (struct coll_args){.kind = kind,
	                          .size = p,
	                          .count = count,
	                          .count2 = count,
	                          .type_size = 1,
	                          .type_size2 = 1,
	                          .commutative = 1,
	                          .basic_type = 1};
}

static inline const struct coll_alg *find(enum coll_kind kind, const char *name)
{
	const struct coll_alg *alg = coll_alg_find(kind, name);

	if (!alg)
		fail_msg("no %s %s", coll_kind_name(kind), name);
	return alg;
}
/* All ranks together. */
static inline struct sent sent_by_all(const struct coll_alg *alg, const struct coll_args *a)
{
	struct sent all = {0, 0};

	for (uint32_t rank = 0; rank < a->size; rank++) {
		struct sent s = sent_by(alg, a, rank);

		all.messages += s.messages;
		all.bytes += s.bytes;
	}
	return all;
}

#endif
