/* kernel.h: models of the duration of a kernel of three sizes, such as dgemm: M-0 to M-2 with noise
 * N-0 to N-2 (Cornebize 2021, chapter 4). */
#ifndef ORRERY_CALIBRATE_KERNEL_H
#define ORRERY_CALIBRATE_KERNEL_H

#include "base/base.h"

enum { KERNEL_TERMS = 5 }; /* mnk, mn, mk, nk, 1 */
struct kernel_row {
	double m, n, k, duration;
	uint32_t host;
};
struct kernel_data {
	struct kernel_row *row;
	uint32_t n, cap;
	char **host; /* a name each, values of several columns joined by "/"; one "" without `by` */
	uint32_t hosts, hosts_cap;
	struct hash_str index; /* of hosts */
};
/* A CSV whose first line names its columns, among them m, n, k, duration; fields may be quoted. by:
 * the column that tells hosts apart, or several, comma-separated; NULL: one model of all. A last
 * line without an end, as a file that was cut has one, is an error. */
int kernel_read(struct kernel_data *d, const char *path, const char *by, struct err *err);
void kernel_data_release(struct kernel_data *d);

/* duration = sum of mean[t] * term t, with a deviation of sum of deviation[t] * term t. M-0: a
 * constant. M-1: mnk and a constant. M-2: all. N-0: none; N-1: one deviation for all sizes; N-2: a
 * polynomial of M-2's terms. */
struct kernel_model {
	double mean[KERNEL_TERMS], deviation[KERNEL_TERMS];
	/* Their standard errors, valid though larger calls vary more (HC3): 95 times of 100 the
	 * truth of a mean is within t_95 of these, Student's quantile (0: too few calls to know).
	 */
	double t_95;
	double mean_error[KERNEL_TERMS], deviation_error[KERNEL_TERMS];
	double r2;
	double least, most; /* mnk of the measurements: the range it holds in */
	uint32_t n;
};
int kernel_fit(const struct kernel_data *d, uint32_t host, int model, int noise,
               struct kernel_model *out, struct err *err);
/* The models of all hosts as one JSON object. */
int kernel_json(const struct kernel_data *d, int model, int noise, struct str *out,
                struct err *err);

#endif
