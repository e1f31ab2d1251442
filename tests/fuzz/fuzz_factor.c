/* fuzz_factor.c: any text as a table of factors or overheads (network/bandwidth-factor, smpi/os).
 * An accepted table is sorted, and what is looked up in it is one of its values. */
#include "fuzz/fuzz.h"
#include "net/factor.h"

#include <stdlib.h>
#include <string.h>

static int is_value(const struct factor_table *t, double v)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->rows[i].value[0] == v)
			return 1;
	}
	return v == -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct factor_table t;
	struct err err;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	if (factor_table_parse(&t, text, &err) == 0) {
		for (uint32_t i = 1; i < t.n; i++) {
			if (t.rows[i].threshold < t.rows[i - 1].threshold)
				abort();
		}
		for (double bytes = 0; bytes < 1e9; bytes = 3 * bytes + 1) {
			if (!is_value(&t, factor_lookup(&t, bytes, -1)))
				abort();
			overhead_lookup(&t, bytes, 0);
			overhead_lookup(&t, bytes, 1);
		}
		factor_table_release(&t);
	}
	free(text);
	return 0;
}
