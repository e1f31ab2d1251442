/* join.c: the ranks of a simulated run become one file, when it has ended. They cannot merge
 * themselves as those of a real one do (tracer/gather.c): their messages would take simulated time.
 * Each leaves its chapters; if one has not come to its end, all become text (restore.c), as what
 * the tracer left has to be completed then; or if they have spawned others, whose MPI_COMM_WORLD is
 * another one (complete.c). */
#include "comm_names.h"
#include "compressed/block_out.h"
#include "compressed/left.h"
#include "compressed/pack.h"
#include "notes.h"
#include "trace_int.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUNDLE_BYTES = 256 << 20 };

struct joining {
	const char *dir;
	uint32_t ranks, parts; /* parts: chapters of the rank that has most */
	uint32_t rank;         /* that is being read */
	struct comm_names names;
	struct str notes, mine;
	struct bundle bundle;
	struct output file;
	struct block_out out;
	int ended, spawned;
};

/* --- all ranks counted --- */

static int note_take(void *self, const char *note, struct err *err)
{
	struct joining *j = self;

	if (strncmp(note, "chapters ", 9) == 0)
		return 0;
	j->ended |= strncmp(note, "end ", 4) == 0;
	j->spawned |= strncmp(note, "spawned ", 8) == 0;
	str_puts(&j->mine, note);
	str_putc(&j->mine, '\n');
	return j->mine.failed ? err_nomem(err, "notes of a rank", j->mine.n) : 0;
}

/* Nothing is in the log but notes, and all is in chapters. */
static int event_note(void *self, const struct trace_event *ev, struct err *err)
{
	struct joining *j = self;

	(void)ev;
	(void)err;
	j->ended = 0;
	return 0;
}

static int chapter_merge(struct bundle *b, const struct left *l, uint32_t i, struct err *err)
{
	struct str raw = {0};
	int r = left_chapter(l, i, &raw, err);

	if (r < 0)
		return -1;
	r = bundle_merge(b, (const uint8_t *)raw.s, raw.n, NULL, err);
	str_release(&raw);
	if (r == 0 && b->member[b->members - 1].rank != l->rank)
		r = err_set(err, ERR_INPUT, "a chapter of rank %u among those of rank %u",
		            b->member[b->members - 1].rank, l->rank);
	return r < 0 ? left_part_fault(l, err) : 0;
}

static int chapters_count(struct joining *j, const struct left *l, struct err *err)
{
	int r = 0;

	comm_names_begin(&j->names);
	for (uint32_t i = 0; r == 0 && i < l->chapters; i++) {
		struct bundle b;

		bundle_init(&b, 100);
		r = chapter_merge(&b, l, i, err);
		if (r == 0)
			r = comm_names_bundle(&j->names, &b, err);
		bundle_release(&b);
	}
	if (l->chapters > j->parts)
		j->parts = l->chapters;
	return r;
}

/* 1, 0: the rank has not come to its end, -1. */
static int rank_look(struct joining *j, uint32_t rank, struct err *err)
{
	struct left l;
	int r = left_open(&l, j->dir, rank, err);

	if (r <= 0)
		return r;
	str_clear(&j->mine);
	j->ended = 0;
	r = left_log(&l, &(struct log_reader){j, note_take, event_note}, err);
	if (r == 0 && j->ended && !j->spawned) {
		r = chapters_count(j, &l, err);
		if (r == 0)
			r = notes_merge(&j->notes, j->mine.s ? j->mine.s : "", err);
		r = r < 0 ? -1 : 1;
	}
	left_close(&l);
	return r;
}

/* --- one file --- */

static int bundle_flush(struct joining *j, struct err *err)
{
	struct bundle *b = &j->bundle;

	if (b->members == 0)
		return 0;
	comm_names_rename_bundle(&j->names, b);
	if (block_out_bundle(&j->out, b, j->ranks, err) < 0)
		return -1;
	for (uint32_t i = 0; i < b->members; i++) {
		const struct bundle_member *m = &b->member[i];

		if (m->own && block_out_costs(&j->out, m->rank, m->own, m->bytes, err) < 0)
			return -1;
	}
	bundle_release(b);
	return block_out_costs_end(&j->out, err);
}

static int part_put(struct joining *j, uint32_t part, struct err *err)
{
	for (uint32_t rank = 0; rank < j->ranks; rank++) {
		struct left l;
		int r = left_open(&l, j->dir, rank, err);

		if (r > 0)
			r = part < l.chapters ? chapter_merge(&j->bundle, &l, part, err) : 0;
		left_close(&l);
		if (r < 0 || (j->bundle.bytes > BUNDLE_BYTES && bundle_flush(j, err) < 0))
			return -1;
	}
	return bundle_flush(j, err);
}

static int bytes_write(void *self, const void *bytes, size_t n, struct err *err)
{
	return output_write(self, bytes, n, err);
}

static int blocks_put(struct joining *j, struct err *err)
{
	if (block_out_head(&j->out, j->ranks, err) < 0)
		return -1;
	for (uint32_t i = 0; i < j->parts; i++)
		if (part_put(j, i, err) < 0)
			return -1;
	if (block_out_put(&j->out, BLOCK_NOTES, j->notes.s, j->notes.n, err) < 0)
		return -1;
	return block_out_put(&j->out, BLOCK_END, NULL, 0, err);
}

static int file_put(struct joining *j, struct err *err)
{
	char *path;
	int r;

	if (asprintf(&path, "%s/" TRACE_EVENTS_FILE, j->dir) < 0)
		return err_nomem(err, "a file name", strlen(j->dir));
	r = output_open(&j->file, path, err);
	free(path);
	if (r < 0)
		return -1;
	j->out.write = bytes_write;
	j->out.self = &j->file;
	r = blocks_put(j, err) < 0 || output_commit(&j->file, err) < 0 ? -1 : 0;
	block_out_release(&j->out);
	output_release(&j->file);
	return r;
}

/* --- or text --- */

static int event_count(void *self, const struct trace_event *ev, struct err *err)
{
	struct joining *j = self;

	return comm_names_event(&j->names, j->rank, ev, err);
}

static int note_pass(void *self, const char *note, struct err *err)
{
	(void)self;
	(void)note;
	(void)err;
	return 0;
}

static int texts_put(struct joining *j, struct err *err)
{
	int r = 0;

	comm_names_release(&j->names);
	comm_names_init(&j->names);
	for (j->rank = 0; j->rank < j->ranks && r >= 0; j->rank++) {
		struct left l;

		comm_names_begin(&j->names);
		r = left_open(&l, j->dir, j->rank, err);
		if (r > 0)
			r = left_read(&l, &(struct log_reader){j, note_pass, event_count}, err);
		left_close(&l);
	}
	return r < 0 ? -1 : folder_restore(j->dir, &j->names, err);
}

int trace_folder_join(const char *dir, uint32_t ranks, struct err *err)
{
	struct joining j = {.dir = dir, .ranks = ranks};
	int r = 1;

	comm_names_init(&j.names);
	bundle_init(&j.bundle, 100);
	for (uint32_t rank = 0; rank < ranks && r > 0; rank++)
		r = rank_look(&j, rank, err);
	if (r > 0 && file_put(&j, err) < 0)
		r = -1;
	if (r == 0 && texts_put(&j, err) < 0)
		r = -1;
	for (uint32_t rank = 0; rank < ranks && r > 0; rank++)
		left_remove(dir, rank);
	comm_names_release(&j.names);
	bundle_release(&j.bundle);
	str_release(&j.notes);
	str_release(&j.mine);
	return r;
}
