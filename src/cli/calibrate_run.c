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
