/* comm_setup.c: what the members of a communicator exchange when another one is made of it, as the libraries do:
 *
 *   mpich   the context id: MPI_Allreduce (BAND) of the mask of free ids, 65 ints (MPIR_Get_contextid_sparse_group)
 *   ompi    the context id: MPI_Iallreduce of one int three times: the largest that is free somewhere, whether it is free everywhere, and
 *           the activation (ompi_comm_nextcid, ompi_comm_activate), by libnbc: a binomial reduction to rank 0 and a binomial broadcast. A second try,
 *           where the first id is not free everywhere, is left out
 *   split   before: MPI_Allgather of colour and key, two ints, in both
 *
 * with the algorithms that the policy chooses for such sizes. Open MPI 4.1.4's messages are these, counted by its monitoring on 3 to 6 ranks
 * (tests/peer/comm_setup.sh); it sends more for MPI_Dist_graph_create, which is not modelled. MPICH's have not been counted. */
#include "coll_int.h"
#include "task_int.h"

#include <string.h>

enum { INT_BYTES = 4, MASK_INTS = 65 };

static const struct coll_alg *chosen(const struct coll_args *a)
{
	return a->split ? inter_alg(a->kind) : coll_choose(a, NULL);
}

static int ints(struct coll_args *phase, enum coll_kind kind, int64_t n)
{
	phase->kind = kind;
	phase->count = phase->count2 = n;
	phase->type_size = phase->type_size2 = INT_BYTES;
	phase->commutative = phase->basic_type = 1;
	return 1;
}

static int colours(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_ALLGATHER, 2);
}

static int mask(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_ALLREDUCE, MASK_INTS);
}

static int reduced_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_REDUCE, 1);
}

static int told_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_BCAST, 1);
}

static int one_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_ALLREDUCE, 1);
}

static const struct coll_alg libnbc = {
    .kind = COLL_ALLREDUCE,
    .name = "libnbc",
    .phase = {{.alg = &coll_reduce_binomial, .args = reduced_int}, {.alg = &coll_bcast_ompi_binomial, .args = told_int}}};

static const struct coll_alg *libnbc_chosen(const struct coll_args *a)
{
	return a->split ? inter_alg(a->kind) : &libnbc;
}

static const struct coll_alg mpich = {.kind = COLL_BARRIER, .name = "mpich", .phase = {{.choose = chosen, .args = mask}}};
static const struct coll_alg mpich_split = {
    .kind = COLL_BARRIER,
    .name = "mpich",
    .phase = {{.choose = chosen, .args = colours}, {.choose = chosen, .args = mask}},
};
static const struct coll_alg ompi = {
    .kind = COLL_BARRIER,
    .name = "ompi",
    .phase = {{.choose = libnbc_chosen, .args = one_int},
              {.choose = libnbc_chosen, .args = one_int},
              {.choose = libnbc_chosen, .args = one_int}},
};
static const struct coll_alg ompi_split = {
    .kind = COLL_BARRIER,
    .name = "ompi",
    .phase = {{.choose = chosen, .args = colours},
              {.choose = libnbc_chosen, .args = one_int},
              {.choose = libnbc_chosen, .args = one_int},
              {.choose = libnbc_chosen, .args = one_int}},
};

int comm_setup_read(struct mp *mp, struct err *err)
{
	const char *text = config_text(mp->cfg, CFG_SMPI_COMM_SETUP);

	if (strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "auto") == 0) {
		if (mp->compat)
			return 0;
		text = strncmp(mp->policy.selector->name, "ompi", 4) == 0 ? "ompi" : "mpich";
	}
	if (strcmp(text, "mpich") != 0 && strcmp(text, "ompi") != 0)
		return err_set(err, ERR_INPUT, "setting smpi/comm-setup takes none, mpich, ompi or auto, not \"%s\"", text);
	mp->agree = *text == 'o' ? &ompi : &mpich;
	mp->agree_split = *text == 'o' ? &ompi_split : &mpich_split;
	return 0;
}

int mp_comm_agree(struct mp *mp, uint32_t rank, struct mp_comm comm, int split, struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {.alg = split ? mp->agree_split : mp->agree, .call = CALL_COMM};

	return form.alg ? coll_begin(mp, rank, comm, &args, 0, &form, err) : MP_DONE;
}

/* With nothing to agree on, an empty collective: the request has to exist. */
static int nothing_round(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out)
{
	(void)a, (void)rank, (void)round, (void)out;
	return COLL_END;
}

static const struct coll_alg nothing = {.kind = COLL_BARRIER, .name = "nothing", .round = nothing_round};

int mp_comm_iagree(struct mp *mp, uint32_t rank, struct mp_comm comm, struct mp_request *out, struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {.alg = mp->agree ? mp->agree : &nothing, .call = CALL_COMM, .nonblocking = 1};

	return icoll_begin(mp, rank, comm, &args, 0, &form, out, err);
}
