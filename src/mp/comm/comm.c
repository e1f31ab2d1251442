/* comm.c: communicators: who their members are, in which order.
 *
 * Members in arithmetic progression (the world, rows and columns of a grid) are three numbers;
 * others are a table. */
#include "comm.h"
#include "mp/report/report.h"

#include <stdlib.h>
#include <string.h>

static int32_t table_place(const struct comm *c, uint32_t world)
{
	uint32_t low = 0, high = c->n, mid, place;

	while (low < high) {
		mid = low + (high - low) / 2;
		place = c->sorted ? c->sorted[mid] : mid;
		if (c->members[place] == world)
			return (int32_t)place;
		if (c->members[place] < world)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

int32_t comm_place(const struct comm *c, uint32_t world)
{
	uint32_t distance = world - c->first;

	if (c->members)
		return table_place(c, world);
	if (c->stride == 1)
		return distance < c->n ? (int32_t)distance : -1;
	return world >= c->first && distance % c->stride == 0 && distance / c->stride < c->n
	           ? (int32_t)(distance / c->stride)
	           : -1;
}

static struct comm *comm_find(struct mp *mp, struct mp_comm c)
{
	return c.v < mp->comms.n && comm_at(mp, c.v)->n > 0 ? comm_at(mp, c.v) : NULL;
}

struct comm *comm_get(struct mp *mp, uint32_t rank, struct mp_comm c, struct err *err)
{
	struct comm *found = comm_find(mp, c);

	if (!found)
		mp_error(mp, rank, err, "communicator %u does not exist, or was freed", c.v);
	else if (comm_place(found, rank) >= 0)
		return found;
	else
		mp_error(mp, rank, err,
		         "this rank is not in communicator %u, which rank %u made with %u ranks",
		         c.v, found->maker, found->n);
	return NULL;
}

/* --- making and freeing --- */

/* A free slot, with a context of its own. NONE on error. */
static uint32_t comm_slot(struct mp *mp, struct err *err)
{
	const uint32_t known = mp->comms.n;
	uint32_t i, generation;
	struct comm *c;

	if (known > CTX_SLOT && mp->comms.free == NONE) {
		err_set(err, ERR_LIMIT, "more than %u communicators at once", CTX_SLOT);
		return NONE;
	}
	i = slots_take(&mp->comms, err);
	if (i == NONE)
		return NONE;
	c = comm_at(mp, i);
	generation = i < known ? (c->ctx >> CTX_SLOT_BITS) + 1 : 0;
	*c = (struct comm){.ctx = (generation & CTX_GENERATIONS) << CTX_SLOT_BITS | i};
	return i;
}

/* Whose slot is free: n is 0, and nothing else is left but its context. */
static void comm_clear(struct comm *c)
{
	free(c->members);
	free(c->sorted);
	free(c->calls);
	if (c->shape)
		coll_shape_release(c->shape);
	free(c->shape);
	free(c->hosts);
	free(c->memo);
	free(c->windows_made);
	topology_free(c);
	free(c->ring);
	free(c->joined_set);
	free(c->left_set);
	*c = (struct comm){.ctx = c->ctx};
}

static void comm_drop(struct mp *mp, uint32_t i)
{
	comm_clear(comm_at(mp, i));
	slots_give(&mp->comms, i);
}

void comms_release(struct mp *mp)
{
	uint32_t i;

	for (i = 0; i < mp->comms.n; i++)
		comm_clear(comm_at(mp, i));
	slots_release(&mp->comms);
	hash64_release(&mp->comm_by_key);
}

struct by_rank {
	uint32_t rank, place;
};

static int by_rank_compare(const void *a, const void *b)
{
	uint32_t x = ((const struct by_rank *)a)->rank, y = ((const struct by_rank *)b)->rank;

	return (x > y) - (x < y);
}

/* Sets c->sorted unless the members are in order; a rank given twice is an error. */
static int members_sort(struct mp *mp, uint32_t rank, struct comm *c, struct err *err)
{
	struct by_rank *order;
	int twice = 0;
	uint32_t i;

	for (i = 1; i < c->n && c->members[i - 1] < c->members[i]; i++)
		;
	if (i >= c->n)
		return 0;
	order = malloc(c->n * sizeof *order);
	c->sorted = malloc(c->n * sizeof *c->sorted);
	if (!order || !c->sorted) {
		free(order);
		return err_nomem(err, "members of a communicator", c->n * sizeof *order);
	}
	for (i = 0; i < c->n; i++)
		order[i] = (struct by_rank){c->members[i], i};
	qsort(order, c->n, sizeof *order, by_rank_compare);
	for (i = 0; i < c->n; i++)
		c->sorted[i] = order[i].place;
	for (i = 1; i < c->n && !twice; i++)
		twice = order[i - 1].rank == order[i].rank;
	if (twice)
		mp_error(mp, rank, err, "makes a communicator with rank %u twice in it",
		         order[i - 1].rank);
	free(order);
	return twice ? -1 : 0;
}

static int members_set(struct mp *mp, uint32_t rank, struct comm *c, const uint32_t *members,
                       uint32_t n, struct err *err)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (members[i] >= mp->n_ranks)
			return mp_error(mp, rank, err,
			                "a communicator with rank %u; there are %u ranks",
			                members[i], mp->n_ranks);
	}
	c->n = n;
	c->first = members[0];
	c->stride = n > 1 && members[1] > members[0] ? members[1] - members[0] : 1;
	for (i = 1; i < n && members[i] - members[i - 1] == c->stride; i++)
		;
	if (i >= n)
		return 0;
	c->members = malloc(n * sizeof *c->members);
	if (!c->members)
		return err_nomem(err, "members of a communicator", n * sizeof *c->members);
	memcpy(c->members, members, n * sizeof *c->members);
	return members_sort(mp, rank, c, err);
}

/* Of one group (split 0), or of two: the members before `split`, and the others. */
struct member_list {
	const uint32_t *of;
	uint32_t n, split;
	int lent; /* mp_comm_make_lent */
};

static int is_same_list(const struct comm *c, const struct member_list *m)
{
	return m->lent && c->lent == m->of && c->n == m->n && c->split == m->split;
}

/* NONE on error. */
static uint32_t comm_create(struct mp *mp, uint32_t rank, uint64_t key, const struct member_list *m,
                            struct err *err)
{
	uint32_t i = comm_slot(mp, err);
	struct comm *c;

	if (i == NONE)
		return NONE;
	c = comm_at(mp, i);
	c->key = key;
	c->split = m->split;
	c->lent = m->lent ? m->of : NULL;
	c->maker = rank;
	c->event = event_of(mp, rank);
	c->unowned = key >> 63 != 0; /* keys that no trace can write (file.c, replay/comm.c) */
	c->joined_set = calloc((m->n + 63) / 64, sizeof *c->joined_set);
	if (!c->joined_set)
		err_nomem(err, "members of a communicator",
		          (m->n + 63) / 64 * sizeof *c->joined_set);
	else if (members_set(mp, rank, c, m->of, m->n, err) == 0 &&
	         hash64_put(&mp->comm_by_key, key, i, err) == 0)
		return i;
	comm_drop(mp, i);
	return NONE;
}

static int members_equal(struct mp *mp, uint32_t rank, const struct comm *c,
                         const uint32_t *members, uint32_t n, uint32_t split, struct err *err)
{
	uint32_t i;

	if (split != c->split)
		return mp_error(mp, rank, err,
		                "makes a communicator whose first group has %u ranks; "
		                "rank %u made it with %u there",
		                split, c->maker, c->split);
	if (n != c->n)
		return mp_error(
		    mp, rank, err,
		    "makes a communicator of %u ranks, which rank %u made with %u ranks", n,
		    c->maker, c->n);
	for (i = 0; i < n; i++) {
		if (comm_member(c, i) != members[i])
			return mp_error(mp, rank, err,
			                "makes a communicator with rank %u as its member %u; "
			                "rank %u made it with rank %u there",
			                members[i], i, c->maker, comm_member(c, i));
	}
	return 0;
}

static int comm_join(struct mp *mp, uint32_t rank, struct comm *c, struct err *err)
{
	int32_t place = comm_place(c, rank);

	if (place < 0)
		return mp_error(mp, rank, err, "makes a communicator of which it is not a member");
	if (c->joined_set[place / 64] >> (place % 64) & 1)
		return mp_error(mp, rank, err,
		                "makes a communicator twice, while others have not made it yet");
	c->joined_set[place / 64] |= (uint64_t)1 << (place % 64);
	if (++c->joined < c->n)
		return 0;
	hash64_remove(&mp->comm_by_key, c->key);
	free(c->joined_set);
	c->joined_set = NULL;
	return 0;
}

static int comm_make(struct mp *mp, uint32_t rank, uint64_t key, const struct member_list *m,
                     struct mp_comm *out, struct err *err)
{
	uint32_t i = hash64_find(&mp->comm_by_key, key), made = i == HASH_NONE;

	if (m->n == 0)
		return mp_error(mp, rank, err, "makes a communicator without members");
	if (made)
		i = comm_create(mp, rank, key, m, err);
	else if (!is_same_list(comm_at(mp, i), m) &&
	         members_equal(mp, rank, comm_at(mp, i), m->of, m->n, m->split, err) < 0)
		return MP_ERROR;
	if (i == NONE || comm_join(mp, rank, comm_at(mp, i), err) < 0)
		return MP_ERROR;
	*out = (struct mp_comm){i};
	if (made && mp->observers.n && observe_comm(mp, *out, err) < 0)
		return MP_ERROR;
	return MP_DONE;
}

void mp_comm_disown(struct mp *mp, struct mp_comm comm)
{
	comm_at(mp, comm.v)->unowned = 1;
}

int mp_comm_make(struct mp *mp, uint32_t rank, uint64_t key, const uint32_t *members, uint32_t n,
                 struct mp_comm *out, struct err *err)
{
	return comm_make(mp, rank, key, &(struct member_list){.of = members, .n = n}, out, err);
}

int mp_comm_make_lent(struct mp *mp, uint32_t rank, uint64_t key, const uint32_t *members,
                      uint32_t n, struct mp_comm *out, struct err *err)
{
	return comm_make(mp, rank, key, &(struct member_list){.of = members, .n = n, .lent = 1},
	                 out, err);
}

int mp_intercomm_make(struct mp *mp, uint32_t rank, uint64_t key, const uint32_t *members,
                      uint32_t n, uint32_t n_first, struct mp_comm *out, struct err *err)
{
	if (n_first == 0 || n_first >= n)
		return mp_error(mp, rank, err,
		                "makes an intercommunicator of which one group is empty");
	return comm_make(mp, rank, key,
	                 &(struct member_list){.of = members, .n = n, .split = n_first}, out, err);
}

void comm_settle(struct mp *mp, uint32_t i)
{
	const struct comm *c = comm_at(mp, i);

	if (c->n > 0 && c->left == c->n && c->joined == c->n && c->tasks == 0 &&
	    (!c->let_go || c->let_go(mp, i)))
		comm_drop(mp, i);
}

int comm_free_prepare(struct comm *c, struct err *err)
{
	size_t words = (c->n + 63) / 64;

	if (!c->left_set && !(c->left_set = calloc(words, sizeof *c->left_set)))
		return err_nomem(err, "members of a communicator", words * sizeof *c->left_set);
	return 0;
}

int mp_comm_free(struct mp *mp, uint32_t rank, struct mp_comm comm, struct err *err)
{
	struct comm *c = comm_get(mp, rank, comm, err);
	int32_t place;

	if (!c)
		return MP_ERROR;
	if (comm.v == MP_COMM_WORLD.v)
		return mp_error(mp, rank, err, "frees MPI_COMM_WORLD");
	if (comm_free_prepare(c, err) < 0)
		return MP_ERROR;
	if (mp_comm_is_freed(mp, comm, rank))
		return mp_error(mp, rank, err, "frees a communicator twice, which rank %u made",
		                c->maker);
	place = comm_place(c, rank);
	c->left_set[place / 64] |= (uint64_t)1 << (place % 64);
	c->left++;
	comm_settle(mp, comm.v);
	return MP_DONE;
}

int mp_comm_is_freed(const struct mp *mp, struct mp_comm comm, uint32_t rank)
{
	const struct comm *c = comm_at(mp, comm.v);
	int32_t place = c->n > 0 ? comm_place(c, rank) : -1;

	return place < 0 || (c->left_set && c->left_set[place / 64] >> (place % 64) & 1);
}

int comm_shape_make(struct mp *mp, struct comm *c, struct err *err)
{
	uint32_t i, *host = malloc(c->n * sizeof *host);
	int made;

	c->shape = calloc(1, sizeof *c->shape);
	if (!host || !c->shape) {
		free(host);
		return err_nomem(err, "hosts of a communicator", c->n * sizeof *host);
	}
	for (i = 0; i < c->n; i++)
		host[i] = mp->ranks[comm_member(c, i)].host.v;
	made = coll_shape_init(c->shape, host, c->n, err);
	free(host);
	return made;
}

int comm_init(struct mp *mp, struct err *err)
{
	uint32_t i;

	slots_init(&mp->comms, sizeof(struct comm), offsetof(struct comm, next_free),
	           "communicators");
	i = comm_slot(mp, err);
	if (i == NONE)
		return -1;
	comm_at(mp, i)->n = mp->n_world;
	comm_at(mp, i)->stride = 1;
	return 0;
}

uint32_t mp_comm_size(const struct mp *mp, struct mp_comm comm)
{
	return comm_at(mp, comm.v)->n;
}

struct mp_groups mp_comm_groups(const struct mp *mp, struct mp_comm comm, uint32_t rank)
{
	const struct comm *c = comm_at(mp, comm.v);
	int32_t place = comm_place(c, rank);

	if (c->split == 0)
		return (struct mp_groups){.local = c->n};
	if ((uint32_t)place < c->split)
		return (struct mp_groups){.local = c->split, .remote = c->n - c->split};
	return (struct mp_groups){.local = c->n - c->split, .remote = c->split};
}

int32_t mp_comm_rank(const struct mp *mp, struct mp_comm comm, uint32_t rank)
{
	return comm.v < mp->comms.n && comm_at(mp, comm.v)->n > 0
	           ? comm_place(comm_at(mp, comm.v), rank)
	           : -1;
}
