/* scan.h: tokens and numbers of a line, by hand and in place. A line ends with '\n', which stops
 * every loop, so that no end needs to be passed around; eight bytes after it can be read. '\r'
 * counts as a blank, hence lines may end in "\r\n". */
#ifndef ORRERY_TRACE_SCAN_H
#define ORRERY_TRACE_SCAN_H

#include "base/num.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline int is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static inline int is_letter(char c)
{
	return (unsigned char)((c | 32) - 'a') < 26;
}

/* Starts a number. */
static inline int is_number(char c)
{
	return is_digit(c) || c == '-' || c == '+' || c == '.';
}

/* Ends a token. */
static inline int is_end(char c)
{
	return (unsigned char)c <= ' ';
}

static inline const char *blanks_skip(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

static inline const char *token_end(const char *p)
{
	while (!is_end(*p))
		p++;
	return p;
}

/* What a line begins with, up to its first blank and with it, if these are at most eight letters; 0
 * if not, or if the line begins with it: two lines with the same prefix are of the same rank. */
static inline uint64_t line_prefix(const char *p)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	uint64_t head, other, blank;

	memcpy(&head, p, sizeof head);
	other = head ^ ' ' * ones;
	blank = (other - ones) & ~other & tops; /* lowest bit set: the first blank */
	blank &= -blank;
	return blank > 0x80 ? head & (blank | (blank - 1)) : 0;
}

/* Digits only, fewer than 19 of them, up to the end of the token or to `stop`: where they end; NULL
 * when it is not that simple. */
static inline const char *digits_scan(const char *p, int64_t *out)
{
	const char *start = p;
	uint64_t v = 0;

	while (is_digit(*p))
		v = v * 10 + (uint64_t)(*p++ - '0');
	if (p == start || p - start > 18)
		return NULL;
	*out = (int64_t)v;
	return p;
}

/* An integer that fills the token. Where it ends, or NULL. */
static inline const char *i64_scan(const char *p, int64_t *out)
{
	const char *end = digits_scan(p, out);

	if (end && is_end(*end))
		return end;
	end = token_end(p);
	return num_parse_i64(p, (size_t)(end - p), out) == 0 ? end : NULL;
}

/* A count: an integer, or a whole number such as 1e6. */
static inline const char *count_scan(const char *p, int64_t *out)
{
	const char *end = digits_scan(p, out);

	if (end && is_end(*end))
		return end;
	end = token_end(p);
	return num_parse_count(p, (size_t)(end - p), out) == 0 ? end : NULL;
}

static inline const char *double_scan(const char *p, double *out)
{
	int64_t v;
	const char *end = digits_scan(p, &v);

	if (end && is_end(*end) && v <= (int64_t)1 << 53) {
		*out = (double)v;
		return end;
	}
	end = token_end(p);
	return num_parse_double(p, (size_t)(end - p), out) == 0 ? end : NULL;
}

#endif
