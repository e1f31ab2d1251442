/* compare_int.h: what the parts of the comparison share. */
#ifndef ORRERY_CALIBRATE_COMPARE_INT_H
#define ORRERY_CALIBRATE_COMPARE_INT_H

#include "compare.h"

/* A simulated call, and the real one of the same number. */
struct compare_call {
	uint32_t function, count; /* which one, how many of it the rank had before */
	double duration, leave;
	double real,
	    date; /* s; negative: none in the real run; when it began, from the end of MPI_Init */
};
struct compare_calls {
	struct compare_call *call;
	uint32_t n, cap;
	double start; /* end of MPI_Init */
};

/* Sets all that c has of outliers, from the calls of its ranks. */
int compare_outliers_find(struct compare *c, const struct compare_calls *rank, struct err *err);

/* What the second takes more, for six digits and a sign: what they lose has no minus before 0. */
double compare_more(double first, double second);

/* What the sums of two runs, and the calls of a function in them, are called. */
struct compare_words {
	void (*pair)(struct json *j, double real, double simulated, double outliers);
	void (*calls)(struct json *j, const struct compare_function *f);
};
/* The sums by function, rank and phase, as three members of the object under way. */
void compare_tables_json(const struct compare *c, const struct compare_words *w, struct json *j);

#endif
