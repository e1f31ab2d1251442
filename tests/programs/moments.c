/* moments.c: orrery, the keeper of its command, or the launcher is killed (SIGKILL) at the worst
 * moments, by the process that has come to one. A library to preload into all processes of a run,
 * and, with -DPROGRAM, the MPI program of that run.
 *   MOMENT    fork: orrery has forked; forked: the keeper has; exec:NAME: that program is about to
 *             be run; of the program: start, init, inited, finalize, finalized
 *   MOMENT_OF the process id of orrery
 *   VICTIM    orrery, keeper, launcher
 *   MOMENT_AT a file that is made when the moment has come: once in a run */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef PROGRAM
#include <mpi.h>
#endif

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512], *p;
	int fd, n;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? 0 : (int)read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	p = strrchr(text, ')');
	return p ? (pid_t)atoi(p + 4) : 0;
}

/* The ancestor of this process that is so many below orrery, or what comes next to it. */
static pid_t below(pid_t orrery, int depth)
{
	pid_t chain[64];
	int n = 0;

	for (pid_t p = getpid(); p > 1 && n < 64; p = parent_of(p)) {
		chain[n++] = p;
		if (p == orrery)
			break;
	}
	if (n == 0 || chain[n - 1] != orrery)
		return 0;
	return n > depth ? chain[n - 1 - depth] : 0;
}

static void moment(const char *what)
{
	const char *when = getenv("MOMENT"), *of = getenv("MOMENT_OF"), *who = getenv("VICTIM"),
	           *at = getenv("MOMENT_AT");
	pid_t victim;
	int fd;

	if (!when || !of || !who || !at || strcmp(when, what) != 0)
		return;
	victim = below((pid_t)atoi(of), !strcmp(who, "orrery")   ? 0
	                                : !strcmp(who, "keeper") ? 1
	                                                         : 2);
	if (victim <= 1)
		return;
	fd = open(at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	close(fd);
	kill(victim, SIGKILL);
}

#ifdef PROGRAM
int main(int argc, char **argv)
{
	int rank, size, token = 0;

	moment("start");
	setenv("MOMENT_PHASE", "init", 1);
	MPI_Init(&argc, &argv);
	unsetenv("MOMENT_PHASE");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 50; i++)
		MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0,
		                     (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		                     MPI_STATUS_IGNORE);
	moment("inited");
	MPI_Barrier(MPI_COMM_WORLD);
	setenv("MOMENT_PHASE", "finalize", 1);
	MPI_Finalize();
	unsetenv("MOMENT_PHASE");
	moment("finalized");
	return 0;
}
#else
static void exec_moment(const char *path)
{
	const char *slash = strrchr(path, '/');
	char what[160];

	snprintf(what, sizeof what, "exec:%s", slash ? slash + 1 : path);
	moment(what);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	int (*next)(const char *, char *const[], char *const[]) = dlsym(RTLD_NEXT, "execve");

	exec_moment(path);
	return next(path, argv, envp);
}

int execvp(const char *path, char *const argv[])
{
	int (*next)(const char *, char *const[]) = dlsym(RTLD_NEXT, "execvp");

	exec_moment(path);
	return next(path, argv);
}

int execv(const char *path, char *const argv[])
{
	int (*next)(const char *, char *const[]) = dlsym(RTLD_NEXT, "execv");

	exec_moment(path);
	return next(path, argv);
}

/* Who forks: the child has come to the moment, of which the parent hears nothing. */
pid_t fork(void)
{
	pid_t (*next)(void) = dlsym(RTLD_NEXT, "fork");
	const char *of = getenv("MOMENT_OF");
	int orrery = of && getpid() == (pid_t)atoi(of),
	    keeper = of && !orrery && below((pid_t)atoi(of), 1) == getpid();
	pid_t pid = next();

	if (pid == 0 && (orrery || keeper))
		moment(orrery ? "fork" : "forked");
	return pid;
}

/* Which a process does early in MPI_Init, and in MPI_Finalize. */
int close(int fd)
{
	int (*next)(int) = dlsym(RTLD_NEXT, "close");
	const char *phase = getenv("MOMENT_PHASE");
	static int inside;

	if (phase && !inside) {
		inside = 1;
		moment(phase);
		inside = 0;
	}
	return next(fd);
}
#endif
