/* traced.h: running a real MPI program with the tracer loaded, and making one folder of what its
 * processes wrote. Part of the face.
 *
 *   traced_prepare -> (tell t.untraced, if it is set) -> traced_run -> traced_release */
#ifndef ORRERY_LAUNCH_TRACED_H
#define ORRERY_LAUNCH_TRACED_H

#include "command.h"
#include "folder.h"
#include "preload.h"

enum { TRACED_SETTINGS = 16 };

struct traced_options {
	const char *const *words; /* the user's command, NULL-terminated */
	int n_words;
	enum mpi_family mpi; /* of the ranks, where the words do not tell; MPI_UNKNOWN: not told */
	const char *folder;  /* of the trace */
	int overwrite;
	int profile;                    /* no trace: a page, in the folder's file `profile` */
	const struct setting *settings; /* of the tracer, for the ranks; value NULL: not given */
	int n_settings;                 /* TRACED_SETTINGS - 5 at most */
	/* NULL, or told when the command has ended, before what the ranks left in the folder is
	 * made a trace */
	void (*ended)(void *self, const char *folder);
	void *self;
};

struct traced {
	struct command command;
	int profile;
	int ours; /* we run the ranks (traced_begin), no launcher does */
	struct setting settings[TRACED_SETTINGS];
	int n_settings;
	struct trace_place place;
	const char *folder; /* where the ranks write; NULL: nowhere */
	void (*ended)(void *self, const char *folder);
	void *self;
	struct preload preload;
	char *sanitizer;     /* value of ASAN_OPTIONS */
	struct err untraced; /* kind ERR_NONE, or why the program will run untraced */
	int nothing;         /* it has run, and no rank wrote a trace: the notices say why */
};

/* Understands the command, finds the tracer, makes the folder. A folder that cannot be written is
 * no error: the program runs all the same. */
int traced_prepare(struct traced *t, const struct traced_options *o, struct err *err);
/* Runs it. The command's exit code; or -1: it could not be started, or it ended well and what was
 * to be written of it is not all there (a full disk). What was traced, and what went wrong with
 * that where the command failed, is appended to *notices. */
int traced_run(struct traced *t, struct str *notices, struct err *err);
void traced_release(struct traced *t);

/* The same for a program that somebody else starts (src/live): o->words are the program and its
 * arguments, without a launcher. traced_begin finds the tracer and makes the folder; t->settings
 * are what ranks get into their environment, LD_PRELOAD first. A folder that cannot be written is
 * an error. traced_end: after the run of so many ranks (0: of one that was killed, as many as left
 * something), with the exit code that it had; -1: the trace is not all there, though nothing of
 * the program is at fault. Where traced_begin fails nothing is to be released. */
int traced_begin(struct traced *t, const struct traced_options *o, enum mpi_family family,
                 struct err *err);
int traced_end(struct traced *t, uint32_t ranks, int code, struct str *notices, struct err *err);

/* The folder of a run that was made elsewhere: begin makes it (t->folder), end looks at what was
 * put there and makes it a trace, or, with found 0, leaves what was there before. Where begin fails
 * nothing is to be released. */
int traced_gather_begin(struct traced *t, const char *folder, int overwrite, struct err *err);
int traced_gather_end(struct traced *t, int found, struct str *notices, struct err *err);

#endif
