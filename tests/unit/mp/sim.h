/* sim.h: a small program for each rank, run on a platform given as text; the dates at which its
 * actions ended are what tests look at. */
#ifndef ORRERY_TESTS_UNIT_MP_SIM_H
#define ORRERY_TESTS_UNIT_MP_SIM_H

#include "test.h"
#include "tmp.h"

#include "mp/mp.h"

#include <math.h>

enum act_kind {
	ACT_END,
	ACT_COMPUTE,
	ACT_SLEEP,
	ACT_INIT,
	ACT_FINALIZE,
	ACT_SEND,
	ACT_ISEND,
	ACT_RECV,
	ACT_IRECV,
	ACT_SENDRECV,
	ACT_SEND_INIT,
	ACT_RECV_INIT,
	ACT_START,
	ACT_FREE,
	ACT_CANCEL,
	ACT_DETACH,
	ACT_WAIT,
	ACT_TEST,
	ACT_PROBE,
	ACT_IPROBE,
	ACT_COMM,
	ACT_COMM_FREE,
	ACT_COLL,
	ACT_ICOLL,
};

enum { SIM_REQS = 16, SIM_ACTS = 64, SIM_COMMS = 4 };

struct act {
	enum act_kind k;
	int peer, tag;
	double bytes;
	int req, n; /* first of the requests concerned, how many */
	int mode;   /* enum mp_mode, mp_wait_kind, mp_test_kind */
	int comm;   /* of the rank's communicators; 0: the world */
	int keep;   /* WAIT: the requests are persistent */
	int from;   /* SENDRECV */
	double from_bytes;
	struct coll_args coll;
	uint64_t key;
	const uint32_t *members;
};

#define ANY MP_ANY
#define COMPUTE(v) \
	{ \
		.k = ACT_COMPUTE, .bytes = (v) \
	}
#define SLEEP(s) \
	{ \
		.k = ACT_SLEEP, .bytes = (s) \
	}
#define INIT \
	{ \
		.k = ACT_INIT \
	}
#define FINALIZE \
	{ \
		.k = ACT_FINALIZE \
	}
#define SEND(p, t, b) \
	{ \
		.k = ACT_SEND, .peer = (p), .tag = (t), .bytes = (b) \
	}
#define SEND_AS(m, p, t, b) \
	{ \
		.k = ACT_SEND, .peer = (p), .tag = (t), .bytes = (b), .mode = (m) \
	}
#define RECV(p, t, b) \
	{ \
		.k = ACT_RECV, .peer = (p), .tag = (t), .bytes = (b) \
	}
#define ISEND(p, t, b, r) \
	{ \
		.k = ACT_ISEND, .peer = (p), .tag = (t), .bytes = (b), .req = (r) \
	}
#define ISEND_AS(m, p, t, b, r) \
	{ \
		.k = ACT_ISEND, .peer = (p), .tag = (t), .bytes = (b), .req = (r), .mode = (m) \
	}
#define IRECV(p, t, b, r) \
	{ \
		.k = ACT_IRECV, .peer = (p), .tag = (t), .bytes = (b), .req = (r) \
	}
#define SENDRECV(p, b, f, fb) \
	{ \
		.k = ACT_SENDRECV, .peer = (p), .bytes = (b), .from = (f), .from_bytes = (fb) \
	}
#define SEND_INIT(m, p, t, b, r) \
	{ \
		.k = ACT_SEND_INIT, .peer = (p), .tag = (t), .bytes = (b), .req = (r), .mode = (m) \
	}
#define RECV_INIT(p, t, b, r) \
	{ \
		.k = ACT_RECV_INIT, .peer = (p), .tag = (t), .bytes = (b), .req = (r) \
	}
#define START(r, n_) \
	{ \
		.k = ACT_START, .req = (r), .n = (n_) \
	}
#define REQ_FREE_(r) \
	{ \
		.k = ACT_FREE, .req = (r) \
	}
#define CANCEL(r) \
	{ \
		.k = ACT_CANCEL, .req = (r) \
	}
#define DETACH \
	{ \
		.k = ACT_DETACH \
	}
#define WAIT(r) \
	{ \
		.k = ACT_WAIT, .req = (r), .n = 1, .mode = MP_WAIT \
	}
#define WAITALL(r, n_) \
	{ \
		.k = ACT_WAIT, .req = (r), .n = (n_), .mode = MP_WAITALL \
	}
#define WAITANY(r, n_) \
	{ \
		.k = ACT_WAIT, .req = (r), .n = (n_), .mode = MP_WAITANY \
	}
#define WAITSOME(r, n_) \
	{ \
		.k = ACT_WAIT, .req = (r), .n = (n_), .mode = MP_WAITSOME \
	}
#define TEST(r) \
	{ \
		.k = ACT_TEST, .req = (r), .n = 1, .mode = MP_TEST \
	}
#define TEST_AS(m, r, n_) \
	{ \
		.k = ACT_TEST, .req = (r), .n = (n_), .mode = (m) \
	}
#define PROBE(p, t) \
	{ \
		.k = ACT_PROBE, .peer = (p), .tag = (t) \
	}
#define IPROBE(p, t) \
	{ \
		.k = ACT_IPROBE, .peer = (p), .tag = (t) \
	}
#define COMM(c, key_, m, n_) \
	{ \
		.k = ACT_COMM, .comm = (c), .key = (key_), .members = (m), .n = (n_) \
	}
#define COMM_FREE(c) \
	{ \
		.k = ACT_COMM_FREE, .comm = (c) \
	}
#define COLL(...) \
	{ \
		.k = ACT_COLL, .coll = { __VA_ARGS__ } \
	}
#define ICOLL(r, ...) \
	{ \
		.k = ACT_ICOLL, .req = (r), .coll = { __VA_ARGS__ } \
	}

/* What an action gave. */
struct seen {
	double date;
	uint32_t n, index[SIM_REQS];
	int flag;
	int32_t source, tag;
	double bytes;
};

struct sim {
	struct err err;
	struct config cfg;
	struct platform *platform;
	struct net *net;
	struct mp *mp;
	struct placement placement;
	const struct act *const *programs;
	uint32_t ranks;
	struct sim_rank {
		uint32_t at;
		int blocked;
		struct mp_request req[SIM_REQS];
		struct mp_comm comm[SIM_COMMS];
		struct seen seen[SIM_ACTS];
	} * rank;
	const char *longer; /* as in struct mp_program */
	int result;         /* of mp_run */
};

static inline struct mp_message sim_message(const struct sim_rank *r, const struct act *a)
{
	return (struct mp_message){
	    .comm = r->comm[a->comm], .peer = a->peer, .tag = a->tag, .bytes = a->bytes};
}

static inline int sim_act(struct sim *s, struct mp *mp, uint32_t rank, const struct act *a,
                          struct err *err)
{
	struct sim_rank *r = &s->rank[rank];
	struct mp_message m = sim_message(r, a);
	struct mp_message from = {.peer = a->from, .tag = a->tag, .bytes = a->from_bytes};

	switch (a->k) {
	case ACT_COMPUTE:
		return mp_compute(mp, rank, a->bytes, err);
	case ACT_SLEEP:
		return mp_sleep(mp, rank, a->bytes, err);
	case ACT_INIT:
		return mp_init(mp, rank, err);
	case ACT_FINALIZE:
		return mp_finalize(mp, rank, err);
	case ACT_SEND:
		return mp_send(mp, rank, &m, (enum mp_mode)a->mode, err);
	case ACT_ISEND:
		return mp_isend(mp, rank, &m, (enum mp_mode)a->mode, &r->req[a->req], err);
	case ACT_RECV:
		return mp_recv(mp, rank, &m, err);
	case ACT_IRECV:
		return mp_irecv(mp, rank, &m, &r->req[a->req], err);
	case ACT_SENDRECV:
		return mp_sendrecv(mp, rank, &m, &from, err);
	case ACT_SEND_INIT:
		return mp_send_init(mp, rank, &m, (enum mp_mode)a->mode, &r->req[a->req], err);
	case ACT_RECV_INIT:
		return mp_recv_init(mp, rank, &m, &r->req[a->req], err);
	case ACT_START:
		return mp_start(mp, rank, &r->req[a->req], (uint32_t)a->n, err);
	case ACT_FREE:
		return mp_request_free(mp, rank, r->req[a->req], err);
	case ACT_CANCEL:
		return mp_cancel(mp, rank, r->req[a->req], err);
	case ACT_DETACH:
		return mp_buffer_detach(mp, rank, err);
	case ACT_WAIT:
		return mp_wait(mp, rank, (enum mp_wait_kind)a->mode, &r->req[a->req],
		               (uint32_t)a->n, err);
	case ACT_TEST:
		return mp_test(mp, rank, (enum mp_test_kind)a->mode, &r->req[a->req],
		               (uint32_t)a->n, err);
	case ACT_PROBE:
		return mp_probe(mp, rank, &m, err);
	case ACT_IPROBE:
		return mp_iprobe(mp, rank, &m, err);
	case ACT_COMM:
		return mp_comm_make(mp, rank, a->key, a->members, (uint32_t)a->n, &r->comm[a->comm],
		                    err);
	case ACT_COMM_FREE:
		return mp_comm_free(mp, rank, r->comm[a->comm], err);
	case ACT_COLL:
		return mp_collective(mp, rank, r->comm[a->comm], &a->coll, a->bytes, err);
	case ACT_ICOLL:
		return mp_icollective(mp, rank, r->comm[a->comm], &a->coll, a->bytes,
		                      &r->req[a->req], err);
	default:
		return MP_ERROR;
	}
}

/* A program that is done with a request forgets it; persistent ones (given n > 0 by START) stay. */
static inline void sim_see(struct sim *s, struct mp *mp, uint32_t rank)
{
	struct sim_rank *r = &s->rank[rank];
	const struct mp_result *got = mp_result(mp, rank);
	const struct act *a = &s->programs[rank][r->at];
	struct seen *seen = &r->seen[r->at];

	seen->date = mp_now(mp);
	seen->flag = got->flag;
	seen->source = got->source;
	seen->tag = got->tag;
	seen->bytes = got->bytes;
	seen->n = got->n;
	for (uint32_t i = 0; i < got->n; i++) {
		seen->index[i] = got->indices[i];
		if (!a->keep && (a->k == ACT_WAIT || a->k == ACT_TEST))
			r->req[a->req + (int)got->indices[i]] = MP_REQUEST_NULL;
	}
	r->at++;
}

static inline int sim_resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct sim *s = self;
	struct sim_rank *r = &s->rank[rank];
	int status;

	if (r->blocked)
		sim_see(s, mp, rank);
	for (r->blocked = 0; s->programs[rank][r->at].k != ACT_END;) {
		status = sim_act(s, mp, rank, &s->programs[rank][r->at], err);
		if (status == MP_ERROR)
			return -1;
		if (status == MP_BLOCKED) {
			r->blocked = 1;
			return 0;
		}
		sim_see(s, mp, rank);
	}
	return 1;
}

static inline const char *sim_place(void *self, uint32_t rank, char *buf, size_t n)
{
	struct sim *s = self;

	snprintf(buf, n, "action %u", s->rank[rank].at);
	return buf;
}

/* ranks programs; rank i runs on the i-th host, round robin. settings: as --cfg, or NULL. */
static inline void sim_init(struct sim *s, const char *platform, const char *settings,
                            const struct act *const *programs, uint32_t ranks)
{
	struct tmp tmp;

	memset(s, 0, sizeof *s);
	s->programs = programs;
	s->ranks = ranks;
	s->rank = calloc(ranks, sizeof *s->rank);
	assert_non_null(s->rank);
	for (uint32_t i = 0; i < ranks; i++) {
		for (int k = 0; k < SIM_REQS; k++)
			s->rank[i].req[k] = MP_REQUEST_NULL;
	}
	assert_ok(config_init(&s->cfg, &s->err), s->err);
	if (settings)
		assert_ok(config_set_all(&s->cfg, settings, CFG_FROM_USER, &s->err), s->err);
	tmp_init(&tmp);
	s->platform = platform_read(tmp_write(&tmp, "p.xml", platform), &s->cfg, &s->err);
	tmp_release(&tmp);
	if (!s->platform)
		fail_msg("%s", s->err.text);
	assert_ok(placement_make(s->platform, NULL, ranks, 0, 1, &s->placement, &s->cfg, &s->err),
	          s->err);
	s->net = net_new(s->platform, &s->cfg, &s->err);
	if (!s->net)
		fail_msg("%s", s->err.text);
	s->mp = mp_new(s->net, &s->cfg, s->placement.host, ranks, &s->err);
	if (!s->mp)
		fail_msg("%s", s->err.text);
}

static inline void sim_run(struct sim *s)
{
	struct mp_program program = {
	    .self = s, .resume = sim_resume, .place = sim_place, .longer = s->longer};

	s->result = mp_run(s->mp, &program, NULL, &s->err);
}

static inline void sim_release(struct sim *s)
{
	mp_free(s->mp);
	net_free(s->net);
	placement_release(&s->placement);
	platform_free(s->platform);
	config_release(&s->cfg);
	free(s->rank);
}

/* All in one: the run must end well. */
static inline void sim_do(struct sim *s, const char *platform, const char *settings,
                          const struct act *const *programs, uint32_t ranks)
{
	sim_init(s, platform, settings, programs, ranks);
	sim_run(s);
	if (s->result < 0)
		fail_msg("%s", s->err.text);
}

static inline double sim_date(const struct sim *s, uint32_t rank, uint32_t action)
{
	return s->rank[rank].seen[action].date;
}

/* Four hosts of 1 Gf, 2 cores, on full-duplex links of 100 MB/s, 10 us: between two hosts L = 20
 * us, alone at 100 MB/s (the acknowledgements take the other direction). */
#define FLAT \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' " \
	"core='2' bw='100MBps' lat='10us'" \
	" loopback_bw='1GBps' loopback_lat='1us'/></platform>"
/* The plain model: no factors, so that dates are simple sums. T(n) = 20e-6 + (n + 16) / 100e6. */
#define PLAIN "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0"
#define FLAT_TIME(n) (20e-6 + ((n) + 16) / 100e6)

/* The same program for all, on FLAT. */
static inline void all_do(struct sim *s, const char *settings, const struct act *acts,
                          uint32_t ranks)
{
	const struct act *programs[8];

	assert_true(ranks <= 8);
	for (uint32_t i = 0; i < ranks; i++)
		programs[i] = acts;
	sim_do(s, FLAT, settings, programs, ranks);
}

#endif
