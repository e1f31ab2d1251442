/* whole.c: collectives that the communication model decides as a whole (setting smpi/collectives):
 * who calls it waits; when the last member has come, the model says how long it takes, and all end
 * together.
 *
 *   task begins --whole_go--> waits for members --last one comes: net_collective--> moves
 *   --whole_end--> done
 *
 * No message is sent. The check that all members call the same, the operator's volume, non-blocking
 * calls and observers are those of the simulated ones. The k-th collective of a communicator is
 * found by (context, number). Sizes are the root's, where there is a root, else the most of any
 * member. */
#include "coll_int.h"
#include "mp/comm/comm.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"

#include <assert.h>
#include <stdlib.h>

static_assert((int)NET_BARRIER == COLL_BARRIER && (int)NET_ALLTOALL == COLL_ALLTOALL &&
                  (int)NET_EXSCAN == COLL_EXSCAN && (int)NET_COLLS == COLL_EXSCAN + 1,
              "net's collectives are mp's, up to those of neighbourhoods, "
              "which are never decided as a whole");

static uint64_t whole_key(const struct op *t)
{
	return (uint64_t)t->ctx << 32 | t->number;
}

/* --- the pool --- */

void wholes_init(struct mp *mp)
{
	slots_init(&mp->wholes.slots, sizeof(struct whole), offsetof(struct whole, come.first),
	           "collectives under way");
	hash64_init(&mp->wholes.by_key);
}

static struct whole *whole_at(const struct mp *mp, uint32_t id)
{
	return slots_at(&mp->wholes.slots, id, sizeof(struct whole));
}

/* The one that this task belongs to, made for the first member. NONE on error. */
static uint32_t whole_get(struct mp *mp, const struct op *t, struct err *err)
{
	uint32_t id = hash64_find(&mp->wholes.by_key, whole_key(t));

	if (id != HASH_NONE)
		return id;
	id = slots_take(&mp->wholes.slots, err);
	if (id == NONE || hash64_put(&mp->wholes.by_key, whole_key(t), id, err) < 0)
		return NONE;
	*whole_at(mp, id) = (struct whole){.come = {NONE, NONE, 0}};
	return id;
}

void wholes_release(struct mp *mp)
{
	hash64_release(&mp->wholes.by_key);
	slots_release(&mp->wholes.slots);
}

/* --- sizes --- */

static int has_root(enum coll_kind k)
{
	return k == COLL_BCAST || k == COLL_REDUCE || k == COLL_GATHER || k == COLL_GATHERV ||
	       k == COLL_SCATTER || k == COLL_SCATTERV;
}

static void sizes_of(const struct op *t, double *sent, double *received)
{
	const struct coll_args *a = t->args;

	*sent = (double)coll_send_bytes(a, t->me);
	*received = (double)coll_recv_bytes(a, t->me);
	if (a->kind == COLL_BCAST && t->me == a->root) {
		*sent = *received;
		*received = 0;
	}
}

static void sizes_note(struct whole *w, struct op *t)
{
	double sent, received;

	sizes_of(t, &sent, &received);
	t->bytes = sent + received;
	if (has_root(t->args->kind) && t->me != t->args->root)
		return;
	if (sent > w->sent)
		w->sent = sent;
	if (received > w->received)
		w->received = received;
}

/* --- members --- */

static int hosts_make(struct mp *mp, struct comm *c, struct err *err)
{
	uint32_t i;

	if (c->hosts)
		return 0;
	c->hosts = malloc(c->n * sizeof *c->hosts);
	if (!c->hosts)
		return err_nomem(err, "hosts of a communicator", c->n * sizeof *c->hosts);
	for (i = 0; i < c->n; i++)
		c->hosts[i] = mp->ranks[comm_member(c, i)].host;
	return 0;
}

/* All have come. */
static int whole_start(struct mp *mp, uint32_t id, const struct op *t, struct err *err)
{
	struct comm *c = comm_at(mp, t->ctx & CTX_SLOT);
	struct whole *w = whole_at(mp, id);
	struct net_collective call = {.kind = (enum net_coll)t->args->kind,
	                              .n = c->n,
	                              .root = has_root(t->args->kind) ? t->args->root : 0,
	                              .sent = w->sent,
	                              .received = w->received,
	                              .memo = &c->memo};
	struct activity_id a;
	double seconds;
	uint32_t task;

	hash64_remove(&mp->wholes.by_key, whole_key(t));
	w->moved = engine_now(mp->engine);
	w->path = *path_now(mp);
	for (task = mp->watch ? w->come.first : NONE; task != NONE; task = op_at(mp, task)->target)
		watch_gathered(mp, op_at(mp, task)->rank, t->rank);
	if (hosts_make(mp, c, err) < 0)
		return -1;
	call.host = c->hosts;
	if (net_collective(mp->net, &call, &seconds, err) < 0)
		return -1;
	return engine_timer(mp->engine, seconds, event_user(EVENT_COLL, id), &a, err);
}

static int member_enter(struct mp *mp, uint32_t task, struct err *err)
{
	struct op *t = op_at(mp, task);
	uint32_t id = whole_get(mp, t, err);
	struct whole *w;

	if (id == NONE)
		return MP_ERROR;
	w = whole_at(mp, id);
	sizes_note(w, t);
	if (members_enter(mp, &w->come, task) && whole_start(mp, id, t, err) < 0)
		return MP_ERROR;
	return MP_BLOCKED;
}

int whole_go(struct mp *mp, uint32_t task, struct err *err)
{
	struct op *t = op_at(mp, task);

	if (t->wait == TASK_RUNS) {
		/* others may need what this rank has not seen yet to come here at all */
		if (!t->background && rank_looks(mp, t->rank, err) < 0)
			return MP_ERROR;
		return member_enter(mp, task, err);
	}
	if (t->wait_stage != TASK_PAYS)
		return MP_BLOCKED;
	t->waited += t->set.moved - t->wait_since;
	t->wait = TASK_RUNS;
	t->target = NONE;
	return MP_DONE;
}

int whole_end(struct mp *mp, uint32_t id, struct err *err)
{
	struct whole w = *whole_at(mp, id);
	uint32_t task, next;
	int status = 0;

	slots_give(&mp->wholes.slots, id);
	path_goes_on(mp, &w.path);
	for (task = w.come.first; task != NONE && status >= 0; task = next) {
		struct op *t = op_at(mp, task);

		next = t->target;
		t->set.moved = w.moved;
		t->wait_stage = TASK_PAYS;
		if (t->background)
			status = task_complete(mp, task, err);
		else
			rank_released(mp, t->rank);
	}
	return status;
}

uint32_t whole_absent(const struct mp *mp, uint32_t task)
{
	const struct op *t = op_at(mp, task);
	const struct comm *c = comm_of_ctx(mp, t->ctx);
	uint32_t i;

	if (t->wait != TASK_WAITS_MEMBERS)
		return NONE;
	for (i = 0; i < c->n; i++) {
		if ((c->calls[i] & INT32_MAX) <= t->number)
			return comm_member(c, i);
	}
	return NONE;
}
