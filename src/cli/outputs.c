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
	struct err *err; /* of what cannot be looked at */
};

/* 1, 0: nothing that could be opened by that name, -1. */
static int look(const char *path, struct stat *st, struct err *err)
{
	int there = there_stat(path, st, err);

	return there < 0 && err->kind == ERR_INPUT ? 0 : there;
}

static int is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

enum { IS_IT = 1, IS_IN_IT };

/* Is it the target, or does it lie in the target, which is a folder? IS_IT, IS_IN_IT, 0, -1. */
static int file_is(void *self, const char *file)
{
	const struct target *t = self;
	const char *slash = strrchr(file, '/');
	char folder[4096];
	struct stat st;
	int there = look(file, &st, t->err);

	if (there <= 0)
		return there;
	if (is_same(&st, &t->st))
		return IS_IT;
	if (!S_ISDIR(t->st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - file) : 1,
	         slash ? file : ".");
	there = look(folder, &st, t->err);
	return there <= 0 ? there : is_same(&st, &t->st) ? IS_IN_IT : 0;
}

/* Does the text name the target: all of it, or what follows a ':', '=' or '@'? As file_is. */
static int text_names(const char *text, struct target *t)
{
	int is = 0;

	for (; text && is == 0; text = (text = strpbrk(text, ":=@")) ? text + 1 : NULL)
		if (*text)
			is = trace_files_each(text, file_is, t, t->err);
	return is;
}

/* What the values of these options are called: numbers, and words of our own, whatever files have
 * such names. In others (HOW, NAME:VALUE) there may be one. */
static const char *const no_files[] = {
    "A[-B]",     "AS",        "BW",      "BW[,TIME]", "BW[,TIME][;…]",
    "BYTES",     "BYTES,...", "CHANGES", "COLUMN",    "COLUMN,...",
    "CxN",       "FORM",      "FORMAT",  "FROM-TO",   "HOST,...",
    "HOST,HOST", "K",         "KIND",    "LIST",      "MODEL",
    "N",         "NETWORK",   "NxN…",    "PERCENT",   "POLICY",
    "R",         "RATE",      "RATIO",   "S",         "SECONDS",
    "SIZE",      "SIZES",     "SPEED",   "TEXT",      "TIME",
    "V",         "WHAT",      NULL};

static int value_names(const struct verb *v, const struct given_option *g, struct target *t)
{
	const struct option_row *r = v->options;

	while (r && r->id && r->id != g->id)
		r++;
	for (const char *const *no = no_files; r && r->arg && *no; no++)
		if (strcmp(r->arg, *no) == 0)
			return 0;
	return text_names(g->value, t);
}

/* Is it what the verb's first word may be where that is no file? */
static int is_own_word(const struct verb *v, const char *word)
{
	size_t n = strlen(word);
	const char *at;
	struct str words;
	int is = 0;

	if (!v->words)
		return 0;
	str_init(&words);
	v->words(&words);
	for (at = words.n ? words.s : ""; *at && !is; at += strcspn(at, " ") + 1)
		is = strcspn(at, " ") == n && memcmp(at, word, n) == 0;
	str_release(&words);
	return is;
}

static int positional_names(const struct verb *v, const struct args *a, int i, struct target *t)
{
	if (i == 0 && is_own_word(v, a->positional[0]))
		return 0;
	if (v->fileless && (!*v->fileless || strcmp(a->positional[0], v->fileless) == 0))
		return 0;
	return text_names(a->positional[i], t);
}

/* 1: there is something at path that could be lost; 0; -1. */
static int target_init(struct target *t, const char *path, struct err *err)
{
	int there;

	t->path = path;
	t->err = err;
	there = look(path, &t->st, err);
	return there > 0 ? S_ISREG(t->st.st_mode) || S_ISDIR(t->st.st_mode) : there;
}

/* is: does the word name the target? Returns -1 where it does, or where that cannot be known. */
static int refuse(const struct verb *v, int is, const struct target *t, const char *word)
{
	return is <= 0 ? is
	               : err_set(t->err, ERR_INPUT,
	                         "%s: %s is to be written, and is %s is read as %s: choose "
	                         "another name",
	                         v->name, t->path, is == IS_IN_IT ? "the folder of what" : "what",
	                         word);
}

/* What a program is given may be read by it: the file itself, or what follows a '='. */
static int argument_names(const char *word, struct target *t)
{
	const char *value = strchr(word, '=');
	int is = file_is(t, word);

	return is == 0 && value ? file_is(t, value + 1) : is;
}

/* skip: the option that gives the path itself; -1: none does. */
static int words_check(const struct verb *v, const struct args *a, const char *path, int skip,
                       struct err *err)
{
	struct target t;
	int r = target_init(&t, path, err);

	if (r <= 0)
		return r;
	for (int i = 0; i < a->n_positional; i++)
		if (refuse(v, positional_names(v, a, i, &t), &t, a->positional[i]) < 0)
			return -1;
	for (int i = 0; i < a->n_given; i++)
		if (i != skip &&
		    refuse(v, value_names(v, &a->given[i], &t), &t, a->given[i].value) < 0)
			return -1;
	for (int i = 0; i < a->n_rest; i++)
		if (refuse(v, argument_names(a->rest[i], &t), &t, a->rest[i]) < 0)
			return -1;
	return 0;
}

static int is_output(const struct verb *v, int id)
{
	for (const int *o = v->outputs; o && *o; o++)
		if (*o == id)
			return 1;
	return 0;
}

/* The folder that the path's last part is in: 1, with *part that one; 0; -1. */
static int folder_of(const char *path, struct stat *folder, const char **part, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char name[4096];

	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash + 1 - path) : 1,
	         slash ? path : ".");
	*part = slash ? slash + 1 : path;
	return look(name, folder, err);
}

/* Whatever they are called, and whether or not they are there yet: 1, 0, -1. */
static int is_one_place(const char *a, const char *b, struct err *err)
{
	struct stat x, y;
	int is_a, is_b;

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return 0;
	is_a = look(a, &x, err);
	is_b = is_a < 0 ? -1 : look(b, &y, err);
	if (is_b < 0)
		return -1;
	if (is_a && is_b)
		return (S_ISREG(x.st_mode) || S_ISDIR(x.st_mode)) && is_same(&x, &y);
	if (is_a || is_b)
		return 0;
	is_a = folder_of(a, &x, &a, err);
	is_b = is_a <= 0 ? is_a : folder_of(b, &y, &b, err);
	return is_b > 0 ? is_same(&x, &y) && !strcmp(a, b) : is_b;
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

	for (int k = 0; k < i; k++) {
		int is = is_output(v, a->given[k].id) && a->given[k].id != a->given[i].id
		             ? is_one_place(a->given[k].value, path, err)
		             : 0;

		if (is != 0)
			return is < 0 ? -1
			              : err_set(err, ERR_INPUT,
			                        "%s: two outputs are to be written to %s", v->name,
			                        path);
	}
	return 0;
}

/* The shell may have opened it: orrery … file >>file. */
static int stdout_check(const struct verb *v, const struct args *a, struct err *err)
{
	struct target t = {.path = "the standard output", .err = err};
	int is;

	if (fstat(STDOUT_FILENO, &t.st) < 0 || !S_ISREG(t.st.st_mode))
		return 0;
	for (int i = 0; i < a->n_positional; i++)
		if (refuse(v, positional_names(v, a, i, &t), &t, a->positional[i]) < 0)
			return -1;
	for (int i = 0; i < a->n_given; i++) {
		const char *value = a->given[i].value;

		if (!is_output(v, a->given[i].id) &&
		    refuse(v, value_names(v, &a->given[i], &t), &t, value) < 0)
			return -1;
		is = is_output(v, a->given[i].id) && is_replaced(value) ? file_is(&t, value) : 0;
		if (is != 0)
			return is < 0 ? -1
			              : err_set(err, ERR_INPUT,
			                        "%s: two outputs are to be written to %s, of which "
			                        "the standard output is one",
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

static int settings_check(const struct verb *v, const struct config *cfg, struct target *t)
{
	for (int i = 0; i < CFG_COUNT; i++) {
		int is = text_names(config_text(cfg, (enum config_id)i), t);

		if (refuse(v, is, t, config_table[i].name) < 0)
			return -1;
	}
	return 0;
}

int outputs_check_machine(const struct verb *v, const struct args *a, const struct config *cfg,
                          const struct platform *p, struct err *err)
{
	struct target t;

	for (int i = 0; i < a->n_given; i++) {
		int is = is_output(v, a->given[i].id) ? target_init(&t, a->given[i].value, err) : 0;

		if (is > 0)
			is = settings_check(v, cfg, &t) < 0
			         ? -1
			         : refuse(v, platform_files_each(p, file_is, &t), &t,
			                  "part of the machine");
		if (is < 0)
			return -1;
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
