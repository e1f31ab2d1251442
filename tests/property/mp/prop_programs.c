/* prop_programs.c: laws that hold for every correct program, on random programs and machines:
 *   no message is lost, and each is received after it was sent;
 *   bandwidths and speeds x 2 and latencies / 2 halve every date, exactly (there are no overheads);
 *   the same run gives the same events, bit for bit.
 *
 * A random program is a global list of messages and collectives. Each rank does its part in the order of the list, blocking or not, and waits for
 * what is outstanding at random places: such a program cannot deadlock, whatever the protocols (the earliest unfinished item can always go on). */
#include "test.h"
#include "tmp.h"

#include "mp/mp.h"

#include <math.h>
#include <time.h>

enum { ITEMS = 160, MAX_RANKS = 12, MAX_REQS = 12, SETS = 60 };

struct item {
	enum { MESSAGE, COLLECTIVE, COMPUTATION } kind;
	uint32_t from, to;
	int32_t tag;
	double bytes;
	struct coll_args coll;
	/* what each side does */
	uint8_t immediate_send, immediate_recv, immediate_coll, any_tag, any_size, mode;
	uint64_t waits; /* one bit per rank: waits for all after this item */
};

struct program {
	struct item items[ITEMS];
	uint32_t ranks, messages;
	double bytes;
	/* run */
	struct walker {
		uint32_t at, n;
		uint8_t waited;
		struct mp_request reqs[MAX_REQS];
	} walker[MAX_RANKS];
	/* seen */
	uint64_t hash;
	double dates[ITEMS * 40];
	uint32_t n_dates, received;
	double received_bytes;
	int wrong;
};

static double random_size(struct rng *r)
{
	static const double edges[] = {0, 1, 999, 1000, 1001, 65535, 65536, 65537, 300000, 1e6};

	return rng_below(r, 3) ? edges[rng_below(r, 10)] : (double)rng_below(r, 200000);
}

static struct coll_args random_collective(struct rng *r, uint32_t ranks)
{
	static const enum coll_kind kinds[] = {COLL_BARRIER,   COLL_BCAST,    COLL_REDUCE,
	                                       COLL_ALLREDUCE, COLL_GATHER,   COLL_SCATTER,
	                                       COLL_ALLGATHER, COLL_ALLTOALL, COLL_REDUCE_SCATTER_BLOCK,
	                                       COLL_SCAN,      COLL_EXSCAN};
	int64_t n = (int64_t)rng_below(r, 10000);

	return (struct coll_args){.kind = kinds[rng_below(r, sizeof kinds / sizeof *kinds)],
	                          .root = (uint32_t)rng_below(r, ranks),
	                          .count = n,
	                          .count2 = n,
	                          .type_size = 8,
	                          .type_size2 = 8,
	                          .commutative = 1,
	                          .basic_type = 1};
}

static void random_item(struct rng *r, struct program *p, struct item *it)
{
	uint32_t what = (uint32_t)rng_below(r, 10);

	*it = (struct item){.kind = what == 0 ? COLLECTIVE : what == 1 ? COMPUTATION : MESSAGE};
	it->from = (uint32_t)rng_below(r, p->ranks);
	it->to = (uint32_t)rng_below(r, p->ranks);
	it->tag = (int32_t)rng_below(r, 3);
	it->bytes = it->kind == COMPUTATION ? 1e6 * rng_unit(r) : random_size(r);
	it->coll = random_collective(r, p->ranks);
	it->immediate_send = it->from == it->to || rng_below(r, 2); /* a blocking message to oneself would wait for itself */
	it->immediate_recv = (uint8_t)rng_below(r, 2);
	it->immediate_coll = (uint8_t)rng_below(r, 2);
	it->any_tag = rng_below(r, 4) == 0;
	it->any_size = rng_below(r, 2) == 0;
	it->mode = (uint8_t)rng_below(r, 4);
	it->waits = rng_u64(r) & rng_u64(r) & rng_u64(r);
	if (it->kind == MESSAGE) {
		p->messages++;
		p->bytes += it->bytes;
	}
}

static void random_program(struct rng *r, struct program *p)
{
	memset(p, 0, sizeof *p);
	p->ranks = 2 + (uint32_t)rng_below(r, MAX_RANKS - 1);
	for (uint32_t i = 0; i < ITEMS; i++)
		random_item(r, p, &p->items[i]);
}

/* --- running it --- */

static int wait_all(struct mp *mp, struct walker *w, uint32_t rank, struct err *err)
{
	uint32_t n = w->n;

	w->n = 0;
	return mp_wait(mp, rank, MP_WAITALL, w->reqs, n, err);
}

/* One side of a message: 0 sends, 1 receives. */
static int message_side(struct program *p, struct mp *mp, uint32_t rank, const struct item *it, int receives, struct err *err)
{
	struct walker *w = &p->walker[rank];
	struct mp_message m = {.peer = (int32_t)(receives ? it->from : it->to), .tag = it->tag, .bytes = it->bytes};
	int status;

	if (receives && it->any_tag)
		m.tag = MP_ANY;
	if (receives && it->any_size)
		m.bytes = HUGE_VAL;
	if (!(receives ? it->immediate_recv : it->immediate_send))
		return receives ? mp_recv(mp, rank, &m, err) : mp_send(mp, rank, &m, (enum mp_mode)it->mode, err);
	status = receives ? mp_irecv(mp, rank, &m, &w->reqs[w->n], err)
	                  : mp_isend(mp, rank, &m, (enum mp_mode)it->mode, &w->reqs[w->n], err);
	w->n++;
	return status;
}

static int item_do(struct program *p, struct mp *mp, uint32_t rank, const struct item *it, uint32_t part, struct err *err)
{
	struct walker *w = &p->walker[rank];

	if (it->kind == MESSAGE)
		return message_side(p, mp, rank, it, part == 1, err);
	if (it->kind == COMPUTATION)
		return mp_compute(mp, rank, it->bytes, err);
	if (!it->immediate_coll)
		return mp_collective(mp, rank, MP_COMM_WORLD, &it->coll, 1000, err);
	return mp_icollective(mp, rank, MP_COMM_WORLD, &it->coll, 1000, &w->reqs[w->n++], err);
}

/* Parts of an item: 0 send, collective, computation; 1 receive; 2 wait. */
static int has_part(const struct item *it, uint32_t rank, uint32_t part)
{
	if (part == 2)
		return it->waits >> rank & 1;
	if (part == 1)
		return it->kind == MESSAGE && it->to == rank;
	return it->kind == COLLECTIVE || it->from == rank;
}

static int program_resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct program *p = self;
	struct walker *w = &p->walker[rank];
	int status;

	for (;;) {
		uint32_t at = w->at / 3, part = w->at % 3;

		if (at == ITEMS && w->n == 0)
			return 1;
		if (at == ITEMS || (part == 0 && w->n >= MAX_REQS - 2) ||
		    (part == 2 && w->n > 0 && has_part(&p->items[at], rank, 2))) {
			status = wait_all(mp, w, rank, err);
		} else {
			w->at++;
			if (part == 2 || !has_part(&p->items[at], rank, part))
				continue;
			status = item_do(p, mp, rank, &p->items[at], part, err);
		}
		if (status != MP_DONE)
			return status == MP_BLOCKED ? 0 : -1;
	}
}

static void hash_in(struct program *p, double date, uint64_t more)
{
	uint64_t bits;

	memcpy(&bits, &date, sizeof bits);
	p->hash = hash_mix(p->hash ^ bits) + more;
	if (p->n_dates < sizeof p->dates / sizeof *p->dates)
		p->dates[p->n_dates++] = date;
}

static void on_leave(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner, double bytes, double wait)
{
	(void)partner;
	(void)bytes;
	hash_in(self, date, (uint64_t)rank << 16 | call);
	hash_in(self, wait, 0);
	((struct program *)self)->wrong |= wait < 0;
}

static void on_message(void *self, uint32_t from, uint32_t to, int32_t tag, struct mp_comm comm, double bytes, double sent,
                       double moved, double received, int coll)
{
	struct program *p = self;

	(void)tag;
	(void)comm;
	hash_in(p, received, (uint64_t)from << 16 | to);
	p->wrong |= !(sent <= moved && moved < received);
	p->received += !coll;
	p->received_bytes += coll ? 0 : bytes;
}

static void run(struct program *p, const char *settings, double scale, struct str *report)
{
	struct mp_observer o = {.self = p, .leave = on_leave, .message = on_message};
	struct mp_program program = {.self = p, .resume = program_resume};
	struct placement placement;
	struct tmp tmp;
	struct config cfg;
	struct err err;
	char xml[512];

	memset(p->walker, 0, sizeof p->walker);
	p->hash = p->n_dates = p->received = 0;
	p->received_bytes = 0;
	snprintf(xml, sizeof xml,
	         "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-4' speed='%.17gf' bw='%.17gBps' "
	         "lat='%.17gs' core='2'"
	         " bb_bw='%.17gBps' bb_lat='%.17gs' loopback_bw='%.17gBps' loopback_lat='%.17gs'/></platform>",
	         1e9 * scale, 1.25e8 * scale, 3e-5 / scale, 2e8 * scale, 1e-5 / scale, 1e9 * scale, 1e-6 / scale);
	assert_ok(config_init(&cfg, &err), err);
	assert_ok(config_set_all(&cfg, settings, CFG_FROM_USER, &err), err);
	tmp_init(&tmp);
	struct platform *platform = platform_read(tmp_write(&tmp, "p.xml", xml), &cfg, &err);
	tmp_release(&tmp);
	assert_non_null(platform);
	assert_ok(placement_make(platform, NULL, p->ranks, 0, 1, &placement, &cfg, &err), err);
	struct net *net = net_new(platform, &cfg, &err);
	assert_non_null(net);
	struct mp *mp = mp_new(net, &cfg, placement.host, p->ranks, &err);
	assert_non_null(mp);
	assert_ok(mp_observe(mp, &o, &err), err);
	assert_ok(mp_run(mp, &program, NULL, &err), err);
	mp_report(mp, report);
	mp_free(mp);
	net_free(net);
	placement_release(&placement);
	platform_free(platform);
	config_release(&cfg);
}

static const char *const settings[] = {"network/model:hybrid",
                                       "smpi/async-small-thresh:1000",
                                       "network/model:CM02 smpi/send-is-detached-thresh:1000",
                                       "network/model:LV08 network/crosstraffic:no",
                                       "compat:simgrid-3.32",
                                       "network/model:psins-simple",
                                       "network/model:psins-bus psins/busses:2",
                                       "network/model:psins-in smpi/collectives:simulated",
                                       "network/model:psins-out",
                                       "network/model:psins-pmac psins/busses:2 smpi/async-small-thresh:1000",
                                       "network/model:dimemas dimemas/buses:2 smpi/collectives:simulated",
                                       "network/model:dimemas dimemas/duplex:half dimemas/local-buses:1",
                                       "smpi/collectives:analytic"};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void check_one(uint64_t seed)
{
	static struct program p, twice;
	const char *with = settings[seed % SETTINGS];
	struct str report;
	struct rng r;

	rng_init(&r, seed, "prop_programs", 0);
	random_program(&r, &p);
	str_init(&report);
	run(&p, with, 1, &report);
	if (report.n > 0)
		fail_msg("seed %lu: %s", (unsigned long)seed, report.s);
	assert_int_equal(p.received, p.messages);
	assert_double_is(p.received_bytes, p.bytes);
	assert_int_equal(p.wrong, 0);
	twice = p;
	run(&twice, with, 1, &report);
	assert_true(twice.hash == p.hash);
	/* in compat a fixed tolerance of 1e-9 s puts dates together: no exact scaling */
	if (!strstr(with, "compat")) {
		run(&twice, with, 2, &report);
		assert_int_equal(twice.n_dates, p.n_dates);
		for (uint32_t i = 0; i < p.n_dates; i++)
			if (twice.dates[i] * 2 != p.dates[i])
				fail_msg("seed %lu: date %u is %.17g, and %.17g on a machine twice as fast", (unsigned long)seed, i,
				         p.dates[i], twice.dates[i]);
	}
	str_release(&report);
}

static void laws(void **state)
{
	const char *fixed = getenv("SEED");
	uint64_t seed = fixed ? strtoull(fixed, NULL, 10) : (uint64_t)time(NULL) * 1000;

	(void)state;
	printf("seeds %lu … %lu (SEED=%lu repeats)\n", (unsigned long)seed, (unsigned long)seed + SETS - 1, (unsigned long)seed);
	for (uint32_t i = 0; i < SETS; i++)
		check_one(seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
