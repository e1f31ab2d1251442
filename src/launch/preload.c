/* preload.c: see preload.h. */
#include "preload.h"

#include "base/program.h"

#include <errno.h>
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

/* What cannot be looked at may be there: who uses it says what is wrong. */
static int may_be_there(const char *path)
{
	return access(path, R_OK) == 0 || !(there_is_none(errno) || errno == EACCES);
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
		return may_be_there(out);
	}
	program_folder(folder, sizeof folder);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(place, sizeof place, places[i], folder);
#pragma GCC diagnostic pop
		snprintf(out, n, "%s/%s", place, name);
		if (may_be_there(out))
			return 1;
	}
	snprintf(out, n, "%s/tracer/%s", folder, name); /* where a build has it */
	return 0;
}

int preload_find_of(enum mpi_family family, const char *name, const char *lack, char *out, size_t n,
                    struct err *err)
{
	if (preload_find(name, out, n))
		return 0;
	return err_set(err, ERR_INPUT,
	               "%s for %s: it was not there when orrery was built. Install its development "
	               "package, such as Debian's lib%s-dev, and build again (looked for %s; "
	               "ORRERY_TRACER_DIR names another folder)",
	               lack, mpi_family_title(family), mpi_family_word(family), out);
}

/* "value:users", or the value alone. */
static char *before_users(const char *value, size_t n, const char *name)
{
	const char *users = getenv(name);
	char *s;

	if (asprintf(&s, "%.*s%s%s", (int)n, value, users && *users ? ":" : "",
	             users ? users : "") < 0)
		return NULL;
	return s;
}

int preload_init(struct preload *p, enum mpi_family family, struct err *err)
{
	char name[64], path[PATH_MAX + 128];
	size_t folder;

	*p = (struct preload){0};
	snprintf(name, sizeof name, "liborrery-trace-%s.so", mpi_family_word(family));
	if (preload_find_of(family, name, "trace: there is no tracer", path, sizeof path, err) < 0)
		return -1;
	folder = strlen(path) - strlen(name) - 1;
	if (strchr(path, ' ') ? strpbrk(path, ":;") : strchr(path, ':'))
		return err_set(
		    err, ERR_INPUT,
		    "trace: the loader takes no library from a folder with a colon in its "
		    "path, nor with a blank and a semicolon: %s. ORRERY_TRACER_DIR names "
		    "another folder, such as a symbolic link to this one",
		    path);
	p->path = strdup(path);
	if (strchr(path, ' ')) {
		p->value = before_users(name, strlen(name), "LD_PRELOAD");
		p->search = before_users(path, folder, "LD_LIBRARY_PATH");
	} else {
		p->value = before_users(path, strlen(path), "LD_PRELOAD");
	}
	if (p->path && p->value && (p->search || !strchr(path, ' ')))
		return 0;
	preload_release(p);
	return err_nomem(err, "a command", sizeof path);
}

void preload_release(struct preload *p)
{
	free(p->path);
	free(p->value);
	free(p->search);
	*p = (struct preload){0};
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
