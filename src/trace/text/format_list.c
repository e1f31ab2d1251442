/* format_list.c: SimGrid's list file: the name of a trace file per line, in the order of the ranks.
 * One name alone is a file that all ranks share. Names are relative to the current folder, as
 * SimGrid takes them, or else to the list's own. */
#include "scan.h"
#include "trace/trace_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name on a line, without blanks around it; *n 0 for a line without. */
static const char *name_trim(const char *line, const char *end, size_t *n)
{
	line = blanks_skip(line);
	while (end > line && is_blank(end[-1]))
		end--;
	*n = *line == '#' ? 0 : (size_t)(end - line);
	return line;
}

/* Any line is taken for a name: one that is too long for it names nothing. */
static int name_there(const char *path, struct err *err)
{
	int there = there_is(path, err);

	return there < 0 && err->number == ENAMETOOLONG ? 0 : there;
}

/* Where the file named in a list is: a path to be freed; NULL with *err set, or with *missing 1
 * when there is no such file. */
static char *name_resolve(const char *list, const char *name, size_t n, int *missing,
                          struct err *err)
{
	const char *slash = strrchr(list, '/');
	char *path = strndup(name, n), *beside;
	int there = path ? name_there(path, err) : err_nomem(err, "a file name", n);

	*missing = 0;
	if (there == 0 && slash && *path != '/') {
		if (asprintf(&beside, "%.*s%s", (int)(slash + 1 - list), list, path) < 0)
			beside = NULL;
		free(path);
		path = beside;
		there = path ? name_there(path, err)
		             : err_nomem(err, "a file name", strlen(list) + n);
	}
	if (there > 0)
		return path;
	free(path);
	*missing = there == 0;
	return NULL;
}

static int list_probe(const char *path, struct err *err)
{
	struct lines l;
	const char *line, *end, *name;
	size_t n = 0;
	int more, missing;
	char *found = NULL;

	if (lines_open(&l, path, 4096, 0, err) < 0)
		return -1;
	while ((more = lines_next(&l, &line, err)) > 0) {
		end = line_end(line);
		name = name_trim(line, end, &n);
		if (n > 0 && n < 4096)
			found = name_resolve(path, name, n, &missing, err);
		if (n > 0)
			break;
		lines_advance(&l, end);
	}
	lines_close(&l);
	if (more < 0 || (n > 0 && n < 4096 && !found && !missing))
		return -1;
	free(found);
	return found != NULL;
}

struct names {
	char **paths;
	uint32_t n, cap;
};

static void names_release(struct names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->paths[i]);
	free(names->paths);
}

static int name_add(struct names *names, const struct lines *l, const char *name, size_t n,
                    struct err *err)
{
	char **paths = vec_grow(names->paths, &names->cap, sizeof *paths, (size_t)names->n + 1,
	                        "the files of a trace", err);
	int missing;

	if (!paths)
		return -1;
	names->paths = paths;
	if (memchr(name, '\0', n))
		return err_at(err, l->path, (long)l->lineno, 0, "a zero byte: this is no text");
	paths[names->n] = name_resolve(l->path, name, n, &missing, err);
	if (paths[names->n]) {
		names->n++;
		return 0;
	}
	if (!missing)
		return -1;
	return err_at(err, l->path, (long)l->lineno, 0,
	              "the trace file of rank %u, '%.*s', is neither in the current folder "
	              "nor beside this list",
	              names->n, (int)n, name);
}

static int names_read(struct names *names, const char *path, struct err *err)
{
	struct lines l;
	const char *line, *end, *name;
	size_t n;
	int more = 0, result = 0;

	if (lines_open(&l, path, 4096, 1, err) < 0)
		return -1;
	while (result == 0 && (more = lines_next(&l, &line, err)) > 0) {
		end = line_end(line);
		name = name_trim(line, end, &n);
		if (n > 0)
			result = name_add(names, &l, name, n, err);
		lines_advance(&l, end);
	}
	lines_close(&l);
	return more < 0 ? -1 : result;
}

static int list_open(struct trace *t, const char *path, uint32_t np, struct err *err)
{
	struct names names = {0};
	int result = names_read(&names, path, err);

	if (result == 0 && names.n == 1) {
		t->format = &trace_format_merged;
		result = t->format->open(t, names.paths[0], np, err);
	} else if (result == 0) {
		result = rank_files_open(t, path, names.paths, names.n, np, err);
		names = (struct names){0};
	}
	names_release(&names);
	return result;
}

int list_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                    struct err *err)
{
	struct names names = {0};
	struct err why = {0};
	int is = list_probe(path, &why), r = 0;

	if (is > 0)
		is = names_read(&names, path, &why);
	if (is < 0 && why.kind == ERR_LIMIT) { /* another one is told by who opens it */
		*err = why;
		r = -1;
	}
	for (uint32_t i = 0; is == 0 && i < names.n && r == 0; i++)
		r = each(self, names.paths[i]);
	names_release(&names);
	return r;
}

const struct trace_format trace_format_list = {
    .name = "list of files",
    .probe = list_probe,
    .open = list_open,
    .next = rank_files_next,
    .soon = rank_files_soon,
    .close = rank_files_close,
    .place = rank_files_place,
};
