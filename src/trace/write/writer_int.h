/* writer_int.h: what the writers share: a form is one const object; most write one file per rank
 * through struct outs. */
#ifndef ORRERY_TRACE_WRITER_INT_H
#define ORRERY_TRACE_WRITER_INT_H

#include "trace/trace_int.h"

/* Text of every rank on its way to its file. */
struct out {
	int fd;          /* -1: opened for each write */
	uint8_t begun;   /* its head was written */
	uint64_t events; /* of our form: as many as it will say that it has */
	struct str text;
};
struct outs {
	struct output_folder folder;
	const char *ending;
	struct str head; /* of every file: to be told before anything is passed on */
	struct out *out;
	uint32_t n, kept; /* kept: how many descriptors stay open */
	size_t most;      /* bytes buffered per rank */
};
/* For the files "<dir>/rank-<r><ending>"; dir gets them, and loses what it held, with outs_commit.
 * Also after a failure, outs_release is due. */
int outs_open(struct outs *o, const char *dir, const char *ending, uint32_t n, struct err *err);
/* Text was appended to out[rank].text: passes it on when there is much. */
int outs_written(struct outs *o, uint32_t rank, struct err *err);
int outs_flush(struct outs *o, struct err *err);
int outs_commit(struct outs *o, struct err *err);
void outs_release(struct outs *o);

struct trace_writer;
struct writer_form {
	int (*open)(struct trace_writer *w,
	            struct err *err); /* fills w->impl; what it made is released by close */
	int (*put)(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
	           struct err *err);
	int (*done)(struct trace_writer *w, uint32_t rank, struct err *err); /* or NULL */
	int (*commit)(struct trace_writer *w, struct str *notices, struct err *err);
	void (*release)(struct trace_writer *w);
};
struct trace_writer {
	const struct writer_form *form;
	char *path;
	uint32_t ranks;
	int precision;                         /* of the compressed form */
	int failed;                            /* a put failed: nothing is committed */
	const struct trace_manifest *manifest; /* what the run was, or NULL */
	const struct trace *source;            /* what is written again, or NULL */
	char run[24];       /* which run it is: as the manifest or the source say, or made up */
	uint32_t n_partial; /* ranks whose record ends before the program did */
	uint8_t *partial;   /* by rank: is it one of them? */
	void *impl;
};
/* Is it known which run it is? If not, what is at hand of its text when the first of it is written
 * becomes its name, so that the same trace is the same file. */
int writer_run_known(struct trace_writer *w);
uint64_t writer_text_mix(uint64_t mixed, const struct str *text);
void writer_run_make(struct trace_writer *w, uint64_t mixed);
/* What is known of the run: a copy, which owns nothing. */
struct trace_manifest writer_manifest(struct trace_writer *w);
/* Are volumes times, at its nominal rate (1e9 where it has none)? NULL: no. */
int writer_is_time(const struct trace_manifest *m);
extern const struct writer_form writer_folder, writer_merged, writer_compressed, writer_simgrid,
    writer_dimemas, writer_goal, writer_goal_binary, writer_otf2;

#endif
