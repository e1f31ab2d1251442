/* main.c: finds the verb, parses its words, runs it, turns its error into a message and an exit
 * code. */
#include "cut.h"
#include "outputs.h"

#include "base/nearest.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef ORRERY_VERSION
#define ORRERY_VERSION "unknown"
#endif

/* Arrays larger than this are moved by their pages when they grow, whatever was freed before: the
 * C library would raise its bound with each that is freed, and copy those below it, leaving holes.
 */
enum { PAGES_FROM = 32 * 1024 };

static int fail(const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "orrery: %s\n", err->text);
	return err->kind ? (int)err->kind : ERR_LIMIT;
}

static int show(void (*make)(struct str *), struct err *err)
{
	struct str s;
	int r;

	str_init(&s);
	make(&s);
	r = print_stdout(&s, err);
	str_release(&s);
	return r < 0 ? fail(err) : 0;
}

static void version(struct str *out)
{
	str_puts(out, "orrery " ORRERY_VERSION "\n");
}

static int show_verb(const struct verb *v, struct err *err)
{
	struct str s;
	int r;

	str_init(&s);
	help_verb(v, &s);
	r = print_stdout(&s, err);
	str_release(&s);
	return r < 0 ? fail(err) : 0;
}

/* An exit code, or -1: it is none. */
static int show_setting(const char *name, struct err *err)
{
	struct str s;
	int r = -1;

	str_init(&s);
	if (help_setting(name, &s) == 0)
		r = print_stdout(&s, err) < 0 ? fail(err) : 0;
	str_release(&s);
	return r;
}

static int help_refuse(const char *topic, struct err *err)
{
	static const char *const others[] = {"settings", "man",  "completion",
	                                     "bash",     "fish", "zsh"};
	struct nearest near;

	nearest_init(&near, topic);
	for (int i = 0; verbs[i]; i++)
		nearest_offer(&near, verbs[i]->name);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		nearest_offer(&near, others[i]);
	for (int i = 0; i < CFG_COUNT; i++)
		nearest_offer(&near, config_table[i].name);
	err_set(err, ERR_INPUT,
	        "no help on '%s'%s%s%s There is help on each verb, 'settings', each setting and "
	        "family of them, 'man', 'completion', 'bash', 'fish' and 'zsh'. See 'orrery help'.",
	        topic, near.best ? ": did you mean " : ".", near.best ? near.best : "",
	        near.best ? "?" : "");
	return fail(err);
}

static int help(const char *topic, struct err *err)
{
	const struct verb *v;
	int shown;

	if (!topic || !strcmp(topic, "help") || !strcmp(topic, "version"))
		return show(help_overview, err);
	if (!strcmp(topic, "settings"))
		return show(help_settings, err);
	if (!strcmp(topic, "man"))
		return show(help_man, err);
	if (!strcmp(topic, "completion") || !strcmp(topic, "bash"))
		return show(help_completion, err);
	if (!strcmp(topic, "fish"))
		return show(help_completion_fish, err);
	if (!strcmp(topic, "zsh"))
		return show(help_completion_zsh, err);
	v = verb_find(topic);
	if (v)
		return show_verb(v, err);
	shown = show_setting(topic, err);
	if (shown >= 0)
		return shown;
	return help_refuse(topic, err);
}

/* 'completion SHELL' is asked for as SHELL. */
static int asks_completion(const char *word, const char *shell)
{
	return !strcmp(word, "completion") &&
	       (!strcmp(shell, "bash") || !strcmp(shell, "fish") || !strcmp(shell, "zsh"));
}

static int run(const struct verb *v, int argc, char **argv, struct err *err)
{
	struct args a = {0};
	int r;

	if (args_parse(v, argc, argv, &a, err) < 0)
		return fail(err);
	if (a.help)
		r = show_verb(v, err);
	else
		r = args_check(v, &a, err) < 0 || outputs_check(v, &a, err) < 0 ? -1
		                                                                : v->run(&a, err);
	args_release(&a);
	return r < 0 ? fail(err) : r;
}

/* ": did you mean replay?", or ".". */
static const char *nearest_verb(const char *word, char *out, size_t n)
{
	struct nearest near;

	nearest_init(&near, word);
	if (*word == '-') { /* no verb is meant */
		nearest_offer(&near, "--help");
		nearest_offer(&near, "--version");
	} else {
		for (int i = 0; verbs[i]; i++)
			nearest_offer(&near, verbs[i]->name);
		nearest_offer(&near, "help");
		nearest_offer(&near, "version");
	}
	snprintf(out, n, ".");
	if (near.best && word[0])
		snprintf(out, n, ": did you mean %s?", near.best);
	return out;
}

static int too_many(const char *word, const char *extra, struct err *err)
{
	err_set(err, ERR_INPUT, "%s: '%s' is one word too many", word, extra);
	return fail(err);
}

/* The first file that is opened would take the place of a closed standard descriptor, and get the
 * messages and results that go there. What holds it cannot be read from, or written to: who tries
 * fails as before. */
static void descriptors_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Said here, as there is no telling where it would overflow, and in few words of stack: of a stream
 * without a buffer fprintf takes 8 KiB. Verbs took up to 64 KiB when this was measured. */
static int stack_is_small(void)
{
	static const rlim_t least = 256 << 10;
	char text[200];
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= least)
		return 0;
	snprintf(text, sizeof text,
	         "orrery: the stack may not grow beyond %llu KiB here, and %llu are wanted: raise "
	         "the limit (ulimit -s 8192)\n",
	         (unsigned long long)limit.rlim_cur >> 10, (unsigned long long)least >> 10);
	(void)!write(STDERR_FILENO, text, strlen(text));
	return 1;
}

/* The verb that the program's name stands for: a compiler is one word (verb_cc.c). */
static const struct verb *named_verb(const char *program)
{
	static const char *const names[][2] = {
	    {"orrery-cc", "cc"}, {"orrery-c++", "cxx"}, {"orrery-fc", "fc"}};
	const char *name = program ? strrchr(program, '/') : NULL;

	name = name ? name + 1 : program;
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i][0]))
			return verb_find(names[i][1]);
	return NULL;
}

static int asks_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

int main(int argc, char **argv)
{
	static struct err err; /* 4 KiB that would otherwise be on every frame */
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct verb *v;
	char near[80];

	mallopt(M_MMAP_THRESHOLD, PAGES_FROM);
	descriptors_hold();
	if (stack_is_small())
		return ERR_LIMIT;
	cut_catch();
	signal(SIGXFSZ, SIG_IGN); /* a file over the limit of sizes is an error, not our end */
	v = named_verb(argv[0]);
	if (v)
		return run(v, argc - 1, argv + 1, &err);
	if (!word) {
		show(help_overview, &err);
		return ERR_INPUT;
	}
	if (argc == 3 && (!strcmp(word, "help") || !strcmp(word, "version")) && asks_help(argv[2]))
		return show(help_overview, &err);
	if (!strcmp(word, "--version") || !strcmp(word, "version"))
		return argc > 2 ? too_many(word, argv[2], &err) : show(version, &err);
	if (argc == 4 && !strcmp(word, "help") && asks_completion(argv[2], argv[3]))
		return help(argv[3], &err);
	if (!strcmp(word, "help") || asks_help(word))
		return argc > 3 ? too_many(word, argv[3], &err)
		                : help(argc > 2 ? argv[2] : NULL, &err);
	v = verb_find(word);
	if (v && v->raw && argc == 3 && asks_help(argv[2])) /* else it is the compiler's */
		return help(v->name, &err);
	if (v)
		return run(v, argc - 2, argv + 2, &err);
	err_set(&err, ERR_INPUT, "'%s' is not a verb of orrery%s See 'orrery help'.", word,
	        nearest_verb(word, near, sizeof near));
	return fail(&err);
}
