/* comms.c: see comms.h. */
#include "comms.h"
#include "tracer.h"

#include "base/vec.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_BITS = 30 }; /* of inter_dup_id */

static uint64_t handle_key(MPI_Comm comm)
{
	return (uint64_t)(uintptr_t)comm;
}

/* A slot for a communicator of `size` members, from a world rank on, in no table yet; COMM_NONE
 * with *err set. */
static uint32_t comm_slot(struct comms *s, int size, int32_t first_member, struct err *err)
{
	struct comm *p;
	uint32_t i = s->used;

	while (i < s->n && s->items[i].size > 0)
		i++;
	p = vec_grow(s->items, &s->cap, sizeof *s->items, i + 1, "communicators", err);
	if (!p)
		return COMM_NONE;
	s->items = p;
	if (i == s->n)
		s->n++;
	s->used = i + 1;
	s->items[i] = (struct comm){.size = size, .first_member = first_member, .stride = 1};
	return i;
}

static int comm_enter(struct comms *s, uint32_t i, MPI_Comm comm, int rank, uint64_t id,
                      struct err *err)
{
	s->items[i].handle = comm;
	s->items[i].rank = rank;
	s->items[i].id = id;
	return hash64_put(&s->by_handle, handle_key(comm), i, err);
}

static uint64_t id_next(struct comms *s, int32_t world_rank)
{
	return (uint64_t)(uint32_t)world_rank << 32 | (s->made++ + 2);
}

int comms_init(struct comms *s, int rank, int size, struct err *err)
{
	uint32_t i;

	memset(s, 0, sizeof *s);
	hash64_init(&s->by_handle);
	i = comm_slot(s, size, tracer.first, err);
	if (i == COMM_NONE || comm_enter(s, i, tracer.world, rank, 0, err) < 0)
		return -1;
	if (tracer.first > 0) /* not all ranks of the trace, and not called world there */
		s->items[i].id = id_next(s, tracer.first);
	/* Beside a session's world, which stands for it (session.c), the program may have it too.
	 */
	if (tracer.in_session && hash64_put(&s->by_handle, handle_key(MPI_COMM_WORLD), i, err) < 0)
		return -1;
	i = comm_slot(s, 1, tracer.first + rank, err);
	return i == COMM_NONE || comm_enter(s, i, MPI_COMM_SELF, 0, 1, err) < 0 ? -1 : 0;
}

static void comm_clear(struct comms *s, uint32_t i)
{
	struct comm *c = &s->items[i];

	if (s->used > i)
		s->used = i;
	free(c->world);
	free(c->remote);
	free(c->first);
	*c = (struct comm){0};
}

void comms_release(struct comms *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		comm_clear(s, i);
	free(s->items);
	hash64_release(&s->by_handle);
	memset(s, 0, sizeof *s);
}

uint32_t comm_find(const struct comms *s, MPI_Comm comm)
{
	/* MPI_COMM_WORLD itself may be a look-up (mpi_late.h) */
	if (comm == s->items[COMM_WORLD].handle)
		return COMM_WORLD;
	return hash64_find(&s->by_handle, handle_key(comm)); /* HASH_NONE is COMM_NONE */
}
static_assert((uint32_t)COMM_NONE == (uint32_t)HASH_NONE,
              "comm_find hands on what hash64_find gives");

/* Any 32 bits, other ones for each pair (the finalizer of MurmurHash3, x64, on both). */
static uint32_t bits_mix(uint32_t low, uint32_t n)
{
	uint64_t x = (uint64_t)low << 32 | n;

	x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
	x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(x ^ (x >> 33));
}

/* Upper half: as of the communicator; lower half: one, 14 bits of the communicator, 17 that count.
 * A simulated rank's communicators have any 32 bits there, until all are named again. */
uint64_t comm_persistent_id(struct comm *c)
{
	uint32_t low = (uint32_t)c->id, n = c->persistent;
	int small = low < UINT32_C(1) << 14;

	if (c->handle == MPI_COMM_SELF || n >= UINT32_C(1) << 17 || (!small && !tracer.simulated))
		return 0;
	c->persistent++;
	low = small ? UINT32_C(1) << 31 | low << 17 | n : bits_mix(low, n);
	return (c->id >> 32 << 32) | low;
}

int32_t comm_world_rank(const struct comm *c, int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return TRACE_ANY;
	if (rank < 0 || rank >= (c->remote ? c->remote_size : c->size))
		return TRACE_PROC_NULL;
	if (c->remote)
		return c->remote[rank];
	return c->world ? c->world[rank] : c->first_member + rank * c->stride;
}

int32_t *comm_members(const struct comm *c)
{
	int32_t *world = malloc((size_t)c->size * sizeof *world);

	for (int i = 0; world && i < c->size; i++)
		world[i] = c->world ? c->world[i] : c->first_member + i * c->stride;
	return world;
}

enum { AT_A_TIME = 256 };

/* Fills world with the ranks in the trace of the members, or of the other group. 0 if one's is not
 * known. */
static int members_translate(MPI_Comm comm, int other, int size, int32_t *world)
{
	MPI_Group ours, all;
	int ok = 1;

	if (other)
		PMPI_Comm_remote_group(comm, &ours);
	else
		PMPI_Comm_group(comm, &ours);
	PMPI_Comm_group(tracer.world, &all);
	for (int i = 0, n; i < size && ok; i += n) {
		int here[AT_A_TIME], there[AT_A_TIME];

		n = size - i < AT_A_TIME ? size - i : AT_A_TIME;
		for (int k = 0; k < n; k++)
			here[k] = i + k;
		PMPI_Group_translate_ranks(ours, n, here, all, there);
		for (int k = 0; k < n && ok; k++) {
			there[k] = there[k] == MPI_UNDEFINED ? worlds_rank(ours, i + k, all)
			                                     : tracer.first + there[k];
			ok = there[k] >= 0;
			if (world)
				world[i + k] = there[k];
		}
	}
	PMPI_Group_free(&ours);
	PMPI_Group_free(&all);
	return ok;
}

static int64_t *lists_make(struct comm *c, int n_first, int n_second, struct err *err)
{
	c->first = calloc((size_t)n_first + (size_t)n_second + 1, sizeof *c->first);
	if (!c->first) {
		err_nomem(err, "a topology",
		          ((unsigned long long)n_first + (unsigned long long)n_second) *
		              sizeof *c->first);
		return NULL;
	}
	c->n_first = n_first;
	c->n_second = n_second;
	c->second = c->first + n_first;
	return c->first;
}

/* int from the library to numbers of the trace; MPI_PROC_NULL has another value there. */
static void ranks_widen(int64_t *out, const int *in, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = in[i] == MPI_PROC_NULL ? TRACE_PROC_NULL : in[i];
}

static int cart_learn(struct comm *c, int *scratch, int n, struct err *err)
{
	PMPI_Cart_get(c->handle, n, scratch, scratch + n, scratch + 2 * n);
	if (!lists_make(c, n, n, err))
		return -1;
	c->topology = TRACE_CART;
	for (int i = 0; i < n; i++) {
		c->first[i] = scratch[i];
		c->second[i] = scratch[n + i] != 0;
	}
	return 0;
}

static int graph_learn(struct comm *c, int kind, int *scratch, int n_in, int n_out, struct err *err)
{
	int *out = scratch + n_in;

	if (kind == MPI_GRAPH) {
		PMPI_Graph_neighbors(c->handle, c->rank, n_in, scratch);
		PMPI_Graph_neighbors(c->handle, c->rank, n_out, out);
	} else {
		PMPI_Dist_graph_neighbors(c->handle, n_in, scratch, scratch + n_in + n_out, n_out,
		                          out, scratch + 2 * n_in + n_out);
	}
	if (!lists_make(c, n_in, n_out, err))
		return -1;
	c->topology = TRACE_GRAPH;
	ranks_widen(c->first, scratch, n_in);
	ranks_widen(c->second, out, n_out);
	return 0;
}

/* How long the two lists of a topology are. */
static void topology_lengths(MPI_Comm comm, int kind, int rank, int *first, int *second)
{
	int weighted;

	*first = *second = 0;
	if (kind == MPI_CART)
		PMPI_Cartdim_get(comm, first);
	else if (kind == MPI_GRAPH)
		PMPI_Graph_neighbors_count(comm, rank, first);
	else if (kind == MPI_DIST_GRAPH)
		PMPI_Dist_graph_neighbors_count(comm, first, second, &weighted);
	if (kind != MPI_DIST_GRAPH)
		*second = *first;
}

static int topology_learn(struct comm *c, struct err *err)
{
	int kind = MPI_UNDEFINED, n_first, n_second, done, *scratch;

	PMPI_Topo_test(c->handle, &kind);
	if (kind == MPI_UNDEFINED)
		return 0;
	topology_lengths(c->handle, kind, c->rank, &n_first, &n_second);
	scratch = calloc(2 * ((size_t)n_first + (size_t)n_second) + 1, sizeof *scratch);
	if (!scratch)
		return err_nomem(err, "a topology",
		                 2 * ((unsigned long long)n_first + (unsigned long long)n_second) *
		                     sizeof *scratch);
	done = kind == MPI_CART ? cart_learn(c, scratch, n_first, err)
	                        : graph_learn(c, kind, scratch, n_first, n_second, err);
	free(scratch);
	return done;
}

static int remote_learn(struct comm *c, struct err *err)
{
	int inter = 0;

	PMPI_Comm_test_inter(c->handle, &inter);
	if (!inter)
		return topology_learn(c, err);
	PMPI_Comm_remote_size(c->handle, &c->remote_size);
	c->remote = malloc((size_t)c->remote_size * sizeof *c->remote);
	if (!c->remote)
		return err_nomem(err, "the members of a communicator",
		                 (unsigned long long)c->remote_size * sizeof *c->remote);
	members_translate(c->handle, 1, c->remote_size, c->remote);
	return 0;
}

static int members_learn(struct comm *c, struct err *err)
{
	int32_t *world = malloc((size_t)c->size * sizeof *world), stride;
	int i = 1;

	if (!world)
		return err_nomem(err, "the members of a communicator",
		                 (unsigned long long)c->size * sizeof *world);
	members_translate(c->handle, 0, c->size, world);
	stride = c->size > 1 ? world[1] - world[0] : 1;
	while (i < c->size && world[i] - world[i - 1] == stride)
		i++;
	if (i < c->size) {
		c->world = world;
		return 0;
	}
	c->first_member = world[0];
	c->stride = stride;
	free(world);
	return 0;
}

int comm_sources(const struct comm *c)
{
	return c->topology == TRACE_CART ? 2 * c->n_first : c->n_first;
}

int comm_destinations(const struct comm *c)
{
	return c->topology == TRACE_CART ? 2 * c->n_first : c->n_second;
}

uint32_t comm_add(struct comms *s, MPI_Comm comm, uint64_t id, struct err *err)
{
	int rank, size;
	uint32_t i;

	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	i = comm_slot(s, size, 0, err);
	if (i == COMM_NONE)
		return COMM_NONE;
	s->items[i].handle = comm;
	s->items[i].rank = rank;
	if (members_learn(&s->items[i], err) == 0 && remote_learn(&s->items[i], err) == 0 &&
	    comm_enter(s, i, comm, rank, id, err) == 0)
		return i;
	comm_clear(s, i);
	return COMM_NONE;
}

static int group_is_within(MPI_Group group, MPI_Group all)
{
	int n, there = 0;

	PMPI_Group_size(group, &n);
	for (int i = 0; i < n && there != MPI_UNDEFINED; i++)
		PMPI_Group_translate_ranks(group, 1, &i, all, &there);
	PMPI_Group_free(&group);
	return there != MPI_UNDEFINED;
}

int comm_is_mixed(MPI_Comm comm)
{
	MPI_Group group, all;
	int inter = 0, within;

	if (tracer.simulated)
		return 0;
	PMPI_Comm_group(tracer.world, &all);
	PMPI_Comm_group(comm, &group);
	within = group_is_within(group, all);
	PMPI_Comm_test_inter(comm, &inter);
	if (within && inter) {
		PMPI_Comm_remote_group(comm, &group);
		within = group_is_within(group, all);
	}
	PMPI_Group_free(&all);
	return !within;
}

int comm_id_make(struct comms *s, MPI_Comm comm, uint64_t *id)
{
	int inter = 0, rank, size;

	PMPI_Comm_test_inter(comm, &inter);
	if (inter) {
		PMPI_Comm_remote_size(comm, &size);
		if (!members_translate(comm, 1, size, NULL))
			return 0;
	}
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	if (!members_translate(comm, 0, size, NULL))
		return 0;
	if (tracer.simulated)
		*id = tracer.simulated->made();
	else
		*id = rank == 0 ? id_next(s, tracer.rank) : 0;
	return 1;
}

/* Each group hears the other's identity, then what the other has heard; the communicator takes the
 * smaller one. */
static void inter_id_agree(MPI_Comm comm, uint64_t *id)
{
	uint64_t theirs = 0, ours = 0;

	PMPI_Allreduce(id, &theirs, 1, MPI_UINT64_T, MPI_MAX,
	               comm); /* only leaders have one: 0 elsewhere */
	PMPI_Allreduce(&theirs, &ours, 1, MPI_UINT64_T, MPI_MAX, comm);
	*id = theirs < ours ? theirs : ours;
}

void comm_id_agree(MPI_Comm comm, uint64_t *id)
{
	int inter = 0;

	if (tracer.simulated) /* all know */
		return;
	PMPI_Comm_test_inter(comm, &inter);
	if (inter)
		inter_id_agree(comm, id);
	else
		PMPI_Bcast(id, (int)sizeof *id, MPI_BYTE, 0, comm);
}

/* A receive from any source tells by its communicator who the sender was. */
static int comm_awaited(uint32_t i)
{
	return requests_refer(&tracer.requests, i, REQUEST_WILDCARD) ||
	       requests_refer(&tracer.messages, i, 0);
}

static void freed_clear(struct comms *s)
{
	s->freed = 0;
	for (uint32_t i = COMM_SELF + 1; i < s->n; i++)
		if (s->items[i].freed && comm_awaited(i))
			s->freed++;
		else if (s->items[i].freed)
			comm_clear(s, i);
}

void comm_remove(struct comms *s, uint32_t i)
{
	if (i <= COMM_SELF)
		return;
	hash64_remove(&s->by_handle, handle_key(s->items[i].handle));
	s->items[i].freed = 1;
	if (s->freed > 0 || comm_awaited(i))
		freed_clear(s);
	else
		comm_clear(s, i);
}

/* Elias' gamma code of n + 1 behind what there is: no code is the beginning of another. */
static uint64_t code_append(uint64_t code, uint32_t n)
{
	int bits = 64 - __builtin_clzll((uint64_t)n + 1);

	return 2 * bits - 1 + (64 - __builtin_clzll(code)) > CODE_BITS
	           ? 0
	           : code << (2 * bits - 1) | ((uint64_t)n + 1);
}

/* A name for the next duplicate of an intercommunicator, on which the groups cannot tell each other
 * one without waiting: the same on all members, which duplicate it in one order. Upper half: as of
 * the communicator; lower half: 0, 1, and a code of 30 bits, that is a 1, the communicator's number
 * and its duplicate's, that one's duplicate's, … 0: there is no room. */
static uint64_t inter_dup_id(struct comm *c)
{
	uint32_t low = (uint32_t)c->id, mark = UINT32_C(1) << CODE_BITS;
	uint64_t code = low & mark ? low & (mark - 1) : code_append(1, low);

	code = code && c->dups < mark ? code_append(code, c->dups++) : 0;
	return code ? (c->id >> 32 << 32) | mark | code : 0;
}

static uint64_t dup_id(struct comms *s, struct comm *p)
{
	if (tracer.simulated)
		return 0;
	if (p->remote)
		return inter_dup_id(p);
	return p->rank == 0 ? id_next(s, comm_world_rank(p, 0)) : 0;
}

struct comm_dup *comm_dup_begin(struct comms *s, uint32_t parent, void *place, int fortran)
{
	struct comm *p = &s->items[parent];
	struct comm_dup *d = malloc(sizeof *d);
	uint64_t id = dup_id(s, p);

	if ((!d || !id) && p->remote && !tracer.simulated) {
		free(d);
		return NULL;
	}
	if (!d && tracer.simulated)
		return NULL;
	if (!d) { /* the others count on us all the same */
		PMPI_Bcast(&id, (int)sizeof id, MPI_BYTE, 0, p->handle);
		return NULL;
	}
	*d = (struct comm_dup){.id = id,
	                       .parent = p->id,
	                       .agreement = MPI_REQUEST_NULL,
	                       .place = place,
	                       .fortran = fortran};
	if (!tracer.simulated && !p->remote)
		PMPI_Ibcast(&d->id, (int)sizeof d->id, MPI_BYTE, 0, p->handle, &d->agreement);
	return d;
}

MPI_Comm comm_dup_wait(struct comm_dup *d)
{
	if (!tracer.simulated)
		PMPI_Wait(&d->agreement, MPI_STATUS_IGNORE);
	return d->fortran ? PMPI_Comm_f2c(*(MPI_Fint *)d->place) : *(MPI_Comm *)d->place;
}
