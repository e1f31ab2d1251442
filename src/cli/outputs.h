/* outputs.h: nothing that a run reads is what it writes. */
#ifndef ORRERY_CLI_OUTPUTS_H
#define ORRERY_CLI_OUTPUTS_H

#include "cli.h"
#include "platform/platform.h"

/* Every file that options of verb->outputs name must be none that another word of the command line
 * names (also within a setting "name:file:PATH", "@FILE"), nor lie in a trace or folder that one
 * names, nor be named by a list of trace files; whatever the names: hard and symbolic links are
 * the file. main calls it for all verbs. */
int outputs_check(const struct verb *v, const struct args *a, struct err *err);
/* The same for a path that no option gives. */
int output_check(const struct verb *v, const struct args *a, const char *path, struct err *err);
/* A machine is a file, also where a name of the catalogue is given, and may name others: profiles,
 * and what its settings name. To be called once all are known. */
int outputs_check_machine(const struct verb *v, const struct args *a, const struct config *cfg,
                          const struct platform *p, struct err *err);
/* Can it be written? Now, not after an hour. */
int output_try(const char *path, struct err *err);

#endif
