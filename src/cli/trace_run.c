/* trace_run.c: see trace_run.h. */
#include "trace_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The folder of this program; "." if the kernel does not tell. */
static void program_folder(char *out, size_t n)
{
	ssize_t got = readlink("/proc/self/exe", out, n - 1);
	char *slash;

	out[got > 0 ? got : 0] = '\0';
	slash = strrchr(out, '/');
	if (slash)
		*slash = '\0';
	else
		snprintf(out, n, ".");
}

/* The tracer library, in the first of the places that has it. */
static int library_find(enum mpi_family family, char *out, size_t n)
{
	static const char *const places[] = {"%s/tracer", "%s/../lib/orrery", "%s/../lib64/orrery",
	                                     "%s/../lib/x86_64-linux-gnu/orrery",
	                                     "%s/../lib/aarch64-linux-gnu/orrery"};
	const char *given = getenv("ORRERY_TRACER_DIR");
	char folder[PATH_MAX], place[PATH_MAX + 64];

	if (given && *given) {
		snprintf(out, n, "%s/liborrery-trace-%s.so", given, mpi_family_word(family));
		return access(out, R_OK) == 0;
	}
	program_folder(folder, sizeof folder);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(place, sizeof place, places[i], folder);
#pragma GCC diagnostic pop
		snprintf(out, n, "%s/liborrery-trace-%s.so", place, mpi_family_word(family));
		if (access(out, R_OK) == 0)
			return 1;
	}
	return 0;
}

char *preload_value(enum mpi_family family, struct err *err)
{
	const char *users = getenv("LD_PRELOAD");
	char path[PATH_MAX + 128], *value;

	if (!library_find(family, path, sizeof path)) {
		err_set(
		    err, ERR_INPUT,
		    "trace: there is no tracer for %s: it was not there when orrery was built (looked for %s)",
		    mpi_family_title(family), path);
		return NULL;
	}
	if (strpbrk(path, " :")) {
		err_set(err, ERR_INPUT,
		        "trace: the loader takes no library whose path has blanks or colons: %s",
		        path);
		return NULL;
	}
	if (asprintf(&value, "%s%s%s", path, users && *users ? ":" : "", users ? users : "") < 0) {
		err_nomem(err, "a command", sizeof path);
		return NULL;
	}
	return value;
}

/* The command is killed, not we: its trace is still to be finished. */
static volatile pid_t running;

static void signal_forward(int sig)
{
	if (running > 0)
		kill(running, sig);
}

/* Signals while the command runs: those of the terminal reach it without us. */
struct signals {
	struct sigaction interrupt, quit, terminate, hangup;
};

static void signals_take(struct signals *s)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN},
	                 forward = {.sa_handler = signal_forward, .sa_flags = SA_RESTART};

	sigaction(SIGINT, &ignore, &s->interrupt);
	sigaction(SIGQUIT, &ignore, &s->quit);
	sigaction(SIGTERM, &forward, &s->terminate);
	sigaction(SIGHUP, &forward, &s->hangup);
}

static void signals_give_back(const struct signals *s)
{
	sigaction(SIGINT, &s->interrupt, NULL);
	sigaction(SIGQUIT, &s->quit, NULL);
	sigaction(SIGTERM, &s->terminate, NULL);
	sigaction(SIGHUP, &s->hangup, NULL);
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* In the child: becomes the command, or tells the parent why it cannot. */
_Noreturn static void child_become(char **words, int report, const struct signals *s)
{
	int error;

	signals_give_back(s);
	execvp(words[0], words);
	error = errno;
	_exit(write(report, &error, sizeof error) < 0 ? 126 : 127);
}

static int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return exit_code(status);
}

int command_run(char **words, struct err *err)
{
	int report[2], error = 0, code;
	struct signals before;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, errno, "%s", words[0]);
	fflush(NULL);
	signals_take(&before);
	pid = fork();
	if (pid == 0)
		child_become(words, report[1], &before);
	close(report[1]);
	running = pid;
	if (pid < 0 || read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
		error = pid < 0 ? errno : 0;
	close(report[0]);
	code = pid < 0 ? -1 : child_wait(pid);
	running = 0;
	signals_give_back(&before);
	return error ? err_sys(err, error, "%s", words[0]) : code;
}
