/* restore.c: what the tracer left of a run whose ranks were not merged (tracer/sink.h): of a rank
 * chapters, in rank-<r>.part, and a log, in rank-<r>.log or .log2, of what is in none of them. They
 * become rank-<r>.tit, which complete.c then completes.
 *
 * A process may be killed at any moment: between a chapter and the next log there are the log of
 * before, whose events are in the last chapter, and perhaps a new one. A log says how many chapters
 * were before it: only one that has them all goes on where they end. */
#include "block.h"
#include "chapter.h"
#include "log.h"
#include "pack.h"
#include "trace_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT = 64 << 10 };

struct mapping {
	const uint8_t *p;
	size_t n;
};
struct restoring {
	uint32_t rank, ranks;
	struct output out;
	struct str text;
	uint64_t events;
	int64_t chapters; /* whole ones; of a log: as it says */
	int ended;
};

/* --- lines --- */

static int text_pass(struct restoring *r, size_t most, struct err *err)
{
	if (r->text.failed)
		return err_nomem(err, "text of a trace", r->text.n);
	if (r->text.n <= most)
		return 0;
	if (output_write(&r->out, r->text.s, r->text.n, err) < 0)
		return -1;
	str_clear(&r->text);
	return 0;
}

static int event_take(void *self, const struct trace_event *ev, struct err *err)
{
	struct restoring *r = self;

	r->events++;
	trace_event_format(&r->text, r->rank, ev);
	return text_pass(r, TEXT, err);
}

static int note_take(void *self, const char *note, struct err *err)
{
	struct restoring *r = self;

	if (strncmp(note, "chapters ", 9) == 0)
		return 0;
	if (strncmp(note, "end ", 4) == 0) {
		r->ended = 1;
		return 0;
	}
	str_puts(&r->text, "# ");
	str_puts(&r->text, note);
	str_putc(&r->text, '\n');
	return text_pass(r, TEXT, err);
}

/* --- files --- */

/* 1, 0 where there is none, -1. */
static int file_map(const char *path, struct mapping *m, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = NULL;

	*m = (struct mapping){0};
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (!p || p == MAP_FAILED)
		return p ? err_sys(err, errno, "%s", path) : 1;
	*m = (struct mapping){p, (size_t)st.st_size};
	return 1;
}

static void file_unmap(struct mapping *m)
{
	if (m->p)
		munmap((void *)(uintptr_t)m->p, m->n);
	*m = (struct mapping){0};
}

/* --- chapters --- */

static int walk_out(struct restoring *r, struct chapter *c, const struct bundle *b, struct err *err)
{
	const struct bundle_member *m = &b->member[0];
	struct walk_frame frame[NEST_DEPTH + 2];
	struct trace_event ev;
	struct walk w;

	if (m->rank != r->rank || chapter_costs_check(c, m->rank, m->own, m->bytes, err) < 0)
		return -1;
	walk_begin_at(&w, c, m->rank, m->own, frame);
	while (walk_next(&w, &ev))
		if (event_take(r, &ev, err) < 0)
			return -1;
	return 0;
}

static int bundle_out(struct restoring *r, const struct bundle *b, struct err *err)
{
	struct str structure = {0}, costs = {0};
	struct chapter *c = NULL;
	int result = -1;

	bundle_write(b, r->ranks, &structure, &costs);
	if (structure.failed || costs.failed)
		err_nomem(err, "a chapter", structure.n);
	else
		c = chapter_read((const uint8_t *)structure.s, structure.n, r->ranks, r->out.path,
		                 err);
	if (c && b->members == 1 &&
	    chapter_read_costs(c, (const uint8_t *)costs.s, costs.n, r->out.path, err) == 0)
		result = walk_out(r, c, b, err);
	chapter_free(c);
	str_release(&structure);
	str_release(&costs);
	return result;
}

static int chapter_out(struct restoring *r, const struct block *b, const uint8_t *stored,
                       struct err *err)
{
	uint8_t *raw = malloc(b->raw + 1);
	struct bundle bundle;
	int result = -1;

	bundle_init(&bundle, 100);
	if (!raw)
		err_nomem(err, "a chapter", b->raw);
	else if (block_unpack((enum block_packing)b->packing, stored, b->stored, raw, b->raw) != 0)
		err_set(err, ERR_INPUT, "%s: a chapter cannot be unpacked", r->out.path);
	else if (bundle_merge(&bundle, raw, b->raw, NULL, err) == 0)
		result = bundle_out(r, &bundle, err);
	bundle_release(&bundle);
	free(raw);
	return result;
}

/* The chapter at p, whole: its length with its head; 0: there is none. */
static size_t chapter_at(const uint8_t *p, size_t n, struct block *b)
{
	if (block_get(p, n, b) < 0 || b->kind != BLOCK_BUNDLE || b->stored > n - BLOCK_BYTES ||
	    b->raw / 4096 > b->stored + 1 ||
	    block_checksum(p + BLOCK_BYTES, b->stored) != b->checksum)
		return 0;
	return BLOCK_BYTES + b->stored;
}

static int64_t chapters_count(const struct mapping *part)
{
	struct block b;
	int64_t n = 0;

	for (size_t at = 0, k; at < part->n && (k = chapter_at(part->p + at, part->n - at, &b));
	     at += k)
		n++;
	return n;
}

static int chapters_out(struct restoring *r, const struct mapping *part, struct err *err)
{
	struct block b;

	for (size_t at = 0, k; at < part->n && (k = chapter_at(part->p + at, part->n - at, &b));
	     at += k)
		if (chapter_out(r, &b, part->p + at + BLOCK_BYTES, err) < 0)
			return -1;
	return 0;
}

/* --- logs --- */

static int head_note(void *self, const char *note, struct err *err)
{
	struct restoring *r = self;

	(void)err;
	if (strncmp(note, "chapters ", 9) == 0)
		r->chapters = strtoll(note + 9, NULL, 10);
	else if (strncmp(note, "ranks ", 6) == 0)
		r->ranks = (uint32_t)strtoul(note + 6, NULL, 10);
	return 0;
}

static int event_pass(void *self, const struct trace_event *ev, struct err *err)
{
	(void)self;
	(void)ev;
	(void)err;
	return 0;
}

/* How many chapters were before a log; -1: it does not say. */
static int64_t chapters_before(const struct mapping *log, uint32_t *ranks)
{
	struct restoring r = {.chapters = -1};
	struct err dropped;

	if (log_read(log->p, log->n, &(struct log_reader){&r, head_note, event_pass}, &dropped) < 0)
		return -1;
	if (r.ranks > *ranks)
		*ranks = r.ranks;
	return r.chapters;
}

/* Only the notes: the events are in a chapter. */
static int log_out(struct restoring *r, const struct mapping *log, int events, struct err *err)
{
	return log_read(log->p, log->n,
	                &(struct log_reader){r, note_take, events ? event_take : event_pass}, err);
}

/* --- a rank --- */

/* Notes of the first log that there is, chapters, events of the log that goes on with them. */
static int rank_out(struct restoring *r, const struct mapping *part, const struct mapping log[2],
                    struct err *err)
{
	int64_t chapters = chapters_count(part);
	int next = -1;

	r->ranks = r->rank + 1;
	for (int i = 0; i < 2; i++)
		if (log[i].p && chapters_before(&log[i], &r->ranks) == chapters)
			next = i;
	if (next < 0 || chapters > 0) {
		const struct mapping *any = log[0].p ? &log[0] : &log[1];

		if (any->p && next < 0 && log_out(r, any, 0, err) < 0)
			return -1;
		if (chapters_out(r, part, err) < 0)
			return -1;
	}
	if (next >= 0 && log_out(r, &log[next], 1, err) < 0)
		return -1;
	if (r->ended)
		str_printf(&r->text, "# end %llu\n", (unsigned long long)r->events);
	return text_pass(r, 0, err);
}

static const char *const suffixes[] = {"part", "log", "log2"};

static char *path_make(const char *dir, uint32_t rank, const char *suffix, struct err *err)
{
	char *path;

	if (asprintf(&path, "%s/rank-%u.%s", dir, rank, suffix) >= 0)
		return path;
	err_nomem(err, "a file name", strlen(dir));
	return NULL;
}

static int rank_maps(const char *dir, uint32_t rank, struct mapping m[3], struct err *err)
{
	int found = 0;

	for (int i = 0; i < 3; i++) {
		char *path = path_make(dir, rank, suffixes[i], err);
		int s = path ? file_map(path, &m[i], err) : -1;

		free(path);
		if (s < 0)
			return -1;
		found |= s;
	}
	return found;
}

static void rank_remove(const char *dir, uint32_t rank)
{
	for (int i = 0; i < 3; i++) {
		struct err dropped;
		char *path = path_make(dir, rank, suffixes[i], &dropped);

		if (path)
			unlink(path);
		free(path);
	}
}

static int rank_restore(const char *dir, uint32_t rank, struct err *err)
{
	struct restoring r = {.rank = rank, .out.fd = -1};
	struct mapping m[3] = {{0}};
	char *path = path_make(dir, rank, "tit", err);
	int result = path ? rank_maps(dir, rank, m, err) : -1;

	if (result > 0) {
		result = output_open(&r.out, path, err) < 0 ||
		                 rank_out(&r, &m[0], &m[1], err) < 0 ||
		                 output_commit(&r.out, err) < 0
		             ? -1
		             : 1;
		output_release(&r.out);
	}
	if (result > 0)
		rank_remove(dir, rank);
	for (int i = 0; i < 3; i++)
		file_unmap(&m[i]);
	str_release(&r.text);
	free(path);
	return result;
}

/* "rank-12.log": 12, or -1. */
static int64_t rank_of(const char *name)
{
	unsigned rank;
	int end = 0;

	if (sscanf(name, "rank-%u.%n", &rank, &end) != 1 || end == 0)
		return -1;
	for (int i = 0; i < 3; i++)
		if (strcmp(name + end, suffixes[i]) == 0)
			return rank;
	return -1;
}

int trace_folder_restore(const char *dir, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int restored = 0, r = 0;

	if (!d)
		return err_sys(err, errno, "%s", dir);
	while (r >= 0 && (e = readdir(d))) {
		int64_t rank = rank_of(e->d_name);

		r = rank < 0 ? 0 : rank_restore(dir, (uint32_t)rank, err);
		restored += r > 0;
	}
	closedir(d);
	return r < 0 ? -1 : restored;
}
