/* export_csv.c: a recording as tables for R, pandas and spreadsheets: the calls with their dates (a
 * time-stamped event trace), and the messages. Dates are seconds, exact: read back, they are the
 * doubles of the simulation. */
#include "export_int.h"

static void put_doubles(struct str *s, const double *v, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		str_putc(s, ',');
		str_put_double(s, v[i]);
	}
}

static void put_state(struct out *o, const struct rec_state *s)
{
	str_printf(&o->s, "%u,%s", (unsigned)s->rank, mp_call_name(s->call));
	put_doubles(&o->s, (double[]){s->enter, s->leave}, 2);
	if (s->partner >= 0)
		str_printf(&o->s, ",%d", (int)s->partner);
	else
		str_putc(&o->s, ',');
	put_doubles(&o->s, (double[]){s->bytes, s->wait}, 2);
	str_printf(&o->s, ",%d\n", (s->flags & STATE_OPEN) == 0);
}

static void put_message(struct out *o, const struct rec_message *m)
{
	str_printf(&o->s, "%u,%u,%d,%u", (unsigned)m->from, (unsigned)m->to, (int)m->tag,
	           (unsigned)m->comm);
	put_doubles(&o->s, (double[]){m->bytes, m->sent, m->moved, m->received}, 4);
	str_printf(&o->s, ",%u\n", (unsigned)m->coll);
}

static int export_table(struct recording *r, const char *path, const struct export_options *options,
                        enum rec_kind kind, struct err *err)
{
	struct cursor c;
	struct record rec;
	struct out o;
	int got;

	cursor_init(&c, r, options);
	if (out_open(&o, path, err) < 0)
		return -1;
	str_puts(&o.s, kind == REC_STATE
	                   ? "rank,call,start,end,partner,bytes,wait,ended\n"
	                   : "from,to,tag,communicator,bytes,sent,moved,received,collective\n");
	while ((got = cursor_next(&c, &rec, err)) > 0 && out_tick(&o) == 0) {
		if (rec.kind == REC_STATE && kind == REC_STATE)
			put_state(&o, &rec.u.state);
		else if (rec.kind == kind)
			put_message(&o, &rec.u.message);
	}
	return out_close(&o, got >= 0, err);
}

static int export_states(struct recording *r, const char *out, const struct export_options *o,
                         struct err *err)
{
	return export_table(r, out, o, REC_STATE, err);
}

static int export_messages_table(struct recording *r, const char *out,
                                 const struct export_options *o, struct err *err)
{
	return export_table(r, out, o, REC_MESSAGE, err);
}

extern const struct exporter export_csv, export_messages;
const struct exporter export_csv = {
    .name = "csv",
    .suffix = ".csv",
    .help = "time-stamped calls: rank, call, start, end, partner, bytes, waiting",
    .export = export_states,
};
const struct exporter export_messages = {
    .name = "messages",
    .suffix = ".messages.csv",
    .help = "messages: from, to, tag, bytes, and when they were sent, moved and received",
    .export = export_messages_table,
};
