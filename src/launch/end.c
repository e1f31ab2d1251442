/* end.c: how processes end: waited for, told in words, killed, and what they leave behind. */
#include "launch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
	if (WIFSIGNALED(status))
		*end = (struct launch_end){.signal = WTERMSIG(status),
		                           .core = WCOREDUMP(status) != 0};
	else
		*end = (struct launch_end){.code = WEXITSTATUS(status)};
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

static int exit_code(const struct launch_end *end)
{
	return end->signal ? 128 + end->signal : end->code;
}

int launch_wait(pid_t pid)
{
	struct launch_end end;

	return launch_ended(pid, 1, &end) ? exit_code(&end) : 1;
}

int launch_poll(pid_t pid)
{
	struct launch_end end;

	return launch_ended(pid, 0, &end) ? exit_code(&end) : -1;
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

void launch_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* All children that there are now; their number. */
static int children_kill(pid_t but)
{
	struct launch_end end;
	char path[64];
	int pid, found = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getpid(), (int)getpid());
	f = fopen(path, "r");
	while (f && fscanf(f, "%d", &pid) == 1) {
		if (pid == but)
			continue;
		found++;
		kill(pid, SIGKILL);
		launch_ended(pid, 1, &end);
	}
	if (f)
		fclose(f);
	return found;
}

void launch_orphans_kill(pid_t but)
{
	enum { ROUNDS = 1000 }; /* of a program that forks faster than it is killed */

	for (int i = 0; i < ROUNDS && children_kill(but) > 0; i++)
		;
}
