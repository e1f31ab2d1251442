/* fuzz_recording.c: any file is a recording or an error; whatever records come out are valid, and
 * can be profiled and exported. Each input is tried as it is and with its checksums made right, or
 * mutations would never get past them. */
#include "observe/rec_int.h"

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_FUZZED = 4096, SIZE_FUZZED = 1 << 20 };

static void checksums_make_right(uint8_t *data, size_t size)
{
	size_t at = REC_HEADER;

	while (at + REC_BLOCK_HEADER <= size) {
		uint8_t *h = data + at;
		uint32_t stored = rec_get32(h + 8);
		if (stored > size - at - REC_BLOCK_HEADER)
			stored = (uint32_t)(size - at - REC_BLOCK_HEADER);
		rec_put32(h + 20, rec_checksum(h + REC_BLOCK_HEADER, stored));
		rec_put32(h + 44, rec_checksum(h, 44));
		at += REC_BLOCK_HEADER + stored;
	}
}

static void record_check(const struct recording *r, const struct record *rec)
{
	uint32_t ranks = recording_info(r)->ranks;
	const struct rec_state *s = &rec->u.state;
	const struct rec_message *m = &rec->u.message;

	if (rec->kind == REC_STATE && (s->rank >= ranks || (unsigned)s->call >= CALL_CALLS ||
	                               !(s->enter <= s->leave) || !isfinite(s->leave)))
		abort();
	if (rec->kind == REC_MESSAGE && (m->from >= ranks || m->to >= ranks ||
	                                 !(m->sent <= m->moved && m->moved <= m->received)))
		abort();
}

static void recording_try(struct recording *r)
{
	struct record rec;
	struct err err;
	int i, got;

	while ((got = recording_next(r, &rec, &err)) > 0)
		record_check(r, &rec);
	if (recording_info(r)->ranks > RANKS_FUZZED)
		return;
	profile_free(recording_profile(r, &err));
	for (i = 0; exporters[i]; i++) {
		err.text[0] = 0;
		if (exporters[i]->export(r, "/dev/null", NULL, &err) < 0 &&
		    (got == 0 || !err.text[0]))
			abort(); /* what can be read can be exported */
	}
}

static void file_try(const uint8_t *data, size_t size)
{
	struct recording *r;
	struct err err = {0};
	char path[64];
	int fd = memfd_create("recording", 0);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	r = recording_open(path, &err);
	if (r)
		recording_try(r);
	else if (!err.text[0])
		abort();
	recording_close(r);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size > SIZE_FUZZED)
		return 0;
	copy = malloc(size + 1);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	file_try(copy, size);
	checksums_make_right(copy, size);
	file_try(copy, size);
	free(copy);
	return 0;
}
