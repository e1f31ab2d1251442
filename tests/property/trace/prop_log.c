/* prop_log.c: logs of random programs (program.h), as a process that was killed leaves them: read
 * as a whole they are what was done; cut anywhere, and with zeros where nothing was written, all
 * that was whole by then; with a byte changed, no more than is said and no crash. The seed is
 * printed. */
#include "../prop.h"

#include "log_made.h"

enum { LOGS = 40, CUTS = 60, CHANGES = 200, FEWER = 2200 };

struct read_log {
	struct str text;
	uint32_t rank;
	int events, notes;
};

static int note(void *self, const char *text, struct err *err)
{
	static const char *const wanted[] = {"orrery-trace 1", "ranks 12", "chapters 0"};
	struct read_log *r = self;

	(void)err;
	if (r->notes < 3)
		assert_string_equal(text, wanted[r->notes]);
	r->notes++;
	return 0;
}

static int any_note(void *self, const char *text, struct err *err)
{
	struct read_log *r = self;

	(void)err;
	r->notes += text[0] != 0;
	return 0;
}

static int event(void *self, const struct trace_event *ev, struct err *err)
{
	struct read_log *r = self;

	(void)err;
	r->events++;
	trace_event_format(&r->text, r->rank, ev);
	return 0;
}

static void read_of(struct read_log *r, const char *bytes, size_t n, int damaged)
{
	struct log_reader reader = {r, damaged ? any_note : note, event};
	/* as it is mapped: nothing may be read behind it */
	uint8_t *copy = malloc(n);
	struct err err;

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	str_clear(&r->text);
	r->events = r->notes = 0;
	assert_ok(log_read(copy, n, &reader, &err), err);
	free(copy);
}

/* The first so many lines. */
static size_t lines_end(const char *text, int lines)
{
	const char *p = text;

	while (lines-- > 0)
		p = strchr(p, '\n') + 1;
	return (size_t)(p - text);
}

static void whole_is(struct read_log *r, const struct made_log *m)
{
	read_of(r, m->bytes.s, m->bytes.n, 0);
	assert_int_equal(r->events, m->n);
	assert_int_equal(r->notes, 3);
	if (m->n > 0)
		assert_string_equal(r->text.s, m->run.text.s);
}

static void events_are(struct read_log *r, const struct made_log *m, const char *bytes, size_t n,
                       int events)
{
	read_of(r, bytes, n, 0);
	assert_int_equal(r->events, events);
	if (events > 0)
		assert_memory_equal(r->text.s, m->run.text.s, lines_end(m->run.text.s, events));
}

/* The file ends there. */
static void cut_is(struct read_log *r, const struct made_log *m, size_t at)
{
	int events = 0;

	while (events < m->n && m->after[events] <= at)
		events++;
	events_are(r, m, m->bytes.s, at, events);
}

/* The process ended while it wrote what event k is: the first byte of that, which is written last,
 * is still a zero, as is all behind it. */
static void killed_is(struct read_log *r, const struct made_log *m, int k, struct rng *rng)
{
	enum { BEHIND = 4096 };
	size_t from = k ? m->after[k - 1] : 0, to = m->after[k], part;
	char *bytes = calloc(1, to + BEHIND);

	if (k == 0) { /* behind the notes */
		free(bytes);
		return;
	}
	assert_non_null(bytes);
	part = rng_below(rng, to - from);
	memcpy(bytes, m->bytes.s, from + part);
	bytes[from] = 0;
	events_are(r, m, bytes, to + BEHIND, k);
	free(bytes);
}

static void logs_are_read_as_far_as_they_go(void **state)
{
	static struct made_log m;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(LOGS); seed++) {
		struct read_log r = {.rank = (uint32_t)(seed % RANKS)};
		size_t head = sizeof LOG_MAGIC - 1;
		struct rng rng;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&rng, seed, "cuts", 0);
		log_make(&m, seed, r.rank, FEWER);
		whole_is(&r, &m);
		for (int i = 0; i < CUTS; i++) {
			cut_is(&r, &m, head + rng_below(&rng, m.bytes.n - head + 1));
			if (m.n > 0)
				killed_is(&r, &m, (int)rng_below(&rng, (uint64_t)m.n), &rng);
		}
		str_release(&r.text);
		log_release(&m);
	}
}

static void changed_ones_do_no_harm(void **state)
{
	static struct made_log m;
	int less = 0;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(LOGS / 4); seed++) {
		struct read_log r = {.rank = 0};
		size_t head = sizeof LOG_MAGIC - 1;
		struct rng rng;

		rng_init(&rng, seed, "changes", 0);
		log_make(&m, seed, 0, FEWER + 200);
		for (int i = 0; i < CHANGES; i++) {
			size_t at = head + rng_below(&rng, m.bytes.n - head);
			char was = m.bytes.s[at];

			m.bytes.s[at] = (char)rng_below(&rng, 256);
			read_of(&r, m.bytes.s, m.bytes.n, 1);
			less += r.events < m.n;
			m.bytes.s[at] = was;
		}
		str_release(&r.text);
		log_release(&m);
	}
	assert_true(less > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(logs_are_read_as_far_as_they_go),
	    cmocka_unit_test(changed_ones_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
