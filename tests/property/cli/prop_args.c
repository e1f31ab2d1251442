/* prop_args.c: random command lines of every verb, from its own table of options. Whatever way an
 * option is spelled (--name VALUE, --name=VALUE, -x VALUE, -xVALUE), and wherever it stands, the
 * same is understood: options with their values in order, words that are not options in theirs,
 * and behind "--" all as it is: the command of a verb that starts one, words of any other. A letter
 * less or more in a name is refused, with the name that was meant; so is a value
 * that lacks, is empty, or belongs to a flag. */
#include "cli/verbs.h"

#include "../prop.h"
#include "base/rng.h"

enum { CASES = 300, WORDS = 40, TEXT = 128 };

struct line {
	char text[WORDS][TEXT], *argv[WORDS + 1];
	int argc;
	struct given_option given[WORDS];
	int n_given;
	const char *positional[WORDS];
	int n_positional, rest;
	int quiet;
};

static char *word_add(struct line *l)
{
	l->argv[l->argc] = l->text[l->argc];
	return l->text[l->argc++];
}

static void word_put(struct line *l, const char *word)
{
	snprintf(word_add(l), TEXT, "%s", word);
}

static uint32_t options_of(const struct verb *v)
{
	uint32_t n = 0;

	while (v->options && v->options[n].id)
		n++;
	return n;
}

/* A word of a few letters, '=' and '-' among them, that does not begin like an option. */
static void value_draw(struct rng *r, char *out)
{
	static const char letters[] = "ab1=-./: ";
	size_t n = 1 + (size_t)rng_below(r, 8);

	for (size_t i = 0; i < n; i++)
		out[i] = letters[rng_below(r, i ? sizeof letters - 1 : 3)];
	out[n] = '\0';
}

static void option_draw(struct rng *r, const struct verb *v, struct line *l)
{
	const struct option_row *o = &v->options[rng_below(r, options_of(v))];
	int is_short = o->letter && rng_below(r, 2), glued = rng_below(r, 2) != 0;
	char value[16], *word = word_add(l);

	value_draw(r, value);
	if (is_short)
		word += snprintf(word, TEXT, "-%c", o->letter);
	else
		word += snprintf(word, TEXT, "--%s", o->name);
	if (!o->arg) {
		l->given[l->n_given++] = (struct given_option){o->id, ""};
		return;
	}
	if (glued) {
		if (!is_short)
			*word++ = '=';
	} else {
		word = word_add(l);
	}
	snprintf(word, TEXT - 64, "%s", value);
	l->given[l->n_given++] = (struct given_option){o->id, word};
}

static void line_draw(struct rng *r, const struct verb *v, struct line *l)
{
	int n = (int)rng_below(r, 10);

	*l = (struct line){.rest = -1};
	while (n-- > 0) {
		uint64_t what = rng_below(r, 8);

		if (what < 5 && options_of(v) > 0) {
			option_draw(r, v, l);
		} else if (what == 5) {
			word_put(l, rng_below(r, 2) ? "-q" : "--quiet");
			l->quiet = 1;
		} else {
			value_draw(r, l->text[l->argc]);
			l->positional[l->n_positional++] = word_add(l);
		}
	}
	if (rng_below(r, 3) == 0) {
		word_put(l, "--");
		if (v->command)
			l->rest = l->argc;
		for (n = (int)rng_below(r, 4); n > 0; n--) {
			if (!v->command)
				l->positional[l->n_positional++] = l->text[l->argc];
			word_put(l, rng_below(r, 2) ? "--nonsense" : "-x");
		}
	}
	l->argv[l->argc] = NULL;
}

static void check_understood(const struct line *l, const struct args *a)
{
	assert_int_equal(a->n_positional, l->n_positional);
	for (int i = 0; i < l->n_positional; i++)
		assert_string_equal(a->positional[i], l->positional[i]);
	assert_int_equal(a->n_given, l->n_given);
	for (int i = 0; i < l->n_given; i++) {
		assert_int_equal(a->given[i].id, l->given[i].id);
		assert_string_equal(a->given[i].value, l->given[i].value);
	}
	assert_int_equal(a->quiet, l->quiet);
	assert_int_equal(a->help, 0);
	if (l->rest < 0) {
		assert_null(a->rest);
	} else {
		assert_int_equal(a->n_rest, l->argc - l->rest);
		assert_ptr_equal(a->rest, l->argv + l->rest);
	}
}

/* The last value; all, in order. */
static void check_asked(const struct line *l, const struct args *a)
{
	for (int i = 0; i < l->n_given; i++) {
		int id = l->given[i].id, n, k = 0;
		struct err err;
		const char **all = args_all(a, id, &n, &err), *last = NULL;

		assert_non_null(all);
		for (int j = 0; j < l->n_given; j++) {
			if (l->given[j].id != id)
				continue;
			last = l->given[j].value;
			assert_true(k < n);
			assert_string_equal(all[k++], last);
		}
		assert_int_equal(k, n);
		assert_string_equal(args_get(a, id), last);
		assert_true(args_has(a, id));
		free(all);
	}
	assert_null(args_get(a, 9999));
}

static void understood(void **state)
{
	static struct line l;
	struct args a;
	struct err err;
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(1), "args", 0);
	for (const struct verb *const *v = verbs; *v; v++) {
		if ((*v)->raw)
			continue;
		for (int i = 0; i < CASES; i++) {
			line_draw(&r, *v, &l);
			assert_ok(args_parse(*v, l.argc, l.argv, &a, &err), err);
			check_understood(&l, &a);
			check_asked(&l, &a);
			args_release(&a);
		}
	}
}

static void refused(const struct verb *v, const char *word, const char *next, const char *part)
{
	char *argv[] = {(char *)(uintptr_t)word, (char *)(uintptr_t)next, NULL};
	struct args a;
	struct err err;

	if (args_parse(v, next ? 2 : 1, argv, &a, &err) != -1)
		fail_msg("%s takes %s %s", v->name, word, next ? next : "");
	assert_int_equal(err.kind, ERR_INPUT);
	assert_null(a.given);
	if (strncmp(err.text, v->name, strlen(v->name)) != 0 || !strstr(err.text, part))
		fail_msg("%s %s: %s", v->name, word, err.text);
}

static int is_option(const struct verb *v, const char *name)
{
	for (const struct option_row *o = v->options; o && o->id; o++)
		if (strcmp(o->name, name) == 0)
			return 1;
	return strcmp(name, "quiet") == 0 || strcmp(name, "help") == 0;
}

static void slips(void **state)
{
	char word[TEXT], meant[TEXT];

	(void)state;
	for (const struct verb *const *v = verbs; *v; v++) {
		for (const struct option_row *o = (*v)->options; o && o->id && !(*v)->raw; o++) {
			snprintf(word, sizeof word, "--%sx", o->name);
			snprintf(meant, sizeof meant, "unknown option '%s'; did you mean '--%s",
			         word, o->name); /* or a longer one that begins like it */
			if (!is_option(*v, word + 2))
				refused(*v, word, NULL, meant);
			snprintf(word, sizeof word, "--%s", o->name);
			if (o->arg) {
				refused(*v, word, NULL, "needs a value");
				refused(*v, word, "", "empty value");
			}
			snprintf(word, sizeof word, "--%s=%s", o->name, o->arg ? "" : "1");
			refused(*v, word, NULL, o->arg ? "empty value" : "takes no value");
			word[strlen(o->name) + 1] = '\0'; /* without its last letter */
			if (!is_option(*v, word + 2) && strlen(o->name) > 3)
				refused(*v, word, NULL, "did you mean '--");
			if (strlen(o->name) < 4)
				continue;
			snprintf(word, sizeof word, "--%c%c%s", o->name[1], o->name[0],
			         o->name + 2); /* the first two swapped */
			snprintf(meant, sizeof meant, "did you mean '--%s'?", o->name);
			if (!is_option(*v, word + 2) && o->name[0] != o->name[1])
				refused(*v, word, NULL, meant);
		}
	}
}

/* Each option of each verb has a line of help, a name of its own and a letter of its own; help, the
 * manual and the completions know it. */
static void told(void **state)
{
	struct str help, man, completion[3];
	char name[TEXT];

	(void)state;
	str_init(&help), str_init(&man);
	for (int i = 0; i < 3; i++)
		str_init(&completion[i]);
	help_man(&man);
	help_completion(&completion[0]);
	help_completion_fish(&completion[1]);
	help_completion_zsh(&completion[2]);
	for (const struct verb *const *v = verbs; *v; v++) {
		str_clear(&help);
		help_verb(*v, &help);
		for (const struct option_row *o = (*v)->options; o && o->id; o++) {
			snprintf(name, sizeof name, "--%s", o->name);
			assert_true(o->help && *o->help && o->id > 0);
			assert_non_null(strstr(help.s, name));
			assert_non_null(strstr(completion[0].s, name));
			for (int i = 1; i < 3; i++)
				assert_non_null(strstr(completion[i].s, o->name));
			for (const struct option_row *p = (*v)->options; p < o; p++) {
				assert_true(p->id != o->id && strcmp(p->name, o->name) != 0);
				assert_true(!o->letter || p->letter != o->letter);
			}
		}
		assert_non_null(strstr(man.s, (*v)->summary) ? man.s : NULL);
	}
	str_release(&help), str_release(&man);
	for (int i = 0; i < 3; i++)
		str_release(&completion[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(understood), cmocka_unit_test(slips),
	                                   cmocka_unit_test(told)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
