/* calibrate_all.c: `orrery calibrate -o MACHINE -- MPIRUN…`: network, processors, memory and noise
 * of a machine in turn, each by the command of its own, into a folder beside the machine's file;
 * then one file of the machine and one page of all. What a step has measured is there when the same
 * command is given again after an interruption: a step whose result exists is passed over. */
#include "calibrate_kinds.h"
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 32 };

/* What is measured, in this order. The network needs all hosts; the rest is one host's, the first
 * that a launcher starts us on. */
static const struct step {
	const char *kind, *result, *what, *extra, *extra_file;
} steps[] = {
    {"network", "network.csv", "network", NULL, NULL},
    {"processor", "processor", "processors", NULL, NULL},
    {"memory", "memory", "memory", NULL, NULL},
    {"noise", "noise", "noise of the operating system", "--report", "noise.html"},
};
enum { STEPS = sizeof steps / sizeof *steps };

struct all {
	const struct args *args;
	const char *out;
	char self[PATH_MAX], folder[PATH_MAX], page[PATH_MAX];
};

static const char *path_in(const struct all *w, const char *name, char *out)
{
	snprintf(out, PATH_MAX, "%.*s/%s", PATH_MAX - 64, w->folder, name);
	return out;
}

static int exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

static int self_find(struct all *w, struct err *err)
{
	ssize_t n = readlink("/proc/self/exe", w->self, sizeof w->self - 1);

	if (n < 0)
		return err_sys(err, errno, "finding this program in /proc/self/exe");
	w->self[n] = '\0';
	return 0;
}

/* --- the folder --- */

/* The launcher's words, a line each: a folder belongs to one command. */
static int command_check(const struct all *w, struct err *err)
{
	char path[PATH_MAX], *before = NULL;
	struct str now;
	size_t n = 0;
	int r = 0;

	str_init(&now);
	for (int i = 0; i < w->args->n_rest; i++)
		str_printf(&now, "%s\n", w->args->rest[i]);
	path_in(w, "command", path);
	if (exists(path)) {
		before = input_read_all(path, &n, err);
		if (!before)
			r = -1;
		else if (strcmp(before, now.s) != 0)
			r = err_set(
			    err, ERR_INPUT,
			    "calibrate: %s holds an unfinished calibration of another command; "
			    "finish that one, remove the folder, or choose another -o",
			    w->folder);
	} else {
		r = print_file(path, &now, err);
	}
	free(before);
	str_release(&now);
	return r;
}

static int folder_open(struct all *w, struct err *err)
{
	char real[PATH_MAX];

	snprintf(w->folder, sizeof w->folder, "%s.parts", w->out);
	if (mkdir(w->folder, 0700) < 0 && errno != EEXIST)
		return err_sys(err, errno, "making the folder %s", w->folder);
	if (!realpath(w->folder, real)) /* a launcher may start us elsewhere */
		return err_sys(err, errno, "%s", w->folder);
	snprintf(w->folder, sizeof w->folder, "%s", real);
	return command_check(w, err);
}

static void folder_remove(const struct all *w)
{
	static const char *const others[] = {"command", "once", "network.xml", "noise.html",
	                                     "network.unfinished"};
	char path[PATH_MAX];

	for (int i = 0; i < STEPS; i++)
		unlink(path_in(w, steps[i].result, path));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		unlink(path_in(w, others[i], path));
	rmdir(w->folder);
}

/* --- one step --- */

struct command {
	const char *words[WORDS + 8];
	int n;
};

static void word(struct command *c, const char *text)
{
	if (c->n < WORDS + 7)
		c->words[c->n++] = text;
}

static void option(struct command *c, const struct args *a, int id, const char *name)
{
	if (!args_has(a, id))
		return;
	word(c, name);
	word(c, args_get(a, id));
}

static int command_run(struct command *c, struct err *err)
{
	struct launch_command run = {.words = c->words};

	c->words[c->n] = NULL;
	return launch_run(&run, err);
}

/* A calibration that is written but not to be used ends with exit code 1: then nothing is kept. */
static int network_step(const struct all *w, struct err *err)
{
	char raw[PATH_MAX], platform[PATH_MAX], result[PATH_MAX];
	struct command c = {.n = 0};
	int code;

	path_in(w, "network.unfinished", raw);
	path_in(w, "network.xml", platform);
	path_in(w, "network.csv", result);
	word(&c, w->self);
	word(&c, "calibrate");
	word(&c, "network");
	word(&c, "-o");
	word(&c, platform);
	word(&c, "--raw");
	word(&c, raw);
	option(&c, w->args, OPT_MPICC, "--mpicc");
	option(&c, w->args, OPT_CABINETS, "--cabinets");
	option(&c, w->args, OPT_LARGEST, "--largest");
	option(&c, w->args, OPT_SAMPLES, "--samples");
	option(&c, w->args, OPT_TIME, "--time");
	word(&c, "--");
	if (c.n + w->args->n_rest > WORDS)
		return err_set(err, ERR_INPUT,
		               "calibrate: a launcher of more than %d words: put "
		               "them into a script",
		               WORDS - c.n);
	for (int i = 0; i < w->args->n_rest; i++)
		word(&c, w->args->rest[i]);
	code = command_run(&c, err);
	if (code < 0)
		return -1;
	if (code != 0)
		return err_set(err,
		               code == 1   ? ERR_PROGRAM
		               : code == 3 ? ERR_LIMIT
		                           : ERR_INPUT,
		               "calibrate: the network could not be calibrated; the same command "
		               "begins with it again");
	if (rename(raw, result) < 0)
		return err_sys(err, errno, "%s", result);
	return 0;
}

/* On a host of the machine: started by the launcher as a program is, which may start many of us;
 * the first one measures. */
static int host_step(const struct all *w, const struct step *s, struct err *err)
{
	char result[PATH_MAX], once[PATH_MAX], extra[PATH_MAX];
	struct command c = {.n = 0};
	int code;

	unlink(path_in(w, "once", once));
	path_in(w, s->result, result);
	for (int i = 0; i < w->args->n_rest; i++)
		word(&c, w->args->rest[i]);
	word(&c, w->self);
	word(&c, "calibrate");
	word(&c, s->kind);
	word(&c, "-o");
	word(&c, result);
	word(&c, "--once");
	word(&c, once);
	option(&c, w->args, OPT_TIME, "--time");
	if (s->extra) {
		word(&c, s->extra);
		word(&c, path_in(w, s->extra_file, extra));
	}
	code = command_run(&c, err);
	if (code < 0)
		return -1;
	if (code == 0 && exists(result))
		return 0;
	return err_set(err, code == 3 ? ERR_LIMIT : ERR_INPUT,
	               "calibrate: %s: '%s … %s calibrate %s' ended with exit code %d%s: do its "
	               "hosts see the folder %s and that program?",
	               s->what, w->args->rest[0], w->self, s->kind, code,
	               code == 0 ? " and without a result" : "", w->folder);
}

static int steps_run(const struct all *w, struct err *err)
{
	char result[PATH_MAX], line[PATH_MAX + 64];

	for (int i = 0; i < STEPS; i++) {
		int before = exists(path_in(w, steps[i].result, result));

		snprintf(line, sizeof line, "%d of %d: %s%s\n", i + 1, (int)STEPS, steps[i].what,
		         before ? " (was measured before)" : "");
		print_notice(w->args, line);
		if (before)
			continue;
		if ((i == 0 ? network_step(w, err) : host_step(w, &steps[i], err)) < 0)
			return -1;
	}
	return 0;
}

/* --- one file, one page --- */

static int machine_write(const struct all *w, struct err *err)
{
	char path[STEPS][PATH_MAX];
	struct given_option given[STEPS + 8];
	const char *words[] = {"network"};
	struct args a = {.positional = words, .n_positional = 1, .given = given, .quiet = 1};
	static const int kept[] = {OPT_BANDWIDTH, OPT_NAME, OPT_CORES, OPT_CABINETS};

	given[a.n_given++] = (struct given_option){OPT_FROM, path_in(w, "network.csv", path[0])};
	for (int i = 1; i < STEPS; i++)
		given[a.n_given++] = (struct given_option){OPT_WITH,
		                                           path_in(w, steps[i].result, path[i])};
	given[a.n_given++] = (struct given_option){OPT_OUT, w->out};
	given[a.n_given++] = (struct given_option){OPT_REPORT, w->page};
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (args_has(w->args, kept[i]))
			given[a.n_given++] = (struct given_option){kept[i],
			                                           args_get(w->args, kept[i])};
	return calibrate_network(&a, err);
}

/* What is between the style sheet and the end of a page of ours. */
static int body_append(const char *path, struct str *out, struct err *err)
{
	size_t n = 0;
	char *text = input_read_all(path, &n, err), *begin, *end;

	if (!text)
		return -1;
	begin = strstr(text, "</style>");
	begin = begin ? begin + 8 : text;
	end = strstr(begin, "</html>");
	str_putn(out, begin, end ? (size_t)(end - begin) : strlen(begin));
	free(text);
	return 0;
}

static int text_append(const char *title, const char *path, struct str *out, struct err *err)
{
	size_t n = 0;
	char *text = input_read_all(path, &n, err);

	if (!text)
		return -1;
	str_printf(out, "<h1>%s</h1>\n<pre>", title);
	str_put_markup(out, text);
	str_puts(out, "</pre>\n");
	free(text);
	return 0;
}

static int page_write(const struct all *w, struct err *err)
{
	char path[PATH_MAX], *text, *end;
	size_t n = 0;
	struct str out;
	int r;

	text = input_read_all(w->page, &n, err);
	if (!text)
		return -1;
	end = strstr(text, "</html>");
	str_init(&out);
	str_putn(&out, text, end ? (size_t)(end - text) : strlen(text));
	free(text);
	r = text_append("Processors", path_in(w, "processor", path), &out, err);
	if (r == 0)
		r = text_append("Memory: copies and reductions, by size",
		                path_in(w, "memory", path), &out, err);
	if (r == 0)
		r = body_append(path_in(w, "noise.html", path), &out, err);
	str_puts(&out, "</html>\n");
	if (r == 0)
		r = print_file(w->page, &out, err);
	str_release(&out);
	return r;
}

/* machine.xml: machine.html */
static void page_name(struct all *w)
{
	const char *given = args_get(w->args, OPT_REPORT), *slash = strrchr(w->out, '/'),
	           *dot = strrchr(w->out, '.');
	int n = dot && (!slash || dot > slash + 1) ? (int)(dot - w->out) : (int)strlen(w->out);

	if (given)
		snprintf(w->page, sizeof w->page, "%s", given);
	else
		snprintf(w->page, sizeof w->page, "%.*s.html", n, w->out);
}

int calibrate_all(const struct args *a, struct err *err)
{
	struct all w = {.args = a, .out = args_get(a, OPT_OUT)};
	char line[3 * PATH_MAX];

	if (!w.out || !strcmp(w.out, "-") || !a->rest || a->n_rest == 0)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: all of a machine is measured by 'orrery calibrate -o "
		    "machine.xml -- mpirun -np 8 --map-by node'; a part of it by calibrate "
		    "network, cpu, kernel, processor, memory or noise. See 'orrery help "
		    "calibrate'.");
	page_name(&w);
	if (self_find(&w, err) < 0 || folder_open(&w, err) < 0 || steps_run(&w, err) < 0 ||
	    machine_write(&w, err) < 0 || page_write(&w, err) < 0)
		return -1;
	folder_remove(&w);
	snprintf(line, sizeof line, "the machine: %s; the page: %s\n", w.out, w.page);
	print_notice(a, line);
	return 0;
}
