/* program.c: see program.h. */
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode) && access(path, X_OK) == 0;
}

char *program_file(const char *word)
{
	const char *p = getenv("PATH");
	char *path;

	if (strchr(word, '/')) {
		if (is_program(word))
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
		if (is_program(path))
			return path;
		free(path);
	}
	errno = ENOENT;
	return NULL;
}

int program_self(char *out, size_t n, struct err *err)
{
	ssize_t got = readlink("/proc/self/exe", out, n - 1);

	if (got < 0)
		return err_sys(err, errno, "finding this program in /proc/self/exe");
	out[got] = '\0';
	return 0;
}
