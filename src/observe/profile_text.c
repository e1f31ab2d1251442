/* profile_text.c: the profile as a table for people. Figures have four significant digits and units
 * that fit them; colours only when asked for. */
#include "profile_int.h"

#include <stdio.h>

enum { CELL = 32 };

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RESET "\033[0m"
static const char *const class_color[TIME_CLASSES] = {
    [TIME_COMPUTE] = "\033[32m", [TIME_P2P] = "\033[34m",  [TIME_COLL] = "\033[35m",
    [TIME_IO] = "\033[33m",      [TIME_WAIT] = "\033[31m", [TIME_OTHER] = DIM,
    [TIME_IDLE] = DIM,
};

static const char *code(int flags, const char *color)
{
	return flags & PROFILE_COLOR ? color : "";
}

static void put_header(struct str *out, int flags, const char *text)
{
	str_printf(out, "%s%s%s\n", code(flags, BOLD), text, code(flags, RESET));
}

static const char *seconds(char cell[CELL], double s)
{
	if (s == 0)
		return "0";
	fmt_seconds(cell, CELL, s);
	return cell;
}

static const char *percent(char cell[CELL], double share)
{
	snprintf(cell, CELL, "%.1f %%", 100 * share);
	return cell;
}

static const char *bytes_of(char cell[CELL], double bytes)
{
	if (bytes == 0)
		return "0";
	fmt_si(cell, CELL, bytes, "B");
	return cell;
}

/* Most programs do nothing with files: no line for that. */
static int class_is_shown(enum time_class c, double seconds)
{
	return c != TIME_IO || seconds > 0;
}

static void put_classes(const struct profile *p, int flags, struct str *out)
{
	const struct prof_class_row *rows = p->class_rows;
	double all = p->makespan * p->ranks;
	char c0[CELL], c1[CELL], c2[CELL], c3[CELL], most[CELL];
	int c;

	put_header(out, flags,
	           "where time goes     share   mean per rank         min         max   most on");
	for (c = 0; c < TIME_CLASSES; c++) {
		if (!class_is_shown((enum time_class)c, rows[c].total))
			continue;
		most[0] = '\0';
		if (rows[c].max > rows[c].min)
			snprintf(most, sizeof most, "rank %u", (unsigned)rows[c].max_rank);
		str_printf(out, "%s%-16s%s %8s %15s %11s %11s%s%s\n", code(flags, class_color[c]),
		           time_class_name((enum time_class)c), code(flags, RESET),
		           percent(c0, all > 0 ? rows[c].total / all : 0),
		           seconds(c1, rows[c].mean), seconds(c2, rows[c].min),
		           seconds(c3, rows[c].max), most[0] ? "   " : "", most);
	}
}

/* The widest name, so that the columns of figures stand close. */
static int names_width(const struct profile_row *rows, uint32_t n)
{
	int width = (int)sizeof "function" - 1, w;
	uint32_t i;

	for (i = 0; i < n; i++) {
		w = snprintf(NULL, 0, "%s", mp_call_name(rows[i].call));
		if (w > width)
			width = w;
	}
	return width;
}

static void put_function(const struct profile *p, const struct profile_row *row, int width,
                         int flags, struct str *out)
{
	double all = p->makespan * p->ranks;
	char c0[CELL], c1[CELL], c2[CELL], c3[CELL], c4[CELL], c5[CELL];

	str_printf(out, "%s%-*s%s %12llu %8s %12s %12s %12s",
	           code(flags, class_color[call_class(row->call)]), width, mp_call_name(row->call),
	           code(flags, RESET), (unsigned long long)row->calls,
	           percent(c0, all > 0 ? row->time / all : 0), seconds(c1, row->mean),
	           seconds(c2, row->min), seconds(c3, row->max));
	str_printf(out, " %10s", percent(c4, row->imbalance));
	str_printf(out, " %8s", percent(c4, all > 0 ? row->wait / all : 0));
	str_printf(out, " %10s\n", bytes_of(c5, row->bytes));
}

static void put_functions(const struct profile *p, int flags, struct str *out)
{
	struct profile_row rows[CALL_CALLS];
	uint32_t i, n = profile_rows(p, rows);
	int width = names_width(rows, n);

	str_printf(out, "\n%s%-*s %12s %8s %12s %12s %12s %10s %8s %10s%s\n", code(flags, BOLD),
	           width, "function", "calls", "share", "mean/rank", "min", "max", "imbalance",
	           "waiting", "bytes", code(flags, RESET));
	for (i = 0; i < n; i++)
		put_function(p, &rows[i], width, flags, out);
}

static void put_ranks(const struct profile *p, int flags, struct str *out)
{
	const struct prof_class_row *rows = p->class_rows;
	double s[TIME_CLASSES];
	char cell[CELL];
	uint32_t r;
	int c;

	str_printf(out, "\n%s%8s", code(flags, BOLD), "rank");
	for (c = 0; c < TIME_CLASSES; c++)
		if (class_is_shown((enum time_class)c, rows[c].total))
			str_printf(out, " %15s", time_class_name((enum time_class)c));
	str_printf(out, "%s\n", code(flags, RESET));
	for (r = 0; r < p->ranks; r++) {
		profile_rank_classes(p, r, s);
		str_printf(out, "%8u", (unsigned)r);
		for (c = 0; c < TIME_CLASSES; c++)
			if (class_is_shown((enum time_class)c, rows[c].total))
				str_printf(out, " %15s", seconds(cell, s[c]));
		str_putc(out, '\n');
	}
}

void profile_text(const struct profile *p, int flags, struct str *out)
{
	char cell[CELL];

	str_printf(out, "%u rank%s, %s\n\n", (unsigned)p->ranks, p->ranks == 1 ? "" : "s",
	           seconds(cell, p->makespan));
	put_classes(p, flags, out);
	put_functions(p, flags, out);
	if (flags & PROFILE_PER_RANK)
		put_ranks(p, flags, out);
}
