/* collect.c: see collect.h. A rank's notes are its lines "# key value": what is known
 * at the start stands first, what is known at the end last, so that only the two ends of a file are
 * read. */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* RANKS_MOST: more than any program has had; a file is looked for of each that a note speaks of. */
enum { HEAD = 4096, TAIL = 65536, MISSING_NAMED = 8, RANKS_MOST = 1 << 24 };

static int count_add(struct call_counts *c, const char *name, uint64_t n, struct err *err)
{
	struct call_count *p;

	for (uint32_t i = 0; i < c->n; i++)
		if (strcmp(c->items[i].name, name) == 0) {
			c->items[i].n += n;
			return 0;
		}
	p = vec_grow(c->items, &c->cap, sizeof *p, c->n + 1, "counted calls", err);
	if (!p)
		return -1;
	c->items = p;
	p[c->n].name = strdup(name);
	p[c->n].n = n;
	if (!p[c->n].name)
		return err_nomem(err, "counted calls", strlen(name));
	c->n++;
	return 0;
}

static void counts_release(struct call_counts *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		free(c->items[i].name);
	free(c->items);
}

static int more_frequent(const void *a, const void *b)
{
	const struct call_count *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->name, y->name);
}

void call_counts_text(const struct call_counts *c, struct str *out)
{
	if (c->n > 0)
		qsort(c->items, c->n, sizeof *c->items, more_frequent);
	for (uint32_t i = 0; i < c->n; i++)
		str_printf(out, "%s%llu %s", i ? ", " : "", (unsigned long long)c->items[i].n,
		           c->items[i].name);
}

/* "Open MPI v4.1.4, package: …" and "MPICH Version:<tab>4.0.2" to what one says. */
static char *library_name(const char *text)
{
	static const char mpich[] = "MPICH Version:";
	char *name;
	int n;

	if (strncmp(text, mpich, sizeof mpich - 1) == 0)
		n = asprintf(&name, "MPICH %s",
		             text + sizeof mpich - 1 + strspn(text + sizeof mpich - 1, " \t"));
	else
		n = asprintf(&name, "%.*s", (int)strcspn(text, ","), text);
	return n < 0 ? NULL : name;
}

static int text_keep(char **field, char *text, struct err *err)
{
	if (!text)
		return err_nomem(err, "a note of the tracer", 1);
	free(*field);
	*field = text;
	return 0;
}

/* "12 MPI_Put" */
static int counted_note(struct call_counts *c, const char *value, struct err *err)
{
	const char *blank = strchr(value, ' ');
	int64_t n;

	if (!blank || num_parse_i64(value, (size_t)(blank - value), &n) < 0 || n < 0)
		return 0;
	return count_add(c, blank + 1, (uint64_t)n, err);
}

/* "1200 ms", of one rank or of those that were merged. */
static uint64_t ms_note(const char *value)
{
	int64_t ms = 0;

	return num_parse_i64(value, strcspn(value, " "), &ms) == 0 && ms > 0 ? (uint64_t)ms : 0;
}

/* Whether a list "a; b; c" has the item. */
static int list_has(const char *list, const char *item)
{
	size_t n = strlen(item);

	while (list) {
		const char *end = strstr(list, "; ");

		if ((end ? (size_t)(end - list) : strlen(list)) == n && memcmp(list, item, n) == 0)
			return 1;
		list = end ? end + 2 : NULL;
	}
	return 0;
}

/* Each model once. */
static int processor_note(struct collection *c, const char *value, struct err *err)
{
	char *all;

	if (!*value || list_has(c->processor, value))
		return 0;
	if (asprintf(&all, "%s%s%s", c->processor ? c->processor : "", c->processor ? "; " : "",
	             value) < 0)
		all = NULL;
	return text_keep(&c->processor, all, err);
}

struct rank_notes {
	char run[24], host[256];
	int64_t ranks, events;
	int ended;
};

static int note_read(struct collection *c, struct rank_notes *r, const char *key, const char *value,
                     struct err *err)
{
	if (strcmp(key, "ranks") == 0)
		num_parse_i64(value, strlen(value), &r->ranks);
	else if (strcmp(key, "host") == 0)
		snprintf(r->host, sizeof r->host, "%s", value);
	else if (strcmp(key, "run") == 0)
		snprintf(r->run, sizeof r->run, "%s", value);
	else if (strcmp(key, "mpi") == 0)
		return text_keep(&c->mpi, library_name(value), err);
	else if (strcmp(key, "processor") == 0)
		return processor_note(c, value, err);
	else if (strcmp(key, "counter") == 0)
		return text_keep(&c->counter, strdup(value), err);
	else if (strcmp(key, "clock") == 0)
		return text_keep(&c->clock, strdup(value), err);
	else if (strcmp(key, "layer") == 0)
		return text_keep(&c->layer, strdup(value), err);
	else if (strcmp(key, "rate") == 0)
		num_parse_double(value, strlen(value), &c->rate);
	else if (strcmp(key, "untraced") == 0)
		return counted_note(&c->untraced, value, err);
	else if (strcmp(key, "local") == 0)
		return counted_note(&c->local, value, err);
	else if (strcmp(key, "beside") == 0)
		c->beside += ms_note(value);
	else if (strcmp(key, "threads") == 0)
		c->threads += ms_note(value);
	else if (strcmp(key, "end") == 0)
		r->ended = num_parse_i64(value, strlen(value), &r->events) == 0;
	return 0;
}

/* The notes among the whole lines of a text. */
static int notes_read(struct collection *c, struct rank_notes *r, char *text, struct err *err)
{
	char *line = text, *end, *value;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (line[0] != '#' || line[1] != ' ')
			continue;
		value = strchr(line + 2, ' ');
		if (!value)
			continue;
		*value = '\0';
		if (note_read(c, r, line + 2, value + 1, err) < 0)
			return -1;
	}
	return 0;
}

/* n bytes at `at`, or what there is, as a string in buf, which has room for the final NUL. */
static int part_read(int fd, char *buf, size_t n, off_t at, struct err *err)
{
	size_t have = 0;
	ssize_t got = 1;

	while (have < n && got > 0) {
		got = pread(fd, buf + have, n - have, at + (off_t)have);
		if (got < 0 && errno != EINTR)
			return err_sys(err, errno, "cannot read the notes of a trace");
		if (got > 0)
			have += (size_t)got;
		else if (got < 0)
			got = 1;
	}
	buf[have] = '\0';
	return 0;
}

static int ends_read(struct collection *c, struct rank_notes *r, int fd, off_t size,
                     struct err *err)
{
	char head[HEAD + 1];
	char *tail;
	int result;

	if (size <= TAIL) {
		size = 0;
	} else {
		if (part_read(fd, head, HEAD, 0, err) < 0 || notes_read(c, r, head, err) < 0)
			return -1;
		size -= TAIL;
	}
	tail = malloc(TAIL + 1);
	if (!tail)
		return err_nomem(err, "the end of a trace file", TAIL + 1);
	result = part_read(fd, tail, TAIL, size, err);
	if (result == 0)
		result = notes_read(c, r, tail, err);
	free(tail);
	return result;
}

/* Events of a file without end: its lines that are no notes. */
static int events_count(struct rank_notes *r, const char *path, struct err *err)
{
	struct input *in = input_open(path, 0, err);
	char *line;
	size_t n;
	int more;

	if (!in)
		return -1;
	input_allow_tail(in);
	while ((more = input_line(in, &line, &n, err)) > 0) {
		if (strlen(line) < n) /* reserved, and not written: the process was killed */
			break;
		r->events += *line != '#';
	}
	input_close(in);
	return more < 0 ? -1 : 0;
}

/* One rank's file: 1, 0 if there is none, -1. */
static int rank_read(struct collection *c, struct rank_notes *r, const char *dir, uint32_t rank,
                     struct err *err)
{
	char path[4096];
	struct stat st;
	int fd, result;

	memset(r, 0, sizeof *r);
	snprintf(path, sizeof path, "%s/rank-%u.tit", dir, rank);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	result = fstat(fd, &st) < 0 ? err_sys(err, errno, "cannot look at %s", path)
	                            : ends_read(c, r, fd, st.st_size, err);
	close(fd);
	if (result < 0 || (!r->ended && events_count(r, path, err) < 0))
		return -1;
	c->bytes += (uint64_t)st.st_size;
	return 1;
}

static int ranks_take(struct collection *c, const struct rank_notes *r, const char *dir,
                      uint32_t rank, struct err *err)
{
	if (r->ranks > RANKS_MOST)
		return err_set(err, ERR_INPUT, "%s/rank-%u.tit: it speaks of %lld ranks", dir, rank,
		               (long long)r->ranks);
	if (r->ranks > (int64_t)c->ranks)
		c->ranks = (uint32_t)r->ranks;
	return 0;
}

/* before: how many there are already. */
static void rank_name(struct str *names, uint32_t before, uint32_t rank)
{
	if (before < MISSING_NAMED)
		str_printf(names, "%s%u", before ? ", " : "", rank);
	else if (before == MISSING_NAMED)
		str_puts(names, ", …");
}

int collection_stopped(const char *dir, enum stopped *out, struct err *err)
{
	char path[PATH_MAX + sizeof TRACE_STOPPED + 1];
	struct stat st;
	int there;

	snprintf(path, sizeof path, "%s/" TRACE_STOPPED, dir);
	there = there_stat(path, &st, err);
	if (there < 0)
		return -1;
	*out = there == 0                       ? STOPPED_NOT
	       : st.st_size == TRACE_STOP_ROOM  ? STOPPED_ROOM
	       : st.st_size == TRACE_STOP_AGAIN ? STOPPED_AGAIN
	       : st.st_size == TRACE_STOP_NEXT  ? STOPPED_NEXT
	                                        : STOPPED_OTHER;
	return 0;
}

static int run_check(struct collection *c, const struct rank_notes *r, const char *dir,
                     uint32_t rank, struct err *err)
{
	if (!r->run[0]) /* killed before it was written: nothing says that it is another */
		return 0;
	if (!c->run[0])
		snprintf(c->run, sizeof c->run, "%s", r->run);
	if (strcmp(c->run, r->run) == 0)
		return 0;
	return err_set(err, ERR_INPUT,
	               "%s/rank-%u.tit: it is of run %s, others are of run %s: two programs were "
	               "traced into one folder",
	               dir, rank, r->run, c->run);
}

/* The hosts of merged ranks are one line, of any length. */
static int hosts_take(struct collection *c, const char *notes, struct err *err)
{
	const char *line = strncmp(notes, "host ", 5) == 0 ? notes : strstr(notes, "\nhost ");

	if (line) {
		line += 5 + (*line == '\n');
		str_putn(&c->hosts, line, strcspn(line, "\n"));
	}
	return c->hosts.failed ? err_nomem(err, "the names of hosts", c->hosts.n) : 0;
}

/* Ranks that were merged, all of which came to their end. Their notes are lines without "# ". */
static int merged_take(struct collection *c, const char *dir, const struct str *notes,
                       struct err *err)
{
	struct rank_notes r = {.ranks = 0};
	struct str marked = {0};
	char path[4096];
	struct stat st;
	int result;

	for (const char *p = notes->s; p && *p; p += strcspn(p, "\n"), p += *p == '\n') {
		str_puts(&marked, "# ");
		str_putn(&marked, p, strcspn(p, "\n") + 1);
	}
	result = marked.failed || !marked.s ? err_nomem(err, "the notes of a trace", marked.n)
	                                    : notes_read(c, &r, marked.s, err);
	str_release(&marked);
	if (result < 0 || hosts_take(c, notes->s, err) < 0)
		return -1;
	snprintf(c->run, sizeof c->run, "%s", r.run);
	c->ranks = c->found = c->ended = (uint32_t)r.ranks;
	snprintf(path, sizeof path, "%s/%s", dir, TRACE_EVENTS_FILE);
	result = there_stat(path, &st, err);
	c->bytes = result > 0 ? (uint64_t)st.st_size : 0;
	return result < 0 ? -1 : 1;
}

static int merged_read(struct collection *c, const char *dir, struct err *err)
{
	struct str notes = {0};
	int result = trace_folder_merged(dir, &notes, &c->events, &c->sites, err);

	if (result > 0)
		result = merged_take(c, dir, &notes, err);
	c->merged = result > 0;
	str_release(&notes);
	return result;
}

/* Ranks of all worlds, where the program has spawned processes, as these count them
 * (tracer/worlds.c); else 0. */
static int64_t worlds_ranks(const char *dir, struct err *err)
{
	char path[4096], text[32];
	int64_t ranks = 0;
	int fd, result;

	snprintf(path, sizeof path, "%s/.worlds", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	result = part_read(fd, text, sizeof text - 1, 0, err);
	if (result == 0 && (num_parse_i64(text, strcspn(text, "\n"), &ranks) < 0 || ranks < 0 ||
	                    ranks > RANKS_MOST))
		ranks = 0;
	close(fd);
	return result < 0 ? -1 : ranks;
}

int collection_read(struct collection *c, const char *dir, uint32_t ranks, struct err *err)
{
	struct rank_notes r;
	int64_t all;
	int merged, there = 1;

	memset(c, 0, sizeof *c);
	if (collection_stopped(dir, &c->stopped, err) < 0)
		return -1;
	merged = merged_read(c, dir, err);
	if (merged != 0)
		return merged < 0 ? -1 : 0;
	all = worlds_ranks(dir, err);
	if (all < 0 || trace_folder_restore(dir, err) < 0)
		return -1;
	c->ranks = (uint32_t)all;
	/* until a file says how many there are, all that are there: the first may have been killed
	 * before it said so */
	for (uint32_t rank = 0; rank < c->ranks || rank < ranks || (c->ranks == 0 && there);
	     rank++) {
		there = rank_read(c, &r, dir, rank, err);
		if (there < 0)
			return -1;
		if (there &&
		    (ranks_take(c, &r, dir, rank, err) < 0 || run_check(c, &r, dir, rank, err) < 0))
			return -1;
		if (!there)
			rank_name(&c->absent, rank - c->found, rank);
		c->found += (uint32_t)there;
		c->events += (uint64_t)r.events;
		str_printf(&c->hosts, "%s%s", rank ? "," : "", there && *r.host ? r.host : "?");
		if (!r.ended)
			rank_name(&c->missing, rank - c->ended, rank);
		c->ended += (uint32_t)r.ended;
	}
	if (c->found > 0 && c->ranks < ranks)
		c->ranks = ranks;
	if (c->hosts.failed || c->missing.failed || c->absent.failed)
		return err_nomem(err, "the names of hosts", c->hosts.n);
	return 0;
}

void collection_release(struct collection *c)
{
	free(c->mpi);
	free(c->counter);
	free(c->clock);
	free(c->layer);
	free(c->processor);
	str_release(&c->hosts);
	str_release(&c->missing);
	str_release(&c->absent);
	counts_release(&c->untraced);
	counts_release(&c->local);
	trace_sites_release(&c->sites);
	memset(c, 0, sizeof *c);
}
