/* format_foreign.c: traces of other tools as a container: recognised by their content, translated
 * once into events, then read by rank. */
#include "foreign.h"
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct foreign_format *const formats[] = {
    &foreign_otf2,        &foreign_dumpi, &foreign_dimemas, &foreign_goal,
    &foreign_goal_binary, &foreign_tau,   &foreign_paraver, NULL};

int foreign_head_read(const char *path, unsigned char head[FOREIGN_HEAD], struct err *err)
{
	const char *text;
	struct stat st;
	struct input *in;
	int n;

	if (stat(path, &st) < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	in = input_open(path, FOREIGN_HEAD, err);
	if (!in)
		return -1;
	n = input_peek(in, FOREIGN_HEAD, &text, err);
	if (n > 0)
		memcpy(head, text, (size_t)n);
	input_close(in);
	return n;
}

static int format_find(const char *path, const struct foreign_format **out, struct err *err)
{
	unsigned char head[FOREIGN_HEAD];
	int n = foreign_head_read(path, head, err);

	*out = NULL;
	for (int i = 0; n >= 0 && formats[i]; i++) {
		int is = formats[i]->probe(path, head, (size_t)n, err);

		if (is != 0) {
			*out = formats[i];
			return is;
		}
	}
	return n < 0 ? -1 : 0;
}

static int foreign_probe(const char *path, struct err *err)
{
	const struct foreign_format *format;

	return format_find(path, &format, err);
}

void foreign_release(struct foreign *f)
{
	for (uint32_t i = 0; i < f->n_comms; i++)
		free(f->comms[i].members);
	ledger_release(f);
	hash64_release(&f->calls);
	hash_str_release(&f->noted);
	str_release(&f->notices);
	records_free(f->records);
	free(f->comms);
	free(f->begun);
	free(f->self_given);
	free(f->dates.last);
	free(f->counts.of);
	free(f->manifest);
}

/* What is strange about dates and computations. */
static int longest_note(struct foreign *f, struct err *err)
{
	const struct foreign_dates *d = &f->dates;

	if (!foreign_is_far(d))
		return 0;
	return foreign_note(f, err,
	                    "one computation of rank %u takes %.6g s, the other %llu of all ranks "
	                    "take %.3g s together: unless the program has one like that, the trace "
	                    "is damaged there",
	                    d->longest_rank, d->longest / 1e9,
	                    (unsigned long long)(d->computed - 1), d->others / 1e9);
}

static int dates_note(struct foreign *f, struct err *err)
{
	const struct foreign_dates *d = &f->dates;

	if (d->back > 0 &&
	    foreign_note(
	        f, err,
	        "dates that go back: %llu, the first in rank %u from %.9g s to %.9g s: its "
	        "clock was set, or the trace is damaged there; what was computed around "
	        "it is not known",
	        (unsigned long long)d->back, d->rank, d->from / 1e9, d->to / 1e9) < 0)
		return -1;
	return longest_note(f, err);
}

static int passes_run(struct foreign *f, const struct foreign_format *format, struct err *err)
{
	for (f->pass = format->passes == 1 ? 2 : 1; f->pass <= 2; f->pass++) {
		hash64_release(&f->calls);
		hash64_init(&f->calls);
		foreign_dates_begin(f);
		if (format->read(f, err) < 0)
			return -1;
	}
	return dates_note(f, err) < 0 ? -1 : foreign_counts_note(f, err);
}

static int records_make(struct foreign *f, const struct foreign_format *format, struct err *err)
{
	int r = format->open(f, err);

	if (r == 0)
		r = passes_run(f, format, err);
	if (format->close)
		format->close(f);
	return r;
}

static int translated_open(struct trace *t, struct foreign *f, const struct foreign_format *format,
                           uint32_t np, struct err *err)
{
	struct trace_head head = {
	    .kind = HEAD_TRACE, .dialect = DIALECT_OURS, .default_type = TYPE_BYTE};

	t->notices = f->notices;
	str_init(&f->notices);
	t->counter = f->counter ? f->counter : "wall";
	t->manifest = f->manifest;
	f->manifest = NULL;
	if (trace_begin(t, f->path, &head, f->ranks, np, err) < 0)
		return -1;
	snprintf(t->name, sizeof t->name, "%s, read as ours", format->name);
	t->actions = records_count(f->records);
	t->requests_differ = format->requests_differ;
	t->impl = f->records;
	f->records = NULL;
	return 0;
}

static int foreign_open(struct trace *t, const char *path, uint32_t np, struct err *err)
{
	const struct foreign_format *format;
	struct foreign f = {.path = t->path, .even_split = t->even_split};
	int r;

	(void)path; /* which t->path is, and stays */
	if (format_find(f.path, &format, err) <= 0)
		return -1;
	hash64_init(&f.ledger_index);
	hash_str_init(&f.noted);
	r = records_make(&f, format, err);
	if (r == 0)
		r = translated_open(t, &f, format, np, err);
	foreign_release(&f);
	return r;
}

static int foreign_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	int more = records_next(t->impl, rank, &t->grammar, ev, err);

	if (more == 0 && records_cut_take(t->impl, rank))
		trace_cut(t, rank);
	if (more == 0 && records_place(t->impl, rank) == 0 && t->partial == 0)
		return err_set(err, ERR_INPUT,
		               "%s: %u ranks are wanted, but there is no action of rank %u",
		               t->path, t->ranks, rank);
	return more;
}

static void foreign_soon(const struct trace *t, uint32_t rank, uint32_t then)
{
	records_soon(t->impl, rank, then);
}

static void foreign_close(struct trace *t)
{
	records_free(t->impl);
}

static const char *foreign_place(const struct trace *t, uint32_t rank, uint64_t *line)
{
	*line = records_place(t->impl, rank);
	return t->path;
}

/* Does the name end in one of the words? */
static int ends_in(const char *name, const void *how)
{
	const char *words = how;
	size_t n = strlen(name);

	for (; *words; words += strcspn(words, " ")) {
		words += strspn(words, " ");
		size_t k = strcspn(words, " ");
		if (n > k && strncmp(name + n - k, words, k) == 0)
			return 1;
	}
	return 0;
}

/* Its folder, or itself, which is one. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return strdup(path);
	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* What cannot be read as such a trace will not be read. */
static int probed(int is, const struct err *why, struct err *err)
{
	if (is >= 0 || why->kind != ERR_LIMIT)
		return is > 0;
	*err = *why;
	return -1;
}

int foreign_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                       struct err *err)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	const struct foreign_format *format;
	struct err why = {0};
	char *folder, *named;
	int r = probed(format_find(path, &format, &why), &why, err);

	if (r <= 0 || !format->beside)
		return r < 0 ? -1 : 0;
	folder = folder_of(path);
	named = dot ? strndup(path, (size_t)(dot - path)) : NULL;
	r = folder && (named || !dot) ? 0 : err_nomem(err, "a file name", strlen(path));
	if (r == 0)
		r = folder_files_like(folder, ends_in, format->beside, each, self, err);
	if (r == 0 && named)
		r = folder_files_like(named, ends_in, format->beside, each, self, err);
	free(named);
	free(folder);
	return r;
}

const struct trace_format trace_format_foreign = {
    .name = "foreign",
    .probe = foreign_probe,
    .open = foreign_open,
    .next = foreign_next,
    .soon = foreign_soon,
    .close = foreign_close,
    .place = foreign_place,
    .unlined = 1,
};
