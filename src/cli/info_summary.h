/* info_summary.h: the part of `orrery info` about communicators, sizes, ranks, files, pairs. */
#ifndef ORRERY_CLI_INFO_SUMMARY_H
#define ORRERY_CLI_INFO_SUMMARY_H

#include "trace/summary.h"

void info_summary_text(const struct trace_summary *s, struct str *out);
void info_summary_json(const struct trace_summary *s, struct json *j);
void info_matrix(const struct trace_summary *s, struct str *out);

#endif
