/* output_int.h: what files and folders that are being written share. */
#ifndef ORRERY_BASE_OUTPUT_INT_H
#define ORRERY_BASE_OUTPUT_INT_H

#include "output.h"

#include <sys/stat.h>

#define OUTPUT_PART ".part-"
enum { OUTPUT_ATTEMPTS = 100 };

/* Where path leads, or path itself if nothing is there. To be freed. */
char *output_final(const char *path, struct err *err);
/* A hidden name beside path, of this process; NULL: no memory. To be freed. */
char *output_beside(const char *path, int attempt);
/* May what is made beside path, under another name, take its place? old: what is there, or NULL. */
int output_may_place(const char *path, const struct stat *old, struct err *err);
/* "cannot write PATH", and errno. */
int output_failed(const char *path, struct err *err);

#endif
