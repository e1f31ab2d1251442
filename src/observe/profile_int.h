/* profile_int.h: what the files of the profile share. */
#ifndef ORRERY_PROFILE_INT_H
#define ORRERY_PROFILE_INT_H

#include "observe.h"

#include <assert.h>

/* One function of one rank, in the arena; chained per rank in the order of first use. */
struct prof_entry {
	struct prof_entry *next;
	uint64_t calls;
	double time, wait, bytes;
	enum mp_call call;
};

struct prof_rank {
	struct prof_entry *first;
	double since; /* date of the enter of the call it is in */
	double last;  /* latest date seen */
	int32_t in;   /* the call it is in, or -1 */
};

struct profile {
	struct arena arena;
	struct prof_rank *rank;
	uint32_t ranks;
	double makespan;
	int ended;
	int failed; /* memory ran out: err says so */
	struct err err;
};

/* Seconds of each class of one rank; they add up to the makespan. The profile has ended. */
void prof_rank_classes(const struct profile *p, uint32_t rank, double out[TIME_CLASSES]);

/* Seconds of a rank in no call, before its end. */
double prof_rank_between(const struct profile *p, uint32_t rank);

/* Entries of a rank in the order of enum mp_call; out has CALL_CALLS places, NULL where the function was not called. */
void prof_rank_entries(const struct profile *p, uint32_t rank, const struct prof_entry *out[CALL_CALLS]);

/* Each class over the ranks. */
struct prof_class_row {
	double total, min, mean, max; /* s */
	uint32_t max_rank;            /* the first with the maximum */
};
void prof_class_rows(const struct profile *p, struct prof_class_row out[TIME_CLASSES]);

#endif
