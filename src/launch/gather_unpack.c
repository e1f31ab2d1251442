/* gather_unpack.c: see gather.h: what was gathered becomes files of one folder, and a trace. */
#include "gather_int.h"

#include "traced.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of which source a file came, by its name, and without its ending, as others are made of it. */
struct origins {
	struct hash_str of;
	uint32_t folders; /* so far */
};

struct unpacking {
	int dir, fd;
	char name[NAME_MOST + 1];
	char *room;
	uint64_t files;
	struct origins *origins;
	int again; /* the name is there already: fd is another file, to be compared */
};

static int origin_note(struct origins *o, const char *name, struct err *err)
{
	char stem[NAME_MOST + 1];

	snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
	return hash_str_put(&o->of, name, o->folders, err) < 0
	           ? -1
	           : hash_str_put(&o->of, stem, o->folders, err);
}

/* A fault of a file that came is told at its source: what it was unpacked to is removed. Where a
 * host's Orrery does not tell folders apart, it stays as it is. */
static void fault_place(const struct gather *g, const struct origins *o, const char *folder,
                        struct err *err)
{
	struct err told = *err;
	size_t n = strlen(folder);
	const char *name = told.text + n + 1, *source;
	uint32_t at;
	int whole;

	if (told.kind != ERR_INPUT || told.number || o->folders != (uint32_t)g->n ||
	    strncmp(told.text, folder, n) != 0 || told.text[n] != '/')
		return;
	at = hash_str_findn(&o->of, name, strcspn(name, ":"));
	whole = at != HASH_NONE;
	if (!whole)
		at = hash_str_findn(&o->of, name, strcspn(name, ".:"));
	if (at == HASH_NONE)
		return;
	source = g->sources[at - 1];
	for (n = strlen(source); n > 1 && source[n - 1] == '/'; n--)
		;
	err_set(err, told.kind, "%.*s%s%s", (int)n, source, whole ? "/" : ": ", name);
}

/* Hosts that share a folder send the same files. */
#define AGAIN ".again"

/* The bytes at `at` of both: 1: they are the same, *n many; 0; -1. */
static int bytes_same(int a, int b, off_t at, ssize_t *n)
{
	char x[4096], y[4096];
	ssize_t m = pread(b, y, sizeof y, at);

	*n = pread(a, x, sizeof x, at);
	if (*n < 0 || m < 0)
		return -1;
	return *n == m && memcmp(x, y, (size_t)m) == 0;
}

/* Is what came again what came before? */
static int again_compare(const struct unpacking *u, struct err *err)
{
	int before = openat(u->dir, u->name, O_RDONLY | O_CLOEXEC), same = 1;
	ssize_t n = 1;

	if (before < 0)
		return err_sys(err, errno, "cannot open %s", u->name);
	for (off_t at = 0; same > 0 && n > 0; at += n)
		same = bytes_same(before, u->fd, at, &n);
	if (same < 0)
		err_sys(err, errno, "cannot read %s", u->name);
	close(before);
	if (same == 0)
		err_set(err, ERR_INPUT,
		        "two of the folders have a file %s, and these differ: they are not of one "
		        "run",
		        u->name);
	return same > 0 ? 0 : -1;
}

/* Some file systems report a full disk only here. */
static int file_end(struct unpacking *u, struct err *err)
{
	int r = u->fd >= 0 && u->again ? again_compare(u, err) : 0;

	if (u->again)
		unlinkat(u->dir, AGAIN, 0);
	if (u->fd >= 0 && close(u->fd) < 0 && errno != EINTR && r == 0)
		r = err_sys(err, errno, "cannot write %s", u->name);
	u->fd = -1;
	u->again = 0;
	return r;
}

static int file_begin(struct unpacking *u, const char *name, size_t n, struct err *err)
{
	if (n == 0 || n > NAME_MOST || name[0] == '.' || memchr(name, '/', n) ||
	    memchr(name, '\0', n))
		return err_set(err, ERR_INPUT, "a host sends a file without a name");
	if (file_end(u, err) < 0)
		return -1;
	memcpy(u->name, name, n);
	u->name[n] = '\0';
	u->fd = openat(u->dir, u->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	u->again = u->fd < 0 && errno == EEXIST;
	if (u->again)
		u->fd = openat(u->dir, AGAIN, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (u->fd < 0)
		return err_sys(err, errno, "cannot write %s", u->name);
	if (u->again)
		return 0;
	u->files++;
	return u->origins ? origin_note(u->origins, u->name, err) : 0;
}

static int unpack(void *self, const struct block *b, const uint8_t *head, const void *stored,
                  struct err *err)
{
	struct unpacking *u = self;
	const void *raw = stored;
	int s = 0;

	(void)head;
	if (b->packing != BLOCK_PLAIN) {
		s = b->packing < BLOCK_PACKINGS
		        ? block_unpack(b->packing, stored, b->stored, u->room, b->raw)
		        : -1;
		raw = u->room;
	}
	if (s == 2)
		return err_nomem(err, "what comes from a host", b->raw);
	if (s != 0)
		return err_set(err, s > 0 ? ERR_LIMIT : ERR_INPUT,
		               s > 0
		                   ? "a host packs with zstd, which this program was built without "
		                     "(Debian: libzstd-dev, and build again)"
		                   : "what comes from a host is damaged");
	if (b->kind == FOLDER) {
		if (u->origins)
			u->origins->folders++;
		return 0;
	}
	if (b->kind == FILE_NAME)
		return file_begin(u, raw, b->raw, err);
	if (b->kind != FILE_BYTES || u->fd < 0)
		return err_set(err, ERR_INPUT,
		               "what comes from a host is not what 'orrery gather --pack' writes");
	return output_put(u->fd, raw, b->raw) == 0
	           ? 0
	           : err_sys(err, errno, "cannot write %s", u->name);
}

/* From the sources, or, without them, from a descriptor. */
static int unpack_from(const struct gather *g, int in, int dir, struct origins *o, struct err *err)
{
	struct unpacking u = {.fd = -1, .dir = dir, .origins = o};
	char *room = malloc(2 * (size_t)GATHER_BLOCK);
	struct err last;
	int r;

	if (!room)
		return err_nomem(err, "files", 2 * (size_t)GATHER_BLOCK);
	u.room = room + GATHER_BLOCK;
	r = g ? gather_groups_take(g, 0, unpack, &u, room, err)
	      : gather_stream_take(in, unpack, &u, room, err);
	if (r == 0 && u.files == 0)
		r = err_set(err, ERR_INPUT, "there is no file in the folders that were given");
	if (file_end(&u, &last) < 0 && r == 0) {
		*err = last;
		r = -1;
	}
	free(room);
	return r;
}

int gather_unpack(int in, int dir, struct err *err)
{
	return unpack_from(NULL, in, dir, NULL, err);
}

static int unpack_all(const struct gather *g, const char *folder, struct origins *o,
                      struct err *err)
{
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (dir < 0)
		return err_sys(err, errno, "cannot open the folder %s", folder);
	r = unpack_from(g, -1, dir, o, err);
	close(dir);
	return r;
}

/* What came of a folder that was empty before. */
static void folder_undo(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	rmdir(path);
}

int gather_run(const struct gather *g, const char *to, int overwrite, struct str *notices,
               struct err *err)
{
	struct origins o = {0};
	struct traced t;
	struct err none;
	int r;

	if (gather_sources_check(g, err) < 0)
		return -1;
	if (traced_gather_begin(&t, to, overwrite, err) < 0)
		return -1;
	hash_str_init(&o.of);
	r = unpack_all(g, t.folder, &o, err);
	if (r == 0)
		r = traced_gather_end(&t, 1, notices, err);
	else
		traced_gather_end(&t, 0, notices, &none);
	if (r < 0)
		fault_place(g, &o, t.folder, err);
	hash_str_release(&o.of);
	if (r < 0 && !t.place.is_beside)
		folder_undo(t.folder);
	traced_release(&t);
	return r != 0 ? -1 : 0; /* 1: it is there, and lacks ranks */
}
