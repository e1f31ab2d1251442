/* program.c: see program.h. */
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode) && access(path, X_OK) == 0;
}

static int is_file(const char *path)
{
	return access(path, F_OK) == 0;
}

/* The first that is so. */
static char *in_path(const char *word, int (*is)(const char *path))
{
	const char *p = getenv("PATH");
	char *path;

	if (strchr(word, '/')) {
		if (is(word))
			return strdup(word);
		errno = ENOENT;
		return NULL;
	}
	/* a colon at the end has an empty folder after it */
	for (size_t n; p && *p; p = p[n] && p[n + 1] ? p + n + 1 : p[n] ? "." : NULL) {
		n = strcspn(p, ":");
		if (asprintf(&path, "%.*s/%s", n ? (int)n : 1, n ? p : ".", word) < 0) {
			errno = ENOMEM;
			return NULL;
		}
		if (is(path))
			return path;
		free(path);
	}
	errno = ENOENT;
	return NULL;
}

char *program_file(const char *word)
{
	return in_path(word, is_program);
}

int program_is_there(const char *word)
{
	char *path = in_path(word, is_file);
	int there = path || errno == ENOMEM;

	free(path);
	return there;
}

/* What this program was started as, where there is no /proc (a chroot without it). */
static int self_started(char *out, size_t n)
{
	const char *started = (const char *)getauxval(AT_EXECFN);
	char *real = started && *started ? realpath(started, NULL) : NULL;
	int fits = real && strlen(real) < n;

	if (fits)
		memcpy(out, real, strlen(real) + 1);
	free(real);
	return fits;
}

int program_self(char *out, size_t n, struct err *err)
{
	ssize_t got = readlink("/proc/self/exe", out, n - 1);
	int why = errno;

	if (got < 0 && self_started(out, n))
		return 0;
	if (got < 0) {
		err_sys(err, why, "finding this program in /proc/self/exe");
		if (access("/proc/self", F_OK) < 0)
			err_append(err, ": /proc is not mounted ('mount -t proc proc /proc')");
		return -1;
	}
	out[got] = '\0';
	return 0;
}
