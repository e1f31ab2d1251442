/* comm.c: communicators, as far as they are local. */
#include "comm.h"

#include <stdlib.h>

#include "attr.h"
#include "core.h"
#include "errhandler.h"
#include "info.h"
#include "local.h"
#include "orr_mpi.h"
#include "topo.h"

struct orr_comm *orr_comm_new(struct orr_group *local, struct orr_group *remote, uint64_t context)
{
	struct orr_comm *c = orr_object_new(ORR_COMM, sizeof *c);
	if (!c)
		return NULL;
	c->local = orr_object_keep(local);
	c->remote = remote ? orr_object_keep(remote) : NULL;
	c->rank = local->rank;
	c->size = local->n;
	c->remote_size = remote ? remote->n : 0;
	c->context = context;
	return c;
}

void orr_comm_drop(struct orr_comm *c)
{
	if (!orr_object_drop(c))
		return;
	orr_core_comm_end(c);
	orr_group_drop(c->local);
	if (c->remote)
		orr_group_drop(c->remote);
	if (c->topo)
		orr_topo_drop(c->topo);
	orr_object_end(c);
}

void orr_comm_inherit(struct orr_comm *parent, struct orr_comm *c)
{
	orr_errhandler_share(&parent->o, &c->o);
}

int orr_comm_copy_local(struct orr_comm *from, struct orr_comm *to, int info)
{
	orr_comm_inherit(from, to);
	if (from->topo)
		to->topo = orr_topo_keep(from->topo);
	if (info && from->o.info) {
		to->o.info = orr_info_copy(from->o.info);
		if (!to->o.info)
			return MPI_ERR_NO_MEM;
	}
	return orr_attrs_copy(&from->o, &to->o);
}

int orr_comm_free_local(struct orr_comm *c)
{
	return orr_attrs_delete(&c->o);
}

/* --- the first communicators --- */

/* What the predefined attributes point to. */
struct fixed {
	int tag_ub, io, host, global_clock;
};

static struct orr_comm *first(MPI_Comm handle, const char *name, struct orr_group *g,
                              uint64_t context)
{
	struct orr_comm *c = g ? orr_comm_new(g, NULL, context) : NULL;
	if (!c || orr_name_set(&c->o, name))
		return NULL;
	orr_predefine((uint32_t)(uintptr_t)handle, c);
	return c;
}

static int attributes(struct orr_comm *world)
{
	static const struct fixed fixed = {
	    .tag_ub = ORR_TAG_UB, .io = MPI_ANY_SOURCE, .host = MPI_PROC_NULL, .global_clock = 1};
	struct orr_object *o = &world->o;
	const int *universe = orr_core_universe();
	int code = orr_attr_predefined(o, MPI_TAG_UB, &fixed.tag_ub);
	if (!code)
		code = orr_attr_predefined(o, MPI_IO, &fixed.io);
	if (!code)
		code = orr_attr_predefined(o, MPI_HOST, &fixed.host);
	if (!code)
		code = orr_attr_predefined(o, MPI_WTIME_IS_GLOBAL, &fixed.global_clock);
	if (!code)
		code = orr_attr_predefined(o, MPI_APPNUM, orr_core_appnum());
	if (!code)
		code = orr_attr_predefined(o, MPI_LASTUSEDCODE, orr_error_last());
	if (!code)
		code = orr_attr_predefined(o, MPI_UNIVERSE_SIZE,
		                           universe ? universe : &world->size);
	return code;
}

int orr_comms_start(struct orr_group *world, uint64_t world_context, uint64_t self_context)
{
	int32_t me = orr_core_process();
	struct orr_group *alone = orr_group_new(1, &me);
	struct orr_comm *w = first(MPI_COMM_WORLD, "MPI_COMM_WORLD", world, world_context);
	struct orr_comm *s = first(MPI_COMM_SELF, "MPI_COMM_SELF", alone, self_context);
	if (alone)
		orr_group_drop(alone);
	return w && s ? attributes(w) : MPI_ERR_NO_MEM;
}

int orr_comms_end(void)
{
	/* MPI 4.0, 11.2.4: attributes of MPI_COMM_SELF go first, last in first out. */
	struct orr_comm *self = orr_comm_of(MPI_COMM_SELF), *world = orr_comm_of(MPI_COMM_WORLD);
	int code = self ? orr_attrs_delete(&self->o) : MPI_SUCCESS;
	if (!code && world)
		code = orr_attrs_delete(&world->o);
	return code;
}

/* --- the functions of MPI --- */

int orr_Comm_rank(MPI_Comm comm, int *rank)
{
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c)
		return MPI_ERR_COMM;
	*rank = c->rank;
	return MPI_SUCCESS;
}

int orr_Comm_size(MPI_Comm comm, int *size)
{
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c)
		return MPI_ERR_COMM;
	*size = c->size;
	return MPI_SUCCESS;
}

int orr_Comm_remote_size(MPI_Comm comm, int *size)
{
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c || !c->remote)
		return MPI_ERR_COMM;
	*size = c->remote_size;
	return MPI_SUCCESS;
}

int orr_Comm_test_inter(MPI_Comm comm, int *flag)
{
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c)
		return MPI_ERR_COMM;
	*flag = c->remote != NULL;
	return MPI_SUCCESS;
}

static int group_show(struct orr_group *g, MPI_Group *group)
{
	*group = orr_handle_show(g);
	return *group ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int orr_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c)
		return MPI_ERR_COMM;
	return group ? group_show(c->local, group) : MPI_ERR_ARG;
}

int orr_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c || !c->remote)
		return MPI_ERR_COMM;
	return group ? group_show(c->remote, group) : MPI_ERR_ARG;
}

int orr_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
	const struct orr_comm *a = orr_comm_of(comm1), *b = orr_comm_of(comm2);
	if (!a || !b)
		return MPI_ERR_COMM;
	if (a == b || !a->remote != !b->remote) {
		*result = a == b ? MPI_IDENT : MPI_UNEQUAL;
		return MPI_SUCCESS;
	}
	int local = orr_group_compare(a->local, b->local);
	int remote = a->remote ? orr_group_compare(a->remote, b->remote) : MPI_IDENT;
	if (local == MPI_UNEQUAL || remote == MPI_UNEQUAL)
		*result = MPI_UNEQUAL;
	else
		*result = local == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
	return MPI_SUCCESS;
}

int orr_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
	struct orr_comm *c = orr_comm_of(comm);
	if (!c)
		return MPI_ERR_COMM;
	return comm_name ? orr_name_set(&c->o, comm_name) : MPI_ERR_ARG;
}

int orr_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
	static const struct orr_object none = {.kind = ORR_COMM};
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c && comm != MPI_COMM_NULL)
		return MPI_ERR_COMM;
	orr_name_get(c ? &c->o : &none, c ? "" : "MPI_COMM_NULL", comm_name, resultlen);
	return MPI_SUCCESS;
}

int orr_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
	struct orr_comm *c = orr_comm_of(comm);
	if (!c)
		return MPI_ERR_COMM;
	return orr_object_info_set_known(&c->o, info, "mpi_");
}

int orr_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
	const struct orr_comm *c = orr_comm_of(comm);
	return c ? orr_object_info_get(&c->o, info_used) : MPI_ERR_COMM;
}
