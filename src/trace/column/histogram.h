/* histogram.h: the values of one parameter at one place of a program, all ranks together, under a
 * precision level: where they are few, each with its count; else bins that hold the same number of
 * values each (so many that a bin has 100 - precision per cent of them; five at 0), whose limits
 * are on a grid of steps of 100 - precision per cent. So a value that is drawn is within so many
 * per cent of one that was there, or of its place among them. With them: how many, the least, the
 * greatest and who had them, the mean, the deviation.
 *
 * What is drawn from one is a function of (seed, rank, place, how often it was reached): every rank
 * draws the same values in every run, and whoever asks in whatever order. The mean of what is drawn
 * is that of what was put in. */
#ifndef ORRERY_TRACE_HISTOGRAM_H
#define ORRERY_TRACE_HISTOGRAM_H

#include "outliers.h"

enum { HISTOGRAM_FORCED_BINS = 5, HISTOGRAM_TABLE = 32 };

struct histogram {
	double ratio; /* between the ends of a cell of the grid */
	double least, most, sum, squares;
	uint32_t least_rank, most_rank;
	uint64_t n, zeros;
	/* cell[i]: values from ratio^(first + i) on */
	struct histogram_cell {
		uint64_t n;
		double sum;
	} * cell;
	int32_t first;
	uint32_t cells, cap;
	/* The values, sorted, as long as they are few: else values is more than there is room. */
	double value[HISTOGRAM_TABLE];
	uint64_t count[HISTOGRAM_TABLE];
	uint32_t values;
	struct outliers top;
	double level; /* about where its values are, for whoever keeps it */
};
void histogram_init(struct histogram *h, int precision);
void histogram_release(struct histogram *h);
int histogram_add(struct histogram *h, double v, uint64_t times, uint32_t rank, struct err *err);
/* Whether it can be written: no negative value is among many. */
int histogram_fits(const struct histogram *h);
/* Whether all values are within 100 - precision per cent of each other (of the one that is further
 * from 0); under 0 always. */
int histogram_is_near(const struct histogram *h, int precision);
/* outlier: what is at least so great may be kept where it was (0: nothing is). */
void histogram_write(const struct histogram *h, int precision, double outlier, struct str *out);

/* One that is read: bins as cumulative weights. */
struct bins {
	double least, most, mean, deviation, scale;
	uint32_t least_rank, most_rank;
	uint64_t n;
	uint32_t bins;
	double *low, *high, *upto; /* of each bin; upto: the share of values in it and before it */
	struct outliers_read out;
	double *tilt; /* the density in a bin falls as x^(-1 - tilt); NULL: low is the value */
};
/* p: the histogram, written under this precision. */
const uint8_t *bins_read(struct bins *b, int precision, const uint8_t *p, const uint8_t *end,
                         struct arena *a, struct err *err);
double bins_draw(const struct bins *b, uint64_t seed, uint32_t rank, uint32_t place, uint64_t i);

#endif
