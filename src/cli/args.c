/* args.c: parses the words of a verb from its option table. */
#include "cli.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

static const struct option_row common_options[] = {
    {-1, 'q', "quiet", NULL, "no progress bar, no notices"},
    {-2, 'h', "help", NULL, "this help"},
    {0, 0, NULL, NULL, NULL},
};

static const struct option_row *row_find_in(const struct option_row *rows, char letter,
                                            const char *name, size_t n)
{
	for (; rows && rows->id; rows++) {
		if (letter ? rows->letter == letter
		           : strlen(rows->name) == n && !memcmp(rows->name, name, n))
			return rows;
	}
	return NULL;
}

static const struct option_row *row_find(const struct verb *v, char letter, const char *name,
                                         size_t n)
{
	const struct option_row *r = row_find_in(v->options, letter, name, n);

	return r ? r : row_find_in(common_options, letter, name, n);
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* The option that is a slip or two away, half of the letters being right; else that whose value has
 * this name (--machine: -p MACHINE); else that whose name shares the longest prefix with what was
 * typed (at least two letters); or NULL. What follows a '=' is no part of it. */
static const char *nearest_option(const struct verb *v, const char *typed)
{
	const struct option_row *tables[2] = {v->options, common_options};
	const char *best = NULL, *valued = NULL;
	struct nearest near;
	char name[64];
	size_t most = 1;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
	nearest_init(&near, name);
	for (int i = 0; i < 2; i++) {
		for (const struct option_row *r = tables[i]; r && r->id; r++) {
			size_t n = common_prefix(name, r->name);

			nearest_offer(&near, r->name);
			if (!valued && r->arg && text_same(r->arg, name))
				valued = r->name;
			if (n > most) {
				most = n;
				best = r->name;
			}
		}
	}
	if (near.best && 2 * near.distance <= strlen(name))
		return near.best;
	return valued ? valued : best;
}

/* The verbs that have an option of just this name, or letter: "run, coll"; "" if none. */
static void option_owners(const char *word, char *out, size_t room)
{
	int is_letter = word[1] != '-';
	const char *typed = is_letter ? word + 1 : word + 2;
	size_t n = strcspn(typed, "="), used = 0;

	out[0] = 0;
	for (int i = 0; verbs[i]; i++) {
		if (row_find_in(verbs[i]->options, is_letter ? *typed : 0, typed, n) && used < room)
			used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
			                         verbs[i]->name);
	}
}

static int unknown_option(const struct verb *v, const struct args *a, const char *word,
                          struct err *err)
{
	const char *near = word[1] == '-' ? nearest_option(v, word + 2) : NULL;
	char owners[160] = "";

	if ((word[1] == '-' || (word[1] && !word[2])) && !(v->command && a->n_positional > 0))
		option_owners(word, owners, sizeof owners);
	if (owners[0] && near && strncmp(near, word + 2, strlen(word + 2)) == 0)
		return err_set(err, ERR_INPUT,
		               "%s: unknown option '%s'; did you mean '--%s'? It is an option of: "
		               "%s. See 'orrery help %s'.",
		               v->name, word, near, owners, v->name);
	if (owners[0])
		return err_set(
		    err, ERR_INPUT,
		    "%s: unknown option '%s'; it is an option of: %s. See 'orrery help %s'.",
		    v->name, word, owners, v->name);
	if (near)
		return err_set(
		    err, ERR_INPUT,
		    "%s: unknown option '%s'; did you mean '--%s'? See 'orrery help %s'.", v->name,
		    word, near, v->name);
	return err_set(
	    err, ERR_INPUT, "%s: unknown option '%s'%s. See 'orrery help %s'.", v->name, word,
	    v->command && a->n_positional > 0 ? "; the command and its options go behind '--'" : "",
	    v->name);
}

static void give(struct args *a, const struct option_row *r, const char *value)
{
	if (r->id == -1)
		a->quiet = 1;
	else if (r->id == -2)
		a->help = 1;
	else
		a->given[a->n_given++] = (struct given_option){r->id, value};
}

/* One option word, with its value taken from `value` (after '=' or glued to the letter) or from the
 * next word. Returns words used. */
static int value_check(const struct verb *v, const struct option_row *r, const char *value,
                       struct err *err)
{
	return *value ? 0
	              : err_set(err, ERR_INPUT, "%s: option '--%s' has an empty value; it wants %s",
	                        v->name, r->name, r->arg);
}

static int give_with_value(const struct verb *v, struct args *a, const struct option_row *r,
                           const char *value, const char *next, struct err *err)
{
	if (!r->arg) {
		if (value)
			return err_set(err, ERR_INPUT, "%s: option '--%s' takes no value", v->name,
			               r->name);
		give(a, r, "");
		return 1;
	}
	if (value) {
		give(a, r, value);
		return value_check(v, r, value, err) < 0 ? -1 : 1;
	}
	if (!next)
		return err_set(err, ERR_INPUT, "%s: option '--%s' needs a value: %s", v->name,
		               r->name, r->arg);
	give(a, r, next);
	return value_check(v, r, next, err) < 0 ? -1 : 2;
}

static int parse_long(const struct verb *v, struct args *a, const char *word, const char *next,
                      struct err *err)
{
	const char *name = word + 2, *eq = strchr(name, '=');
	size_t n = eq ? (size_t)(eq - name) : strlen(name);
	const struct option_row *r = row_find(v, 0, name, n);

	if (!r)
		return unknown_option(v, a, word, err);
	return give_with_value(v, a, r, eq ? eq + 1 : NULL, next, err);
}

/* -platform would be -p with the value "latform": smpirun and mpirun have such options. */
static const struct option_row *name_behind_one_dash(const struct verb *v, const char *word)
{
	size_t n = strcspn(word + 1, "=");

	return n > 2 ? row_find(v, 0, word + 1, n) : NULL;
}

static int parse_short(const struct verb *v, struct args *a, const char *word, const char *next,
                       struct err *err)
{
	const struct option_row *r = row_find(v, word[1], NULL, 0);
	const struct option_row *named = name_behind_one_dash(v, word);

	if (named)
		return err_set(
		    err, ERR_INPUT,
		    "%s: '%s': did you mean '--%s'? One dash is for one letter. See 'orrery help "
		    "%s'.",
		    v->name, word, named->name, v->name);
	if (!r)
		return unknown_option(v, a, word, err);
	if (!r->arg && word[2])
		return unknown_option(v, a, word, err);
	return give_with_value(v, a, r, word[2] ? word + 2 : NULL, next, err);
}

/* What follows "--". */
static void all_after(const struct verb *v, struct args *a, char **words, int n)
{
	if (v->command) {
		a->rest = words;
		a->n_rest = n;
		return;
	}
	for (int i = 0; i < n; i++)
		a->positional[a->n_positional++] = words[i];
}

int args_parse(const struct verb *v, int argc, char **argv, struct args *out, struct err *err)
{
	*out = (struct args){0};
	if (v->raw) {
		out->rest = argv;
		out->n_rest = argc;
		return 0;
	}
	out->positional = calloc((size_t)argc + 1, sizeof *out->positional);
	out->given = calloc((size_t)argc + 1, sizeof *out->given);
	if (!out->positional || !out->given) {
		args_release(out);
		return err_nomem(err, "command line",
		                 (unsigned long long)argc * sizeof *out->given);
	}
	for (int i = 0; i < argc;) {
		const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
		int used = 1;

		if (!strcmp(word, "--")) {
			all_after(v, out, argv + i + 1, argc - i - 1);
			break;
		}
		if (!strcmp(word, "-np") && row_find(v, 0, "np", 2)) /* as every mpirun has it */
			word = "--np";
		if (!word[0])
			used = err_set(err, ERR_INPUT,
			               "%s: an empty word is no name (an unset variable in the "
			               "command?). See 'orrery help %s'.",
			               v->name, v->name);
		else if (word[0] != '-' || !word[1])
			out->positional[out->n_positional++] = word;
		else
			used = word[1] == '-' ? parse_long(v, out, word, next, err)
			                      : parse_short(v, out, word, next, err);
		if (used < 0) {
			args_release(out);
			return -1;
		}
		i += used;
	}
	return 0;
}

void args_release(struct args *a)
{
	free(a->positional);
	free(a->given);
	*a = (struct args){0};
}

const char *args_get(const struct args *a, int id)
{
	for (int i = a->n_given; i-- > 0;) {
		if (a->given[i].id == id)
			return a->given[i].value;
	}
	return NULL;
}

int args_has(const struct args *a, int id)
{
	return args_get(a, id) != NULL;
}

const char **args_all(const struct args *a, int id, int *n, struct err *err)
{
	const char **all = calloc((size_t)a->n_given + 1, sizeof *all);

	*n = 0;
	if (!all) {
		err_nomem(err, "options", ((size_t)a->n_given + 1) * sizeof *all);
		return NULL;
	}
	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id == id)
			all[(*n)++] = a->given[i].value;
	return all;
}

int args_int(const struct args *a, const struct verb *v, int id, int64_t min, int64_t max,
             int64_t *out, struct err *err)
{
	const char *text = args_get(a, id);
	const struct option_row *r = v->options;
	int64_t n;

	if (!text)
		return 0;
	while (r->id != id)
		r++;
	if (num_parse_i64(text, strlen(text), &n) < 0 || n < min || n > max)
		return err_set(err, ERR_INPUT,
		               "%s: --%s wants an integer from %lld to %lld, not '%s'", v->name,
		               r->name, (long long)min, (long long)max, text);
	*out = n;
	return 0;
}

const struct verb *verb_find(const char *name)
{
	for (int i = 0; verbs[i]; i++) {
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	}
	return NULL;
}
