/* fuzz_config.c: settings as --cfg takes them. Whatever comes, a value that was accepted is
 * accepted again. */
#include "base/config.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct config c;
	struct err err;
	int i;

	if (!text || config_init(&c, &err) < 0)
		abort();
	config_set_all(&c, text, CFG_FROM_PLATFORM, &err);
	for (i = 0; i < CFG_COUNT; i++)
		if (config_set(&c, config_table[i].name, config_text(&c, i), CFG_FROM_USER, &err) <
		    0)
			abort();
	config_release(&c);
	free(text);
	return 0;
}
