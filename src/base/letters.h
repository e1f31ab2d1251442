/* letters.h: words compared whatever the case of their letters, which are those of ASCII. What the
 * C library has goes with the locale, and Orrery's shared library lives in programs that have one:
 * in tr_TR the small letter of "I" is not "i", so that "HYBRID" would be no "hybrid". */
#ifndef ORRERY_BASE_LETTERS_H
#define ORRERY_BASE_LETTERS_H

#include <stddef.h>

/* The small letter of a capital; what is none stays as it is. */
static inline char letter_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether it is a letter of ASCII, of either case. */
static inline int letter_is(char c)
{
	return letter_lower(c) >= 'a' && letter_lower(c) <= 'z';
}

/* Whether the first n characters are the same but for case, or both texts before them. */
static inline int text_same_n(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (letter_lower(a[i]) != letter_lower(b[i]))
			return 0;
		if (!a[i])
			break;
	}
	return 1;
}

/* Whether the two texts are the same but for case. */
static inline int text_same(const char *a, const char *b)
{
	return text_same_n(a, b, (size_t)-1);
}

#endif
