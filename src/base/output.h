/* output.h: the one way to write a file or a folder, so that under its name there is always either
 * what was there before, or all of the new.
 *
 * What is written has no name (or, where the file system knows no such files, a hidden one beside)
 * until output_commit syncs it and puts it in the place of what was there. A process that is killed
 * changes nothing. Symbolic links are followed: what they name is replaced, not the link. Devices,
 * pipes and standard output ("-", /dev/stdout) are written as they are.
 *
 *     if (output_open(&o, path, err) < 0) return -1;
 *     r = output_write(&o, text, n, err) < 0 ? -1 : output_commit(&o, err);
 *     output_release(&o);
 *
 * What is read in the same run is not to be overwritten: that is for callers to see to, who know
 * what they read (src/cli/outputs.h). */
#ifndef ORRERY_BASE_OUTPUT_H
#define ORRERY_BASE_OUTPUT_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct output {
	char *path; /* where it will be, links followed; NULL: nothing to release */
	char *part; /* its name until then; NULL: it has none */
	int fd;
	uint8_t direct; /* a device or pipe, written as it is */
};
int output_open(struct output *o, const char *path, struct err *err);
/* All of it, or -1: interrupted and short writes go on. */
int output_write(struct output *o, const void *data, size_t n, struct err *err);
/* Syncs and names it. It can be called once; output_release is still due. */
int output_commit(struct output *o, struct err *err);
/* Of thousands of files: named now, and synced by output_sync_all, which takes about as long for
 * all as output_commit for each. What they are made of, or replace, is to be there until then. */
int output_commit_later(struct output *o, struct err *err);
/* All that was written to the file system that the folder is on. */
int output_sync_all(const char *folder, struct err *err);
/* Also after a failed output_open. What was not committed is gone. */
void output_release(struct output *o);
/* Is there nothing under that name, so that a part of it does no harm? */
int output_is_new(const struct output *o);

/* write(2) until all is written: 0, or -1 with errno. For pipes; also without a struct output. */
int output_put(int fd, const void *data, size_t n);
/* A whole file at once. */
int output_file(const char *path, const void *data, size_t n, struct err *err);

/* A folder: files are made in `part` and get their places all at once. What is there already is
 * replaced as a whole: callers look first whether it is theirs to replace. */
struct output_folder {
	char *path; /* where it will be */
	char *part; /* the folder to write to; hidden, beside */
	int lock;   /* of `part`: whoever finds it unlocked knows that its writer was killed */
	dev_t dev;  /* which folder was made as `part` */
	ino_t ino;
};
int output_folder_open(struct output_folder *f, const char *path, struct err *err);
/* Appends to a file of it, which is made if it is not there. *fd: -1, or what this left open, which
 * it does where keep is set. */
int output_folder_append(const struct output_folder *f, const char *name, int *fd, int keep,
                         const void *data, size_t n, struct err *err);
int output_folder_commit(struct output_folder *f, struct err *err);
/* Is the folder that was made no longer `part`, as another process (a child, that was forked after
 * the folder was opened) has committed it? What is `part` then is what was replaced, or what a kill
 * left of it. */
int output_folder_is_placed(const struct output_folder *f);
/* Of one that cannot get its place, or whose maker failed: what is in it stays, under a name beside
 * that *err, the error that led here, is told. For what cannot be made again. */
void output_folder_keep(struct output_folder *f, struct err *err);
void output_folder_release(struct output_folder *f);

#endif
