/* find.c: an auditor of the dynamic loader (LD_AUDIT, rtld-audit(7)): wherever a process looks for
 * a library of MPI, by whatever path (a language that sets its own LD_LIBRARY_PATH, a path in a
 * file, dlopen of an absolute one), it finds ours. Loaded where the program itself does not name
 * its MPI library: scripts, modules of interpreters, programs with a path of their own.
 *
 * Our libraries are in folders beside this one. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static const struct {
	const char *asked, *ours;
} libraries[] = {
    {"libmpi.so.40", "openmpi/libmpi.so.40"},
    {"libmpi_mpifh.so.40", "openmpi/libmpi_mpifh.so.40"},
    {"libmpich.so.12", "mpich/libmpich.so.12"},
    {"libmpi.so.12", "mpich/libmpi.so.12"},
    {"libmpi_abi.so.0", "abi/libmpi_abi.so.0"},
    {"libmpi.so", "openmpi/libmpi.so.40"},
    {"libmpich.so", "mpich/libmpich.so.12"},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static char path[LIBRARIES][PATH_MAX];

unsigned int la_version(unsigned int version);
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag);

static void paths_make(void)
{
	Dl_info me;
	const char *slash;

	if (!dladdr((void *)(uintptr_t)la_version, &me) || !me.dli_fname)
		return;
	slash = strrchr(me.dli_fname, '/');
	for (int i = 0; slash && i < LIBRARIES; i++) {
		snprintf(path[i], sizeof path[i], "%.*s/%s", (int)(slash - me.dli_fname),
		         me.dli_fname, libraries[i].ours);
		if (access(path[i], R_OK) < 0)
			path[i][0] = '\0';
	}
}

SHOWN unsigned int la_version(unsigned int version)
{
	paths_make();
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

SHOWN char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
	const char *base = strrchr(name, '/');

	(void)cookie;
	(void)flag;
	base = base ? base + 1 : name;
	for (int i = 0; i < LIBRARIES; i++)
		if (path[i][0] && strcmp(base, libraries[i].asked) == 0)
			return path[i];
	return (char *)(uintptr_t)name;
}
