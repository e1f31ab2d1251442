/* calibrate_run.c: see calibrate_run.h. */
#include "calibrate_run.h"
#include "trace_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int measuring_run(char **argv, struct err *err)
{
	int code = command_run(argv, err);

	if (code <= 0)
		return code;
	if (code > 128)
		return err_set(err, ERR_INPUT, "%s was ended by signal %d", argv[0], code - 128);
	return err_set(err, ERR_INPUT, "%s failed with exit code %d: its messages are above",
	               argv[0], code);
}

int data_file(const char *name, char *out, size_t n, struct err *err)
{
	const char *const places[] = {getenv("ORRERY_DATA"), ORRERY_SOURCE_DATA,
	                              ORRERY_INSTALL_DATA};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (!places[i] || !*places[i])
			continue;
		snprintf(out, n, "%s/%s", places[i], name);
		if (access(out, R_OK) == 0)
			return 0;
	}
	return err_set(
	    err, ERR_INPUT,
	    "%s is neither in '%s' nor in '%s': set ORRERY_DATA to the folder that holds it", name,
	    ORRERY_SOURCE_DATA, ORRERY_INSTALL_DATA);
}
