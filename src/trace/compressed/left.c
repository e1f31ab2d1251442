/* left.c: see left.h. */
#include "left.h"
#include "block.h"
#include "chapter.h"
#include "file_name.h"
#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- files --- */

static const char *const suffixes[] = {"part", "log", "log2"};
enum { FILES = 3 };

static char *path_make(const char *dir, uint32_t rank, const char *suffix, struct err *err)
{
	char *path;

	if (asprintf(&path, "%s/rank-%u.%s", dir, rank, suffix) >= 0)
		return path;
	err_nomem(err, "a file name", strlen(dir));
	return NULL;
}

/* 1, 0 where there is none, -1. */
static int file_map(const char *path, struct mapping *m, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *p = MAP_FAILED;
	int r = 1;

	*m = (struct mapping){0};
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	if (fstat(fd, &st) < 0 || (st.st_size > 0 && (p = mmap(NULL, (size_t)st.st_size, PROT_READ,
	                                                       MAP_PRIVATE, fd, 0)) == MAP_FAILED))
		r = err_sys(err, errno, "cannot read %s", path);
	else if (st.st_size > 0)
		*m = (struct mapping){p, (size_t)st.st_size};
	close(fd);
	return r;
}

static void file_unmap(struct mapping *m)
{
	if (m->p)
		munmap((void *)(uintptr_t)m->p, m->n);
	*m = (struct mapping){0};
}

void left_close(struct left *l)
{
	file_unmap(&l->part);
	file_unmap(&l->log[0]);
	file_unmap(&l->log[1]);
}

void left_remove(const char *dir, uint32_t rank)
{
	for (int i = 0; i < FILES; i++) {
		struct err dropped;
		char *path = path_make(dir, rank, suffixes[i], &dropped);

		if (path)
			unlink(path);
		free(path);
	}
}

int64_t left_rank(const char *name)
{
	uint32_t rank;
	const char *suffix = trace_rank_file(name, &rank);

	for (int i = 0; suffix && i < FILES; i++)
		if (strcmp(suffix + 1, suffixes[i]) == 0)
			return rank;
	return -1;
}

/* What is wrong in the file of that suffix; what is not of its bytes stays as it is. Returns -1. */
static int file_fault(const struct left *l, int suffix, struct err *err)
{
	struct err told = *err;

	return told.kind == ERR_INPUT && !told.number
	           ? err_set(err, ERR_INPUT, "%s/rank-%u.%s: %s", l->dir, l->rank, suffixes[suffix],
	                     told.text)
	           : -1;
}

int left_part_fault(const struct left *l, struct err *err)
{
	return file_fault(l, 0, err);
}

static int log_of(const struct left *l, int i, const struct log_reader *r, struct err *err)
{
	const struct mapping *m = &l->log[i];

	return log_read(m->p, m->n, r, err) < 0 ? file_fault(l, 1 + i, err) : 0;
}

/* --- chapters --- */

/* The chapter at p, whole: its length with its head; 0: there is none. */
static size_t chapter_at(const uint8_t *p, size_t n, struct block *b)
{
	if (block_get(p, n, b) < 0 || b->kind != BLOCK_BUNDLE || b->stored > n - BLOCK_BYTES ||
	    b->raw / 4096 > b->stored + 1 ||
	    block_checksum(p + BLOCK_BYTES, b->stored) != b->checksum)
		return 0;
	return BLOCK_BYTES + b->stored;
}

static uint32_t chapters_count(const struct mapping *part)
{
	struct block b;
	uint32_t n = 0;

	for (size_t at = 0, k; at < part->n && (k = chapter_at(part->p + at, part->n - at, &b));
	     at += k)
		n++;
	return n;
}

static int chapter_unpack(const struct block *b, const uint8_t *stored, struct str *out,
                          struct err *err)
{
	char *raw = malloc(b->raw + 1);
	int s;

	str_clear(out);
	if (!raw)
		return err_nomem(err, "a chapter", b->raw);
	s = block_unpack((enum block_packing)b->packing, stored, b->stored, raw, b->raw);
	if (s != 0) {
		free(raw);
		return s == 2 ? err_nomem(err, "a chapter", b->raw)
		              : err_set(err, ERR_INPUT, "a chapter cannot be unpacked");
	}
	str_putn(out, raw, b->raw);
	free(raw);
	return out->failed ? err_nomem(err, "a chapter", b->raw) : 0;
}

int left_chapter(const struct left *l, uint32_t i, struct str *out, struct err *err)
{
	struct block b;
	size_t at = 0, k;

	BUG_ON(i >= l->chapters);
	for (;; i--, at += k) {
		k = chapter_at(l->part.p + at, l->part.n - at, &b);
		if (i == 0)
			return chapter_unpack(&b, l->part.p + at + BLOCK_BYTES, out, err) < 0
			           ? file_fault(l, 0, err)
			           : 0;
	}
}

/* --- logs --- */

struct head {
	int64_t chapters; /* -1: it does not say */
	uint32_t ranks;
};

static int head_note(void *self, const char *note, struct err *err)
{
	const char *number = strchr(note, ' ');
	struct head *h = self;
	int64_t v;

	(void)err;
	if (!number || num_parse_i64(number + 1, strlen(number + 1), &v) < 0 || v < 0)
		return 0;
	if (strncmp(note, "chapters ", 9) == 0)
		h->chapters = v;
	else if ((strncmp(note, "ranks ", 6) == 0 || strncmp(note, "met ", 4) == 0) &&
	         v <= INT32_MAX && v > h->ranks)
		h->ranks = (uint32_t)v; /* met: those of other worlds are among them */
	return 0;
}

static int event_pass(void *self, const struct trace_event *ev, struct err *err)
{
	(void)self;
	(void)ev;
	(void)err;
	return 0;
}

/* One that is no log is passed over; one for which there is no memory is not. */
static int log_look(struct left *l, int i, struct err *err)
{
	const struct mapping *m = &l->log[i];
	struct head h = {.chapters = -1};

	if (!m->p)
		return 0;
	if (log_read(m->p, m->n, &(struct log_reader){&h, head_note, event_pass}, err) < 0)
		return err->kind == ERR_LIMIT ? -1 : 0;
	if (h.ranks > l->ranks)
		l->ranks = h.ranks;
	if (h.chapters == l->chapters)
		l->next = i;
	if (h.chapters == l->chapters || (h.chapters >= 0 && l->next < 0))
		l->noted = i; /* how many chapters there were is its last note */
	return 0;
}

int left_open(struct left *l, const char *dir, uint32_t rank, struct err *err)
{
	struct mapping *m[FILES] = {&l->part, &l->log[0], &l->log[1]};
	int found = 0;

	*l = (struct left){.dir = dir, .rank = rank, .ranks = rank + 1, .next = -1};
	for (int i = 0; i < FILES; i++) {
		char *path = path_make(dir, rank, suffixes[i], err);
		int s = path ? file_map(path, m[i], err) : -1;

		free(path);
		if (s < 0) {
			left_close(l);
			return -1;
		}
		found |= s;
	}
	l->chapters = chapters_count(&l->part);
	l->noted = !l->log[0].p;
	if (log_look(l, 0, err) < 0 || log_look(l, 1, err) < 0) {
		left_close(l);
		return -1;
	}
	return found;
}

/* --- read --- */

int left_log(const struct left *l, const struct log_reader *r, struct err *err)
{
	return l->next < 0 ? 0 : log_of(l, l->next, r, err);
}

/* Notes of the log alone. */
static int left_notes(const struct left *l, const struct log_reader *r, struct err *err)
{
	return l->log[l->noted].p
	           ? log_of(l, l->noted, &(struct log_reader){r->self, r->note, event_pass}, err)
	           : 0;
}

static int walk_out(const struct left *l, struct chapter *c, const struct bundle *b,
                    const struct log_reader *r, struct err *err)
{
	const struct bundle_member *m = &b->member[0];
	struct walk_frame frame[NEST_DEPTH + 2];
	char name[FILE_NAME_ROOM];
	struct trace_event ev;
	struct walk w;

	if (m->rank != l->rank)
		return err_set(err, ERR_INPUT, "a chapter of rank %u among those of rank %u",
		               m->rank, l->rank);
	if (chapter_costs_check(c, m->rank, m->own, m->bytes, err) < 0)
		return -1;
	walk_begin_at(&w, c, m->rank, m->own, frame);
	while (walk_next(&w, &ev)) {
		file_name_join(&ev, name);
		if (r->event(r->self, &ev, err) < 0)
			return -1;
	}
	return 0;
}

static int bundle_out(const struct left *l, const struct bundle *b, const struct log_reader *r,
                      struct err *err)
{
	struct str structure = {0}, costs = {0};
	struct chapter *c = NULL;
	int result = -1;

	bundle_write(b, l->ranks, &structure, &costs);
	if (structure.failed || costs.failed)
		err_nomem(err, "a chapter", structure.n);
	else
		c = chapter_read((const uint8_t *)structure.s, structure.n, l->ranks, "a chapter",
		                 err);
	if (c && b->members != 1)
		err_set(err, ERR_INPUT, "a chapter of %u ranks, not of one", b->members);
	else if (c &&
	         chapter_read_costs(c, (const uint8_t *)costs.s, costs.n, "a chapter", err) == 0)
		result = walk_out(l, c, b, r, err);
	chapter_free(c);
	str_release(&structure);
	str_release(&costs);
	return result;
}

static int chapter_out(const struct left *l, uint32_t i, const struct log_reader *r,
                       struct err *err)
{
	struct str raw = {0};
	struct bundle b;
	int result = left_chapter(l, i, &raw, err);

	bundle_init(&b, 100);
	if (result == 0 && (bundle_merge(&b, (const uint8_t *)raw.s, raw.n, NULL, err) < 0 ||
	                    bundle_out(l, &b, r, err) < 0))
		result = file_fault(l, 0, err);
	bundle_release(&b);
	str_release(&raw);
	return result;
}

static int note_pass(void *self, const char *note, struct err *err)
{
	(void)self;
	(void)note;
	(void)err;
	return 0;
}

/* Where there are chapters, the notes of the log are wanted before them: readers look for them at
 * the head. */
int left_read(const struct left *l, const struct log_reader *r, struct err *err)
{
	int alone = l->chapters == 0 && l->next >= 0;
	struct log_reader events = {r->self, alone ? r->note : note_pass, r->event};

	if (!alone && left_notes(l, r, err) < 0)
		return -1;
	for (uint32_t i = 0; i < l->chapters; i++)
		if (chapter_out(l, i, r, err) < 0)
			return -1;
	return left_log(l, &events, err);
}
