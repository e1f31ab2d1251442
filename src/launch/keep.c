/* keep.c: the keeper: a process between us and a command, which sees to it that nothing of the
 * command outlives us. Launchers of MPI start processes that start the ranks; who of them notices
 * that another one is gone is up to them, and one that was killed while it started others leaves
 * them running.
 *
 * The kernel gives whatever loses its parent below the keeper to the keeper
 * (PR_SET_CHILD_SUBREAPER), sessions and groups of their own notwithstanding. So:
 *
 *   we are gone, however              the keeper is told (PR_SET_PDEATHSIG): the command is asked
 *                                     to end, and killed if it does not; then all that is left
 *   we hand on a request to end       the command is given PATIENCE_MS, then killed: some launchers
 *                                     hang after a signal (Open MPI 4.1.4's now and then)
 *   the command ended by a signal,    what is left is given a moment to notice, asked, killed
 *   or with an exit code but 0
 *   the command ended well            what is left was meant to stay
 *   the keeper is killed              the command is told; what is left comes to us (launch_run)
 *   a body of ours sleeps for SLEPT s, its user is told (launch_body.asleep)
 *   and nothing that it started runs
 *
 * It holds nothing of ours open but the standard streams. */
#include "keep.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOK_MS = 20,
	SLEPT = 5,       /* s: so long the child sleeps before that is told */
	ASKED_MS = 3000, /* to end, by who is asked to when we are gone */
	PATIENCE_MS =
	    30000, /* when we are not: what batch systems give a job that saves its state */
};

void keep_end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it died before the kernel was told: we are somebody else's */
		_exit(127);
}

struct keeper {
	pid_t parent, child;
	struct launch_end end;
	int patience;                   /* milliseconds */
	int told;                       /* the first signal that was handed on; 0: none was */
	int orphaned;                   /* we are gone */
	int64_t given_up;               /* when the child will be killed; 0: not yet known */
	int killed;                     /* it was */
	int slept;                      /* so many looks in a row, one a second, it was asleep */
	const struct launch_body *body; /* or NULL */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Takes all that has ended: 1 if the child is among it. */
static int ended_take(struct keeper *k)
{
	int found = 0, status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR)) {
		if (pid != k->child)
			continue;
		found = 1;
		k->end = launch_end_of(status);
	}
	return found;
}

static int is_orphan(const struct keeper *k)
{
	return getppid() != k->parent;
}

/* Says why the command is killed: whoever waits for it sees nothing but its end. */
static void killed_tell(const struct keeper *k)
{
	char text[200];
	int n = snprintf(text, sizeof text,
	                 "orrery: the command was told to end (signal %d) and did not within %g s: "
	                 "it is killed, with all that it started\n",
	                 k->told, k->patience / 1000.);

	if (write(STDERR_FILENO, text, (size_t)n) < 0)
		return; /* nobody listens: it is killed all the same */
}

int is_terminals(int sig, const siginfo_t *info)
{
	return (sig == SIGINT || sig == SIGQUIT) && info->si_code == SI_KERNEL;
}

/* What the keeper does when it was told something, or a while has passed. */
static void child_tell(struct keeper *k, int sig, const siginfo_t *info)
{
	if (sig > 0 && sig != SIGCHLD && !is_terminals(sig, info)) {
		kill(k->child, sig);
		if (!k->told && !k->orphaned) {
			k->told = sig;
			k->given_up = now_ms() + k->patience;
		}
	}
	if (is_orphan(k) && !k->orphaned) {
		k->orphaned = 1;
		k->given_up = now_ms() + ASKED_MS;
	}
	if (!k->given_up || now_ms() < k->given_up)
		return;
	if (!k->killed && !k->orphaned)
		killed_tell(k);
	k->killed = 1;
	kill(k->child, SIGKILL);
}

/* A second has passed, and nothing was told. */
static void sleep_look(struct keeper *k)
{
	k->slept = launch_sleeps(k->child) && !launch_is_at_streams(k->child) ? k->slept + 1 : 0;
	if (k->slept < SLEPT)
		return;
	k->body->asleep(k->body->self, k->child, SLEPT);
	k->body = NULL; /* once */
}

/* The next signal; -1: none came in a while. */
static int signal_await(struct keeper *k, const sigset_t *watched, siginfo_t *info)
{
	const struct timespec look = {.tv_nsec = LOOK_MS * 1000000}, second = {.tv_sec = 1};
	int sleeps = !k->given_up && k->body && k->body->asleep, sig;

	if (!k->given_up && !sleeps)
		return sigwaitinfo(watched, info);
	sig = sigtimedwait(watched, info, sleeps ? &second : &look);
	if (sig < 0 && errno == EAGAIN && sleeps)
		sleep_look(k);
	return sig;
}

/* Until the child has ended; what we are told, it is told. */
static void child_watch(struct keeper *k, const sigset_t *watched)
{
	siginfo_t info = {.si_signo = 0};

	while (!ended_take(k))
		child_tell(k, signal_await(k, watched, &info), &info);
	if (k->killed && k->told) /* it ended of what it was told, if late */
		k->end = (struct launch_end){.signal = k->told};
}

/* Ends as the child did. */
static _Noreturn void end_alike(const struct launch_end *end)
{
	sigset_t all;

	if (end->signal) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the child left its own */
		signal(end->signal, SIG_DFL);
		sigemptyset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		raise(end->signal);
	}
	_exit(end->code);
}

int keep(pid_t parent, int patience, const struct launch_body *body)
{
	struct keeper k = {
	    .parent = parent, .patience = patience ? patience : PATIENCE_MS, .body = body};
	sigset_t watched;
	pid_t self = getpid();

	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	sigaddset(&watched, SIGINT);
	sigaddset(&watched, SIGQUIT);
	for (int i = 0; i < 2; i++)
		if (!launch_is_spared(i ? SIGHUP : SIGTERM)) /* else it would wait, to be taken */
			sigaddset(&watched, i ? SIGHUP : SIGTERM);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	signal(SIGCHLD, SIG_DFL);
	keep_end_with(parent);
	launch_adopt();
	k.child = fork();
	if (k.child == 0)
		keep_end_with(self);
	if (k.child <= 0)
		return (int)k.child;
	close_range(STDERR_FILENO + 1, ~0U, 0);
	child_watch(&k, &watched);
	if (is_orphan(&k) || !launch_end_is_good(&k.end))
		launch_orphans_end();
	end_alike(&k.end);
}

_Noreturn void launch_dies(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1); /* nobody listens */
	_exit(1);
}
