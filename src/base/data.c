/* data.c: see data.h. */
#include "data.h"
#include "program.h"
#include "there.h"

#include <dlfcn.h>
#include <errno.h>
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

/* As in there.h; what is there must be readable, too. */
static int look(const char *folder, const char *name, char *out, size_t n, struct err *err)
{
	if (snprintf(out, n, "%s/%s", folder, name) >= (int)n)
		return 0;
	if (access(out, R_OK) == 0)
		return 1;
	return there_is_none(errno) ? 0 : err_sys(err, errno, "cannot read %s", out);
}

/* The folders in which it may be, in this order: 1, 0, -1. beside: the last but one of them. */
static int search(const char *name, char *beside, size_t room, char *out, size_t n, struct err *err)
{
	static const char *const shares[] = {
	    "../../share/orrery", /* bin, lib; lib/x86_64-linux-gnu */
	    "../share/orrery"};
	char folder[2][PATH_MAX];
	int r = 0;

	program_folder(folder[0]);
	object_folder(folder[1]);
	for (int i = 1; i >= 0 && r == 0; i--) {
		for (size_t k = 0; k < sizeof shares / sizeof *shares && r == 0; k++) {
			snprintf(beside, room, "%s/%s", folder[i], shares[k]);
			r = look(beside, name, out, n, err);
		}
		if (r == 0 && is_below(folder[i], ORRERY_BUILD))
			r = look(ORRERY_SOURCE_DATA, name, out, n, err);
	}
	return r != 0 ? r : look(ORRERY_INSTALL_DATA, name, out, n, err);
}

int data_find(const char *name, char *out, size_t n, struct err *err)
{
	const char *given = getenv("ORRERY_DATA");
	char beside[PATH_MAX + 32];
	int r = given && *given ? look(given, name, out, n, err)
	                        : search(name, beside, sizeof beside, out, n, err);

	if (r != 0)
		return r > 0 ? 0 : -1;
	if (given && *given)
		return err_set(err, ERR_INPUT, "ORRERY_DATA is '%s', but there is no '%s/%s'",
		               given, given, name);
	return err_set(
	    err, ERR_INPUT,
	    "'%s' is neither in '%s' nor in '%s': set ORRERY_DATA to the folder that holds it",
	    name, beside, ORRERY_INSTALL_DATA);
}
