/* own_output.h: what ranks write, apart (--rank-output): a stream of its own in the place of stdout
 * and of stderr. */
#ifndef ORRERY_LIVE_CORO_OWN_OUTPUT_H
#define ORRERY_LIVE_CORO_OWN_OUTPUT_H

#include "base/base.h"

#include <stdio.h>
#include <sys/types.h>

struct own_output;
/* The files, empty, if `output` (as in live.h) is a folder: *folder is its full name. */
int own_output_files(const char *output, uint32_t ranks, char **folder, struct err *err);
/* Those of a rank that was not there; folder: of all, or NULL. */
int own_output_file(const char *folder, uint32_t rank, struct err *err);
/* Where stdout (1) or stderr (2) of a rank goes. NULL: no memory. */
struct own_output *own_output_new(const char *folder, uint32_t rank, int number);
void own_output_end(struct own_output *o);
/* As write(2), but all of it or -1. */
ssize_t own_output_write(struct own_output *o, const char *p, size_t n);
FILE *own_output_stream(const struct own_output *o);
/* Another stream to the same place; NULL: no memory. */
FILE *own_output_again(struct own_output *o);

#endif
