/* collect.h: what the tracer left in a folder: the notes of every rank, gathered for the
 * manifest and the summary. */
#ifndef ORRERY_LAUNCH_COLLECT_H
#define ORRERY_LAUNCH_COLLECT_H

#include "base/base.h"
#include "trace/trace.h"

/* Calls of one MPI function, over all ranks. */
struct call_count {
	char *name;
	uint64_t n;
};

struct call_counts {
	struct call_count *items;
	uint32_t n, cap;
};

/* What the file .stopped of a folder says, which a rank makes (tracer/tracer.c). */
enum stopped {
	STOPPED_NOT,
	STOPPED_ROOM,  /* no room to go on writing */
	STOPPED_AGAIN, /* the program began MPI again, after all of it had ended */
	STOPPED_OTHER, /* what it has said */
	STOPPED_NEXT,  /* not this one: another program did not begin, for it came after this one */
};

struct collection {
	char run[24];          /* what tells it from others */
	uint32_t ranks;        /* as the ranks say; 0: no rank wrote anything */
	uint32_t found, ended; /* ranks with a file; with all of it */
	enum stopped stopped;
	uint64_t events, bytes;
	char *mpi, *counter, *clock, *processor /* models, joined by "; " */;
	char *layer; /* a library whose functions of MPI were passed by (tracer/layer.h) */
	double rate;
	/* by rank, comma-separated; the ranks that did not end, and those without a file (the
	 * first few) */
	struct str hosts, missing, absent;
	struct call_counts untraced, local;
	/* ms that threads computed which made no call: in no computation; of which the busiest's
	 * is (tracer/beside.h) */
	uint64_t beside, threads;
	int merged; /* by the ranks themselves, into one file; sites: of these */
	struct trace_sites sites;
};

/* Reads the folder. Files of no rank are ignored. What ranks left that were not merged becomes text
 * (trace_folder_restore). There are `ranks` at least. To be released, also after an error. */
int collection_read(struct collection *c, const char *dir, uint32_t ranks, struct err *err);
void collection_release(struct collection *c);
/* Did a rank say that it stopped tracing, and why? 0, or -1: that cannot be known. */
int collection_stopped(const char *dir, enum stopped *out, struct err *err);
/* "12 MPI_Put, 3 MPI_Get", the most frequent first; "" if empty. */
void call_counts_text(const struct call_counts *c, struct str *out);

#endif
