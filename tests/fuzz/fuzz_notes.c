/* fuzz_notes.c: any bytes as what two ranks wrote, notes and events, from which the manifest of a
 * traced run is made. The first 16 bits say where the second file begins. What comes of it is
 * text without control characters, for ranks that were there. */
#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "launch/collect.h"

#include <string.h>
#include <unistd.h>

static void collection_check(const char *dir)
{
	struct collection c;
	struct err err = {0};
	struct str text = {0};

	if (collection_read(&c, dir, 0, &err) < 0) {
		if (!err.text[0])
			abort();
	} else if (c.ended > c.found) {
		abort();
	}
	call_counts_text(&c.untraced, &text);
	str_release(&text);
	collection_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/orrery-fuzz-XXXXXX", path[2][64];
	size_t n;

	if (size < 2 || size > 1 << 16)
		return 0;
	n = data[0] | (size_t)data[1] << 8;
	n = n < size - 2 ? n : size - 2;
	if (!mkdtemp(dir))
		abort();
	for (int r = 0; r < 2; r++) {
		snprintf(path[r], sizeof path[r], "%s/rank-%d.tit", dir, r);
		content_set(path[r], r ? data + 2 + n : data + 2, r ? size - 2 - n : n);
	}
	collection_check(dir);
	for (int r = 0; r < 2; r++)
		unlink(path[r]);
	rmdir(dir);
	return 0;
}
