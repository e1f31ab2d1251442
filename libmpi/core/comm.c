/* comm.c: MPI's calls that make communicators. What members must know of each other they tell in a
 * meeting at the simulator (WIRE_COMM_AGREE); what is made then is comm_made.c's affair, and what
 * that costs mp's. */
#include <string.h>

#include "comm_made.h"
#include "meet.h"
#include "objects/core.h"
#include "objects/errhandler.h"
#include "objects/remote.h"
#include "orr_mpi.h"
#include "p2p.h"
#include "spawn.h"

int orr_core_comm_make(struct orr_comm *parent, struct orr_group *members, enum orr_agreement what,
                       struct orr_comm **out)
{
	uint64_t name;
	int code = MPI_SUCCESS;

	link_enter();
	name = comm_next_name(parent);
	*out = NULL;
	if (what != ORR_AGREE_NOTHING)
		agree(parent, what == ORR_AGREE_SPLIT ? MP_AGREE_SPLIT : MP_AGREE_ALL);
	if (members && members->n > 0 && members->rank >= 0)
		code = comm_new(comm_group_mix(name, members), members, NULL, out);
	link_leave();
	return code;
}

/* --- duplicates --- */

/* What this rank has of a duplicate, before its members agree: both libraries call the functions of
 * attributes then. These may make communicators, too (MPI 4.0, 7.7.2): the one that this thread
 * made last is the duplicate. */
static int copy(struct orr_comm *c, int info, struct orr_comm **out)
{
	uint64_t name;
	int code;

	link_enter();
	name = comm_next_name(c);
	code = comm_new(name, c->local, c->remote, out);
	link_leave();
	if (code == MPI_SUCCESS)
		code = orr_comm_copy_local(c, *out, info);
	link_made(comm_identity(name, c->local, c->remote), c->remote ? c->remote->member : NULL);
	return code;
}

static int dup(MPI_Comm comm, int info, MPI_Comm *newcomm)
{
	struct orr_comm *c = orr_comm_of(comm), *made;
	int code;

	*newcomm = MPI_COMM_NULL;
	if (!c)
		return MPI_ERR_COMM;
	code = copy(c, info, &made);
	link_enter();
	agree(c, MP_AGREE_ALL);
	link_leave();
	if (code == MPI_SUCCESS)
		*newcomm = orr_handle(made);
	return code;
}

int orr_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	return dup(comm, 1, newcomm);
}

int orr_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	int code = dup(comm, 0, newcomm);

	return code == MPI_SUCCESS && info != MPI_INFO_NULL ? orr_Comm_set_info(*newcomm, info)
	                                                    : code;
}

/* The communicator is there at once, as nothing can be asked of it before the request is complete;
 * its agreement takes the time it takes. */
static int idup(MPI_Comm comm, int info, MPI_Comm *newcomm, MPI_Request *request)
{
	struct orr_comm *c = orr_comm_of(comm), *made;
	struct orr_request *r;
	struct wire_agree *w;
	struct wire_op *op;
	int code;

	*newcomm = MPI_COMM_NULL;
	if (!c)
		return MPI_ERR_COMM;
	r = request_new(REQUEST_COMM, c, NULL, 0, NULL);
	if (!r)
		return MPI_ERR_NO_MEM;
	code = copy(c, info, &made);
	link_enter();
	r->active = 1;
	r->number = link_number();
	op = link_room(WIRE_COMM_AGREE, sizeof *w);
	op->flags |= WIRE_RESTS;
	w = (void *)(op + 1);
	*w = (struct wire_agree){
	    .comm = comm_core(c)->id, .what = MP_AGREE_GROUP, .request = r->number};
	link_put(op);
	link_leave();
	if (code != MPI_SUCCESS)
		return code;
	*newcomm = orr_handle(made);
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

int orr_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	return idup(comm, 1, newcomm, request);
}

int orr_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
	int code = idup(comm, 0, newcomm, request);

	return code == MPI_SUCCESS && info != MPI_INFO_NULL ? orr_Comm_set_info(*newcomm, info)
	                                                    : code;
}

int orr_Comm_free(MPI_Comm *comm)
{
	struct orr_comm *c = orr_comm_of(*comm);
	int code;

	if (!c || *comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
		return MPI_ERR_COMM;
	code = orr_comm_free_local(c);
	if (code != MPI_SUCCESS)
		return code;
	spawn_forget(*comm);
	link_enter();
	orr_comm_drop(c);
	link_leave();
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/* What is pending on it is complete when all have come here: the simulator's messages need nothing
 * of their ranks. */
int orr_Comm_disconnect(MPI_Comm *comm)
{
	struct orr_comm *c = orr_comm_of(*comm);

	if (!c || *comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
		return MPI_ERR_COMM;
	link_enter();
	agree(c, MP_AGREE_ALL);
	link_leave();
	return orr_Comm_free(comm);
}

/* --- parts --- */

int comm_made_of(struct orr_comm *parent, struct orr_comm *made, int code, MPI_Comm *newcomm)
{
	*newcomm = MPI_COMM_NULL;
	if (code != MPI_SUCCESS || !made)
		return code;
	orr_comm_inherit(parent, made);
	*newcomm = orr_handle(made);
	return MPI_SUCCESS;
}

/* On an intercommunicator each side gives its group, and needs the other's. */
static int create_inter(struct orr_comm *c, struct orr_group *g, struct orr_comm **out)
{
	uint64_t name = comm_next_name(c);
	struct orr_group *remote;
	struct told t;
	int code = MPI_SUCCESS, first = c->local->member[0] < c->remote->member[0];
	uint32_t other = first ? (uint32_t)c->local->n : 0;

	meet(c, NULL, name, MP_AGREE_ALL, g->member, (size_t)g->n * sizeof *g->member, &t);
	*out = NULL;
	remote = orr_group_new((int32_t)(t.length ? t.length[other] / sizeof *g->member : 0),
	                       t.length ? told_text(&t, other) : NULL);
	if (t.length)
		told_end(&t);
	if (!remote)
		return MPI_ERR_NO_MEM;
	if (g->rank >= 0 && remote->n > 0)
		code = comm_new(name, g, remote, out);
	orr_group_drop(remote);
	return code;
}

/* A communicator and some of its (local) group. */
static int part_check(const struct orr_comm *c, const struct orr_group *g)
{
	if (!c || !g)
		return c ? MPI_ERR_GROUP : MPI_ERR_COMM;
	for (int32_t i = 0; i < g->n; i++)
		if (orr_group_find(c->local, g->member[i]) == MPI_UNDEFINED)
			return orr_error_note(MPI_ERR_GROUP, "it is no part of the communicator's");
	return MPI_SUCCESS;
}

int orr_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	struct orr_comm *c = orr_comm_of(comm), *made = NULL;
	struct orr_group *g = orr_group_of(group);
	int code = part_check(c, g);

	if (code != MPI_SUCCESS)
		return code;
	if (!c->remote) {
		code = orr_core_comm_make(c, g, ORR_AGREE_ALL, &made);
	} else {
		link_enter();
		code = create_inter(c, g, &made);
		link_leave();
	}
	return comm_made_of(c, made, code, newcomm);
}

/* Only members call it: made first, then its members agree, as replay does. */
static int create_group(uint64_t name, struct orr_group *g, struct orr_comm **out)
{
	int code;

	*out = NULL;
	if (g->rank < 0)
		return MPI_SUCCESS;
	link_enter();
	code = comm_new(comm_name_again(name), g, NULL, out);
	if (code == MPI_SUCCESS)
		agree(*out, MP_AGREE_GROUP);
	link_leave();
	return code;
}

int orr_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
	struct orr_comm *c = orr_comm_of(comm), *made;
	struct orr_group *g = orr_group_of(group);
	int code = part_check(c, g);

	if (code == MPI_SUCCESS)
		code = tag_check(tag, 0);
	if (code != MPI_SUCCESS)
		return code;
	code = create_group(comm_group_mix(name_mix(c->context, (uint64_t)(uint32_t)tag), g), g,
	                    &made);
	return comm_made_of(c, made, code, newcomm);
}

int orr_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                               MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	struct orr_comm *made;
	struct orr_group *g = orr_group_of(group);
	int code;

	(void)info;
	if (!g)
		return MPI_ERR_GROUP;
	code = create_group(comm_group_mix(comm_text_mix(1, stringtag), g), g, &made);
	*newcomm = made ? orr_handle(made) : MPI_COMM_NULL;
	if (made && errhandler != MPI_ERRHANDLER_NULL)
		orr_Comm_set_errhandler(*newcomm, errhandler);
	return code;
}

struct choice { /* of one member in MPI_Comm_split; colour and key first: WIRE_TOLD_ALIKE */
	int32_t color, key, process;
	int32_t side; /* of an intercommunicator, by the first member */
};

/* Those of one side, of all who chose the colour, in order. name: of both. NULL: no memory. */
static struct orr_group *chosen(const struct told *t, int32_t side, uint64_t name)
{
	const struct choice *k = told_text(t, 0);
	struct orr_group *g = orr_group_named(name_mix(name, (uint64_t)side));
	int32_t found = 0;

	if (g)
		return g;
	for (uint32_t i = 0; i < t->n; i++)
		found += k[i].side == side;
	g = orr_group_new(found, NULL);
	found = 0;
	for (uint32_t i = 0; g && i < t->n; i++)
		if (k[i].side == side)
			g->member[found++] = k[i].process;
	if (g) {
		orr_group_ready(g);
		orr_group_name(g, name_mix(name, (uint64_t)side));
	}
	return g;
}

static int split(struct orr_comm *c, int color, int key, struct orr_comm **out)
{
	int32_t side = c->remote && c->local->member[0] > c->remote->member[0];
	struct choice mine = {color, key, (int32_t)link_state()->rank, side};
	uint64_t name = comm_next_name(c), part = name_mix(name, (uint64_t)(uint32_t)color);
	struct orr_group *local, *remote = NULL;
	struct told t;
	int code = MPI_SUCCESS;

	*out = NULL;
	meet_some(c, name, MP_AGREE_SPLIT, &mine, sizeof mine,
	          color == MPI_UNDEFINED ? WIRE_TOLD_NOBODY : WIRE_TOLD_ALIKE, &t);
	local = chosen(&t, side, part);
	if (c->remote)
		remote = chosen(&t, !side, part);
	told_end(&t);
	if (!local || (c->remote && !remote))
		return MPI_ERR_NO_MEM;
	if (color != MPI_UNDEFINED && (!c->remote || remote->n > 0))
		code = comm_new(part, local, remote, out);
	orr_group_drop(local);
	if (remote)
		orr_group_drop(remote);
	return code;
}

int orr_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	struct orr_comm *c = orr_comm_of(comm), *made = NULL;
	int code;

	*newcomm = MPI_COMM_NULL;
	if (!c)
		return MPI_ERR_COMM;
	if (color < 0 && color != MPI_UNDEFINED)
		return MPI_ERR_ARG;
	link_enter();
	code = split(c, color, key, &made);
	link_leave();
	return comm_made_of(c, made, code, newcomm);
}

/* The resource that the info names (MPI 4.0, 7.4.2): of a machine hosts are known, nothing below.
 */
static int is_host_named(MPI_Info info)
{
	char value[64] = "";
	int n = sizeof value, found = 0;

	if (info != MPI_INFO_NULL)
		orr_Info_get_string(info, "mpi_hw_resource_type", &n, value, &found);
	return found && strcmp(value, "mpi_shared_memory") == 0;
}

int orr_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
	const struct link *l = link_state();
	const uint32_t *hosts = wire_at(l->head, l->head->hosts);
	struct orr_comm *c = orr_comm_of(comm);
	int by_host = 0, code;

	if (!c)
		return MPI_ERR_COMM;
	switch (split_type) {
	case MPI_COMM_TYPE_SHARED:
		by_host = 1;
		break;
	case MPI_COMM_TYPE_HW_UNGUIDED: /* parts that are smaller than the whole, or none */
		by_host = !orr_core_one_host(c);
		break;
	case MPI_COMM_TYPE_HW_GUIDED:
	case MPI_COMM_TYPE_RESOURCE_GUIDED:
		by_host = is_host_named(info);
		break;
	case MPI_UNDEFINED:
		break;
	default:
		return MPI_ERR_ARG;
	}
	code = orr_Comm_split(comm, by_host ? (int)hosts[l->rank] : MPI_UNDEFINED, key, newcomm);
	if (code == MPI_SUCCESS && split_type == MPI_COMM_TYPE_HW_UNGUIDED && by_host &&
	    info != MPI_INFO_NULL)
		code = orr_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
	return code;
}

/* --- for the objects --- */

void orr_core_give(struct orr_comm *c, const void *mine, size_t n, struct orr_giving *g)
{
	link_enter();
	meet_begin(c, NULL, comm_next_name(c), mine, n, g);
	link_leave();
}

const void *orr_core_take(struct orr_comm *c, const struct orr_giving *g, uint64_t *kept)
{
	struct told t;

	link_enter();
	meet_end(c, NULL, g, &t);
	link_leave();
	*kept = t.block;
	return told_text(&t, 0);
}

void orr_core_taken(uint64_t kept)
{
	link_enter();
	link_block_free(kept);
	link_leave();
}

const void *orr_core_edges(struct orr_comm *c, const void *mine, size_t n, size_t *total,
                           uint64_t *kept)
{
	struct told t;

	link_enter();
	meet(c, NULL, comm_next_name(c), MP_AGREE_GRAPH, mine, n, &t);
	link_leave();
	*total = 0;
	for (uint32_t i = 0; i < t.n; i++)
		*total += t.length[i];
	*kept = t.block;
	return told_text(&t, 0);
}
