/* dumpi_int.h: a DUMPI trace while it is translated, rank after rank. */
#ifndef ORRERY_TRACE_DUMPI_INT_H
#define ORRERY_TRACE_DUMPI_INT_H

#include "dumpi.h"

/* Who a posted receive got its message from: told when it completes, known in the second pass. */
struct dumpi_outcome {
	int32_t source, tag;
	uint8_t known;
};
struct dumpi_outcomes {
	struct dumpi_outcome *item;
	uint32_t n, cap;
};
/* One number of DUMPI may stand for several requests (a library's request that is complete from the
 * start): each post gets a number of its own, and completions take the oldest. */
struct dumpi_live {
	int64_t number;
	uint32_t next;    /* of the same number of DUMPI, or HASH_NONE */
	uint32_t last;    /* of the first one: the last of the same number */
	uint32_t receive; /* its place among the posted receives, or HASH_NONE */
	uint8_t persistent;
};
struct dumpi_type {
	int32_t type; /* SimGrid's id, or TYPE_DERIVED */
	int64_t size; /* bytes */
};
struct dumpi {
	struct foreign *f;
	char *prefix;
	struct dumpi_comms *comms;
	struct dumpi_outcomes *outcome; /* by rank */
	/* The rank being read. */
	struct dumpi_file file;
	uint32_t rank;
	int64_t left;     /* when the last call was left, ns; -1: there was none */
	int64_t counted;  /* and what was counted by then */
	int64_t wall;     /* when it was left by the clock on the wall, -1 */
	int64_t date;     /* and since the first call */
	uint32_t posted;  /* receives so far */
	int64_t requests; /* and requests */
	int ended;
	struct hash64 comm_of; /* DUMPI's number -> foreign communicator */
	struct hash64 type_of; /* -> index in type */
	struct hash64 win_comm, file_comm;
	struct hash64 live; /* request -> the first in `lives` */
	struct dumpi_live *lives;
	uint32_t n_lives, cap_lives, free_lives;
	struct dumpi_type *type;
	uint32_t n_types, cap_types;
	int64_t *scratch;
	uint32_t cap_scratch;
};

/* dumpi_types.c */
int dumpi_types_begin(struct dumpi *d, struct err *err);
int dumpi_type_call(struct dumpi *d, const struct dumpi_call *c, struct err *err);
int dumpi_type_find(struct dumpi *d, int64_t id, struct dumpi_type *out, struct err *err);

/* dumpi_put.c */
int dumpi_call_put(struct dumpi *d, const struct dumpi_call *c, struct err *err);

#endif
