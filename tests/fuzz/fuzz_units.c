/* fuzz_units.c: the first byte chooses the kind of unit. */
#include "base/units.h"

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	struct err err;
	double v;

	if (size < 1)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		abort();
	err.text[0] = '\0';
	if (units_parse(text, data[0] % UNIT_KINDS, &v, &err) == 0 ? !isfinite(v)
	                                                           : err.text[0] == '\0')
		abort();
	free(text);
	return 0;
}
