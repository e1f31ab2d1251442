/* prop_foreign_damage.c: text traces of other tools in which numbers are others (the least, the
 * greatest, one too many), characters are others, and lines are missing, twice or cut: each is read
 * to its end, or an error of input is worded; nothing else happens. The seed is printed. */
#include "unit/trace/foreign_text.h"

#include "base/rng.h"

enum { CHANGES = 1500, MOST = 8192 };

static const char dimemas[] =
    "#DIMEMAS:\"x\":1,0:3(1,1,1),2,0,0\nd:1:1:3:0:1:2\nd:1:2:2:2:0\n"
    "1:0:0:0.0000015\n11:0:0:0.5\n2:0:0:1:-1:100:7:1:0\n2:0:0:1:-1:200:8:1:3\n"
    "3:1:0:0:-1:200:8:1:1\n3:1:0:-1:-1:100:-1:1:0\n3:1:0:0:-1:200:8:1:2\n"
    "10:0:0:3:1:0:0:5:0:1\n10:1:0:3:1:1:0:6:18:1\n10:2:0:3:1:0:0:7:0:1\n"
    "10:0:0:9:1:0:0:3:6:1\n10:1:0:9:1:0:0:6:6:1\n10:2:0:9:1:0:0:9:6:1\n"
    "10:0:0:12:1:0:0:3:6:1\n10:1:0:12:1:0:0:6:6:1\n10:2:0:12:1:0:0:9:6:1\n"
    "10:0:0:11:2:0:0:8:8:0\n10:2:0:11:2:0:0:8:8:0\n10:0:0:11:2:0:0:8:8:2\n"
    "10:2:0:11:2:0:0:8:8:2\n20:0:0:1:1\ns:0:80\n";
static const char paraver[] =
    "#Paraver (01/01/2026 at 00:00):2000_ns:1(2):1:2(1:1,1:1),2\n"
    "c:1:1:2:1:2\nc:1:2:2:2:1\n1:1:1:1:1:0:10:1\n"
    "2:1:1:1:1:10:50000001:3\n2:1:1:1:1:20:50000001:0\n"
    "3:1:1:1:1:10:15:2:1:2:1:30:60:64:7\n"
    "2:1:1:2:1:30:50000001:4\n2:1:1:2:1:31:50000001:0\n"
    "2:1:1:2:1:40:50000001:6\n2:1:1:2:1:70:50000001:0\n"
    "2:1:1:1:1:40:50000002:14:50100001:8:50100002:9:50100003:1:50100004:2\n"
    "2:1:1:2:1:80:50000002:14:50100001:5:50100004:2\n"
    "2:1:1:1:1:90:50000002:0\n2:1:1:2:1:90:50000002:0\n"
    "2:1:1:2:1:100:42000050:500:50000003:999\n2:1:1:2:1:110:50000003:0\n"
    "2:1:1:2:1:120:50000003:32\n2:1:1:2:1:130:50000003:0\n";
static const char goal[] = "num_ranks 2\nrank 0 {\nl1: calc 1000 cpu 3\n"
                           "l2: send 1000b to 1 tag 5 cpu 0 nic 1\nl2 requires l1\n"
                           "l3: recv 8b from 1 tag -1\nl3 irequires l2\nl4: calc 500\n"
                           "l4 requires l3\n}\nrank 1 {\na: recv 1000b from -1 tag 5\n"
                           "b: send 8b to 0 tag 6\nb requires a\n}\n";
static const char simgrid[] = "p0 init\np0 compute 5e6\np0 Isend p1 1e6\np0 wait\np0 bcast 8\n"
                              "p1 init\np1 Irecv p0\np1 wait\np1 allReduce 8 9\np1 finalize\n";

/* A number of the text, from a random place on: where it is, and its length; or NULL. */
static char *number_find(struct rng *r, char *text, size_t *n)
{
	char *p = text + rng_below(r, strlen(text));

	p += strcspn(p, "0123456789");
	*n = strspn(p, "0123456789");
	return *n ? p : NULL;
}

static void number_change(struct rng *r, char *text)
{
	static const char *const others[] = {"0",
	                                     "-1",
	                                     "1",
	                                     "3",
	                                     "2147483647",
	                                     "2147483648",
	                                     "4294967295",
	                                     "4294967296",
	                                     "9223372036854775807",
	                                     "9223372036854775808",
	                                     "-9223372036854775808",
	                                     "99999999999999999999999",
	                                     "1e308",
	                                     "0.5",
	                                     ""};
	const char *other = others[rng_below(r, sizeof others / sizeof *others)];
	size_t n, m = strlen(other);
	char *p = number_find(r, text, &n);

	if (!p || strlen(text) + m >= MOST)
		return;
	memmove(p + m, p + n, strlen(p + n) + 1);
	memcpy(p, other, m);
}

static void character_change(struct rng *r, char *text)
{
	static const char others[] = ":, \t\r\n{}\"()#0-9bx\x80\x01";

	text[rng_below(r, strlen(text))] = others[rng_below(r, sizeof others - 1)];
}

static void line_change(struct rng *r, char *text)
{
	char *p = text + rng_below(r, strlen(text)), *end;
	size_t n;

	while (p > text && p[-1] != '\n')
		p--;
	end = p + strcspn(p, "\n");
	n = (size_t)(end - p) + (*end == '\n');
	switch (rng_below(r, 3)) {
	case 0:
		memmove(p, p + n, strlen(p + n) + 1);
		break;
	case 1:
		if (strlen(text) + n < MOST)
			memmove(p + n, p, strlen(p) + 1);
		break;
	default:
		p[rng_below(r, n + 1)] = '\0';
		break;
	}
}

/* 1: it was read to its end. */
static int does_no_harm(const char *path, int even_split)
{
	const struct trace_open_options o = {.even_split = even_split};
	struct err err = {0};
	struct trace *t = trace_open_with(path, 0, &o, &err);
	struct trace_event ev;
	int more = t ? 0 : -1;

	for (uint32_t i = 0; t && i < trace_ranks(t) && i < 64 && more == 0; i++)
		while ((more = trace_next(t, i, &ev, &err)) > 0)
			;
	if (more < 0) {
		assert_true(err.kind == ERR_INPUT || err.kind == ERR_LIMIT);
		assert_true(err.text[0] != '\0');
	}
	trace_close(t);
	return more == 0;
}

static void changed(const char *text, const char *name, uint64_t seed)
{
	int read = 0, refused = 0;
	struct tmp tmp;
	struct rng r;

	print_message("%s: seed %llu\n", name, (unsigned long long)seed);
	rng_init(&r, seed, name, 0);
	tmp_init(&tmp);
	for (int i = 0; i < CHANGES; i++) {
		static char now[2 * MOST];

		snprintf(now, sizeof now, "%s", text);
		for (uint64_t times = 1 + rng_below(&r, 3); times > 0 && *now; times--)
			switch (rng_below(&r, 4)) {
			case 0:
				character_change(&r, now);
				break;
			case 1:
				line_change(&r, now);
				break;
			default:
				number_change(&r, now);
				break;
			}
		if (does_no_harm(fresh_write(&tmp, name, now), i % 2))
			read++;
		else
			refused++;
	}
	assert_true(read > CHANGES / 20 && refused > CHANGES / 20);
	tmp_release(&tmp);
}

static void changed_ones_do_no_harm(void **state)
{
	(void)state;
	changed(dimemas, "x.dim", 1);
	changed(paraver, "x.prv", 2);
	changed(goal, "x.goal", 3);
	changed(simgrid, "x.tit", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(changed_ones_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
