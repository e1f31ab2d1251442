/* fault.h: makes the n-th allocation, read, write or open fail, for n = 1, 2, 3, … until the code
 * under test no longer gets there.
 *
 * The linker sends the calls of the program's own objects (rooms and test) through wrappers, see
 * tests/CMakeLists.txt; calls made inside shared libraries (libc's stdio buffers, expat, zlib) are
 * not touched.
 *
 *     static int read_it(void *arg, struct err *err) { … release everything …; return result; }
 *     fault_sweep(FAULT_ALLOC, read_it, "file.txt");
 *
 * For each n, fault_sweep asserts that the body (1) returned -1 with a worded error of kind
 * ERR_LIMIT (or ERR_INPUT for FAULT_OPEN) or succeeded all the same, and (2) left no memory
 * allocated. It returns how many faults were injected; the body must reach at least one call of
 * that kind. A body that tells what it found out (fault_told) must tell the same each time that it
 * succeeds: going on without memory is fine, with another result it is not. */
#ifndef ORRERY_TESTS_FAULT_H
#define ORRERY_TESTS_FAULT_H

#include "base/err.h"

#include <stddef.h>

enum fault_kind {
	FAULT_ALLOC, /* malloc, calloc, realloc, reallocarray, aligned_alloc, strdup, strndup: NULL,
	                ENOMEM */
	FAULT_READ,  /* read, pread, fread: EIO */
	FAULT_WRITE, /* write, pwrite, fwrite, fflush, fclose, posix_fallocate: ENOSPC; ftruncate,
	                fsync, syncfs, rename, linkat, close: EIO */
	FAULT_OPEN,  /* open, fopen, mkdir: EACCES */
	FAULT_LOOK,  /* stat, lstat, fstat, access, opendir, readdir: EIO */
	FAULT_KINDS
};

typedef int (*fault_body)(void *arg, struct err *err);

/* Within a body: a part of its result. */
void fault_told(const void *bytes, size_t n);

/* Within a body: what comes now is not part of it: nothing fails there (1), until it goes on (0).
 */
void fault_hold(int on);

int fault_sweep(enum fault_kind kind, fault_body body, void *arg);

/* For tests that need more: the n-th call of the kind fails (0: none), then fault_stop tells
 * whether it was reached. */
void fault_start(enum fault_kind kind, long n);
int fault_stop(void);

#endif
