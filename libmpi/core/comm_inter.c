/* comm_inter.c: intercommunicators: leaders tell each other who is in their groups, and each tells
 * its own; two groups become one. */
#include <stdlib.h>
#include <string.h>

#include "comm_made.h"
#include "meet.h"
#include "objects/core.h"
#include "orr_mpi.h"
#include "p2p.h"

/* MPI_Intercomm_create under way at one member. */
struct bridge {
	struct orr_comm *local;
	struct orr_group *leaders; /* in the order of their processes; at a leader alone */
	uint32_t pair;             /* the number of their communicator, if turns take time */
	uint64_t key;              /* the name that the leaders agree on, */
	struct orr_group *remote;  /* and the other group, once known */
	struct mp_bridge turn;     /* the next one */
};

/* Turns of mp_comm_bridge while they are below `until`. */
static void bridge_turns(struct bridge *b, uint32_t until)
{
	uint32_t turns = (uint32_t)link_state()->head->bridge_turns;

	for (; b->turn.turn < until && b->turn.turn < turns; b->turn.turn++)
		if (b->turn.turn % 2)
			agree_bridge(comm_core(b->local)->id, &b->turn);
		else if (b->leaders)
			agree_bridge(b->pair, &b->turn);
}

/* The leaders tell each other who is in their groups: around their first turn, after which each
 * knows it, and which lets the time pass that they wait. */
static int leaders_meet(struct bridge *b, int32_t other)
{
	const struct orr_group *mine = b->local->local;
	uint32_t theirs = b->leaders->member[0] != other;
	uint64_t name = comm_group_mix(b->key, b->leaders);
	struct orr_giving giving;
	struct told t;

	if (link_state()->head->bridge_turns)
		b->pair = comm_number_make(name_mix(name, 7), b->leaders, NULL);
	meet_begin(NULL, b->leaders, name, mine->member, (size_t)mine->n * sizeof(int32_t),
	           &giving);
	bridge_turns(b, 1);
	meet_end(NULL, b->leaders, &giving, &t);
	b->remote = orr_group_new((int32_t)(t.length[theirs] / sizeof(int32_t)),
	                          told_text(&t, theirs));
	told_end(&t);
	return b->remote ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* The name of what the leader tells one of its group. */
static uint64_t telling(uint64_t call, int member)
{
	return name_mix(name_mix(call, 13), (uint64_t)(uint32_t)member);
}

static struct orr_group *two(const struct bridge *b, int member)
{
	const int32_t *g = b->local->local->member;

	return orr_group_new(2, (int32_t[]){g[b->turn.leader], g[member]});
}

/* From each other member of its group a leader needs nothing: it tells each and goes on. */
static int leader_tells(struct bridge *b, uint64_t call, struct orr_giving *given)
{
	size_t bytes = sizeof b->key + (size_t)b->remote->n * sizeof(int32_t);
	char *text = malloc(bytes);

	if (!text)
		return MPI_ERR_NO_MEM;
	memcpy(text, &b->key, sizeof b->key);
	memcpy(text + sizeof b->key, b->remote->member, bytes - sizeof b->key);
	for (int m = 0; m < b->local->size; m++) {
		struct orr_group *g = m == b->local->rank ? NULL : two(b, m);

		if (g)
			meet_begin(NULL, g, telling(call, m), text, bytes, &given[m]);
		if (g)
			orr_group_drop(g);
	}
	free(text);
	return MPI_SUCCESS;
}

static void leader_has_told(struct bridge *b, const struct orr_giving *given)
{
	for (int m = 0; m < b->local->size; m++) {
		struct orr_group *g = m == b->local->rank ? NULL : two(b, m);
		struct told t;

		if (!g)
			continue;
		meet_end(NULL, g, &given[m], &t);
		told_end(&t);
		orr_group_drop(g);
	}
}

static int leader_makes(struct bridge *b, int32_t other, uint64_t call)
{
	struct orr_giving *given = malloc((size_t)b->local->size * sizeof *given);
	int code = given ? leaders_meet(b, other) : MPI_ERR_NO_MEM;

	if (code == MPI_SUCCESS) {
		b->turn.remote = (uint32_t)b->remote->n;
		code = leader_tells(b, call, given);
	}
	if (code == MPI_SUCCESS) {
		bridge_turns(b, UINT32_MAX);
		leader_has_told(b, given);
	}
	free(given);
	if (link_state()->head->bridge_turns)
		comm_shadow_end(b->pair);
	return code;
}

static int member_makes(struct bridge *b, uint64_t call)
{
	struct orr_group *g = two(b, b->local->rank);
	struct told t;

	if (!g)
		return MPI_ERR_NO_MEM;
	meet(NULL, g, telling(call, b->local->rank), WIRE_AGREE_NO_TIME, NULL, 0, &t);
	orr_group_drop(g);
	memcpy(&b->key, told_text(&t, 0), sizeof b->key);
	b->remote = orr_group_new((int32_t)((t.length[0] - sizeof b->key) / sizeof(int32_t)),
	                          (const void *)((const char *)told_text(&t, 0) + sizeof b->key));
	told_end(&t);
	if (!b->remote)
		return MPI_ERR_NO_MEM;
	b->turn.turn = 1;
	b->turn.remote = (uint32_t)b->remote->n;
	bridge_turns(b, UINT32_MAX);
	return MPI_SUCCESS;
}

/* `other`: the other leader's process, known to the leader alone. */
static int groups_exchange(struct orr_comm *local, int local_leader, int32_t other, uint64_t key,
                           struct orr_group **remote, uint64_t *name)
{
	int32_t mine = (int32_t)link_state()->rank;
	uint64_t call = comm_next_name(local);
	struct bridge b = {.local = local, .key = key};
	int code;

	b.turn.leader = (uint32_t)local_leader;
	b.turn.local = (uint32_t)local->local->n;
	if (local->rank == local_leader) {
		int32_t low = mine < other ? mine : other, high = mine < other ? other : mine;

		b.leaders = orr_group_new(2, (int32_t[]){low, high});
		if (!b.leaders)
			return MPI_ERR_NO_MEM;
		code = leader_makes(&b, other, call);
		orr_group_drop(b.leaders);
	} else {
		code = member_makes(&b, call);
	}
	*remote = b.remote;
	*name = b.key;
	return code;
}

/* What making it takes was taken when the groups met. */
static int inter_make(struct orr_comm *local, uint64_t key, struct orr_group *remote,
                      struct orr_comm **out)
{
	const struct orr_group *a = local->local, *b = remote;
	int swap = b->member[0] < a->member[0];
	uint64_t name = comm_group_mix(comm_group_mix(key, swap ? b : a), swap ? a : b);

	return comm_join(comm_name_again(name), local->local, remote, out);
}

int orr_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                         int remote_leader, int tag, MPI_Comm *newintercomm)
{
	struct orr_comm *local = orr_comm_of(local_comm), *peer, *made = NULL;
	struct orr_group *remote;
	int32_t other = -1;
	uint64_t key = name_mix(11, (uint64_t)(uint32_t)tag), name;
	int code;

	*newintercomm = MPI_COMM_NULL;
	if (!local || local->remote)
		return MPI_ERR_COMM;
	if (local_leader < 0 || local_leader >= local->size)
		return MPI_ERR_RANK;
	code = tag_check(tag, 0);
	if (code != MPI_SUCCESS)
		return code;
	if (local->rank == local_leader) {
		peer = orr_comm_of(peer_comm);
		if (!peer)
			return MPI_ERR_COMM;
		code = peer_find(peer, remote_leader, 0, &other);
		if (code != MPI_SUCCESS || other == WIRE_NOBODY)
			return MPI_ERR_RANK;
		/* threads may use one tag on several communicators of the leaders */
		key = name_mix(key, peer->context);
	}
	link_enter();
	code = groups_exchange(local, local_leader, other, key, &remote, &name);
	if (code == MPI_SUCCESS) {
		code = inter_make(local, name, remote, &made);
		orr_group_drop(remote);
	}
	link_leave();
	return comm_made_of(local, made, code, newintercomm);
}

int orr_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                     MPI_Group remote_group, int remote_leader,
                                     const char *stringtag, MPI_Info info,
                                     MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
	struct orr_group *l = orr_group_of(local_group), *r = orr_group_of(remote_group);
	struct orr_comm *made = NULL;
	int code = MPI_SUCCESS, swap;
	uint64_t name;

	(void)local_leader;
	(void)remote_leader;
	(void)info;
	*newintercomm = MPI_COMM_NULL;
	if (!l || !r || l->n == 0 || r->n == 0)
		return MPI_ERR_GROUP;
	link_enter();
	swap = r->member[0] < l->member[0];
	name = comm_group_mix(comm_group_mix(comm_text_mix(3, stringtag), swap ? r : l),
	                      swap ? l : r);
	code = comm_join(comm_name_again(name), l, r, &made);
	if (code == MPI_SUCCESS)
		agree(made, MP_AGREE_GROUP);
	link_leave();
	if (code != MPI_SUCCESS)
		return code;
	*newintercomm = orr_handle(made);
	return errhandler != MPI_ERRHANDLER_NULL
	           ? orr_Comm_set_errhandler(*newintercomm, errhandler)
	           : MPI_SUCCESS;
}

static struct orr_group *one_after_other(const struct orr_group *a, const struct orr_group *b)
{
	struct orr_group *g = orr_group_new(a->n + b->n, NULL);

	if (!g)
		return NULL;
	memcpy(g->member, a->member, (size_t)a->n * sizeof *g->member);
	memcpy(g->member + a->n, b->member, (size_t)b->n * sizeof *g->member);
	orr_group_ready(g);
	return g;
}

static int is_first(const struct orr_comm *c)
{
	return c->local->member[0] < c->remote->member[0];
}

/* The one that says high comes last; both alike: the one whose first process is lower comes
 * first. */
static struct orr_group *merged(const struct orr_comm *c, int high, int other_high)
{
	int local_first = high != other_high ? !high : is_first(c);

	return local_first ? one_after_other(c->local, c->remote)
	                   : one_after_other(c->remote, c->local);
}

/* Nobody knows the order before all have come: they agree as members in an order that all know, the
 * group whose first process is lower first, which begins when each of them comes. */
static int merge_agree(struct orr_comm *c, uint64_t name)
{
	struct orr_group *g = is_first(c) ? one_after_other(c->local, c->remote)
	                                  : one_after_other(c->remote, c->local);
	uint32_t number;

	if (!g)
		return MPI_ERR_NO_MEM;
	number = comm_number_make(name_mix(name, 6), g, NULL);
	orr_group_drop(g);
	agree_over(number, MP_AGREE_GROUP);
	comm_shadow_end(number);
	return MPI_SUCCESS;
}

int orr_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
	struct orr_comm *c = orr_comm_of(intercomm), *made = NULL;
	struct orr_group *g = NULL;
	int32_t mine = high != 0, theirs;
	struct orr_giving giving;
	struct told t;
	uint64_t name;
	int code;

	*newintracomm = MPI_COMM_NULL;
	if (!c || !c->remote)
		return MPI_ERR_COMM;
	link_enter();
	name = comm_next_name(c);
	meet_begin(c, NULL, name, &mine, sizeof mine, &giving);
	code = merge_agree(c, name);
	meet_end(c, NULL, &giving, &t);
	theirs = *(const int32_t *)told_text(&t, is_first(c) ? (uint32_t)c->local->n : 0);
	told_end(&t);
	if (code == MPI_SUCCESS)
		g = merged(c, mine, theirs);
	if (code == MPI_SUCCESS)
		code = g ? comm_join(name_mix(name, 5), g, NULL, &made) : MPI_ERR_NO_MEM;
	if (g)
		orr_group_drop(g);
	link_leave();
	return comm_made_of(c, made, code, newintracomm);
}
