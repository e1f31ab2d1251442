/* there.h: what is under a name. "Nothing is there" and "nobody can tell" (an I/O error, a folder
 * that may not be searched, links in a circle) are two answers: who takes the second for the first
 * goes on without what is there. */
#ifndef ORRERY_BASE_THERE_H
#define ORRERY_BASE_THERE_H

#include "err.h"

#include <dirent.h>
#include <sys/stat.h>

/* Links are followed. 1: *st is set. 0: nothing is there, or the way to it leads through a file.
 * -1: that cannot be known; *err names it. */
int there_stat(const char *path, struct stat *st, struct err *err);
int there_is(const char *path, struct err *err);
/* 0 where something else is there, too. A file is a regular one. */
int there_is_file(const char *path, struct err *err);
int there_is_folder(const char *path, struct err *err);
/* The folder, to be read: 1 with *d to be closed; 0: there is none; -1. */
int there_open_folder(const char *path, DIR **d, struct err *err);
/* Of a call that failed: does its errno say that nothing is there? */
int there_is_none(int errnum);

#endif
