/* prop_exports.c: random runs exported through random windows of ranks and dates, each export read
 * back by a small reader of its format that knows nothing of ours: the calls and messages that
 * overlap the window are in it, once, with their figures, and nothing else. */
#include "random_run.h"

#include <ctype.h>
#include <math.h>

static struct random_run run;

/* --- what is in the window --- */

static int in_ranks(const struct export_options *o, uint32_t rank)
{
	return rank >= o->first_rank && (o->ranks == 0 || rank < o->first_rank + o->ranks);
}

static int has_state(const struct export_options *o, const struct rec_state *s)
{
	return in_ranks(o, s->rank) && s->leave >= o->from && (o->to == 0 || s->enter <= o->to);
}

static int has_message(const struct export_options *o, const struct rec_message *m)
{
	return in_ranks(o, m->from) && in_ranks(o, m->to) && m->received >= o->from &&
	       (o->to == 0 || m->sent <= o->to);
}

static struct export_options window_draw(struct rng *r)
{
	struct export_options o = {0};

	if (prop_once_in(r, 2)) {
		o.first_rank = prop_from(r, 0, run.ranks);
		o.ranks = prop_from(r, 0, run.ranks);
	}
	if (prop_once_in(r, 2))
		o.from = rng_unit(r) * run.makespan;
	if (prop_once_in(r, 2))
		o.to = o.from + rng_unit(r) * (run.makespan - o.from) + 1e-9;
	return o;
}

/* --- lines and fields --- */

static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!*line)
		return NULL;
	assert_non_null(end); /* every line ends */
	*end = '\0';
	*at = end + 1;
	return line;
}

/* Fields of CSV without quotes: none of ours needs any. */
static int fields(char *line, char **out, int most)
{
	int n = 0;

	for (char *p = line; p; n++) {
		char *comma = strchr(p, ',');

		assert_true(n < most);
		out[n] = p;
		if (comma)
			*comma = '\0';
		p = comma ? comma + 1 : NULL;
	}
	return n;
}

static double number(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	assert_true(end != text && !*end);
	return v;
}

/* --- CSV: exact doubles, in the order of the recording --- */

static void csv_read(char *text, const struct export_options *o)
{
	char *line = next_line(&text), *f[8];

	assert_string_equal(line, "rank,call,start,end,partner,bytes,wait,ended");
	for (uint32_t i = 0; i < run.n_states; i++) {
		const struct rec_state *s = &run.state[i];

		if (!has_state(o, s))
			continue;
		line = next_line(&text);
		assert_non_null(line);
		assert_int_equal(fields(line, f, 8), 8);
		assert_double_is(number(f[0]), s->rank);
		assert_string_equal(f[1], mp_call_name(s->call));
		assert_double_is(number(f[2]), s->enter);
		assert_double_is(number(f[3]), s->leave);
		if (s->partner < 0)
			assert_string_equal(f[4], "");
		else
			assert_double_is(number(f[4]), s->partner);
		assert_double_is(number(f[5]), s->bytes);
		assert_double_is(number(f[6]), s->wait);
		assert_string_equal(f[7], "1");
	}
	assert_null(next_line(&text));
}

static void messages_read(char *text, const struct export_options *o)
{
	char *line = next_line(&text), *f[9];

	assert_string_equal(line, "from,to,tag,communicator,bytes,sent,moved,received,collective");
	for (uint32_t i = 0; i < run.n_messages; i++) {
		const struct rec_message *m = &run.message[i];
		const double wanted[] = {m->from, m->to,    m->tag,      m->comm, m->bytes,
		                         m->sent, m->moved, m->received, m->coll};

		if (!has_message(o, m))
			continue;
		line = next_line(&text);
		assert_non_null(line);
		assert_int_equal(fields(line, f, 9), 9);
		for (int k = 0; k < 9; k++)
			assert_double_is(number(f[k]), wanted[k]);
	}
	assert_null(next_line(&text));
}

/* --- JSON: a reader of the grammar (RFC 8259), which tells each pair of a key and a value that is
 * no object --- */

struct json_reader {
	const char *p;
	int depth, events;
	struct {
		char ph, name[64];
		double tid, ts, dur, bytes, id, partner, waiting;
	} event;
	void (*event_end)(struct json_reader *j);
	const struct export_options *o;
	double ended[RUN_RANKS];
	uint32_t state, message; /* where in the run's lists we are */
	int half;                /* the start of a message was told, its end is due */
};

static void blank(struct json_reader *j)
{
	while (isspace((unsigned char)*j->p))
		j->p++;
}

static void take(struct json_reader *j, char c)
{
	blank(j);
	if (*j->p != c)
		fail_msg("JSON: '%c' instead of '%c' at %.40s", *j->p, c, j->p);
	j->p++;
}

static void string_read(struct json_reader *j, char *out, size_t n)
{
	size_t k = 0;

	take(j, '"');
	for (; *j->p != '"'; j->p++) {
		assert_true((unsigned char)*j->p >= 0x20); /* control characters are escaped */
		if (*j->p == '\\') {
			j->p++;
			assert_non_null(strchr("\"\\/bfnrtu", *j->p));
		}
		if (k + 1 < n)
			out[k++] = *j->p;
	}
	out[k] = '\0';
	j->p++;
}

static void number_read(struct json_reader *j, double *out)
{
	char *end;

	assert_true(*j->p == '-' || isdigit((unsigned char)*j->p)); /* no inf, no nan, no + */
	*out = strtod(j->p, &end);
	assert_true(end[-1] != '.');
	j->p = end;
}

static void value_read(struct json_reader *j, const char *key);

static void object_read(struct json_reader *j)
{
	char key[64];

	take(j, '{');
	for (blank(j); *j->p != '}'; blank(j)) {
		string_read(j, key, sizeof key);
		take(j, ':');
		value_read(j, key);
		blank(j);
		if (*j->p == '}')
			break;
		take(j, ',');
		blank(j);
		assert_int_equal(*j->p, '"');
	}
	take(j, '}');
}

static void array_read(struct json_reader *j, const char *key)
{
	int events = strcmp(key, "traceEvents") == 0;

	take(j, '[');
	for (blank(j); *j->p != ']'; blank(j)) {
		memset(&j->event, 0, sizeof j->event);
		value_read(j, "");
		if (events)
			j->event_end(j);
		blank(j);
		if (*j->p == ']')
			break;
		take(j, ',');
		blank(j);
		assert_int_not_equal(*j->p, ']');
	}
	take(j, ']');
}

static void field_set(struct json_reader *j, const char *key, double v)
{
	const struct {
		const char *key;
		double *at;
	} all[] = {
	    {"tid", &j->event.tid},           {"ts", &j->event.ts}, {"dur", &j->event.dur},
	    {"bytes", &j->event.bytes},       {"id", &j->event.id}, {"partner", &j->event.partner},
	    {"waiting_us", &j->event.waiting}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].key, key) == 0)
			*all[i].at = v;
}

static void value_read(struct json_reader *j, const char *key)
{
	char text[64];
	double v;

	blank(j);
	if (*j->p == '{') {
		object_read(j);
	} else if (*j->p == '[') {
		array_read(j, key);
	} else if (*j->p == '"') {
		string_read(j, text, sizeof text);
		if (strcmp(key, "ph") == 0)
			j->event.ph = *text;
		else if (strcmp(key, "name") == 0 && !*j->event.name)
			snprintf(j->event.name, sizeof j->event.name, "%s", text);
	} else if (strncmp(j->p, "true", 4) == 0) {
		j->p += 4;
	} else {
		number_read(j, &v);
		field_set(j, key, v);
	}
}

/* Microseconds with three decimals: to half a nanosecond, and what a double keeps of it. */
static void same_date(double us, double seconds)
{
	if (fabs(us - seconds * 1e6) > 0.00051 + 1e-9 * us)
		fail_msg("%.17g us, not %.17g s", us, seconds);
}

static void state_told(struct json_reader *j)
{
	const struct rec_state *s;

	while (j->state < run.n_states && !has_state(j->o, &run.state[j->state]))
		j->state++;
	assert_true(j->state < run.n_states);
	s = &run.state[j->state++];
	assert_double_is(j->event.tid, s->rank);
	assert_string_equal(j->event.name, mp_call_name(s->call));
	same_date(j->event.ts, s->enter);
	same_date(j->event.ts + j->event.dur, s->leave);
	same_date(j->event.waiting, s->wait);
	assert_double_is(j->event.bytes, s->bytes);
	/* Perfetto would nest calls that overlap */
	assert_true(j->event.ts >= j->ended[s->rank] - 1e-9 * j->event.ts);
	j->ended[s->rank] = j->event.ts + j->event.dur;
}

/* Starts and ends of arrows come in pairs with one id. */
static void message_told(struct json_reader *j)
{
	const struct rec_message *m;

	while (j->message < run.n_messages && !has_message(j->o, &run.message[j->message]))
		j->message++;
	assert_true(j->message < run.n_messages);
	m = &run.message[j->message];
	assert_int_equal(j->event.ph, j->half ? 'f' : 's');
	assert_double_is(j->event.tid, j->half ? m->to : m->from);
	same_date(j->event.ts, j->half ? m->received : m->sent);
	if (!j->half)
		assert_double_is(j->event.bytes, m->bytes);
	j->message += (uint32_t)j->half;
	j->half = !j->half;
}

static void event_told(struct json_reader *j)
{
	if (j->event.ph == 'X')
		state_told(j);
	else if (j->event.ph == 's' || j->event.ph == 'f')
		message_told(j);
	else
		assert_int_equal(j->event.ph, 'M');
}

static void json_read(char *text, const struct export_options *o)
{
	struct json_reader j = {.p = text, .o = o, .event_end = event_told};

	value_read(&j, "");
	blank(&j);
	assert_int_equal(*j.p, '\0');
	while (j.state < run.n_states && !has_state(o, &run.state[j.state]))
		j.state++;
	while (j.message < run.n_messages && !has_message(o, &run.message[j.message]))
		j.message++;
	assert_int_equal(j.state, run.n_states);
	assert_int_equal(j.message, run.n_messages);
	assert_false(j.half);
}

/* --- Paje: definitions first, then events whose dates never decrease; states are pushed and popped
 * in containers that are there, links end after they have started (L. M. Schnorr, "Paje trace file
 * format") --- */

struct paje_reader {
	int id[16]; /* of PajePushState, … in the order of paje_names */
	double date;
	int there[RUN_RANKS], pushed[RUN_RANKS];
	struct {
		double date, bytes, wait;
		int call, partner, open;
	} top[RUN_RANKS];
	uint32_t seen; /* states popped */
	char found[RUN_MOST], started[RUN_MOST], ended[RUN_MOST];
	const struct export_options *o;
};
enum { CREATES, DESTROYS, PUSHES, POPS, STARTS, ENDS, PAJE_NAMES };
static const char *const paje_names[PAJE_NAMES] = {"PajeCreateContainer", "PajeDestroyContainer",
                                                   "PajePushState",       "PajePopState",
                                                   "PajeStartLink",       "PajeEndLink"};

static void paje_define(struct paje_reader *p, const char *line)
{
	char name[64];
	int id;

	if (sscanf(line, "%%EventDef %63s %d", name, &id) != 2)
		return;
	for (int i = 0; i < PAJE_NAMES; i++)
		if (strcmp(name, paje_names[i]) == 0)
			p->id[i] = id;
}

static uint32_t paje_rank(const char *container)
{
	unsigned rank;

	assert_int_equal(sscanf(container, "r%u", &rank), 1);
	assert_true(rank < run.ranks);
	return rank;
}

static void paje_push(struct paje_reader *p, const char *line)
{
	char container[32];
	int call, partner;
	double bytes, wait;
	uint32_t r;

	assert_int_equal(sscanf(line, "%*d %*f CALL %31s c%d %d %lf %lf", container, &call,
	                        &partner, &bytes, &wait),
	                 5);
	r = paje_rank(container);
	assert_true(p->there[r]);
	assert_false(p->top[r].open); /* calls of a rank do not nest */
	p->top[r].open = 1;
	p->top[r].date = p->date;
	p->top[r].call = call;
	p->top[r].partner = partner;
	p->top[r].bytes = bytes;
	p->top[r].wait = wait;
}

/* Twelve decimals. */
static int near(double a, double b)
{
	return fabs(a - b) <= 1e-12;
}

static void paje_pop(struct paje_reader *p, const char *line)
{
	char container[32];
	uint32_t r;

	assert_int_equal(sscanf(line, "%*d %*f CALL %31s", container), 1);
	r = paje_rank(container);
	assert_true(p->top[r].open);
	p->top[r].open = 0;
	for (uint32_t i = 0; i < run.n_states; i++) {
		const struct rec_state *s = &run.state[i];

		if (p->found[i] || s->rank != r || !has_state(p->o, s) ||
		    (int)s->call != p->top[r].call || s->partner != p->top[r].partner ||
		    s->bytes != p->top[r].bytes || !near(s->wait, p->top[r].wait) ||
		    !near(s->enter, p->top[r].date) || !near(s->leave, p->date))
			continue;
		p->found[i] = 1;
		p->seen++;
		return;
	}
	fail_msg("a state that was not: %s", line);
}

/* Keys count the messages of the window, in the order of the recording. */
static const struct rec_message *paje_message(const struct paje_reader *p, unsigned long key,
                                              uint32_t *index)
{
	for (uint32_t i = 0; i < run.n_messages; i++)
		if (has_message(p->o, &run.message[i]) && key-- == 0) {
			*index = i;
			return &run.message[i];
		}
	fail_msg("no message has this key");
	return NULL;
}

static void paje_link(struct paje_reader *p, const char *line, int ends)
{
	char container[32], value[32];
	const struct rec_message *m;
	unsigned long key;
	double bytes = 0;
	uint32_t i = 0;
	int tag = 0, n;

	n = sscanf(line, "%*d %*f MESSAGE run %31s %31s %lu %lf %d", value, container, &key, &bytes,
	           &tag);
	assert_int_equal(n, ends ? 3 : 5);
	m = paje_message(p, key, &i);
	assert_string_equal(value, m->coll ? "collective" : "point-to-point");
	assert_int_equal(paje_rank(container), ends ? m->to : m->from);
	assert_true(p->there[paje_rank(container)]);
	assert_true(near(p->date, ends ? m->received : m->sent));
	assert_int_equal(p->started[i], ends);
	assert_false(p->ended[i]);
	(ends ? p->ended : p->started)[i] = 1;
	if (!ends) {
		assert_double_is(bytes, m->bytes);
		assert_int_equal(tag, m->tag);
	}
}

static void paje_event(struct paje_reader *p, const char *line)
{
	unsigned rank;
	double date;
	int id, k = 0;

	id = (int)strtol(line, NULL, 10);
	while (k < PAJE_NAMES && p->id[k] != id)
		k++;
	if (k == PAJE_NAMES) /* a type: without date */
		return;
	assert_int_equal(sscanf(line, "%*d %lf", &date), 1);
	assert_true(date >= p->date);
	p->date = date;
	if (k == CREATES && sscanf(line, "%*d %*f r%u RANK", &rank) == 1)
		p->there[rank]++;
	else if (k == DESTROYS && sscanf(line, "%*d %*f RANK r%u", &rank) == 1)
		p->there[rank]--;
	else if (k == PUSHES)
		paje_push(p, line);
	else if (k == POPS)
		paje_pop(p, line);
	else if (k == STARTS || k == ENDS)
		paje_link(p, line, k == ENDS);
}

static void paje_read(char *text, const struct export_options *o)
{
	static struct paje_reader p;
	uint32_t wanted = 0;
	char *line;

	p = (struct paje_reader){.o = o};
	for (int i = 0; i < PAJE_NAMES; i++)
		p.id[i] = -1;
	while ((line = next_line(&text)))
		if (*line == '%')
			paje_define(&p, line);
		else if (isdigit((unsigned char)*line))
			paje_event(&p, line);
	for (uint32_t i = 0; i < run.n_states; i++)
		wanted += (uint32_t)has_state(o, &run.state[i]);
	assert_int_equal(p.seen, wanted);
	for (uint32_t i = 0; i < run.n_messages; i++)
		assert_int_equal(p.ended[i], has_message(o, &run.message[i]));
	for (uint32_t i = 0; i < run.ranks; i++)
		assert_int_equal(p.there[i], 0);
}

/* --- */

static char *exported(struct recording *rec, const char *name, struct tmp *t,
                      const struct export_options *o)
{
	const struct exporter *e = exporter_find(name);
	char path[256], *text;
	struct err err;
	size_t n;

	assert_non_null(e);
	snprintf(path, sizeof path, "%s", tmp_path(t, "out"));
	assert_ok(e->export(rec, path, o, &err), err);
	text = input_read_all(path, &n, &err);
	assert_non_null(text);
	assert_int_equal(strlen(text), n); /* no NUL in it */
	return text;
}

static void test_random_exports(void **state)
{
	static const struct {
		const char *name;
		void (*read)(char *text, const struct export_options *o);
	} formats[] = {{"csv", csv_read},
	               {"messages", messages_read},
	               {"json", json_read},
	               {"paje", paje_read}};
	struct prop_run cases = prop_begin(60);
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (uint64_t i = 0; i < cases.cases; i++) {
		struct recording *rec;
		struct rng r;
		char path[256];

		rng_init(&r, cases.seed, "exports", i);
		random_run_draw(&run, &r, 60);
		snprintf(path, sizeof path, "%s", tmp_path(&t, "run.orr"));
		rec = random_run_record(&run, path);
		for (size_t k = 0; k < 2 * sizeof formats / sizeof *formats; k++) {
			struct export_options o = window_draw(&r);
			char *text = exported(rec, formats[k / 2].name, &t, &o);

			formats[k / 2].read(text, &o);
			free(text);
		}
		recording_close(rec);
	}
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_exports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
