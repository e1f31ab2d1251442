/* test_html.c: the data inside the page, unpacked here by a second decoder written from
 * viewer/README.md. */
#include "three.h"

#include <zlib.h>

struct bytes {
	uint8_t data[1 << 16];
	size_t n, at;
};

static char *page_of(uint64_t limit, struct str *notices)
{
	char path[256];
	struct err err = {0};
	struct export_options o = {.limit = limit, .notices = notices};
	size_t n;
	char *text;

	snprintf(path, sizeof path, "%s", tmp_path(&tmp, "page.html"));
	assert_ok(exporter_find("html")->export(three, path, &o, &err), err);
	text = input_read_all(path, &n, &err);
	assert_non_null(text);
	return text;
}

static int digit(char c)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The first element of a class, unpacked. */
static void unpack(const char *page, const char *class, struct bytes *out)
{
	static uint8_t packed[1 << 16];
	char opening[128];
	const char *at;
	uLongf n = sizeof out->data;
	uint32_t bits = 0, have = 0;
	size_t k = 0;

	snprintf(opening, sizeof opening, "<script type=\"application/octet-stream\" class=\"%s\">",
	         class);
	at = strstr(page, opening);
	assert_non_null(at);
	for (at += strlen(opening); digit(*at) >= 0; at++) {
		bits = bits << 6 | (uint32_t)digit(*at);
		have += 6;
		if (have >= 8)
			packed[k++] = (uint8_t)(bits >> (have -= 8));
	}
	assert_int_equal(uncompress(out->data, &n, packed, k), Z_OK);
	out->n = n;
	out->at = 0;
}

static uint64_t number(struct bytes *b)
{
	uint64_t v = 0;
	int shift = 0;

	do
		v |= (uint64_t)(b->data[b->at] & 127) << shift, shift += 7;
	while (b->data[b->at++] & 128);
	return v;
}

static int64_t signed_number(struct bytes *b)
{
	uint64_t v = number(b);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Rank 1: receives 0..5 (waits 4 s for rank 0, 1000 bytes), barrier 5..6, computes 6..8. Ticks are
 * nanoseconds. */
static void calls_of_a_rank(void **state)
{
	static struct bytes b;
	static const uint64_t dates[] = {5000000000, 4000000000, 1000000000, 0, 2000000000};
	static const uint64_t words[] = {1 + 1, 1000, 0, 0}; /* partner 0 is rank - 1: zigzag 1 */
	char *page = page_of(0, NULL);
	uint64_t n[5];
	size_t i, rank;

	(void)state;
	unpack(page, "states", &b);
	for (rank = 0; rank < 2; rank++) {
		for (i = 0; i < 5; i++)
			n[i] = number(&b);
		assert_int_equal(n[0], rank);
		b.at += rank == 0 ? n[2] + n[3] + n[4] : 0;
	}
	assert_int_equal(n[1], 3);
	assert_int_equal(b.data[b.at++], CALL_RECV);
	assert_int_equal(b.data[b.at++], CALL_COLL + COLL_BARRIER);
	assert_int_equal(b.data[b.at++], CALL_COMPUTE);
	for (i = 0; i < 5; i++)
		assert_int_equal(number(&b), dates[i]);
	for (i = 0; i < 4; i++)
		assert_int_equal(number(&b), words[i]);
	free(page);
}

static void messages(void **state)
{
	static struct bytes b;
	static const int64_t second[] = {1000000000, 4000000000, 1000000000};
	char *page = page_of(0, NULL);

	(void)state;
	unpack(page, "messages", &b);
	assert_int_equal(signed_number(&b), 5000000000);
	assert_int_equal(number(&b), 1000000000); /* received - sent */
	assert_int_equal(number(&b), 1000000000); /* received - moved */
	assert_int_equal(number(&b), 0);          /* from */
	assert_int_equal(signed_number(&b), 1);   /* to - from */
	assert_int_equal(signed_number(&b), 42);
	assert_int_equal(number(&b), 1000);
	assert_int_equal(number(&b), 0);
	assert_int_equal(signed_number(&b), second[0]);
	assert_int_equal(number(&b), second[1]);
	assert_int_equal(number(&b), second[2]);
	assert_int_equal(number(&b), 2);
	assert_int_equal(signed_number(&b), -2);
	assert_int_equal(signed_number(&b), 0);
	assert_int_equal(number(&b), 0);
	assert_int_equal(number(&b), 1); /* of a collective */
	assert_int_equal(b.at, b.n);
	free(page);
}

static uint8_t share(const struct bytes *b, int columns, int row, int class, double date)
{
	return b->data[(row * TIME_CLASSES + class) * columns + (int)(date / 8 * columns)];
}

static void densities(void **state)
{
	static struct bytes b;
	struct str notices;
	char *page;
	int columns;

	(void)state;
	str_init(&notices);
	page = page_of(1, &notices);
	assert_non_null(strstr(notices.s, "the page shows densities: 8 calls are more than the 1"));
	assert_non_null(strstr(page, "\"rows\":3,\"columns\":2048"));
	columns = 2048;
	unpack(page, "density", &b);
	assert_int_equal(b.n, 3 * TIME_CLASSES * columns);
	assert_int_equal(share(&b, columns, 0, TIME_COMPUTE, 3.5), 255);
	assert_int_equal(share(&b, columns, 0, TIME_IDLE, 7), 255);
	assert_int_equal(share(&b, columns, 1, TIME_WAIT, 3), 255);
	assert_int_equal(share(&b, columns, 1, TIME_P2P, 4.5), 255);
	assert_int_equal(share(&b, columns, 2, TIME_OTHER, 0.5), 255);
	assert_int_equal(share(&b, columns, 2, TIME_COLL, 5.5), 255);
	assert_int_equal(share(&b, columns, 2, TIME_COLL, 4.5), 0);
	str_release(&notices);
	free(page);
}

/* Names come from users: nothing in them may end a script or start a tag. */
static void names_are_escaped(void **state)
{
	struct run_info info = feed_info;
	struct err err = {0};
	char path[256];
	struct recorder *w;
	struct recording *keep = three;
	char *page;

	(void)state;
	info.program = "</script><b>&";
	snprintf(path, sizeof path, "%s", tmp_path(&tmp, "names.orr"));
	w = recorder_open(path, &info, NULL, NULL, &err);
	assert_non_null(w);
	assert_ok(recorder_close(w, 1, &err), err);
	three = recording_open(path, &err);
	assert_non_null(three);
	page = page_of(0, NULL);
	assert_null(strstr(page, "</script><b>"));
	assert_non_null(strstr(page, "&lt;/script&gt;&lt;b&gt;&amp;"));
	assert_non_null(strstr(page, "\\u003c/script>\\u003cb>&"));
	free(page);
	recording_close(three);
	three = keep;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(calls_of_a_rank),
	    cmocka_unit_test(messages),
	    cmocka_unit_test(densities),
	    cmocka_unit_test(names_are_escaped),
	};
	return cmocka_run_group_tests(tests, three_open, three_close);
}
