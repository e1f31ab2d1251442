/* container.c: what all containers do: begin a trace whose head they have read, say where a line is
 * wrong. */
#include "trace_int.h"

#include <stdio.h>

int trace_begin(struct trace *t, const char *path, const struct trace_head *head, uint32_t ranks,
                uint32_t np, struct err *err)
{
	if (np != 0 && np != ranks)
		return err_set(
		    err, ERR_INPUT,
		    "%s: the trace has %u rank%s, %u %s asked for: a trace can only be replayed "
		    "with its own number of ranks. 'orrery trace' records the program with another "
		    "one, 'orrery run -np %u' simulates it without a trace",
		    path, ranks, plural(ranks), np, np == 1 ? "was" : "were", np);
	grammar_init(&t->grammar, &trace_dialects[head->dialect]);
	t->grammar.ranks = ranks;
	t->grammar.peers = (int32_t)ranks;
	t->grammar.default_type = head->default_type;
	t->ranks = ranks;
	snprintf(t->name, sizeof t->name, "%s, %s", t->grammar.dialect->name, t->format->name);
	t->shares = shares_new(err);
	return t->shares ? 0 : -1;
}

int trace_line_error(const struct parse *ps, const char *file, uint64_t lineno, const char *line,
                     struct err *err)
{
	if (!ps->at)
		return -1;
	return err_at(err, file, (long)lineno, (long)(ps->at - line) + 1, "%s", ps->text);
}
