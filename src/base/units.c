/* units.c: a number, then at once one of the units of its kind. The units are enumerated (prefix ×
 * base), never guessed. */
#include "units.h"

#include "letters.h"
#include "num.h"
#include "str.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Negative values divide: 50us is 50/1e6, the double nearest to 50e-6, whereas 50·1e-6 is the one
 * below. */
struct unit {
	const char *name;
	double value;
};

static const struct unit time_units[] = {{"w", 604800}, {"d", 86400}, {"h", 3600},  {"m", 60},
                                         {"s", 1},      {"ms", -1e3}, {"us", -1e6}, {"ns", -1e9},
                                         {"ps", -1e12}, {0}};
static const struct unit bandwidth_units[] = {{"Bps", 1}, {"bps", -8}, {0}};
static const struct unit size_units[] = {{"B", 1}, {"b", -8}, {0}};
static const struct unit speed_short[] = {{"f", 1}, {0}};
static const struct unit speed_long[] = {{"flops", 1}, {0}};

static const struct unit no_prefix[] = {{"", 1}, {0}};
static const struct unit short_prefixes[] = {{"", 1},     {"k", 1e3},  {"M", 1e6},  {"G", 1e9},
                                             {"T", 1e12}, {"P", 1e15}, {"E", 1e18}, {"Z", 1e21},
                                             {"Y", 1e24}, {0}};
static const struct unit all_prefixes[] = {
    {"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},    {"P", 1e15},
    {"E", 1e18},    {"Z", 1e21},    {"Y", 1e24},    {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30},
    {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60}, {"Zi", 0x1p70}, {"Yi", 0x1p80}, {0}};
static const struct unit long_prefixes[] = {{"", 1},
                                            {"kilo", 1e3},
                                            {"mega", 1e6},
                                            {"giga", 1e9},
                                            {"tera", 1e12},
                                            {"peta", 1e15},
                                            {"exa", 1e18},
                                            {"zeta", 1e21},
                                            {"zetta", 1e21},
                                            {"yotta", 1e24},
                                            {0}};

static const struct unit_family {
	const char *what, *names;
	const struct unit *prefixes, *units;
	const struct unit *prefixes2, *units2; /* a second way to write them, or NULL */
} families[] = {
    [UNIT_TIME] = {"a time", "w d h m s ms us ns ps", no_prefix, time_units, NULL, NULL},
    [UNIT_BANDWIDTH] = {"a bandwidth", "Bps or bps, with k M G T P E Z Y or Ki Mi Gi …",
                        all_prefixes, bandwidth_units, NULL, NULL},
    [UNIT_SIZE] = {"a size", "B or b, with k M G T P E Z Y or Ki Mi Gi …", all_prefixes, size_units,
                   NULL, NULL},
    [UNIT_SPEED] = {"a speed", "f with k M G T P E Z Y, or flops with kilo mega giga tera …",
                    short_prefixes, speed_short, long_prefixes, speed_long},
};
_Static_assert(sizeof families / sizeof *families == UNIT_KINDS, "one family per kind of unit");

/* Of which letters does the case not matter? */
enum { CASE_EXACT, CASE_PREFIX, CASE_ANY };

/* Compares text with prefix + unit. A unit of another case may be another unit: bps, Bps. */
static int unit_matches(const char *text, const char *prefix, const char *unit, int any_case)
{
	size_t n = strlen(prefix);

	if (any_case)
		return text_same_n(text, prefix, n) &&
		       (any_case == CASE_ANY ? text_same(text + n, unit)
		                             : strcmp(text + n, unit) == 0);
	return strncmp(text, prefix, n) == 0 && strcmp(text + n, unit) == 0;
}

/* The spelling found, in prefix and unit; 0 if there is none. */
static int unit_search(const char *text, const struct unit *prefixes, const struct unit *units,
                       int any_case, const struct unit **prefix, const struct unit **unit)
{
	for (*unit = units; (*unit)->name; ++*unit)
		for (*prefix = prefixes; (*prefix)->name; ++*prefix)
			if (unit_matches(text, (*prefix)->name, (*unit)->name, any_case))
				return 1;
	return 0;
}

static int unit_find(const char *text, const struct unit_family *f, int any_case,
                     const struct unit **prefix, const struct unit **unit)
{
	return unit_search(text, f->prefixes, f->units, any_case, prefix, unit) ||
	       (f->units2 && unit_search(text, f->prefixes2, f->units2, any_case, prefix, unit));
}

static int unknown_unit(const char *text, const char *unit_text, const struct unit_family *f,
                        struct err *err)
{
	const struct unit *prefix, *unit;

	err_set(err, ERR_INPUT,
	        "\"%s\" is not %s: unknown unit \"%s\"; the units are %s, and case matters", text,
	        f->what, unit_text, f->names);
	if (unit_find(unit_text, f, CASE_PREFIX, &prefix, &unit) ||
	    unit_find(unit_text, f, CASE_ANY, &prefix, &unit))
		err_append(err, ": did you mean \"%.*s%s%s\"?", (int)(unit_text - text), text,
		           prefix->name, unit->name);
	return -1;
}

/* Bytes of the number at the start of text. An e is part of it only if digits follow: "1EBps" is an
 * exabyte per second. */
static size_t number_length(const char *text)
{
	const char *s = text, *e;

	s += *s == '+' || *s == '-';
	while (isdigit((unsigned char)*s) || *s == '.')
		s++;
	if (*s == 'e' || *s == 'E') {
		e = s + 1;
		e += *e == '+' || *e == '-';
		if (isdigit((unsigned char)*e))
			for (s = e; isdigit((unsigned char)*s); s++)
				;
	}
	return (size_t)(s - text);
}

static double scaled(double v, double unit, int product)
{
	if (unit >= 0)
		return v * unit;
	return product ? v * (1 / -unit) : v / -unit;
}

static int parse(const char *text, enum unit_kind kind, int product, double *out, struct err *err)
{
	const struct unit_family *f = &families[kind];
	const struct unit *prefix, *unit;
	size_t n = number_length(text);
	double v;

	if (num_is_huge(text, n))
		return err_set(err, ERR_INPUT, "\"%s\" is not %s: it is too large", text, f->what);
	if (num_parse_double(text, n, &v) < 0)
		return err_set(err, ERR_INPUT,
		               "\"%s\" is not %s: a number and a unit (%s) were expected", text,
		               f->what, f->names);
	if (text[n] != '\0') {
		if (!unit_find(text + n, f, 0, &prefix, &unit))
			return unknown_unit(text, text + n, f, err);
		v = scaled(v * prefix->value, unit->value, product);
	}
	if (!isfinite(v))
		return err_set(err, ERR_INPUT, "\"%s\" is not %s: it is too large", text, f->what);
	if (v != 0 && !isnormal(v))
		return err_set(err, ERR_INPUT, "\"%s\" is not %s: it is too small", text, f->what);
	*out = v;
	return 0;
}

int units_parse(const char *text, enum unit_kind kind, double *out, struct err *err)
{
	return parse(text, kind, 0, out, err);
}

int units_parse_product(const char *text, enum unit_kind kind, double *out, struct err *err)
{
	return parse(text, kind, 1, out, err);
}

static const char *const volume_words[VOLUME_UNITS] = {
    "", "instructions", "flops", "seconds", "elapsed", "none", "volumes"};

const char *volume_unit_word(enum volume_unit u)
{
	return volume_words[u];
}

enum volume_unit volume_unit_find(const char *word)
{
	enum volume_unit u = VOLUME_UNKNOWN;

	while (u < VOLUME_UNITS && strcmp(word, volume_words[u]) != 0)
		u++;
	return u;
}
