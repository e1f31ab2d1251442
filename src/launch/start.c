/* start.c: starting a process and waiting for it. The one file, beside the report of a bug and the
 * keeper, from which a process may end: the child's own, when the command cannot be run or the body
 * is over.
 *
 * A child tells over a pipe (closed by a successful exec) why it could not become the command. */
#include "binary.h"
#include "keep.h"

#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_NOT_STARTED = 127 };

/* Signals as a fresh process has them. */
static void signals_fresh(void)
{
	static const int ours[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
	sigset_t none;

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (!launch_is_spared(ours[i]))
			signal(ours[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int stream_set(int fd, int to)
{
	if (fd == LAUNCH_NULL) {
		int null = open("/dev/null", to == STDIN_FILENO ? O_RDONLY : O_WRONLY);
		int r = null < 0 ? -1 : dup2(null, to);

		if (null > STDERR_FILENO)
			close(null);
		return r;
	}
	return fd > 0 && fd - 1 != to ? dup2(fd - 1, to) : fd - 1 == to ? fcntl(to, F_SETFD, 0) : 0;
}

static int streams_set(const struct launch_command *c)
{
	if (stream_set(c->in, STDIN_FILENO) < 0 || stream_set(c->out, STDOUT_FILENO) < 0)
		return -1;
	if (c->err == LAUNCH_WITH_OUT)
		return dup2(STDOUT_FILENO, STDERR_FILENO);
	return stream_set(c->err, STDERR_FILENO);
}

/* "NAME=value", or a name that is not to be there. */
static int variable_set(const char *text)
{
	const char *equals = strchr(text, '=');
	char *name;
	int r;

	if (!equals)
		return unsetenv(text);
	name = strndup(text, (size_t)(equals - text));
	if (!name)
		return -1;
	r = setenv(name, equals + 1, 1);
	free(name);
	return r;
}

/* Our environment and the command's, for exec. In the child. */
static int environment_set(const struct launch_command *c)
{
	for (const char *const *e = c->environment; e && *e; e++)
		if (variable_set(*e) < 0)
			return -1;
	return 0;
}

static void child_become(const struct launch_command *c)
{
	signals_fresh();
	if ((c->folder && chdir(c->folder) < 0) || streams_set(c) < 0 || environment_set(c) < 0)
		return;
	for (uint32_t i = 0; i < c->n_keep; i++)
		fcntl(c->keep[i], F_SETFD, 0);
	execvp(c->words[0], (char *const *)(uintptr_t)c->words); /* which does not write to them */
}

/* What has a command that users are told to type, or that is asked for in their place. */
static const char *package_of(const char *command)
{
	static const struct {
		const char *command, *package;
	} all[] = {{"cc", "gcc, libc6-dev"},
	           {"c++", "g++"},
	           {"gfortran", "gfortran"},
	           {"mpicc", "libopenmpi-dev or libmpich-dev"},
	           {"mpicc.openmpi", "libopenmpi-dev"},
	           {"mpicc.mpich", "libmpich-dev"},
	           {"mpirun", "openmpi-bin or mpich"},
	           {"mpiexec", "openmpi-bin or mpich"},
	           {"mpirun.openmpi", "openmpi-bin"},
	           {"mpirun.mpich", "mpich"},
	           {"ssh", "openssh-client"}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(command, all[i].command) == 0)
			return all[i].package;
	return NULL;
}

/* Whether a word without a path is a file in the current folder, and no command in PATH. */
static int is_here(const char *command)
{
	struct stat st;
	char *file;

	if (strchr(command, '/') || stat(command, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	file = program_file(command);
	free(file);
	return file == NULL;
}

int launch_not_there(const char *command, struct err *err)
{
	const char *package = package_of(command);

	err_set(err, ERR_INPUT, "%s: there is no such command in PATH", command);
	if (package)
		err_append(err, " (Debian: %s)", package);
	else if (is_here(command))
		err_append(err, "; the file in this folder is ./%s", command);
	return -1;
}

/* fork failed, or what the child did. */
static pid_t not_started(const char *what, struct err *err)
{
	char user[32] = "unlimited";
	struct rlimit limit;

	if (errno != EAGAIN || getrlimit(RLIMIT_NPROC, &limit) < 0)
		return err_sys(err, errno, "%s", what);
	if (limit.rlim_cur != RLIM_INFINITY)
		snprintf(user, sizeof user, "%llu", (unsigned long long)limit.rlim_cur);
	return err_set(err, ERR_LIMIT,
	               "%s: %s: a process more than this computer, or a limit (`ulimit -u`: %s; "
	               "the batch job's) allows. Fewer ranks need fewer",
	               what, strerror(EAGAIN), user);
}

static int child_begin(const struct launch_command *c, pid_t parent)
{
	if (c->own_group)
		setpgid(0, 0);
	if (c->kept)
		return keep(parent, c->patience, NULL);
	keep_end_with(parent);
	return 0;
}

/* Of a file that is there the kernel says that there is none where what it is to be run by is not.
 */
static int runs_by_none(const char *command, struct err *err)
{
	char *file = program_file(command), by[256] = "";

	if (file && access(file, F_OK) == 0)
		binary_interpreter(file, by, sizeof by);
	if (*by && access(by, F_OK) < 0)
		err_set(err, ERR_INPUT,
		        "%s cannot be started: it is to be run by %s, which is not here", file, by);
	else
		*by = '\0';
	free(file);
	return *by ? -1 : 0;
}

pid_t launch_start(const struct launch_command *c, struct err *err)
{
	int report[2], error = 0;
	pid_t parent = getpid(), pid;
	ssize_t told = 0;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, errno, "%s", c->words[0]);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (child_begin(c, parent) == 0)
			child_become(c);
		error = errno;
		_exit(write(report[1], &error, sizeof error) < 0 ? 126 : EXIT_NOT_STARTED);
	}
	if (pid < 0)
		error = errno;
	close(report[1]);
	if (pid > 0)
		do /* a handler of whoever uses us may not restart it */
			told = read(report[0], &error, sizeof error);
		while (told < 0 && errno == EINTR);
	if (pid > 0 && told != (ssize_t)sizeof error)
		error = 0;
	close(report[0]);
	if (pid > 0 && c->own_group)
		setpgid(pid, pid); /* whoever of the two comes first */
	if (!error)
		return pid;
	if (pid > 0)
		launch_wait(pid);
	if (error == EACCES && !strchr(c->words[0], '/') && !program_is_there(c->words[0]))
		error = ENOENT;
	if (error == ENOENT && !c->folder && !strchr(c->words[0], '/'))
		return launch_not_there(c->words[0], err);
	if (error == ENOENT && !c->folder && runs_by_none(c->words[0], err) < 0)
		return -1;
	errno = error;
	return not_started(c->words[0], err);
}

pid_t launch_body(int (*body)(void *self), void *self, struct err *err)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return not_started("starting a process", err);
	if (pid == 0) {
		keep_end_with(parent);
		_exit(body(self));
	}
	return pid;
}

pid_t kept_body_start(const void *self, struct err *err)
{
	const struct kept_body *b = self;
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return not_started("starting a process", err);
	if (pid > 0)
		return pid;
	if (keep(parent, 0, b->body) < 0) {
		b->told->result = not_started("starting a process", &b->told->err);
		_exit(1);
	}
	signals_fresh();
	signal(SIGXFSZ, SIG_IGN); /* as in main */
	b->told->result = b->body->run(b->body->self, &b->told->err);
	fflush(NULL);
	_exit(b->told->result != 0);
}
