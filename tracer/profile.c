/* profile.c: see profile.h. */
#include "profile.h"

#include "base/units.h"

#include <stdlib.h>

enum { ROWS = 40 }; /* a page */

static double counts_sum(const int64_t *v, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += (double)v[i];
	return sum;
}

/* What a rank gives; of what it only receives, that. */
static double bytes_of(const struct trace_event *ev)
{
	if (ev->n_counts > 0)
		return counts_sum(ev->counts, ev->n_counts) * (double)ev->type_size;
	switch (ev->op) {
	case TRACE_REDUCE_SCATTER: /* a part of what each rank gives is for each */
		return counts_sum(ev->counts2, ev->n_counts2) * (double)ev->type_size;
	case TRACE_IO_READ: /* the operating system counts bytes */
	case TRACE_IO_WRITE:
		return (double)ev->count;
	case TRACE_FETCH_AND_OP: /* of one element */
	case TRACE_COMPARE_AND_SWAP:
		return (double)ev->type_size;
	case TRACE_IPROBE:
		return 0;
	case TRACE_SCATTER: /* only the root gives */
	case TRACE_SCATTERV:
		if (ev->count <= 0)
			return (double)ev->count2 * (double)ev->type_size2;
		break;
	default:
		break;
	}
	if (ev->count <= 0 || ev->count == TRACE_COUNT_ANY)
		return 0;
	return (double)ev->count * (double)ev->type_size;
}

void profile_add(struct profile *p, const struct trace_event *ev)
{
	p->calls[ev->op]++;
	p->seconds[ev->op] += ev->duration > 0 ? ev->duration : 0;
	p->bytes[ev->op] += bytes_of(ev);
}

void profile_compute(struct profile *p, double volume, double duration)
{
	p->calls[TRACE_COMPUTE]++;
	p->seconds[TRACE_COMPUTE] += duration > 0 ? duration : 0;
	p->volume += volume;
}

struct row {
	int op;
	double seconds, calls;
};

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return x->op - y->op;
}

static int rows_make(struct row *row, const struct profile *sum)
{
	int n = 0;

	for (int op = 0; op < TRACE_OPS; op++)
		if (sum->calls[op] > 0)
			row[n++] = (struct row){op, sum->seconds[op], sum->calls[op]};
	qsort(row, (size_t)n, sizeof *row, by_time);
	return n;
}

static const char *row_name(int op)
{
	const char *mpi = trace_op_mpi((enum trace_op)op);

	return *mpi ? mpi : trace_op_name((enum trace_op)op);
}

static double total(const struct profile *p)
{
	double t = 0;

	for (int op = 0; op < TRACE_OPS; op++)
		t += p->seconds[op];
	return t;
}

void profile_format(struct str *out, const struct profile *sum, const struct profile *least,
                    const struct profile *most, int ranks)
{
	struct row row[TRACE_OPS];
	double all = total(sum);
	int n = rows_make(row, sum);

	str_printf(out, "%-28s %10s %10s %10s %11s %6s %10s %10s\n", "", "calls", "bytes",
	           "us each", "seconds", "%", "least", "most");
	for (int i = 0; i < n && i < ROWS; i++) {
		int op = row[i].op;
		char bytes[32] = "";

		if (sum->bytes[op] > 0)
			fmt_si(bytes, sizeof bytes, sum->bytes[op], "B");
		str_printf(out, "%-28s %10.0f %10s %10.3f %11.6f %6.2f %10.6f %10.6f\n",
		           row_name(op), sum->calls[op], bytes,
		           sum->seconds[op] / sum->calls[op] * 1e6, sum->seconds[op],
		           all > 0 ? 100 * sum->seconds[op] / all : 0, least->seconds[op],
		           most->seconds[op]);
	}
	if (n > ROWS)
		str_printf(out, "and %d others\n", n - ROWS);
	str_printf(out, "computed in all: %.4g, %.4g to %.4g a rank; balance (mean / most): %.3f\n",
	           sum->volume, least->volume, most->volume,
	           most->volume > 0 ? sum->volume / ranks / most->volume : 1);
}
