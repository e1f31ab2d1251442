/* entries.c: see entries.h. */
#include "entries.h"

#include <errno.h>
#include <stddef.h>

int entry_next(DIR *d, const char *path, const struct dirent **e, struct err *err)
{
	errno = 0;
	*e = readdir(d);
	if (!*e && errno != 0) {
		err_sys(err, errno, "cannot read the folder %s", path);
		return -1; /* a constant: optimisers that see callers know *e where this is > 0 */
	}
	return *e != NULL;
}
