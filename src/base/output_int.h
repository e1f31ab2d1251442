/* output_int.h: what files and folders that are being written share. */
#ifndef ORRERY_BASE_OUTPUT_INT_H
#define ORRERY_BASE_OUTPUT_INT_H

#include "output.h"

#define OUTPUT_PART ".part-"
enum { OUTPUT_ATTEMPTS = 100 };

/* Where path leads, or path itself if nothing is there. To be freed. */
char *output_final(const char *path, struct err *err);
/* A hidden name beside path, of this process; NULL: no memory. To be freed. */
char *output_beside(const char *path, int attempt);

#endif
