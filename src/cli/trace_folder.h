/* trace_folder.h: the folder that a trace is written to, before there is a trace in it. */
#ifndef ORRERY_CLI_TRACE_FOLDER_H
#define ORRERY_CLI_TRACE_FOLDER_H

#include "base/base.h"

/* Makes `dir` an empty folder for a trace. An existing one must be empty, or hold a trace that
 * `overwrite` allows to remove; only files of a trace are ever removed. *path: its absolute name,
 * freed by the caller. A folder that cannot be made or written is an ERR_LIMIT, a folder that must
 * not be overwritten an ERR_INPUT. */
int folder_prepare(const char *dir, int overwrite, char **path, struct err *err);
/* Removes what is of no use after the run. */
void folder_tidy(const char *path);

#endif
