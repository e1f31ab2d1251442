/* format_folder.c: a folder with a private file per rank: ours (manifest, rank-<r>.tit), or the
 * folder that SimGrid's writer leaves beside its list (<date>_rank-<pid>.txt, pid = rank + 1),
 * which is read by what its files begin with. */
#include "base/entries.h"
#include "counted.h"
#include "scan.h"
#include "trace/trace_int.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int folder_probe(const char *path, struct err *err)
{
	return there_is_folder(path, err);
}

struct found { /* a file and the rank that its lines begin with */
	char *path;
	uint32_t rank;
};
struct folder {
	struct found *files;
	uint32_t n, cap;
};

static int ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n > k && strcmp(s + n - k, end) == 0;
}

static int is_trace_name(const char *name)
{
	static const char *const ends[] = {".tit",       ".txt",      ".trace",   ".tit.gz",
	                                   ".txt.gz",    ".trace.gz", ".tit.zst", ".txt.zst",
	                                   ".trace.zst", NULL};

	if (*name == '.')
		return 0;
	for (const char *const *end = ends; *end; end++)
		if (ends_with(name, *end))
			return 1;
	return 0;
}

int folder_files_like(const char *path, int (*is_one)(const char *name, const void *how),
                      const void *how, int (*each)(void *self, const char *file), void *self,
                      struct err *err)
{
	const struct dirent *e;
	DIR *d;
	char file[2 * PATH_MAX]; /* needs no memory that may be missing */
	int r = there_open_folder(path, &d, err), more = r;

	if (r <= 0)
		return r;
	for (r = 0; r == 0 && (more = entry_next(d, path, &e, err)) > 0;)
		if (is_one(e->d_name, how) &&
		    snprintf(file, sizeof file, "%s/%s", path, e->d_name) < (int)sizeof file)
			r = each(self, file);
	closedir(d);
	return more < 0 ? -1 : r;
}

static int is_read(const char *name, const void *unused)
{
	(void)unused;
	return is_trace_name(name) || strcmp(name, "manifest") == 0 ||
	       strcmp(name, TRACE_EVENTS_FILE) == 0 || strcmp(name, "sites") == 0;
}

int folder_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                      struct err *err)
{
	return folder_files_like(path, is_read, NULL, each, self, err);
}

const char *trace_rank_file(const char *name, uint32_t *rank)
{
	static const char prefix[] = "rank-";
	int64_t number;
	const char *end;

	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return NULL;
	end = digits_scan(name + sizeof prefix - 1, &number);
	if (!end || *end != '.' || number > INT32_MAX)
		return NULL;
	*rank = (uint32_t)number;
	return end;
}

/* "rank-12.tit": 12, or -1. */
static int64_t rank_of_name(const char *name)
{
	uint32_t rank;
	const char *suffix = trace_rank_file(name, &rank);

	if (!suffix || (strcmp(suffix, ".tit") != 0 && strcmp(suffix, ".tit.gz") != 0 &&
	                strcmp(suffix, ".tit.zst") != 0))
		return -1;
	return rank;
}

static int found_add(struct folder *f, char *path, uint32_t rank, struct err *err)
{
	struct found *files = vec_grow(f->files, &f->cap, sizeof *files, (size_t)f->n + 1,
	                               "the files of a trace", err);

	if (!files) {
		free(path);
		return -1;
	}
	f->files = files;
	f->files[f->n++] = (struct found){path, rank};
	return 0;
}

static int folder_add(struct folder *f, const char *dir, const char *name, struct err *err)
{
	int64_t named = rank_of_name(name);
	uint32_t rank = (uint32_t)named;
	char *path;
	int is_one = 1;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return err_nomem(err, "a file name", strlen(dir) + strlen(name) + 2);
	if (named < 0)
		is_one = detect_rank(path, &rank, err);
	if (is_one > 0)
		return found_add(f, path, rank, err);
	free(path);
	return is_one;
}

static int by_rank(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int folder_scan(struct folder *f, const char *path, struct err *err)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);
	int result = 0;

	if (!dir)
		return err_sys(err, errno, "cannot read the folder %s", path);
	while (result >= 0 && (result = entry_next(dir, path, &entry, err)) > 0)
		if (is_trace_name(entry->d_name))
			result = folder_add(f, path, entry->d_name, err);
	closedir(dir);
	if (f->n > 0)
		qsort(f->files, f->n, sizeof *f->files, by_rank);
	return result < 0 ? -1 : 0;
}

/* What a traced process that was killed left, and nobody has put together. */
static int is_left(const char *name, const void *how)
{
	const char *suffix;
	uint32_t rank;

	(void)how;
	suffix = trace_rank_file(name, &rank);
	return suffix && (strcmp(suffix, ".log") == 0 || strcmp(suffix, ".log2") == 0 ||
	                  strcmp(suffix, ".part") == 0);
}

static int left_found(void *self, const char *file)
{
	(void)file;
	*(int *)self = 1;
	return 0;
}

/* Traces of other tools are a file beside its folder of events: which one is what is to be given.
 */
static int is_foreign(const char *name, const void *how)
{
	static const char *const endings[] = {".otf2", ".prv", ".dim"};
	size_t n = strlen(name);

	(void)how;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (n > strlen(endings[i]) && !strcmp(name + n - strlen(endings[i]), endings[i]))
			return 1;
	return 0;
}

static int foreign_found(void *self, const char *file)
{
	snprintf(self, PATH_MAX, "%s", file);
	return 0;
}

static int folder_is_empty(const char *path, struct err *err)
{
	char foreign[PATH_MAX] = "";
	int left = 0;

	if (folder_files_like(path, is_left, NULL, left_found, &left, err) < 0)
		return -1;
	if (left)
		return err_set(err, ERR_INPUT,
		               "%s: the run goes on, or was killed while it was traced: 'orrery "
		               "gather %s -o FOLDER' makes a trace of what its ranks have written",
		               path, path);
	if (folder_files_like(path, is_foreign, NULL, foreign_found, foreign, err) < 0)
		return -1;
	if (*foreign)
		return err_set(err, ERR_INPUT, "%s: a folder: give the trace in it, %s", path,
		               foreign);
	return err_set(
	    err, ERR_INPUT,
	    "%s: no trace in this folder: expected events (of all ranks), or rank-0.tit, "
	    "rank-1.tit, …",
	    path);
}

/* Ranks 0 to n-1, each once; n from the manifest where there is one. */
static int folder_check(const struct folder *f, const char *path, uint32_t n, struct err *err)
{
	if (f->n == 0)
		return folder_is_empty(path, err);
	for (uint32_t i = 0; i < f->n; i++) {
		if (i > 0 && f->files[i].rank == f->files[i - 1].rank)
			return err_set(err, ERR_INPUT, "%s: two files of rank %u: %s and %s", path,
			               f->files[i].rank, f->files[i - 1].path, f->files[i].path);
		if (f->files[i].rank != i)
			return err_set(
			    err, ERR_INPUT,
			    "%s: the file of rank %u is missing (there are files up to rank %u)",
			    path, i, f->files[f->n - 1].rank);
	}
	if (n != 0 && f->n != n)
		return err_set(
		    err, ERR_INPUT,
		    "%s: %u file%s, but the manifest says %u rank%s: the file of rank %u is %s",
		    path, f->n, plural(f->n), n, plural(n), f->n < n ? f->n : n,
		    f->n < n ? "missing" : "too many");
	return 0;
}

/* What it says of the files. n: 0 where there is none. */
static int manifest_look(struct trace *t, const char *path, uint32_t *n, struct err *err)
{
	struct trace_manifest m;
	int known = trace_manifest_find(path, &m, err);

	*n = 0;
	if (known <= 0)
		return known;
	*n = m.ranks;
	t->whole = m.complete != 0;
	snprintf(t->run, sizeof t->run, "%s", m.run);
	trace_manifest_release(&m);
	return 0;
}

static char **folder_paths(struct folder *f, struct err *err)
{
	char **paths = calloc(f->n, sizeof *paths);

	if (!paths) {
		err_nomem(err, "the files of a trace", f->n * sizeof *paths);
		return NULL;
	}
	for (uint32_t i = 0; i < f->n; i++) {
		paths[i] = f->files[i].path;
		f->files[i].path = NULL;
	}
	return paths;
}

static void folder_release(struct folder *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		free(f->files[i].path);
	free(f->files);
}

/* The ranks of a partial trace that left no file: they are so many as the manifest says, which may
 * say anything. */
static int missing_add(struct folder *f, const char *dir, uint32_t ranks, struct err *err)
{
	enum { MISSING_MOST = 1 << 20 };
	uint32_t there = f->n;
	char *path;

	if (ranks - there > MISSING_MOST)
		return err_set(err, ERR_INPUT,
		               "%s: the manifest says %u ranks, but there are files of %u: more "
		               "than %d without a file are not taken for a partial trace",
		               dir, ranks, there, MISSING_MOST);
	for (uint32_t rank = 0, i = 0; rank < ranks; rank++) {
		while (i < there && f->files[i].rank < rank)
			i++;
		if (i < there && f->files[i].rank == rank)
			continue;
		if (asprintf(&path, "%s/rank-%u.tit", dir, rank) < 0)
			return err_nomem(err, "a file name", strlen(dir));
		if (found_add(f, path, rank, err) < 0)
			return -1;
	}
	qsort(f->files, f->n, sizeof *f->files, by_rank);
	return 0;
}

/* A file of a traced run says of which; who writes a folder by hand needs no manifest. */
static int is_traced(const char *file, struct err *err)
{
	enum { HEAD_LINES = 2 };
	struct input *in = input_open(file, 0, err);
	char *line;
	size_t n;
	int more = in ? 1 : -1, is = 0;

	for (int i = 0; i < HEAD_LINES && more > 0 && !is; i++) {
		more = input_line(in, &line, &n, err);
		is = more > 0 && counted_is_run(line);
	}
	input_close(in);
	return more < 0 ? -1 : is;
}

static int manifest_note(struct trace *t, const char *file, uint32_t said, struct err *err)
{
	int is = said == 0 ? is_traced(file, err) : 0;

	if (is > 0)
		manifest_missing(t);
	return is < 0 ? -1 : 0;
}

static int folder_open(struct trace *t, const char *path, uint32_t np, struct err *err)
{
	struct folder f = {0};
	char **paths;
	uint32_t ranks;
	int result = folder_scan(&f, path, err);

	result = result < 0 ? -1 : manifest_look(t, path, &ranks, err);
	if (result == 0 && !t->whole && t->run[0] && f.n > 0 && f.n < ranks)
		result = missing_add(&f, path, ranks, err);
	result = result < 0 ? -1 : folder_check(&f, path, ranks, err);
	if (result == 0) {
		uint32_t n = f.n;

		result = manifest_note(t, f.files[0].path, ranks, err);
		paths = result < 0 ? NULL : folder_paths(&f, err);
		result = paths ? rank_files_open(t, path, paths, n, np, err) : -1;
		if (result == 0)
			result = site_names_read(&t->sites, path, err);
	}
	folder_release(&f);
	return result;
}

const struct trace_format trace_format_folder = {
    .name = "folder",
    .probe = folder_probe,
    .open = folder_open,
    .next = rank_files_next,
    .soon = rank_files_soon,
    .close = rank_files_close,
    .place = rank_files_place,
};
