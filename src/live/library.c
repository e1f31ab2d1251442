/* library.c: where our MPI libraries are. */
#include "can_run.h"

#include "base/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its headers are made with all of it: parts of it are built with the program already. */
static int is_whole(const char *library)
{
	char header[4096];

	return snprintf(header, sizeof header, "%s/include/mpi.h", library) < (int)sizeof header &&
	       access(header, R_OK) == 0;
}

int live_library(char *out, size_t n, struct err *err)
{
	static const char *const places[] = {"lib/orrery", "../lib/orrery", "../lib64/orrery",
	                                     "../lib/x86_64-linux-gnu/orrery",
	                                     "../lib/aarch64-linux-gnu/orrery"};
	const char *given = getenv("ORRERY_MPI_DIR");
	char self[2048];

	if (given) {
		snprintf(out, n, "%s", given);
		return 0;
	}
	if (program_self(self, sizeof self, err) < 0)
		return -1;
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(out, n, "%s/%s", self, places[i]);
		if (is_whole(out))
			return 0;
	}
	return err_set(
	    err, ERR_LIMIT,
	    "the MPI library of simulated programs was not built (all of orrery has to be: the "
	    "target 'all' of make or ninja, with python3 there), or is not beside %s: "
	    "ORRERY_MPI_DIR=FOLDER says where it is",
	    self);
}
