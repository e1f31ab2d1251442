/* machine.c: the steps of a machine's calibration, as commands of their own. */
#include "machine.h"

#include "base/program.h"
#include "launch/launch.h"
#include "machine_page.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 32 /* of a launcher: an mpirun line, not a script */, WORDS_OWN = 8 };

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
	const struct machine_campaign *m;
	char self[PATH_MAX], folder[PATH_MAX];
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
	if (!w->m->self)
		return program_self(w->self, sizeof w->self, err);
	snprintf(w->self, sizeof w->self, "%s", w->m->self);
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
	for (int i = 0; i < w->m->n_launcher; i++)
		str_printf(&now, "%s\n", w->m->launcher[i]);
	path_in(w, "command", path);
	if (now.failed) {
		r = err_nomem(err, "a command", now.n);
	} else if (exists(path)) {
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
		r = output_file(path, now.s, now.n, err);
	}
	free(before);
	str_release(&now);
	return r;
}

static int folder_open(struct all *w, struct err *err)
{
	char real[PATH_MAX];

	snprintf(w->folder, sizeof w->folder, "%s.parts", w->m->out);
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
	const char *words[2 * WORDS + WORDS_OWN];
	int n;
};

static void word(struct command *c, const char *text)
{
	if (c->n < 2 * WORDS + WORDS_OWN - 1)
		c->words[c->n++] = text;
}

static int launcher_put(const struct all *w, struct command *c, struct err *err)
{
	if (w->m->n_launcher > WORDS)
		return err_set(err, ERR_INPUT,
		               "calibrate: a launcher of more than %d words: put them into a "
		               "script",
		               WORDS);
	for (int i = 0; i < w->m->n_launcher; i++)
		word(c, w->m->launcher[i]);
	return 0;
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
	for (int i = 0; i < w->m->n_network; i++) {
		word(&c, w->m->network[i].name);
		word(&c, w->m->network[i].value);
	}
	word(&c, "--");
	if (launcher_put(w, &c, err) < 0 || (code = command_run(&c, err)) < 0)
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
	if (launcher_put(w, &c, err) < 0)
		return -1;
	word(&c, w->self);
	word(&c, "calibrate");
	word(&c, s->kind);
	word(&c, "-o");
	word(&c, result);
	word(&c, "--once");
	word(&c, once);
	if (w->m->seconds) {
		word(&c, "--time");
		word(&c, w->m->seconds);
	}
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
	               s->what, w->m->launcher[0], w->self, s->kind, code,
	               code == 0 ? " and without a result" : "", w->folder);
}

static int steps_run(const struct all *w, struct err *err)
{
	char result[PATH_MAX], line[PATH_MAX + 64];

	for (int i = 0; i < STEPS; i++) {
		int before = exists(path_in(w, steps[i].result, result));

		snprintf(line, sizeof line, "%d of %d: %s%s\n", i + 1, (int)STEPS, steps[i].what,
		         before ? " (was measured before)" : "");
		if (w->m->tell)
			w->m->tell(w->m->whom, line);
		if (before)
			continue;
		if ((i == 0 ? network_step(w, err) : host_step(w, &steps[i], err)) < 0)
			return -1;
	}
	return 0;
}

/* --- one file, one page --- */

static int files_write(const struct all *w, const struct net_raw *raw, struct net_fit *f,
                       const struct net_wanted *wanted, struct err *err)
{
	struct str platform, report, unusable;
	int r;

	str_init(&platform);
	str_init(&report);
	str_init(&unusable);
	r = net_result_write(raw, f, wanted, &platform, &unusable, err);
	if (r == 0) {
		net_report_write(raw, f, net_wanted_name(wanted), &report);
		r = report.failed ? err_nomem(err, "a page", report.n)
		                  : output_file(w->m->out, platform.s, platform.n, err);
	}
	if (r == 0)
		r = output_file(w->m->page, report.s, report.n, err);
	if (r == 0 && unusable.n)
		r = net_unusable(&unusable, w->m->out, err);
	str_release(&platform);
	str_release(&report);
	str_release(&unusable);
	return r;
}

static int model_write(const struct all *w, struct net_raw *raw, struct net_extras *extras,
                       struct str *doubts, struct err *err)
{
	struct net_wanted wanted = {.name = w->m->name, .cores = w->m->cores, .extras = extras};
	char path[STEPS][PATH_MAX];
	const char *others[STEPS];
	struct net_fit f;
	int r;

	for (int i = 0; i < STEPS; i++)
		others[i] = path_in(w, steps[i].result, path[i]);
	if (net_extras_read(extras, others + 1, STEPS - 1, err) < 0 ||
	    net_raw_read(raw, others[0], err) < 0 ||
	    net_campaign_look(&w->m->asked, raw, doubts, err) < 0 ||
	    net_result_fit(raw, w->m->bandwidth, doubts, &f, err) < 0)
		return -1;
	if (!wanted.cores)
		wanted.cores = net_extras_cores(extras);
	r = files_write(w, raw, &f, &wanted, err);
	net_fit_release(&f);
	return r;
}

static int machine_write(const struct all *w, struct err *err)
{
	struct net_extras extras;
	struct net_raw raw;
	struct str doubts;
	int r;

	net_raw_init(&raw);
	net_extras_init(&extras);
	str_init(&doubts);
	r = model_write(w, &raw, &extras, &doubts, err);
	str_release(&doubts);
	net_extras_release(&extras);
	net_raw_release(&raw);
	return r;
}

static int page_write(const struct all *w, struct err *err)
{
	char processor[PATH_MAX], memory[PATH_MAX], noise[PATH_MAX];

	return machine_page_write(w->m->page, path_in(w, "processor", processor),
	                          path_in(w, "memory", memory), path_in(w, "noise.html", noise),
	                          err);
}

int machine_calibrate(const struct machine_campaign *m, struct err *err)
{
	struct all w = {.m = m};

	if (self_find(&w, err) < 0 || folder_open(&w, err) < 0 || steps_run(&w, err) < 0 ||
	    machine_write(&w, err) < 0 || page_write(&w, err) < 0)
		return -1;
	folder_remove(&w);
	return 0;
}
