/* own_locale.c: the locale of a rank: what is a process's is, of a rank that has asked for one,
 * that of the thread while the rank runs (own_locale_set). Ranks that never ask pay nothing. */
#include "coro_int.h"

#include <errno.h>
#include <langinfo.h>
#include <string.h>

enum { CATEGORIES = 13 }; /* LC_CTYPE to LC_IDENTIFICATION, LC_ALL among them */

static const char *const category_name[CATEGORIES] = {
    [LC_CTYPE] = "LC_CTYPE",
    [LC_NUMERIC] = "LC_NUMERIC",
    [LC_TIME] = "LC_TIME",
    [LC_COLLATE] = "LC_COLLATE",
    [LC_MONETARY] = "LC_MONETARY",
    [LC_MESSAGES] = "LC_MESSAGES",
    [LC_PAPER] = "LC_PAPER",
    [LC_NAME] = "LC_NAME",
    [LC_ADDRESS] = "LC_ADDRESS",
    [LC_TELEPHONE] = "LC_TELEPHONE",
    [LC_MEASUREMENT] = "LC_MEASUREMENT",
    [LC_IDENTIFICATION] = "LC_IDENTIFICATION",
};

static const char *name_of(locale_t locale, int category)
{
	return locale ? nl_langinfo_l(NL_LOCALE_NAME(category), locale) : "C";
}

/* As setlocale tells it: one name, or that of each category. */
static char *names_make(locale_t locale)
{
	const char *one = name_of(locale, LC_CTYPE);
	struct str text;
	int same = 1;

	str_init(&text);
	for (int i = 0; i < CATEGORIES; i++)
		same = same && (i == LC_ALL || strcmp(name_of(locale, i), one) == 0);
	if (same)
		str_puts(&text, one);
	for (int i = 0; i < CATEGORIES && !same; i++)
		if (i != LC_ALL)
			str_printf(&text, "%s%s=%s", i ? ";" : "", category_name[i],
			           name_of(locale, i));
	if (!text.failed && text.s)
		return text.s;
	str_release(&text);
	return NULL;
}

static void take_place(const struct own *o)
{
	uselocale(o->uses ? o->uses : o->locale ? o->locale : LC_GLOBAL_LOCALE);
}

/* A whole one needs no base, which the C library would not give back where it is "C". */
static int locale_take(struct own *o, int category, const char *name)
{
	int whole = category == LC_ALL;
	locale_t base = whole       ? (locale_t)0
	                : o->locale ? duplocale(o->locale)
	                            : newlocale(LC_ALL_MASK, "C", NULL),
	         made;

	made = whole || base ? newlocale(whole ? LC_ALL_MASK : 1 << category, name, base) : NULL;
	if (!made) {
		if (base)
			freelocale(base);
		return 0;
	}
	base = o->locale;
	o->locale = made;
	coros_now->has_locales = 1;
	take_place(o);
	if (base)
		freelocale(base);
	return 1;
}

char *own_setlocale(int category, const char *name)
{
	struct own *o = own_now();

	if (category < 0 || category >= CATEGORIES) {
		errno = EINVAL;
		return NULL;
	}
	if (name && !locale_take(o, category, name))
		return NULL;
	if (category != LC_ALL)
		return (char *)(uintptr_t)name_of(o->locale, category);
	free(o->locale_names);
	o->locale_names = names_make(o->locale);
	return o->locale_names;
}

/* Of the rank's first thread, which is the simulator's; others have the C library's. */
locale_t own_uselocale(locale_t locale)
{
	struct own *o;
	locale_t was;

	if (*coro_tls_thread())
		return uselocale(locale);
	o = own_now();
	was = o->uses ? o->uses : LC_GLOBAL_LOCALE;
	if (!locale)
		return was;
	o->uses = locale == LC_GLOBAL_LOCALE ? NULL : locale;
	coros_now->has_locales = 1;
	take_place(o);
	return was;
}

locale_t own_duplocale(locale_t locale)
{
	const struct own *o = coro_now()->own;

	return duplocale(locale == LC_GLOBAL_LOCALE && o && o->locale ? o->locale : locale);
}

void own_locale_set(const struct own *own)
{
	if (own)
		take_place(own);
	else
		uselocale(LC_GLOBAL_LOCALE);
}

void own_locale_release(struct own *o)
{
	if (o->locale)
		freelocale(o->locale);
	free(o->locale_names);
}
