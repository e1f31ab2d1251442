/* apart.h: which of several units of one kind (hosts, links) stand apart from the others: not those
 * that differ, as all real ones do, but those that differ more than the others do among each other
 * and than measurements are uncertain. */
#ifndef ORRERY_CALIBRATE_APART_H
#define ORRERY_CALIBRATE_APART_H

#include "base/base.h"

#include <stddef.h>

/* Fewer units do not say which of them is the strange one. */
enum { APART_LEAST = 3 };
/* How often a campaign in which no unit stands apart has one named all the same: at most, but for
 * skewed errors of units that were measured once. */
#define APART_CHANCE 0.05

struct apart_unit {
	/* given: */
	double value;   /* a logarithm: of what it takes beside what is usual */
	double error;   /* its standard error; 0: not known */
	double degrees; /* of freedom that the error is known with */
	double draws;   /* sessions, or what else was drawn independently, that the value is a mean
	                   of */
	/* found: */
	double off;    /* logarithm: beside the mean of those that do not stand apart, itself left
	                  out */
	double off_95; /* half-width of its 95 % interval: of this unit, whatever the others'
	                  spread */
	double p;      /* that one of so many units is so far off by chance; 1: not a candidate */
	int apart;     /* 1: it takes longer, -1: it takes less, 0: it does not stand apart */
};
struct apart {
	size_t units, apart;
	/* What those that do not stand apart differ by, beyond errors: a deviation of logarithms,
	 * and its 95 % interval. */
	double spread, spread_low, spread_high;
};

/* Rosner's generalized test for several outliers (Technometrics 25, 1983), so that slow units do
 * not hide each other, with at most a third of them apart: the most extreme one is compared with
 * the rest, by Student's t, and taken off, again and again; at each step by Bonferroni's correction
 * for the units that are left. Units may be known to different errors: each has the others' spread
 * (Paule and Mandel's estimate, 1982) and its own error as variance, degrees of freedom by Welch
 * and Satterthwaite. Fewer than APART_LEAST units: none stands apart. */
int apart_find(struct apart_unit *unit, size_t n, struct apart *out, struct err *err);

#endif
