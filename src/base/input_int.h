/* input_int.h: between input.c and input_zstd.c. */
#ifndef ORRERY_BASE_INPUT_INT_H
#define ORRERY_BASE_INPUT_INT_H

#include "input.h"

#include <sys/types.h>

/* The next bytes of the file, as they stand there; 0 at its end, -1 with *err set. */
ssize_t input_raw(struct input *in, void *to, size_t room, struct err *err);

/* A file of zstd that is being unpacked. name: the file's, for messages, which must outlive it;
 * head: its first bytes. NULL with *err set: no memory, or built without zstd. */
struct unzstd;
struct unzstd *unzstd_new(const char *name, const char *head, size_t n, struct err *err);
/* The next of its text, at most room bytes; 0 at its end, -1. */
ssize_t unzstd_read(struct unzstd *z, struct input *in, void *to, size_t room, struct err *err);
void unzstd_free(struct unzstd *z);

#endif
