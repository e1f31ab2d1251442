/* own_folder.c: what the kernel keeps for a process: where it works, rights of new files. Where a
 * rank has changed one, each rank finds its own when it goes on, and the simulator that of the
 * beginning. Without such a rank nothing is asked. */
#include "coro_int.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* After the working directory was changed: 0, or -1 with errno, and it is what it was. */
static int folder_keep(const char *before)
{
	struct own *own = own_now();
	char *now = getcwd(NULL, 0);
	int why = errno;

	if (!now) {
		if (chdir(before) < 0)
			coro_ends(CORO_KILLED, SIGKILL, "lost its working directory");
		errno = why;
		return -1;
	}
	free(own->folder);
	own->folder = coros_now->folder_now = now;
	return 0;
}

/* What the folder of all is, from the first time that a rank leaves it: -1 with errno. */
static int folder_begin(struct coros *c)
{
	if (!c->home)
		c->folder_now = c->home = getcwd(NULL, 0);
	return c->home ? 0 : -1;
}

int own_chdir(const char *path)
{
	struct coros *c = coros_now;

	if (folder_begin(c) < 0 || chdir(path) < 0)
		return -1;
	return folder_keep(c->folder_now);
}

int own_fchdir(int fd)
{
	struct coros *c = coros_now;

	if (folder_begin(c) < 0 || fchdir(fd) < 0)
		return -1;
	return folder_keep(c->folder_now);
}

mode_t own_umask(mode_t mask)
{
	struct coros *c = coros_now;
	struct own *own = own_now();
	mode_t before = umask(mask);

	if (!c->has_masks)
		c->mask = before;
	c->has_masks = own->has_mask = 1;
	own->mask = mask;
	return before;
}

int own_process_set(struct coros *c, const struct own *own)
{
	char *folder = own && own->folder ? own->folder : c->home;

	if (c->has_locales)
		own_locale_set(own);
	if (c->has_masks)
		umask(own && own->has_mask ? own->mask : c->mask);
	if (folder == c->folder_now)
		return 0;
	if (chdir(folder) < 0)
		return -1;
	c->folder_now = folder;
	return 0;
}
