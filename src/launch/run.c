/* run.c: running a command to its end while our own signals are kept away or handed on. */
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a handler can know: signals have no context (the one exception in this room to "no writable
 * globals"). */
static struct {
	const pid_t *volatile child;
	volatile uint32_t n;
} forwarded;

/* The terminal's interrupt and quit reach its whole foreground group by themselves. */
static void signal_forward(int sig, siginfo_t *info, void *context)
{
	int before = errno;

	(void)context;
	if (is_terminals(sig, info))
		return;
	for (uint32_t i = 0; i < forwarded.n; i++)
		launch_kill(forwarded.child[i], sig);
	errno = before;
}

static const int taken[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { TAKEN = sizeof taken / sizeof *taken };

struct sigaction_kept {
	struct sigaction before[TAKEN];
};

int launch_signals_take(struct launch_signals *s, const pid_t *children, uint32_t n,
                        struct err *err)
{
	struct sigaction forward = {.sa_sigaction = signal_forward,
	                            .sa_flags = SA_RESTART | SA_SIGINFO};

	s->kept = malloc(sizeof *s->kept);
	if (!s->kept)
		return err_nomem(err, "signals", sizeof *s->kept);
	forwarded.child = children;
	forwarded.n = n;
	for (int i = 0; i < TAKEN; i++) {
		sigaction(taken[i], NULL, &s->kept->before[i]);
		if (!launch_is_spared(taken[i]))
			sigaction(taken[i], &forward, NULL);
	}
	return 0;
}

void launch_signals_give_back(struct launch_signals *s)
{
	for (int i = 0; s->kept && i < TAKEN; i++)
		sigaction(taken[i], &s->kept->before[i], NULL);
	forwarded.n = 0;
	forwarded.child = NULL;
	free(s->kept);
	s->kept = NULL;
}

/* Starts one kept process and waits for it; what comes for us before we know whom to hand it to
 * waits. 1, and how it ended; -1: it could not be started. */
static int kept_run(pid_t (*start)(const void *self, struct err *err), const void *self,
                    struct launch_end *end, struct err *err)
{
	struct launch_signals signals;
	sigset_t handed, before;
	pid_t pid = 0;
	int r = -1;

	launch_adopt();
	if (launch_signals_take(&signals, &pid, 1, err) < 0)
		return -1;
	sigemptyset(&handed);
	for (int i = 0; i < TAKEN; i++)
		sigaddset(&handed, taken[i]);
	sigprocmask(SIG_BLOCK, &handed, &before);
	pid = start(self, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid > 0)
		r = launch_ended(pid, 1, end);
	launch_signals_give_back(&signals);
	if (r > 0 && end->signal) /* perhaps the keeper itself was killed */
		launch_orphans_end();
	return r;
}

static pid_t command_start(const void *self, struct err *err)
{
	struct launch_command kept = *(const struct launch_command *)self;

	kept.kept = 1;
	return launch_start(&kept, err);
}

int launch_run(const struct launch_command *c, struct err *err)
{
	struct launch_end end = {.code = 1};

	return kept_run(command_start, c, &end, err) < 0 ? -1 : launch_end_code(&end);
}

enum { NOT_TOLD = -2 };

/* Ended by somebody who wanted it, or because nobody reads on: no limit was met. */
static int is_asked(int sig)
{
	return sig == SIGPIPE || sig == SIGTERM || sig == SIGHUP || sig == SIGINT || sig == SIGQUIT;
}

int launch_kept(const struct launch_body *body, struct err *err)
{
	struct kept_body b = {body, NULL};
	struct launch_end end = {.code = 1};
	char text[160];
	int r;

	b.told = mmap(NULL, sizeof *b.told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	              0);
	if (b.told == MAP_FAILED)
		return err_nomem(err, "a process", sizeof *b.told);
	b.told->result = NOT_TOLD;
	r = kept_run(kept_body_start, &b, &end, err);
	if (r > 0 && b.told->result == NOT_TOLD && body->cut)
		body->cut(body->self, end.signal);
	if (r > 0 && is_asked(end.signal)) { /* as any program ends */
		signal(end.signal, SIG_DFL);
		raise(end.signal);
	}
	if (r > 0 && end.signal && end.signal != SIGKILL && b.told->result == NOT_TOLD &&
	    b.told->err.kind == ERR_PROGRAM) {
		*err = b.told->err;
		r = -1;
	} else if (r > 0 && end.signal) {
		launch_end_text(&end, text, sizeof text);
		r = err_set(err, ERR_LIMIT, "the simulation %s", text);
	} else if (r > 0) {
		*err = b.told->err; /* not told: it has ended where it was, and said why */
		r = b.told->result == NOT_TOLD ? end.code : b.told->result;
	}
	munmap(b.told, sizeof *b.told);
	return r;
}

int launch_must(const struct launch_command *c, struct err *err)
{
	struct launch_end end = {.code = 1};

	if (kept_run(command_start, c, &end, err) < 0)
		return -1;
	if (launch_end_is_good(&end))
		return 0;
	if (end.signal)
		return err_set(err, ERR_INPUT, "%s was ended by signal %d", c->words[0],
		               end.signal);
	return err_set(err, ERR_INPUT, "%s failed with exit code %d: its messages are above",
	               c->words[0], end.code);
}

int launch_output(const struct launch_command *c, char *out, size_t n, struct err *err)
{
	struct launch_command with = *c;
	size_t got = 0;
	ssize_t r = 1;
	int ends[2];
	char rest[512];
	int failed;
	pid_t pid;

	out[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "%s", c->words[0]);
	with.in = LAUNCH_NULL;
	with.out = ends[1] + 1;
	pid = launch_start(&with, err);
	close(ends[1]);
	while (pid > 0 &&
	       (r > 0 || (r < 0 && errno == EINTR))) { /* to its end: it must not block */
		int full = got == n - 1;

		r = read(ends[0], full ? rest : out + got, full ? sizeof rest : n - 1 - got);
		got += r > 0 && !full ? (size_t)r : 0;
	}
	failed = pid > 0 && r < 0 ? errno : 0;
	out[got] = '\0';
	close(ends[0]);
	if (pid <= 0)
		return -1;
	r = launch_wait(pid);
	return failed ? err_sys(err, failed, "reading what %s prints", c->words[0]) : (int)r;
}
