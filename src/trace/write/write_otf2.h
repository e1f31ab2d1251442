/* write_otf2.h: what the two files of the writer of OTF2 share. */
#ifndef ORRERY_TRACE_WRITE_OTF2_H
#define ORRERY_TRACE_WRITE_OTF2_H

#include "portable.h"

#include <inttypes.h>
#include <otf2/otf2.h>

/* The date at which all clocks begin. Not 0: to libotf2 3.0 that is a date which it has not read
 * yet, and behind the first MiB of events of such a date its readers begin anew without an end. */
enum { OTF2_BEGIN = 1 };

struct otf2_rank {
	OTF2_EvtWriter *evt;
	uint64_t clock;   /* nanoseconds, from OTF2_BEGIN on */
	double rest;      /* of a nanosecond */
	double volume;    /* so far */
	double operators; /* volume of those whose call has not ended yet */
	uint64_t events;
	int ended;
};
struct otf2_writer {
	struct output_folder folder;
	OTF2_Archive *archive;
	OTF2_ErrorCode met; /* the first error that libotf2 met, whether it was returned or not */
	struct portable p;
	struct otf2_rank *rank;
	uint32_t ranks;
	OTF2_AttributeList *attributes; /* of one record */
	int counts; /* volumes are a metric; else they are the time between calls */
	/* Functions of MPI that have events, in the order of their numbers: an op, and whether it
	 * is a collective that does not block. region: number + 1, or 0. */
	uint32_t region[2][TRACE_OPS];
	struct {
		uint8_t op, late;
	} function[2 * TRACE_OPS];
	uint32_t functions;
	uint64_t alltoallv, sleeps;
};
/* 0, or -1 with *err set. */
int otf2_wrote(struct otf2_writer *w, OTF2_ErrorCode code, struct err *err);
/* The number of an event's function among the regions. */
uint32_t otf2_region(struct otf2_writer *w, const struct trace_event *ev);
enum { OTF2_COLLECTIVE_NONE = 255 };
OTF2_CollectiveOp otf2_collective(enum trace_op op);
uint32_t otf2_root(const struct portable_op *o);
/* Of the record that comes next: of what the blocks of a collective are made. */
OTF2_AttributeList *otf2_typed(struct otf2_writer *w, const struct portable_op *o);
/* Bytes that Score-P says of a collective: sums over the members of the communicator. */
void otf2_sums(const struct portable *p, uint32_t rank, const struct portable_op *o, uint64_t *sent,
               uint64_t *received);
/* All that the events refer to; m: what the run was, or NULL. */
int otf2_definitions(struct otf2_writer *w, const struct trace_manifest *m, struct err *err);

#endif
