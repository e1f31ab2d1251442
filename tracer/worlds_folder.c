/* worlds_folder.c: what processes of several worlds tell each other by files of the trace's folder:
 * how many ranks there are, and who is traced (worlds.h). */
#include "worlds.h"

#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the number of ranks --- */

/* What is counted so far, initial if nothing is; n more from there on. -1. */
static int64_t count_add(int fd, int64_t initial, int n)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char text[24] = "";
	int64_t first = initial;

	while (fcntl(fd, F_SETLKW, &lock) < 0)
		if (errno != EINTR)
			return -1;
	if (pread(fd, text, sizeof text - 1, 0) > 0 &&
	    num_parse_i64(text, strcspn(text, "\n"), &first) < 0)
		return -1;
	if (first < 0 || snprintf(text, sizeof text, "%lld\n", (long long)first + n) < 0 ||
	    pwrite(fd, text, strlen(text), 0) != (ssize_t)strlen(text))
		return -1;
	return first;
}

int64_t worlds_counted(int64_t initial, int n)
{
	const char *dir = getenv("ORRERY_TRACE_DIR");
	char path[4096];
	int64_t first;
	int fd;

	if (!dir)
		return -1;
	snprintf(path, sizeof path, "%s/.worlds", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	first = count_add(fd, initial, n);
	close(fd); /* and unlocks it */
	return first;
}

int64_t worlds_claim(int n)
{
	return worlds_counted(-1, n);
}

/* --- the token --- */

int worlds_token_path(char *out, size_t n, const char *dir, const char *token)
{
	return dir && token && (size_t)snprintf(out, n, "%s/.spawned-%s", dir, token) < n;
}

void worlds_tell(void)
{
	char path[4096];
	int fd;

	if (!worlds_token_path(path, sizeof path, getenv("ORRERY_TRACE_DIR"),
	                       getenv("ORRERY_SPAWN")))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}
