/* type_contents.c: MPI_Type_get_envelope and MPI_Type_get_contents. Contents are kept in the order
 * of the small form; the large form has counts where that one has integers and addresses, but for
 * the arrays, whose integers that are no sizes stay integers. */
#include "orr_mpi.h"
#include "type.h"

/* Of the i-th integer of the small form: whether the large form has it among its counts. */
static int is_count(const struct orr_contents *c, MPI_Count i)
{
	switch (c->combiner) {
	case MPI_COMBINER_SUBARRAY:
		return i > 0 && i < c->n_ints - 1;
	case MPI_COMBINER_DARRAY:
		return i >= 3 && i < 3 + c->ints[2];
	case MPI_COMBINER_F90_REAL:
	case MPI_COMBINER_F90_COMPLEX:
	case MPI_COMBINER_F90_INTEGER:
		return 0;
	default:
		return 1;
	}
}

struct numbers {
	MPI_Count ints, addresses, counts;
};

static struct numbers numbers_of(const struct orr_contents *c)
{
	struct numbers n = {c->n_ints, c->n_addresses, 0};
	if (!c->large)
		return n;
	n = (struct numbers){0, 0, c->n_addresses};
	for (MPI_Count i = 0; i < c->n_ints; i++)
		*(is_count(c, i) ? &n.counts : &n.ints) += 1;
	return n;
}

int orr_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
                            MPI_Count *num_addresses, MPI_Count *num_large_counts,
                            MPI_Count *num_datatypes, int *combiner)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	struct numbers n = numbers_of(&t->c);
	*num_integers = n.ints;
	*num_addresses = n.addresses;
	*num_large_counts = n.counts;
	*num_datatypes = t->c.n_types;
	*combiner = t->c.combiner;
	return MPI_SUCCESS;
}

int orr_Type_get_envelope(MPI_Datatype datatype, int *num_integers, int *num_addresses,
                          int *num_datatypes, int *combiner)
{
	MPI_Count ints, addresses, counts, types;
	int code = orr_Type_get_envelope_c(datatype, &ints, &addresses, &counts, &types, combiner);
	if (code)
		return code;
	if (counts)
		return MPI_ERR_TYPE; /* MPI 4.0, 5.1.13: only the large form can tell these */
	*num_integers = (int)ints;
	*num_addresses = (int)addresses;
	*num_datatypes = (int)types;
	return MPI_SUCCESS;
}

static int types_show(const struct orr_contents *c, MPI_Datatype *out)
{
	for (MPI_Count i = 0; i < c->n_types; i++) {
		struct orr_type *t = c->types[i];
		out[i] = orr_is_predefined(&t->o) || t->f90 ? orr_handle(t) : orr_handle_show(t);
		if (!out[i])
			return MPI_ERR_NO_MEM;
	}
	return MPI_SUCCESS;
}

int orr_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes,
                            int array_of_integers[], MPI_Aint array_of_addresses[],
                            MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[])
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t || t->c.combiner == MPI_COMBINER_NAMED)
		return MPI_ERR_TYPE;
	const struct orr_contents *c = &t->c;
	struct numbers n = numbers_of(c);
	if (max_integers < n.ints || max_addresses < n.addresses || max_large_counts < n.counts ||
	    max_datatypes < c->n_types)
		return MPI_ERR_ARG;
	for (MPI_Count i = 0; i < c->n_ints; i++)
		if (c->large && is_count(c, i))
			*array_of_large_counts++ = c->ints[i];
		else
			*array_of_integers++ = (int)c->ints[i];
	for (MPI_Count i = 0; i < c->n_addresses; i++)
		if (c->large)
			*array_of_large_counts++ = c->addresses[i];
		else
			*array_of_addresses++ = c->addresses[i];
	return types_show(c, array_of_datatypes);
}

int orr_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                          int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
                          MPI_Datatype array_of_datatypes[])
{
	return orr_Type_get_contents_c(datatype, max_integers, max_addresses, 0, max_datatypes,
	                               array_of_integers, array_of_addresses, NULL,
	                               array_of_datatypes);
}
