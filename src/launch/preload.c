/* preload.c: see preload.h. */
#include "preload.h"

#include "base/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of this program; "." if the kernel does not tell. */
static void program_folder(char *out, size_t n)
{
	struct err ignored;
	char *slash;

	if (program_self(out, n, &ignored) < 0)
		*out = '\0';
	slash = strrchr(out, '/');
	if (slash)
		*slash = '\0';
	else
		snprintf(out, n, ".");
}

int preload_find(const char *name, char *out, size_t n)
{
	static const char *const places[] = {"%s/tracer", "%s/../lib/orrery", "%s/../lib64/orrery",
	                                     "%s/../lib/x86_64-linux-gnu/orrery",
	                                     "%s/../lib/aarch64-linux-gnu/orrery"};
	const char *given = getenv("ORRERY_TRACER_DIR");
	char folder[PATH_MAX], place[PATH_MAX + 64];

	if (given && *given) {
		snprintf(out, n, "%s/%s", given, name);
		return access(out, R_OK) == 0;
	}
	program_folder(folder, sizeof folder);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(place, sizeof place, places[i], folder);
#pragma GCC diagnostic pop
		snprintf(out, n, "%s/%s", place, name);
		if (access(out, R_OK) == 0)
			return 1;
	}
	snprintf(out, n, "%s/tracer/%s", folder, name); /* where a build has it */
	return 0;
}

char *preload_value(enum mpi_family family, struct err *err)
{
	const char *users = getenv("LD_PRELOAD");
	char name[64], path[PATH_MAX + 128], *value;

	snprintf(name, sizeof name, "liborrery-trace-%s.so", mpi_family_word(family));
	if (!preload_find(name, path, sizeof path)) {
		err_set(err, ERR_INPUT,
		        "trace: there is no tracer for %s: it was not there when orrery was built. "
		        "Install its development package, such as Debian's lib%s-dev, and build "
		        "again (looked for %s; ORRERY_TRACER_DIR names another folder)",
		        mpi_family_title(family), mpi_family_word(family), path);
		return NULL;
	}
	if (strpbrk(path, " :")) {
		err_set(err, ERR_INPUT,
		        "trace: the loader takes no library whose path has blanks or colons: %s",
		        path);
		return NULL;
	}
	if (asprintf(&value, "%s%s%s", path, users && *users ? ":" : "", users ? users : "") < 0) {
		err_nomem(err, "a command", sizeof path);
		return NULL;
	}
	return value;
}

char *preload_sanitizer(struct err *err)
{
	const char *users = getenv("ASAN_OPTIONS");
	char *value;

	if (asprintf(&value, "verify_asan_link_order=0%s%s", users && *users ? ":" : "",
	             users ? users : "") < 0) {
		err_nomem(err, "a command", users ? strlen(users) : 0);
		return NULL;
	}
	return value;
}
