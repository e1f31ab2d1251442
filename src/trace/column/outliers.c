/* outliers.c: see outliers.h. */
#include "outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 8 /* times the mean of the others */ };

void outliers_note(struct outliers *o, const struct outlier *x)
{
	uint32_t k = o->n;

	if (k == OUTLIERS_MOST && !(x->v > o->at[k - 1].v))
		return;
	if (k == OUTLIERS_MOST)
		k--;
	else
		o->n++;
	for (; k > 0 && x->v > o->at[k - 1].v; k--)
		o->at[k] = o->at[k - 1];
	o->at[k] = *x;
}

uint32_t outliers_count(const struct outliers *o, uint64_t n, double sum, double least)
{
	uint32_t count = 0;
	double mean;

	for (uint32_t i = 0; i < o->n; i++)
		sum -= o->at[i].v;
	if (n <= 2 * (uint64_t)o->n || !(least > 0))
		return 0;
	mean = sum > 0 ? sum / (double)(n - o->n) : 0;
	while (count < o->n && o->at[count].v >= least && o->at[count].v > FAR * mean)
		count++;
	return count;
}

static int place_compare(const struct outlier *x, const struct outlier *y)
{
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

static int by_place(const void *a, const void *b)
{
	return place_compare(a, b);
}

void outliers_write(const struct outliers *o, uint32_t count, double ratio, struct str *out)
{
	struct outlier at[OUTLIERS_MOST];
	int64_t column[4][OUTLIERS_MOST];

	memcpy(at, o->at, count * sizeof *at);
	qsort(at, count, sizeof *at, by_place);
	for (uint32_t k = 0; k < count; k++) {
		column[0][k] = at[k].rank;
		column[1][k] = at[k].slot;
		column[2][k] = (int64_t)at[k].i;
		column[3][k] = (int64_t)floor(log(at[k].v) / log(ratio));
	}
	varint_put(out, count);
	for (int c = 0; c < 4; c++)
		column_put(out, column[c], count);
}

const uint8_t *outliers_read(struct outliers_read *o, double ratio, const uint8_t *p,
                             const uint8_t *end, struct arena *a, struct err *err)
{
	const uint8_t *column[4];
	uint64_t n = 0;

	p = varint_get(p, end, &n);
	if (!p || n == 0 || n > OUTLIERS_MOST)
		return NULL;
	for (int c = 0; c < 4; c++) {
		column[c] = p;
		p = p ? column_check(p, end, n) : NULL;
	}
	o->at = p ? arena_alloc(a, n * sizeof *o->at, err) : NULL;
	if (!o->at)
		return NULL;
	o->n = (uint32_t)n;
	for (uint32_t k = 0; k < n; k++) {
		int64_t rank = column_get(column[0], k), slot = column_get(column[1], k),
		        cell = column_get(column[3], k);

		if (rank < 0 || rank > UINT32_MAX || slot < 0 || slot > UINT32_MAX ||
		    cell < -(1 << 24) || cell > 1 << 24)
			return NULL;
		o->at[k] = (struct outlier){pow(ratio, (double)cell + 0.5), (uint32_t)rank,
		                            (uint32_t)slot, (uint64_t)column_get(column[2], k)};
		if (!isfinite(o->at[k].v) || (k && place_compare(&o->at[k - 1], &o->at[k]) >= 0))
			return NULL;
		o->sum += o->at[k].v;
	}
	return p;
}

const struct outlier *outliers_find(const struct outliers_read *o, uint32_t rank, uint32_t slot,
                                    uint64_t i)
{
	const struct outlier x = {0, rank, slot, i};
	uint32_t low = 0, high = o->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;
		int c = place_compare(&o->at[mid], &x);

		if (c == 0)
			return &o->at[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
