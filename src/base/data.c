/* data.c: see data.h. */
#include "data.h"
#include "program.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void folder_of(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

/* The folder of this program; "" if the kernel does not tell. */
static void program_folder(char out[PATH_MAX])
{
	struct err ignored;

	if (program_self(out, PATH_MAX, &ignored) < 0)
		*out = '\0';
	folder_of(out);
}

/* That of the file that this code is in: of liborrery.so, in a program of others; "" likewise. */
static void object_folder(char out[PATH_MAX])
{
	Dl_info info;

	*out = '\0';
	if (dladdr((const void *)(uintptr_t)data_find, &info) && info.dli_fname &&
	    realpath(info.dli_fname, out))
		folder_of(out);
	else
		*out = '\0';
}

static int is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static int is_there(const char *folder, const char *name, char *out, size_t n)
{
	return snprintf(out, n, "%s/%s", folder, name) < (int)n && access(out, R_OK) == 0;
}

int data_find(const char *name, char *out, size_t n, struct err *err)
{
	const char *given = getenv("ORRERY_DATA");
	char folder[2][PATH_MAX], beside[PATH_MAX + 32];

	if (given && *given)
		return is_there(given, name, out, n)
		           ? 0
		           : err_set(err, ERR_INPUT, "ORRERY_DATA is '%s', but there is no '%s/%s'",
		                     given, given, name);
	program_folder(folder[0]);
	object_folder(folder[1]);
	for (int i = 1; i >= 0; i--) {
		/* bin, lib; lib/x86_64-linux-gnu */
		snprintf(beside, sizeof beside, "%s/../../share/orrery", folder[i]);
		if (is_there(beside, name, out, n))
			return 0;
		snprintf(beside, sizeof beside, "%s/../share/orrery", folder[i]);
		if (is_there(beside, name, out, n))
			return 0;
		if (is_below(folder[i], ORRERY_BUILD) && is_there(ORRERY_SOURCE_DATA, name, out, n))
			return 0;
	}
	if (is_there(ORRERY_INSTALL_DATA, name, out, n))
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "'%s' is neither in '%s' nor in '%s': set ORRERY_DATA to the folder that holds it",
	    name, beside, ORRERY_INSTALL_DATA);
}
