/* fake_type.c: datatypes, windows and files of fake_mpi.h. A datatype is kept as its map (MPI 4.0,
 * 5.1): pairs of a displacement and bytes, from which all else follows. */
#include "fake_mpi.h"

#include <stdlib.h>

enum { TYPE_BASE = (int)0xcc000000, MAP = 4096, PAIRS_BASE = (int)0x8c000000 };

static struct fake_type {
	int used, n;
	int64_t lb, ub;
	struct {
		int64_t at, bytes;
	} map[MAP];
} types[FAKE_TYPES];
static struct fake_type scratch;

/* MPICH writes the size of a predefined type into its handle; those of two kinds are numbered. */
static int64_t predefined_size(MPI_Datatype t)
{
	static const int64_t pairs[] = {8, 12, 12, 6, 20};

	return (t & (int)0xff000000) == PAIRS_BASE ? pairs[t & 0xff] : (t >> 8) & 0xff;
}

static const struct fake_type *type_of(MPI_Datatype t)
{
	static struct fake_type plain[4];
	static int turn;
	struct fake_type *p;

	if (t - TYPE_BASE >= 0 && t - TYPE_BASE < FAKE_TYPES) {
		if (!types[t - TYPE_BASE].used)
			abort();
		return &types[t - TYPE_BASE];
	}
	p = &plain[turn++ % 4];
	p->n = 1;
	p->lb = p->map[0].at = 0;
	p->ub = p->map[0].bytes = predefined_size(t);
	return p;
}

int64_t fake_type_size(MPI_Datatype t)
{
	const struct fake_type *p = type_of(t);
	int64_t sum = 0;

	for (int i = 0; i < p->n; i++)
		sum += p->map[i].bytes;
	return sum;
}

static void begin(void)
{
	scratch.n = 0;
	scratch.lb = INT64_MAX;
	scratch.ub = INT64_MIN;
}

/* One element of t, displaced. */
static void put(MPI_Datatype t, int64_t at)
{
	const struct fake_type *p = type_of(t);

	for (int i = 0; i < p->n; i++) {
		if (scratch.n == MAP)
			abort();
		scratch.map[scratch.n].at = p->map[i].at + at;
		scratch.map[scratch.n++].bytes = p->map[i].bytes;
	}
	scratch.lb = p->lb + at < scratch.lb ? p->lb + at : scratch.lb;
	scratch.ub = p->ub + at > scratch.ub ? p->ub + at : scratch.ub;
}

static int64_t extent(MPI_Datatype t)
{
	return type_of(t)->ub - type_of(t)->lb;
}

static void block(MPI_Datatype t, int n, int64_t at)
{
	for (int i = 0; i < n; i++)
		put(t, at + i * extent(t));
}

static int end(MPI_Datatype *made)
{
	if (scratch.lb > scratch.ub)
		scratch.lb = scratch.ub = 0;
	for (int i = 0; i < FAKE_TYPES; i++)
		if (!types[i].used) {
			types[i] = scratch;
			types[i].used = 1;
			*made = TYPE_BASE + i;
			return fake_result();
		}
	abort();
}

int PMPI_Type_contiguous(int n, MPI_Datatype t, MPI_Datatype *made)
{
	begin();
	block(t, n, 0);
	return end(made);
}

int PMPI_Type_create_hvector(int n, int length, MPI_Aint stride, MPI_Datatype t, MPI_Datatype *made)
{
	begin();
	for (int i = 0; i < n; i++)
		block(t, length, i * stride);
	return end(made);
}

int PMPI_Type_vector(int n, int length, int stride, MPI_Datatype t, MPI_Datatype *made)
{
	return PMPI_Type_create_hvector(n, length, stride * extent(t), t, made);
}

int PMPI_Type_create_struct(int n, const int lengths[], const MPI_Aint at[], const MPI_Datatype t[],
                            MPI_Datatype *made)
{
	begin();
	for (int i = 0; i < n; i++)
		block(t[i], lengths[i], at[i]);
	return end(made);
}

int PMPI_Type_create_hindexed(int n, const int lengths[], const MPI_Aint at[], MPI_Datatype t,
                              MPI_Datatype *made)
{
	begin();
	for (int i = 0; i < n; i++)
		block(t, lengths[i], at[i]);
	return end(made);
}

int PMPI_Type_indexed(int n, const int lengths[], const int at[], MPI_Datatype t,
                      MPI_Datatype *made)
{
	begin();
	for (int i = 0; i < n; i++)
		block(t, lengths[i], at[i] * extent(t));
	return end(made);
}

int PMPI_Type_create_indexed_block(int n, int length, const int at[], MPI_Datatype t,
                                   MPI_Datatype *made)
{
	begin();
	for (int i = 0; i < n; i++)
		block(t, length, at[i] * extent(t));
	return end(made);
}

int PMPI_Type_create_hindexed_block(int n, int length, const MPI_Aint at[], MPI_Datatype t,
                                    MPI_Datatype *made)
{
	begin();
	for (int i = 0; i < n; i++)
		block(t, length, at[i]);
	return end(made);
}

int PMPI_Type_create_resized(MPI_Datatype t, MPI_Aint lb, MPI_Aint bytes, MPI_Datatype *made)
{
	begin();
	put(t, 0);
	scratch.lb = lb;
	scratch.ub = lb + bytes;
	return end(made);
}

int PMPI_Type_dup(MPI_Datatype t, MPI_Datatype *made)
{
	begin();
	put(t, 0);
	return end(made);
}

/* In C's order: every element of the part, by counting through its coordinates. */
int PMPI_Type_create_subarray(int n, const int sizes[], const int parts[], const int starts[],
                              int order, MPI_Datatype t, MPI_Datatype *made)
{
	int total = 1, whole = 1;

	(void)order;
	begin();
	for (int i = 0; i < n; i++) {
		total *= parts[i];
		whole *= sizes[i];
	}
	for (int k = 0; k < total; k++) {
		int64_t at = 0, rest = k, width = 1;

		for (int i = n - 1; i >= 0; i--) {
			at += (starts[i] + rest % parts[i]) * width;
			rest /= parts[i];
			width *= sizes[i];
		}
		put(t, at * extent(t));
	}
	scratch.lb = 0;
	scratch.ub = whole * extent(t);
	return end(made);
}

int PMPI_Type_commit(MPI_Datatype *t)
{
	return t ? MPI_SUCCESS : MPI_ERR_TYPE;
}

int PMPI_Type_free(MPI_Datatype *t)
{
	types[*t - TYPE_BASE].used = 0;
	*t = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype t, int *size)
{
	*size = (int)fake_type_size(t);
	return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype t, MPI_Count *size)
{
	*size = fake_type_size(t);
	return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype t, MPI_Aint *lb, MPI_Aint *bytes)
{
	*lb = type_of(t)->lb;
	*bytes = extent(t);
	return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype t, MPI_Aint *lb, MPI_Aint *bytes)
{
	const struct fake_type *p = type_of(t);
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (int i = 0; i < p->n; i++) {
		from = p->map[i].at < from ? p->map[i].at : from;
		to = p->map[i].at + p->map[i].bytes > to ? p->map[i].at + p->map[i].bytes : to;
	}
	*lb = p->n ? from : 0;
	*bytes = p->n ? to - from : 0;
	return MPI_SUCCESS;
}

/* --- windows --- */

enum { WINDOWS = 32 };
static struct fake_group window[WINDOWS + 1]; /* its members: the communicator may be freed */

static int window_new(MPI_Comm c, MPI_Win *w)
{
	int rc = fake_result();

	for (int i = 1; i <= WINDOWS && rc == MPI_SUCCESS; i++)
		if (!window[i].used) {
			window[i] = fake_comm(c)->members;
			window[i].used = 1;
			*w = 0x20000000 + i;
			return rc;
		}
	return rc == MPI_SUCCESS ? (abort(), rc) : rc;
}

int PMPI_Win_create(void *p, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm c, MPI_Win *w)
{
	(void)p, (void)bytes, (void)unit, (void)info;
	return window_new(c, w);
}

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm c, MPI_Win *w)
{
	(void)info;
	return window_new(c, w);
}

int PMPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm c, void *p, MPI_Win *w)
{
	(void)p, (void)bytes, (void)unit, (void)info;
	return window_new(c, w);
}

int PMPI_Win_free(MPI_Win *w)
{
	int rc = fake_result();

	if (rc != MPI_SUCCESS)
		return rc;
	window[*w & 0xff].used = 0;
	*w = MPI_WIN_NULL;
	return rc;
}

int PMPI_Win_get_group(MPI_Win w, MPI_Group *g)
{
	return fake_group_new(&window[w & 0xff], g);
}

#define WIN(name, parameters, use) \
	int PMPI_##name parameters \
	{ \
		use; \
		return fake_result(); \
	}
WIN(Win_fence, (int assertion, MPI_Win w), ((void)assertion, (void)w))
WIN(Win_lock, (int kind, int rank, int assertion, MPI_Win w),
    ((void)kind, (void)rank, (void)assertion, (void)w))
WIN(Win_lock_all, (int assertion, MPI_Win w), ((void)assertion, (void)w))
WIN(Win_unlock, (int rank, MPI_Win w), ((void)rank, (void)w))
WIN(Win_unlock_all, (MPI_Win w), (void)w)
WIN(Win_flush, (int rank, MPI_Win w), ((void)rank, (void)w))
WIN(Win_flush_all, (MPI_Win w), (void)w)
WIN(Win_post, (MPI_Group g, int assertion, MPI_Win w), ((void)g, (void)assertion, (void)w))
WIN(Win_start, (MPI_Group g, int assertion, MPI_Win w), ((void)g, (void)assertion, (void)w))
WIN(Win_complete, (MPI_Win w), (void)w)
WIN(Win_wait, (MPI_Win w), (void)w)

int PMPI_Win_test(MPI_Win w, int *flag)
{
	int rc = fake_result();

	(void)w;
	if (rc == MPI_SUCCESS)
		*flag = fake_once_in(2);
	return rc;
}

#define TARGET int target, MPI_Aint at, int n2, MPI_Datatype t2
#define USE ((void)p, (void)n, (void)t, (void)target, (void)at, (void)n2, (void)t2, (void)w)
WIN(Put, (const void *p, int n, MPI_Datatype t, TARGET, MPI_Win w), USE)
WIN(Get, (void *p, int n, MPI_Datatype t, TARGET, MPI_Win w), USE)
WIN(Accumulate, (const void *p, int n, MPI_Datatype t, TARGET, MPI_Op op, MPI_Win w),
    (USE, (void)op))
WIN(Get_accumulate,
    (const void *p, int n, MPI_Datatype t, void *p3, int n3, MPI_Datatype t3, TARGET, MPI_Op op,
     MPI_Win w),
    (USE, (void)op, (void)p3, (void)n3, (void)t3))
WIN(Fetch_and_op,
    (const void *p, void *p2, MPI_Datatype t, int target, MPI_Aint at, MPI_Op op, MPI_Win w),
    ((void)p, (void)p2, (void)t, (void)target, (void)at, (void)op, (void)w))

int PMPI_Compare_and_swap(const void *p, const void *p2, void *p3, MPI_Datatype t, int target,
                          MPI_Aint at, MPI_Win w)
{
	(void)p, (void)p2, (void)p3, (void)t, (void)target, (void)at, (void)w;
	return fake_result();
}

WIN(Win_flush_local, (int rank, MPI_Win w), ((void)rank, (void)w))
WIN(Win_flush_local_all, (MPI_Win w), (void)w)

int PMPI_Rput(const void *p, int n, MPI_Datatype t, TARGET, MPI_Win w, MPI_Request *r)
{
	USE;
	return fake_request_new(r, MPI_COMM_WORLD, MPI_PROC_NULL, 0, 0);
}

int PMPI_Rget(void *p, int n, MPI_Datatype t, TARGET, MPI_Win w, MPI_Request *r)
{
	USE;
	return fake_request_new(r, MPI_COMM_WORLD, MPI_PROC_NULL, 0, 0);
}

/* --- files: a handle is an address --- */

static struct ADIOI_FileD {
	int64_t open;
} files[16];

int PMPI_File_open(MPI_Comm c, const char *name, int mode, MPI_Info info, MPI_File *f)
{
	int rc = fake_result();

	(void)c, (void)name, (void)mode, (void)info;
	for (int i = 0; i < 16 && rc == MPI_SUCCESS; i++)
		if (!files[i].open) {
			files[i].open = 1;
			*f = &files[i];
			return rc;
		}
	return rc == MPI_SUCCESS ? (abort(), rc) : rc;
}

int PMPI_File_close(MPI_File *f)
{
	(*f)->open = 0;
	*f = MPI_FILE_NULL;
	return fake_result();
}

WIN(File_delete, (const char *name, MPI_Info info), ((void)name, (void)info))
WIN(File_sync, (MPI_File f), (void)f)
WIN(File_set_size, (MPI_File f, MPI_Offset size), ((void)f, (void)size))
WIN(File_set_view,
    (MPI_File f, MPI_Offset at, MPI_Datatype e, MPI_Datatype t, const char *how, MPI_Info info),
    ((void)f, (void)at, (void)e, (void)t, (void)how, (void)info))
#define READS(name) \
	WIN(name, (MPI_File f, void *p, int n, MPI_Datatype t, MPI_Status *s), \
	    ((void)f, (void)p, (void)n, (void)t, fake_status(s, 0, 0)))
#define WRITES(name) \
	WIN(name, (MPI_File f, const void *p, int n, MPI_Datatype t, MPI_Status *s), \
	    ((void)f, (void)p, (void)n, (void)t, fake_status(s, 0, 0)))
READS(File_read)
READS(File_read_all)
READS(File_read_shared)
READS(File_read_ordered)
WRITES(File_write)
WRITES(File_write_all)
WRITES(File_write_shared)
WRITES(File_write_ordered)

int PMPI_File_iread(MPI_File f, void *p, int n, MPI_Datatype t, MPI_Request *r)
{
	(void)f, (void)p, (void)n, (void)t;
	return fake_request_new(r, MPI_COMM_WORLD, MPI_PROC_NULL, 0, 0);
}

int PMPI_File_iwrite(MPI_File f, const void *p, int n, MPI_Datatype t, MPI_Request *r)
{
	(void)f, (void)p, (void)n, (void)t;
	return fake_request_new(r, MPI_COMM_WORLD, MPI_PROC_NULL, 0, 0);
}

WIN(File_write_all_begin, (MPI_File f, const void *p, int n, MPI_Datatype t),
    ((void)f, (void)p, (void)n, (void)t))
WIN(File_write_all_end, (MPI_File f, const void *p, MPI_Status *s),
    ((void)f, (void)p, fake_status(s, 0, 0)))
