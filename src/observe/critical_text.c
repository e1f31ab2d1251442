/* critical_text.c: the critical path for people, and as JSON. */
#include "critical.h"

#include <stdio.h>
#include <stdlib.h>

enum { CELL = 32, SHOWN = 8 };

static const char *words(enum cause c)
{
	switch (c) {
	case CAUSE_LATE:
		return "waiting for what is not followed";
	case CAUSE_LATENCY:
		return "latency of messages";
	case CAUSE_BOUND:
		return "messages that move, as fast as alone";
	case CAUSE_RESOURCE:
		return "contention: messages that others slow down";
	case CAUSE_TRANSFER:
		return "messages that move";
	default:
		return cause_name(c);
	}
}

static const char *key(enum cause c)
{
	return c == CAUSE_RESOURCE ? "contention" : c == CAUSE_LATE ? "not_followed" : cause_key(c);
}

static uint32_t kind_count(const struct path_sums *s, enum path_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_shares; i++)
		n += path_share_kind(&s->shares[i]) == kind;
	return n;
}

static const char *host_of(const struct explained_path *p, uint32_t rank, char *buf, size_t n)
{
	return platform_host_name(p->platform, p->mp ? mp_host(p->mp, rank) : p->host[rank], buf,
	                          n);
}

static void share_text(const struct explained_path *p, const struct path_share *s, struct str *out)
{
	uint32_t which = (uint32_t)s->key;
	char cell[CELL], mean[CELL], host[128];

	fmt_seconds(cell, sizeof cell, s->seconds);
	str_printf(out, "  %12s %5.1f %%  ", cell, p->end > 0 ? 100 * s->seconds / p->end : 0);
	switch (path_share_kind(s)) {
	case PATH_BY_CAUSE:
		str_puts(out, words((enum cause)which));
		if (which == CAUSE_COMPUTE) {
			fmt_seconds(mean, sizeof mean, p->mean_computation);
			str_printf(out, " (a rank computes for %s in the mean)", mean);
		}
		break;
	case PATH_BY_RANK:
		str_printf(out, "rank %u on %s", which, host_of(p, which, host, sizeof host));
		break;
	case PATH_BY_CALL:
		str_puts(out, mp_call_name((enum mp_call)which));
		break;
	}
	str_putc(out, '\n');
}

static void shares_text(const struct explained_path *p, const struct path_sums *s,
                        enum path_kind kind, uint32_t most, struct str *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_shares; i++)
		if (path_share_kind(&s->shares[i]) == kind && n++ < most)
			share_text(p, &s->shares[i], out);
	if (n > most)
		str_printf(out, "  and %u more\n", n - most);
}

static void stretch_text(const struct path_stretch *x, struct str *out)
{
	char cell[CELL];

	fmt_seconds(cell, sizeof cell, x->until - x->from);
	str_printf(out, "  %.9f s  %12s  ", x->from, cell);
	if (x->message)
		str_printf(out, "message:%llu, rank %u to rank %u\n",
		           (unsigned long long)x->message, x->rank, x->to);
	else
		str_printf(out, "rank %u: %s\n", x->rank, words((enum cause)x->cause));
}

void critical_text(const struct explained_path *p, struct str *out)
{
	const struct path_sums *s = &p->sums;
	char host[128];

	str_printf(
	    out,
	    "critical path: %.9f s, up to the end of %srank %u on %s, through %llu message%s; "
	    "of which\n",
	    p->end, p->cut ? "what was recorded, at " : "", p->last,
	    host_of(p, p->last, host, sizeof host), (unsigned long long)s->messages,
	    s->messages == 1 ? "" : "s");
	shares_text(p, s, PATH_BY_CAUSE, CAUSES, out);
	if (kind_count(s, PATH_BY_RANK) > 0)
		str_puts(out, "on it, of the ranks' own time:\n");
	shares_text(p, s, PATH_BY_RANK, SHOWN, out);
	if (kind_count(s, PATH_BY_CALL) > 0)
		str_puts(out, "on it, in the calls:\n");
	shares_text(p, s, PATH_BY_CALL, SHOWN, out);
	if (s->n_longest > 0)
		str_printf(out, "its longest stretches%s:\n",
		           p->mp ? " (--explain takes the messages)" : "");
	for (uint32_t i = 0; i < s->n_longest; i++)
		stretch_text(&s->longest[i], out);
}

static void shares_json(const struct path_sums *s, enum path_kind kind, struct json *j)
{
	for (uint32_t i = 0; i < s->n_shares; i++) {
		uint32_t which = (uint32_t)s->shares[i].key;

		if (path_share_kind(&s->shares[i]) != kind)
			continue;
		json_object(j);
		if (kind == PATH_BY_CAUSE)
			json_put_string(j, "cause", key((enum cause)which));
		else if (kind == PATH_BY_CALL)
			json_put_string(j, "function", mp_call_name((enum mp_call)which));
		else
			json_put_int(j, "rank", which);
		json_put_double(j, "seconds", s->shares[i].seconds);
		json_end(j);
	}
	json_end(j);
}

static void stretch_json(const struct path_stretch *x, struct json *j)
{
	json_object(j);
	json_put_double(j, "from", x->from);
	json_put_double(j, "to", x->until);
	if (x->message) {
		json_put_int(j, "message", (int64_t)x->message);
		json_put_int(j, "sender", x->rank);
		json_put_int(j, "receiver", x->to);
	} else {
		json_put_int(j, "rank", x->rank);
		json_put_string(j, "cause", key((enum cause)x->cause));
	}
	json_end(j);
}

void critical_json(const struct explained_path *p, struct json *j)
{
	static const char *const names[] = {"causes", "ranks", "functions"};
	const struct path_sums *s = &p->sums;

	json_put_double(j, "seconds", p->end);
	json_put_int(j, "last_rank", p->last);
	json_put_int(j, "messages", (int64_t)s->messages);
	json_put_double(j, "mean_computation", p->mean_computation);
	for (int kind = PATH_BY_CAUSE; kind <= PATH_BY_CALL; kind++) {
		json_key(j, names[kind]);
		json_array(j);
		shares_json(s, (enum path_kind)kind, j);
	}
	json_key(j, "longest");
	json_array(j);
	for (uint32_t i = 0; i < s->n_longest; i++)
		stretch_json(&s->longest[i], j);
	json_end(j);
}
