/* comms.c: see comms.h. */
#include "comms.h"

#include "base/vec.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t handle_key(MPI_Comm comm)
{
	return (uint64_t)(uintptr_t)comm;
}

/* A slot for a communicator of `size` members, in no table yet; COMM_NONE with *err set. */
static uint32_t comm_slot(struct comms *s, int size, struct err *err)
{
	struct comm *p;
	uint32_t i = 0;
	int32_t *world = malloc((size_t)size * sizeof *world);

	if (!world) {
		err_nomem(err, "the members of a communicator", (unsigned long long)size * sizeof *world);
		return COMM_NONE;
	}
	while (i < s->n && s->items[i].size > 0)
		i++;
	p = vec_grow(s->items, &s->cap, sizeof *s->items, i + 1, "communicators", err);
	if (!p) {
		free(world);
		return COMM_NONE;
	}
	s->items = p;
	if (i == s->n)
		s->n++;
	s->items[i] = (struct comm){.size = size, .world = world};
	return i;
}

static int comm_enter(struct comms *s, uint32_t i, MPI_Comm comm, int rank, uint64_t id, struct err *err)
{
	s->items[i].handle = comm;
	s->items[i].rank = rank;
	s->items[i].id = id;
	return hash64_put(&s->by_handle, handle_key(comm), i, err);
}

int comms_init(struct comms *s, int rank, int size, struct err *err)
{
	uint32_t i;

	memset(s, 0, sizeof *s);
	hash64_init(&s->by_handle);
	i = comm_slot(s, size, err);
	if (i == COMM_NONE || comm_enter(s, i, MPI_COMM_WORLD, rank, 0, err) < 0)
		return -1;
	free(s->items[i].world);
	s->items[i].world = NULL;
	i = comm_slot(s, 1, err);
	if (i == COMM_NONE || comm_enter(s, i, MPI_COMM_SELF, 0, 1, err) < 0)
		return -1;
	s->items[i].world[0] = rank;
	return 0;
}

void comms_release(struct comms *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free(s->items[i].world);
	free(s->items);
	hash64_release(&s->by_handle);
	memset(s, 0, sizeof *s);
}

uint32_t comm_find(const struct comms *s, MPI_Comm comm)
{
	if (comm == s->items[COMM_WORLD].handle) /* MPI_COMM_WORLD itself may be a look-up (mpi_late.h) */
		return COMM_WORLD;
	return hash64_find(&s->by_handle, handle_key(comm)); /* HASH_NONE is COMM_NONE */
}
static_assert((uint32_t)COMM_NONE == (uint32_t)HASH_NONE, "comm_find hands on what hash64_find gives");

int32_t comm_world_rank(const struct comm *c, int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return TRACE_ANY;
	if (rank < 0 || rank >= c->size)
		return TRACE_PROC_NULL;
	return c->world ? c->world[rank] : rank;
}

/* Fills world with the members' world ranks. 0 if one is not of our world. */
static int members_translate(MPI_Comm comm, int size, int32_t *world)
{
	MPI_Group ours, all;
	int ok = 1;

	PMPI_Comm_group(comm, &ours);
	PMPI_Comm_group(MPI_COMM_WORLD, &all);
	for (int i = 0; i < size && ok; i++) {
		int there = MPI_UNDEFINED;

		PMPI_Group_translate_ranks(ours, 1, &i, all, &there);
		ok = there != MPI_UNDEFINED;
		if (world)
			world[i] = there;
	}
	PMPI_Group_free(&ours);
	PMPI_Group_free(&all);
	return ok;
}

static uint64_t id_next(struct comms *s, int32_t world_rank)
{
	return (uint64_t)(uint32_t)world_rank << 32 | (s->made++ + 2);
}

uint32_t comm_add(struct comms *s, MPI_Comm comm, uint64_t id, struct err *err)
{
	int rank, size;
	uint32_t i;

	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	i = comm_slot(s, size, err);
	if (i == COMM_NONE)
		return COMM_NONE;
	members_translate(comm, size, s->items[i].world);
	if (comm_enter(s, i, comm, rank, id, err) == 0)
		return i;
	free(s->items[i].world);
	s->items[i] = (struct comm){0};
	return COMM_NONE;
}

int comm_id_make(struct comms *s, MPI_Comm comm, uint64_t *id)
{
	int inter = 0, rank, size, me;

	PMPI_Comm_test_inter(comm, &inter);
	if (inter)
		return 0;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	if (!members_translate(comm, size, NULL))
		return 0;
	PMPI_Comm_rank(MPI_COMM_WORLD, &me);
	*id = rank == 0 ? id_next(s, me) : 0;
	return 1;
}

void comm_id_agree(MPI_Comm comm, uint64_t *id)
{
	PMPI_Bcast(id, (int)sizeof *id, MPI_BYTE, 0, comm);
}

void comm_remove(struct comms *s, uint32_t i)
{
	if (i <= COMM_SELF)
		return;
	hash64_remove(&s->by_handle, handle_key(s->items[i].handle));
	free(s->items[i].world);
	s->items[i] = (struct comm){0};
}

struct comm_dup *comm_dup_begin(struct comms *s, uint32_t parent, void *place, int fortran)
{
	const struct comm *p = &s->items[parent];
	struct comm_dup *d = malloc(sizeof *d);
	uint64_t id = p->rank == 0 ? id_next(s, comm_world_rank(p, 0)) : 0;

	if (!d) { /* the others count on us all the same */
		PMPI_Bcast(&id, (int)sizeof id, MPI_BYTE, 0, p->handle);
		return NULL;
	}
	*d = (struct comm_dup){.id = id, .parent = p->id, .place = place, .fortran = fortran};
	PMPI_Ibcast(&d->id, (int)sizeof d->id, MPI_BYTE, 0, p->handle, &d->agreement);
	return d;
}

MPI_Comm comm_dup_wait(struct comm_dup *d)
{
	PMPI_Wait(&d->agreement, MPI_STATUS_IGNORE);
	return d->fortran ? PMPI_Comm_f2c(*(MPI_Fint *)d->place) : *(MPI_Comm *)d->place;
}
