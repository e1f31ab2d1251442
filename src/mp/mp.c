/* mp.c: a simulation: made, run to its end, freed. The run is one loop: all ranks that can run at
 * this date do, first woken first; then the engine says what ends next.
 *
 *   ready --rank_go--> runs --MP_BLOCKED--> blocked --event, rank_wake--> ready
 *                       \--ended
 */
#include "base/memory.h"
#include "mp/coll/collective.h"
#include "mp/comm/comm.h"
#include "mp/contest/automatic.h"
#include "mp/file/file.h"
#include "mp/message/message.h"
#include "mp/noise/noise.h"
#include "mp/p2p/p2p.h"
#include "mp/report/report.h"
#include "mp/report/watch.h"
#include "mp/rma/rma.h"
#include "mp/setup/comm_setup.h"
#include "transport_int.h"

#include <math.h>
#include <stdlib.h>

enum { TICK_EVENTS = 4096 };

/* --- made and freed --- */

static void ranks_init(struct mp *mp, const struct host_id *host)
{
	uint32_t i;

	for (i = 0; i < mp->n_ranks; i++)
		mp->ranks[i] = (struct rank){.host = host[i],
		                             .op = NONE,
		                             .arrived_first = NONE,
		                             .arrived_last = NONE,
		                             .ended = i >= mp->n_world};
}

/* Of the ranks of a host, in their order, which socket each is on. */
static int sockets_set(struct mp *mp, struct err *err)
{
	uint32_t hosts = 0, *seen;

	if (!net_shares_memory(mp->net))
		return 0;
	for (uint32_t i = 0; i < mp->n_ranks; i++)
		hosts = mp->ranks[i].host.v >= hosts ? mp->ranks[i].host.v + 1 : hosts;
	seen = calloc((size_t)hosts + 1, sizeof *seen);
	if (!seen)
		return err_nomem(err, "ranks of hosts", (unsigned long long)hosts * sizeof *seen);
	for (uint32_t i = 0; i < mp->n_ranks; i++)
		mp->ranks[i].socket = (uint8_t)net_socket(mp->net, mp->ranks[i].host,
		                                          seen[mp->ranks[i].host.v]++);
	free(seen);
	return 0;
}

static int transport_choose(struct mp *mp, const struct host_id *host, struct err *err)
{
	static const struct mp_transport *const transports[] = {&transport_streams,
	                                                        &transport_ports, &transport_plain};
	int chosen = 0;

	for (int i = 0; chosen == 0; i++) {
		mp->transport = transports[i];
		chosen = transports[i]->init(mp, host, err);
	}
	return chosen < 0 ? -1 : 0;
}

static int settings_read(struct mp *mp, const struct host_id *host, struct err *err)
{
	const struct config *c = mp->cfg;

	mp->eager = config_number(c, CFG_SMPI_EAGER);
	mp->detached = config_number(c, CFG_SMPI_DETACHED);
	mp->test_cost = config_number(c, CFG_SMPI_TEST);
	mp->iprobe_cost = config_number(c, CFG_SMPI_IPROBE);
	mp->init_cost = config_number(c, CFG_SMPI_INIT);
	mp->grow = config_bool(c, CFG_SMPI_GROW_INJECTED);
	mp->simulate_computation = config_bool(c, CFG_SMPI_SIMULATE_COMPUTATION);
	mp->simulate_operators = mp->simulate_computation || mp->rules.operators;
	mp->barrier_finalization = config_bool(c, CFG_SMPI_BARRIER_FINALIZATION);
	mp->whole_collectives = net_collectives_whole(mp->net, err);
	if (mp->whole_collectives < 0)
		return -1;
	if (mp->eager > mp->detached)
		return err_set(
		    err, ERR_INPUT,
		    "setting smpi/async-small-thresh (%.0f) is above "
		    "smpi/send-is-detached-thresh (%.0f): a message that moves before it is "
		    "received cannot make its sender wait for that",
		    mp->eager, mp->detached);
	if (coll_policy_read(&mp->policy, c, err) < 0 || comm_setup_read(mp, err) < 0 ||
	    progress_init(mp, err) < 0 || transport_choose(mp, host, err) < 0)
		return -1;
	return rma_init(mp, err);
}

static int mp_setup(struct mp *mp, const struct host_id *host, uint32_t ranks, uint32_t spare,
                    struct err *err)
{
	mp->n_world = mp->n_begun = ranks;
	ranks += spare;
	mp->ranks = malloc(ranks * sizeof *mp->ranks);
	mp->ready.rank = malloc(ranks * sizeof *mp->ready.rank);
	if (!mp->ranks || !mp->ready.rank)
		return err_nomem(err, "ranks",
		                 (unsigned long long)ranks *
		                     (sizeof *mp->ranks + sizeof *mp->ready.rank));
	memory_large_pages(mp->ranks, ranks * sizeof *mp->ranks);
	mp->event = &mp->ranks[0].ops;
	mp->event_stride = sizeof *mp->ranks;
	mp->n_ranks = ranks;
	ranks_init(mp, host);
	mp->rules = rules_read(mp->cfg);
	if (turns_init(mp, err) < 0 || sockets_set(mp, err) < 0 ||
	    settings_read(mp, host, err) < 0 || overheads_init(mp, err) < 0 ||
	    losses_init(mp, err) < 0 || noise_init(mp, err) < 0)
		return -1;
	return comm_init(mp, err);
}

struct mp *mp_new(struct net *net, const struct config *cfg, const struct host_id *host,
                  uint32_t ranks, struct err *err)
{
	return mp_new_spare(net, cfg, host, ranks, 0, err);
}

struct mp *mp_new_spare(struct net *net, const struct config *cfg, const struct host_id *host,
                        uint32_t ranks, uint32_t spare, struct err *err)
{
	struct mp *mp;

	if (ranks == 0 || ranks > INT32_MAX - spare) {
		err_set(err, ERR_INPUT, "a program of %u ranks", ranks);
		return NULL;
	}
	mp = calloc(1, sizeof *mp);
	if (!mp) {
		err_nomem(err, "simulation", sizeof *mp);
		return NULL;
	}
	mp->net = net;
	mp->engine = net_engine(net);
	mp->envelope = net_envelope(net);
	mp->cfg = cfg;
	mp->stop_at = HUGE_VAL;
	mp->automatic.choose = automatic_choose;
	mp->running = mp->free_req = NONE;
	slots_init(&mp->ops, sizeof(struct op), offsetof(struct op, rank), "operations under way");
	legs_init(mp);
	rows_init(mp);
	parts_init(mp);
	wholes_init(mp);
	periods_init(mp);
	hash64_init(&mp->rma.pairs);
	match_init(&mp->match);
	hash64_init(&mp->comm_by_key);
	if (mp_setup(mp, host, ranks, spare, err) < 0) {
		mp_free(mp);
		return NULL;
	}
	return mp;
}

void mp_free(struct mp *mp)
{
	if (!mp)
		return;
	match_release(&mp->match);
	files_release(mp);
	tasks_release(mp);
	wholes_release(mp);
	periods_release(mp);
	legs_release(mp);
	parts_release(mp);
	rmas_release(mp);
	buffers_release(mp);
	free(mp->tasks.stalled);
	if (mp->transport && mp->transport->release)
		mp->transport->release(mp);
	comms_release(mp);
	overheads_release(mp);
	noise_free(mp->noise);
	coll_policy_release(&mp->policy);
	automatic_release(&mp->automatic);
	free(mp->turns.at);
	free(mp->turns.post);
	free(mp->turns.hosts);
	free(mp->turns.begin);
	free(mp->turns.marked);
	free(mp->ranks);
	free(mp->ready.rank);
	slots_release(&mp->ops);
	free(mp->reqs);
	free(mp->indices);
	free(mp->late.user);
	free(mp->names.task);
	str_release(&mp->report.lines);
	free(mp->observers.at);
	free(mp);
}

uint32_t mp_ranks(const struct mp *mp)
{
	return mp->n_ranks;
}

uint32_t mp_ranks_begun(const struct mp *mp)
{
	return mp->n_begun;
}

void mp_rank_begin(struct mp *mp, uint32_t rank)
{
	struct rank *r = &mp->ranks[rank];

	BUG_ON(!r->ended || rank < mp->n_world);
	r->ended = 0;
	mp->alive++;
	if (rank >= mp->n_begun)
		mp->n_begun = rank + 1;
	watch_released(mp, rank);
	watch_waited(mp, rank, 0);
	rank_released(mp, rank);
}

struct host_id mp_host(const struct mp *mp, uint32_t rank)
{
	return mp->ranks[rank].host;
}

double mp_now(const struct mp *mp)
{
	return engine_now(mp->engine);
}

struct net *mp_net(struct mp *mp)
{
	return mp->net;
}

uint32_t mp_alive(const struct mp *mp)
{
	return mp->alive;
}

void mp_stats(const struct mp *mp, struct mp_stats *out)
{
	*out = mp->stats;
	if (mp_deadlocked(mp)) /* those that wait got so far, whoever ended before */
		out->end = mp_now(mp);
}

/* --- running --- */

/* Its operation, if it is in one, then its program, until it blocks or ends. */
static int rank_go(struct mp *mp, uint32_t rank, struct err *err)
{
	int status;

	mp->running = rank;
	if (mp->ranks[rank].op != NONE) {
		status = op_go(mp, op_of(mp, rank), err);
		if (status != MP_DONE)
			return status == MP_ERROR ? -1 : 0;
	}
	status = mp->program.resume(mp->program.self, mp, rank, err);
	if (status < 0)
		return -1;
	if (status != 1) {
		BUG_ON((mp->ranks[rank].op == NONE) != (status == 2));
		return 0;
	}
	BUG_ON(mp->ranks[rank].op != NONE);
	mp->ranks[rank].ended = 1;
	/* what others want of it: it has nothing else to do */
	if (rma_progress(mp, rank, err) < 0 || rank_looks(mp, rank, err) < 0)
		return -1;
	path_ends(mp, rank);
	mp->stats.end = engine_now(mp->engine);
	mp->alive--;
	return 0;
}

static int ready_run(struct mp *mp, struct err *err)
{
	while (mp->ready.n > 0) {
		uint32_t rank = ready_pop(mp);

		if (turns_are_taken(mp) && turn_goes_by(mp, rank))
			continue;
		if (rank_go(mp, rank, err) < 0)
			return -1;
	}
	mp->running = NONE;
	return 0;
}

static int event_handle(struct mp *mp, uint64_t user, struct err *err)
{
	uint32_t slot = (uint32_t)user;

	switch (user >> 32) {
	case EVENT_RANK:
		if (turns_are_taken(mp))
			turn_leaves(mp, slot);
		mp->ranks[slot].napping = 0;
		if (mp->ranks[slot].executing)
			path_executed(mp, slot);
		rank_wake(mp, slot);
		return 0;
	case EVENT_LEG:
		return leg_end(mp, slot, err);
	case EVENT_FILE:
		return file_end(mp, slot, err);
	case EVENT_COLL:
		return whole_end(mp, slot, err);
	case EVENT_PERIOD:
		return period_end(mp, slot, err);
	default:
		return mp->transport->event(mp, (enum event_kind)(user >> 32), slot, err);
	}
}

/* All that ends at this date is known before any rank goes on, as in SimGrid: MPI_Waitsome gets all
 * of it. */
static int date_handle(struct mp *mp, struct completion done, uint64_t *events, struct err *err)
{
	int n;
	uint32_t i;

	mp->late.n = 0;
	for (n = 1; n > 0; n = net_more(mp->net, &done, err), ++*events) {
		if (mp->many && !mp->transport->send) /* a port's events say nothing of ranks */
			fetch_events(mp);
		if (mp->rules.messages_last && done.user >> 32 == EVENT_MESSAGE) {
			uint64_t *p = vec_grow(mp->late.user, &mp->late.cap, sizeof *p,
			                       (size_t)mp->late.n + 1, "events", err);
			if (!p)
				return -1;
			mp->late.user = p;
			mp->late.user[mp->late.n++] = done.user;
		} else if (event_handle(mp, done.user, err) < 0) {
			return -1;
		}
	}
	for (i = 0; n == 0 && i < mp->late.n; i++) {
		if (event_handle(mp, mp->late.user[i], err) < 0)
			return -1;
	}
	return n;
}

static void progress_tick(struct mp *mp, struct progress *p)
{
	p->done = mp->stats.operations;
	p->simulated = engine_now(mp->engine);
	p->tick(p);
}

/* What comes next: as net_next; 2: ranks may go on first. */
static int next(struct mp *mp, struct completion *done, struct err *err)
{
	const struct mp_program *p = &mp->program;
	int n = p->outside ? p->outside(p->self, 0, err) : 0;

	if (turns_are_taken(mp) && turns_are_over(mp, err) < 0)
		return -1;
	if (n == 0) {
		n = net_next(mp->net, done, err);
		if (n != 0 || !p->outside)
			return n;
		n = p->outside(p->self, 1, err);
	}
	return n > 0 ? 2 : n;
}

int mp_run(struct mp *mp, const struct mp_program *program, struct progress *progress,
           struct err *err)
{
	struct completion done;
	uint64_t events = 0;
	uint32_t i;
	int n;

	mp->program = *program;
	if (program->event) {
		mp->event = program->event;
		mp->event_stride = program->event_stride;
	}
	mp->alive = mp->n_world;
	mp->many = mp->n_ranks >= FETCH_MANY;
	shortcuts_choose(mp);
	observe_begin(mp);
	for (i = 0; i < mp->n_world; i++)
		rank_wake(mp, i);
	for (;;) {
		if (ready_run(mp, err) < 0)
			return -1;
		if (mp->alive == 0)
			return 0;
		n = next(mp, &done, err);
		if (n == 2)
			continue;
		if (n == 0)
			return deadlock_explain(mp, err);
		if (n > 0 && engine_now(mp->engine) > mp->stop_at)
			return 0;
		if (n < 0 || date_handle(mp, done, &events, err) < 0)
			return -1;
		if (progress && events >= TICK_EVENTS) {
			progress_tick(mp, progress);
			events = 0;
			if (progress->stop)
				return err_set(err, ERR_LIMIT, "the run was stopped");
		}
	}
}
