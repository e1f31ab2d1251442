/* comm_setup.c: what the members of a communicator exchange when another one is made of it, as the libraries do:
 *
 *   mpich   the context id: MPI_Allreduce (BAND) of the mask of free ids, 65 ints (MPIR_Get_contextid_sparse_group)
 *   ompi    the context id: MPI_Allreduce of one int three times: the largest that is free somewhere, whether it is free everywhere, and
 *           the activation (ompi_comm_nextcid, ompi_comm_activate). A second try, where the first id is not free everywhere, is left out
 *   split   before: MPI_Allgather of colour and key, two ints, in both
 *
 * with the algorithms that the policy chooses for such sizes. From what is known of the libraries' design; their messages have not been counted. */
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

static int one_int(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return ints(phase, COLL_ALLREDUCE, 1);
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
    .phase = {{.choose = chosen, .args = one_int}, {.choose = chosen, .args = one_int}, {.choose = chosen, .args = one_int}},
};
static const struct coll_alg ompi_split = {
    .kind = COLL_BARRIER,
    .name = "ompi",
    .phase = {{.choose = chosen, .args = colours},
              {.choose = chosen, .args = one_int},
              {.choose = chosen, .args = one_int},
              {.choose = chosen, .args = one_int}},
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
