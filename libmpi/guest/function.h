/* function.h: where a function of the program or of its libraries is. */
#ifndef ORRERY_LIBMPI_FUNCTION_H
#define ORRERY_LIBMPI_FUNCTION_H

#include <stddef.h>

/* The function of this name that is at least so many bytes long, and how long it is; NULL: there is
 * none, or it was compiled into its callers. Static ones of the program too, if it has its table
 * of symbols. */
void *function_find(const char *name, size_t least, size_t *size);

#endif
