/* calibrate_run.c: see calibrate_run.h. */
#include "calibrate_run.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int measuring_run(char *const *argv, struct err *err)
{
	pid_t pid;
	int status, e;

	e = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	if (e != 0)
		return err_sys(err, e, "%s", argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(err, errno, "waiting for %s", argv[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return err_set(err, ERR_INPUT, "%s was ended by signal %d", argv[0], WTERMSIG(status));
	return err_set(err, ERR_INPUT, "%s failed with exit code %d: its messages are above", argv[0], WEXITSTATUS(status));
}

int data_file(const char *name, char *out, size_t n, struct err *err)
{
	const char *const places[] = {getenv("ORRERY_DATA"), ORRERY_SOURCE_DATA, ORRERY_INSTALL_DATA};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (!places[i] || !*places[i])
			continue;
		snprintf(out, n, "%s/%s", places[i], name);
		if (access(out, R_OK) == 0)
			return 0;
	}
	return err_set(err, ERR_INPUT, "%s is neither in '%s' nor in '%s': set ORRERY_DATA to the folder that holds it", name,
	               ORRERY_SOURCE_DATA, ORRERY_INSTALL_DATA);
}
