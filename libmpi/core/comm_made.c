/* comm_made.c: a communicator as the simulator knows it: its name is computed alike by all its
 * members, so that no message is needed for it; its number is this rank's; its groups and its
 * topology are told. */
#include "comm_made.h"

#include <stdlib.h>
#include <string.h>

#include "meet.h"
#include "objects/core.h"
#include "objects/topo.h"
#include "orr_mpi.h"
#include "p2p.h"

uint64_t comm_text_mix(uint64_t x, const char *text)
{
	while (text && *text)
		x = name_mix(x, (unsigned char)*text++);
	return x;
}

uint64_t comm_group_mix(uint64_t x, const struct orr_group *g)
{
	return name_mix(x, orr_group_hash(g));
}

uint64_t comm_next_name(struct orr_comm *c)
{
	struct core_comm *core = comm_core(c);

	return name_mix(
	    name_mix(c->context, core->id == WIRE_SELF ? (uint64_t)c->local->member[0] + 1 : 0),
	    ++core->made);
}

uint64_t comm_name_again(uint64_t name)
{
	struct link *l = link_state();
	struct link_named *p;
	uint32_t i = 0;

	while (i < l->n_named && l->named[i].name != name)
		i++;
	if (i == l->cap_named) {
		p = realloc(l->named, (2 * (size_t)l->cap_named + 16) * sizeof *p);
		if (!p)
			link_abort("no memory for communicators", 1);
		l->named = p;
		l->cap_named = 2 * l->cap_named + 16;
	}
	if (i == l->n_named)
		l->named[l->n_named++] = (struct link_named){.name = name};
	return name_mix(name, l->named[i].times++);
}

static int core_set(struct orr_comm *c, uint32_t id)
{
	struct core_comm *core = calloc(1, sizeof *core);

	if (!core)
		return MPI_ERR_NO_MEM;
	core->id = id;
	c->core = core;
	return MPI_SUCCESS;
}

/* Numbers of this rank's communicators; 0 is the world. */
static uint32_t number_new(void)
{
	struct link *l = link_state();

	return l->n_free_comm > 0 ? l->free_comm[--l->n_free_comm] : ++l->comms;
}

static void number_free(uint32_t number)
{
	struct link *l = link_state();
	uint32_t *p;

	if (l->n_free_comm == l->cap_free_comm) {
		l->cap_free_comm = l->cap_free_comm ? 2 * l->cap_free_comm : 16;
		p = realloc(l->free_comm, l->cap_free_comm * sizeof *p);
		if (!p)
			link_abort("no memory for communicators", 1);
		l->free_comm = p;
	}
	l->free_comm[l->n_free_comm++] = number;
}

/* A list that all ranks that are coroutines have at one place. */
static int is_common(const struct orr_group *g)
{
	const struct hold *hold = link_state()->hold;

	return hold && (g->list || g->member == hold->identity);
}

/* With the members behind it, or where they are. */
static struct wire_op *make_op(const struct orr_group *first, const struct orr_group *second)
{
	size_t n = (size_t)first->n, m = second ? (size_t)second->n : 0;
	struct wire_op *op;
	void *list;

	if (!second && is_common(first)) {
		op = link_room(WIRE_COMM_MAKE, sizeof(struct wire_comm));
		op->flags |= WIRE_LENT;
		op->list = (uint64_t)(uintptr_t)first->member;
		return op;
	}
	op = link_room_list(WIRE_COMM_MAKE, sizeof(struct wire_comm), (uint32_t)(n + m),
	                    sizeof *first->member, &list);
	memcpy(list, first->member, n * sizeof *first->member);
	if (m > 0)
		memcpy((int32_t *)list + n, second->member, m * sizeof *second->member);
	return op;
}

/* own: no call of the program makes it, and none frees it. */
static uint32_t number_tell(uint64_t key, const struct orr_group *first,
                            const struct orr_group *second, int own)
{
	uint32_t number = number_new();
	struct wire_op *op = make_op(first, second);

	*(struct wire_comm *)(op + 1) = (struct wire_comm){
	    .key = key, .n = (uint32_t)first->n, .n_remote = second ? (uint32_t)second->n : 0};
	op->a = number;
	op->mode = own != 0;
	link_put(op);
	return number;
}

uint32_t comm_number_make(uint64_t key, const struct orr_group *first,
                          const struct orr_group *second)
{
	return number_tell(key, first, second, 0);
}

uint64_t comm_identity(uint64_t key, const struct orr_group *local, const struct orr_group *remote)
{
	int32_t first = local->member[0];
	uint32_t number = (uint32_t)(key ^ key >> 32);

	if (remote && remote->member[0] < first)
		first = remote->member[0];
	return (uint64_t)(uint32_t)first << 32 | (number < 2 ? number + 2 : number);
}

int comm_new(uint64_t key, struct orr_group *local, struct orr_group *remote, struct orr_comm **out)
{
	int swap = remote && remote->member[0] < local->member[0];
	struct orr_comm *c;
	int code;

	c = orr_comm_new(local, remote, key);
	if (!c)
		return MPI_ERR_NO_MEM;
	code = core_set(c, comm_number_make(key, swap ? remote : local, swap ? local : remote));
	link_made(comm_identity(key, local, remote), remote ? remote->member : NULL);
	*out = c;
	return code;
}

int comm_join(uint64_t name, struct orr_group *local, struct orr_group *remote,
              struct orr_comm **out)
{
	return comm_new(name, local, remote, out);
}

void comm_join_world(uint64_t name, struct orr_comm *world)
{
	comm_core(world)->id = number_tell(name, world->local, NULL, 1);
	world->context = name;
}

uint32_t comm_shadow(struct orr_comm *c)
{
	int swap = c->remote && c->remote->member[0] < c->local->member[0];

	return comm_number_make(comm_next_name(c), swap ? c->remote : c->local,
	                        swap ? c->local : c->remote);
}

void comm_shadow_end(uint32_t number)
{
	struct wire_op *op;

	if (!link_state()->running)
		return;
	op = link_room(WIRE_COMM_FREE, 0);
	op->a = number;
	link_put(op);
	number_free(number);
}

static void cart_tell(const struct orr_topo *t, uint32_t number)
{
	struct wire_op *op;
	void *list;
	int64_t *to;

	op = link_room_list(WIRE_COMM_CART, 0, 2 * (uint32_t)t->n, sizeof *to, &list);
	op->a = number;
	to = list;
	for (int i = 0; i < t->n; i++) {
		to[i] = t->a[i];
		to[t->n + i] = t->b[i];
	}
	link_put(op);
}

static int64_t neighbour(int rank)
{
	return rank == MPI_PROC_NULL ? WIRE_NOBODY : rank;
}

static void graph_tell(struct orr_comm *c, uint32_t number, int edges)
{
	int n_in, n_out, *in = NULL, *out = NULL;
	struct wire_op *op;
	void *list;
	int64_t *to;

	if (orr_comm_neighbours(c, &n_in, &in, &n_out, &out) == MPI_SUCCESS) {
		op = link_room_list(WIRE_COMM_GRAPH, 0, (uint32_t)(n_in + n_out), sizeof *to,
		                    &list);
		op->a = number;
		op->b = (uint32_t)n_in;
		op->mode = (uint8_t)edges;
		to = list;
		for (int i = 0; i < n_in; i++)
			to[i] = neighbour(in[i]);
		for (int i = 0; i < n_out; i++)
			to[n_in + i] = neighbour(out[i]);
		link_put(op);
	}
	free(in);
	free(out);
}

void comm_topology_tell(struct orr_comm *c, uint32_t number)
{
	const struct orr_topo *cart = orr_topo_of(c, MPI_CART);

	if (cart)
		cart_tell(cart, number);
	else
		graph_tell(c, number, 0);
}

void orr_core_comm_end(struct orr_comm *c)
{
	struct core_comm *core = c->core;
	struct wire_op *op;

	if (!core || core->id == 0 || core->id == WIRE_SELF || !link_state()->running)
		return;
	op = link_room(WIRE_COMM_FREE, 0);
	op->a = core->id;
	link_put(op);
	number_free(core->id);
	free(core);
	c->core = NULL;
}

void orr_core_edges_told(struct orr_comm *c)
{
	link_enter();
	comm_core(c)->topology = 1;
	graph_tell(c, comm_core(c)->id, 1);
	link_leave();
}
