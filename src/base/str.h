/* str.h: strings that grow, and slices of text that do not own anything. */
#ifndef ORRERY_BASE_STR_H
#define ORRERY_BASE_STR_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>

struct str {
	char *s; /* NUL-terminated once anything was appended; NULL before */
	size_t n, cap;
	int failed; /* sticky: memory ran out; further appends do nothing. Check once at the end. */
};

void str_init(struct str *s);
void str_release(struct str *s);
void str_clear(struct str *s);
void str_putc(struct str *s, char c);
void str_puts(struct str *s, const char *text);
void str_putn(struct str *s, const char *text, size_t n);
void str_printf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shortest decimal form that reads back as the same double ("1e6" style allowed). */
void str_put_double(struct str *s, double v);

/* Strict numbers: the whole of [s, s+n) must be a number. 0 on success, -1 if not (no message: the caller knows the place). */
int num_parse_i64(const char *s, size_t n, int64_t *out);    /* decimal integer with optional sign */
int num_parse_count(const char *s, size_t n, int64_t *out);  /* integer, or a double such as 1e6 that is truncated towards 0 */
int num_parse_double(const char *s, size_t n, double *out);  /* locale-independent; finite */

/* A double as people read it: "12.3 MB", "1.25 Gb/s"... out holds at least 32 bytes. */
void fmt_si(char *out, size_t n, double v, const char *unit);
/* Seconds as people read them: "12.35 us", "1.203 s". */
void fmt_seconds(char *out, size_t n, double seconds);

#endif
