/* outputs.c: see outputs.h. */
#include "outputs.h"

#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
	const char *path;
	struct stat st;
};

static int is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is it the target, or does it lie in the target, which is a folder? */
static int file_is(void *self, const char *file)
{
	const struct target *t = self;
	const char *slash = strrchr(file, '/');
	char folder[4096];
	struct stat st;

	if (stat(file, &st) < 0)
		return 0;
	if (is_same(&st, &t->st))
		return 1;
	if (!S_ISDIR(t->st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - file) : 1,
	         slash ? file : ".");
	return stat(folder, &st) == 0 && is_same(&st, &t->st);
}

/* Does the text name the target: all of it, or what follows a ':', '=' or '@'? */
static int text_names(const char *text, struct target *t)
{
	for (; text; text = (text = strpbrk(text, ":=@")) ? text + 1 : NULL)
		if (*text && trace_files_each(text, file_is, t))
			return 1;
	return 0;
}

/* 1: there is something at path that could be lost. */
static int target_init(struct target *t, const char *path)
{
	t->path = path;
	return stat(path, &t->st) == 0 && (S_ISREG(t->st.st_mode) || S_ISDIR(t->st.st_mode));
}

static int refuse(const struct verb *v, const char *path, const char *word, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "%s: %s is to be written, and is what is read as %s: choose another name",
	               v->name, path, word);
}

/* What a program is given may be read by it: the file itself, or what follows a '='. */
static int argument_names(const char *word, struct target *t)
{
	const char *value = strchr(word, '=');

	return file_is(t, word) || (value && file_is(t, value + 1));
}

/* skip: the option that gives the path itself; -1: none does. */
static int words_check(const struct verb *v, const struct args *a, const char *path, int skip,
                       struct err *err)
{
	struct target t;

	if (!target_init(&t, path))
		return 0;
	for (int i = 0; i < a->n_positional; i++)
		if (text_names(a->positional[i], &t))
			return refuse(v, path, a->positional[i], err);
	for (int i = 0; i < a->n_given; i++)
		if (i != skip && text_names(a->given[i].value, &t))
			return refuse(v, path, a->given[i].value, err);
	for (int i = 0; i < a->n_rest; i++)
		if (argument_names(a->rest[i], &t))
			return refuse(v, path, a->rest[i], err);
	return 0;
}

static int is_output(const struct verb *v, int id)
{
	for (const int *o = v->outputs; o && *o; o++)
		if (*o == id)
			return 1;
	return 0;
}

/* The folder that the path's last part is in, and that part. */
static const char *folder_of(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/');
	char name[4096];

	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash + 1 - path) : 1,
	         slash ? path : ".");
	return stat(name, folder) == 0 ? (slash ? slash + 1 : path) : NULL;
}

/* Whatever they are called, and whether or not they are there yet. */
static int is_one_place(const char *a, const char *b)
{
	struct stat x, y;
	int is_a = stat(a, &x) == 0, is_b = stat(b, &y) == 0;

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return 0;
	if (is_a && is_b)
		return (S_ISREG(x.st_mode) || S_ISDIR(x.st_mode)) && is_same(&x, &y);
	if (is_a || is_b)
		return 0;
	a = folder_of(a, &x);
	b = folder_of(b, &y);
	return a && b && is_same(&x, &y) && !strcmp(a, b);
}

/* Not a name of a descriptor, which is written to as it is. */
static int is_replaced(const char *path)
{
	return strcmp(path, "-") != 0 && strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/proc/", 6) != 0;
}

/* Two outputs to one place. */
static int twice_check(const struct verb *v, const struct args *a, int i, struct err *err)
{
	const char *path = a->given[i].value;

	for (int k = 0; k < i; k++)
		if (is_output(v, a->given[k].id) && a->given[k].id != a->given[i].id &&
		    is_one_place(a->given[k].value, path))
			return err_set(err, ERR_INPUT, "%s: two outputs are to be written to %s",
			               v->name, path);
	return 0;
}

/* The shell may have opened it: orrery … file >>file. */
static int stdout_check(const struct verb *v, const struct args *a, struct err *err)
{
	struct target t = {.path = "the standard output"};

	if (fstat(STDOUT_FILENO, &t.st) < 0 || !S_ISREG(t.st.st_mode))
		return 0;
	for (int i = 0; i < a->n_positional; i++)
		if (text_names(a->positional[i], &t))
			return refuse(v, t.path, a->positional[i], err);
	for (int i = 0; i < a->n_given; i++) {
		const char *value = a->given[i].value;

		if (!is_output(v, a->given[i].id) && text_names(value, &t))
			return refuse(v, t.path, value, err);
		if (is_output(v, a->given[i].id) && is_replaced(value) && file_is(&t, value))
			return err_set(err, ERR_INPUT,
			               "%s: two outputs are to be written to %s, of which the "
			               "standard output is one",
			               v->name, value);
	}
	return 0;
}

int outputs_check(const struct verb *v, const struct args *a, struct err *err)
{
	if (stdout_check(v, a, err) < 0)
		return -1;
	for (int i = 0; i < a->n_given; i++)
		if (is_output(v, a->given[i].id) &&
		    (twice_check(v, a, i, err) < 0 ||
		     words_check(v, a, a->given[i].value, i, err) < 0))
			return -1;
	return 0;
}

int output_check(const struct verb *v, const struct args *a, const char *path, struct err *err)
{
	return words_check(v, a, path, -1, err);
}

static int settings_name(const struct config *cfg, struct target *t)
{
	for (int i = 0; i < CFG_COUNT; i++)
		if (text_names(config_text(cfg, (enum config_id)i), t))
			return i;
	return -1;
}

int outputs_check_machine(const struct verb *v, const struct args *a, const struct config *cfg,
                          const struct platform *p, struct err *err)
{
	struct target t;
	int id;

	for (int i = 0; i < a->n_given; i++) {
		if (!is_output(v, a->given[i].id) || !target_init(&t, a->given[i].value))
			continue;
		if ((id = settings_name(cfg, &t)) >= 0)
			return refuse(v, t.path, config_table[id].name, err);
		if (platform_files_each(p, file_is, &t))
			return refuse(v, t.path, "part of the machine", err);
	}
	return 0;
}

int output_try(const char *path, struct err *err)
{
	struct stat st;
	struct output o;
	int r;

	if (!strcmp(path, "-") ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0; /* opening a pipe would be seen by its reader */
	r = output_open(&o, path, err);
	output_release(&o);
	return r;
}
