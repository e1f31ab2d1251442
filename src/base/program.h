/* program.h: files of programs: the one that a word of a command names, and our own. */
#ifndef ORRERY_BASE_PROGRAM_H
#define ORRERY_BASE_PROGRAM_H

#include "err.h"

#include <stddef.h>

/* As the shell finds it (POSIX, 2.9.1.1): the word itself where it has a slash, else the first
 * executable file of that name in the folders of PATH, an empty one of which is the folder that we
 * are in (8.3). NULL: none (errno ENOENT; ENOMEM: no memory to look). Freed by the caller. */
char *program_file(const char *word);

/* Is there a file of that name where program_file looks, executable or not? Where a folder of PATH
 * may not be entered, exec says EACCES, whatever is in it. Yes, where memory lacks to look. */
int program_is_there(const char *word);

/* The file of the running program, absolute, into out of n bytes: by /proc or, where there is none,
 * by what the kernel was told to start; -1: the kernel does not tell. */
int program_self(char *out, size_t n, struct err *err);

#endif
