/* special.c: what the generated functions share, and the functions that a table cannot make. */
#include "front_int.h"

#include <stdarg.h>

void *temp_new(size_t size)
{
	void *p = malloc(size);

	if (!p)
		abort(); /* the caller has no way to say it */
	return p;
}

int front_raise(enum error_kind kind, const void *handle, int code, const char *function)
{
	return out_error(orr_error_raise(kind, handle, code, function));
}

void string_copy(char *to, size_t size, const char *from, int *length)
{
	size_t n = strlen(from);

	if (n >= size)
		n = size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
	if (length)
		*length = (int)n;
}

/* ---- lengths ---- */

MPI_Count front_local(MPI_Comm comm)
{
	int size = 0;

	return orr_Comm_size(comm, &size) ? 0 : size;
}

MPI_Count front_peers(MPI_Comm comm)
{
	int inter = 0;
	int size = 0;

	if (orr_Comm_test_inter(comm, &inter))
		return 0;
	if (!inter)
		return front_local(comm);
	return orr_Comm_remote_size(comm, &size) ? 0 : size;
}

MPI_Count front_ndims(MPI_Comm comm)
{
	int n = 0;

	return orr_Cartdim_get(comm, &n) ? 0 : n;
}

static void degrees(MPI_Comm comm, int *in, int *out)
{
	int kind = MPI_UNDEFINED;
	int rank = 0;
	int weighted;

	*in = *out = 0;
	if (orr_Topo_test(comm, &kind))
		return;
	if (kind == MPI_CART) {
		*in = *out = 2 * (int)front_ndims(comm);
	} else if (kind == MPI_GRAPH && !orr_Comm_rank(comm, &rank) &&
	           !orr_Graph_neighbors_count(comm, rank, in)) {
		*out = *in;
	} else if (kind == MPI_DIST_GRAPH) {
		(void)orr_Dist_graph_neighbors_count(comm, in, out, &weighted);
	}
}

MPI_Count front_indegree(MPI_Comm comm)
{
	int in, out;

	degrees(comm, &in, &out);
	return in;
}

MPI_Count front_outdegree(MPI_Comm comm)
{
	int in, out;

	degrees(comm, &in, &out);
	return out;
}

int front_is_root(MPI_Comm comm, int root)
{
	int inter = 0;
	int rank = -1;

	if (orr_Comm_test_inter(comm, &inter))
		return 0;
	if (inter)
		return root == MPI_ROOT;
	return !orr_Comm_rank(comm, &rank) && rank == root;
}

MPI_Count front_sum(int n, const int values[])
{
	MPI_Count sum = 0;

	for (int i = 0; i < n; i++)
		sum += values[i] > 0 ? values[i] : 0;
	return sum;
}

MPI_Count front_last(int n, const int values[])
{
	return n > 0 && values[n - 1] > 0 ? values[n - 1] : 0;
}

/* ---- attributes ---- */

int attr_get(enum attr_kind kind, const void *handle, int keyval, void **value, int *flag)
{
	void *h = (void *)(uintptr_t)handle;

	if (kind == ATTR_COMM)
		return orr_Comm_get_attr(h, keyval, value, flag);
	if (kind == ATTR_TYPE)
		return orr_Type_get_attr(h, keyval, value, flag);
	return orr_Win_get_attr(h, keyval, value, flag);
}

int attr_set(enum attr_kind kind, const void *handle, int keyval, void *value)
{
	void *h = (void *)(uintptr_t)handle;

	if (kind == ATTR_COMM)
		return orr_Comm_set_attr(h, keyval, value);
	if (kind == ATTR_TYPE)
		return orr_Type_set_attr(h, keyval, value);
	return orr_Win_set_attr(h, keyval, value);
}

/* Predefined attributes whose value is a constant of the library: a copy, translated. */
static void *attr_translated(int keyval, void *value)
{
	static _Thread_local int copy[5];

	switch (keyval) {
	case MPI_HOST:
	case MPI_IO:
		copy[keyval == MPI_IO] = out_rank(*(int *)value);
		return &copy[keyval == MPI_IO];
	case MPI_LASTUSEDCODE:
		copy[2] = *(int *)value < MPI_ERR_LASTCODE ? N_ERR_LASTCODE
		                                           : out_error(*(int *)value);
		if (*(int *)value == MPI_ERR_LASTCODE)
			copy[2] = N_ERR_LASTCODE;
		return &copy[2];
	case MPI_WIN_CREATE_FLAVOR:
		copy[3] = out_flavor(*(int *)value);
		return &copy[3];
	case MPI_WIN_MODEL:
		copy[4] = out_model(*(int *)value);
		return &copy[4];
	default:
		return value;
	}
}

FRONT int PMPI_Comm_get_attr(N_Comm comm, int keyval, void *attribute_val, int *flag);
int PMPI_Comm_get_attr(N_Comm comm, int keyval, void *attribute_val, int *flag)
{
	int key = in_keyval(keyval);
	int rc = orr_Comm_get_attr(in_Comm(comm), key, attribute_val, flag);

	if (rc)
		return front_raise(ERROR_COMM, in_Comm(comm), rc, "MPI_Comm_get_attr");
	if (*flag)
		*(void **)attribute_val = attr_translated(key, *(void **)attribute_val);
	return 0;
}
ALIAS(MPI_Comm_get_attr)

FRONT int PMPI_Attr_get(N_Comm comm, int keyval, void *attribute_val, int *flag);
int PMPI_Attr_get(N_Comm comm, int keyval, void *attribute_val, int *flag)
{
	return PMPI_Comm_get_attr(comm, keyval, attribute_val, flag);
}
ALIAS(MPI_Attr_get)

FRONT int PMPI_Win_get_attr(N_Win win, int keyval, void *attribute_val, int *flag);
int PMPI_Win_get_attr(N_Win win, int keyval, void *attribute_val, int *flag)
{
	int key = in_keyval(keyval);
	int rc = orr_Win_get_attr(in_Win(win), key, attribute_val, flag);

	if (rc)
		return front_raise(ERROR_WIN, in_Win(win), rc, "MPI_Win_get_attr");
	if (*flag)
		*(void **)attribute_val = attr_translated(key, *(void **)attribute_val);
	return 0;
}
ALIAS(MPI_Win_get_attr)

/* ---- how a datatype was made: constants and handles among the integers ---- */

/* `sizes`: the array of sizes is among the integers (it is not in the large form). */
static void contents_translate(int combiner, int integers[], MPI_Count n, int sizes)
{
	if (n > 0 && (combiner == MPI_COMBINER_SUBARRAY || combiner == MPI_COMBINER_DARRAY))
		integers[n - 1] = out_order(integers[n - 1]);
	if (combiner != MPI_COMBINER_DARRAY || n < 4)
		return;
	int ndims = integers[2];
	int *distribs = integers + 3 + (sizes ? ndims : 0);

	for (int i = 0; i < ndims; i++) {
		distribs[i] = out_distribution(distribs[i]);
		distribs[ndims + i] = out_distribution_argument(distribs[ndims + i]);
	}
}

static void types_translate(N_Datatype to[], MPI_Datatype from[], MPI_Count n)
{
	for (MPI_Count i = 0; i < n; i++)
		to[i] = out_Datatype(from[i]);
}

FRONT int PMPI_Type_get_contents(N_Datatype datatype, int max_integers, int max_addresses,
                                 int max_datatypes, int array_of_integers[],
                                 MPI_Aint array_of_addresses[], N_Datatype array_of_datatypes[]);
int PMPI_Type_get_contents(N_Datatype datatype, int max_integers, int max_addresses,
                           int max_datatypes, int array_of_integers[],
                           MPI_Aint array_of_addresses[], N_Datatype array_of_datatypes[])
{
	MPI_Datatype type = in_Datatype(datatype);
	int integers, addresses, types, combiner;
	TEMP(MPI_Datatype, o_types, max_datatypes);
	int rc = orr_Type_get_envelope(type, &integers, &addresses, &types, &combiner);

	if (!rc)
		rc = orr_Type_get_contents(type, max_integers, max_addresses, max_datatypes,
		                           array_of_integers, array_of_addresses, o_types);
	if (!rc) {
		contents_translate(combiner, array_of_integers, integers, 1);
		types_translate(array_of_datatypes, o_types, types);
	}
	TEMP_FREE(o_types);
	return rc ? front_raise(ERROR_NONE, NULL, rc, "MPI_Type_get_contents") : 0;
}
ALIAS(MPI_Type_get_contents)

FRONT int PMPI_Type_get_contents_c(N_Datatype datatype, MPI_Count max_integers,
                                   MPI_Count max_addresses, MPI_Count max_large_counts,
                                   MPI_Count max_datatypes, int array_of_integers[],
                                   MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                                   N_Datatype array_of_datatypes[]);
int PMPI_Type_get_contents_c(N_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes,
                             int array_of_integers[], MPI_Aint array_of_addresses[],
                             MPI_Count array_of_large_counts[], N_Datatype array_of_datatypes[])
{
	MPI_Datatype type = in_Datatype(datatype);
	MPI_Count integers, addresses, counts, types;
	int combiner;
	TEMP(MPI_Datatype, o_types, max_datatypes);
	int rc = orr_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);

	if (!rc)
		rc = orr_Type_get_contents_c(type, max_integers, max_addresses, max_large_counts,
		                             max_datatypes, array_of_integers, array_of_addresses,
		                             array_of_large_counts, o_types);
	if (!rc) {
		contents_translate(combiner, array_of_integers, integers, counts == 0);
		types_translate(array_of_datatypes, o_types, types);
	}
	TEMP_FREE(o_types);
	return rc ? front_raise(ERROR_NONE, NULL, rc, "MPI_Type_get_contents_c") : 0;
}
ALIAS(MPI_Type_get_contents_c)

/* ---- the rest ---- */

FRONT int PMPI_Get_version(int *version, int *subversion);
int PMPI_Get_version(int *version, int *subversion)
{
	*version = N_VERSION;
	*subversion = N_SUBVERSION;
	return 0;
}
ALIAS(MPI_Get_version)

/* The standard leaves the arguments after the level to the library: there are none. */
FRONT int PMPI_Pcontrol(const int level, ...);
int PMPI_Pcontrol(const int level, ...)
{
	int rc = orr_Pcontrol(level);

	return rc ? front_raise(ERROR_NONE, NULL, rc, "MPI_Pcontrol") : 0;
}
ALIAS(MPI_Pcontrol)
