/* prop_html.c: the pages of random runs, through random windows of ranks: the calls and messages in
 * them, unpacked by a reader written from viewer/README.md, are those of the run, to a tick. */
#include "random_run.h"

#include <math.h>
#include <zlib.h>

static struct random_run run;

/* All elements of one class: where the next one begins in the page; the bytes of this one. */
struct bytes {
	const char *page;
	uint8_t data[1 << 18];
	size_t n, at;
};

static int digit(char c)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* 0: there is no more. */
static int next_element(struct bytes *b, const char *class)
{
	static uint8_t packed[1 << 18];
	char opening[128];
	uLongf n = sizeof b->data;
	uint32_t bits = 0, have = 0;
	size_t k = 0;
	const char *p;

	snprintf(opening, sizeof opening, "<script type=\"application/octet-stream\" class=\"%s\">",
	         class);
	p = strstr(b->page, opening);
	if (!p)
		return 0;
	for (p += strlen(opening); digit(*p) >= 0; p++) {
		bits = bits << 6 | (uint32_t)digit(*p);
		have += 6;
		if (have >= 8)
			packed[k++] = (uint8_t)(bits >> (have -= 8));
	}
	assert_int_equal(uncompress(b->data, &n, packed, k), Z_OK);
	b->page = p;
	b->n = n;
	b->at = 0;
	return 1;
}

static uint64_t number(const uint8_t **p)
{
	uint64_t v = 0;
	int shift = 0;

	do
		v |= (uint64_t)(**p & 127) << shift, shift += 7;
	while (*(*p)++ & 128);
	return v;
}

static int64_t zigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static double tick_of(const char *page)
{
	const char *p = strstr(page, "\"tick\":");

	assert_non_null(p);
	return strtod(p + 7, NULL);
}

static uint64_t whole(double bytes)
{
	return bytes < 9e15 ? (uint64_t)llround(bytes) : 0;
}

static int near(int64_t ticks, double tick, double seconds)
{
	return fabs((double)ticks - seconds / tick) <= 1;
}

static int in_window(const struct export_options *o, uint32_t rank)
{
	return rank >= o->first_rank && (o->ranks == 0 || rank < o->first_rank + o->ranks);
}

/* --- calls --- */

static uint32_t next_of_rank(uint32_t rank, uint32_t from)
{
	while (from < run.n_states && run.state[from].rank != rank)
		from++;
	return from;
}

/* One rank of a chunk: its calls are those of the run, in their order. */
static void rank_read(const uint8_t **p, const struct export_options *o, double tick, int *seen)
{
	uint32_t rank = o->first_rank + (uint32_t)number(p), s = next_of_rank(rank, 0);
	uint64_t calls = number(p), n[3];
	const uint8_t *part[3];
	int64_t date = 0;

	assert_true(in_window(o, rank));
	for (int i = 0; i < 3; i++)
		n[i] = number(p);
	for (int i = 0; i < 3; i++) {
		part[i] = *p;
		*p += n[i];
	}
	for (uint64_t i = 0; i < calls; i++) {
		const struct rec_state *w = &run.state[s];
		uint8_t kind = *part[0]++;
		uint64_t partner;

		assert_true(s < run.n_states);
		s = next_of_rank(rank, s + 1);
		assert_int_equal(kind & 127, w->call);
		date += kind & 128 ? (int64_t)number(&part[1]) : 0;
		assert_true(near(date, tick, w->enter));
		date += (int64_t)number(&part[1]);
		assert_true(near(date, tick, w->leave));
		(*seen)++;
		if (call_class(w->call) == TIME_COMPUTE)
			continue;
		assert_true(near((int64_t)number(&part[1]), tick, w->wait));
		partner = number(&part[2]);
		if (partner == 0)
			assert_int_equal(w->partner, -1);
		else
			assert_int_equal((int64_t)rank + zigzag(partner - 1), w->partner);
		assert_int_equal(number(&part[2]), whole(w->bytes));
	}
	assert_int_equal(s, run.n_states); /* it has no more */
	assert_true(part[0] == part[1] - n[1] && part[1] == part[2] - n[2] && part[2] == *p);
}

static void states_read(const char *page, const struct export_options *o)
{
	static struct bytes b;
	int seen = 0, wanted = 0;

	b.page = page;
	while (next_element(&b, "states")) {
		const uint8_t *p = b.data;

		while (p < b.data + b.n)
			rank_read(&p, o, tick_of(page), &seen);
		assert_true(p == b.data + b.n);
	}
	for (uint32_t i = 0; i < run.n_states; i++)
		wanted += in_window(o, run.state[i].rank);
	assert_int_equal(seen, wanted);
}

/* --- messages --- */

static void message_read(const uint8_t **p, int64_t *received, const struct rec_message *m,
                         const struct export_options *o, double tick)
{
	int64_t from, sent, moved;
	uint64_t tail;

	*received += zigzag(number(p));
	assert_true(near(*received, tick, m->received));
	sent = *received - (int64_t)number(p);
	moved = *received - (int64_t)number(p);
	assert_true(near(sent, tick, m->sent) && near(moved, tick, m->moved));
	from = o->first_rank + (int64_t)number(p);
	assert_int_equal(from, m->from);
	assert_int_equal(from + zigzag(number(p)), m->to);
	assert_int_equal(zigzag(number(p)), m->tag);
	assert_int_equal(number(p), whole(m->bytes));
	tail = number(p);
	assert_int_equal(tail / 2, m->comm);
	assert_int_equal(tail % 2, m->coll);
}

static void messages_read(const char *page, const struct export_options *o)
{
	static struct bytes b;
	uint32_t m = 0;

	b.page = page;
	while (next_element(&b, "messages")) {
		const uint8_t *p = b.data;
		int64_t received = 0;

		while (p < b.data + b.n) {
			while (m < run.n_messages && !(in_window(o, run.message[m].from) &&
			                               in_window(o, run.message[m].to)))
				m++;
			assert_true(m < run.n_messages);
			message_read(&p, &received, &run.message[m++], o, tick_of(page));
		}
	}
	for (; m < run.n_messages; m++)
		assert_false(in_window(o, run.message[m].from) && in_window(o, run.message[m].to));
}

static char *page_of(struct recording *rec, struct tmp *t, const struct export_options *o)
{
	char path[256], *text;
	struct err err;
	size_t n;

	snprintf(path, sizeof path, "%s", tmp_path(t, "page.html"));
	assert_ok(exporter_find("html")->export(rec, path, o, &err), err);
	text = input_read_all(path, &n, &err);
	assert_non_null(text);
	return text;
}

static void test_random_pages(void **state)
{
	struct prop_run cases = prop_begin(30);
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (uint64_t i = 0; i < cases.cases; i++) {
		struct export_options o = {0};
		struct recording *rec;
		struct rng r;
		char path[256], *page;

		rng_init(&r, cases.seed, "pages", i);
		random_run_draw(&run, &r, 400);
		if (prop_once_in(&r, 2)) {
			o.first_rank = prop_from(&r, 0, run.ranks - 1);
			o.ranks = prop_from(&r, 0, run.ranks);
		}
		snprintf(path, sizeof path, "%s", tmp_path(&t, "run.orr"));
		rec = random_run_record(&run, path);
		page = page_of(rec, &t, &o);
		states_read(page, &o);
		messages_read(page, &o);
		free(page);
		recording_close(rec);
	}
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
