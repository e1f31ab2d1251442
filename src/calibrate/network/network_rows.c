/* network_rows.c: measurements as the steps of the fit want them: by operation, found once; arrays
 * of sizes and durations, which a step may change, and which live as long as it does. Memory that
 * lacks is noted (fitting.lost), and no step is believed after it: it would take it for "not
 * measured". */
#include "network_int.h"

#include <stdlib.h>
#include <string.h>

int rows_index(struct fitting *w, struct err *err)
{
	const struct net_raw *raw = w->raw;
	uint32_t at[NET_OPS];

	w->by_op = malloc(((size_t)raw->n + 1) * sizeof *w->by_op);
	if (!w->by_op)
		return err_nomem(err, "measurements", raw->n * sizeof *w->by_op);
	for (uint32_t i = 0; i < raw->n; i++)
		w->first[raw->rows[i].op + 1]++;
	for (int op = 0; op < NET_OPS; op++) {
		w->first[op + 1] += w->first[op];
		at[op] = w->first[op];
	}
	for (uint32_t i = 0; i < raw->n; i++)
		w->by_op[at[raw->rows[i].op]++] = &raw->rows[i];
	return 0;
}

void *step_alloc(struct fitting *w, size_t count, size_t size)
{
	void *p = w->lost ? NULL : arena_alloc(&w->arena, (count + 1) * size, NULL);

	w->lost |= p == NULL;
	return p;
}

size_t rows_take(struct fitting *w, enum net_op op, int local, int far, double lo, double hi,
                 double **x, double **y)
{
	size_t count = rows_of(w, op), n = 0;

	*x = step_alloc(w, 2 * count + 1, sizeof **x);
	*y = *x ? *x + count + 1 : NULL;
	for (size_t i = 0; *x && i < count; i++) {
		const struct net_row *r = row_of(w, op, i);

		if ((local >= 0 && r->local != local) || (far >= 0 && r->far != far) ||
		    r->size < lo || r->size >= hi)
			continue;
		(*x)[n] = r->size;
		(*y)[n++] = r->duration;
	}
	return n;
}

/* The q-quantile of what `pairs` pairs of hosts took at once, of messages of *size; 0: nothing. */
double rows_quantile(struct fitting *w, enum net_op op, int far, int pairs, double q, double *size)
{
	double *v = step_alloc(w, rows_of(w, op), sizeof *v), m = 0;
	size_t n = 0;

	for (size_t i = 0; v && i < rows_of(w, op); i++) {
		const struct net_row *r = row_of(w, op, i);

		if (!r->local && r->far == far && r->pairs == pairs) {
			v[n++] = r->duration;
			*size = r->size;
		}
	}
	if (n) {
		fit_sort(v, n);
		m = fit_quantile(v, n, q);
	}
	return m;
}

int lines_find(struct fitting *w, const double *x, const double *y, size_t n,
               const struct fit_options *o, struct fit_segments *out, struct err *err)
{
	int r = fit_segments_find(x, y, n, o, out, err);

	w->lost |= r < 0 && err->kind == ERR_LIMIT;
	return r;
}
