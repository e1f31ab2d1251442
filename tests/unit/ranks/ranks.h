/* ranks.h: a simulation whose ranks are functions of the test: the MPI library (libmpi) above, the
 * simulator (src/live and all rooms below it) beneath, one process, no image loader. A function of
 * a rank calls orr_*, whose constants and handles are those of mpi_abi.h.
 *
 *   ranks_run(&(struct ranks){.n = 4, .body = f}): f(rank, arg) on each rank, between MPI_Init and
 *   MPI_Finalize; 0, or -1 with .err
 *
 * What is replaced is coro.c: here a rank has a stack of its own and shares all else with the test,
 * variables too. Include once per test program. */
#ifndef ORRERY_TESTS_RANKS_H
#define ORRERY_TESTS_RANKS_H

#include "../libmpi/fake_front.h"
#include "live/coro/context.h"
#include "live/hold.h"
#include "live/live_int.h"
#include "orr_mpi.h"
#include "status.h"
#include "tmp.h"

#include <dlfcn.h>
#include <link.h>

#define OK(call) assert_int_equal(call, MPI_SUCCESS)
#define RANKS_PLATFORM \
	"<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">" \
	"<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-15\" " \
	"speed=\"1Gf\" bw=\"125MBps\" lat=\"15us\"/></zone></platform>"

enum { RANKS_STACK = 512 << 10 };
struct ranks {
	int n;
	void (*body)(int rank, void *arg);
	void *arg;
	const char *settings; /* as --cfg, or NULL */
	const char *hosts;    /* a host file's text, or NULL: one rank a host, round and round */
	int bare;             /* body is all that a rank does: no MPI_Init, no MPI_Finalize */
	int checks;
	/* Sees, and may change, what a rank gives the simulator. */
	void (*op)(void *self, uint32_t rank, struct wire_op *op);
	void *self;
	/* what came of it */
	double time; /* of the end, s */
	uint64_t calls;
	char left[2048];   /* with checks: what was never freed, */
	char report[4096]; /* and what was wrong: the beginning of it */
	struct err err;
};

/* Where memory fails on purpose (tests/fault): called with 1 when it must not, 0 when it may: not
 * in what is the test's own, and only on one side. */
enum ranks_side { RANKS_SIMULATOR, RANKS_LIBRARY };
static struct {
	void (*hold)(int on); /* NULL: nothing fails */
	enum ranks_side side;
	int on;
} ranks_fails;

static void ranks_holds(int on)
{
	if (ranks_fails.hold && on != ranks_fails.on)
		ranks_fails.hold(on);
	ranks_fails.on = on;
}

/* This side runs from here on. */
static void ranks_turn(enum ranks_side side)
{
	ranks_holds(side != ranks_fails.side);
}

unsigned char *front_place;

void front_moved(const void *own, uint64_t offset)
{
	(void)own;
	(void)offset;
}

int front_call_poll(front_poll_function *token, void *extra_state)
{
	return token(extra_state, NULL);
}

/* --- in the place of coro.c --- */

struct coro {
	void *sp, *state, *stack;
	struct wire_op *op;
	enum coro_state phase;
	int code;
};
struct coros {
	struct coro_options o;
	struct hold hold;
	struct hold_library library;
	struct coro *coro;
	int32_t *identity;
	void *sp;
	uint32_t rank;
};

static struct {
	struct ranks *run;
	struct coros *c;
	int in_rank; /* a rank runs, not the simulator */
} ranks_now;

static struct wire_op *ranks_room(uint32_t size)
{
	struct coro *r = &ranks_now.c->coro[ranks_now.c->rank];

	ranks_holds(1);
	r->op = malloc(size);
	assert_non_null(r->op);
	ranks_turn(RANKS_LIBRARY);
	return r->op;
}

static void ranks_give(void)
{
	struct coros *c = ranks_now.c;

	coro_switch(&c->coro[c->rank].sp, c->sp);
}

__attribute__((noreturn)) static void ranks_end(int code)
{
	struct coro *r = &ranks_now.c->coro[ranks_now.c->rank];

	r->phase = CORO_EXITED;
	r->code = code;
	ranks_give();
	abort();
}

static void ranks_clock(const struct orrery_clock *clock)
{
	(void)clock;
}

static const char *ranks_host(uint32_t rank)
{
	return ranks_now.c->o.host(ranks_now.c->o.self, rank);
}

static char *const *ranks_words(void)
{
	return ranks_now.c->o.command;
}

static uint64_t ranks_world(uint32_t *appnum)
{
	*appnum = 0;
	return 0;
}

static int ranks_can_spawn(const char *program, const char *folder)
{
	(void)program;
	(void)folder;
	return 0;
}

static void *ranks_threads(void)
{
	return NULL;
}

/* All memory is everybody's. */
static int ranks_copy(uint32_t rank, int write, const struct iovec *mine, size_t n_mine,
                      const struct iovec *its, size_t n_its)
{
	size_t i = 0, k = 0, a = 0, b = 0;

	(void)rank;
	while (i < n_mine && k < n_its) {
		size_t n = mine[i].iov_len - a, m = its[k].iov_len - b;
		char *here = (char *)mine[i].iov_base + a, *there = (char *)its[k].iov_base + b;

		n = n < m ? n : m;
		if (n)
			memmove(write ? there : here, write ? here : there, n);
		a += n, b += n;
		if (a == mine[i].iov_len)
			i++, a = 0;
		if (b == its[k].iov_len)
			k++, b = 0;
	}
	return i == n_mine && k == n_its ? 0 : -1;
}

struct coros *coros_new(const struct coro_options *o, struct err *err)
{
	struct coros *c;

	(void)err;
	ranks_holds(1);
	c = calloc(1, sizeof *c);
	assert_non_null(c);
	c->o = *o;
	c->coro = calloc(o->ranks, sizeof *c->coro);
	c->identity = calloc(o->ranks, sizeof *c->identity);
	assert_true(c->coro && c->identity);
	for (uint32_t i = 0; i < o->ranks; i++)
		c->identity[i] = (int32_t)i;
	c->hold = (struct hold){.head = o->head,
	                        .heap = o->heap,
	                        .channel = o->channel,
	                        .identity = c->identity,
	                        .words = ranks_words,
	                        .world = ranks_world,
	                        .can_spawn = ranks_can_spawn,
	                        .room = ranks_room,
	                        .give = ranks_give,
	                        .host = ranks_host,
	                        .end = ranks_end,
	                        .clock = ranks_clock,
	                        .copy = ranks_copy,
	                        .threads = ranks_threads};
	ranks_now.c = c;
	orrery_hold_fn orrery_hold;
	orrery_hold(&c->hold, &c->library);
	ranks_turn(RANKS_SIMULATOR);
	return c;
}

static void ranks_release(struct coros *c, struct coro *r)
{
	if (r->state) {
		c->library.leave(r->state);
		free(r->state);
	}
	free(r->stack);
	free(r->op);
	r->state = r->stack = NULL;
	r->op = NULL;
}

void coros_free(struct coros *c)
{
	for (uint32_t i = 0; c && i < c->o.ranks; i++)
		ranks_release(c, &c->coro[i]);
	if (!c)
		return;
	free(c->coro);
	free(c->identity);
	free(c);
}

static void ranks_first(void *rank)
{
	const struct ranks *run = ranks_now.run;
	int me = (int)(intptr_t)rank;

	if (!run->bare)
		OK(orr_Init(NULL, NULL));
	run->body(me, run->arg);
	if (!run->bare)
		OK(orr_Finalize());
	ranks_now.c->library.exits(); /* as at the end of a process */
	ranks_end(0);
}

int coros_run(struct coros *c, uint32_t rank, struct err *err)
{
	struct coro *r = &c->coro[rank];

	(void)err;
	ranks_holds(1);
	if (r->phase == CORO_NEW) {
		r->state = calloc(1, c->library.state);
		r->stack = malloc(RANKS_STACK);
		assert_true(r->state && r->stack);
		r->sp = coro_context((char *)r->stack + RANKS_STACK, ranks_first,
		                     (void *)(intptr_t)rank);
		r->phase = CORO_LIVES;
	}
	c->library.enter(r->state, rank);
	c->rank = rank;
	ranks_now.in_rank = 1;
	ranks_turn(RANKS_LIBRARY);
	coro_switch(&c->sp, r->sp);
	ranks_turn(RANKS_SIMULATOR);
	ranks_now.in_rank = 0;
	if (r->phase == CORO_LIVES && r->op && ranks_now.run->op)
		ranks_now.run->op(ranks_now.run->self, rank, r->op);
	if (r->phase != CORO_LIVES)
		ranks_release(c, r);
	return 0;
}

enum coro_state coros_state(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].phase;
}

int coros_code(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].code;
}

const char *coros_reason(const struct coros *c, uint32_t rank)
{
	(void)c;
	(void)rank;
	return "";
}

int coros_is_free(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].phase != CORO_LIVES;
}

int coros_spawn(struct coros *c, uint32_t rank, const struct spawned *s, struct err *err)
{
	(void)c;
	(void)s;
	return err_set(err, ERR_LIMIT, "rank %u: nothing is spawned in a test", rank);
}

const struct wire_op *coros_op(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].op;
}

/* Ranks are functions of the test: all have its files. */
int coros_file(const struct coros *c, uint64_t address, const char **path, uint64_t *in_file)
{
	struct link_map *map;
	Dl_info info;

	(void)c;
	if (!dladdr1((const void *)(uintptr_t)address, &info, (void **)&map, RTLD_DL_LINKMAP))
		return 0;
	*path = info.dli_fname;
	*in_file = address - map->l_addr;
	return 1;
}

void coros_op_done(struct coros *c, uint32_t rank)
{
	free(c->coro[rank].op);
	c->coro[rank].op = NULL;
}

/* --- a run --- */

static const char *ranks_host_name(void *mp, uint32_t rank, char *buf, size_t n)
{
	snprintf(buf, n, "h%u", mp_host(*(struct mp **)mp, rank).v);
	return buf;
}

static int ranks_simulate(struct ranks *run, struct mp *mp, struct live *l)
{
	struct mp_program program;
	struct mp_stats st;
	struct str left;
	int r;

	if (live_attach(l, mp, &run->err) < 0 || live_start(l, &run->err) < 0)
		return -1;
	program = live_program(l);
	r = mp_run(mp, &program, NULL, &run->err);
	if (r == 0)
		r = live_end(l, &run->err);
	mp_stats(mp, &st);
	run->time = st.end;
	run->calls = live_calls(l);
	str_init(&left);
	live_left_text(l, &left);
	snprintf(run->left, sizeof run->left, "%s", left.s ? left.s : "");
	str_release(&left);
	mp_report(mp, &left);
	snprintf(run->report, sizeof run->report, "%s", left.s ? left.s : "");
	str_release(&left);
	return r;
}

static int ranks_run(struct ranks *run)
{
	char *command[] = {(char *)(uintptr_t) "ranks", NULL};
	struct tmp t;
	struct config cfg;
	struct platform *p = NULL;
	struct placement pl = {0};
	struct net *net = NULL;
	struct mp *mp = NULL;
	struct live *l = NULL;
	struct live_options o = {.command = command,
	                         .library = "",
	                         .computation = LIVE_NONE,
	                         .holding = LIVE_COROUTINES,
	                         .checks = (uint8_t)run->checks,
	                         .host_name = ranks_host_name,
	                         .self = &mp};
	uint32_t np = (uint32_t)run->n;
	int r = -1;

	ranks_holds(1);
	tmp_init(&t);
	ranks_now.run = run;
	if (config_init(&cfg, &run->err) == 0 &&
	    config_set_all(&cfg, run->settings ? run->settings : "", CFG_FROM_USER, &run->err) >=
	        0 &&
	    (p = platform_read(tmp_write(&t, "p.xml", RANKS_PLATFORM), &cfg, &run->err)) &&
	    placement_make(p, run->hosts ? tmp_write(&t, "hosts", run->hosts) : NULL, np,
	                   config_compat(&cfg), 1, &pl, &cfg, &run->err) >= 0 &&
	    (net = net_new(p, &cfg, &run->err)) &&
	    (mp = mp_new(net, &cfg, pl.host, np, &run->err))) {
		ranks_turn(RANKS_SIMULATOR);
		l = live_new(np, &o, &run->err);
		r = l ? ranks_simulate(run, mp, l) : -1;
	}
	ranks_holds(1);
	live_free(l);
	mp_free(mp);
	net_free(net);
	placement_release(&pl);
	platform_free(p);
	config_release(&cfg);
	tmp_release(&t);
	ranks_holds(0);
	return r;
}

/* A run that must succeed. */
static inline void ranks_do(int n, void (*body)(int rank, void *arg), void *arg)
{
	struct ranks run = {.n = n, .body = body, .arg = arg};

	if (ranks_run(&run) < 0)
		fail_msg("%d ranks: %s", n, run.err.text);
}

#endif
