/* histogram.c: see histogram.h. */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	BINS_MOST = 128,
	FINE = 99, /* per cent, of what forced bins are made from */
	TILTS = 8, /* a tilt is written in eighths, */
	TILT_MOST = 64
};
enum form { FORM_BINS, FORM_VALUES, FORM_OUTLIERS };

static double ratio_of(int precision)
{
	return 100.0 / (precision > 0 && precision < 100 ? precision : FINE);
}

static uint64_t bins_of(int precision)
{
	uint64_t bins = (uint64_t)(100 + 99 - precision) / (uint64_t)(100 - precision);

	return bins > HISTOGRAM_FORCED_BINS ? bins : HISTOGRAM_FORCED_BINS;
}

void histogram_init(struct histogram *h, int precision)
{
	*h = (struct histogram){.ratio = ratio_of(precision)};
}

void histogram_release(struct histogram *h)
{
	free(h->cell);
	*h = (struct histogram){0};
}

/* Room for cell k: those between are empty. */
static int cell_reserve(struct histogram *h, int32_t k, struct err *err)
{
	int32_t first = h->cells && h->first < k ? h->first : k;
	int32_t last = h->cells && h->first + (int32_t)h->cells - 1 > k
	                   ? h->first + (int32_t)h->cells - 1
	                   : k;
	uint32_t cells = (uint32_t)(last - first + 1), shift;
	struct histogram_cell *cell;

	if (h->cells && first == h->first && cells == h->cells)
		return 0;
	cell = vec_grow(h->cell, &h->cap, sizeof *cell, cells, "a histogram", err);
	if (!cell)
		return -1;
	shift = h->cells ? (uint32_t)(h->first - first) : 0;
	memmove(cell + shift, cell, h->cells * sizeof *cell);
	memset(cell, 0, shift * sizeof *cell);
	memset(cell + shift + h->cells, 0, (cells - shift - h->cells) * sizeof *cell);
	h->cell = cell;
	h->first = first;
	h->cells = cells;
	return 0;
}

/* Among the values, as long as there is room. */
static void value_add(struct histogram *h, double v, uint64_t times)
{
	uint32_t i = 0;

	if (h->values > HISTOGRAM_TABLE)
		return;
	while (i < h->values && h->value[i] < v)
		i++;
	if (i < h->values && h->value[i] == v) {
		h->count[i] += times;
		return;
	}
	if (h->values++ == HISTOGRAM_TABLE)
		return;
	memmove(&h->value[i + 1], &h->value[i], (h->values - 1 - i) * sizeof *h->value);
	memmove(&h->count[i + 1], &h->count[i], (h->values - 1 - i) * sizeof *h->count);
	h->value[i] = v;
	h->count[i] = times;
}

int histogram_add(struct histogram *h, double v, uint64_t times, uint32_t rank, struct err *err)
{
	int32_t k;

	if (times == 0)
		return 0;
	v = isfinite(v) ? v : 0;
	if (h->n == 0 || v < h->least) {
		h->least = v;
		h->least_rank = rank;
	}
	if (h->n == 0 || v > h->most) {
		h->most = v;
		h->most_rank = rank;
	}
	h->n += times;
	h->sum += v * (double)times;
	h->squares += v * v * (double)times;
	value_add(h, v, times);
	if (!(v > 0)) {
		h->zeros += times;
		return 0;
	}
	k = (int32_t)floor(log(v) / log(h->ratio));
	if (cell_reserve(h, k, err) < 0)
		return -1;
	h->cell[k - h->first].n += times;
	h->cell[k - h->first].sum += v * (double)times;
	return 0;
}

int histogram_fits(const struct histogram *h)
{
	return h->least >= 0 || h->values <= HISTOGRAM_TABLE;
}

int histogram_is_near(const struct histogram *h, int precision)
{
	double far = fmax(fabs(h->least), fabs(h->most));

	return precision == 0 || 100 * (h->most - h->least) <= (100 - precision) * far;
}

/* --- in a bin --- */

/* The mean of a density x^(-1 - tilt) over [1, r]. */
static double tilted_mean(double tilt, double r)
{
	double a = tilt + 1e-7, l = log(r);

	if (!(l > 0))
		return 1;
	return a / (a - 1) * expm1((1 - a) * l) / expm1(-a * l);
}

/* The tilt, in eighths, that gives this mean: the mean falls as the tilt rises. */
static int tilt_find(double mean, double r)
{
	int low = -TILT_MOST, high = TILT_MOST;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if (tilted_mean((double)mid / TILTS, r) > mean)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* --- written: number, extremes, moments, then the values or the bins --- */

static void double_put(struct str *s, double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof bits);
	doubles_put(s, &bits, 1);
}

static void float_put(struct str *s, double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	for (int i = 0; i < 4; i++)
		str_putc(s, (char)(bits >> 8 * i));
}

static void head_write(const struct histogram *h, struct str *out)
{
	double mean = h->n ? h->sum / (double)h->n : 0;
	double variance = h->n ? h->squares / (double)h->n - mean * mean : 0;

	varint_put(out, h->n);
	varint_put(out, h->least_rank);
	varint_put(out, h->most_rank);
	double_put(out, h->least);
	double_put(out, h->most);
	float_put(out, mean);
	float_put(out, variance > 0 ? sqrt(variance) : 0);
}

static void values_write(const struct histogram *h, struct str *out)
{
	int64_t v[HISTOGRAM_TABLE];

	str_putc(out, FORM_VALUES);
	varint_put(out, h->values);
	memcpy(v, h->value, h->values * sizeof *v);
	doubles_put(out, v, h->values);
	memcpy(v, h->count, h->values * sizeof *v);
	column_put(out, v, h->values);
}

/* The cell that has the value with this number, in their order; *before: values in cells before. */
static uint32_t cell_of(const struct histogram *h, uint64_t number, uint64_t *before)
{
	uint32_t i = 0;

	*before = 0;
	while (i + 1 < h->cells && *before + h->cell[i].n <= number)
		*before += h->cell[i++].n;
	return i;
}

/* The sum of the values before the one with this number; of a cell, a part in proportion. */
static double sum_before(const struct histogram *h, uint64_t number)
{
	uint64_t before;
	uint32_t last = cell_of(h, number, &before);
	double sum = 0;

	for (uint32_t i = 0; i < last; i++)
		sum += h->cell[i].sum;
	return sum + (h->cell[last].n
	                  ? h->cell[last].sum * (double)(number - before) / (double)h->cell[last].n
	                  : 0);
}

static double clipped(double least, double most, double v)
{
	return v < least ? least : v > most ? most : v;
}

/* Where a bin of the cells [from, to] lies. */
static void bin_ends(double ratio, double least, double most, int64_t from, int64_t to, double *low,
                     double *high)
{
	*low = clipped(least, most, pow(ratio, (double)from));
	*high = clipped(least, most, pow(ratio, (double)to + 1));
}

static void bins_write(const struct histogram *h, int precision, struct str *out)
{
	uint64_t left = h->n - h->zeros, bins = bins_of(precision), before;
	int64_t limit[BINS_MOST + 1], step[BINS_MOST], tilt[BINS_MOST];

	bins = bins < left ? bins : left;
	for (uint64_t b = 0; b <= bins && bins; b++)
		limit[b] = h->first + (int64_t)cell_of(h, b * left / bins - (b == bins), &before);
	for (uint64_t b = 0; b < bins; b++) {
		uint64_t from = b * left / bins, to = (b + 1) * left / bins;
		double mean = (sum_before(h, to) - sum_before(h, from)) / (double)(to - from);
		double low, high;

		bin_ends(h->ratio, h->least > 0 ? h->least : 0, h->most, limit[b], limit[b + 1],
		         &low, &high);
		step[b] = limit[b + 1] - limit[b];
		tilt[b] = step[b] > 1 && high > low ? tilt_find(mean / low, high / low) : 0;
	}
	str_putc(out, FORM_BINS);
	varint_put(out, h->zeros);
	varint_put(out, bins);
	if (bins == 0)
		return;
	zigzag_put(out, limit[0]);
	column_put(out, step, bins);
	column_put(out, tilt, bins);
}

/* The cells without so many outliers. */
static struct histogram_cell *cells_left(const struct histogram *h, uint32_t outliers)
{
	struct histogram_cell *cell = malloc(h->cells * sizeof *cell);

	if (cell)
		memcpy(cell, h->cell, h->cells * sizeof *cell);
	for (uint32_t i = 0; cell && i < outliers; i++) {
		double v = h->top.at[i].v;
		int32_t k = (int32_t)floor(log(v) / log(h->ratio)) - h->first;

		cell[k].n--;
		cell[k].sum -= v;
	}
	return cell;
}

static void outliers_apart(const struct histogram *h, int precision, uint32_t outliers,
                           struct str *out)
{
	struct histogram left = *h;

	left.cell = cells_left(h, outliers);
	if (!left.cell) {
		out->failed = 1;
		return;
	}
	str_putc(out, FORM_OUTLIERS);
	outliers_write(&h->top, outliers, h->ratio, out);
	left.n -= outliers;
	while (left.cells > 1 && left.cell[left.cells - 1].n == 0)
		left.cells--;
	bins_write(&left, precision, out);
	free(left.cell);
}

void histogram_write(const struct histogram *h, int precision, double outlier, struct str *out)
{
	uint32_t outliers = outliers_count(&h->top, h->n, h->sum, outlier);

	head_write(h, out);
	if (h->values <= HISTOGRAM_TABLE)
		values_write(h, out);
	else if (outliers > 0)
		outliers_apart(h, precision, outliers, out);
	else
		bins_write(h, precision, out);
}

/* --- read --- */

static const uint8_t *double_get(const uint8_t *p, const uint8_t *end, double *v)
{
	const uint8_t *next = doubles_check(p, end, 1);
	int64_t bits;

	if (!next)
		return NULL;
	bits = doubles_get(p, 0);
	memcpy(v, &bits, sizeof bits);
	return isfinite(*v) ? next : NULL;
}

static const uint8_t *float_get(const uint8_t *p, const uint8_t *end, double *v)
{
	uint32_t bits = 0;
	float f;

	if (end - p < 4)
		return NULL;
	for (int i = 0; i < 4; i++)
		bits |= (uint32_t)p[i] << 8 * i;
	memcpy(&f, &bits, sizeof bits);
	*v = (double)f;
	return isfinite(f) ? p + 4 : NULL;
}

static const uint8_t *head_read(struct bins *b, const uint8_t *p, const uint8_t *end)
{
	uint64_t least = 0, most = 0;

	p = varint_get(p, end, &b->n);
	p = p ? varint_get(p, end, &least) : NULL;
	p = p ? varint_get(p, end, &most) : NULL;
	p = p ? double_get(p, end, &b->least) : NULL;
	p = p ? double_get(p, end, &b->most) : NULL;
	p = p ? float_get(p, end, &b->mean) : NULL;
	p = p ? float_get(p, end, &b->deviation) : NULL;
	b->least_rank = (uint32_t)least;
	b->most_rank = (uint32_t)most;
	return p && b->n < (uint64_t)1 << 53 && b->least <= b->most ? p : NULL;
}

static int bins_room(struct bins *b, uint32_t n, struct arena *a, struct err *err)
{
	b->bins = n;
	b->low = arena_alloc(a, 4 * (size_t)n * sizeof *b->low, err);
	if (!b->low)
		return -1;
	b->high = b->low + n;
	b->upto = b->high + n;
	b->tilt = b->upto + n;
	return 0;
}

static const uint8_t *values_read(struct bins *b, const uint8_t *p, const uint8_t *end,
                                  struct arena *a, struct err *err)
{
	const uint8_t *value, *count;
	uint64_t n = 0, total = 0;

	value = varint_get(p, end, &n);
	if (!value || n > HISTOGRAM_TABLE)
		return NULL;
	count = doubles_check(value, end, n);
	p = count ? column_check(count, end, n) : NULL;
	if (!p || bins_room(b, (uint32_t)n + 1, a, err) < 0)
		return NULL;
	b->tilt = NULL;
	b->bins = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++) {
		int64_t c = column_get(count, i), bits = doubles_get(value, i);

		if (c < 0 || (uint64_t)c > b->n - total)
			return NULL;
		total += (uint64_t)c;
		memcpy(&b->low[i], &bits, sizeof bits);
		if (!isfinite(b->low[i]) || b->low[i] < b->least || b->low[i] > b->most)
			return NULL;
		b->high[i] = b->low[i];
		b->upto[i] = (double)total / (double)b->n;
	}
	return total == b->n ? p : NULL;
}

/* What the bins give on average, zeros included, against the mean that is known. */
static void scale_set(struct bins *b)
{
	double left = b->mean * (double)b->n - b->out.sum, known = left / (double)(b->n - b->out.n);
	double mean = 0, before = 0;

	for (uint32_t i = 0; i < b->bins; i++) {
		double low = b->low[i];

		if (low > 0)
			mean += (b->upto[i] - before) * low *
			        tilted_mean(b->tilt[i], b->high[i] / low);
		before = b->upto[i];
	}
	b->scale = mean > 0 && known > 0 ? known / mean : 1;
}

static const uint8_t *limits_read(struct bins *b, int precision, const uint8_t *p,
                                  const uint8_t *end, uint64_t n, uint64_t zeros)
{
	const uint8_t *step, *tilt;
	double none = (double)zeros / (double)(b->n - b->out.n);
	int64_t at = 0;

	step = zigzag_get(p, end, &at);
	tilt = step ? column_check(step, end, n) : NULL;
	p = tilt ? column_check(tilt, end, n) : NULL;
	if (!p || at < -(1 << 24) || at > 1 << 24)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		int64_t s = column_get(step, i), t = column_get(tilt, i);

		if (s < 0 || s > 1 << 24 || t < -TILT_MOST || t > TILT_MOST)
			return NULL;
		bin_ends(ratio_of(precision), b->least > 0 ? b->least : 0, b->most, at, at + s,
		         &b->low[i + 1], &b->high[i + 1]);
		b->upto[i + 1] = none + (1 - none) * (double)(i + 1) / (double)n;
		b->tilt[i + 1] = (double)t / TILTS;
		at += s;
	}
	return p;
}

static const uint8_t *bins_get(struct bins *b, int precision, const uint8_t *p, const uint8_t *end,
                               struct arena *a, struct err *err)
{
	uint64_t zeros = 0, n = 0;

	p = varint_get(p, end, &zeros);
	p = p ? varint_get(p, end, &n) : NULL;
	if (!p || n > BINS_MOST || b->n <= b->out.n || zeros > b->n - b->out.n || b->least < 0 ||
	    bins_room(b, (uint32_t)n + 1, a, err) < 0)
		return NULL;
	b->low[0] = b->high[0] = b->tilt[0] = 0;
	b->upto[0] = n ? (double)zeros / (double)(b->n - b->out.n) : 1;
	p = n ? limits_read(b, precision, p, end, n, zeros) : p;
	if (p)
		scale_set(b);
	return p;
}

const uint8_t *bins_read(struct bins *b, int precision, const uint8_t *p, const uint8_t *end,
                         struct arena *a, struct err *err)
{
	err->kind = ERR_NONE;
	*b = (struct bins){.scale = 1};
	p = head_read(b, p, end);
	if (!p || p == end)
		return NULL;
	switch (*p++) {
	case FORM_BINS:
		return bins_get(b, precision, p, end, a, err);
	case FORM_VALUES:
		return values_read(b, p, end, a, err);
	case FORM_OUTLIERS:
		p = outliers_read(&b->out, ratio_of(precision), p, end, a, err);
		return p && p < end && *p == FORM_BINS ? bins_get(b, precision, p + 1, end, a, err)
		                                       : NULL;
	default:
		return NULL;
	}
}

/* --- drawing --- */

static double unit(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return (double)(hash_mix(*state) >> 11) * 0x1p-53;
}

static double bin_draw(const struct bins *b, uint32_t i, double u)
{
	double low = b->low[i], ratio = b->high[i] / low, a = b->tilt[i];
	double v = a == 0 ? low * pow(ratio, u) : low * pow(1 + u * expm1(-a * log(ratio)), -1 / a);

	return clipped(b->least, b->most, b->scale * v);
}

double bins_draw(const struct bins *b, uint64_t seed, uint32_t rank, uint32_t place, uint64_t i)
{
	uint64_t state = hash_mix(hash_mix(seed ^ (uint64_t)rank << 32 ^ place) ^ i);
	const struct outlier *out = b->out.n ? outliers_find(&b->out, rank, place, i) : NULL;
	double u = unit(&state);
	uint32_t low = 0, high = b->bins ? b->bins - 1 : 0;

	if (out) /* its place on the grid may be above the greatest */
		return clipped(b->least, b->most, out->v);
	if (b->bins == 0 || b->least >= b->most)
		return b->least;
	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (b->upto[mid] > u)
			high = mid;
		else
			low = mid + 1;
	}
	if (!b->tilt)
		return b->low[low];
	return b->low[low] > 0 ? bin_draw(b, low, unit(&state)) : 0;
}
