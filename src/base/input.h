/* input.h: a text file read line by line, with its name and line number for messages. Files of
 * gzip and of zstd are unpacked as they are read. */
#ifndef ORRERY_BASE_INPUT_H
#define ORRERY_BASE_INPUT_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>

struct input;

/* path "-" is standard input. buffer: bytes of read buffer wanted (0: 64 KiB). */
struct input *input_open(const char *path, size_t buffer, struct err *err);
/* Next line without its newline (a final line without newline counts; "\r\n" is accepted) and,
 * before the first, without the mark of UTF-8 that some editors write. *line stays valid until the
 * next call and is NUL-terminated. Returns 1, 0 at the end, -1 on error (I/O,
 * a line over 64 MiB, a zero byte). */
int input_line(struct input *in, char **line, size_t *n, struct err *err);
/* The last line, if nothing ends it, may go on in zero bytes: a mapped file whose writer was killed
 * has them. *n counts them. */
void input_allow_tail(struct input *in);
/* The text that comes next, at most `want` bytes (<= 64 KiB), which stays there to be read: how
 * many there are, or -1. Valid until the next call. */
int input_peek(struct input *in, size_t want, const char **text, struct err *err);
/* Are these the first bytes of a file of gzip or of zstd? n: how many are known; 4 are enough. */
int input_is_packed(const char *head, size_t n);
/* The command that unpacks a file, of whatever packer we know, which begins so; NULL: it is not
 * packed. */
const char *input_unpacker(const char *head, size_t n);
const char *input_name(const struct input *in);
long input_lineno(const struct input *in); /* number of the line last returned, from 1 */
uint64_t input_offset(
    const struct input *in); /* bytes of the (uncompressed) text consumed so far */
void input_close(struct input *in);

/* A file that is read more than once cannot be a pipe, nor a device: 0, or -1 with the reason. What
 * is not there is left to whoever opens it. */
int input_regular(const char *path, struct err *err);
/* The whole file in memory, NUL-terminated, to be freed by the caller; *n its size. Limit 1 GiB. */
char *input_read_all(const char *path, size_t *n, struct err *err);
/* Such a file is text, so that nothing of it hides behind a zero byte: 0, or -1 with its place. */
int input_is_text(const char *path, const char *text, size_t n, struct err *err);

#endif
