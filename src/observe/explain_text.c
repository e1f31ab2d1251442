/* explain_text.c: an explanation for people, and as JSON. */
#include "critical.h"

#include <stdio.h>
#include <stdlib.h>

enum { CELL = 32 };

/* "link X"; "" if none. */
static void explain_which(struct explainer *x, enum cause c, uint32_t which, struct str *out)
{
	char name[160];

	if (c == CAUSE_LATE && which == NOBODY)
		str_puts(out, "peer");
	else if (c == CAUSE_LATE)
		str_printf(out, "rank %u", which);
	else if (c == CAUSE_RESOURCE)
		str_puts(out,
		         net_resource_name(x->net, (struct resource_id){which}, name, sizeof name));
	else if ((c == CAUSE_BOUND || c == CAUSE_TRANSFER) && which < x->n_bounds)
		str_puts(out, x->bounds[which]);
}

static int amount_compare(const void *a, const void *b)
{
	const struct amount *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->cause != y->cause ? (int)x->cause - (int)y->cause
	                            : (x->which > y->which) - (x->which < y->which);
}

static void host_name(const struct explainer *x, uint32_t rank, char *buf, size_t n)
{
	platform_host_name(net_platform(x->net), mp_host(x->mp, rank), buf, n);
}

/* The rank's call that never ended, of what is known in part; NULL: it has none. For `into`; made
 * in `text`. */
static const char *unfinished(struct explainer *x, struct str *text, struct str *into)
{
	static const size_t comma = 2; /* ", ", as after the rank's number */

	if (!mp_deadlocked(x->mp) || !mp_waits(x->mp, x->rank, text))
		return NULL;
	str_of(into, text);
	return text->n > comma ? text->s + comma : "";
}

static void rank_text(struct explainer *x, struct str *out)
{
	double total = explain_total(x);
	char host[128], cell[CELL];
	const char *call;
	struct str what;

	if (x->rank >= mp_ranks_begun(x->mp)) {
		str_printf(out, "rank %u: never spawned, there were %u ranks\n", x->rank,
		           mp_ranks_begun(x->mp));
		return;
	}
	host_name(x, x->rank, host, sizeof host);
	str_printf(out, "rank %u on %s: %.9f s, of which\n", x->rank, host, x->end);
	if (x->amounts.n > 1)
		qsort(x->amounts.all, x->amounts.n, sizeof *x->amounts.all, amount_compare);
	for (uint32_t i = 0; i < x->amounts.n; i++) {
		const struct amount *a = &x->amounts.all[i];

		str_init(&what);
		explain_which(x, a->cause, a->which, &what);
		fmt_seconds(cell, sizeof cell, a->seconds);
		str_printf(out, "  %12s %5.1f %%  %s%s%s\n", cell,
		           total > 0 ? 100 * a->seconds / total : 0, cause_name(a->cause),
		           what.n ? " " : "", str_of(out, &what));
		str_release(&what);
	}
	for (uint32_t i = 0; i < x->n_choices; i++) {
		fmt_seconds(cell, sizeof cell, x->choices[i].seconds);
		str_printf(out, "%s%llu x %s (%s)\n", i ? "" : "its collectives:\n",
		           (unsigned long long)x->choices[i].times, x->choices[i].text, cell);
	}
	str_init(&what);
	if ((call = unfinished(x, &what, out)))
		str_printf(out, "then, up to the end of what was recorded: %s\n", call);
	str_release(&what);
}

static const char *protocol_text(enum mp_protocol p)
{
	static const char *const texts[] = {
	    "eager: it moves when it is sent, whether or not its receive is posted",
	    "detached: its send ends at once, and it moves when its receive is posted",
	    "rendezvous: it moves when both sides are there, and both wait for its end",
	    "it matches no receive (one-sided, or a partition), and moves at once",
	};
	return texts[p];
}

static const char *protocol_key(enum mp_protocol p)
{
	static const char *const keys[] = {"eager", "detached", "rendezvous", "unmatched"};

	return keys[p];
}

static double segment_end(const struct track *t, uint32_t i)
{
	return i + 1 < t->n ? t->segs[i + 1].from : t->arrived;
}

static void segment_text(struct explainer *x, const struct track *t, uint32_t i, struct str *out)
{
	const struct segment *s = &t->segs[i];
	double end = segment_end(t, i);
	char cell[CELL], rate[CELL];
	struct str which;

	if (end >= 0 && end <= s->from)
		return;
	fmt_seconds(cell, sizeof cell, end < 0 ? 0 : end - s->from);
	str_init(&which);
	explain_which(x, s->cause, s->which, &which);
	str_printf(out, "  %.9f s  %12s  %s%s%s", s->from, end < 0 ? "" : cell,
	           cause_name(s->cause), which.n ? " " : "", str_of(out, &which));
	str_release(&which);
	if (s->rate > 0) {
		fmt_si(rate, sizeof rate, s->rate, "B/s");
		str_printf(out, ", %s", rate);
	}
	if (s->others > 0)
		str_printf(out, ", which %u other%s use%s", s->others, s->others == 1 ? "" : "s",
		           s->others == 1 ? "s" : "");
	str_putc(out, '\n');
}

static int sharer_compare(const void *a, const void *b)
{
	const struct sharer *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
	                          : (x->to > y->to) - (x->to < y->to);
}

static void sharers_text(struct explainer *x, struct str *out)
{
	enum { SHOWN = 20 };
	char cell[CELL], name[160];

	if (x->n_sharers > 1)
		qsort(x->sharers, x->n_sharers, sizeof *x->sharers, sharer_compare);
	for (uint32_t i = 0; i < x->n_sharers && i < SHOWN; i++) {
		const struct sharer *s = &x->sharers[i];

		fmt_seconds(cell, sizeof cell, s->seconds);
		str_printf(out, "%s  %12s  rank %u to rank %u%s, %s\n",
		           i ? "" : "who shared its bottleneck:\n", cell, s->from, s->to,
		           s->acks ? " (acknowledgements)" : "",
		           net_resource_name(x->net, (struct resource_id){s->resource}, name,
		                             sizeof name));
	}
	if (x->n_sharers > SHOWN)
		str_printf(out, "  and %u more\n", x->n_sharers - SHOWN);
}

static void late_text(const struct track *t, struct str *out)
{
	const struct mp_transfer *m = &t->t;
	char cell[CELL];

	str_printf(out, "  %.9f s  sent\n", m->sent);
	if (m->received >= 0)
		str_printf(out, "  %.9f s  receive posted\n", m->received);
	if (m->received > m->sent) {
		fmt_seconds(cell, sizeof cell, m->received - m->sent);
		str_printf(out, "the receiver was late by %s%s\n", cell,
		           m->protocol == PROTOCOL_EAGER ? ", which did not keep the message" : "");
	} else if (m->received >= 0 && m->sent > m->received) {
		fmt_seconds(cell, sizeof cell, m->sent - m->received);
		str_printf(out, "the sender was late by %s\n", cell);
	}
}

static void message_text(struct explainer *x, struct str *out)
{
	const struct track *t = &x->found;
	const struct mp_transfer *m = &t->t;
	char a[128], b[128];

	host_name(x, m->from, a, sizeof a);
	host_name(x, m->to, b, sizeof b);
	str_printf(out, "message %llu%s: rank %u (%s) to rank %u (%s), %.0f bytes",
	           (unsigned long long)x->number, x->from == NOBODY ? "" : " of this pair", m->from,
	           a, m->to, b, m->bytes);
	if (m->coll)
		str_puts(out, ", of a collective\n");
	else
		str_printf(out, ", tag %d\n", m->tag);
	str_printf(out, "%s\n", protocol_text(m->protocol));
	late_text(t, out);
	for (uint32_t i = 0; i < t->n; i++)
		segment_text(x, t, i, out);
	if (t->arrived >= 0)
		str_printf(out, "  %.9f s  arrived\n", t->arrived);
	if (t->done > t->arrived)
		str_printf(out, "  %.9f s  received\n", t->done);
	sharers_text(x, out);
	net_explain(x->net, mp_host(x->mp, m->from), mp_host(x->mp, m->to),
	            m->bytes + net_envelope(x->net), out);
	str_putc(out, '\n');
}

static double run_end(const struct explainer *x)
{
	struct mp_stats s;

	if (!x->mp)
		return x->links_end;
	mp_stats(x->mp, &s);
	return s.end;
}

void explainer_text(struct explainer *x, struct str *out)
{
	if (x->is_path)
		critical_text(x->critical ? &x->critical->told : &x->path, out);
	else if (x->of_links)
		links_text(x->net, run_end(x), out);
	else if (x->of_message)
		message_text(x, out);
	else
		rank_text(x, out);
}

/* --- JSON --- */

static void which_json(struct explainer *x, enum cause c, uint32_t which, struct json *j)
{
	struct str what;

	str_init(&what);
	explain_which(x, c, which, &what);
	if (what.n || what.failed)
		json_put_string(j, "what", str_of(j->out, &what));
	str_release(&what);
}

static void rank_json(struct explainer *x, struct json *j)
{
	const char *call;
	struct str what;

	json_put_int(j, "rank", x->rank);
	json_put_double(j, "seconds", x->end);
	json_key(j, "causes");
	json_array(j);
	if (x->amounts.n > 1)
		qsort(x->amounts.all, x->amounts.n, sizeof *x->amounts.all, amount_compare);
	for (uint32_t i = 0; i < x->amounts.n; i++) {
		json_object(j);
		json_put_string(j, "cause", cause_key(x->amounts.all[i].cause));
		which_json(x, x->amounts.all[i].cause, x->amounts.all[i].which, j);
		json_put_double(j, "seconds", x->amounts.all[i].seconds);
		json_end(j);
	}
	json_end(j);
	json_key(j, "collectives");
	json_array(j);
	for (uint32_t i = 0; i < x->n_choices; i++) {
		json_object(j);
		json_put_string(j, "choice", x->choices[i].text);
		json_put_int(j, "calls", (int64_t)x->choices[i].times);
		json_put_double(j, "seconds", x->choices[i].seconds);
		json_end(j);
	}
	json_end(j);
	str_init(&what);
	if ((call = unfinished(x, &what, j->out)))
		json_put_string(j, "unfinished", call);
	str_release(&what);
}

static void history_json(struct explainer *x, const struct track *t, struct json *j)
{
	json_key(j, "history");
	json_array(j);
	for (uint32_t i = 0; i < t->n; i++) {
		if (segment_end(t, i) >= 0 && segment_end(t, i) <= t->segs[i].from)
			continue;
		json_object(j);
		json_put_double(j, "from", t->segs[i].from);
		json_put_double(j, "to", segment_end(t, i));
		json_put_string(j, "cause", cause_key(t->segs[i].cause));
		which_json(x, t->segs[i].cause, t->segs[i].which, j);
		json_put_double(j, "rate", t->segs[i].rate);
		json_put_int(j, "others", t->segs[i].others);
		json_end(j);
	}
	json_end(j);
}

static void message_json(struct explainer *x, struct json *j)
{
	const struct track *t = &x->found;
	char name[160];
	struct str text;

	json_put_int(j, "from", t->t.from);
	json_put_int(j, "to", t->t.to);
	json_put_double(j, "bytes", t->t.bytes);
	json_put_int(j, "tag", t->t.tag);
	json_key(j, "collective");
	json_bool(j, t->t.coll);
	json_put_string(j, "protocol", protocol_key(t->t.protocol));
	json_put_double(j, "sent", t->t.sent);
	json_put_double(j, "receive_posted", t->t.received);
	json_put_double(j, "moved", t->began);
	json_put_double(j, "arrived", t->arrived);
	json_put_double(j, "received", t->done);
	history_json(x, t, j);
	json_key(j, "sharers");
	json_array(j);
	if (x->n_sharers > 1)
		qsort(x->sharers, x->n_sharers, sizeof *x->sharers, sharer_compare);
	for (uint32_t i = 0; i < x->n_sharers; i++) {
		json_object(j);
		json_put_int(j, "from", x->sharers[i].from);
		json_put_int(j, "to", x->sharers[i].to);
		json_put_double(j, "seconds", x->sharers[i].seconds);
		json_put_string(j, "what",
		                net_resource_name(x->net,
		                                  (struct resource_id){x->sharers[i].resource},
		                                  name, sizeof name));
		json_end(j);
	}
	json_end(j);
	str_init(&text);
	net_explain(x->net, mp_host(x->mp, t->t.from), mp_host(x->mp, t->t.to),
	            t->t.bytes + net_envelope(x->net), &text);
	json_put_string(j, "model", str_of(j->out, &text));
	str_release(&text);
}

void explainer_json(struct explainer *x, struct json *j)
{
	json_object(j);
	if (x->is_path)
		critical_json(x->critical ? &x->critical->told : &x->path, j);
	else if (x->of_links)
		links_json(x->net, run_end(x), j);
	else if (x->of_message)
		message_json(x, j);
	else
		rank_json(x, j);
	json_end(j);
}
