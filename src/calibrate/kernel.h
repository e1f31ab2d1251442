/* kernel.h: models of the duration of a kernel of three sizes, such as dgemm: M-0 to M-2 with noise
 * N-0 to N-2 (Cornebize 2021, chapter 4). */
#ifndef ORRERY_CALIBRATE_KERNEL_H
#define ORRERY_CALIBRATE_KERNEL_H

#include "fit/apart.h"

enum { KERNEL_TERMS = 5 }; /* mnk, mn, mk, nk, 1 */
struct kernel_row {
	double m, n, k, duration;
	uint32_t host, session;
};
struct kernel_data {
	struct kernel_row *row;
	uint32_t n, cap;
	char **host; /* a name each, values of several columns joined by "/"; one "" without `by` */
	uint32_t hosts, hosts_cap;
	struct hash_str index; /* of hosts */
	/* Given: the column that says what was measured together (a job, a day); NULL: none. */
	const char *session;
	uint32_t sessions; /* different values of it */
	struct hash_str session_index;
	char unused[40]; /* a column that looks as if it told hosts apart, without `by`; "": none */
};
/* A CSV whose first line names its columns, among them m, n, k, duration; fields may be quoted. by:
 * the column that tells hosts apart, or several, comma-separated; NULL: one model of all. A last
 * line without an end, as a file that was cut has one, is an error. */
int kernel_read(struct kernel_data *d, const char *path, const char *by, struct err *err);
void kernel_data_release(struct kernel_data *d);
/* Leaves hosts out: names separated by commas; of several columns the first ones may be all that is
 * said. A name that no host has is an error. */
int kernel_without(struct kernel_data *d, const char *names, struct err *err);

/* A line for what cannot have been measured: one duration for all sizes, another unit. */
int kernel_doubts(const struct kernel_data *d, struct str *out, struct err *err);

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

/* How hosts differ (kernel_hosts.c): what calls of each take beside what calls of all take. */
struct kernel_hosts {
	struct apart_unit *unit; /* by host */
	struct apart all;
	uint32_t repeated; /* hosts with two sessions or more */
	double in_common;  /* what differs from one session of all hosts to the next: a deviation of
	                      logarithms; 0: not known */
	double between_sessions; /* the same of one host, beside what all have in common; 0: none
	                            has two */
	double calls; /* of one call beside the others of its host and session, relative, a long one
	                 counting for more */
};
/* model: what is usual for a size, where hosts were not measured with the same sizes. */
int kernel_hosts_find(const struct kernel_data *d, int model, struct kernel_hosts *out,
                      struct err *err);
/* A line for each host that stands apart, with the remedy; and what would tell more. */
void kernel_hosts_tell(const struct kernel_data *d, const struct kernel_hosts *h, struct str *out);
void kernel_hosts_release(struct kernel_hosts *h);

/* The models of all hosts as one JSON object, and how they differ; h: NULL if that is not known. */
int kernel_json(const struct kernel_data *d, int model, int noise, const struct kernel_hosts *h,
                struct str *out, struct err *err);

#endif
