/* restore.c: the ranks of a traced run that were not merged (left.h): their text, rank-<r>.tit,
 * which complete.c then completes. */
#include "base/entries.h"
#include "comm_names.h"
#include "compressed/left.h"
#include "text/counted.h"
#include "trace_int.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The first ranks are synced one by one, others BATCH at a time. */
enum { TEXT = 64 << 10, SYNCED_EACH = 32, BATCH = 512 };

/* Ranks restored; those of them whose text may not be on the disk yet. */
struct restored {
	const char *dir;
	const struct comm_names *names;
	int n;
	uint32_t pending[BATCH], n_pending;
};

struct restoring {
	uint32_t rank;
	const struct comm_names *names; /* or NULL: communicators keep theirs */
	struct output out;
	struct str text;
	uint64_t events;
	int ended;
};

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
	struct trace_event renamed = *ev;

	if (r->names)
		comm_names_rename_event(r->names, &renamed);
	r->events++;
	trace_event_format(&r->text, r->rank, &renamed);
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

static int rank_out(struct restoring *r, const struct left *l, struct err *err)
{
	if (left_read(l, &(struct log_reader){r, note_take, event_take}, err) < 0)
		return -1;
	if (r->ended)
		counted_end_put(&r->text, r->events);
	return text_pass(r, 0, err);
}

/* What the pending ones left goes when their text is on the disk. */
static int pending_end(struct restored *all, struct err *err)
{
	if (all->n_pending > 0 && output_sync_all(all->dir, err) < 0)
		return -1;
	while (all->n_pending > 0)
		left_remove(all->dir, all->pending[--all->n_pending]);
	return 0;
}

static int text_commit(struct restored *all, struct restoring *r, struct err *err)
{
	if (all->n < SYNCED_EACH) {
		if (output_commit(&r->out, err) < 0)
			return -1;
		left_remove(all->dir, r->rank);
	} else {
		if (output_commit_later(&r->out, err) < 0)
			return -1;
		all->pending[all->n_pending++] = r->rank;
	}
	all->n++;
	return 0;
}

static int rank_restore(struct restored *all, uint32_t rank, struct err *err)
{
	struct restoring r = {.rank = rank, .names = all->names, .out.fd = -1};
	struct left l;
	int result = left_open(&l, all->dir, rank, err);
	char *path;

	if (result <= 0)
		return result;
	if (asprintf(&path, "%s/rank-%u.tit", all->dir, rank) < 0) {
		path = NULL;
		result = err_nomem(err, "a file name", strlen(all->dir));
	} else if (output_open(&r.out, path, err) < 0 || rank_out(&r, &l, err) < 0 ||
	           text_commit(all, &r, err) < 0) {
		result = -1;
	}
	output_release(&r.out);
	left_close(&l);
	str_release(&r.text);
	free(path);
	return result < 0 || (all->n_pending == BATCH && pending_end(all, err) < 0) ? -1 : 0;
}

int folder_restore(const char *dir, const struct comm_names *names, struct err *err)
{
	struct restored all = {.dir = dir, .names = names};
	DIR *d = opendir(dir);
	const struct dirent *e;
	struct err synced;
	int r = 0;

	if (!d)
		return err_sys(err, errno, "%s", dir);
	while (r >= 0 && (r = entry_next(d, dir, &e, err)) > 0) {
		int64_t rank = left_rank(e->d_name);

		if (rank >= 0)
			r = rank_restore(&all, (uint32_t)rank, err);
	}
	closedir(d);
	if (pending_end(&all, r < 0 ? &synced : err) < 0)
		r = -1;
	return r < 0 ? -1 : all.n;
}

int trace_folder_restore(const char *dir, struct err *err)
{
	return folder_restore(dir, NULL, err);
}
