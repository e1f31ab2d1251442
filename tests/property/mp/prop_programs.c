/* prop_programs.c: laws that hold for every correct program, on random programs and machines:
 *   no message is lost, and each is received after it was sent;
 *   no link is over its capacity, every flow is at its bound or crosses a full link where none is
 *   faster (engine_check; not in compat); the clock never goes back;
 *   bandwidths and speeds x 2 and latencies / 2 halve every date, exactly (there are no overheads);
 *   the same run gives the same events, bit for bit.
 * PROP_SEED and PROP_CASES repeat or lengthen a run.
 *
 * A random program is a global list of messages and collectives. Each rank does its part in the
 * order of the list, blocking or not, and waits for what is outstanding at random places, and in
 * the end for its buffered messages to have gone: such a program cannot deadlock, whatever the
 * protocols (the earliest unfinished item can always go on). */
#include "../random_platform.h"
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
	uint64_t seed;
	uint32_t ranks, messages;
	double bytes;
	/* run */
	struct walker {
		uint32_t at, n;
		uint8_t detached;
		struct mp_request reqs[MAX_REQS];
	} walker[MAX_RANKS];
	/* seen */
	uint64_t hash;
	double now;
	struct engine *engine; /* to be checked; NULL in compat */
	struct err why;
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
	static const enum coll_kind kinds[] = {
	    COLL_BARRIER,   COLL_BCAST,    COLL_REDUCE,
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
	it->immediate_send = it->from == it->to ||
	                     rng_below(r,
	                               2); /* a blocking message to oneself would wait for itself */
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
static int message_side(struct program *p, struct mp *mp, uint32_t rank, const struct item *it,
                        int receives, struct err *err)
{
	struct walker *w = &p->walker[rank];
	struct mp_message m = {
	    .peer = (int32_t)(receives ? it->from : it->to), .tag = it->tag, .bytes = it->bytes};
	int status;

	if (receives && it->any_tag)
		m.tag = MP_ANY;
	if (receives && it->any_size)
		m.bytes = HUGE_VAL;
	if (!(receives ? it->immediate_recv : it->immediate_send))
		return receives ? mp_recv(mp, rank, &m, err)
		                : mp_send(mp, rank, &m, (enum mp_mode)it->mode, err);
	status = receives ? mp_irecv(mp, rank, &m, &w->reqs[w->n], err)
	                  : mp_isend(mp, rank, &m, (enum mp_mode)it->mode, &w->reqs[w->n], err);
	w->n++;
	return status;
}

static int item_do(struct program *p, struct mp *mp, uint32_t rank, const struct item *it,
                   uint32_t part, struct err *err)
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

		if (at == ITEMS && w->detached)
			return 1;
		if (at == ITEMS && w->n == 0) {
			w->detached = 1;
			status = mp_buffer_detach(mp, rank, err);
		} else if (at == ITEMS || (part == 0 && w->n >= MAX_REQS - 2) ||
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
	p->wrong |= date < p->now;
	p->now = date;
	p->hash = hash_mix(p->hash ^ bits) + more;
	if (p->n_dates < sizeof p->dates / sizeof *p->dates)
		p->dates[p->n_dates++] = date;
}

static void hash_wait(struct program *p, double wait)
{
	uint64_t bits;

	memcpy(&bits, &wait, sizeof bits);
	p->hash = hash_mix(p->hash ^ bits);
}

static void on_leave(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
                     double bytes, double wait)
{
	(void)partner;
	(void)bytes;
	hash_in(self, date, (uint64_t)rank << 16 | call);
	hash_wait(self, wait);
	((struct program *)self)->wrong |= wait < 0;
}

static void on_message(void *self, const struct mp_arrival *m)
{
	struct program *p = self;

	hash_in(p, m->received, (uint64_t)m->from << 16 | m->to);
	if (p->engine && p->n_dates % 4 == 0)
		p->wrong |= engine_check(p->engine, &p->why) < 0 ? 2 : 0;
	p->wrong |= !(m->sent <= m->moved &&
	              (p->engine ? m->moved < m->received : m->moved <= m->received))
	                ? 4
	                : 0;
	p->received += !m->coll;
	p->received_bytes += m->coll ? 0 : m->bytes;
}

/* Any machine; for the models that know nodes only, a flat one. */
static void machine(const struct program *p, const char *settings, double scale, struct str *xml)
{
	struct machine_text m;
	struct rng r;

	if (!strstr(settings, "psins") && !strstr(settings, "dimemas")) {
		rng_init(&r, p->seed, "machine", 0);
		machine_write(&m, &r, scale);
		*xml = m.text;
		return;
	}
	str_init(xml);
	str_printf(
	    xml,
	    "<platform version='4.1'>"
	    "<cluster id='c' prefix='n' suffix='' radical='0-4' speed='%.17gf' bw='%.17gBps' "
	    "lat='%.17gs' core='2' bb_bw='%.17gBps' bb_lat='%.17gs' loopback_bw='%.17gBps' "
	    "loopback_lat='%.17gs'/></platform>",
	    1e9 * scale, 1.25e8 * scale, 3e-5 / scale, 2e8 * scale, 1e-5 / scale, 1e9 * scale,
	    1e-6 / scale);
}

/* Those that are times or bandwidths. */
static void scaled_settings(const char *settings, double scale, char *out, size_t n)
{
	int used = snprintf(out, n, "network/loopback-bw:%.17g", 1e10 * scale);

	if (strstr(settings, "constant"))
		snprintf(out + used, n - (size_t)used, " network/latency-factor:%.17g",
		         1e-4 / scale);
	if (strstr(settings, "loggps"))
		snprintf(
		    out + used, n - (size_t)used,
		    " loggps/L:%.17g loggps/o:%.17g loggps/g:%.17g loggps/G:%.17g loggps/O:%.17g",
		    2.5e-6 / scale, 1.5e-6 / scale, 1e-6 / scale, 6e-9 / scale, 1e-9 / scale);
	if (strstr(settings, "notice")) /* in place of the one given */
		snprintf(out + used, n - (size_t)used,
		         " smpi/notice:0:%.17g:0.5;6:%.17g smpi/connection-setup:%.17g "
		         "smpi/first-contact:%.17g",
		         5e-5 / scale, 2e-4 / scale, 3e-4 / scale, 1e-2 / scale);
	else if (strstr(settings, "queue"))
		snprintf(out + used, n - (size_t)used, " virtual-hosts/message-work:%.17g",
		         8e-6 / scale);
}

static void run(struct program *p, const char *settings, double scale, struct str *report)
{
	struct mp_observer o = {.self = p, .leave = on_leave, .message = on_message};
	struct mp_program program = {.self = p, .resume = program_resume};
	struct placement placement;
	struct tmp tmp;
	struct config cfg;
	struct err err;
	struct str xml;
	char more[400];

	memset(p->walker, 0, sizeof p->walker);
	p->hash = p->n_dates = p->received = 0;
	p->received_bytes = p->now = 0;
	machine(p, settings, scale, &xml);
	scaled_settings(settings, scale, more, sizeof more);
	assert_ok(config_init(&cfg, &err), err);
	assert_ok(config_set_all(&cfg, settings, CFG_FROM_USER, &err), err);
	assert_ok(config_set_all(&cfg, more, CFG_FROM_USER, &err), err);
	tmp_init(&tmp);
	struct platform *platform = platform_read(tmp_write(&tmp, "p.xml", xml.s), &cfg, &err);
	tmp_release(&tmp);
	if (!platform)
		fail_msg("%s\n%s", err.text, xml.s);
	str_release(&xml);
	assert_ok(placement_make(platform, NULL, p->ranks, 0, 1, &placement, &cfg, &err), err);
	struct net *net = net_new(platform, &cfg, &err);
	assert_non_null(net);
	struct mp *mp = mp_new(net, &cfg, placement.host, p->ranks, &err);
	assert_non_null(mp);
	p->engine = strstr(settings, "compat") ? NULL : net_engine(net);
	assert_ok(mp_observe(mp, &o, &err), err);
	assert_ok(mp_run(mp, &program, NULL, &err), err);
	mp_report(mp, report);
	mp_free(mp);
	net_free(net);
	placement_release(&placement);
	platform_free(platform);
	config_release(&cfg);
}

#define REACTIONS "smpi/connections:ordered smpi/notice:1"
/* CM02 weighs by latency alone: a message without has the greatest weight there is, which does not
 * scale. So weight-S is given. */
static const char *const settings[] = {
    "network/model:hybrid",
    "smpi/async-small-thresh:1000",
    "network/model:CM02 network/weight-S:1000 smpi/send-is-detached-thresh:1000",
    "network/model:LV08 network/crosstraffic:no",
    "compat:simgrid-3.32",
    "network/model:psins-simple",
    "network/model:psins-bus psins/busses:2",
    "network/model:psins-in smpi/collectives:simulated",
    "network/model:psins-out",
    "network/model:psins-pmac psins/busses:2 smpi/async-small-thresh:1000",
    "network/model:dimemas dimemas/buses:2 smpi/collectives:simulated",
    "network/model:dimemas dimemas/duplex:half dimemas/local-buses:1",
    "smpi/collectives:analytic",
    "network/model:IB",
    "network/model:IB network/crosstraffic:no smpi/IB-penalty-factors:1;1.5;2",
    "network/model:constant",
    "network/model:loggps loggps/S:1000",
    "network/model:loggps loggps/S:1000 loggps/handshake:yes",
    "smpi/connections:ordered",
    "smpi/connections:ordered smpi/async-small-thresh:65536 smpi/send-buffer:20000",
    "smpi/connections:ordered smpi/collectives:analytic",
    "smpi/connections:ordered smpi/progress:async smpi/send-buffer:400000",
    REACTIONS,
    REACTIONS " smpi/async-small-thresh:1000 smpi/send-buffer:20000",
    REACTIONS " virtual-hosts/processors:2",
    "smpi/connections:ordered virtual-hosts/processors:1 network/queue:757",
    "virtual-hosts/processors:3"};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void check_one(uint64_t seed)
{
	static struct program p, twice;
	const char *with = settings[seed % SETTINGS];
	struct str report;
	struct rng r;

	rng_init(&r, seed, "prop_programs", 0);
	random_program(&r, &p);
	p.seed = seed;
	str_init(&report);
	run(&p, with, 1, &report);
	if (report.n > 0)
		fail_msg("seed %lu: %s", (unsigned long)seed, report.s);
	assert_int_equal(p.received, p.messages);
	assert_double_is(p.received_bytes, p.bytes);
	if (p.wrong)
		fail_msg(
		    "seed %lu: wrong %d (1: clock or wait; 2: sharing: %s; 4: dates of a message)",
		    (unsigned long)seed, p.wrong, p.wrong & 2 ? p.why.text : "-");
	twice = p;
	run(&twice, with, 1, &report);
	assert_true(twice.hash == p.hash);
	/* in compat a fixed tolerance of 1e-9 s puts dates together: no exact scaling */
	if (!strstr(with, "compat")) {
		run(&twice, with, 2, &report);
		assert_int_equal(twice.n_dates, p.n_dates);
		for (uint32_t i = 0; i < p.n_dates; i++)
			if (twice.dates[i] * 2 != p.dates[i])
				fail_msg(
				    "seed %lu: date %u is %.17g, and %.17g on a machine twice as "
				    "fast",
				    (unsigned long)seed, i, p.dates[i], twice.dates[i]);
	}
	str_release(&report);
}

static void laws(void **state)
{
	const char *fixed = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t seed = fixed ? strtoull(fixed, NULL, 10) : (uint64_t)time(NULL) * 1000;
	uint64_t n = cases ? strtoull(cases, NULL, 10) : SETS;

	(void)state;
	printf("PROP_SEED=%lu PROP_CASES=%lu\n", (unsigned long)seed, (unsigned long)n);
	for (uint64_t i = 0; i < n; i++)
		check_one(seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
