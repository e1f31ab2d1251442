/* content.h: the bytes that a target is given, as a file. */
#ifndef ORRERY_TESTS_FUZZ_CONTENT_H
#define ORRERY_TESTS_FUZZ_CONTENT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void content_set(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, size, f) != size)
		abort();
	fclose(f);
}

#endif
