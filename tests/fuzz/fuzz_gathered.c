/* fuzz_gathered.c: any bytes as what a host sends to `orrery gather`: files of plain names in one
 * folder, no longer than what was sent could stand for, or an error. Checksums are made right, as
 * nothing behind them would be reached else. */
#include "launch/gather.h"

#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "trace/compressed/block.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_MOST = 1 << 20 };

static void checksums_set(uint8_t *p, size_t n)
{
	struct block b;

	for (size_t at = 0; n - at >= BLOCK_BYTES && block_get(p + at, BLOCK_BYTES, &b) == 0;
	     at += b.stored) {
		if (b.stored > n - at - BLOCK_BYTES)
			return;
		b.checksum = block_checksum(p + at + BLOCK_BYTES, b.stored);
		block_put(p + at, &b);
		at += BLOCK_BYTES;
	}
}

/* What came of it; the folder is empty again. */
static void folder_check(int dir, size_t size)
{
	DIR *d = fdopendir(dup(dir));
	const struct dirent *e;
	struct stat st;

	if (!d)
		abort();
	rewinddir(d);
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
		    e->d_name[0] == '.' ||
		    (size_t)st.st_size > (size / BLOCK_BYTES + 1) * BLOCK_MOST)
			abort();
		unlinkat(dir, e->d_name, 0);
	}
	closedir(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/dev/shm/orrery-fuzz-XXXXXX", path[64];
	int in = memfd_create("gathered", MFD_CLOEXEC), dir;
	uint8_t *bytes = malloc(size + 1);
	struct err err = {0};

	if (in < 0 || !bytes || !mkdtemp(folder) ||
	    (dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		abort();
	memcpy(bytes, data, size);
	checksums_set(bytes, size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", in);
	content_set(path, bytes, size);
	if (gather_unpack(in, dir, &err) < 0 && !err.kind)
		abort();
	folder_check(dir, size);
	close(dir);
	rmdir(folder);
	close(in);
	free(bytes);
	return 0;
}
