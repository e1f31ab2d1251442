/* fit_capacity.c: how much a link, or a switch, carries, from when flows through it ended.
 *
 * What some want more of than it has is never idle: as long as those that have not ended could take
 * more than its capacity it carries just that, and then what they can take. So
 *
 *   bytes = sum over times between two ends of (its length * min(capacity, wanted)),
 *
 * however the flows share it: TCP is not fair, and the mean, or the median, of their rates is the
 * higher the less fair it is, for who ends late has had more to himself at the end. */
#include "fit.h"

#include <math.h>

/* Of all the time, at least: that it must be taken for full. By choice. */
static const double FULL_LEAST = 0.25;

/* The sum grows with the capacity, and what is wanted falls: it limits until some end, and not
 * after. From the last on, ends after which it did not limit are taken off. */
double fit_capacity(const double *end, const double *wanted, size_t n, double bytes, double begin)
{
	double time = end[n - 1] - begin, full = FULL_LEAST * time, rest = bytes * (double)n;

	for (size_t i = n; i-- > 0 && time > full;) {
		double before = i > 0 ? fmax(end[i - 1], begin) : begin;

		if (rest / time <= wanted[i])
			return rest / time;
		rest -= wanted[i] * fmax(0, end[i] - before);
		time = before - begin;
	}
	return wanted[0];
}
