/* plain_locale.h: numbers look the same everywhere. Orrery's own program never leaves the C locale;
 * the tracer and the shared library live in programs that may have: then strtod reads "1,5" and
 * printf writes it. For files of this room. */
#ifndef ORRERY_BASE_PLAIN_LOCALE_H
#define ORRERY_BASE_PLAIN_LOCALE_H

#include <locale.h>

/* The C locale: glibc has it ready, nothing is allocated. */
static inline locale_t plain_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* This thread is in the C locale until what it was in is given back (uselocale). */
static inline locale_t plain_locale_take(void)
{
	return uselocale(plain_locale());
}

#endif
