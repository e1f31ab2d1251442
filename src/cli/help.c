/* help.c: help texts and the manual page, all from the tables of verbs, options and settings. */
#include "cli.h"

#include <string.h>

static const char overview_text[] = "Orrery predicts how long an MPI program takes on a machine it "
                                    "has never run on, and says why.\n\n";

void help_overview(struct str *out)
{
	str_puts(out, "usage: orrery VERB [options]\n\n");
	str_puts(out, overview_text);
	str_puts(out, "verbs:\n");
	for (int i = 0; verbs[i]; i++)
		str_printf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	str_puts(out, "  help       help on a verb, or 'settings', 'man', 'completion bash' (fish, "
	              "zsh)\n");
	str_puts(out, "  version    the version of this program\n\n");
	str_puts(out, "example:\n"
	              "  orrery trace -o ring.trace -- mpirun -np 8 ./ring\n"
	              "  orrery replay ring.trace -p graphene\n");
}

static void option_left(const struct option_row *r, char *buf, size_t n)
{
	if (r->letter)
		snprintf(buf, n, "-%c, --%s%s%s", r->letter, r->name, r->arg ? " " : "",
		         r->arg ? r->arg : "");
	else
		snprintf(buf, n, "    --%s%s%s", r->name, r->arg ? " " : "", r->arg ? r->arg : "");
}

enum { WIDTH = 80, COLUMN = 31 }; /* of a terminal; where the texts of options begin */

/* Columns that n bytes take: those that go on a character of UTF-8 take none. */
static int columns_of(const char *s, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

/* n bytes of a line from column `at` on, broken at blanks where it gets longer than WIDTH; what is
 * broken goes on at column `hang`. */
static void wrapped(const char *s, size_t n, int at, int hang, struct str *out)
{
	size_t i = 0;

	while (i < n) {
		size_t blanks = strspn(s + i, " "), word = strcspn(s + i + blanks, " \n");
		int columns;

		if (word > n - i - blanks) /* a part of a text, to within a word */
			word = n - i - blanks;
		columns = columns_of(s + i + blanks, word);
		if (i > 0 && at + (int)blanks + columns > WIDTH) {
			str_printf(out, "\n%*s", hang, "");
			at = hang;
		} else {
			str_printf(out, "%*s", (int)blanks, "");
			at += (int)blanks;
		}
		str_putn(out, s + i + blanks, word);
		at += columns;
		i += blanks + word;
	}
	str_putc(out, '\n');
}

/* Of a line of n bytes "label   text", where its text begins: behind the first two blanks or more
 * after a word; 0: the line is no such. */
static size_t after_label(const char *s, size_t n)
{
	size_t indent = strspn(s, " ");

	for (size_t i = indent; i + 2 < n; i++)
		if (s[i] == ' ' && s[i + 1] == ' ')
			return i + strspn(s + i, " ");
	return 0;
}

/* Lines of a text, each a paragraph. */
static void paragraphs(const char *s, struct str *out)
{
	for (size_t n; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		wrapped(s, n, 0, (int)after_label(s, n), out);
	}
}

/* One option: the texts begin at the same column of a terminal, on a line of its own after an
 * option that is too long. */
static void option_line(const char *left, const char *text, struct str *out)
{
	int width = 2 + columns_of(left, strlen(left));

	str_printf(out, "  %s", left);
	if (width >= COLUMN) {
		str_putc(out, '\n');
		width = 0;
	}
	str_printf(out, "%*s", COLUMN - width, "");
	wrapped(text, strlen(text), COLUMN, COLUMN, out);
}

/* Of the group that begins with this option; or NULL. */
static const char *group_title(const struct verb *v, int id)
{
	const struct option_group *g = v->groups;

	while (g && g->first && g->first != id)
		g++;
	return g && g->first ? g->title : NULL;
}

void help_verb(const struct verb *v, struct str *out)
{
	char left[80];

	str_printf(out, "usage: orrery %s ", v->name);
	wrapped(v->synopsis, strlen(v->synopsis),
	        (int)strlen("usage: orrery  ") + (int)strlen(v->name), 7, out);
	str_putc(out, '\n');
	paragraphs(v->summary, out);
	if (v->text[0])
		str_putc(out, '\n');
	paragraphs(v->text, out);
	str_puts(out, v->groups ? "" : "\noptions:\n");
	for (const struct option_row *r = v->options; r->id; r++) {
		if (group_title(v, r->id))
			str_printf(out, "\n%s:\n", group_title(v, r->id));
		option_left(r, left, sizeof left);
		option_line(left, r->help, out);
	}
	str_puts(out, v->groups ? "\ncommon:\n" : "");
	if (!v->raw)
		option_line("-q, --quiet", "no progress bar, no notices", out);
	option_line("-h, --help", v->raw ? "this help, where it is the only word" : "this help",
	            out);
}

/* What a setting is, and on a line of its own its default: as its help tells it at its end, or its
 * value, which may have a unit of its own ("6ns" of "s/byte"). */
static void setting_line(const struct config_row *r, struct str *out)
{
	static const char before[] = "; default: ";
	const char *told = r->initial[0] ? NULL : strstr(r->help, before), *unit = r->unit;

	wrapped(r->help, told ? (size_t)(told - r->help) : strlen(r->help), 6, 6, out);
	str_puts(out, "      default: ");
	if (told)
		wrapped(told + strlen(before), strlen(told + strlen(before)), 15, 15, out);
	else if (!r->initial[0])
		str_puts(out, r->type == CFG_STRING ? "none\n" : "the communication model's\n");
	else if (unit[0] == 's' && r->initial[strlen(r->initial) - 1] == 's')
		str_printf(out, "%s%s\n", r->initial, unit + 1);
	else
		str_printf(out, "%s%s%s\n", r->initial, unit[0] ? " " : "", unit);
}

static void setting(const struct config_row *r, struct str *out)
{
	str_printf(out, "  %s\n      ", r->name);
	setting_line(r, out);
	if (r->aliases[0]) {
		str_puts(out, "      also: ");
		wrapped(r->aliases, strlen(r->aliases), 12, 12, out);
	}
}

void help_settings(struct str *out)
{
	paragraphs("Settings of --cfg NAME:VALUE and of a platform's <config>. SimGrid's names are "
	           "accepted under their old and new spellings; those without effect on times are "
	           "noted and ignored. 'orrery help NAME' shows one, or a family (smpi). "
	           "docs/settings.md has formulas, and where each is explained.\n\n",
	           out);
	for (int i = 0; i < CFG_COUNT; i++)
		setting(&config_table[i], out);
}

int help_setting(const char *name, struct str *out)
{
	enum config_id id = config_find(name);
	size_t n = strcspn(name, "/");
	int found = 0;

	if (id != CFG_COUNT)
		setting(&config_table[id], out);
	for (int i = 0; id == CFG_COUNT && !name[n + (name[n] != 0)] && i < CFG_COUNT; i++)
		if (strncmp(config_table[i].name, name, n) == 0 && config_table[i].name[n] == '/') {
			setting(&config_table[i], out);
			found = 1;
		}
	return id != CFG_COUNT || found ? 0 : -1;
}

/* troff: backslashes, and dots or quotes at the start of a line, are special. */
static void man_words(struct str *out, const char *s, size_t n)
{
	int start = 1;

	for (size_t i = 0; i < n; i++) {
		if (start && (s[i] == '.' || s[i] == '\''))
			str_puts(out, "\\&");
		if (s[i] == '\\')
			str_puts(out, "\\e");
		else if (s[i] == '-')
			str_puts(out, "\\-");
		else
			str_putc(out, s[i]);
		start = s[i] == '\n';
	}
	str_putc(out, '\n');
}

static void man_text(struct str *out, const char *s)
{
	man_words(out, s, strlen(s));
}

/* Lines of a text: paragraphs; labels with what they stand for; what is indented as it stands. */
static void man_paragraphs(struct str *out, const char *s)
{
	for (size_t n; *s; s += n + (s[n] == '\n')) {
		size_t label;

		n = strcspn(s, "\n");
		if (n ==
		    0) { /* what comes next begins a paragraph by itself, unless it is indented */
			if (s[1] == ' ')
				str_puts(out, ".PP\n");
			continue;
		}
		label = after_label(s, n);
		if (*s == ' ')
			str_puts(out, ".nf\n");
		else
			str_puts(out, label ? ".TP\n" : ".PP\n");
		if (label && *s != ' ') {
			size_t word = label;

			while (word > 0 && s[word - 1] == ' ')
				word--;
			man_words(out, s, word);
			man_words(out, s + label, n - label);
		} else {
			man_words(out, s, n);
		}
		if (*s == ' ')
			str_puts(out, ".fi\n");
	}
}

static void man_option(struct str *out, const struct option_row *r)
{
	char left[80];

	option_left(r, left, sizeof left);
	str_puts(out, ".TP\n");
	man_text(out, left + strspn(left, " "));
	man_text(out, r->help);
}

static void man_verb(struct str *out, const struct verb *v)
{
	str_printf(out, ".SS orrery %s ", v->name);
	man_text(out, v->synopsis);
	man_text(out, v->summary);
	man_paragraphs(out, v->text);
	for (const struct option_row *r = v->options; r->id; r++) {
		if (group_title(v, r->id))
			str_printf(out, ".PP\n%s:\n", group_title(v, r->id));
		man_option(out, r);
	}
}

void help_man(struct str *out)
{
	str_puts(out, ".TH ORRERY 1\n.SH NAME\norrery \\- predicts the time of MPI programs on "
	              "machines they have never run on\n"
	              ".SH SYNOPSIS\n.B orrery\n.I verb\n[options]\n.SH DESCRIPTION\n");
	man_text(out, overview_text);
	str_puts(out, ".SH VERBS\n");
	for (int i = 0; verbs[i]; i++)
		man_verb(out, verbs[i]);
	str_puts(out, ".SH SETTINGS\n");
	for (int i = 0; i < CFG_COUNT; i++) {
		str_puts(out, ".TP\n");
		man_text(out, config_table[i].name);
		man_text(out, config_table[i].help);
	}
	str_puts(out, ".SH EXIT STATUS\n0: fine. 1: the simulated program failed (deadlock, "
	              "truncation, MPI error), or the answer is no (can-run; calibrate: the result "
	              "is not to be used). 2: bad usage or input.\n"
	              "3: a limit of this computer (memory, disk). trace, cc and fc: that of the "
	              "command.\n");
}
