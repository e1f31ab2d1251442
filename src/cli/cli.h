/* cli.h: the face of the command line: one verb a file. Only here may anything be printed or the
 * process exit.
 *
 * A verb is one `const struct verb` at the end of its file, listed in verbs[] (verbs.c). Its
 * options are a table, from which come parsing, `orrery help VERB`, the man page and the shell
 * completion: there is no second description of an option anywhere. */
#ifndef ORRERY_CLI_H
#define ORRERY_CLI_H

#include "base/base.h"

#include <stdio.h>

/* One option. letter 0: long form only. arg NULL: a flag; otherwise the name of its value in help
 * ("FILE"). */
struct option_row {
	int id; /* positive, unique in the verb; 0 ends the table */
	char letter;
	const char *name;
	const char *arg;
	const char *help; /* one line; says unit and default */
};

/* A title of the rows from that option on, in help and manual. */
struct option_group {
	int first; /* 0 ends the table */
	const char *title;
};

/* What an option does not go without (one of them is enough), or not with. */
enum { OPTION_RULE_IDS = 3 };
struct option_rule {
	int id; /* 0 ends the table */
	int needs[OPTION_RULE_IDS], without[OPTION_RULE_IDS];
};

struct given_option {
	int id;
	const char *value; /* "" for a flag */
};

struct args {
	const char **positional; /* words that are not options, in order */
	int n_positional;
	char **rest; /* what follows "--", as a NULL-terminated vector; NULL if there was no "--" */
	int n_rest;
	struct given_option *given; /* options in the order given */
	int n_given;
	int quiet; /* -q: no progress, no notices */
	int help;  /* -h */
};

struct verb {
	const char *name;
	const char *synopsis;              /* "TRACE -p MACHINE [options]" */
	const char *summary;               /* one line */
	const char *text;                  /* a few paragraphs for help and manual, or "" */
	const struct option_row *options;  /* -q and -h, which all verbs have, are not listed */
	const struct option_group *groups; /* by purpose, where there are many; NULL: none */
	const int *repeats; /* options that may be given several times; 0 ends them; NULL: none */
	const struct option_rule *rules;
	const int *outputs; /* those that name files or folders to write; 0 ends them; NULL: none */
	/* Does the work: 0, or -1 with *err set (whose kind becomes the exit code); a positive
	 * value is used as exit code as it is. */
	int (*run)(const struct args *a, struct err *err);
	int raw; /* all its words are another program's: in args.rest */
	/* What follows "--" is a command, in args.rest; else positional, whatever it begins with.
	 */
	int command;
	/* What its first word may be where that is no file, each followed by a blank; or NULL. */
	void (*words)(struct str *out);
	const char *fileless; /* the first word behind which none is a file; "": none ever is */
};
extern const struct verb *const verbs[]; /* NULL-terminated, in the order of help */
const struct verb *verb_find(const char *name);

/* Last value given to option id, or NULL (flags: ""). */
const char *args_get(const struct args *a, int id);
int args_has(const struct args *a, int id);
/* All values given to it, in order, *n of them: malloc'd, NULL without memory. */
const char **args_all(const struct args *a, int id, int *n, struct err *err);
/* A number given to an option: -1 with a message naming the option when it is not an integer in
 * [min, max]; *out untouched if not given. */
int args_int(const struct args *a, const struct verb *v, int id, int64_t min, int64_t max,
             int64_t *out, struct err *err);
/* Parses argv[0..argc): -x, -xVALUE, --name, --name=VALUE, --name VALUE; "--" ends. Unknown option:
 * error with the nearest name. All words of a raw verb are in rest. */
int args_parse(const struct verb *v, int argc, char **argv, struct args *out, struct err *err);
void args_release(struct args *a);
/* Are the options such as the verb's rules want them? */
int args_check(const struct verb *v, const struct args *a, struct err *err);

/* Help and manual, from the tables. */
void help_overview(struct str *out);
void help_verb(const struct verb *v, struct str *out);
void help_settings(struct str *out); /* the settings of --cfg */
/* One of them, in any spelling, or all of a family ("smpi"): 0; -1: there is none. */
int help_setting(const char *name, struct str *out);
void help_man(struct str *out); /* orrery(1), troff -man */
/* Completion by shells (completion.c). */
void help_completion(struct str *out); /* bash */
void help_completion_fish(struct str *out);
void help_completion_zsh(struct str *out);

/* Writes all of s to stdout, or to a file ("-": stdout); an error (full disk, closed pipe) is
 * reported. */
int print_stdout(const struct str *s, struct err *err);
int print_file(const char *path, const struct str *s, struct err *err);
/* What took long to make is not lost with its file: it goes to stdout, which *err says. */
int print_made(const char *path, const struct str *s, struct err *err);
/* Each line of text on stderr as "orrery: line". Does nothing when quiet. */
void print_notice(const struct args *a, const char *text);
/* The same of what the user asked for: quiet or not. */
void print_finding(const char *text);
/* The same of texts that were put together; that memory lacked for some of it is said. */
void print_notices(const struct args *a, const struct str *s);
void print_findings(const struct str *s);
/* The same of one line in the handler of a signal: nothing is allocated, no stream is used. */
void print_at_once(const char *text);
int color_wanted(FILE *f); /* a terminal, and NO_COLOR is not set */

/* A progress bar on stderr when it is a terminal and the work lasts over a second. */
struct progress_bar {
	struct progress p; /* first: give &bar.p to the room */
	double started, drawn;
	int enabled, shown;
};
void progress_bar_init(struct progress_bar *b, const struct args *a);
void progress_bar_done(struct progress_bar *b);
double wall_seconds(void); /* monotonic */

#endif
