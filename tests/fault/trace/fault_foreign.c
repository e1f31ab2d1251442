/* fault_foreign.c: traces of other tools when each allocation, read, open or write fails in turn: a
 * worded error, nothing leaked; and what is read all the same is the same. Small files of each
 * format, with everything that makes a reader allocate: communicators, wildcards, collectives with
 * blocks, requests, notices. */
#include "fault/fault.h"

#include "property/trace/dumpi_draw.h"
#include "property/trace/goal_draw.h"

#include <sys/stat.h>

/* All that is read of a trace, told. */
static int read_trace(void *arg, struct err *err)
{
	const struct trace_open_options o = {.even_split = 1};
	struct trace *t = trace_open_with(arg, 0, &o, err);
	struct trace_event ev;
	struct str line = {0};
	int more = 0;

	if (!t)
		return -1;
	for (uint32_t i = trace_ranks(t); i > 0 && more >= 0; i--)
		while ((more = trace_next(t, i - 1, &ev, err)) > 0) {
			fault_hold(1);
			str_clear(&line);
			trace_event_format(&line, i - 1, &ev);
			fault_told(line.s, line.n);
			fault_hold(0);
		}
	if (more >= 0)
		fault_told(trace_notices(t), strlen(trace_notices(t)));
	str_release(&line);
	trace_close(t);
	return more;
}

static void sweep(const char *path)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_OPEN, FAULT_LOOK};
	char name[320];

	snprintf(name, sizeof name, "%s", path);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		fault_sweep(kinds[i], read_trace, name);
}

static void goal(void **state)
{
	static struct draw_goal g;
	static struct blob b;
	struct str text = {0};
	struct tmp tmp;
	struct rng r;

	(void)state;
	rng_init(&r, 7, "faults", 0);
	do
		draw_schedule(&r, &g);
	while (g.ranks < 3);
	goal_text_put(&r, &text, &g);
	goal_binary_put(&b, &g);
	tmp_init(&tmp);
	sweep(tmp_write(&tmp, "s.goal", text.s));
	sweep(tmp_write_n(&tmp, "s.bin", b.at, b.n));
	str_release(&text);
	tmp_release(&tmp);
}

static void dimemas(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	sweep(tmp_write(&tmp, "t.dim",
	                "#DIMEMAS:\"x\":1,0:3(1,1,1),2,0,0\nd:1:1:3:0:1:2\nd:1:2:2:2:0\n"
	                "1:0:0:0.0000015\n11:0:0:0.5\n2:0:0:1:-1:100:7:1:0\n2:0:0:1:-1:200:8:1:3\n"
	                "3:1:0:0:-1:200:8:1:1\n3:1:0:-1:-1:100:-1:1:0\n3:1:0:0:-1:200:8:1:2\n"
	                "10:0:0:3:1:0:0:5:0:1\n10:1:0:3:1:1:0:6:18:1\n10:2:0:3:1:0:0:7:0:1\n"
	                "10:0:0:9:1:0:0:3:6:1\n10:1:0:9:1:0:0:6:6:1\n10:2:0:9:1:0:0:9:6:1\n"
	                "10:0:0:11:2:0:0:8:8:0\n10:2:0:11:2:0:0:8:8:0\n10:0:0:11:2:0:0:8:8:2\n"
	                "10:2:0:11:2:0:0:8:8:2\n"));
	tmp_release(&tmp);
}

/* Every kind of call of dumpi_draw.h. */
static void dumpi(void **state)
{
	static struct dumpi_world w;
	char path[320];
	struct dumpi_rank *k = &w.rank[0];
	struct tmp tmp;
	struct rng r;

	(void)state;
	rng_init(&r, 3, "faults", 0);
	w.r = &r;
	w.ranks = 1;
	w.version[1] = 11;
	w.mask = M_STATUS | M_WALL;
	w.counters = -1;
	w.half_n[0] = 1;
	k->left = -1;
	k->b.big = 1;
	blob_put(&k->b, 0xffaadd44554d5049u, 8);
	blob_put(&k->b, 0, 8);
	call(&w, k, DF_COMM_SPLIT);
	blob_put(&k->b, C_WORLD, 2);
	int_put(&k->b, 0);
	int_put(&k->b, 0);
	blob_put(&k->b, C_HALF, 2);
	call(&w, k, DF_COMM_DUP);
	blob_put(&k->b, C_WORLD, 2);
	blob_put(&k->b, C_DUP, 2);
	call(&w, k, DF_TYPE_CONTIGUOUS);
	int_put(&k->b, 3);
	blob_put(&k->b, T_INT, 2);
	blob_put(&k->b, T_USER, 2);
	for (int i = 0; i < 12; i++) {
		blocking_call(&w, k);
		post_call(&w, k);
		post_call(&w, k);
		one_call(&w, k);
		any_call(&w, k);
		some_call(&w, k);
		all_call(&w, k);
	}
	blob_put(&k->b, DF_END, 2);
	blob_put(&k->b, 0xffaadd44554d5049u, 8);
	for (int i = 0; i < 7; i++)
		blob_put(&k->b, 0, 8);
	tmp_init(&tmp);
	snprintf(path, sizeof path, "%s", tmp.dir);
	tmp_write_n(&tmp, "d-0000.bin", k->b.at, k->b.n);
	sweep(path);
	tmp_release(&tmp);
}

static const char edf[] = "4 dynamic_trace_events\n"
                          "1 MPI 0 \"MPI_Isend()  \" EntryExit\n"
                          "2 MPI 0 \"MPI_Irecv()  \" EntryExit\n"
                          "3 MPI 0 \"MPI_Waitall()  \" EntryExit\n"
                          "4 MPI 0 \"MPI_Alltoallv()  \" EntryExit\n"
                          "5 TAUEVENT 0 \"Message size for all-to-all\" TriggerValue\n"
                          "6 MPI 0 \"MPI_Startall()  \" EntryExit\n"
                          "7 MPI 0 \"MPI_Win_fence()  \" EntryExit\n";

static void record(struct blob *b, unsigned node, uint32_t event, uint64_t parameter, uint64_t us)
{
	blob_put(b, event, 4);
	blob_put(b, node, 2);
	blob_put(b, 0, 2);
	blob_put(b, parameter, 8);
	blob_put(b, us, 8);
}

static void tau_rank(struct blob *b, unsigned node)
{
	static const uint32_t functions[] = {2, 1, 3, 4, 6, 7, 2, 1, 3};
	const uint64_t message = 8 | 3 << 16 | (uint64_t)!node << 24;

	record(b, node, 60000, 3, 100);
	for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
		record(b, node, functions[i], 1, 100 + 10 * i);
		if (functions[i] == 1)
			record(b, node, 60007, message, 101 + 10 * i);
		if (functions[i] == 3)
			record(b, node, 60008, message, 102 + 10 * i);
		if (functions[i] == 4)
			record(b, node, 5, 64, 102 + 10 * i);
		record(b, node, functions[i], (uint64_t)-1, 105 + 10 * i);
	}
}

static void tau(void **state)
{
	struct blob b = {.n = 0};
	char path[320];
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	tau_rank(&b, 0);
	tmp_write_n(&tmp, "tautrace.0.0.0.trc", b.at, b.n);
	tmp_write(&tmp, "events.0.edf", edf);
	b.n = 0;
	tau_rank(&b, 1);
	tmp_write_n(&tmp, "tautrace.1.0.0.trc", b.at, b.n);
	tmp_write(&tmp, "events.1.edf", edf);
	snprintf(path, sizeof path, "%s", tmp.dir);
	/* The tool's folder is recognised by files that cannot be opened either. */
	fault_sweep(FAULT_ALLOC, read_trace, path);
	fault_sweep(FAULT_READ, read_trace, path);
	tmp_release(&tmp);
}

static void paraver(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	tmp_write(&tmp, "t.pcf",
	          "EVENT_TYPE\n9   50000001    MPI Point-to-point\nVALUES\n77   MPI_Isend\n\n");
	sweep(tmp_write(&tmp, "t.prv",
	                "#Paraver (01/01/2026 at 00:00):2000_ns:1(2):1:2(1:1,1:1),2\n"
	                "c:1:1:2:1:2\nc:1:2:2:2:1\n"
	                "2:1:1:1:1:10:50000001:77\n2:1:1:1:1:20:50000001:0\n"
	                "3:1:1:1:1:10:15:2:1:2:1:30:60:64:7\n"
	                "2:1:1:2:1:30:50000001:4\n2:1:1:2:1:31:50000001:0\n"
	                "2:1:1:2:1:40:50000001:6\n2:1:1:2:1:70:50000001:0\n"
	                "2:1:1:1:1:40:50000002:14:50100001:8:50100002:9:50100003:1:50100004:2\n"
	                "2:1:1:2:1:80:50000002:14:50100001:5:50100004:2\n"
	                "2:1:1:1:1:90:50000002:0\n2:1:1:2:1:90:50000002:0\n"
	                "2:1:1:2:1:100:42000050:500:50000003:999\n2:1:1:2:1:110:50000003:0\n"
	                "2:1:1:2:1:120:50000003:32\n2:1:1:2:1:130:50000003:0\n"));
	tmp_release(&tmp);
}

/* The translation of a long one goes to a file. */
static void a_long_one(void **state)
{
	enum { LINES = 12000 };
	struct str s = {0};
	struct tmp tmp;

	(void)state;
	str_puts(&s, "num_ranks 1\nrank 0 {\n");
	for (int i = 0; i < LINES; i++)
		str_printf(&s, "send %d000000b to 0 tag %d\n", i, i);
	str_puts(&s, "}\n");
	tmp_init(&tmp);
	tmp_write(&tmp, "l.goal", s.s);
	fault_sweep(FAULT_WRITE, read_trace, tmp.path);
	fault_sweep(FAULT_READ, read_trace, tmp.path);
	fault_sweep(FAULT_OPEN, read_trace, tmp.path);
	fault_sweep(FAULT_LOOK, read_trace, tmp.path);
	str_release(&s);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(goal), cmocka_unit_test(dimemas), cmocka_unit_test(dumpi),
	    cmocka_unit_test(tau),  cmocka_unit_test(paraver), cmocka_unit_test(a_long_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
