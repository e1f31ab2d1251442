/* export_paje.c: a recording as a Paje trace, for ViTE, pajeng (pj_dump) and the R scripts made for
 * them. Source: "Paje trace file format", L. M. Schnorr, 2016 (libpaje), and what ViTE 1.2 and
 * pajeng 1.3 accept.
 *
 * A container per rank under one root; a state per call, pushed and popped; a link per message.
 * Dates never decrease, as readers demand: events are sorted, and at one date they keep the order
 * in which they were recorded, so that a call of no duration opens before it closes and a message
 * starts before it ends. Dates have twelve decimals (ps): readers differ on exponents. */
#include "export_int.h"

#include <inttypes.h>

enum { SORT_MEMORY = 64 << 20 };

enum paje_event {
	CONTAINER_TYPE,
	STATE_TYPE,
	LINK_TYPE,
	ENTITY_VALUE,
	CREATE,
	DESTROY,
	PUSH,
	POP,
	LINK_START,
	LINK_END,
	PAJE_EVENTS
};

/* Definition of each event: its name and fields. Fields that Paje does not know are allowed after
 * those it does. */
static const struct {
	const char *name, *fields;
} paje_defs[PAJE_EVENTS] = {
    [CONTAINER_TYPE] = {"PajeDefineContainerType", "Alias string|Type string|Name string"},
    [STATE_TYPE] = {"PajeDefineStateType", "Alias string|Type string|Name string"},
    [LINK_TYPE] =
        {"PajeDefineLinkType",
         "Alias string|Type string|StartContainerType string|EndContainerType string|Name string"},
    [ENTITY_VALUE] = {"PajeDefineEntityValue", "Alias string|Type string|Name string|Color color"},
    [CREATE] = {"PajeCreateContainer",
                "Time date|Alias string|Type string|Container string|Name string"},
    [DESTROY] = {"PajeDestroyContainer", "Time date|Type string|Name string"},
    [PUSH] = {"PajePushState", "Time date|Type string|Container string|Value string|Partner "
                               "int|Bytes double|Waiting double"},
    [POP] = {"PajePopState", "Time date|Type string|Container string"},
    [LINK_START] = {"PajeStartLink",
                    "Time date|Type string|Container string|Value string|StartContainer string|Key "
                    "string|Bytes double|Tag int"},
    [LINK_END] =
        {"PajeEndLink",
         "Time date|Type string|Container string|Value string|EndContainer string|Key string"},
};

/* Okabe and Ito's palette, as in the page. */
static const char *const class_color[TIME_CLASSES] = {
    [TIME_COMPUTE] = "0.00 0.62 0.45", [TIME_P2P] = "0.00 0.45 0.70",
    [TIME_COLL] = "0.80 0.47 0.65",    [TIME_IO] = "0.94 0.89 0.26",
    [TIME_WAIT] = "0.84 0.37 0.00",    [TIME_OTHER] = "0.60 0.60 0.60",
    [TIME_IDLE] = "0.90 0.90 0.90",
};

/* Values of links are words, not defined entities: ViTE knows those of states only. */
static const char *const link_values[] = {"point-to-point", "collective"};

struct paje_item {
	uint8_t event, value; /* value: of a link, 0 point-to-point, 1 collective */
	uint16_t call;
	uint32_t rank;
	int32_t partner, tag;
	double bytes, wait;
	uint64_t key;
};

static void put_definitions(struct str *s)
{
	const char *at, *end;
	int e;

	for (e = 0; e < PAJE_EVENTS; e++) {
		str_printf(s, "%%EventDef %s %d\n", paje_defs[e].name, e);
		for (at = paje_defs[e].fields; *at; at = *end ? end + 1 : end) {
			for (end = at; *end && *end != '|'; end++)
				;
			str_printf(s, "%% %.*s\n", (int)(end - at), at);
		}
		str_puts(s, "%EndEventDef\n");
	}
}

/* Paje has no escapes inside quotes. */
static void put_name(struct str *s, const char *text)
{
	str_putc(s, '"');
	for (; *text; text++)
		str_putc(s, *text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text);
	str_putc(s, '"');
}

static void put_types(struct str *s)
{
	int c;

	str_printf(s, "%d RUN 0 \"run\"\n%d RANK RUN \"rank\"\n", CONTAINER_TYPE, CONTAINER_TYPE);
	str_printf(s, "%d CALL RANK \"call\"\n%d MESSAGE RUN RANK RANK \"message\"\n", STATE_TYPE,
	           LINK_TYPE);
	for (c = 0; c < CALL_CALLS; c++) {
		str_printf(s, "%d c%d CALL ", ENTITY_VALUE, c);
		put_name(s, mp_call_name((enum mp_call)c));
		str_printf(s, " \"%s\"\n", class_color[call_class((enum mp_call)c)]);
	}
}

static void put_containers(struct out *o, const struct cursor *c)
{
	const char *program = recording_info(c->r)->program;
	uint32_t r;

	str_printf(&o->s, "%d 0.000000000000 run RUN 0 ", CREATE);
	put_name(&o->s, program[0] ? program : "run");
	str_putc(&o->s, '\n');
	for (r = c->o.first_rank; r < c->o.first_rank + c->o.ranks && out_tick(o) == 0; r++)
		str_printf(&o->s, "%d 0.000000000000 r%u RANK run \"rank %u\"\n", CREATE,
		           (unsigned)r, (unsigned)r);
}

static void put_end(struct out *o, const struct cursor *c, double end)
{
	uint32_t r;

	for (r = c->o.first_rank; r < c->o.first_rank + c->o.ranks && out_tick(o) == 0; r++)
		str_printf(&o->s, "%d %.12f RANK r%u\n", DESTROY, end, (unsigned)r);
	str_printf(&o->s, "%d %.12f RUN run\n", DESTROY, end);
}

static void put_event(struct str *s, double date, const struct paje_item *i)
{
	str_printf(s, "%d %.12f ", i->event, date);
	switch (i->event) {
	case PUSH:
		str_printf(s, "CALL r%u c%d %d %.0f %.12f\n", (unsigned)i->rank, i->call,
		           (int)i->partner, i->bytes, i->wait);
		break;
	case POP:
		str_printf(s, "CALL r%u\n", (unsigned)i->rank);
		break;
	case LINK_START:
		str_printf(s, "MESSAGE run %s r%u %" PRIu64 " %.0f %d\n", link_values[i->value],
		           (unsigned)i->rank, i->key, i->bytes, (int)i->tag);
		break;
	default:
		str_printf(s, "MESSAGE run %s r%u %" PRIu64 "\n", link_values[i->value],
		           (unsigned)i->rank, i->key);
	}
}

static int sort_state(struct datesort *sort, const struct rec_state *s, struct err *err)
{
	struct paje_item i = {.event = PUSH,
	                      .call = (uint16_t)s->call,
	                      .rank = s->rank,
	                      .partner = s->partner,
	                      .bytes = s->bytes,
	                      .wait = s->wait};

	if (datesort_put(sort, s->enter, &i, err) < 0)
		return -1;
	i.event = POP;
	return datesort_put(sort, s->leave, &i, err);
}

static int sort_message(struct datesort *sort, const struct rec_message *m, uint64_t key,
                        struct err *err)
{
	struct paje_item i = {.event = LINK_START,
	                      .value = m->coll != 0,
	                      .rank = m->from,
	                      .tag = m->tag,
	                      .bytes = m->bytes,
	                      .key = key};

	if (datesort_put(sort, m->sent, &i, err) < 0)
		return -1;
	i.event = LINK_END;
	i.rank = m->to;
	return datesort_put(sort, m->received, &i, err);
}

static int sort_all(struct cursor *c, struct datesort *sort, struct err *err)
{
	struct record rec;
	uint64_t key = 0;
	int got;

	while ((got = cursor_next(c, &rec, err)) > 0) {
		got = rec.kind == REC_STATE ? sort_state(sort, &rec.u.state, err)
		                            : sort_message(sort, &rec.u.message, key++, err);
		if (got < 0)
			return -1;
	}
	return got < 0 ? -1 : datesort_finish(sort, err);
}

static int write_all(struct cursor *c, struct datesort *sort, const char *path, struct err *err)
{
	struct paje_item i;
	struct out o;
	double date;
	int got;

	if (out_open(&o, path, err) < 0)
		return -1;
	put_definitions(&o.s);
	put_types(&o.s);
	put_containers(&o, c);
	while ((got = datesort_next(sort, &date, &i, err)) > 0 && out_tick(&o) == 0)
		put_event(&o.s, date, &i);
	put_end(&o, c, c->totals.makespan);
	return out_close(&o, got >= 0, err);
}

static int export(struct recording *r, const char *path, const struct export_options *options,
                  struct err *err)
{
	struct datesort *sort = datesort_new(sizeof(struct paje_item), SORT_MEMORY, err);
	struct cursor c;
	int got;

	if (!sort)
		return -1;
	cursor_init(&c, r, options);
	got = sort_all(&c, sort, err);
	if (got == 0)
		got = write_all(&c, sort, path, err);
	datesort_free(sort);
	return got;
}

extern const struct exporter export_paje;
const struct exporter export_paje = {
    .name = "paje",
    .suffix = ".paje",
    .help = "Paje: ViTE, pajeng (pj_dump)",
    .export = export,
};
