/* profile_int.h: what the files of the profile share. */
#ifndef ORRERY_PROFILE_INT_H
#define ORRERY_PROFILE_INT_H

#include "observe.h"

#include <assert.h>

enum { PROF_NONE = 0xffffffffu };

/* One function of one rank; those of a rank are a ring in the order of first use. */
struct prof_entry {
	uint64_t calls : 56, call : 8; /* enum mp_call */
	double time, wait, bytes;
	uint32_t next;  /* in the profile's entries */
	uint32_t after; /* the one that was called after this one, the last time */
};

/* 16 bytes: there may be a million. What all ranks do once, mostly in no time, has no entry
 * then. */
struct prof_rank {
	double last;     /* latest date seen: within a call, that of its enter */
	uint32_t latest; /* entry of the call that ended last, or PROF_NONE */
	int16_t in;      /* the call it is in, or -1 */
	uint8_t brief;   /* enum prof_brief */
};
static_assert(sizeof(struct prof_rank) == 16, "there may be a million");
enum prof_brief { PROF_INIT = 1, PROF_FINALIZE = 2 }; /* called once, took no time */
static_assert(sizeof(struct prof_entry) == 40 && CALL_CALLS <= UINT8_MAX, "there are many");

/* Each class over the ranks. */
struct prof_class_row {
	double total, min, mean, max; /* s */
	uint32_t max_rank;            /* the first with the maximum */
};

struct profile {
	struct prof_entry *entries;
	uint32_t n_entries, entries_cap;
	struct prof_rank *rank;
	uint32_t ranks;
	double makespan;
	struct prof_class_row class_rows[TIME_CLASSES]; /* once it has ended */
	int ended;
	uint8_t stuck; /* profile_stuck */
	int failed;    /* memory ran out: err says so */
	struct err err;
};

/* Seconds of a rank in no call, before its end. */
double prof_rank_between(const struct profile *p, uint32_t rank);

/* Entries of a rank in the order of enum mp_call, valid as long as the profile is; out has
 * CALL_CALLS places, NULL where the function was not called. */
void prof_rank_entries(const struct profile *p, uint32_t rank,
                       const struct prof_entry *out[CALL_CALLS]);

#endif
