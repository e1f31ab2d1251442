/* prop_roundtrip.c: what is written is read back the same: random events of every op, through each
 * of our forms. The seed is printed. */
#include "../prop.h"

#include "same_event.h"

#include "base/rng.h"

#include <math.h>

enum { RANKS = 7, EVENTS = 4000, ITEMS = 40 };

struct random_event {
	struct trace_event ev;
	int64_t counts[ITEMS], counts2[ITEMS], reqs[ITEMS], done[ITEMS];
	int32_t members[RANKS], remote[RANKS];
	char text[24];
};

static int64_t below(struct rng *r, int64_t n)
{
	return (int64_t)rng_below(r, (uint64_t)n);
}

static int one_in(struct rng *r, int n)
{
	return rng_below(r, (uint64_t)n) == 0;
}

static int64_t random_count(struct rng *r)
{
	return one_in(r, 8) ? below(r, INT64_MAX) : below(r, 1 << 20);
}

/* Elements: those of all ranks together are bytes that can be counted. */
static int64_t random_elements(struct rng *r)
{
	return random_count(r) >> 28;
}

static double random_double(struct rng *r)
{
	switch (rng_below(r, 4)) {
	case 0:
		return (double)below(r, (int64_t)1 << 60);
	case 1:
		return (double)below(r, 1000000000) / 1e9;
	case 2:
		return ldexp(rng_unit(r), (int)below(r, 2000) - 1000);
	default:
		return 0;
	}
}

static int32_t random_tag(struct rng *r)
{
	return one_in(r, 5) ? TRACE_ANY : (int32_t)below(r, INT32_MAX);
}

static int32_t random_peer(struct rng *r, int wild)
{
	if (one_in(r, 6))
		return TRACE_PROC_NULL;
	return wild && one_in(r, 4) ? TRACE_ANY : (int32_t)below(r, RANKS);
}

static uint64_t random_comm(struct rng *r)
{
	static const uint64_t some[] = {
	    0, 0, 0, 1, 2, ((uint64_t)RANKS - 1) << 32 | 0xffffffff, (uint64_t)3 << 32 | 2};

	return some[rng_below(r, sizeof some / sizeof *some)];
}

/* A list that has runs, so that ranges are written. */
static int64_t random_list(struct rng *r, int64_t *out, int64_t most)
{
	int64_t n = below(r, most + 1), v = random_elements(r), step = below(r, 7) - 3;

	for (int64_t i = 0; i < n; i++) {
		if (one_in(r, 6)) {
			v = random_elements(r);
			step = below(r, 7) - 3;
		}
		out[i] = v < 0 ? 0 : v;
		v += step;
	}
	return n;
}

static void random_type(struct rng *r, int32_t *type, int64_t *size)
{
	*type = (int32_t)below(r, TYPES + 1) - 1;
	*size = *type < 0 || one_in(r, 5) ? below(r, 100) : trace_type_size(*type);
}

/* As many counts as the world has; none, or any number, on other communicators. */
static int64_t random_counts(struct rng *r, const struct trace_event *ev, int64_t *out)
{
	int64_t n = ev->comm == 0 ? RANKS : below(r, ITEMS);

	for (int64_t i = 0; i < n; i++)
		out[i] = random_elements(r);
	return n;
}

static void random_key(struct rng *r, struct trace_event *ev)
{
	if (!one_in(r, 2))
		return;
	ev->flags |= TRACE_BY_KEY;
	ev->peer = random_peer(r, 1);
	ev->peer2 = random_peer(r, 1);
	ev->tag = random_tag(r);
}

static void random_argument(struct rng *r, struct random_event *e, char letter)
{
	struct trace_event *ev = &e->ev;
	int receives = ev->op == TRACE_RECV || ev->op == TRACE_IRECV;

	switch (letter) {
	case 'p':
		ev->peer = random_peer(r, 0);
		break;
	case 's':
		ev->peer = random_peer(r, 1);
		break;
	case 'q':
		ev->peer2 = random_peer(r, 1);
		break;
	case 't':
		ev->tag = random_tag(r);
		break;
	case 'c':
		ev->count = receives && one_in(r, 4) ? -1 : random_elements(r);
		break;
	case 'k':
		ev->count2 = random_elements(r);
		break;
	case 'f':
		ev->volume = random_double(r);
		break;
	case 'r':
		ev->root = one_in(r, 6) ? one_in(r, 2) ? TRACE_ROOT : TRACE_PROC_NULL
		                        : (int32_t)below(r, RANKS);
		break;
	case 'd':
		random_type(r, &ev->type, &ev->type_size);
		break;
	case 'e':
		random_type(r, &ev->type2, &ev->type_size2);
		break;
	case 'S':
		ev->n_counts = random_counts(r, ev, e->counts);
		break;
	case 'R':
		ev->n_counts2 = ev->n_counts > 0 || ev->op == TRACE_ALLTOALLV ||
		                        ev->op == TRACE_ALLTOALLW
		                    ? (random_counts(r, ev, e->counts2), ev->n_counts)
		                    : random_counts(r, ev, e->counts2);
		break;
	case 'l':
		ev->line = below(r, 100000);
		break;
	case 'g':
		ev->region = below(r, 100000);
		break;
	case 'K':
		random_key(r, ev);
		break;
	default:
		break;
	}
}

static void random_completion(struct rng *r, struct random_event *e)
{
	struct trace_event *ev = &e->ev;
	int one = ev->op == TRACE_WAIT || ev->op == TRACE_TEST;

	if (one && (!(ev->flags & TRACE_BY_KEY) || one_in(r, 2)))
		ev->req = random_count(r);
	if (!one && one_in(r, 3))
		ev->flags |= TRACE_OUTSTANDING;
	else if (!one)
		ev->n_reqs = random_list(r, e->reqs, ITEMS);
	if (ev->op == TRACE_WAIT || ev->op == TRACE_WAITALL)
		return;
	if (one_in(r, 3))
		ev->flags |= TRACE_NO_DONE;
	else
		ev->n_done = random_list(r, e->done, 5);
}

static void random_members(struct rng *r, struct random_event *e)
{
	e->ev.n_members = below(r, RANKS + 1);
	for (int64_t i = 0; i < e->ev.n_members; i++)
		e->members[i] = (int32_t)((i * 3 + (int64_t)rng_below(r, 2)) % RANKS);
	e->ev.parent = random_comm(r);
}

/* Lists under names of their own: topologies, counts of neighbours, partitions. */
static void random_lists(struct rng *r, struct random_event *e, int both)
{
	e->ev.n_counts = random_list(r, e->counts, ITEMS);
	if (both)
		e->ev.n_counts2 = random_list(r, e->counts2, ITEMS);
}

static void random_new_comm(struct rng *r, struct random_event *e)
{
	if (one_in(r, 8)) {
		e->ev.flags |= TRACE_NAMELESS;
		return;
	}
	random_members(r, e);
	if (one_in(r, 3))
		e->ev.n_remote = below(r, RANKS + 1);
	for (int64_t i = 0; i < e->ev.n_remote; i++)
		e->remote[i] = (int32_t)below(r, RANKS);
	if (e->ev.op == TRACE_INTERCOMM_CREATE && one_in(r, 3)) {
		e->ev.flags |= one_in(r, 2) ? TRACE_SPAWNS : TRACE_SPAWNED;
		e->ev.root = (int32_t)below(r, INT32_MAX);
	}
	if (one_in(r, 2))
		return;
	e->ev.flags |= one_in(r, 2) ? TRACE_CART : TRACE_GRAPH;
	random_lists(r, e, 1);
	for (int64_t i = 0; i < e->ev.n_counts; i++)
		if (one_in(r, 5))
			e->counts[i] = TRACE_PROC_NULL;
}

/* Windows, files, partitions, matched messages. */
static void random_objects(struct rng *r, struct random_event *e)
{
	uint8_t op = e->ev.op;

	if (op >= TRACE_MPROBE && op <= TRACE_IMRECV)
		e->ev.message = random_count(r);
	if (op >= TRACE_WIN_CREATE && op <= TRACE_IO_WRITE)
		e->ev.object = random_count(r);
	if (op == TRACE_WIN_POST || op == TRACE_WIN_START) {
		random_members(r, e);
		e->ev.parent = 0;
	}
	if (op == TRACE_WIN_LOCK && one_in(r, 2))
		e->ev.flags |= TRACE_EXCLUSIVE;
	if ((op == TRACE_FILE_READ_ALL || op == TRACE_FILE_WRITE_ALL) && one_in(r, 2))
		e->ev.flags |= TRACE_HOLES;
	if (op == TRACE_PREADY || op == TRACE_PARRIVED)
		random_lists(r, e, 0);
	if (op == TRACE_NEIGHBOR_ALLTOALLV || op == TRACE_NEIGHBOR_ALLTOALLW)
		random_lists(r, e, 1);
	if (op == TRACE_NEIGHBOR_ALLGATHERV)
		e->ev.n_counts2 = random_list(r, e->counts2, ITEMS);
}

static void random_text(struct rng *r, struct random_event *e)
{
	size_t n = 1 + rng_below(r, sizeof e->text - 2);

	for (size_t i = 0; i < n; i++)
		e->text[i] = (char)(1 + rng_below(r, 255));
	e->text[n] = '\0';
	e->ev.text = e->text;
	e->ev.line = below(r, 100000);
}

static void random_event(struct rng *r, struct random_event *e, enum trace_op op)
{
	struct trace_event *ev = &e->ev;
	int collective = trace_op_is_collective(op);

	memset(e, 0, sizeof *e);
	trace_event_init(ev, op);
	if (op >= TRACE_SEND)
		ev->comm = random_comm(r);
	for (const char *letter = trace_ops[op].args; *letter; letter++)
		random_argument(r, e, *letter);
	if (op >= TRACE_WAIT && op <= TRACE_TESTSOME)
		random_completion(r, e);
	else if (op == TRACE_START)
		ev->n_reqs = random_list(r, e->reqs, ITEMS);
	else if (op >= TRACE_SEND && one_in(r, 2))
		ev->req = random_count(r);
	if (collective && one_in(r, 3))
		ev->flags |= one_in(r, 3) ? TRACE_NONBLOCKING | TRACE_BESIDE : TRACE_NONBLOCKING;
	if (collective && one_in(r, 4))
		ev->flags |= one_in(r, 2) ? TRACE_NONCOMMUTATIVE : TRACE_COMMUTATIVE_UNKNOWN;
	if (collective && !(ev->flags & TRACE_COMMUTATIVE_UNKNOWN) && one_in(r, 4))
		ev->flags |= TRACE_OWN_OPERATOR;
	if (collective && one_in(r, 4))
		ev->flags |= TRACE_IN_PLACE;
	if (trace_op_makes_comm(op))
		random_new_comm(r, e);
	if (op == TRACE_COMM_FREE)
		ev->flags |= one_in(r, 2) ? TRACE_DISCONNECTS : 0;
	if (op == TRACE_COMM_IDUP) {
		ev->parent = random_comm(r);
		ev->flags |= one_in(r, 2)   ? 0
		             : one_in(r, 2) ? TRACE_BESIDE
		             : one_in(r, 2) ? TRACE_BESIDE | TRACE_BESIDE_SPLIT
		                            : TRACE_BESIDE | TRACE_BESIDE_GRAPH;
	}
	random_objects(r, e);
	if (op == TRACE_SENDRECV) {
		ev->tag = random_tag(r);
		ev->tag2 = random_tag(r);
	}
	if (trace_op_may_be_wild(op) && one_in(r, 3))
		ev->flags |= one_in(r, 2) ? TRACE_WILD_SOURCE : TRACE_WILD_SOURCE | TRACE_WILD_TAG;
	if (op == TRACE_IPROBE && one_in(r, 2))
		ev->count = (int64_t)rng_below(r, 2);
	else if (op == TRACE_IPROBE)
		ev->flags |= TRACE_NO_DONE;
	if (op == TRACE_COMPUTE && one_in(r, 2))
		ev->region = below(r, 100000);
	if (one_in(r, 2))
		ev->duration = fabs(random_double(r));
	if (strchr(trace_ops[op].args, 'F') || one_in(r, 8))
		random_text(r, e);
	if (strchr(trace_ops[op].args, 'F') && op != TRACE_LOCATION)
		ev->line = 0; /* the text is a file that is opened or a region, not a call site */
	ev->counts = e->counts;
	ev->counts2 = e->counts2;
	ev->reqs = e->reqs;
	ev->done = e->done;
	ev->members = e->members;
	ev->remote = e->remote;
}

/* Each rank has its own stream of events, so that it can be made again when it is read, in any
 * order of ranks. */
static void rank_event(struct rng *r, struct random_event *e)
{
	random_event(r, e, (enum trace_op)rng_below(r, TRACE_OPS));
}

static void streams_init(struct rng streams[RANKS], uint64_t seed)
{
	for (uint32_t rank = 0; rank < RANKS; rank++)
		rng_init(&streams[rank], seed, "events", rank);
}

static void write_all(const char *path, enum trace_write_form form, uint64_t seed)
{
	struct rng streams[RANKS], order;
	struct random_event e;
	struct err err;
	struct trace_writer *w = trace_writer_open(path, form, RANKS, &err);
	int left[RANKS];

	assert_non_null(w);
	streams_init(streams, seed);
	rng_init(&order, seed, "order of writing", 0);
	for (int i = 0; i < RANKS; i++)
		left[i] = EVENTS / RANKS;
	for (int i = 0; i < EVENTS / RANKS * RANKS; i++) {
		uint32_t rank = (uint32_t)rng_below(&order, RANKS);

		while (left[rank] == 0)
			rank = (rank + 1) % RANKS;
		left[rank]--;
		rank_event(&streams[rank], &e);
		assert_ok(trace_writer_put(w, rank, &e.ev, &err), err);
	}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
}

static void read_all(const char *path, uint64_t seed)
{
	struct rng streams[RANKS], order;
	struct random_event e;
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open(path, 0, &err);
	int left[RANKS];

	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(trace_ranks(t), RANKS);
	streams_init(streams, seed);
	rng_init(&order, seed, "order of reading", 0);
	for (int i = 0; i < RANKS; i++)
		left[i] = EVENTS / RANKS;
	for (int i = 0; i < EVENTS / RANKS * RANKS; i++) {
		uint32_t rank = (uint32_t)rng_below(&order, RANKS);

		while (left[rank] == 0)
			rank = (rank + 1) % RANKS;
		left[rank]--;
		rank_event(&streams[rank], &e);
		assert_ok(trace_next(t, rank, &ev, &err), err);
		same_event(&e.ev, &ev);
	}
	for (uint32_t rank = 0; rank < RANKS; rank++)
		assert_int_equal(trace_next(t, rank, &ev, &err), 0);
	trace_close(t);
}

static void round_trip(void **state)
{
	char dir[64], path[256];

	(void)state;
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(5); seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		folder_make(dir);
		write_all(dir, TRACE_WRITE_FOLDER, seed);
		read_all(dir, seed);
		snprintf(path, sizeof path, "%s/merged", dir);
		write_all(path, TRACE_WRITE_MERGED, seed);
		read_all(path, seed);
		write_all(path, TRACE_WRITE_COMPRESSED, seed);
		read_all(path, seed);
		folder_remove(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
