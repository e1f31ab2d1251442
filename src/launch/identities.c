/* identities.c: communicators of a simulated run get the names that a traced run gives them: the
 * world rank of the first member, and how many that one has made before (tracer/comms.h).
 *
 * While it runs, each member names a new communicator by itself, with a number that nobody counted:
 * a message that told the count would take simulated time. The count is that of the lines of the
 * first member, in their order. Two passes over each file: the first counts, the second copies with
 * the names replaced; nothing is touched where no communicator was made. */
#include "identities.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct text {
	char *p;
	size_t n;
};

static void path_make(char *path, size_t n, const char *dir, uint32_t rank, const char *suffix)
{
	snprintf(path, n, "%s/rank-%u.tit%s", dir, rank, suffix);
}

/* A file that is not there is empty. */
static int text_open(struct text *t, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	*t = (struct text){0};
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		t->p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		t->n = (size_t)st.st_size;
	}
	close(fd);
	if (t->p != MAP_FAILED)
		return 0;
	*t = (struct text){0};
	return err_sys(err, errno, "%s", path);
}

static void text_close(struct text *t)
{
	if (t->p)
		munmap(t->p, t->n);
}

/* The number behind a key of a line, or -1; *end: behind it. */
static int64_t number_after(const char *line, size_t n, const char *key, const char **end)
{
	const char *p = memmem(line, n, key, strlen(key)), *stop = line + n;
	int64_t v = -1;

	for (p = p ? p + strlen(key) : stop; p < stop && *p >= '0' && *p <= '9'; p++)
		v = (v < 0 ? 0 : v) * 10 + (*p - '0');
	*end = p;
	return v;
}

/* "A.B" at p, or 0. */
static int identity_at(const char *p, const char *stop, uint64_t *id, const char **end)
{
	uint64_t part[2] = {0, 0};

	for (int i = 0; i < 2; i++) {
		const char *from = p;

		for (; p < stop && *p >= '0' && *p <= '9'; p++)
			part[i] = part[i] * 10 + (uint64_t)(*p - '0');
		if (p == from || (i == 0 && (p == stop || *p++ != '.')))
			return 0;
	}
	*id = part[0] << 32 | (part[1] & UINT32_MAX);
	*end = p;
	return 1;
}

/* One line: a communicator whose first member this rank is gets its count. */
static int line_count(struct hash64 *names, uint32_t rank, const char *line, size_t n,
                      uint32_t *made, struct err *err)
{
	static const char key[] = " comm=";
	const char *end, *at = memmem(line, n, key, sizeof key - 1);
	int64_t first = number_after(line, n, " members=", &end);
	int64_t other = number_after(line, n, " remote=", &end);
	uint64_t id;

	if (first != (int64_t)rank || !at ||
	    !identity_at(at + sizeof key - 1, line + n, &id, &end) ||
	    hash64_find(names, id) != HASH_NONE)
		return 0;
	(*made)++;
	if (other >= 0 && other < first)
		return 0; /* the other group's */
	return hash64_put(names, id, *made - 1, err);
}

static int file_count(struct hash64 *names, const char *dir, uint32_t rank, struct err *err)
{
	char path[4096];
	struct text t;
	uint32_t made = 0;
	int r = 0;

	path_make(path, sizeof path, dir, rank, "");
	if (text_open(&t, path, err) < 0)
		return -1;
	for (size_t at = 0; r == 0 && at < t.n;) {
		const char *end = memchr(t.p + at, '\n', t.n - at);
		size_t n = end ? (size_t)(end - t.p) - at : t.n - at;

		if (memmem(t.p + at, n, " members=", 9))
			r = line_count(names, rank, t.p + at, n, &made, err);
		at += n + 1;
	}
	text_close(&t);
	return r;
}

/* Writes the text with the names replaced that follow " comm=" and " parent=". */
static void text_copy(const struct hash64 *names, const struct text *t, FILE *out)
{
	const char *p = t->p, *stop = t->p + t->n, *end;

	while (p < stop) {
		const char *eq = memchr(p, '=', (size_t)(stop - p));
		uint64_t id;
		uint32_t count;

		if (!eq)
			break;
		eq++;
		fwrite(p, 1, (size_t)(eq - p), out);
		p = eq;
		if ((eq - t->p >= 6 && memcmp(eq - 6, " comm=", 6) == 0) ||
		    (eq - t->p >= 8 && memcmp(eq - 8, " parent=", 8) == 0)) {
			count = identity_at(p, stop, &id, &end) ? hash64_find(names, id)
			                                        : HASH_NONE;
			if (count == HASH_NONE)
				continue;
			fprintf(out, "%u.%u", (uint32_t)(id >> 32), count);
			p = end;
		}
	}
	fwrite(p, 1, (size_t)(stop - p), out);
}

static int file_rename(const struct hash64 *names, const char *dir, uint32_t rank, struct err *err)
{
	char path[4096], fresh[4096];
	struct text t;
	FILE *out;
	int bad;

	path_make(path, sizeof path, dir, rank, "");
	path_make(fresh, sizeof fresh, dir, rank, ".new");
	if (text_open(&t, path, err) < 0)
		return -1;
	out = t.p ? fopen(fresh, "we") : NULL;
	if (!out) {
		bad = errno;
		text_close(&t);
		return t.p ? err_sys(err, bad, "%s", fresh) : 0;
	}
	text_copy(names, &t, out);
	text_close(&t);
	bad = ferror(out);
	bad |= fclose(out) != 0;
	if (!bad && rename(fresh, path) == 0)
		return 0;
	bad = errno;
	unlink(fresh);
	return err_sys(err, bad, "%s", fresh);
}

int identities_count(const char *dir, uint32_t ranks, struct err *err)
{
	struct hash64 names;
	int r = 0;

	hash64_init(&names);
	for (uint32_t i = 0; r == 0 && i < ranks; i++)
		r = file_count(&names, dir, i, err);
	for (uint32_t i = 0; r == 0 && names.n > 0 && i < ranks; i++)
		r = file_rename(&names, dir, i, err);
	hash64_release(&names);
	return r;
}
