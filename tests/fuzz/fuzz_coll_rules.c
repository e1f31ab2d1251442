/* fuzz_coll_rules.c: any bytes as a tuning file. Whatever is accepted gives every call an algorithm
 * of its kind, or none. */
#include "coll/rules/rules.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err;
	char *text = malloc(size + 1);
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	struct coll_rules *r = coll_rules_parse("fuzz", text, size, &err);
	free(text);
	for (int k = 0; r && k < COLL_KINDS; k++)
		for (uint32_t p = 1; p < 5000; p = p * 3 + 1) {
			struct coll_args a = {.kind = (enum coll_kind)k,
			                      .size = p,
			                      .count = p % 5 * 1000,
			                      .count2 = 7,
			                      .type_size = 8,
			                      .type_size2 = 8,
			                      .commutative = p & 1};
			const struct rule *use = coll_rules_find(r, &a);
			enum coll_kind want = k == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER
			                                                     : (enum coll_kind)k;
			if (use && (!use->alg || use->alg->kind != want))
				abort();
		}
	coll_rules_free(r);
	return 0;
}
