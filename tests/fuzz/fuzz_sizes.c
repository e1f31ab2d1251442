/* fuzz_sizes.c: any text as a list of sizes ("8..1Mi*8", "6,12"). What is accepted rises, and is
 * within the limit. */
#include "study/study.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct sizes s = {0};
	struct err err = {0};

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (sizes_parse(&s, text, "--bytes", 1ll << 40, &err) == 0) {
		for (uint32_t i = 0; i < s.n; i++) {
			if (s.v[i] < 0 || s.v[i] > 1ll << 40 || (i && s.v[i] <= s.v[i - 1]))
				abort();
		}
		if (s.n == 0)
			abort();
	} else if (!err.text[0]) {
		abort();
	}
	sizes_release(&s);
	free(text);
	return 0;
}
