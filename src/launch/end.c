/* end.c: how processes end: waited for, told in words, killed, and what they leave behind. */
#include "keep.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct launch_end launch_end_of(int status)
{
	if (WIFSIGNALED(status))
		return (struct launch_end){.signal = WTERMSIG(status),
		                           .core = WCOREDUMP(status) != 0};
	return (struct launch_end){.code = WEXITSTATUS(status)};
}

int launch_ended(pid_t pid, int wait, struct launch_end *end)
{
	int status;
	pid_t r;

	if (pid <= 0)
		return 0;
	do
		r = waitpid(pid, &status, wait ? 0 : WNOHANG);
	while (r < 0 && errno == EINTR);
	if (r != pid)
		return 0;
	*end = launch_end_of(status);
	return 1;
}

int launch_end_is_good(const struct launch_end *end)
{
	return end->signal == 0 && end->code == 0;
}

void launch_end_text(const struct launch_end *end, char *buf, size_t n)
{
	if (end->signal)
		snprintf(buf, n, "was killed by signal %d (%s)%s", end->signal,
		         strsignal(end->signal), end->core ? ", and left a core" : "");
	else
		snprintf(buf, n, "exited with code %d", end->code);
}

int launch_end_code(const struct launch_end *end)
{
	return end->signal ? 128 + end->signal : end->code;
}

int launch_wait(pid_t pid)
{
	struct launch_end end;

	return launch_ended(pid, 1, &end) ? launch_end_code(&end) : 1;
}

void launch_kill(pid_t pid, int sig)
{
	if (pid <= 0)
		return;
	if (getpgid(pid) == pid)
		kill(-pid, sig);
	else
		kill(pid, sig);
}

int launch_is_spared(int sig)
{
	struct sigaction now;

	sigaction(sig, NULL, &now);
	return (sig == SIGHUP || sig == SIGTERM) && now.sa_handler == SIG_IGN;
}

void launch_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Each child that there is now gets a signal (0: none), and is taken if it has ended (SIGKILL: when
 * it has); their number, without those that had. */
static int children_tell(pid_t but, int sig)
{
	struct launch_end end;
	char path[64], line[32];
	int found = 0;
	int64_t pid;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getpid(), (int)getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%31s", line) == 1) {
		if (num_parse_i64(line, strlen(line), &pid) < 0 || pid == but)
			continue;
		if (sig)
			kill((pid_t)pid, sig);
		found += !launch_ended((pid_t)pid, sig == SIGKILL, &end) || sig == SIGKILL;
	}
	if (f)
		fclose(f);
	return found;
}

void launch_orphans_kill(pid_t but)
{
	enum { ROUNDS = 1000 }; /* of a program that forks faster than it is killed */

	for (int i = 0; i < ROUNDS && children_tell(but, SIGKILL) > 0; i++)
		;
}

void launch_orphans_end(void)
{
	enum { ASKED = 25, LOOKS = 75, LOOK_MS = 20 };
	const struct timespec look = {.tv_nsec = LOOK_MS * 1000000};

	for (int i = 0; i < LOOKS; i++) {
		if (children_tell(0, i == ASKED ? SIGTERM : 0) == 0)
			return;
		nanosleep(&look, NULL);
	}
	launch_orphans_kill(0);
}
