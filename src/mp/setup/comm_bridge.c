/* comm_bridge.c: what MPI_Intercomm_create exchanges, as the libraries do, in turns: the two
 * leaders over the communicator that both are in, then each group among itself, and so on.
 *
 *   mpich   leaders: the size of the group (4 bytes), its members (8 bytes each)
 *           (MPID_Intercomm_exchange_map). Group: the leader broadcasts 16 bytes and the members of
 *           the other group; the context id, an allreduce of 65 ints as for any communicator.
 *           Leaders: the id, 2 bytes. Group: the other group's id, 4 bytes (4.0.2,
 *           MPIR_Intercomm_create_impl)
 *   ompi    leaders: the size; group: it is broadcast; so are the length of the members' names
 *           and the names: 50 bytes each on a host whose name has two letters
 *           (ompi_comm_get_rprocs). Then three times: a reduction of an int to the leader, an
 *           exchange, a broadcast: the largest id that is free somewhere, whether it is free
 *           everywhere, the activation (4.1.4, ompi_comm_allreduce_intra_bridge_nb)
 *
 * MPICH 4.0.2's messages are these, counted where it gives them to UCX, on 3, 5 and 8 ranks
 * (tests/peer/comm_setup.sh). What Open MPI's leaders send with the program's tag (sizes and names)
 * was counted by its monitoring, which crashes when the intercommunicator is made. A group waits
 * for its leader, the leader for all of its group and for the other leader: nobody goes on before
 * all members of both groups have come. */
#include "coll/algs.h"
#include "coll/write.h"
#include "comm_setup.h"
#include "mp/coll/collective.h"

enum { INT_BYTES = 4, ID_BYTES = 2, MASK_INTS = 65, PLACE_BYTES = 8, NAME_BYTES = 50 };

/* --- between the leaders, ranks 0 and 1: each sends `count`, receives `count2` --- */

static int swap_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	step_sendrecv(out, rank, !rank, piece_at(BUF_TOKEN, 0, a->count * a->type_size), !rank,
	              piece_at(BUF_TOKEN, 0, a->count2 * a->type_size2));
	return 0;
}

static const struct coll_alg swap = {.kind = COLL_BARRIER, .name = "swap", .round = swap_round};

static int each_gives(struct coll_args *phase, int64_t bytes)
{
	phase->count = phase->count2 = 1;
	phase->type_size = phase->type_size2 = bytes;
	return 1;
}

static int swap_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return each_gives(phase, INT_BYTES);
}

static int swap_id(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return each_gives(phase, ID_BYTES);
}

static int swap_members(struct coll_args *phase, int64_t bytes)
{
	phase->type_size = phase->type_size2 = bytes;
	return 1;
}

static int swap_places(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return swap_members(phase, PLACE_BYTES);
}

static int swap_names(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return swap_members(phase, NAME_BYTES);
}

/* --- in a group, whose leader is the root --- */

static int tell_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return setup_phase(phase, COLL_BCAST, 1, INT_BYTES);
}

static int tell_map(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return setup_phase(phase, COLL_BCAST, 4, INT_BYTES);
}

static int tell_places(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	(void)rank, (void)view;
	return setup_phase(phase, COLL_BCAST, whole->count2, PLACE_BYTES);
}

static int tell_names(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	(void)rank, (void)view;
	return setup_phase(phase, COLL_BCAST, whole->count2 * NAME_BYTES, 1);
}

static int mask(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->root = 0;
	return setup_phase(phase, COLL_ALLREDUCE, MASK_INTS, INT_BYTES);
}

static int reduce_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return setup_phase(phase, COLL_REDUCE, 1, INT_BYTES);
}

static const struct coll_alg *by_mpich(const struct coll_args *a)
{
	return coll_choose_as(a, coll_selector_find("mpich"));
}

static const struct coll_alg *by_ompi(const struct coll_args *a)
{
	return coll_choose_as(a, coll_selector_find("ompi-4"));
}

/* --- the turns --- */

static int nothing_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	(void)a, (void)rank, (void)round, (void)out;
	return COLL_END;
}

#define TURN(...) \
	{ \
		.kind = COLL_BARRIER, .name = "bridge", .phase = { __VA_ARGS__ } \
	}
#define NO_TURN \
	{ \
		.kind = COLL_BARRIER, .name = "nothing", .round = nothing_round \
	}
#define LEADERS_INT \
	{ \
		.alg = &swap, .args = swap_int \
	}
#define TOLD_BY_LIBNBC \
	{ \
		.alg = &coll_bcast_ompi_binomial, .args = tell_int \
	}
#define REDUCED_BY_LIBNBC \
	{ \
		.alg = &coll_reduce_binomial, .args = reduce_int \
	}

static const struct coll_alg mpich[] = {
    TURN(LEADERS_INT),
    NO_TURN,
    TURN({.alg = &swap, .args = swap_places}),
    TURN({.choose = by_mpich, .args = tell_map}, {.choose = by_mpich, .args = tell_places},
         {.choose = by_mpich, .args = mask}),
    TURN({.alg = &swap, .args = swap_id}),
    TURN({.choose = by_mpich, .args = tell_int}),
};
static const struct coll_alg ompi[] = {
    TURN(LEADERS_INT),
    TURN({.choose = by_ompi, .args = tell_int}),
    TURN(LEADERS_INT),
    TURN({.choose = by_ompi, .args = tell_int}),
    TURN({.alg = &swap, .args = swap_names}),
    TURN({.choose = by_ompi, .args = tell_names}, REDUCED_BY_LIBNBC),
    TURN(LEADERS_INT),
    TURN(TOLD_BY_LIBNBC, REDUCED_BY_LIBNBC),
    TURN(LEADERS_INT),
    TURN(TOLD_BY_LIBNBC, REDUCED_BY_LIBNBC),
    TURN(LEADERS_INT),
    TURN(TOLD_BY_LIBNBC),
};
static_assert(sizeof mpich / sizeof *mpich % 2 == 0, "leaders and groups take turns");
static_assert(sizeof ompi / sizeof *ompi % 2 == 0, "leaders and groups take turns");

static uint32_t turns_of(const struct mp *mp, const struct coll_alg **alg)
{
	switch (comm_setup_library(mp)) {
	case SETUP_MPICH:
		*alg = mpich;
		return sizeof mpich / sizeof *mpich;
	case SETUP_OMPI:
		*alg = ompi;
		return sizeof ompi / sizeof *ompi;
	default:
		*alg = NULL;
		return 0;
	}
}

uint32_t mp_bridge_turns(const struct mp *mp)
{
	const struct coll_alg *alg;

	return turns_of(mp, &alg);
}

static int turn_make(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct mp_bridge *b,
                     struct coll_args *args, struct coll_form *form, struct err *err)
{
	uint32_t size = mp_comm_size(mp, comm);
	const struct coll_alg *alg;

	if (b->turn >= turns_of(mp, &alg)) {
		mp_error(mp, rank, err, "an intercommunicator is made in no turn %u", b->turn);
		return -1;
	}
	if (b->turn % 2 ? b->leader >= size : size != 2) {
		mp_error(mp, rank, err, "an intercommunicator's leader is member %u of %u",
		         b->leader, size);
		return -1;
	}
	*args = (struct coll_args){
	    .kind = COLL_BARRIER, .root = b->leader, .count = b->local, .count2 = b->remote};
	*form = (struct coll_form){.alg = &alg[b->turn], .call = CALL_COMM};
	return 0;
}

int mp_comm_bridge(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct mp_bridge *b,
                   struct err *err)
{
	struct coll_args args;
	struct coll_form form;

	if (turn_make(mp, rank, comm, b, &args, &form, err) < 0)
		return MP_ERROR;
	return form.alg->round ? MP_DONE : coll_begin(mp, rank, comm, &args, 0, &form, err);
}

int mp_comm_ibridge(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct mp_bridge *b,
                    struct mp_request *out, struct err *err)
{
	struct coll_args args;
	struct coll_form form;

	if (turn_make(mp, rank, comm, b, &args, &form, err) < 0)
		return MP_ERROR;
	form.nonblocking = 1;
	return icoll_begin(mp, rank, comm, &args, 0, &form, out, err);
}
