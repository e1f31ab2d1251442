/* measurer.c: the measuring program, compiled and started with the user's launcher. */
#include "measurer.h"

#include "launch/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = PATH_MAX + 32 };

/* The compiler that goes with a launcher: mpirun.openmpi's is mpicc.openmpi, that of
 * /opt/x/bin/mpiexec is /opt/x/bin/mpicc if there is one; else mpicc. */
static void net_mpicc_guess(const char *launcher, char *out, size_t n)
{
	const char *slash = strrchr(launcher, '/'), *base = slash ? slash + 1 : launcher,
	           *dot = strchr(base, '.');

	snprintf(out, n, "%.*smpicc%s", slash ? (int)(slash + 1 - launcher) : 0, launcher,
	         dot ? dot : "");
	if (slash && access(out, X_OK) != 0)
		snprintf(out, n, "mpicc%s", dot ? dot : "");
	if (strncmp(base, "mpi", 3) != 0)
		snprintf(out, n, "mpicc");
}

static int folder_make(struct net_program *p, struct err *err)
{
	char name[] = "orrery-calibrate-XXXXXX", absolute[PATH_MAX];

	if (!mkdtemp(name))
		return err_sys(err, errno,
		               "making a folder %s in the current folder, which all "
		               "hosts have to see",
		               name);
	snprintf(p->folder, sizeof p->folder, "%s", name);
	if (!realpath(name, absolute))
		return err_sys(err, errno, "%s", name);
	snprintf(p->folder, sizeof p->folder, "%s", absolute);
	return 0;
}

static const char *path_in(const struct net_program *p, const char *name, char *out)
{
	snprintf(out, PATH_ROOM, "%s/%s", p->folder, name);
	return out;
}

/* Debian's launcher of Open MPI brings an mpicc, but not what it includes. */
static int header_missing(const char *compiler, struct err *err)
{
	struct launch_command c = {.words = (const char *const[]){compiler, "-E", "-include",
	                                                          "mpi.h", "-x", "c", "/dev/null",
	                                                          "-o", "/dev/null", NULL},
	                           .err = LAUNCH_WITH_OUT};
	char text[4096] = "";
	struct err ignored;

	if (launch_output(&c, text, sizeof text, &ignored) <= 0 || !strstr(text, "mpi.h"))
		return -1; /* it failed for another reason, which it has told */
	return err_set(err, ERR_INPUT,
	               "%s finds no mpi.h (Debian: libopenmpi-dev or libmpich-dev); its messages "
	               "are above",
	               compiler);
}

int net_program_open(struct net_program *p, struct err *err)
{
	static const char *const files[] = {"measure/measure.c", "measure/pair.c", "measure/many.c",
	                                    "measure/rows.c"};
	enum { FILES = sizeof files / sizeof *files };
	char source[FILES][PATH_MAX], program[PATH_ROOM], compiler[PATH_MAX];

	p->folder[0] = '\0';
	if (folder_make(p, err) < 0)
		return -1;
	if (p->mpicc)
		snprintf(compiler, sizeof compiler, "%s", p->mpicc);
	else
		net_mpicc_guess(p->launcher[0], compiler, sizeof compiler);
	for (int i = 0; i < FILES; i++)
		if (data_find(files[i], source[i], sizeof source[i], err) < 0)
			return -1;
	path_in(p, "measure", program);
	struct launch_command c = {.words = (const char *const[]){compiler, "-O2", "-o", program,
	                                                          source[0], source[1], source[2],
	                                                          source[3], NULL}};
	return launch_must(&c, err) < 0 ? header_missing(compiler, err) : 0;
}

void net_program_close(struct net_program *p)
{
	char path[PATH_ROOM];

	if (!p->folder[0])
		return;
	unlink(path_in(p, "measure", path));
	unlink(path_in(p, "plan", path));
	rmdir(p->folder);
	p->folder[0] = '\0';
}

/* The launcher's words, and PROGRAM PLAN OUT SECONDS. */
static int program_run(const struct net_program *p, const char *plan, const char *out,
                       struct err *err)
{
	const char **words = calloc((size_t)p->n_launcher + 5, sizeof *words);
	struct launch_command c = {.words = words};
	char program[PATH_ROOM], seconds[32];
	int n = p->n_launcher, r;

	if (!words)
		return err_nomem(err, "a command", sizeof *words);
	for (int i = 0; i < n; i++)
		words[i] = p->launcher[i];
	snprintf(seconds, sizeof seconds, "%lld", (long long)p->seconds);
	words[n] = path_in(p, "measure", program);
	words[n + 1] = plan;
	words[n + 2] = out;
	words[n + 3] = seconds;
	r = launch_must(&c, err);
	free(words);
	return r;
}

static int measure(void *self, const char *part, const struct str *plan, struct net_raw *raw,
                   struct err *err)
{
	const struct net_program *p = self;
	char plan_path[PATH_ROOM], out[PATH_ROOM];
	int r, there;

	path_in(p, "plan", plan_path);
	path_in(p, part, out);
	r = output_file(plan_path, plan->s, plan->n, err);
	if (r == 0)
		r = program_run(p, plan_path, out, err);
	there = r == 0 ? there_is(out, err) : 0;
	if (r == 0 && there < 0)
		r = -1;
	else if (r == 0 && there == 0)
		r = err_set(err, ERR_INPUT,
		            "calibrate network: '%s' ended well, but nothing was measured: does it "
		            "start a program, given after its own "
		            "arguments, and does the host of its first rank see the folder %s?",
		            p->launcher[0], p->folder);
	if (r == 0)
		r = net_raw_read(raw, out, err);
	unlink(out);
	return r;
}

struct net_measurer net_program_measurer(struct net_program *p)
{
	return (struct net_measurer){.measure = measure, .self = p};
}
