/* histogram.c: see histogram.h. */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS_MOST = 1 << 16, FINE = 99 /* per cent, of what forced bins are made from */ };

void histogram_init(struct histogram *h, int precision)
{
	int fine = precision > 0 ? precision : FINE;

	*h = (struct histogram){.ratio = 100.0 / (fine < 100 ? fine : FINE)};
}

void histogram_release(struct histogram *h)
{
	free(h->bin);
	*h = (struct histogram){0};
}

/* Room for bin k: those between are empty. */
static int bin_reserve(struct histogram *h, int32_t k, struct err *err)
{
	int32_t first = h->bins && h->first < k ? h->first : k;
	int32_t last = h->bins && h->first + (int32_t)h->bins - 1 > k
	                   ? h->first + (int32_t)h->bins - 1
	                   : k;
	uint32_t bins = (uint32_t)(last - first + 1), shift;
	uint32_t *bin;

	if (h->bins && first == h->first && bins == h->bins)
		return 0;
	bin = vec_grow(h->bin, &h->cap, sizeof *bin, bins, "a histogram", err);
	if (!bin)
		return -1;
	shift = h->bins ? (uint32_t)(h->first - first) : 0;
	memmove(bin + shift, bin, h->bins * sizeof *bin);
	memset(bin, 0, shift * sizeof *bin);
	memset(bin + shift + h->bins, 0, (bins - shift - h->bins) * sizeof *bin);
	h->bin = bin;
	h->first = first;
	h->bins = bins;
	return 0;
}

int histogram_add(struct histogram *h, double v, uint32_t rank, struct err *err)
{
	int32_t k;

	v = v > 0 ? v : 0;
	if (h->n == 0 || v < h->least) {
		h->least = v;
		h->least_rank = rank;
	}
	if (h->n == 0 || v > h->most) {
		h->most = v;
		h->most_rank = rank;
	}
	h->n++;
	h->sum += v;
	h->squares += v * v;
	if (!(v > 0) || !isfinite(v)) {
		h->zeros++;
		return 0;
	}
	k = (int32_t)floor(log(v) / log(h->ratio));
	if (bin_reserve(h, k, err) < 0)
		return -1;
	h->bin[k - h->first]++;
	return 0;
}

/* --- written: number, extremes, moments, then a column each of the bins' ends (indices on the
 * grid) and of their counts; bins without any value are left out --- */

static void double_put(struct str *s, double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof bits);
	for (int i = 0; i < 8; i++)
		str_putc(s, (char)(bits >> 8 * i));
}

/* The bins as they are, or, forced, put together to five of nearly the same weight. */
static uint32_t bins_choose(const struct histogram *h, int precision, int64_t *low, int64_t *high,
                            int64_t *count)
{
	uint64_t left = h->n - h->zeros, most = left;
	uint32_t n = 0;
	uint64_t in = 0;

	if (precision == 0)
		most = (left + HISTOGRAM_FORCED_BINS - 1) / HISTOGRAM_FORCED_BINS;
	for (uint32_t i = 0; i < h->bins; i++) {
		int joins = precision == 0 && n > 0 && in < most;

		if (h->bin[i] == 0)
			continue;
		if (!joins) {
			low[n] = h->first + (int64_t)i;
			count[n++] = 0;
			in = 0;
		}
		high[n - 1] = h->first + (int64_t)i + 1;
		count[n - 1] += h->bin[i];
		in += h->bin[i];
	}
	return n;
}

void histogram_write(const struct histogram *h, int precision, struct str *out)
{
	double mean = h->n ? h->sum / (double)h->n : 0;
	double variance = h->n ? h->squares / (double)h->n - mean * mean : 0;
	int64_t *low = malloc((3 * (size_t)h->bins + 1) * sizeof *low);
	uint32_t n;

	if (!low) {
		out->failed = 1;
		return;
	}
	n = bins_choose(h, precision, low, low + h->bins, low + 2 * (size_t)h->bins);
	varint_put(out, h->n);
	varint_put(out, h->zeros);
	varint_put(out, h->least_rank);
	varint_put(out, h->most_rank);
	double_put(out, h->least);
	double_put(out, h->most);
	double_put(out, mean);
	double_put(out, variance > 0 ? sqrt(variance) : 0);
	double_put(out, h->ratio);
	varint_put(out, n);
	column_put(out, low, n);
	for (uint32_t i = 0; i < n; i++)
		low[i] = low[h->bins + i] - low[i];
	column_put(out, low, n);
	column_put(out, low + 2 * (size_t)h->bins, n);
	free(low);
}

/* --- read --- */

static const uint8_t *double_get(const uint8_t *p, const uint8_t *end, double *v)
{
	uint64_t bits = 0;

	if (end - p < 8)
		return NULL;
	for (int i = 0; i < 8; i++)
		bits |= (uint64_t)p[i] << 8 * i;
	memcpy(v, &bits, sizeof bits);
	return isfinite(*v) && *v >= 0 ? p + 8 : NULL;
}

static const uint8_t *head_read(struct bins *b, const uint8_t *p, const uint8_t *end,
                                uint64_t *zeros, double *ratio, uint64_t *n)
{
	uint64_t least = 0, most = 0;

	p = varint_get(p, end, &b->n);
	p = p ? varint_get(p, end, zeros) : NULL;
	p = p ? varint_get(p, end, &least) : NULL;
	p = p ? varint_get(p, end, &most) : NULL;
	p = p ? double_get(p, end, &b->least) : NULL;
	p = p ? double_get(p, end, &b->most) : NULL;
	p = p ? double_get(p, end, &b->mean) : NULL;
	p = p ? double_get(p, end, &b->deviation) : NULL;
	p = p ? double_get(p, end, ratio) : NULL;
	p = p ? varint_get(p, end, n) : NULL;
	b->least_rank = (uint32_t)least;
	b->most_rank = (uint32_t)most;
	return p && *ratio > 1 && *n < BINS_MOST && *zeros <= b->n && b->n < (uint64_t)1 << 53
	           ? p
	           : NULL;
}

static double clipped(const struct bins *b, double v)
{
	return v < b->least ? b->least : v > b->most ? b->most : v;
}

/* In a bin, values are drawn so that their logarithms are uniform: its density falls as a tail's
 * does, and a bin may be wide. */
static double bin_mean(const struct bins *b, uint32_t i)
{
	double low = b->low[i], high = b->high[i];

	return low > 0 && high > low ? (high - low) / log(high / low) : low;
}

/* What the bins give on average, zeros included, against the mean that is known. */
static void scale_set(struct bins *b)
{
	double mean = 0, before = 0;

	for (uint32_t i = 0; i < b->bins; i++) {
		mean += (b->upto[i] - before) * bin_mean(b, i);
		before = b->upto[i];
	}
	b->scale = mean > 0 ? b->mean / mean : 1;
}

const uint8_t *bins_read(struct bins *b, const uint8_t *p, const uint8_t *end, struct arena *a,
                         struct err *err)
{
	const uint8_t *low, *width, *count;
	uint64_t zeros = 0, n = 0, total;
	double ratio = 0, seen;

	err->kind = ERR_NONE;
	low = head_read(b, p, end, &zeros, &ratio, &n);
	width = low ? column_check(low, end, n) : NULL;
	count = width ? column_check(width, end, n) : NULL;
	p = count ? column_check(count, end, n) : NULL;
	if (!p)
		return NULL;
	b->bins = (uint32_t)n + 1;
	b->low = arena_alloc(a, 3 * b->bins * sizeof *b->low, err);
	if (!b->low)
		return NULL;
	b->high = b->low + b->bins;
	b->upto = b->high + b->bins;
	total = zeros;
	for (uint64_t i = 0; i < n; i++) {
		int64_t c = column_get(count, i);

		if (c < 0 || c > (int64_t)b->n)
			return NULL;
		total += (uint64_t)c;
	}
	seen = (double)zeros;
	b->upto[0] = total ? seen / (double)total : 1;
	for (uint32_t i = 1; i < b->bins; i++) {
		double at = (double)column_get(low, i - 1);

		seen += (double)column_get(count, i - 1);
		b->low[i] = clipped(b, pow(ratio, at));
		b->high[i] = clipped(b, pow(ratio, at + (double)column_get(width, i - 1)));
		b->upto[i] = total ? seen / (double)total : 1;
	}
	scale_set(b);
	return p;
}

static double unit(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return (double)(hash_mix(*state) >> 11) * 0x1p-53;
}

double bins_draw(const struct bins *b, uint64_t seed, uint32_t rank, uint32_t place, uint64_t i)
{
	uint64_t state = hash_mix(hash_mix(seed ^ (uint64_t)rank << 32 ^ place) ^ i);
	double u = unit(&state);
	uint32_t low = 0, high = b->bins - 1;

	if (b->least >= b->most)
		return b->least;
	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (b->upto[mid] > u)
			high = mid;
		else
			low = mid + 1;
	}
	u = unit(&state);
	return b->low[low] > 0 ? b->scale * b->low[low] * pow(b->high[low] / b->low[low], u) : 0;
}
