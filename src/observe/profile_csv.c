/* profile_csv.c: the profile for R, pandas and spreadsheets: one line per rank and function. Two
 * lines per rank that are no function, (between calls) and (idle at the end), make the seconds of a
 * rank add up to the makespan. */
#include "profile_int.h"

static void put_line(struct str *out, uint32_t rank, const char *function, const char *class,
                     uint64_t calls, const double figures[3])
{
	int i;

	str_printf(out, "%u,%s,%s,%llu", (unsigned)rank, function, class,
	           (unsigned long long)calls);
	for (i = 0; i < 3; i++) {
		str_putc(out, ',');
		str_put_double(out, figures[i]);
	}
	str_putc(out, '\n');
}

static void put_rank(const struct profile *p, uint32_t rank, struct str *out)
{
	const struct prof_entry *e[CALL_CALLS];
	double idle = p->makespan - p->rank[rank].last;
	enum mp_call c;

	prof_rank_entries(p, rank, e);
	for (c = 0; c < CALL_CALLS; c++) {
		if (!e[c])
			continue;
		put_line(out, rank, mp_call_name(c), time_class_key(call_class(c)), e[c]->calls,
		         (double[]){e[c]->time, e[c]->wait, e[c]->bytes});
	}
	put_line(out, rank, "(between calls)", time_class_key(TIME_OTHER), 0,
	         (double[]){prof_rank_between(p, rank), 0, 0});
	put_line(out, rank, "(idle at the end)", time_class_key(TIME_IDLE), 0,
	         (double[]){idle, 0, 0});
}

void profile_csv(const struct profile *p, struct str *out)
{
	uint32_t r;

	BUG_ON(!p->ended);
	str_puts(out, "rank,function,class,calls,seconds,waiting,bytes\n");
	for (r = 0; r < p->ranks; r++)
		put_rank(p, r, out);
}

/* One of no rank, with the failure as its function: quotes are doubled, lines joined. */
void profile_csv_failure(const struct profile *p, const char *failure, struct str *out)
{
	str_puts(out, "-1,\"(failed: ");
	for (const char *c = failure; *c; c++)
		if (*c == '"')
			str_puts(out, "\"\"");
		else if (*c == '\n')
			str_puts(out, "; ");
		else
			str_putc(out, *c);
	str_puts(out, ")\",failure,0,");
	str_put_double(out, p->makespan);
	str_puts(out, ",0,0\n");
}
