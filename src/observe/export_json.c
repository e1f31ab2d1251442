/* export_json.c: a recording in Chrome's trace event format, which Perfetto (ui.perfetto.dev),
 * chrome://tracing and speedscope open. Source: "Trace Event Format", Google, 2016 (complete events
 * X, flow events s and f, metadata M).
 *
 * Dates are rounded to nanoseconds before anything is subtracted: that is all Perfetto keeps, and
 * calls that follow each other must not overlap by a rounding, or it would nest them. */
#include "export_int.h"

#include <inttypes.h>
#include <math.h>

static int64_t nanoseconds(double date)
{
	return (int64_t)llround(date < 9e9 ? date * 1e9 : 9e18);
}

/* The format counts in microseconds. */
static void put_us(struct str *s, const char *key, int64_t ns)
{
	str_printf(s, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void put_quoted(struct str *s, const char *text)
{
	struct json j;

	json_init(&j, s);
	json_string(&j, text);
}

static void put_state(struct str *s, const struct rec_state *st)
{
	int64_t start = nanoseconds(st->enter);

	str_printf(s, ",\n{\"ph\":\"X\",\"pid\":0,\"tid\":%u,\"name\":\"%s\",\"cat\":\"%s\"",
	           (unsigned)st->rank, mp_call_name(st->call),
	           time_class_key(call_class(st->call)));
	put_us(s, "ts", start);
	put_us(s, "dur", nanoseconds(st->leave) - start);
	str_puts(s, ",\"args\":{\"bytes\":");
	str_put_double(s, st->bytes);
	if (st->partner >= 0)
		str_printf(s, ",\"partner\":%d", (int)st->partner);
	put_us(s, "waiting_us", nanoseconds(st->wait));
	str_puts(s, st->flags & STATE_OPEN ? ",\"never_ended\":true}}" : "}}");
}

static void put_message(struct str *s, const struct rec_message *m, uint64_t id)
{
	const char *name = m->coll ? "collective message" : "message";

	str_printf(s,
	           ",\n{\"ph\":\"s\",\"pid\":0,\"tid\":%u,\"name\":\"%s\",\"cat\":\"message\","
	           "\"id\":%" PRIu64,
	           (unsigned)m->from, name, id);
	put_us(s, "ts", nanoseconds(m->sent));
	str_puts(s, ",\"args\":{\"bytes\":");
	str_put_double(s, m->bytes);
	str_printf(s, ",\"tag\":%d}}", (int)m->tag);
	str_printf(s,
	           ",\n{\"ph\":\"f\",\"bp\":\"e\",\"pid\":0,\"tid\":%u,\"name\":\"%s\",\"cat\":"
	           "\"message\",\"id\":%" PRIu64,
	           (unsigned)m->to, name, id);
	put_us(s, "ts", nanoseconds(m->received));
	str_putc(s, '}');
}

static void put_other(struct out *o, const char *key, const char *value)
{
	if (!*value)
		return;
	str_printf(&o->s, ",\"%s\":", key);
	put_quoted(&o->s, value);
}

static void put_head(struct out *o, const struct cursor *c)
{
	const struct run_info *info = recording_info(c->r);
	const char *host;
	uint32_t r;

	str_puts(&o->s, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"machine\":");
	put_quoted(&o->s, info->machine);
	str_puts(&o->s, ",\"model\":");
	put_quoted(&o->s, info->model);
	put_other(o, "what_if", info->what_if);
	put_other(o, "failure", info->failure);
	str_puts(&o->s, "},\n\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\","
	                "\"args\":{\"name\":");
	put_quoted(&o->s, info->program[0] ? info->program : "predicted run");
	str_puts(&o->s, "}}");
	for (r = c->o.first_rank; r < c->o.first_rank + c->o.ranks && out_tick(o) == 0; r++) {
		struct str name;
		host = recording_host(c->r, r);
		str_init(&name);
		str_printf(&name, host[0] ? "rank %u on %s" : "rank %u", (unsigned)r, host);
		str_printf(&o->s,
		           ",\n{\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"name\":\"thread_name\","
		           "\"args\":{\"name\":",
		           (unsigned)r);
		put_quoted(&o->s, str_of(&o->s, &name));
		str_printf(&o->s,
		           "}},\n{\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"name\":\"thread_sort_index\","
		           "\"args\":{\"sort_index\":%u}}",
		           (unsigned)r, (unsigned)r);
		str_release(&name);
	}
}

static int export(struct recording *r, const char *path, const struct export_options *options,
                  struct err *err)
{
	struct cursor c;
	struct record rec;
	struct out o;
	uint64_t id = 0;
	int got;

	cursor_init(&c, r, options);
	if (out_open(&o, path, err) < 0)
		return -1;
	put_head(&o, &c);
	while ((got = cursor_next(&c, &rec, err)) > 0 && out_tick(&o) == 0) {
		if (rec.kind == REC_STATE)
			put_state(&o.s, &rec.u.state);
		else
			put_message(&o.s, &rec.u.message, id++);
	}
	str_puts(&o.s, "\n]}\n");
	return out_close(&o, got >= 0, err);
}

extern const struct exporter export_json;
const struct exporter export_json = {
    .name = "json",
    .suffix = ".json",
    .help = "Chrome's trace event format: Perfetto, chrome://tracing",
    .export = export,
};
