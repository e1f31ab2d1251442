/* outline.c: the structure of a compressed trace for eyes, straight from it: no event is unfolded.
 *
 *   ranks 9-14,17-22: 12
 *     init
 *     100 times
 *       compute  volume 1e+06  0.0011 s
 *       irecv  peer rank - 8  tag 0  count 64 */
#include "compressed/chapter.h"
#include "compressed/file_name.h"
#include "trace_int.h"

#include <stdio.h>
#include <stdlib.h>

enum { INDENT = 2, RANKS_SHOWN = 24 };

struct outline {
	const struct chapter *c;
	const struct chapter_class *cls;
	struct str *out;
	uint32_t depth;
	struct site_names *sites; /* or NULL */
	struct err *err;          /* where out->failed was set for want of a name */
};

static void line_begin(const struct outline *o)
{
	for (uint32_t i = 0; i < INDENT * o->depth; i++)
		str_putc(o->out, ' ');
}

/* "0-7,9": as far as there is room. */
static void ranks_put(const struct chapter_class *cls, struct str *out)
{
	uint32_t shown = 0;

	for (uint32_t i = 0, k; i < cls->members; i = k) {
		int64_t from = column_get(cls->rank, i);

		for (k = i + 1; k < cls->members && column_get(cls->rank, k) == from + (k - i); k++)
			;
		if (++shown > RANKS_SHOWN) {
			str_puts(out, ",…");
			return;
		}
		str_printf(out, "%s%lld", i ? "," : "", (long long)from);
		if (k > i + 1)
			str_printf(out, "-%lld", (long long)(from + k - i - 1));
	}
}

static void peer_put(const struct chapter_patch *a, const char *name, struct str *out)
{
	int64_t v = column_get(a->p, 0);

	if (!column_is_constant(a->p))
		str_printf(out, "  %s by rank", name);
	else if (a->relation == RELATION_XOR)
		str_printf(out, "  %s rank xor %lld", name, (long long)v);
	else if (a->relation == RELATION_MODULO)
		str_printf(out, "  %s rank + %lld mod P", name, (long long)v);
	else
		str_printf(out, "  %s rank %c %lld", name, v < 0 ? '-' : '+',
		           (long long)(v < 0 ? -v : v));
}

static const char *field_name(enum call_field f)
{
	static const char *const names[CALL_FIELDS] = {
	    [CALL_PEER] = "peer",       [CALL_TAG] = "tag",       [CALL_PEER2] = "from",
	    [CALL_TAG2] = "its tag",    [CALL_ROOT] = "root",     [CALL_COUNT] = "count",
	    [CALL_COUNT2] = "count2",   [CALL_TYPE] = "type",     [CALL_TYPE2] = "type2",
	    [CALL_SIZE] = "bytes",      [CALL_SIZE2] = "bytes2",  [CALL_COMM] = "communicator",
	    [CALL_PARENT] = "parent",   [CALL_REQ] = "request",   [CALL_MESSAGE] = "message",
	    [CALL_OBJECT] = "object",   [CALL_REGION] = "region", [CALL_LINE] = "line",
	    [CALL_TEXT] = "text",       [CALL_COUNTS] = "counts", [CALL_COUNTS2] = "counts2",
	    [CALL_MEMBERS] = "members", [CALL_REMOTE] = "remote", [CALL_REQS] = "requests",
	    [CALL_DONE] = "done",
	};

	return names[f] ? names[f] : "?";
}

/* What is open of a call: drawn, or one by one. */
static void open_put(const struct outline *o, const struct chapter_call *call, uint32_t slot)
{
	for (uint32_t i = 2; i < call->columns; i++) {
		const struct chapter_slot *s = &o->cls->slot[slot + i];
		const char *name = field_name(call->field[i - 2]);
		const struct bins *b = s->bins ? &o->c->bins[s->bins - 1] : NULL;

		if (file_name_uses(call->ev.text, s->field))
			continue;
		if (!b)
			str_printf(o->out, "  %s by turn", name);
		else if (s->field == CALL_PEER || s->field == CALL_PEER2)
			str_printf(o->out, "  %s about rank + %.4g to %.4g mod P", name, b->least,
			           b->most);
		else
			str_printf(o->out, "  %s about %.4g (%.4g to %.4g)", name, b->mean,
			           b->least, b->most);
	}
}

static void params_put(const struct outline *o, const struct chapter_call *call)
{
	for (uint32_t i = 0; i < call->patches; i++) {
		const struct chapter_patch *a = &call->patch[i];

		if (a->relation != RELATION_NONE)
			peer_put(a, field_name(a->field), o->out);
		else
			str_printf(o->out, "  %s by rank", field_name(a->field));
	}
}

/* A cost that is drawn: its mean and range, over all turns. */
static void drawn_put(const struct outline *o, const struct chapter_slot *s, const char *name,
                      const char *unit)
{
	const struct bins *b = chapter_bins(o->c, s, 0);
	double mean = b->mean, least = b->least, most = b->most;

	for (uint32_t i = 1; i < s->turns; i++) {
		b = chapter_bins(o->c, s, i);
		mean += (b->mean - mean) / (i + 1);
		least = b->least < least ? b->least : least;
		most = b->most > most ? b->most : most;
	}
	str_printf(o->out, "  %s about %.4g%s (%.3g to %.3g)", name, mean, unit, least, most);
	if (s->turns)
		str_printf(o->out, " in %u turns", s->turns);
}

/* A cost: what it is for all, where it is drawn from, or that each has its own. */
static void cost_put(const struct outline *o, uint32_t slot, const char *name, const char *unit)
{
	const struct chapter_slot *s = &o->cls->slot[slot];
	double v;

	if (s->bins) {
		drawn_put(o, s, name, unit);
		return;
	}
	if (!s->p || !column_is_constant(s->p + 1)) {
		str_printf(o->out, "  %s by rank", name);
		return;
	}
	v = bits_double(doubles_get(s->p, 0));
	if (v > 0)
		str_printf(o->out, "  %s %.6g%s", name, v, unit);
}

/* The name of a file whose numbers are open: one that is the same for all, "{rank}" where it is so
 * for each rank, "{}" where a rank has several (or, if ranks have costs of their own, a 0). */
static void name_put(const struct outline *o, const struct chapter_call *call, uint32_t slot,
                     struct str *out)
{
	int alone = column_is_constant(o->cls->own) && column_get(o->cls->own, 0) == 0;
	const char *word[FILE_NUMBERS] = {"{}", "{}", "{}", "{}"};
	char number[FILE_NUMBERS][24];

	for (uint32_t i = 2; i < call->columns; i++) {
		const struct chapter_slot *s = &o->cls->slot[slot + i];

		for (int k = 0; k < FILE_NUMBERS; k++) {
			if (s->field != file_name_fields[k])
				continue;
			snprintf(number[k], sizeof number[k], "%lld", (long long)s->value);
			word[k] = !s->fixed ? "{rank}" : s->value || alone ? number[k] : "{}";
		}
	}
	file_name_show(call->ev.text, word, out);
}

/* The text of the event, without its rank and what is not the same for all. */
static void call_put(const struct outline *o, const struct chapter_node *d)
{
	const struct chapter_call *call = &o->cls->call[d->call];
	struct trace_event ev = call->ev;
	struct str line = {0}, name = {0};
	const char *text;

	ev.duration = -1;
	if (file_name_has((enum trace_op)ev.op) && file_name_uses(ev.text, file_name_fields[0])) {
		name_put(o, call, d->slot, &name);
		ev.text = name.s ? name.s : "";
	}
	if (ev.op == TRACE_REGION && o->sites) {
		ev.text = site_names_region(o->sites, ev.text, o->err);
		o->out->failed |= !ev.text;
		ev.text = ev.text ? ev.text : "";
	}
	trace_event_format(&line, 0, &ev);
	text = line.n > 2 ? line.s + 2 : "";
	line_begin(o);
	str_putn(o->out, text, strcspn(text, "\n"));
	params_put(o, call);
	open_put(o, call, d->slot);
	if (ev.op == TRACE_COMPUTE)
		cost_put(o, d->slot, "volume", "");
	cost_put(o, d->slot + 1, "takes", " s");
	str_putc(o->out, '\n');
	o->out->failed |= line.failed || name.failed;
	str_release(&line);
	str_release(&name);
}

static void loop_put(const struct outline *o, const struct chapter_node *d)
{
	const struct chapter_slot *s = &o->cls->slot[d->slot];
	const uint8_t *p = s->p;
	int64_t runs = s->bins ? 0 : column_get(p, 0);

	line_begin(o);
	if (s->bins)
		str_printf(o->out, "about %.4g times (%.3g to %.3g)\n",
		           o->c->bins[s->bins - 1].mean, o->c->bins[s->bins - 1].least,
		           o->c->bins[s->bins - 1].most);
	else if (column_is_constant(p) && runs > 0)
		str_printf(o->out, "%lld times\n", (long long)runs);
	else
		str_puts(o->out, "again and again (how often: by rank or turn)\n");
}

static void nodes_put(struct outline *o, uint32_t at, uint32_t end)
{
	while (at < end) {
		const struct chapter_node *d = &o->cls->node[at];

		if (d->call != NODE_NONE) {
			call_put(o, d);
		} else {
			loop_put(o, d);
			o->depth++;
			nodes_put(o, at + 1, d->end);
			o->depth--;
		}
		at = d->end;
	}
}

static void chapter_put(const struct trace *t, const struct chapter *c, struct str *out,
                        struct err *err)
{
	for (uint32_t i = 0; i < c->classes; i++) {
		struct outline o = {.c = c,
		                    .cls = &c->cls[i],
		                    .out = out,
		                    .depth = 1,
		                    .sites = t->sites,
		                    .err = err};

		str_puts(out, "ranks ");
		ranks_put(o.cls, out);
		str_printf(out, ": %u\n", o.cls->members);
		nodes_put(&o, 0, o.cls->nodes);
	}
}

int trace_outline(const struct trace *t, struct str *out, struct err *err)
{
	if (t->format != &trace_format_nest)
		return err_set(
		    err, ERR_INPUT,
		    "%s: the structure of a compressed trace can be shown: make one with "
		    "'orrery convert -f compressed'",
		    t->path);
	if (compressed_is_whole(t, err) < 0)
		return -1;
	for (uint32_t i = 0; i < compressed_chapters(t); i++)
		chapter_put(t, compressed_chapter(t, i), out, err);
	return out->failed ? err_nomem(err, "an outline", out->n) : 0;
}
