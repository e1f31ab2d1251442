/* dumpi.h: what the files that read DUMPI share. */
#ifndef ORRERY_TRACE_DUMPI_H
#define ORRERY_TRACE_DUMPI_H

#include "bytes.h"
#include "foreign.h"

enum { DUMPI_VALUES = 16, DUMPI_ARRAYS = 6 };
struct dumpi_status {
	int64_t bytes;
	int32_t source, tag;
};
struct dumpi_array {
	const int64_t *at;
	uint32_t n;
};
/* One record: the numbers of the call in order, its lists in order. */
struct dumpi_call {
	const char *name;        /* "Isend" */
	int64_t cpu[2], wall[2]; /* entered, left, ns; -1: not recorded */
	int64_t counted[2];
	int has_counted;
	int64_t v[DUMPI_VALUES];
	struct dumpi_array a[DUMPI_ARRAYS];
	const struct dumpi_status *status;
	uint32_t statuses;
	const char *text; /* the first string, not terminated */
	uint32_t n_text;
};

/* One rank's file. */
struct dumpi_file {
	char *path, *data;
	size_t n;
	struct bytes b; /* what is left of the records */
	uint64_t sizes_at, labels_at;
	uint8_t version[3];
	uint8_t threads;  /* its records are of several */
	int thread;       /* of the last record, -1: not said */
	int counter;      /* which of the counters counts instructions, -1: none */
	int64_t *numbers; /* lists of the call under way */
	uint32_t n_numbers, cap_numbers;
	struct dumpi_status *statuses;
	uint32_t cap_statuses;
};
int dumpi_file_open(struct dumpi_file *d, const char *path, struct err *err);
void dumpi_file_close(struct dumpi_file *d);
/* The next record: 1, 0 at the end of the stream, -1. */
int dumpi_next(struct dumpi_file *d, struct dumpi_call *c, struct err *err);

/* Groups and communicators of all ranks, made by playing their calls (dumpi_comms.c). */
struct dumpi_comms;
struct dumpi_comms *dumpi_comms_new(struct foreign *f, struct err *err);
void dumpi_comms_free(struct dumpi_comms *m);
int dumpi_makes_objects(const char *name);
/* Keeps a call that makes or uses groups and communicators, in the order of the rank. */
int dumpi_comms_note(struct dumpi_comms *m, uint32_t rank, const struct dumpi_call *c,
                     struct err *err);
/* Plays them. */
int dumpi_comms_resolve(struct dumpi_comms *m, struct err *err);
/* In the second pass, in the same order: what a call made or named. comm: a foreign communicator,
 * -1: none; members: of a group that a window's call names. */
struct dumpi_made {
	int comm;
	const int32_t *members;
	uint32_t n;
	const int64_t *dims, *periods; /* of a grid, else NULL */
	uint32_t n_dims;
};
int dumpi_comms_take(struct dumpi_comms *m, uint32_t rank, struct dumpi_made *out);
void dumpi_comms_rewind(struct dumpi_comms *m);

#endif
