/* str.h: strings that grow. */
#ifndef ORRERY_BASE_STR_H
#define ORRERY_BASE_STR_H

#include "num.h"

#include <stddef.h>

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
/* The text of s, "" for none, to be put into `into`, which fails where s has. */
const char *str_of(struct str *into, const struct str *s);
/* Shortest decimal form that reads back as the same double ("1e6" style allowed). */
void str_put_double(struct str *s, double v);

/* A text as one word of our formats: blanks and control characters, "%" and "#" as "%20"; and back,
 * in place. */
void str_put_word(struct str *s, const char *text);
void word_decode_in_place(char *word);
/* shortest.c: the same into buf, without its NUL; the length, or 0 where it would take printf. */
size_t shortest_format(double v, char buf[32]);

#endif
