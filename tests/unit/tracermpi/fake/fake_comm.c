/* fake_comm.c: life, groups, communicators and topologies of fake_mpi.h. */
#include "fake_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake fake;

/* Addresses with a meaning. */
static int no_weights[2];
int *const MPI_UNWEIGHTED = &no_weights[0];
int *const MPI_WEIGHTS_EMPTY = &no_weights[1];

enum { COMM_BASE = (int)0x84000000, GROUP_BASE = (int)0x88000000 };

uint32_t fake_below(uint32_t n)
{
	fake.random ^= fake.random << 13;
	fake.random ^= fake.random >> 7;
	fake.random ^= fake.random << 17;
	return (uint32_t)((fake.random >> 11) % n);
}

int fake_once_in(uint32_t n)
{
	return fake_below(n) == 0;
}

int fake_result(void)
{
	int rc = fake.fail;

	fake.fail = MPI_SUCCESS;
	fake.calls++;
	if (fake.during)
		fake.during();
	return rc;
}

static void world_make(struct fake_comm *c, int first, int n, int rank)
{
	*c = (struct fake_comm){.used = 1, .rank = rank, .members.n = n};
	for (int i = 0; i < n; i++)
		c->members.world[i] = first + i;
}

void fake_reset(int rank, int ranks, uint64_t seed)
{
	memset(&fake, 0, sizeof fake);
	fake.rank = rank;
	fake.ranks = ranks;
	fake.random = seed * 2654435761u + 88172645463325252u;
	fake.provided = MPI_THREAD_SINGLE;
	world_make(&fake.comm[0], 0, ranks, rank);
	world_make(&fake.comm[1], rank, 1, 0);
}

struct fake_comm *fake_comm(MPI_Comm c)
{
	struct fake_comm *p = NULL;

	if (c == MPI_COMM_WORLD)
		p = &fake.comm[0];
	else if (c == MPI_COMM_SELF)
		p = &fake.comm[1];
	else if (c - COMM_BASE >= 0 && c - COMM_BASE < FAKE_COMMS)
		p = &fake.comm[c - COMM_BASE];
	if (!p || !p->used)
		abort(); /* a communicator that is none: the tracer's fault, or the test's */
	return p;
}

/* The handle that is free and has the least number, as libraries give them. */
MPI_Comm fake_comm_new(const struct fake_group *members, int first)
{
	for (int i = 2; i < FAKE_COMMS; i++) {
		struct fake_comm *c = &fake.comm[i];

		if (c->used)
			continue;
		*c = (struct fake_comm){.used = 1, .members = *members, .rank = first};
		for (int k = 0; k < members->n; k++)
			if (members->world[k] == fake.rank)
				c->rank = k;
		return COMM_BASE + i;
	}
	abort();
}

struct fake_group *fake_group(MPI_Group g)
{
	static struct fake_group empty = {.used = 1};

	if (g == MPI_GROUP_EMPTY)
		return &empty;
	if (g - GROUP_BASE < 0 || g - GROUP_BASE >= FAKE_COMMS || !fake.group[g - GROUP_BASE].used)
		abort();
	return &fake.group[g - GROUP_BASE];
}

int fake_group_new(const struct fake_group *from, MPI_Group *g)
{
	for (int i = 0; i < FAKE_COMMS; i++)
		if (!fake.group[i].used) {
			fake.group[i] = *from;
			fake.group[i].used = 1;
			*g = GROUP_BASE + i;
			return MPI_SUCCESS;
		}
	abort(); /* somebody does not free them */
}

/* --- life --- */

int PMPI_Init(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return MPI_SUCCESS;
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	(void)argc, (void)argv;
	*provided = fake.provided = required;
	return MPI_SUCCESS;
}

int PMPI_Query_thread(int *provided)
{
	*provided = fake.provided;
	return MPI_SUCCESS;
}

int PMPI_Finalize(void)
{
	fake.finalized++;
	return fake_result();
}

/* Attributes are kept by nobody, and so none is deleted in MPI_Finalize. */
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *gone,
                            int *keyval, void *extra)
{
	(void)copy, (void)gone, (void)extra;
	*keyval = 1;
	return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm c, int keyval, void *value)
{
	(void)c, (void)keyval, (void)value;
	return MPI_SUCCESS;
}

int PMPI_Comm_free_keyval(int *keyval)
{
	*keyval = MPI_KEYVAL_INVALID;
	return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm c, int code)
{
	(void)c;
	fake.aborted = code;
	return MPI_SUCCESS;
}

int PMPI_Error_class(int code, int *class)
{
	*class = code;
	return MPI_SUCCESS;
}

int PMPI_Get_library_version(char *version, int *n)
{
	*n = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "a library for tests");
	return MPI_SUCCESS;
}

/* --- groups --- */

int PMPI_Comm_group(MPI_Comm c, MPI_Group *g)
{
	return fake_group_new(&fake_comm(c)->members, g);
}

int PMPI_Comm_remote_group(MPI_Comm c, MPI_Group *g)
{
	return fake_group_new(&fake_comm(c)->remote, g);
}

int PMPI_Group_size(MPI_Group g, int *n)
{
	*n = fake_group(g)->n;
	return MPI_SUCCESS;
}

int PMPI_Group_incl(MPI_Group g, int n, const int ranks[], MPI_Group *made)
{
	struct fake_group new = {.n = n}, *from = fake_group(g);

	for (int i = 0; i < n; i++)
		new.world[i] = from->world[ranks[i]];
	return fake_group_new(&new, made);
}

int PMPI_Group_translate_ranks(MPI_Group g, int n, const int ranks[], MPI_Group to, int there[])
{
	struct fake_group *from = fake_group(g), *into = fake_group(to);

	for (int i = 0; i < n; i++) {
		there[i] = MPI_UNDEFINED;
		for (int k = 0; k < into->n; k++)
			if (into->world[k] == from->world[ranks[i]])
				there[i] = k;
	}
	return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *g)
{
	fake_group(*g)->used = 0;
	*g = MPI_GROUP_NULL;
	return MPI_SUCCESS;
}

/* --- communicators --- */

int PMPI_Comm_rank(MPI_Comm c, int *rank)
{
	*rank = fake_comm(c)->rank;
	return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm c, int *size)
{
	*size = fake_comm(c)->members.n;
	return MPI_SUCCESS;
}

int PMPI_Comm_remote_size(MPI_Comm c, int *size)
{
	*size = fake_comm(c)->remote.n;
	return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm c, int *inter)
{
	*inter = fake_comm(c)->inter;
	return MPI_SUCCESS;
}

int PMPI_Comm_get_parent(MPI_Comm *parent)
{
	*parent = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

static MPI_Comm copy_of(MPI_Comm c)
{
	struct fake_comm old = *fake_comm(c);
	MPI_Comm made = fake_comm_new(&old.members, old.rank);

	*fake_comm(made) = old;
	return made;
}

int PMPI_Comm_dup(MPI_Comm c, MPI_Comm *made)
{
	int rc = fake_result();

	if (rc == MPI_SUCCESS)
		*made = copy_of(c);
	return rc;
}

int PMPI_Comm_idup(MPI_Comm c, MPI_Comm *made, MPI_Request *r)
{
	int rc = fake_request_new(r, c, 0, 0, 0);

	if (rc == MPI_SUCCESS) {
		fake_request(*r)->later = made;
		fake_request(*r)->later_comm = copy_of(c);
		if (fake_request(*r)->complete)
			*made = fake_request(*r)->later_comm;
	}
	return rc;
}

/* Who comes before whom: by key, then by rank in the old one. */
static int comes_before(const int *key, int a, int b)
{
	return key[a] != key[b] ? key[a] < key[b] : a < b;
}

int PMPI_Comm_split(MPI_Comm c, int color, int key, MPI_Comm *made)
{
	struct fake_group old = fake_comm(c)->members, new = {0};
	int colors[FAKE_RANKS], keys[FAKE_RANKS], order[FAKE_RANKS], rc = fake_result();

	*made = MPI_COMM_NULL;
	if (rc != MPI_SUCCESS || color == MPI_UNDEFINED)
		return rc;
	for (int i = 0; i < old.n; i++) {
		colors[i] = old.world[i] == fake.rank ? color : fake.color[old.world[i]];
		keys[i] = old.world[i] == fake.rank ? key : fake.key[old.world[i]];
	}
	for (int i = 0; i < old.n; i++) {
		int at = new.n;

		if (colors[i] != color)
			continue;
		for (; at > 0 && comes_before(keys, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = i;
		new.n++;
	}
	for (int i = 0; i < new.n; i++)
		new.world[i] = old.world[order[i]];
	*made = fake_comm_new(&new, 0);
	return rc;
}

int PMPI_Comm_create(MPI_Comm c, MPI_Group g, MPI_Comm *made)
{
	const struct fake_group *members = fake_group(g);
	int rc = fake_result();

	(void)c;
	*made = MPI_COMM_NULL;
	for (int i = 0; i < members->n && rc == MPI_SUCCESS; i++)
		if (members->world[i] == fake.rank)
			*made = fake_comm_new(members, 0);
	return rc;
}

int PMPI_Comm_create_group(MPI_Comm c, MPI_Group g, int tag, MPI_Comm *made)
{
	(void)tag;
	return PMPI_Comm_create(c, g, made);
}

/* No name of MPI: what is called within is the library's own. */
static int comm_end(MPI_Comm *c)
{
	int rc = fake_result();

	if (rc == MPI_SUCCESS) {
		fake_comm(*c)->used = 0;
		*c = MPI_COMM_NULL;
	}
	return rc;
}

int PMPI_Comm_free(MPI_Comm *c)
{
	return comm_end(c);
}

int PMPI_Comm_disconnect(MPI_Comm *c)
{
	return comm_end(c);
}

/* The other group: those of `peer` that are not in ours. */
int PMPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int other, int tag,
                          MPI_Comm *made)
{
	struct fake_comm *ours = fake_comm(local), *all = fake_comm(peer), *new;
	int rc = fake_result();

	(void)leader, (void)other, (void)tag;
	if (rc != MPI_SUCCESS)
		return rc;
	*made = fake_comm_new(&ours->members, ours->rank);
	new = fake_comm(*made);
	new->inter = 1;
	for (int i = 0; i < all->members.n; i++) {
		int mine = 0;

		for (int k = 0; k < ours->members.n; k++)
			mine |= ours->members.world[k] == all->members.world[i];
		if (!mine)
			new->remote.world[new->remote.n++] = all->members.world[i];
	}
	return rc;
}

int PMPI_Intercomm_merge(MPI_Comm c, int high, MPI_Comm *made)
{
	struct fake_comm *p = fake_comm(c);
	struct fake_group first = high ? p->remote : p->members,
	                  then = high ? p->members : p->remote;
	int rc = fake_result();

	if (rc != MPI_SUCCESS)
		return rc;
	for (int i = 0; i < then.n; i++)
		first.world[first.n++] = then.world[i];
	*made = fake_comm_new(&first, 0);
	return rc;
}

/* --- topologies --- */

int PMPI_Cart_create(MPI_Comm c, int n, const int dims[], const int periods[], int reorder,
                     MPI_Comm *made)
{
	struct fake_group members = fake_comm(c)->members;
	struct fake_comm *new;
	int size = 1, inside = 0;

	(void)reorder;
	for (int i = 0; i < n; i++)
		size *= dims[i];
	*made = MPI_COMM_NULL;
	members.n = size;
	for (int i = 0; i < size; i++)
		inside |= members.world[i] == fake.rank;
	if (!inside)
		return MPI_SUCCESS;
	*made = fake_comm_new(&members, 0);
	new = fake_comm(*made);
	new->topology = FAKE_CART;
	new->dims = n;
	for (int i = 0; i < n; i++) {
		new->dim[i] = dims[i];
		new->periodic[i] = periods[i];
	}
	return MPI_SUCCESS;
}

int PMPI_Dist_graph_create_adjacent(MPI_Comm c, int in, const int sources[], const int weights[],
                                    int out, const int dests[], const int weights2[], MPI_Info info,
                                    int reorder, MPI_Comm *made)
{
	struct fake_comm *new;

	(void)weights, (void)weights2, (void)info, (void)reorder;
	*made = copy_of(c);
	new = fake_comm(*made);
	new->topology = FAKE_DIST_GRAPH;
	new->n_in = in;
	new->n_out = out;
	memcpy(new->in, sources, (size_t)in * sizeof *sources);
	memcpy(new->out, dests, (size_t)out * sizeof *dests);
	return MPI_SUCCESS;
}

/* index[i]: where the edges of rank i end. */
int PMPI_Graph_create(MPI_Comm c, int n, const int index[], const int edges[], int reorder,
                      MPI_Comm *made)
{
	struct fake_comm *new;
	int from;

	(void)n, (void)reorder;
	*made = copy_of(c);
	new = fake_comm(*made);
	from = new->rank ? index[new->rank - 1] : 0;
	new->topology = FAKE_GRAPH;
	new->n_in = new->n_out = index[new->rank] - from;
	memcpy(new->in, edges + from, (size_t) new->n_in * sizeof *edges);
	memcpy(new->out, edges + from, (size_t) new->n_in * sizeof *edges);
	return MPI_SUCCESS;
}

int PMPI_Topo_test(MPI_Comm c, int *kind)
{
	static const int kinds[] = {MPI_UNDEFINED, MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};

	*kind = kinds[fake_comm(c)->topology];
	return MPI_SUCCESS;
}

int PMPI_Cartdim_get(MPI_Comm c, int *n)
{
	*n = fake_comm(c)->dims;
	return MPI_SUCCESS;
}

int PMPI_Cart_get(MPI_Comm c, int n, int dims[], int periods[], int coords[])
{
	struct fake_comm *p = fake_comm(c);

	for (int i = 0; i < n; i++) {
		dims[i] = p->dim[i];
		periods[i] = p->periodic[i];
		coords[i] = 0;
	}
	return MPI_SUCCESS;
}

int PMPI_Graph_neighbors_count(MPI_Comm c, int rank, int *n)
{
	(void)rank;
	*n = fake_comm(c)->n_out;
	return MPI_SUCCESS;
}

int PMPI_Graph_neighbors(MPI_Comm c, int rank, int n, int neighbors[])
{
	(void)rank;
	memcpy(neighbors, fake_comm(c)->out, (size_t)n * sizeof *neighbors);
	return MPI_SUCCESS;
}

int PMPI_Dist_graph_neighbors_count(MPI_Comm c, int *in, int *out, int *weighted)
{
	*in = fake_comm(c)->n_in;
	*out = fake_comm(c)->n_out;
	*weighted = 0;
	return MPI_SUCCESS;
}

int PMPI_Dist_graph_neighbors(MPI_Comm c, int in, int sources[], int weights[], int out,
                              int dests[], int weights2[])
{
	(void)weights, (void)weights2;
	memcpy(sources, fake_comm(c)->in, (size_t)in * sizeof *sources);
	memcpy(dests, fake_comm(c)->out, (size_t)out * sizeof *dests);
	return MPI_SUCCESS;
}
