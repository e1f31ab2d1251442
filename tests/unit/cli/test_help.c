/* test_help.c: help, the manual page and the completions of three shells say what the tables of
 * verbs, options and settings have, all of it and nothing else: the manual with its troff taken
 * off, bash's completion as bash itself answers, fish's with its quotes taken off. */
#include "verb.h"

#include "coll/coll.h"

static void has(const char *text, const char *part, const char *of)
{
	if (!strstr(text, part))
		fail_msg("%s: \"%s\" is not in: %s", of, part, text);
}

/* A text with one blank wherever it has blanks or ends a line. */
static void flat(const char *text, struct str *out)
{
	for (const char *p = text; *p; p++)
		if (*p != ' ' && *p != '\n')
			str_putc(out, *p);
		else if (out->n && out->s[out->n - 1] != ' ')
			str_putc(out, ' ');
}

/* As has(), wherever lines are broken. */
static void has_words(const char *text, const char *part, const char *of)
{
	struct str all, words;

	str_init(&all);
	str_init(&words);
	flat(text, &all);
	flat(part, &words);
	has(all.s, words.n ? words.s : "", of);
	str_release(&all);
	str_release(&words);
}

/* No line is wider than a terminal of 80 columns. */
static void is_narrow(const char *text, const char *of)
{
	int columns = 0;

	for (const char *p = text; *p; p++) {
		columns += ((unsigned char)*p & 0xc0) != 0x80;
		if (*p == '\n')
			columns = 0;
		if (columns > 80)
			fail_msg("%s: a line is wider than 80 columns: %.40s", of, p - 60);
	}
}

/* "-o, --output FILE", as help writes an option. */
static const char *left_of(const struct option_row *o, char *buf, size_t n)
{
	int at = o->letter ? snprintf(buf, n, "-%c, ", o->letter) : 0;

	snprintf(buf + at, n - (size_t)at, "--%s%s%s", o->name, o->arg ? " " : "",
	         o->arg ? o->arg : "");
	return buf;
}

static void help_of_verbs(void **state)
{
	struct str all;

	(void)state;
	str_init(&all);
	help_overview(&all);
	for (const struct verb *const *v = verbs; *v; v++) {
		struct str text;
		char left[256];

		has(all.s, (*v)->name, "the overview");
		has(all.s, (*v)->summary, "the overview");
		str_init(&text);
		help_verb(*v, &text);
		has(text.s, (*v)->summary, (*v)->name);
		has_words(text.s, (*v)->synopsis, (*v)->name);
		has_words(text.s, (*v)->text, (*v)->name);
		is_narrow(text.s, (*v)->name);
		for (const struct option_row *o = (*v)->options; o->id; o++) {
			has(text.s, left_of(o, left, sizeof left), (*v)->name);
			has_words(text.s, o->help, (*v)->name);
		}
		if (!(*v)->raw) /* whose words are the compiler's */
			has(text.s, "-q, --quiet", (*v)->name);
		else if (strstr(text.s, "--quiet"))
			fail_msg("%s has no option --quiet", (*v)->name);
		has(text.s, "-h, --help", (*v)->name);
		str_release(&text);
	}
	str_release(&all);
}

/* --- the manual --- */

/* Text of troff as it is shown: requests are lines of their own, of those that the page uses. */
static void shown(const char *troff, struct str *out)
{
	static const char *const requests[] = {".TH ",  ".SH ",  ".SS ",  ".B ",  ".I ",
	                                       ".TP\n", ".PP\n", ".nf\n", ".fi\n"};

	for (const char *p = troff; *p; p++) {
		int known = 0, start = p == troff || p[-1] == '\n';

		for (size_t i = 0; start && *p == '.' && i < sizeof requests / sizeof *requests;
		     i++)
			if (!strncmp(p, requests[i], strlen(requests[i]))) {
				known = 1;
				p += strlen(requests[i]) - 1;
			}
		if (start && !known && (*p == '.' || *p == '\''))
			fail_msg("troff takes this line for a request: %.40s", p);
		if (known)
			continue;
		if (*p != '\\') {
			str_putc(out, *p);
			continue;
		}
		p++;
		if (*p == 'e')
			str_putc(out, '\\');
		else if (*p == '-')
			str_putc(out, '-');
		else if (*p != '&')
			fail_msg("what is \\%c of: %.40s", *p, p);
	}
}

static void the_manual(void **state)
{
	struct str troff, text;

	(void)state;
	str_init(&troff);
	str_init(&text);
	help_man(&troff);
	if (strstr(troff.s, " \n"))
		fail_msg("a line of the manual ends in a blank: %.60s",
		         strstr(troff.s, " \n") - 40);
	if (strstr(troff.s, ".PP\n\n"))
		fail_msg("a paragraph of the manual is empty");
	shown(troff.s, &text);
	for (const struct verb *const *v = verbs; *v; v++) {
		has(text.s, (*v)->synopsis, "the manual");
		has(text.s, (*v)->summary, "the manual");
		has_words(text.s, (*v)->text, "the manual");
		for (const struct option_row *o = (*v)->options; o->id; o++) {
			char left[256];

			has(text.s, left_of(o, left, sizeof left), "the manual");
			has(text.s, o->help, "the manual");
		}
	}
	for (int i = 0; i < CFG_COUNT; i++) {
		has(text.s, config_table[i].name, "the manual");
		has(text.s, config_table[i].help, "the manual");
	}
	has(text.s, "EXIT STATUS", "the manual");
	str_release(&troff);
	str_release(&text);
}

static void settings(void **state)
{
	struct str text;

	(void)state;
	str_init(&text);
	help_settings(&text);
	is_narrow(text.s, "the settings");
	for (int i = 0; i < CFG_COUNT; i++) {
		const struct config_row *r = &config_table[i];
		char line[4096], *told;

		snprintf(line, sizeof line, "  %s\n      %s", r->name, r->help);
		told = r->initial[0] ? NULL : strstr(line, "; default: ");
		if (told) /* a line of its own, and no other default beside it */
			*told = ' ';
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s",
		         told ? "" : " default: ", r->initial);
		if (told && r->aliases[0])
			snprintf(line + strlen(line), sizeof line - strlen(line), " also: %s",
			         r->aliases);
		has_words(text.s, line, "the settings");
		if (r->aliases[0])
			has_words(text.s, r->aliases, "the settings");
	}
	/* a value with a unit of its own, beside one that has the setting's */
	has(text.s, "default: 2500ns\n", "the settings");
	has(text.s, "default: 6ns/byte\n", "the settings");
	has(text.s, "default: 4194304 bytes\n", "the settings");
	str_release(&text);
}

/* --- bash --- */

/* What bash answers to these words, of which the last is completed: one a line, sorted. */
static void bash_says(const char *completion, const char *words, char *out, size_t n)
{
	struct tmp tmp;
	struct str script;
	char command[400];
	size_t got;
	FILE *f;

	tmp_init(&tmp);
	str_init(&script);
	str_printf(&script,
	           "set -u\n%s\nCOMP_WORDS=(orrery %s)\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
	           "compopt() { :; }\ncd /\n_orrery\nprintf '%%s\\n' \"${COMPREPLY[@]}\" | sort\n",
	           completion, words);
	snprintf(command, sizeof command, "bash %s 2>&1", tmp_write(&tmp, "say.sh", script.s));
	f = popen(command, "r");
	assert_non_null(f);
	got = fread(out, 1, n - 1, f);
	out[got] = '\0';
	assert_int_equal(pclose(f), 0);
	str_release(&script);
	tmp_release(&tmp);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lines, sorted as LC_ALL=C sort does. */
static void lines_sorted(const char **line, size_t n, struct str *out)
{
	qsort(line, n, sizeof *line, by_text);
	for (size_t i = 0; i < n; i++)
		str_printf(out, "%s\n", line[i]);
}

static void options_of_bash(const struct verb *v, const char *completion)
{
	static char said[16384], name[64][64];
	const char *line[64];
	char words[64];
	struct str wanted;
	size_t n = 0;

	for (const struct option_row *o = v->options; o->id; o++, n++)
		snprintf(name[n], sizeof name[n], "--%s", o->name);
	if (!v->raw) /* whose words are the compiler's */
		snprintf(name[n++], sizeof name[0], "--quiet");
	snprintf(name[n++], sizeof name[0], "--help");
	for (size_t i = 0; i < n; i++)
		line[i] = name[i];
	str_init(&wanted);
	lines_sorted(line, n, &wanted);
	snprintf(words, sizeof words, "%s --", v->name);
	bash_says(completion, words, said, sizeof said);
	if (strcmp(said, wanted.s) != 0)
		fail_msg("%s: bash completes to %s", v->name, said);
	str_release(&wanted);
}

static void completion_of_bash(void **state)
{
	static char said[65536];
	const char *line[64];
	struct str text, wanted;
	size_t n = 0;

	(void)state;
	setenv("LC_ALL", "C", 1);
	str_init(&text);
	help_completion(&text);
	for (const struct verb *const *v = verbs; *v; v++) {
		options_of_bash(*v, text.s);
		line[n++] = (*v)->name;
	}
	line[n++] = "help";
	line[n++] = "version";
	str_init(&wanted);
	lines_sorted(line, n, &wanted);
	bash_says(text.s, "''", said, sizeof said);
	assert_string_equal(said, wanted.s);
	bash_says(text.s, "replay t --selector omp", said, sizeof said);
	for (int i = 0; coll_selectors[i]; i++)
		if (!strncmp(coll_selectors[i]->name, "omp", 3))
			has(said, coll_selectors[i]->name, "--selector omp");
	bash_says(text.s, "replay t --cfg network/cross", said, sizeof said);
	has(said, "network/crosstraffic:\n", "--cfg network/cross");
	str_release(&text);
	str_release(&wanted);
}

/* Every option of every verb with its help, every verb with its summary; tests/e2e/completions.sh
 * asks zsh itself. */
static void completion_of_zsh(void **state)
{
	struct str zsh;

	(void)state;
	str_init(&zsh);
	help_completion_zsh(&zsh);
	assert_int_equal(strncmp(zsh.s, "#compdef orrery\n", 16), 0);
	for (const struct verb *const *v = verbs; *v; v++) {
		char begins[64];
		const char *of, *end;

		snprintf(begins, sizeof begins, "\n\t%s)\n", (*v)->name);
		of = strstr(zsh.s, begins);
		if (!of)
			fail_msg("zsh: no %s", (*v)->name);
		end = strstr(of, " ;;\n");
		assert_non_null(end);
		for (const struct option_row *o = (*v)->options; o->id; o++) {
			char text[64];
			const char *at;

			snprintf(text, sizeof text, "--%s%s%s'[", o->name, o->arg ? "=" : "",
			         o->letter ? "}" : "");
			at = strstr(of, text);
			if (!at || at > end)
				fail_msg("zsh: no --%s of %s", o->name, (*v)->name);
		}
	}
	str_release(&zsh);
}

/* --- fish --- */

/* The line's words; in single quotes \' and \\ are escapes, in double ones \" \$ \\ are. */
static size_t words_of(const char *p, char (*word)[4096])
{
	size_t n = 0, at = 0;
	char quote = 0;
	int inside = 0;

	for (; *p && (*p != '\n' || quote); p++) {
		if (quote && *p == '\\' && p[1] && strchr("'\\\"$", p[1])) {
			word[n][at++] = *++p;
		} else if (quote ? *p == quote : *p == '\'' || *p == '"') {
			quote = quote ? 0 : *p;
			inside = 1;
		} else if (!quote && *p == ' ') {
			word[n][at] = '\0';
			n += inside || at > 0;
			at = 0;
			inside = 0;
		} else {
			assert_true(at < 4095);
			word[n][at++] = *p;
		}
	}
	if (quote)
		fail_msg("a quote is not closed");
	word[n][at] = '\0';
	return n + (inside || at > 0);
}

static const char *word_after(char (*word)[4096], size_t n, const char *key)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (!strcmp(word[i], key))
			return word[i + 1];
	return "";
}

/* The line that gives an option of a verb, or NULL. */
static const char *fish_line(const char *text, const struct verb *v, const struct option_row *o)
{
	char begins[256];

	snprintf(begins, sizeof begins,
	         "\ncomplete -c orrery -n '__fish_seen_subcommand_from %s' -l %s ", v->name,
	         o->name);
	return strstr(text, begins);
}

static void completion_of_fish(void **state)
{
	static char word[32][4096];
	struct str text;
	int lines = 0, wanted = 4; /* title, other words, topics of help, shells */

	(void)state;
	str_init(&text);
	help_completion_fish(&text);
	for (const char *p = text.s; *p; p = strchr(p, '\n') + 1, lines++)
		assert_true(*p == '#' || words_of(p, word) >= 6);
	for (const struct verb *const *v = verbs; *v; v++) {
		wanted += 1 + ((*v)->words != NULL);
		for (const struct option_row *o = (*v)->options; o->id; o++, wanted++) {
			const char *line = fish_line(text.s, *v, o);
			char letter[2] = {o->letter, '\0'};
			size_t n;

			if (!line)
				fail_msg("fish: no --%s of %s", o->name, (*v)->name);
			n = words_of(line + 1, word);
			assert_string_equal(word_after(word, n, "-d"), o->help);
			assert_string_equal(word_after(word, n, "-s"), letter);
		}
	}
	assert_int_equal(lines, wanted); /* and nothing else */
	str_release(&text);
}

static int has_option(const struct verb *v, int id)
{
	const struct option_row *r = v->options;

	while (r->id && r->id != id)
		r++;
	return r->id != 0;
}

/* Many options are told by purpose: each title stands before a row of the table, the first of them
 * before the first row. */
static void many_options_have_groups(void **state)
{
	enum { MANY = 15 };

	(void)state;
	for (int i = 0; verbs[i]; i++) {
		const struct verb *v = verbs[i];
		const struct option_group *g = v->groups;
		struct str help, title;
		int n = 0;

		while (v->options[n].id)
			n++;
		if (n > MANY && !g)
			fail_msg("%s: %d options without groups", v->name, n);
		if (!g)
			continue;
		assert_int_equal(g->first, v->options[0].id);
		str_init(&help);
		str_init(&title);
		help_verb(v, &help);
		for (; g->first; g++) {
			assert_true(has_option(v, g->first));
			str_clear(&title);
			str_printf(&title, "\n\n%s:\n  ", g->title);
			has(help.s, title.s, v->name);
		}
		str_release(&title);
		str_release(&help);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(help_of_verbs),
	    cmocka_unit_test(the_manual),
	    cmocka_unit_test(many_options_have_groups),
	    cmocka_unit_test(settings),
	    cmocka_unit_test(completion_of_bash),
	    cmocka_unit_test(completion_of_zsh),
	    cmocka_unit_test(completion_of_fish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
