/* bench_mp.c: operations per second of mp, and bytes per rank.
 *   compute    each rank only computes
 *   ring       each rank: irecv from the left, isend to the right, waitall, compute
 *   pingpong   pairs of ranks: blocking send and receive
 *   allreduce  all ranks, 8 bytes, and a computation
 *   iall       all ranks, non-blocking allreduce, computation, wait
 *   queue      rank 1 sends n messages that rank 0 receives last first: what an operation costs
 *              with n outstanding
 *   wildcard   the same with MPI_ANY_SOURCE
 *   idle       2^20 ranks that do nothing: bytes per rank
 * Usage: bench_mp [pattern [model [ranks]]]; the model is constant by default, which leaves out the
 * sharing of the network. */
#include "bench.h"

#include "mp/mp.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_STAGE = 8 };

struct bench {
	const char *pattern;
	uint32_t ranks, rounds;
	uint32_t *round;
	uint8_t *stage;
	struct mp_request (*req)[2];
};

/* The next operation of a rank, by pattern and stage; stage 0 ends a round. */
static int ring_act(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err)
{
	struct mp_message right = {.peer = (int32_t)((r + 1) % b->ranks), .bytes = 1000};
	struct mp_message left = {.peer = (int32_t)((r + b->ranks - 1) % b->ranks), .bytes = 1000};

	switch (stage) {
	case 0:
		return mp_irecv(mp, r, &left, &b->req[r][0], err);
	case 1:
		return mp_isend(mp, r, &right, MP_STANDARD, &b->req[r][1], err);
	case 2:
		return mp_wait(mp, r, MP_WAITALL, b->req[r], 2, err);
	default:
		return mp_compute(mp, r, 1e6, err);
	}
}

static int pingpong_act(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err)
{
	struct mp_message m = {.peer = (int32_t)(r ^ 1), .bytes = 1000};

	(void)b;
	return (stage ^ r) & 1 ? mp_recv(mp, r, &m, err) : mp_send(mp, r, &m, MP_STANDARD, err);
}

static int allreduce_act(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err)
{
	struct coll_args a = {
	    .kind = COLL_ALLREDUCE, .count = 1, .type_size = 8, .commutative = 1, .basic_type = 1};

	(void)b;
	return stage == 0 ? mp_collective(mp, r, MP_COMM_WORLD, &a, 0, err)
	                  : mp_compute(mp, r, 1e6, err);
}

static int iall_act(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err)
{
	struct coll_args a = {
	    .kind = COLL_ALLREDUCE, .count = 1, .type_size = 8, .commutative = 1, .basic_type = 1};

	switch (stage) {
	case 0:
		return mp_icollective(mp, r, MP_COMM_WORLD, &a, 0, &b->req[r][0], err);
	case 1:
		return mp_compute(mp, r, 1e6, err);
	default:
		return mp_wait(mp, r, MP_WAIT, b->req[r], 1, err);
	}
}

static int compute_act(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err)
{
	(void)b;
	(void)stage;
	return mp_compute(mp, r, 1e6 + r, err);
}

static int idle_act(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err)
{
	(void)b;
	(void)stage;
	return mp_sleep(mp, r, r == 0 ? 1 : 0, err);
}

/* rounds is the number of messages. */
static int queue_act(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err)
{
	struct mp_message m = {.peer = (int32_t)(r ^ 1), .tag = (int32_t)b->round[r], .bytes = 10};

	(void)stage;
	if (r == 1)
		return mp_send(mp, r, &m, MP_STANDARD, err);
	m.tag = (int32_t)(b->rounds - 1 - b->round[r]);
	if (b->pattern[0] == 'w')
		m.peer = MP_ANY;
	return mp_recv(mp, r, &m, err);
}

static const struct pattern {
	const char *name;
	int (*act)(struct bench *b, struct mp *mp, uint32_t r, uint8_t stage, struct err *err);
	uint8_t stages;
	uint32_t ranks, rounds;
} patterns[] = {
    {"compute", compute_act, 1, 64, 100000},  {"ring", ring_act, 4, 64, 20000},
    {"pingpong", pingpong_act, 2, 64, 40000}, {"allreduce", allreduce_act, 2, 64, 2000},
    {"iall", iall_act, 3, 16, 2000},          {"queue", queue_act, 1, 2, 1000000},
    {"wildcard", queue_act, 1, 2, 1000000},   {"idle", idle_act, 1, 1 << 20, 1},
};

static const struct pattern *active;

static int bench_resume(void *self, struct mp *mp, uint32_t r, struct err *err)
{
	struct bench *b = self;
	int status;

	while (b->round[r] < b->rounds) {
		status = active->act(b, mp, r, b->stage[r], err);
		if (status == MP_ERROR)
			return -1;
		if (++b->stage[r] == active->stages) {
			b->stage[r] = 0;
			b->round[r]++;
		}
		if (status == MP_BLOCKED)
			return 0;
	}
	return 1;
}

static struct platform *flat(struct config *cfg, struct err *err)
{
	char path[] = "/tmp/bench-mp-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct platform *p;

	fprintf(f, "<platform version='4.1'>"
	           "<cluster id='c' prefix='n' suffix='' radical='0-63' speed='1Gf' bw='1GBps' "
	           "lat='1us'/></platform>");
	fclose(f);
	p = platform_read(path, cfg, err);
	unlink(path);
	return p;
}

static void run(const struct pattern *p, const char *model, uint32_t ranks)
{
	struct bench b = {
	    .pattern = p->name, .ranks = ranks ? ranks : p->ranks, .rounds = p->rounds};
	struct mp_program program = {.self = &b, .resume = bench_resume};
	struct placement placement;
	struct mp_stats stats;
	struct config cfg;
	struct err err;
	struct platform *platform;
	struct net *net;
	struct mp *mp;
	struct rusage before, after;
	double start;

	if (config_init(&cfg, &err) < 0 ||
	    config_set(&cfg, "network/model", model, CFG_FROM_USER, &err) < 0)
		die(&err);
	if (strcmp(model, "constant") == 0 &&
	    config_set(&cfg, "network/latency-factor", "1e-5", CFG_FROM_USER, &err) < 0)
		die(&err);
	platform = flat(&cfg, &err);
	if (!platform ||
	    placement_make(platform, NULL, b.ranks, 0, 1, &placement, &cfg, &err) < 0 ||
	    !(net = net_new(platform, &cfg, &err)))
		die(&err);
	b.round = calloc(b.ranks, sizeof *b.round);
	b.stage = calloc(b.ranks, 1);
	b.req = calloc(b.ranks, sizeof *b.req);
	getrusage(RUSAGE_SELF, &before);
	mp = mp_new(net, &cfg, placement.host, b.ranks, &err);
	active = p;
	start = seconds();
	if (!mp || mp_run(mp, &program, NULL, &err) < 0)
		die(&err);
	start = seconds() - start;
	getrusage(RUSAGE_SELF, &after);
	mp_stats(mp, &stats);
	printf(
	    "%-10s %-8s %7u ranks  %9.0f operations  %8.0f messages  %6.3f s  %7.0f ns/op  %5.2f "
	    "Mmsg/s  %6ld KiB more (%.0f bytes/rank)\n",
	    p->name, model, b.ranks, (double)stats.operations, (double)stats.messages, start,
	    1e9 * start / (double)stats.operations, 1e-6 * (double)stats.messages / start,
	    after.ru_maxrss - before.ru_maxrss,
	    1024.0 * (double)(after.ru_maxrss - before.ru_maxrss) / b.ranks);
	mp_free(mp);
	net_free(net);
	placement_release(&placement);
	platform_free(platform);
	config_release(&cfg);
	free(b.round);
	free(b.stage);
	free(b.req);
}

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		if (argc > 1 && strcmp(argv[1], patterns[i].name) != 0)
			continue;
		run(&patterns[i], argc > 2 ? argv[2] : "constant",
		    argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0);
	}
	return 0;
}
