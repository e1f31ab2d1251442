/* completion.c: what shells complete, from the tables of verbs, options and settings: verbs,
 * options, values of those options whose values a table has, the words of `platform`, `coll`,
 * `calibrate` and `help`, files, and behind "--" commands with words of their own. */
#include "cli.h"
#include "coll/coll.h"
#include "net/model.h"
#include "observe/observe.h"

#include <string.h>

/* For awk: names that a shell, which expands the words it is given, takes as they are. */
static const char plain_name[] = "/^[a-z0-9][A-Za-z0-9._-]* /";

/* What is known of an option's value. */
enum values {
	VALUES_NONE, /* it has none, or it may be anything: files are offered */
	VALUES_MACHINES,
	VALUES_WORDS,    /* one of a few words */
	VALUES_SETTINGS, /* a name, ':' and more */
};

/* With the words themselves, each followed by a blank, in *out, for `into`. */
static enum values option_values(const struct option_row *r, struct str *out, struct str *into)
{
	str_clear(out);
	if (!r->arg)
		return VALUES_NONE;
	if (!strcmp(r->name, "platform"))
		return VALUES_MACHINES;
	if (!strcmp(r->name, "selector"))
		for (int i = 0; coll_selectors[i]; i++)
			str_printf(out, "%s ", coll_selectors[i]->name);
	if (!strcmp(r->name, "model") && r->letter == 'm') /* that of calibrate is another */
		for (int i = 0; net_models[i]; i++)
			str_printf(out, "%s ", net_models[i]->name);
	if (!strcmp(r->name, "format") && r->letter == 'f') /* of export, not of tune */
		for (int i = 0; exporters[i]; i++)
			str_printf(out, "%s ", exporters[i]->name);
	if (!strcmp(r->name, "cfg"))
		for (int i = 0; i < CFG_COUNT; i++)
			str_printf(out, "%s ", config_table[i].name);
	str_of(into, out);
	return !out->n ? VALUES_NONE : !strcmp(r->name, "cfg") ? VALUES_SETTINGS : VALUES_WORDS;
}

static void verbs_put(struct str *out)
{
	for (int i = 0; verbs[i]; i++)
		str_printf(out, "%s ", verbs[i]->name);
}

static const char topics[] = "settings man completion bash fish zsh";

/* Text for between single quotes, each of which becomes `quote`. `escaped` get a backslash. */
static void inside_quotes(const char *text, const char *quote, const char *escaped, struct str *out)
{
	for (; *text; text++) {
		if (*text == '\'') {
			str_puts(out, quote);
			continue;
		}
		if (strchr(escaped, *text))
			str_putc(out, '\\');
		str_putc(out, *text);
	}
}

/* --- bash --- */

static const char bash_begin[] =
    "# bash completion for orrery: source <(orrery help completion bash)\n"
    "_orrery_take() # offers the lines that it reads, whatever is in them\n"
    "{\n\tlocal line\n\twhile IFS= read -r line; do COMPREPLY+=(\"$line\"); done\n}\n"
    "_orrery_words() { _orrery_take < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "_orrery_files()\n{\n\tcompopt -o filenames\n"
    "\t_orrery_take < <(compgen -f -- \"$cur\")\n}\n"
    "_orrery_command() # the word at which it begins\n"
    "{\n\tif declare -F _command_offset >/dev/null; then\n\t\t_command_offset \"$1\"\n"
    "\t\treturn\n\tfi\n\t[ \"$COMP_CWORD\" = \"$1\" ] &&\n"
    "\t\t_orrery_take < <(compgen -c -- \"$cur\")\n\t_orrery_files\n}\n";

static const char bash_word[] =
    "_orrery()\n{\n"
    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options= words= i\n"
    "\tlocal orrery=${1:-orrery}\n\tCOMPREPLY=()\n"
    "\tif [ \"$prev\" = = ]; then # --option=value is three words\n"
    "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "\telif [ \"$cur\" = = ]; then\n\t\tcur=\n\tfi\n";

static const char bash_machines[] =
    "_orrery_files\n\t\t\t_orrery_words \"$(\"${orrery/#\\~/$HOME}\" platform list -q "
    "2>/dev/null |\n\t\t\t\tawk '%s { print $1 }')\"\n";

static void bash_values(const struct option_row *r, struct str *out)
{
	struct str words;
	enum values kind;

	str_init(&words);
	kind = option_values(r, &words, out);
	if (kind != VALUES_NONE) {
		str_puts(out, "\t\t");
		if (r->letter)
			str_printf(out, "-%c | ", r->letter);
		str_printf(out, "--%s)\n\t\t\t", r->name);
		if (kind == VALUES_MACHINES)
			str_printf(out, bash_machines, plain_name);
		else if (kind == VALUES_SETTINGS)
			str_printf(out,
			           "compopt -o nospace\n\t\t\t_orrery_take < <(compgen -S : -W "
			           "\"%s\" -- \"$cur\")\n",
			           words.s);
		else
			str_printf(out, "_orrery_words \"%s\"\n", words.s);
		str_puts(out, "\t\t\treturn ;;\n");
	}
	str_release(&words);
}

static void bash_verb(const struct verb *v, struct str *out)
{
	str_printf(out, "\t%s)\n\t\toptions=\"", v->name);
	for (const struct option_row *r = v->options; r->id; r++)
		str_printf(out, "--%s ", r->name);
	str_printf(out, "%s--help\"\n", v->raw ? "" : "--quiet ");
	if (v->words) {
		str_puts(out, "\t\twords=\"");
		v->words(out);
		str_puts(out, "\"\n");
	}
	if (v->command)
		str_puts(out, "\t\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
		              "\t\t\t[ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
		              "\t\t\t_orrery_command $((i + 1))\n\t\t\treturn\n\t\tdone\n");
	str_puts(out, "\t\tcase $prev in\n");
	for (const struct option_row *r = v->options; r->id; r++)
		bash_values(r, out);
	str_puts(out, "\t\tesac ;;\n");
}

void help_completion(struct str *out)
{
	str_puts(out, bash_begin);
	str_puts(out, bash_word);
	str_puts(out, "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\t_orrery_words \"");
	verbs_put(out);
	str_puts(out, "help version\"\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n");
	for (int i = 0; verbs[i]; i++)
		bash_verb(verbs[i], out);
	str_puts(out, "\thelp)\n\t\t[ \"$prev\" = completion ] && _orrery_words \"bash fish zsh\" "
	              "&& return\n\t\twords=\"");
	verbs_put(out);
	str_printf(out,
	           "%s\" ;;\n\tesac\n\tif [[ $cur == -* ]]; then\n\t\t_orrery_words \"$options\"\n"
	           "\telif [ \"$COMP_CWORD\" = 2 ] && [ \"$words\" ]; then\n"
	           "\t\t_orrery_words \"$words\"\n\telse\n\t\t_orrery_files\n\tfi\n}\n"
	           "complete -F _orrery orrery\n",
	           topics);
}

/* --- fish --- */

static void quoted_put(const char *text, struct str *out)
{
	str_putc(out, '\'');
	inside_quotes(text, "\\'", "\\", out);
	str_putc(out, '\'');
}

static void fish_option(const struct verb *v, const struct option_row *r, struct str *out)
{
	struct str words;
	enum values kind;

	str_init(&words);
	kind = option_values(r, &words, out);
	str_printf(out, "complete -c orrery -n '__fish_seen_subcommand_from %s' -l %s", v->name,
	           r->name);
	if (r->letter)
		str_printf(out, " -s %c", r->letter);
	if (kind == VALUES_MACHINES)
		str_printf(out,
		           " -ra \"(orrery platform list -q 2>/dev/null | awk '%s { print \\$1 "
		           "}')\"",
		           plain_name);
	else if (kind != VALUES_NONE)
		str_printf(out, " -%ca '%s'", kind == VALUES_WORDS ? 'r' : 'x', words.s);
	else if (r->arg)
		str_puts(out, " -r");
	str_puts(out, " -d ");
	quoted_put(r->help, out);
	str_putc(out, '\n');
	str_release(&words);
}

static void fish_words(const char *verb, void (*words)(struct str *), const char *more,
                       struct str *out)
{
	str_printf(out,
	           "complete -c orrery -f -n '__fish_seen_subcommand_from %s; and test (count "
	           "(commandline -opc)) -eq 2' -a '",
	           verb);
	words(out);
	str_printf(out, "%s'\n", more);
}

void help_completion_fish(struct str *out)
{
	str_puts(out, "# fish completion for orrery: orrery help completion fish | source\n");
	for (int i = 0; verbs[i]; i++) {
		str_printf(out, "complete -c orrery -f -n __fish_use_subcommand -a %s -d ",
		           verbs[i]->name);
		quoted_put(verbs[i]->summary, out);
		str_putc(out, '\n');
		if (verbs[i]->words)
			fish_words(verbs[i]->name, verbs[i]->words, "", out);
		for (const struct option_row *r = verbs[i]->options; r->id; r++)
			fish_option(verbs[i], r, out);
	}
	str_puts(out, "complete -c orrery -f -n __fish_use_subcommand -a 'help version'\n");
	fish_words("help", verbs_put, topics, out);
	str_puts(out, "complete -c orrery -f -n '__fish_seen_subcommand_from completion' -a 'bash "
	              "fish zsh'\n");
}

/* --- zsh --- */

static const char zsh_begin[] =
    "#compdef orrery\n# zsh completion for orrery: a file _orrery in a folder of fpath, or "
    "source <(orrery help zsh)\n"
    "_orrery_machines()\n{\n\tlocal -a machines\n"
    "\tmachines=(${(f)\"$(${~_orrery_program} platform list -q 2>/dev/null |\n"
    "\t\tawk '%s { print $1 }')\"})\n"
    "\t_alternative 'machines:machine:($machines)' 'files:file:_files'\n}\n";

static void zsh_action(const struct option_row *r, struct str *out)
{
	struct str words;
	enum values kind;

	str_init(&words);
	kind = option_values(r, &words, out);
	str_puts(out, ":");
	inside_quotes(r->arg, "'\\''", "\\[]:", out);
	if (kind == VALUES_MACHINES)
		str_puts(out, ":_orrery_machines");
	else if (kind == VALUES_SETTINGS)
		str_printf(out, ":compadd -S \\: - %s", words.s);
	else if (kind == VALUES_WORDS)
		str_printf(out, ":(%s)", words.s);
	else
		str_puts(out, ":_files");
	str_release(&words);
}

/* A spec of _arguments: '(-o --output)'{-o+,--output=}'[help]:FILE:_files' */
static void zsh_option(const struct option_row *r, struct str *out)
{
	str_puts(out, "\t\t\t");
	if (r->letter)
		str_printf(out, "{-%c%s,--%s%s}", r->letter, r->arg ? "+" : "", r->name,
		           r->arg ? "=" : "");
	else
		str_printf(out, "--%s%s", r->name, r->arg ? "=" : "");
	str_puts(out, "'[");
	inside_quotes(r->help, "'\\''", "\\[]:", out);
	str_puts(out, "]");
	if (r->arg)
		zsh_action(r, out);
	str_puts(out, "' \\\n");
}

static void zsh_verb(const struct verb *v, struct str *out)
{
	str_printf(out, "\t%s)\n\t\t_arguments -S \\\n", v->name);
	for (const struct option_row *r = v->options; r->id; r++)
		zsh_option(r, out);
	if (!v->raw)
		str_puts(out, "\t\t\t{-q,--quiet}'[no progress, no notices]' \\\n");
	str_puts(out, "\t\t\t{-h,--help}'[help on this verb]' \\\n");
	if (v->words) {
		str_puts(out, "\t\t\t'1:word:(");
		v->words(out);
		str_puts(out, ")' \\\n");
	}
	str_puts(out, "\t\t\t'*:file:_files' ;;\n");
}

void help_completion_zsh(struct str *out)
{
	str_printf(out, zsh_begin, plain_name);
	str_puts(out, "_orrery()\n{\n\tlocal _orrery_program=$words[1] command=${words[(i)--]}\n"
	              "\tlocal -a verbs=(\n");
	for (int i = 0; verbs[i]; i++) {
		str_printf(out, "\t\t'%s:", verbs[i]->name);
		inside_quotes(verbs[i]->summary, "'\\''", "\\", out);
		str_puts(out, "'\n");
	}
	str_puts(out, "\t\t'help:help on a verb' 'version:the version of this program')\n"
	              "\tif (( CURRENT == 2 )); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n"
	              "\tshift words\n\t(( CURRENT--, command-- ))\n"
	              "\tif [[ \" ");
	for (int i = 0; verbs[i]; i++)
		if (verbs[i]->command)
			str_printf(out, "%s ", verbs[i]->name);
	str_puts(out, "\" = *\" $words[1] \"* ]] && (( command < CURRENT )); then\n"
	              "\t\tshift $command words\n\t\t(( CURRENT -= command ))\n\t\t_normal\n"
	              "\t\treturn\n\tfi\n\tcase $words[1] in\n");
	for (int i = 0; verbs[i]; i++)
		zsh_verb(verbs[i], out);
	str_puts(out, "\thelp) _arguments '1:topic:(");
	verbs_put(out);
	str_printf(out,
	           "%s)' '2:shell:(bash fish zsh)' ;;\n\tesac\n}\n"
	           "if [[ $funcstack[1] = _orrery ]]; then\n\t_orrery \"$@\"\nelse\n"
	           "\tcompdef _orrery orrery\nfi\n",
	           topics);
}
