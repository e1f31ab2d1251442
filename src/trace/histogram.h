/* histogram.h: volumes and durations of one place of a program, all ranks together, under a
 * precision level: bins whose ends differ by at most 100 - precision per cent, on a logarithmic
 * grid; at 0, five bins of the same weight. With them: how many, the least, the greatest and who
 * had them, the mean, the deviation.
 *
 * What is drawn from one is a function of (seed, rank, place, how often it was reached): every rank
 * draws the same values in every run, and whoever asks in whatever order. The mean of what is drawn
 * is that of what was put in. */
#ifndef ORRERY_TRACE_HISTOGRAM_H
#define ORRERY_TRACE_HISTOGRAM_H

#include "column.h"

enum { HISTOGRAM_FORCED_BINS = 5 };

struct histogram {
	double ratio; /* between the ends of a bin */
	double least, most, sum, squares;
	uint32_t least_rank, most_rank;
	uint64_t n, zeros;
	/* bins[i]: values from ratio^(first + i) on */
	uint32_t *bin;
	int32_t first;
	uint32_t bins, cap;
};
void histogram_init(struct histogram *h, int precision);
void histogram_release(struct histogram *h);
/* v >= 0 (what is less counts as 0). */
int histogram_add(struct histogram *h, double v, uint32_t rank, struct err *err);
void histogram_write(const struct histogram *h, int precision, struct str *out);

/* One that is read: bins as cumulative weights. */
struct bins {
	double least, most, mean, deviation, scale;
	uint32_t least_rank, most_rank;
	uint64_t n;
	uint32_t bins;
	double *low, *high, *upto; /* of each bin; upto: the share of values in it and before it */
};
const uint8_t *bins_read(struct bins *b, const uint8_t *p, const uint8_t *end, struct arena *a,
                         struct err *err);
double bins_draw(const struct bins *b, uint64_t seed, uint32_t rank, uint32_t place, uint64_t i);

#endif
