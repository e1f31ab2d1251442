/* prop_threads.c: several threads in MPI at the same time (MPI_THREAD_MULTIPLE), in an order of
 * entering and returning that is drawn at random and forced upon them: one runs at a time. What a
 * call starts stands in the trace where it was entered, what it waits for where it returned
 * (tracer/announce.h), so that no send stands behind the receive of another thread that it made
 * return. */
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

#include <pthread.h>
#include <semaphore.h>

enum { THREADS = 4, STEPS = 60, NUMBERS = 4 * THREADS };

enum what { SEND, SSEND, BSEND, RECV, SENDRECV, BARRIER, ALLREDUCE, ISEND, WAIT, WHATS };

/* One thread: idle, or inside of a call. */
struct worker {
	pthread_t thread;
	sem_t go;
	int inside, ends;
	enum what what;
	int peer, tag, wild, count; /* of the call */
	MPI_Status status;
	MPI_Request request; /* of MPI_Isend, until somebody waits for it */
	int req[2], kept;    /* numbers in the trace; kept: of that request, -1: none */
};

static struct program {
	struct traced t;
	struct rng rng;
	struct worker worker[THREADS];
	sem_t back; /* the one that ran waits, or is done */
	int taken[NUMBERS];
} program;

static _Thread_local struct worker *self;

/* Inside of the library: the others' turn. What the tracer calls itself does not come here. */
static void inside(void)
{
	struct worker *w = self;

	if (!w || w->inside)
		return;
	w->inside = 1;
	sem_post(&program.back);
	sem_wait(&w->go);
}

static void call(struct worker *w)
{
	static int (*const sends[])(const void *, int, MPI_Datatype, int, int,
	                            MPI_Comm) = {MPI_Send, MPI_Ssend, MPI_Bsend};
	int source = w->wild ? MPI_ANY_SOURCE : w->peer;

	switch (w->what) {
	case RECV:
		MPI_Recv(NULL, w->count, MPI_INT, source, w->tag, MPI_COMM_WORLD, &w->status);
		return;
	case SENDRECV:
		MPI_Sendrecv(NULL, w->count, MPI_INT, w->peer, w->tag, NULL, w->count, MPI_DOUBLE,
		             source, w->tag, MPI_COMM_WORLD, &w->status);
		return;
	case BARRIER:
		MPI_Barrier(MPI_COMM_WORLD);
		return;
	case ALLREDUCE:
		MPI_Allreduce(NULL, NULL, w->count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		return;
	case ISEND:
		MPI_Isend(NULL, w->count, MPI_INT, w->peer, w->tag, MPI_COMM_WORLD, &w->request);
		return;
	case WAIT:
		MPI_Wait(&w->request, MPI_STATUS_IGNORE);
		return;
	default:
		sends[w->what](NULL, w->count, MPI_INT, w->peer, w->tag, MPI_COMM_WORLD);
	}
}

static void *work(void *arg)
{
	self = arg;
	for (;;) {
		sem_wait(&self->go);
		if (self->ends)
			return NULL;
		call(self);
		self->inside = 0;
		sem_post(&program.back);
		/* leaving the call is over when the next one begins */
	}
}

/* --- what the trace has to say --- */

static int number_take(void)
{
	for (int i = 0; i < NUMBERS; i++)
		if (!program.taken[i]) {
			program.taken[i] = 1;
			return i;
		}
	fail_msg("too few numbers");
	return -1;
}

static void entered(struct worker *w)
{
	static const char *const sends[] = {"isend", "issend", "ibsend"};
	struct traced *t = &program.t;
	int source = w->wild ? -1 : w->peer;

	if (w->what == WAIT)
		return;
	w->req[0] = number_take();
	switch (w->what) {
	case RECV:
		traced_want(t, "irecv %d %d %d 1 req=%d", source, w->tag, w->count, w->req[0]);
		return;
	case SENDRECV: /* the receive first, as in MPI's advice */
		w->req[1] = number_take();
		traced_want(t, "irecv %d %d %d 0 req=%d", source, w->tag, w->count, w->req[0]);
		traced_want(t, "isend %d %d %d 1 req=%d", w->peer, w->tag, w->count, w->req[1]);
		return;
	case BARRIER:
		traced_want(t, "ibarrier req=%d beside=1", w->req[0]);
		return;
	case ALLREDUCE:
		traced_want(t, "iallreduce %d 0 1 req=%d beside=1", w->count, w->req[0]);
		return;
	case ISEND:
		traced_want(t, "isend %d %d %d 1 req=%d", w->peer, w->tag, w->count, w->req[0]);
		return;
	default:
		traced_want(t, "%s %d %d %d 1 req=%d", sends[w->what], w->peer, w->tag, w->count,
		            w->req[0]);
	}
}

static void returned(struct worker *w)
{
	struct traced *t = &program.t;

	if (w->what == ISEND) {
		w->kept = w->req[0];
		return;
	}
	if (w->what == WAIT) {
		traced_want(t, "wait req=%d", w->kept);
		program.taken[w->kept] = 0;
		w->kept = -1;
		return;
	}
	if (w->wild && (w->what == RECV || w->what == SENDRECV))
		traced_want(t, "resolve %d %d req=%d", w->status.MPI_SOURCE, w->tag, w->req[0]);
	program.taken[w->req[0]] = 0;
	if (w->what == SENDRECV) {
		traced_want(t, "waitall 2 reqs=%d,%d", w->req[0], w->req[1]);
		program.taken[w->req[1]] = 0;
	} else {
		traced_want(t, "wait req=%d", w->req[0]);
	}
}

/* --- turns --- */

static void let_go(struct worker *w)
{
	sem_post(&w->go);
	sem_wait(&program.back);
}

static void turn(struct worker *w)
{
	if (w->inside) {
		let_go(w);
		returned(w);
		return;
	}
	w->what = (enum what)prop_from(&program.rng, 0, WHATS - 1);
	if (w->kept >= 0)
		w->what = prop_once_in(&program.rng, 2) ? WAIT : RECV;
	else if (w->what == WAIT)
		w->what = ISEND;
	w->peer = (int)prop_from(&program.rng, 0, 4);
	w->tag = (int)prop_from(&program.rng, 0, 9);
	w->wild = prop_once_in(&program.rng, 2);
	w->count = (int)prop_from(&program.rng, 0, 99);
	let_go(w);
	entered(w);
}

/* All calls return, all requests are waited for. */
static void finish(struct worker *w)
{
	if (w->inside)
		turn(w);
	if (w->kept >= 0) {
		w->what = WAIT;
		let_go(w);
		turn(w);
	}
	w->ends = 1;
	sem_post(&w->go);
	assert_int_equal(pthread_join(w->thread, NULL), 0);
	sem_destroy(&w->go);
}

static void run(uint64_t seed)
{
	struct worker *w = program.worker;

	memset(&program, 0, sizeof program);
	rng_init(&program.rng, seed, "threads", 0);
	tmp_init(&program.t.tmp);
	traced_environment(program.t.tmp.dir);
	traced_start(&program.t, 1, 5, seed, MPI_THREAD_MULTIPLE);
	sem_init(&program.back, 0, 0);
	fake.during = inside;
	for (int i = 0; i < THREADS; i++) {
		sem_init(&w[i].go, 0, 0);
		w[i].kept = -1;
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	for (int i = 0; i < STEPS; i++)
		turn(&w[prop_from(&program.rng, 0, THREADS - 1)]);
	for (int i = 0; i < THREADS; i++)
		finish(&w[i]);
	traced_end(&program.t);
	sem_destroy(&program.back);
	traced_release(&program.t);
}

static void test_random_turns(void **state)
{
	struct prop_run r = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < r.cases; i++)
		run(r.seed + i);
}

/* The main thread waits in its first call when the second thread comes: what it had started is
 * written before what the second one does. Alone, it was an ordinary receive. */
static void test_the_second_thread_comes(void **state)
{
	struct worker *w = program.worker;
	MPI_Status s;

	(void)state;
	memset(&program, 0, sizeof program);
	tmp_init(&program.t.tmp);
	traced_environment(program.t.tmp.dir);
	traced_start(&program.t, 0, 5, 1, MPI_THREAD_MULTIPLE);
	sem_init(&program.back, 0, 0);
	MPI_Recv(NULL, 3, MPI_INT, 2, 7, MPI_COMM_WORLD, &s);
	traced_want(&program.t, "recv 2 7 3 1");
	w[0] = (struct worker){.what = RECV, .peer = 3, .tag = 8, .count = 4, .kept = -1};
	w[1] = (struct worker){.what = SEND, .peer = 4, .tag = 9, .count = 5, .kept = -1};
	fake.during = inside;
	for (int i = 0; i < 2; i++) {
		sem_init(&w[i].go, 0, 0);
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
		let_go(&w[i]);
		entered(&w[i]);
	}
	for (int i = 1; i >= 0; i--) {
		turn(&w[i]);
		finish(&w[i]);
	}
	traced_end(&program.t);
	sem_destroy(&program.back);
	traced_release(&program.t);
}

/* Below MPI_THREAD_MULTIPLE only one thread is in MPI: blocking calls are written as they are. */
static void test_serialized(void **state)
{
	struct worker *w = program.worker;

	(void)state;
	memset(&program, 0, sizeof program);
	tmp_init(&program.t.tmp);
	traced_environment(program.t.tmp.dir);
	traced_start(&program.t, 0, 5, 1, MPI_THREAD_SERIALIZED);
	sem_init(&program.back, 0, 0);
	fake.during = inside;
	for (int i = 0; i < 2; i++) {
		w[i] = (struct worker){.what = SEND, .peer = i, .tag = 9, .count = 5, .kept = -1};
		sem_init(&w[i].go, 0, 0);
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
		for (int twice = 0; twice < 2; twice++) {
			let_go(&w[i]); /* enters */
			let_go(&w[i]); /* returns */
			traced_want(&program.t, "send %d 9 5 1", i);
		}
		finish(&w[i]);
	}
	traced_end(&program.t);
	sem_destroy(&program.back);
	traced_release(&program.t);
}

/* A counter that counts how many threads have it open. */
static int opened;

static int counting_open(const struct counter_use *u, struct counter_thread *t, struct err *err)
{
	(void)u, (void)t, (void)err;
	opened++;
	return 0;
}

static void counting_close(const struct counter_use *u, struct counter_thread *t)
{
	(void)u, (void)t;
	opened--;
}

static int64_t counting_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	(void)u, (void)tick;
	return ++t->reads;
}

static const struct counter counting = {.name = "counting",
                                        .unit = COUNTER_MADE_UP,
                                        .thread_open = counting_open,
                                        .thread_close = counting_close,
                                        .read = counting_read};

static void *send_once(void *arg)
{
	MPI_Send(NULL, 1, MPI_INT, 0, *(int *)arg, MPI_COMM_WORLD);
	return NULL;
}

/* A counter of instructions is a descriptor: a program that makes a thread for each task must not
 * run out of them because it is traced. */
static void test_threads_that_end(void **state)
{
	pthread_t task;

	(void)state;
	memset(&program, 0, sizeof program);
	tmp_init(&program.t.tmp);
	traced_environment(program.t.tmp.dir);
	traced_start(&program.t, 0, 5, 1, MPI_THREAD_SERIALIZED);
	tracer.counter.counter = &counting;
	opened = 1; /* this thread's */
	for (int i = 0; i < 100; i++) {
		assert_int_equal(pthread_create(&task, NULL, send_once, &i), 0);
		assert_int_equal(pthread_join(task, NULL), 0);
		traced_want(&program.t, "send 0 %d 1 1", i);
		assert_int_equal(opened, 1);
	}
	traced_end(&program.t);
	assert_int_equal(opened, 0);
	traced_release(&program.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_turns),
	    cmocka_unit_test(test_the_second_thread_comes),
	    cmocka_unit_test(test_serialized),
	    cmocka_unit_test(test_threads_that_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
