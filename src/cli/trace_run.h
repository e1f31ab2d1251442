/* trace_run.h: starting the user's command. */
#ifndef ORRERY_CLI_TRACE_RUN_H
#define ORRERY_CLI_TRACE_RUN_H

#include "base/base.h"
#include "trace_elf.h"

/* The value of LD_PRELOAD for a rank: the tracer for this family, before what the user preloads.
 * The tracer is looked for in $ORRERY_TRACER_DIR, beside this program as it is built, and where it
 * is installed. Freed by the caller. */
char *preload_value(enum mpi_family family, struct err *err);
/* Runs a command and waits for it. Its exit code, 128 + the signal that ended it, or -1 if it could
 * not be started. */
int command_run(char **words, struct err *err);

#endif
