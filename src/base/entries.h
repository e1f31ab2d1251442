/* entries.h: what a folder holds, one name after the other. */
#ifndef ORRERY_BASE_ENTRIES_H
#define ORRERY_BASE_ENTRIES_H

#include "err.h"

#include <dirent.h>

/* The next entry of d, the folder at path: 1; 0: there is no more; -1: it cannot be read, which
 * readdir alone does not tell from its end. *e is readdir's. */
int entry_next(DIR *d, const char *path, const struct dirent **e, struct err *err);

#endif
