/* comm_setup.c: what the members of a communicator exchange when another one, or a window, is made
 * of it, as the libraries do:
 *
 *   mpich   the context id: MPI_Allreduce (BAND) of the mask of free ids, 65 ints
 *           (MPIR_Get_contextid_sparse_group); then one int is broadcast. The blocking calls of all
 *           members choose the algorithm as any allreduce; MPI_Comm_create_group and MPI_Comm_idup
 *           double recursively. A window: a duplicate of its communicator, three allgathers of 36
 *           bytes together, an allreduce of one byte, a barrier
 *   ompi    the context id: MPI_Iallreduce of one int three times: the largest that is free
 *           somewhere, whether it is free everywhere, and the activation (ompi_comm_nextcid,
 *           ompi_comm_activate), by libnbc: a binomial reduction to rank 0 and a binomial
 *           broadcast. A second try, where the first id is not free everywhere, is left out. A
 *           window (osc/pt2pt): a duplicate of its communicator, two barriers
 *   none    a window: allgather of 32 bytes (address, size, unit, key), a barrier
 *   split   before: MPI_Allgather of colour and key, two ints, in both
 *   graph   MPI_Dist_graph_create, in both, after that: how many messages come, a
 *           reduce_scatter_block of two ints, and 8 bytes along each edge
 *
 * with the algorithms that the policy chooses for such sizes, or, where the selector is "default",
 * which no library has, that MPICH 3 or Open MPI 4 do. Open MPI 4.1.4's messages are these,
 * counted by its monitoring on 2 to 6 ranks, MPICH 4.0.2's too, counted where it gives them to UCX
 * (tests/peer/comm_setup.sh). What differs: a window of Open MPI's osc/rdma on one host takes 46,
 * 98 and 160 messages of 4, 9 and 14 kB in all on 2, 3 and 4 ranks, for registrations and
 * communicators of the host's ranks; MPICH's MPI_Win_allocate 27 messages more than MPI_Win_create
 * on 4 ranks, MPI_Win_create_dynamic 24 fewer; MPI_Dist_graph_create sends the edges from whoever
 * names them, here they are their sources, and Open MPI sends an empty message along with each. */
#include "comm_setup.h"
#include "coll/algs.h"
#include "coll/write.h"
#include "mp/coll/collective.h"

#include <string.h>

enum { INT_BYTES = 4, MASK_INTS = 65 };

static const struct coll_alg *chosen(const struct coll_args *a)
{
	return a->split ? coll_inter_alg(a->kind) : coll_choose(a, NULL);
}

static const struct coll_alg *chosen_as(const struct coll_args *a, const char *library)
{
	return a->split ? coll_inter_alg(a->kind) : coll_choose_as(a, coll_selector_find(library));
}

/* SimGrid's "ring" of MPICH is not between neighbours; MPICH's is. */
static const struct coll_alg *as_mpich(const struct coll_args *a)
{
	const struct coll_alg *alg = chosen_as(a, "mpich");

	return alg == &coll_allgather_ring ? &coll_allgather_NTSLR : alg;
}

static const struct coll_alg *as_ompi(const struct coll_args *a)
{
	return chosen_as(a, "ompi-4");
}

int setup_phase(struct coll_args *phase, enum coll_kind kind, int64_t n, int64_t size)
{
	phase->kind = kind;
	phase->count = phase->count2 = n;
	phase->type_size = phase->type_size2 = size;
	phase->commutative = phase->basic_type = 1;
	return 1;
}

static int ints(struct coll_args *phase, enum coll_kind kind, int64_t n)
{
	return setup_phase(phase, kind, n, INT_BYTES);
}

static int colours(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_ALLGATHER, 2);
}

static int mask(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_ALLREDUCE, MASK_INTS);
}

static int counts(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                  struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_REDUCE_SCATTER_BLOCK, 2);
}

static int window_bytes(struct coll_args *phase, int64_t n)
{
	ints(phase, COLL_ALLGATHER, n);
	phase->type_size = phase->type_size2 = 1;
	return 1;
}

static int bytes_16(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return window_bytes(phase, 16);
}

static int bytes_4(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return window_bytes(phase, 4);
}

static int bytes_32(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return window_bytes(phase, 32);
}

static int one_byte(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	ints(phase, COLL_ALLREDUCE, 1);
	phase->type_size = phase->type_size2 = 1;
	return 1;
}

static int all_meet(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->kind = COLL_BARRIER;
	return 1;
}

static int reduced_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_REDUCE, 1);
}

/* Not between two groups: what MPICH sends there has not been counted. */
static int told_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)rank, (void)view;
	return whole->split ? 0 : ints(phase, COLL_BCAST, 1);
}

static int one_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_ALLREDUCE, 1);
}

static const struct coll_alg libnbc = {
    .kind = COLL_ALLREDUCE,
    .name = "libnbc",
    .phase = {{.alg = &coll_reduce_binomial, .args = reduced_int},
              {.alg = &coll_bcast_ompi_binomial, .args = told_int}}};

static const struct coll_alg *libnbc_chosen(const struct coll_args *a)
{
	return a->split ? coll_inter_alg(a->kind) : &libnbc;
}

static const struct coll_alg *doubling(const struct coll_args *a)
{
	return a->split ? coll_inter_alg(a->kind) : &coll_allreduce_rdb;
}

/* What a library exchanges for each call. */
struct comm_setup {
	struct coll_alg all, split, group, graph,
	    window; /* group: not all of the parent call, or it does not wait */
};

#define ID_MPICH \
	{.choose = as_mpich, .args = mask}, \
	{ \
		.choose = as_mpich, .args = told_int \
	}
#define ID_OMPI \
	{.choose = libnbc_chosen, .args = one_int}, {.choose = libnbc_chosen, .args = one_int}, \
	{ \
		.choose = libnbc_chosen, .args = one_int \
	}
#define SETUP(library, ...) \
	{ \
		.kind = COLL_BARRIER, .name = library, .phase = { __VA_ARGS__ } \
	}

static const struct comm_setup mpich = {
    .all = SETUP("mpich", ID_MPICH),
    .split = SETUP("mpich", {.choose = as_mpich, .args = colours}, ID_MPICH),
    .group = SETUP("mpich", {.choose = doubling, .args = mask},
                   {.choose = as_mpich, .args = told_int}),
    .graph = SETUP("mpich", {.choose = as_mpich, .args = counts}, ID_MPICH),
    .window = SETUP("mpich", ID_MPICH, {.choose = as_mpich, .args = bytes_16},
                    {.choose = as_mpich, .args = bytes_16}, {.choose = as_mpich, .args = bytes_4},
                    {.choose = as_mpich, .args = one_byte}, {.choose = as_mpich, .args = all_meet}),
};
static const struct comm_setup ompi = {
    .all = SETUP("ompi", ID_OMPI),
    .split = SETUP("ompi", {.choose = as_ompi, .args = colours}, ID_OMPI),
    .group = SETUP("ompi", ID_OMPI),
    .graph = SETUP("ompi", {.choose = as_ompi, .args = counts}, ID_OMPI),
    .window = SETUP("ompi", ID_OMPI, {.choose = as_ompi, .args = all_meet},
                    {.choose = as_ompi, .args = all_meet}),
};
static const struct coll_alg window_alone = SETUP("window", {.choose = chosen, .args = bytes_32},
                                                  {.choose = chosen, .args = all_meet});

int comm_setup_read(struct mp *mp, struct err *err)
{
	const char *text = config_text(mp->cfg, CFG_SMPI_COMM_SETUP);

	if (strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "auto") == 0) {
		if (mp->rules.free_comms)
			return 0;
		text = strncmp(mp->policy.selector->name, "ompi", 4) == 0 ? "ompi" : "mpich";
	}
	if (strcmp(text, "mpich") != 0 && strcmp(text, "ompi") != 0)
		return err_set(
		    err, ERR_INPUT,
		    "setting smpi/comm-setup takes none, mpich, ompi or auto, not \"%s\"", text);
	mp->setup = *text == 'o' ? &ompi : &mpich;
	return 0;
}

enum comm_library comm_setup_library(const struct mp *mp)
{
	return !mp->setup ? SETUP_NONE : mp->setup == &ompi ? SETUP_OMPI : SETUP_MPICH;
}

static const struct coll_alg *setup_of(const struct mp *mp, enum mp_agreement what)
{
	const struct comm_setup *s = mp->setup;

	if (!s)
		return NULL;
	return what == MP_AGREE_SPLIT   ? &s->split
	       : what == MP_AGREE_GROUP ? &s->group
	       : what == MP_AGREE_GRAPH ? &s->graph
	                                : &s->all;
}

const struct coll_alg *window_setup(const struct mp *mp)
{
	return mp->setup ? &mp->setup->window : &window_alone;
}

int mp_comm_agree(struct mp *mp, uint32_t rank, struct mp_comm comm, enum mp_agreement what,
                  struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {.alg = setup_of(mp, what), .call = CALL_COMM};

	return form.alg ? coll_begin(mp, rank, comm, &args, 0, &form, err) : MP_DONE;
}

int mp_comm_edges(struct mp *mp, uint32_t rank, struct mp_comm comm, struct err *err)
{
	const struct coll_args args = {.kind = COLL_NEIGHBOR_ALLTOALL,
	                               .count = 2,
	                               .count2 = 2,
	                               .type_size = INT_BYTES,
	                               .type_size2 = INT_BYTES};
	const struct coll_form form = {.alg = &coll_neighbor_alltoall_linear_nb, .call = CALL_COMM};

	return mp->setup ? coll_begin(mp, rank, comm, &args, 0, &form, err) : MP_DONE;
}

/* With nothing to agree on, an empty collective: the request has to exist. */
static int nothing_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	(void)a, (void)rank, (void)round, (void)out;
	return COLL_END;
}

static const struct coll_alg nothing = {
    .kind = COLL_BARRIER, .name = "nothing", .round = nothing_round};

int mp_comm_iagree(struct mp *mp, uint32_t rank, struct mp_comm comm, enum mp_agreement what,
                   struct mp_request *out, struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {
	    .alg = mp->setup ? setup_of(mp, what) : &nothing, .call = CALL_COMM, .nonblocking = 1};

	return icoll_begin(mp, rank, comm, &args, 0, &form, out, err);
}
