/* prop_requests.c: random sequences of calls that make, start, cancel, free, test and wait for
 * requests, before a library that completes them in any order and shares or gives again their
 * handles. The trace has one line for each, with the numbers that a slow model gives: the least
 * that no request has. What wildcards got is told before the call that completes them; a test that
 * finds nothing is no event. */
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

enum { SLOTS = 12, STEPS = 120 };

enum { SEND, RECV, COLLECTIVE };

/* What the program's i-th variable of type MPI_Request stands for. */
struct slot {
	int live, number; /* in the trace */
	int age;          /* how many were made before it */
	int kind, persistent, active, cancelled;
	int wild_source, wild_tag, peer, tag;
	int64_t count;
};

struct program {
	struct traced t;
	struct rng rng;
	MPI_Request handle[SLOTS];
	struct slot slot[SLOTS];
	int ranks, made;
};

static int least_free(const struct program *p)
{
	for (int n = 0;; n++) {
		int taken = 0;

		for (int i = 0; i < SLOTS; i++)
			taken |= p->slot[i].live && p->slot[i].number == n;
		if (!taken)
			return n;
	}
}

/* One of those wanted, or -1. */
static int pick(struct program *p, int (*wanted)(const struct slot *))
{
	int found = -1;

	for (int i = 0, seen = 0; i < SLOTS; i++)
		if (wanted(&p->slot[i]) && prop_once_in(&p->rng, (uint64_t)++seen))
			found = i;
	return found;
}

static int is_free(const struct slot *s)
{
	return !s->live;
}

static int is_startable(const struct slot *s)
{
	return s->live && s->persistent && !s->active;
}

static int is_active_recv(const struct slot *s)
{
	return s->live && s->active && s->kind == RECV && !s->cancelled;
}

static int is_freeable(const struct slot *s)
{
	return s->live && !s->active && s->persistent;
}

/* --- making --- */

static int peer_draw(struct program *p)
{
	return prop_once_in(&p->rng, 8) ? MPI_PROC_NULL
	                                : (int)prop_from(&p->rng, 0, (uint32_t)p->ranks - 1);
}

static int in_trace(int peer)
{
	return peer == MPI_PROC_NULL ? -2 : peer == MPI_ANY_SOURCE ? -1 : peer;
}

static void send_make(struct program *p, int i)
{
	static int (*const now[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
	                          MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend},
	                                      (*const later[])(const void *, int, MPI_Datatype, int,
	                                                       int, MPI_Comm, MPI_Request *) = {
	                                          MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init,
	                                          MPI_Rsend_init};
	static const char *const names[] = {"isend", "issend", "ibsend", "irsend"},
	                         *const inits[] = {"send_init", "ssend_init", "bsend_init",
	                                           "rsend_init"};
	struct slot *s = &p->slot[i];
	uint32_t mode = prop_from(&p->rng, 0, 3);
	int dest = peer_draw(p);

	s->kind = SEND;
	s->tag = (int)prop_from(&p->rng, 0, 99);
	(s->persistent ? later : now)[mode](NULL, (int)s->count, MPI_INT, dest, s->tag,
	                                    MPI_COMM_WORLD, &p->handle[i]);
	traced_want(&p->t, "%s %d %d %d 1 req=%d", (s->persistent ? inits : names)[mode],
	            in_trace(dest), s->tag, (int)s->count, s->number);
}

static void irecv_want(struct program *p, const struct slot *s, const char *name)
{
	traced_want(&p->t, "%s %d %d %d 1 req=%d", name, in_trace(s->peer), s->tag, (int)s->count,
	            s->number);
}

/* A persistent receive whose message is not known is no event before it is started. */
static void recv_make(struct program *p, int i)
{
	struct slot *s = &p->slot[i];

	s->kind = RECV;
	s->wild_source = prop_once_in(&p->rng, 3);
	s->peer = s->wild_source ? MPI_ANY_SOURCE : peer_draw(p);
	s->wild_tag = s->peer != MPI_PROC_NULL && prop_once_in(&p->rng, 3);
	s->tag = s->wild_tag ? MPI_ANY_TAG : (int)prop_from(&p->rng, 0, 99);
	if (s->persistent)
		MPI_Recv_init(NULL, (int)s->count, MPI_INT, s->peer, s->tag, MPI_COMM_WORLD,
		              &p->handle[i]);
	else
		MPI_Irecv(NULL, (int)s->count, MPI_INT, s->peer, s->tag, MPI_COMM_WORLD,
		          &p->handle[i]);
	if (!s->persistent)
		irecv_want(p, s, "irecv");
	else if (!s->wild_source && !s->wild_tag)
		irecv_want(p, s, "recv_init");
}

static void make(struct program *p)
{
	int i = pick(p, is_free), kind = (int)prop_from(&p->rng, 0, 4);
	struct slot *s;

	if (i < 0)
		return;
	s = &p->slot[i];
	*s = (struct slot){.number = least_free(p), .count = prop_from(&p->rng, 0, 1000)};
	s->live = 1;
	s->age = p->made++;
	s->persistent = kind < 4 && prop_once_in(&p->rng, 3);
	s->active = !s->persistent;
	if (kind < 2) {
		send_make(p, i);
	} else if (kind < 4) {
		recv_make(p, i);
	} else {
		s->kind = COLLECTIVE;
		MPI_Ibarrier(MPI_COMM_WORLD, &p->handle[i]);
		traced_want(&p->t, "ibarrier req=%d", s->number);
	}
}

/* --- starting, freeing --- */

static int is_wild(const struct slot *s)
{
	return s->wild_source || s->wild_tag;
}

static void list_put(struct str *out, int number)
{
	str_printf(out, "%s%d", out->n ? "," : "", number);
}

/* Wildcards are irecvs of their own, in the order of the call; the others one start. */
static void start_some(struct program *p)
{
	MPI_Request list[SLOTS];
	struct str numbers;
	int n = 0, plain = 0;

	str_init(&numbers);
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &p->slot[i];

		if (!is_startable(s) || prop_once_in(&p->rng, 2))
			continue;
		list[n++] = p->handle[i];
		s->active = 1;
		if (is_wild(s)) {
			irecv_want(p, s, "irecv");
		} else {
			list_put(&numbers, s->number);
			plain++;
		}
	}
	if (n == 1 && prop_once_in(&p->rng, 2))
		MPI_Start(&list[0]);
	else
		MPI_Startall(n, list);
	if (plain)
		traced_want(&p->t, "start %d reqs=%s", plain, numbers.s);
	str_release(&numbers);
}

static void give_back(struct program *p)
{
	int i = pick(p, is_freeable);
	struct slot *s;

	if (i < 0)
		return;
	s = &p->slot[i];
	MPI_Request_free(&p->handle[i]);
	assert_int_equal(p->handle[i], MPI_REQUEST_NULL);
	if (!is_wild(s))
		traced_want(&p->t, "request_free req=%d", s->number);
	s->live = 0;
}

/* --- completing, cancelling --- */

/* The variables that a call gets, some of them null or inactive; what they hold when it returns. */
struct waiting {
	int n, slot[SLOTS];
	MPI_Request list[SLOTS];
	int source[SLOTS], tag[SLOTS], dropped[SLOTS]; /* that it will have when it is complete */
};

static int is_shared(const struct program *p, int i)
{
	return p->slot[i].live && p->handle[i] != MPI_REQUEST_NULL && !fake_request(p->handle[i]);
}

/* Of requests that are complete and have one handle, nobody can tell which the program means: the
 * call is about the oldest ones, in the order of its list. */
static void shared_sort(struct program *p, const struct waiting *w)
{
	int claimed[SLOTS] = {0};

	for (int k = 0; k < w->n; k++) {
		int i = w->slot[k], oldest = -1;
		struct slot kept;

		if (!is_shared(p, i))
			continue;
		for (int o = 0; o < SLOTS; o++)
			if (is_shared(p, o) && !claimed[o] &&
			    (oldest < 0 || p->slot[o].age < p->slot[oldest].age))
				oldest = o;
		kept = p->slot[i];
		p->slot[i] = p->slot[oldest];
		p->slot[oldest] = kept;
		claimed[i] = 1;
	}
}

/* At most so many. */
static void waiting_draw(struct program *p, struct waiting *w, int most)
{
	w->n = 0;
	for (int i = 0; i < SLOTS; i++) {
		const struct fake_request *q;

		if (prop_once_in(&p->rng, 2) || w->n == most)
			continue;
		q = fake_request(p->handle[i]);
		w->slot[w->n] = i;
		w->source[w->n] = q ? q->source : 0;
		w->tag[w->n] = q ? q->tag : 0;
		w->dropped[w->n] = q ? q->cancelled : 0;
		w->list[w->n++] = p->handle[i];
	}
	shared_sort(p, w);
}

static void cancel(struct program *p)
{
	int i = pick(p, is_active_recv);
	struct waiting w = {.n = 1, .slot = {i}};

	if (i < 0)
		return;
	shared_sort(p, &w); /* a receive from nobody is complete */
	MPI_Cancel(&p->handle[i]);
	traced_want(&p->t, "cancel req=%d", p->slot[i].number);
	p->slot[i].cancelled = 1;
}

static void waiting_end(struct program *p, const struct waiting *w)
{
	for (int k = 0; k < w->n; k++)
		p->handle[w->slot[k]] = w->list[k];
}

/* The k-th is complete: what it got is told, and its number can be given again. */
static void completed(struct program *p, const struct waiting *w, int k)
{
	struct slot *s = &p->slot[w->slot[k]];

	if (s->live && s->active && is_wild(s) && !w->dropped[k])
		traced_want(&p->t, "resolve %d %d req=%d", in_trace(w->source[k]), w->tag[k],
		            s->number);
	s->active = s->cancelled = 0;
	s->live &= s->persistent;
}

/* "3 reqs=4,5,6": those of the call that were active before it. */
static int active_list(const struct program *p, const struct waiting *w, struct str *out)
{
	int n = 0;

	str_clear(out);
	for (int k = 0; k < w->n; k++) {
		const struct slot *s = &p->slot[w->slot[k]];

		if (!s->live || !s->active)
			continue;
		list_put(out, s->number);
		n++;
	}
	return n;
}

static void call_all(struct program *p, int tests)
{
	MPI_Status statuses[SLOTS], *given = MPI_STATUSES_IGNORE;
	struct waiting w;
	struct str list;
	int n, flag = 1;

	if (prop_once_in(&p->rng, 2))
		given = statuses;
	str_init(&list);
	waiting_draw(p, &w, SLOTS);
	n = active_list(p, &w, &list);
	if (tests)
		MPI_Testall(w.n, w.list, &flag, given);
	else
		MPI_Waitall(w.n, w.list, given);
	for (int k = 0; k < w.n && flag; k++)
		completed(p, &w, k);
	if (n > 0 && flag && tests)
		traced_want(&p->t, "testall %d reqs=%s done=%s", n, list.s, list.s);
	else if (n > 0 && flag)
		traced_want(&p->t, "waitall %d reqs=%s", n, list.s);
	waiting_end(p, &w);
	str_release(&list);
}

static void call_any(struct program *p, int tests)
{
	struct waiting w;
	struct str list;
	int n, flag = 1, index;

	str_init(&list);
	waiting_draw(p, &w, SLOTS);
	n = active_list(p, &w, &list);
	if (tests)
		MPI_Testany(w.n, w.list, &index, &flag, MPI_STATUS_IGNORE);
	else
		MPI_Waitany(w.n, w.list, &index, MPI_STATUS_IGNORE);
	assert_int_equal(n > 0 && flag, index != MPI_UNDEFINED);
	if (index != MPI_UNDEFINED) {
		int number = p->slot[w.slot[index]].number;

		completed(p, &w, index);
		traced_want(&p->t, "%s %d reqs=%s done=%d", tests ? "testany" : "waitany", n,
		            list.s, number);
	}
	waiting_end(p, &w);
	str_release(&list);
}

static void call_some(struct program *p, int tests)
{
	MPI_Status statuses[SLOTS], *given = MPI_STATUSES_IGNORE;
	int n, count, indices[SLOTS];
	struct str list, done;
	struct waiting w;

	if (prop_once_in(&p->rng, 2))
		given = statuses;
	str_init(&list);
	str_init(&done);
	waiting_draw(p, &w, SLOTS);
	n = active_list(p, &w, &list);
	if (tests)
		MPI_Testsome(w.n, w.list, &count, indices, given);
	else
		MPI_Waitsome(w.n, w.list, &count, indices, given);
	assert_int_equal(n == 0, count == MPI_UNDEFINED);
	for (int k = 0; k < count; k++) {
		list_put(&done, p->slot[w.slot[indices[k]]].number);
		completed(p, &w, indices[k]);
	}
	if (count > 0)
		traced_want(&p->t, "%s %d reqs=%s done=%s", tests ? "testsome" : "waitsome", n,
		            list.s, done.s);
	waiting_end(p, &w);
	str_release(&list);
	str_release(&done);
}

static void call_one(struct program *p, int tests)
{
	struct waiting w;
	MPI_Status status;
	int flag = 1;
	struct slot *s;

	waiting_draw(p, &w, 1);
	if (w.n == 0)
		return;
	s = &p->slot[w.slot[0]];
	if (tests)
		MPI_Test(&w.list[0], &flag, prop_once_in(&p->rng, 2) ? &status : MPI_STATUS_IGNORE);
	else
		MPI_Wait(&w.list[0], prop_once_in(&p->rng, 2) ? &status : MPI_STATUS_IGNORE);
	if (flag && s->live && s->active) {
		completed(p, &w, 0);
		if (tests)
			traced_want(&p->t, "test req=%d done=%d", s->number, s->number);
		else
			traced_want(&p->t, "wait req=%d", s->number);
	}
	waiting_end(p, &w);
}

static void step(struct program *p)
{
	static void (*const completing[])(struct program *, int) = {call_all, call_any, call_some,
	                                                            call_one};
	uint32_t what = prop_from(&p->rng, 0, 15);

	if (what < 7)
		make(p);
	else if (what < 9)
		start_some(p);
	else if (what == 9)
		cancel(p);
	else if (what == 10)
		give_back(p);
	else
		completing[prop_from(&p->rng, 0, 3)](p, prop_once_in(&p->rng, 2));
}

static void run(uint64_t seed)
{
	struct program p = {.ranks = 2 + (int)(seed % 7)};

	rng_init(&p.rng, seed, "requests", 0);
	traced_begin(&p.t, (int)(seed % (uint64_t)p.ranks), p.ranks, seed);
	fake.at_once = (int)(seed % 3) * 45;
	for (int i = 0; i < SLOTS; i++)
		p.handle[i] = MPI_REQUEST_NULL;
	for (int i = 0; i < STEPS; i++)
		step(&p);
	traced_end(&p.t);
	traced_release(&p.t);
}

static void test_random_calls(void **state)
{
	struct prop_run r = prop_begin(100);

	(void)state;
	for (uint64_t i = 0; i < r.cases; i++)
		run(r.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
