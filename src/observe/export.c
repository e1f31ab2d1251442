/* export.c: the list of exporters, and the records that an export is made of. */
#include "export_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TICK = 4096 }; /* records between two reports of progress */

extern const struct exporter export_html, export_paje, export_json, export_csv, export_messages;
const struct exporter *const exporters[] = {&export_html,     &export_paje, &export_json,
                                            &export_messages, &export_csv,  NULL};

const struct exporter *exporter_find(const char *name)
{
	const struct exporter *const *e;

	for (e = exporters; *e && strcmp((*e)->name, name) != 0; e++)
		;
	return *e;
}

const struct exporter *exporter_of_file(const char *path)
{
	size_t n = strlen(path);

	for (int i = 0; exporters[i]; i++) {
		size_t m = strlen(exporters[i]->suffix);

		if (n > m && !strcmp(path + n - m, exporters[i]->suffix))
			return exporters[i];
	}
	return NULL;
}

void cursor_init(struct cursor *c, struct recording *r, const struct export_options *o)
{
	uint32_t ranks = recording_info(r)->ranks;

	*c = (struct cursor){.r = r, .o = o ? *o : (struct export_options){0}};
	recording_totals(r, &c->totals);
	recording_rewind(r);
	if (c->o.first_rank > ranks)
		c->o.first_rank = ranks;
	if (c->o.ranks == 0 || c->o.ranks > ranks - c->o.first_rank)
		c->o.ranks = ranks - c->o.first_rank;
	if (!(c->o.to > 0))
		c->o.to = HUGE_VAL;
	if (c->o.progress) {
		c->o.progress->done = 0;
		c->o.progress->total = c->totals.states + c->totals.messages + c->totals.comms;
	}
}

static int cursor_has(const struct cursor *c, uint32_t rank)
{
	return rank >= c->o.first_rank && rank - c->o.first_rank < c->o.ranks;
}

static int wanted(const struct cursor *c, const struct record *rec)
{
	const struct rec_state *s = &rec->u.state;
	const struct rec_message *m = &rec->u.message;

	switch (rec->kind) {
	case REC_STATE:
		return cursor_has(c, s->rank) && s->leave >= c->o.from && s->enter <= c->o.to;
	case REC_MESSAGE:
		return cursor_has(c, m->from) && cursor_has(c, m->to) && m->received >= c->o.from &&
		       m->sent <= c->o.to;
	default:
		return 0;
	}
}

int cursor_next(struct cursor *c, struct record *out, struct err *err)
{
	int got;

	while ((got = recording_next(c->r, out, err)) > 0) {
		c->done++;
		if (c->o.progress && c->done % TICK == 0) {
			c->o.progress->done = c->done;
			c->o.progress->tick(c->o.progress);
		}
		if (wanted(c, out))
			break;
	}
	return got;
}

void export_notice(const struct export_options *o, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	if (!o || !o->notices)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	str_printf(o->notices, "%s\n", line);
}
