/* asleep.c: whether a process sleeps: none of its threads runs, wants to, or waits for a disk; and
 * whether a signal has stopped it. */
#include "launch.h"

#include "base/base.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The letter of /proc/.../stat; 0: there is none. */
static char state_of(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];
	const char *end = NULL;

	if (f) {
		if (fgets(line, sizeof line, f))
			end = strrchr(line, ')'); /* the name may hold anything */
		fclose(f);
	}
	return end && end[1] == ' ' ? end[2] : 0;
}

/* Whom a thread has started and who has not ended. */
static int has_children(const char *thread)
{
	char path[128], child[32];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/children", thread);
	f = fopen(path, "re");
	while (f && !found && fscanf(f, "%31s", child) == 1) {
		snprintf(path, sizeof path, "/proc/%s/stat", child);
		found = strchr("ZX", state_of(path)) == NULL;
	}
	if (f)
		fclose(f);
	return found;
}

int launch_sleeps(pid_t pid)
{
	char tasks[32], thread[64], path[80];
	const struct dirent *entry;
	int asleep = 0, awake = 0;
	char state;
	DIR *d;

	snprintf(tasks, sizeof tasks, "/proc/%ld/task", (long)pid);
	d = opendir(tasks);
	while (d && !awake && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(thread, sizeof thread, "%s/%.16s", tasks, entry->d_name);
		snprintf(path, sizeof path, "%s/stat", thread);
		state = state_of(path);
		if (state == 'S' && !has_children(thread))
			asleep++;
		else if (state != 'Z') /* the first thread, which has ended */
			awake = 1;
	}
	if (d)
		closedir(d);
	return asleep > 0 && !awake;
}

int launch_is_at_streams(pid_t pid)
{
	char path[32];
	long call = -1;
	unsigned long fd = 0;
	FILE *f;
	int got;

	snprintf(path, sizeof path, "/proc/%ld/syscall", (long)pid);
	f = fopen(path, "re");
	got = f ? fscanf(f, "%ld %lx", &call, &fd) : 0;
	if (f)
		fclose(f);
	return got < 2 || call == SYS_write || call == SYS_writev ||
	       (call == SYS_read && fd == STDIN_FILENO);
}

int launch_stopped(pid_t pid)
{
	siginfo_t info = {.si_pid = 0};
	char path[32];

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	if (pid <= 0 || state_of(path) != 'T')
		return 0;
	/* it is told once: whoever waits for the end has to find nothing changed */
	if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid == pid)
		return info.si_status;
	return SIGSTOP;
}
