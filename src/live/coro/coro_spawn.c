/* coro_spawn.c: ranks that others spawn: one more coroutine of the same program, with words, a
 * folder and a world of its own. Where a place was used before, all begins as for the first one. */
#include "coro_int.h"
#include "live/live.h"
#include "live/starting.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int coro_can_spawn(const char *program, const char *folder)
{
	struct stat its, ours;

	return stat(program, &its) == 0 && stat(coros_now->program, &ours) == 0 &&
	       its.st_dev == ours.st_dev && its.st_ino == ours.st_ino && access(folder, X_OK) == 0;
}

int coros_is_free(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].phase == CORO_NEW || c->coro[rank].phase == CORO_EXITED;
}

/* The words, and after them their text, in one piece. */
static char **words_copy(const char *const *words)
{
	size_t n = 0, bytes = 0;
	char **copy, *text;

	for (; words[n]; n++)
		bytes += strlen(words[n]) + 1;
	copy = malloc((n + 1) * sizeof *copy + bytes);
	if (!copy)
		return NULL;
	text = (char *)(copy + n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t size = strlen(words[i]) + 1;

		copy[i] = memcpy(text, words[i], size);
		text += size;
	}
	copy[n] = NULL;
	return copy;
}

/* Where it works, if that is not where all began. */
static int folder_take(struct coros *c, struct coro *r, const char *folder, struct err *err)
{
	char *full = folder ? realpath(folder, NULL) : NULL;

	if (folder && !full)
		return err_sys(err, errno, "%s", folder);
	if (!c->home)
		c->folder_now = c->home = getcwd(NULL, 0);
	if (!full || (c->home && strcmp(full, c->home) == 0)) {
		free(full);
		return 0;
	}
	r->own = c->home ? calloc(1, sizeof *r->own) : NULL;
	if (!r->own) {
		free(full);
		return err_nomem(err, "folder of a rank", sizeof *r->own);
	}
	r->own->folder = full;
	return 0;
}

int coros_spawn(struct coros *c, uint32_t rank, const struct spawned *s, struct err *err)
{
	struct coro *r = &c->coro[rank];
	uint32_t slot = coro_slot(c, rank);

	if (c->resident[slot] == rank)
		c->resident[slot] = NOBODY;
	if (c->n_slots == c->o.ranks) /* else data of the beginning are kept */
		slot_clear(&c->image, slot);
	*r = (struct coro){.world = s->world, .appnum = s->appnum};
	r->words = words_copy(s->words);
	if (!r->words)
		return err_nomem(err, "words of a program", slot);
	return folder_take(c, r, s->folder, err) < 0 || own_output_file(c->folder, rank, err) < 0
	           ? -1
	           : 0;
}
