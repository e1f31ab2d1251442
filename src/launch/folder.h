/* folder.h: the folder that a trace is written to, before there is a trace in it. */
#ifndef ORRERY_LAUNCH_FOLDER_H
#define ORRERY_LAUNCH_FOLDER_H

#include "base/base.h"

/* May a trace be written as the folder `dir`? If something is there, it must be an empty folder, or
 * hold a trace and nothing else, which `overwrite` allows to replace. Changes nothing. */
int folder_check(const char *dir, int overwrite, struct err *err);
/* The same for an OTF2 archive; for the folder beside a SimGrid list. */
int folder_check_otf2(const char *dir, int overwrite, struct err *err);
int folder_check_simgrid(const char *dir, int overwrite, struct err *err);

/* Where the processes of a run write their trace: in `dir` itself, or, where a trace is there that
 * may be overwritten, beside it: it is replaced once the new one has begun. */
struct trace_place {
	char *path; /* absolute */
	struct output_folder beside;
	int is_beside;
	int made; /* `dir` was not there before: it goes again if nothing is written */
};
/* The error of a folder that cannot be made or written has the operating system's number, that of
 * one that must not be overwritten has none. */
int place_prepare(struct trace_place *p, const char *dir, int overwrite, struct err *err);
/* Gives back the room on the disk that was kept for what is written after the run. */
void place_room(const struct trace_place *p);
/* After the run: removes what is of no use, and puts what was written (if anything was) in the
 * place of what was there. Where that fails, it is kept. */
int place_finish(struct trace_place *p, int written, struct err *err);
/* Has another process finished it, and put it in its place? */
int place_is_finished(const struct trace_place *p);
/* What was written cannot be read: it stays, beside what was there, and *err says where. */
void place_keep(struct trace_place *p, struct err *err);
void place_release(struct trace_place *p);

#endif
