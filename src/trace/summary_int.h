/* summary_int.h: what the two files of the summary of a trace share. */
#ifndef ORRERY_TRACE_SUMMARY_INT_H
#define ORRERY_TRACE_SUMMARY_INT_H

#include "summary.h"
#include "trace_int.h"

int summary_op_add(struct trace_summary *s, const struct trace_seen *x, struct err *err);
void summary_ops_sort(struct trace_summary *s);
void summary_ops_release(struct trace_summary *s);

#endif
