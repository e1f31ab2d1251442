/* num.h: numbers from text and to text, whatever the locale. */
#ifndef ORRERY_BASE_NUM_H
#define ORRERY_BASE_NUM_H

#include <stddef.h>
#include <stdint.h>

/* Strict numbers: the whole of [s, s+n) must be a decimal number: no blanks, no hexadecimal, no
 * "inf" or "nan", at most 511 bytes. 0 on success, -1 if not, or out of range (no message: the
 * caller knows the place). */
int num_parse_i64(const char *s, size_t n, int64_t *out); /* decimal integer with optional sign */
int num_parse_count(const char *s, size_t n,
                    int64_t *out); /* integer, or a whole number written as a double, such as 1e6 */
int num_parse_double(const char *s, size_t n, double *out); /* locale-independent; finite */
/* Whether it is a decimal number, but none that a double can hold: why num_parse_double failed. */
int num_is_huge(const char *s, size_t n);
/* The digits that a text begins with, by the same rules but without a sign; what follows them is
 * the caller's to judge. How many there are; 0: none, or a number out of range. */
size_t num_take_digits(const char *s, int64_t *out);

/* The same in hexadecimal, without "0x". */
size_t num_take_hex(const char *s, uint64_t *out);
/* An integer as C and scanf's %li read it: with a sign; 010 is 8, and 0x10 is 16. */
size_t num_take_as_c(const char *s, int64_t *out);

/* A double as people read it: "12.3 MB", "1.25 Gb/s"... out holds at least 32 bytes. */
void fmt_si(char *out, size_t n, double v, const char *unit);
/* Seconds as people read them: "12.35 us", "1.203 s". */
void fmt_seconds(char *out, size_t n, double seconds);

/* The end of a word that counts: "1 link", "2 links". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
