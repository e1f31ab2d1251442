/* prop_player.c: random traces played by the player (tracer/player), which is traced: what it calls
 * is what the trace says, in bytes, whatever types the trace had (player.h). The buffers that it
 * gives to MPI, and its lists of counts, are as long as MPI reads and writes them (MPI 4.0, chapter
 * 6), which is worked out here from the trace. */
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

#include "player/player.h"

enum { STEPS = 50, REQUESTS = 8, NEIGHBORS = 9, COUNTS = FAKE_RANKS };

struct type {
	int number, bytes;
};

static const struct type types[] = {{0, 8}, {1, 4}, {2, 1}, {6, 1}, {-1, 24}, {-1, 7}};

struct program {
	struct traced t;
	struct rng rng;
	struct str trace;
	int ranks, rank;
	int number[REQUESTS]; /* in the trace that is played; 0: none is outstanding */
	int sources, dests;   /* neighbours of the graph */
	int64_t bytes;        /* that the largest buffer needs */
	int counts;           /* elements that the longest list needs */
};

static int draw(struct program *p, int lo, int hi)
{
	return (int)prop_from(&p->rng, (uint32_t)lo, (uint32_t)hi);
}

static struct type type_draw(struct program *p)
{
	return types[draw(p, 0, (int)(sizeof types / sizeof *types) - 1)];
}

__attribute__((format(printf, 2, 3))) static void say(struct program *p, const char *fmt, ...)
{
	char line[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	str_printf(&p->trace, "%d %s\n", p->rank, line);
}

static const char *size_key(struct type t, int second)
{
	static char text[2][32];

	text[second][0] = '\0';
	if (t.number < 0)
		snprintf(text[second], sizeof text[second], " dtsize%s=%d", second ? "2" : "",
		         t.bytes);
	return text[second];
}

static void needs(struct program *p, int64_t bytes, int counts)
{
	p->bytes = bytes > p->bytes ? bytes : p->bytes;
	p->counts = counts > p->counts ? counts : p->counts;
}

/* The place of a request that is not outstanding; -1: there is none. */
static int place_free(const struct program *p)
{
	for (int i = 0; i < REQUESTS; i++)
		if (!p->number[i])
			return i;
	return -1;
}

/* --- messages --- */

static void message(struct program *p)
{
	static const char *const names[][2] = {
	    {"send", "send"},   {"ssend", "ssend"},   {"bsend", "send"},   {"rsend", "rsend"},
	    {"isend", "isend"}, {"issend", "issend"}, {"ibsend", "isend"}, {"irsend", "irsend"},
	    {"recv", "recv"},   {"irecv", "irecv"}};
	int k = draw(p, 0, 9), i = place_free(p), n = draw(p, 0, 3000), tag = draw(p, 0, 9);
	int later = *names[k][0] == 'i', peer = draw(p, 0, 4) ? draw(p, 0, p->ranks - 1) : -2;
	struct type t = type_draw(p);
	char req[2][32] = {"", ""};

	if (later && i < 0)
		return;
	if (later) {
		p->number[i] = 100 + draw(p, 0, 900) * REQUESTS + i;
		snprintf(req[0], sizeof req[0], " req=%d", p->number[i]);
		snprintf(req[1], sizeof req[1], " req=%d", i);
	}
	say(p, "%s %d %d %d %d%s%s", names[k][0], peer, tag, n, t.number, req[0], size_key(t, 0));
	traced_want(&p->t, "%s %d %d %d 6%s", names[k][1], peer, tag, n * t.bytes, req[1]);
	needs(p, (int64_t)n * t.bytes, 0);
}

static void sendrecv(struct program *p)
{
	struct type t = type_draw(p), u = type_draw(p);
	int n = draw(p, 0, 3000), m = draw(p, 0, 3000), to = draw(p, 0, p->ranks - 1);

	say(p, "sendRecv %d %d %d %d %d %d tags=3,4%s%s", n, to, m, to, t.number, u.number,
	    size_key(t, 0), size_key(u, 1));
	traced_want(&p->t, "sendRecv %d %d %d %d 6 6 tags=3,4", n * t.bytes, to, m * u.bytes, to);
	needs(p, (int64_t)n * t.bytes, 0);
	needs(p, (int64_t)m * u.bytes, 0);
}

static void wait_one(struct program *p)
{
	int i = draw(p, 0, REQUESTS - 1), chooses = draw(p, 0, 1);

	if (!p->number[i])
		return;
	if (chooses) /* a call that chose: what it completed is waited for */
		say(p, "waitany 1 reqs=%d done=%d", p->number[i], p->number[i]);
	else
		say(p, "wait req=%d", p->number[i]);
	traced_want(&p->t, "wait req=%d", i);
	p->number[i] = 0;
}

static void wait_all(struct program *p)
{
	struct str theirs, ours;
	int n = 0;

	str_init(&theirs);
	str_init(&ours);
	for (int i = 0; i < REQUESTS; i++) {
		if (!p->number[i])
			continue;
		str_printf(&theirs, "%s%d", n ? "," : "", p->number[i]);
		str_printf(&ours, "%s%d", n ? "," : "", i);
		p->number[i] = 0;
		n++;
	}
	if (n > 0) {
		say(p, "waitall %d reqs=%s", n, theirs.s);
		traced_want(&p->t, "waitall %d reqs=%s", n, ours.s);
	}
	str_release(&theirs);
	str_release(&ours);
}

/* --- collectives on the world --- */

/* Reduced are doubles or ints where the elements are as large, else bytes. */
static void unit_of(struct type t, int *number, int *factor)
{
	*number = t.bytes == 8 ? 0 : t.bytes == 4 ? 1 : 6;
	*factor = *number == 6 ? t.bytes : 1;
}

static void reduction(struct program *p)
{
	static const char *const names[] = {"allreduce", "scan", "exscan", "reducescatterblock"};
	struct type t = type_draw(p);
	int k = draw(p, 0, 3), n = draw(p, 0, 500), strict = !draw(p, 0, 3), number, factor;

	unit_of(t, &number, &factor);
	say(p, "%s %d 0 %d%s%s", names[k], n, t.number, size_key(t, 0),
	    strict ? " op=noncommutative" : "");
	traced_want(&p->t, "%s %d 0 %d%s", names[k], n * factor, number,
	            strict ? " op=own_noncommutative" : "");
	needs(p, (int64_t)n * t.bytes * (k == 3 ? p->ranks : 1), 0);
}

/* Each rank gets a part; what is given is all of them. */
static void reduce_scatter(struct program *p)
{
	struct type t = type_draw(p);
	struct str theirs, ours;
	int64_t sum = 0;
	int number, factor;

	unit_of(t, &number, &factor);
	str_init(&theirs);
	str_init(&ours);
	for (int i = 0; i < p->ranks; i++) {
		int n = draw(p, 0, 3000);

		str_printf(&theirs, "%d ", n);
		str_printf(&ours, "%d ", n * factor);
		sum += n;
	}
	say(p, "reducescatter %s0 %d%s", theirs.s, t.number, size_key(t, 0));
	traced_want(&p->t, "reducescatter %s0 %d", ours.s, number);
	needs(p, sum * t.bytes, p->ranks);
	str_release(&theirs);
	str_release(&ours);
}

static void rooted(struct program *p)
{
	struct type t = type_draw(p);
	int root = draw(p, 0, p->ranks - 1), n = draw(p, 0, 500), k = draw(p, 0, 2);
	int at_root = root == p->rank;

	if (k == 0) {
		say(p, "bcast %d %d %d%s", n, root, t.number, size_key(t, 0));
		traced_want(&p->t, "bcast %d %d 6", n * t.bytes, root);
		needs(p, (int64_t)n * t.bytes, 0);
		return;
	}
	if (k == 1)
		say(p, "gather %d %d %d %d %d%s%s", n, at_root ? n : 0, root, t.number, t.number,
		    size_key(t, 0), size_key(t, 1));
	else
		say(p, "scatter %d %d %d %d %d%s%s", at_root ? n : 0, n, root, t.number, t.number,
		    size_key(t, 0), size_key(t, 1));
	n *= t.bytes;
	traced_want(&p->t, "%s %d %d %d 6 6", k == 1 ? "gather" : "scatter",
	            k == 1 || at_root ? n : 0, k == 2 || at_root ? n : 0, root);
	needs(p, (int64_t)n * (at_root ? p->ranks : 1), 0);
}

static void all(struct program *p)
{
	struct type t = type_draw(p), u = type_draw(p);
	int n = draw(p, 0, 500), m = draw(p, 0, 500), gathers = draw(p, 0, 1);

	say(p, "%s %d %d %d %d%s%s", gathers ? "allgather" : "alltoall", n, m, t.number, u.number,
	    size_key(t, 0), size_key(u, 1));
	traced_want(&p->t, "%s %d %d 6 6", gathers ? "allgather" : "alltoall", n * t.bytes,
	            m * u.bytes);
	needs(p, (int64_t)n * t.bytes * (gathers ? 1 : p->ranks), 0);
	needs(p, (int64_t)m * u.bytes * p->ranks, 0);
}

/* A list of `n` counts: elements, their sum, the same in bytes. */
static int64_t list(struct program *p, int n, struct type t, const char *separator,
                    struct str *theirs, struct str *ours)
{
	int64_t sum = 0;

	str_init(theirs);
	str_init(ours);
	str_puts(theirs, "");
	str_puts(ours, "");
	for (int i = 0; i < n; i++) {
		int count = draw(p, 0, 900);

		str_printf(theirs, "%s%d", i ? separator : "", count);
		str_printf(ours, "%s%d", i ? separator : "", count * t.bytes);
		sum += count;
	}
	needs(p, sum * t.bytes, n);
	return sum;
}

static void alltoallv(struct program *p)
{
	struct type t = type_draw(p), u = type_draw(p);
	struct str a, b, c, d;
	int64_t n = list(p, p->ranks, t, " ", &a, &b), m = list(p, p->ranks, u, " ", &c, &d);

	say(p, "alltoallv %lld %s %lld %s %d %d%s%s", (long long)n, a.s, (long long)m, c.s,
	    t.number, u.number, size_key(t, 0), size_key(u, 1));
	traced_want(&p->t, "alltoallv %lld %s %lld %s 6 6", (long long)n * t.bytes, b.s,
	            (long long)m * u.bytes, d.s);
	str_release(&a);
	str_release(&b);
	str_release(&c);
	str_release(&d);
}

/* --- neighbours: there may be more than ranks (two in each direction of a ring of one) --- */

static void graph_make(struct program *p)
{
	char sources[128] = "", dests[128] = "";
	int n = 0;

	p->sources = draw(p, 0, NEIGHBORS);
	p->dests = draw(p, 0, NEIGHBORS);
	for (int i = 0; i < p->sources; i++)
		n += snprintf(sources + n, sizeof sources - (size_t)n, "%s%d", i ? "," : "",
		              draw(p, 0, p->ranks - 1));
	n = 0;
	for (int i = 0; i < p->dests; i++)
		n += snprintf(dests + n, sizeof dests - (size_t)n, "%s%d", i ? "," : "",
		              draw(p, 0, p->ranks - 1));
	say(p, "comm_create comm=0.77 members=0-%d sources=%s dests=%s", p->ranks - 1, sources,
	    dests);
	/* a communicator of the members, from which the graph is made; rank 0 names both */
	traced_want(&p->t, "comm_create_group comm=0.%d members=0-%d", p->rank ? 999 : 0,
	            p->ranks - 1);
	traced_want(&p->t, "comm_create comm=0.%d parent=0.%d members=0-%d sources=%s dests=%s",
	            p->rank ? 1000 : 1, p->rank ? 999 : 0, p->ranks - 1, sources, dests);
	traced_want(&p->t, "comm_free comm=0.%d", p->rank ? 999 : 0);
}

static void neighbors(struct program *p)
{
	struct type t = type_draw(p), u = type_draw(p);
	int k = draw(p, 0, 2), n = draw(p, 0, 900), m = draw(p, 0, 900);
	const int named = p->rank ? 1000 : 1;
	struct str a, b, c, d;

	if (k < 2) {
		const char *name = k ? "neighbor_alltoall" : "neighbor_allgather";

		say(p, "%s %d %d %d %d comm=0.77%s%s", name, n, m, t.number, u.number,
		    size_key(t, 0), size_key(u, 1));
		traced_want(&p->t, "%s %d %d 6 6 comm=0.%d", name, n * t.bytes, m * u.bytes, named);
		needs(p, (int64_t)n * t.bytes * (k ? p->dests : 1), 0);
		needs(p, (int64_t)m * u.bytes * p->sources, 0);
		return;
	}
	list(p, p->dests, t, ",", &a, &b);
	list(p, p->sources, u, ",", &c, &d);
	say(p, "neighbor_alltoallv %d %d comm=0.77 scounts=%s rcounts=%s%s%s", t.number, u.number,
	    a.s, c.s, size_key(t, 0), size_key(u, 1));
	traced_want(&p->t, "neighbor_alltoallv 6 6 comm=0.%d scounts=%s rcounts=%s", named, b.s,
	            d.s);
	str_release(&a);
	str_release(&b);
	str_release(&c);
	str_release(&d);
}

/* --- playing --- */

static void trace_write(struct program *p, struct tmp *folder)
{
	struct str file;

	str_init(&file);
	str_printf(&file, "# orrery-trace 1 ranks=%d\n", p->ranks);
	for (int i = 0; i < p->ranks; i++)
		if (i != p->rank)
			str_printf(&file, "%d init\n%d finalize\n", i, i);
	str_printf(&file, "%d init\n%s%d finalize\n", p->rank, p->trace.s, p->rank);
	tmp_write_n(folder, "played", file.s, file.n);
	str_release(&file);
}

/* One event after the other; behind each, what it needed is there. */
static void play(struct program *p, struct tmp *folder)
{
	struct player player = {.noncommutative = MPI_OP_NULL,
	                        .computation = PLAYER_NONE,
	                        .rank = p->rank,
	                        .ranks = p->ranks};
	struct trace_event ev;
	struct err err = {0};
	int more;

	player.trace = trace_open(tmp_path(folder, "played"), 0, &err);
	if (!player.trace)
		fail_msg("%s", err.text);
	trace_only(player.trace, (uint32_t)p->rank);
	while ((more = trace_next(player.trace, (uint32_t)p->rank, &ev, &err)) > 0)
		if (player_issue(&player, &ev, &err) != 0)
			fail_msg("%s: %s", trace_op_name((enum trace_op)ev.op), err.text);
	if (more < 0)
		fail_msg("%s", err.text);
	if ((int64_t)player.buffer_bytes < p->bytes)
		fail_msg("seed %llu: buffers of %zu bytes, MPI uses %lld",
		         (unsigned long long)p->t.seed, player.buffer_bytes, (long long)p->bytes);
	if ((int)player.cap_counts < p->counts)
		fail_msg("seed %llu: lists of %u counts, MPI reads %d",
		         (unsigned long long)p->t.seed, player.cap_counts, p->counts);
	player_release(&player);
}

/* A trace of one kind of call, so that what one needs is not what another has got. */
static void run(uint64_t seed)
{
	static void (*const calls[])(struct program *) = {
	    message,   sendrecv, message,        wait_one, wait_all,
	    reduction, rooted,   reduce_scatter, all,      alltoallv};
	struct program p = {.ranks = 1 + (int)(seed % 5)};
	int alone = seed % 2 ? (int)(seed / 2 % 10) : -1, graph = seed % 3 == 0;
	struct tmp folder;

	rng_init(&p.rng, seed, "player", 0);
	str_init(&p.trace);
	str_puts(&p.trace, "");
	p.rank = draw(&p, 0, p.ranks - 1);
	traced_begin(&p.t, p.rank, p.ranks, seed);
	p.t.ignored = " comm_size "; /* which the player asks for itself */
	if (graph)
		graph_make(&p);
	for (int i = 0; i < (alone >= 0 ? 3 : STEPS); i++)
		if (graph && (alone >= 0 || draw(&p, 0, 1)))
			neighbors(&p);
		else
			calls[alone >= 0 ? alone : draw(&p, 0, 9)](&p);
	wait_all(&p);
	folder = p.t.tmp; /* where what is read is no file of the program's */
	trace_write(&p, &folder);
	play(&p, &folder);
	traced_end(&p.t);
	str_release(&p.trace);
	traced_release(&p.t);
}

static void test_random_traces(void **state)
{
	struct prop_run r = prop_begin(120);

	(void)state;
	for (uint64_t i = 0; i < r.cases; i++)
		run(r.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
