/* dumpi_record.c: the records of DUMPI (sst-dumpi), big-endian binary, a file per rank.
 *
 *   magic, two offsets of clocks | records | header | footer | … | index (64 bytes)
 *
 * A record has no length: how the arguments of each function are written must be known. The table
 * says it with a letter per argument:
 *   i 32 bits   h 16 (handles)   b 8   q 64
 *   m this rank, r the root: ( ) is there at the root only
 *   I, H, B a list of these (its length first)   J a list of lists   C text   D, E lists of it
 *   K, L lists of 32 bits since 0.6.9, 0.6.8, one number before
 *   S statuses, if the record has them   Z what MPI_Init was given */
#include "dumpi.h"

#include <errno.h>
#include <stdlib.h>

#define MAGIC 0xffaadd44554d5049u
enum { HEAD_BYTES = 16, INDEX_BYTES = 64, INDEX_LEAST = 40, LIST_MOST = 1 << 28 };
enum { HAS_STATUS = 3, HAS_CPU = 4, HAS_WALL = 8, HAS_THREAD = 64, HAS_COUNTERS = 128 };

/* clang-format off */
static const struct function {
	const char *name, *args; /* args NULL: not known */
} functions[] = {
    {"Send", "ihiih"}, {"Recv", "ihiihS"}, {"Get_count", "Shi"}, {"Bsend", "ihiih"},
    {"Ssend", "ihiih"}, {"Rsend", "ihiih"}, {"Buffer_attach", "i"}, {"Buffer_detach", "i"},
    {"Isend", "ihiihi"}, {"Ibsend", "ihiihi"}, {"Issend", "ihiihi"}, {"Irsend", "ihiihi"},
    {"Irecv", "ihiihi"}, {"Wait", "iS"}, {"Test", "iiS"}, {"Request_free", "i"},
    {"Waitany", "iIiS"}, {"Testany", "iIiiS"}, {"Waitall", "iIS"}, {"Testall", "iIiS"},
    {"Waitsome", "iIiIS"}, {"Testsome", "iIiIS"}, {"Iprobe", "iihiS"}, {"Probe", "iihS"},
    {"Cancel", "i"}, {"Test_cancelled", "Si"}, {"Send_init", "ihiihi"},
    {"Bsend_init", "ihiihi"}, {"Ssend_init", "ihiihi"}, {"Rsend_init", "ihiihi"},
    {"Recv_init", "ihiihi"}, {"Start", "i"}, {"Startall", "iI"}, {"Sendrecv", "ihiiihiihS"},
    {"Sendrecv_replace", "ihiiiihS"}, {"Type_contiguous", "ihh"}, {"Type_vector", "iiihh"},
    {"Type_hvector", "iiihh"}, {"Type_indexed", "iIIhh"}, {"Type_hindexed", "iIIhh"},
    {"Type_struct", "iIKHh"}, {"Address", "i"}, {"Type_extent", "hi"}, {"Type_size", "hi"},
    {"Type_lb", "hi"}, {"Type_ub", "hi"}, {"Type_commit", "h"}, {"Type_free", "h"},
    {"Get_elements", "Shi"}, {"Pack", "ihiiih"}, {"Unpack", "iiiihh"}, {"Pack_size", "ihhi"},
    {"Barrier", "h"}, {"Bcast", "ihih"}, {"Gather", "mihrh(ih)"}, {"Gatherv", "miihrh(II)h"},
    {"Scatter", "mihrh(ih)"}, {"Scatterv", "mihihrh(II)"}, {"Allgather", "ihihh"},
    {"Allgatherv", "iihIIhh"}, {"Alltoall", "ihihh"}, {"Alltoallv", "iIIhIIhh"},
    {"Reduce", "ihbih"}, {"Op_create", "ib"}, {"Op_free", "b"}, {"Allreduce", "ihbh"},
    {"Reduce_scatter", "iIhbh"}, {"Scan", "ihbh"}, {"Group_size", "hi"}, {"Group_rank", "hi"},
    {"Group_translate_ranks", "hiIhI"}, {"Group_compare", "hhb"}, {"Comm_group", "hh"},
    {"Group_union", "hhh"}, {"Group_intersection", "hhh"}, {"Group_difference", "hhh"},
    {"Group_incl", "hiIh"}, {"Group_excl", "hiIh"}, {"Group_range_incl", "hiJh"},
    {"Group_range_excl", "hiJh"}, {"Group_free", "h"}, {"Comm_size", "hi"}, {"Comm_rank", "hi"},
    {"Comm_compare", "hhb"}, {"Comm_dup", "hh"}, {"Comm_create", "hhh"}, {"Comm_split", "hiih"},
    {"Comm_free", "h"}, {"Comm_test_inter", "hi"}, {"Comm_remote_size", "hi"},
    {"Comm_remote_group", "hh"}, {"Intercomm_create", "hihiih"}, {"Intercomm_merge", "hih"},
    {"Keyval_create", "h"}, {"Keyval_free", "h"}, {"Attr_put", "hi"}, {"Attr_get", "hii"},
    {"Attr_delete", "hi"}, {"Topo_test", "hb"}, {"Cart_create", "hiIIih"},
    {"Dims_create", "iiII"}, {"Graph_create", "ihiIIih"}, {"Graphdims_get", "hii"},
    {"Graph_get", "iihiiII"}, {"Cartdim_get", "hi"}, {"Cart_get", "ihiIIL"},
    {"Cart_rank", "ihIi"}, {"Cart_coords", "ihiiI"}, {"Graph_neighbors_count", "hii"},
    {"Graph_neighbors", "ihiiI"}, {"Cart_shift", "hiiii"}, {"Cart_sub", "ihIh"},
    {"Cart_map", "hiIIi"}, {"Graph_map", "ihiIIi"}, {"Get_processor_name", "Ci"},
    {"Get_version", "ii"}, {"Errhandler_create", "h"}, {"Errhandler_set", "hh"},
    {"Errhandler_get", "hh"}, {"Errhandler_free", "h"}, {"Error_string", "iCi"},
    {"Error_class", "ii"}, {"Wtime", ""}, {"Wtick", ""}, {"Init", "Z"}, {"Finalize", ""},
    {"Initialized", "i"}, {"Abort", "hi"}, {"Pcontrol", NULL}, {"Close_port", "C"},
    {"Comm_accept", "Chihh"}, {"Comm_connect", "Chihh"}, {"Comm_disconnect", "h"},
    {"Comm_get_parent", "h"}, {"Comm_join", "ih"}, {"Comm_spawn", "mrhh(CDihI)"},
    {"Comm_spawn_multiple", "imrhh(iDEIHI)"}, {"Lookup_name", "ChC"}, {"Open_port", "hC"},
    {"Publish_name", "ChC"}, {"Unpublish_name", "ChC"}, {"Accumulate", "ihiiihbh"},
    {"Get", "ihiiihh"}, {"Put", "ihiiihh"}, {"Win_complete", "h"}, {"Win_create", "iihhh"},
    {"Win_fence", "bh"}, {"Win_free", "h"}, {"Win_get_group", "hh"}, {"Win_lock", "bibh"},
    {"Win_post", "hbh"}, {"Win_start", "hbh"}, {"Win_test", "hi"}, {"Win_unlock", "ih"},
    {"Win_wait", "h"}, {"Alltoallw", "iIIHIIHh"}, {"Exscan", "ihbh"}, {"Add_error_class", "i"},
    {"Add_error_code", "ii"}, {"Add_error_string", "iC"}, {"Comm_call_errhandler", "hi"},
    {"Comm_create_keyval", "h"}, {"Comm_delete_attr", "hh"}, {"Comm_free_keyval", "h"},
    {"Comm_get_attr", "hhi"}, {"Comm_get_name", "hCi"}, {"Comm_set_attr", "hh"},
    {"Comm_set_name", "hC"}, {"File_call_errhandler", "hi"}, {"Grequest_complete", "i"},
    {"Grequest_start", "i"}, {"Init_thread", "Zbb"}, {"Is_thread_main", "i"},
    {"Query_thread", "b"}, {"Status_set_cancelled", "Si"}, {"Status_set_elements", "Shi"},
    {"Type_create_keyval", "h"}, {"Type_delete_attr", "hh"}, {"Type_dup", "hh"},
    {"Type_free_keyval", "h"}, {"Type_get_attr", "hhi"}, {"Type_get_contents", "iiihiiiIIH"},
    {"Type_get_envelope", "hiiib"}, {"Type_get_name", "hCi"}, {"Type_set_attr", "hh"},
    {"Type_set_name", "hC"}, {"Type_match_size", "bih"}, {"Win_call_errhandler", "hi"},
    {"Win_create_keyval", "h"}, {"Win_delete_attr", "hh"}, {"Win_free_keyval", "h"},
    {"Win_get_attr", "hhi"}, {"Win_get_name", "hCi"}, {"Win_set_attr", "hh"},
    {"Win_set_name", "hC"}, {"Alloc_mem", "ih"}, {"Comm_create_errhandler", "h"},
    {"Comm_get_errhandler", "hh"}, {"Comm_set_errhandler", "hh"},
    {"File_create_errhandler", "h"}, {"File_get_errhandler", "hh"},
    {"File_set_errhandler", "hh"}, {"Finalized", "i"}, {"Free_mem", ""}, {"Get_address", "i"},
    {"Info_create", "h"}, {"Info_delete", "hC"}, {"Info_dup", "hh"}, {"Info_free", "h"},
    {"Info_get", "hCiCi"}, {"Info_get_nkeys", "hi"}, {"Info_get_nthkey", "hiC"},
    {"Info_get_valuelen", "hCii"}, {"Info_set", "hCC"}, {"Pack_external", "Cihiii"},
    {"Pack_external_size", "Cihi"}, {"Request_get_status", "iiS"},
    {"Type_create_darray", "iiiIBIIbhh"}, {"Type_create_hindexed", "iIIhh"},
    {"Type_create_hvector", "iiihh"}, {"Type_create_indexed_block", "iiIhh"},
    {"Type_create_resized", "hiih"}, {"Type_create_struct", "iIIHh"},
    {"Type_create_subarray", "iIIIbhh"}, {"Type_get_extent", "hii"},
    {"Type_get_true_extent", "hii"}, {"Unpack_external", "Ciiiih"},
    {"Win_create_errhandler", "h"}, {"Win_get_errhandler", "hh"}, {"Win_set_errhandler", "hh"},
    {"File_open", "hCbhh"}, {"File_close", "h"}, {"File_delete", "Ch"}, {"File_set_size", "hq"},
    {"File_preallocate", "hq"}, {"File_get_size", "hq"}, {"File_get_group", "hh"},
    {"File_get_amode", "hb"}, {"File_set_info", "hh"}, {"File_get_info", "hh"},
    {"File_set_view", "hqhhCh"}, {"File_get_view", "hqhhC"}, {"File_read_at", "hqihS"},
    {"File_read_at_all", "hqihS"}, {"File_write_at", "hqihS"}, {"File_write_at_all", "hqihS"},
    {"File_iread_at", "hqihi"}, {"File_iwrite_at", "hqihi"}, {"File_read", "hihS"},
    {"File_read_all", "hihS"}, {"File_write", "hihS"}, {"File_write_all", "hihS"},
    {"File_iread", "hihi"}, {"File_iwrite", "hihi"}, {"File_seek", "hqb"},
    {"File_get_position", "hq"}, {"File_get_byte_offset", "hqq"}, {"File_read_shared", "hihS"},
    {"File_write_shared", "hihS"}, {"File_iread_shared", "hihi"},
    {"File_iwrite_shared", "hihi"}, {"File_read_ordered", "hihS"},
    {"File_write_ordered", "hihS"}, {"File_seek_shared", "hqb"},
    {"File_get_position_shared", "hq"}, {"File_read_at_all_begin", "hqih"},
    {"File_read_at_all_end", "hS"}, {"File_write_at_all_begin", "hqih"},
    {"File_write_at_all_end", "hS"}, {"File_read_all_begin", "hih"},
    {"File_read_all_end", "hS"}, {"File_write_all_begin", "hih"}, {"File_write_all_end", "hS"},
    {"File_read_ordered_begin", "hih"}, {"File_read_ordered_end", "hS"},
    {"File_write_ordered_begin", "hih"}, {"File_write_ordered_end", "hS"},
    {"File_get_type_extent", "hhi"}, {"Register_datarep", "C"}, {"File_set_atomicity", "hi"},
    {"File_get_atomicity", "hi"}, {"File_sync", "h"}, {"IO_Test", NULL}, {"IO_Wait", NULL},
    {"IO_Testall", NULL}, {"IO_Waitall", NULL}, {"IO_Testany", NULL}, {"IO_Waitany", NULL},
    {"IO_Waitsome", NULL}, {"IO_Testsome", NULL},
    {"all", NULL}, {"Function_enter", "q"}, {"Function_exit", "q"}};
/* clang-format on */
enum { FUNCTIONS = sizeof functions / sizeof *functions, END_OF_STREAM = FUNCTIONS };

static int damaged(const struct dumpi_file *d, const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: at byte %td: %s", d->path,
	               d->b.at - (unsigned char *)d->data, what);
}

/* --- lists --- */

static int number_add(struct dumpi_file *d, int64_t v, struct err *err)
{
	int64_t *all = vec_grow(d->numbers, &d->cap_numbers, sizeof *all, (size_t)d->n_numbers + 1,
	                        "arguments", err);

	if (!all)
		return -1;
	d->numbers = all;
	all[d->n_numbers++] = v;
	return 0;
}

static int64_t int_take(struct bytes *b)
{
	return (int32_t)bytes_take(b, 4);
}

static int64_t count_take(struct dumpi_file *d)
{
	int64_t n = int_take(&d->b);

	return n < 0 || n > d->b.end - d->b.at ? -1 : n;
}

/* Appends the items of a list; offset: where they begin. */
static int list_take(struct dumpi_file *d, unsigned size, uint32_t *offset, uint32_t *n,
                     struct err *err)
{
	int64_t items = count_take(d);

	if (items < 0)
		return damaged(d, "a list longer than the file", err);
	*offset = d->n_numbers;
	*n = (uint32_t)items;
	for (int64_t i = 0; i < items; i++) {
		uint64_t v = bytes_take(&d->b, size);

		if (number_add(d, size == 4 ? (int32_t)v : (int64_t)v, err) < 0)
			return -1;
	}
	return 0;
}

static int text_take(struct dumpi_file *d, struct dumpi_call *c, struct err *err)
{
	int64_t n = count_take(d);

	if (n < 0)
		return damaged(d, "a text longer than the file", err);
	if (!c->text) {
		c->text = (const char *)d->b.at;
		c->n_text = (uint32_t)n;
	}
	bytes_skip(&d->b, (uint64_t)n);
	return 0;
}

/* Lists of texts, `depth` deep. */
static int texts_take(struct dumpi_file *d, struct dumpi_call *c, int depth, struct err *err)
{
	int64_t n;

	if (depth == 0)
		return text_take(d, c, err);
	n = count_take(d);
	if (n < 0)
		return damaged(d, "a list longer than the file", err);
	while (n-- > 0)
		if (texts_take(d, c, depth - 1, err) < 0)
			return -1;
	return 0;
}

/* A list of lists becomes one list. */
static int ranges_take(struct dumpi_file *d, uint32_t *offset, uint32_t *n, struct err *err)
{
	int64_t rows = count_take(d);
	uint32_t at, in_row;

	if (rows < 0)
		return damaged(d, "a list longer than the file", err);
	*offset = d->n_numbers;
	while (rows-- > 0)
		if (list_take(d, 4, &at, &in_row, err) < 0)
			return -1;
	*n = d->n_numbers - *offset;
	return 0;
}

/* Is the file of version 0.6.PATCH or newer? */
static int since(const struct dumpi_file *d, int patch)
{
	const uint8_t *v = d->version;

	return v[0] > 0 || v[1] > 6 || (v[1] == 6 && v[2] >= patch);
}

/* A list that was one number before some version. */
static int list_since(struct dumpi_file *d, int patch, uint32_t *offset, uint32_t *n,
                      struct err *err)
{
	if (since(d, patch))
		return list_take(d, 4, offset, n, err);
	*offset = d->n_numbers;
	*n = 1;
	return number_add(d, int_take(&d->b), err);
}

static int statuses_take(struct dumpi_file *d, struct dumpi_call *c, struct err *err)
{
	int64_t n = count_take(d);
	struct dumpi_status *all;

	if (n < 0)
		return damaged(d, "more statuses than the file can hold", err);
	all = vec_grow(d->statuses, &d->cap_statuses, sizeof *all, (size_t)n + 1, "statuses", err);
	if (!all)
		return -1;
	d->statuses = all;
	for (int64_t i = 0; i < n; i++) {
		all[i].bytes = int_take(&d->b);
		all[i].source = (int32_t)int_take(&d->b);
		bytes_skip(&d->b, 2);
		all[i].tag = since(d, 3) ? (int32_t)int_take(&d->b) : -1; /* not told */
	}
	c->status = all;
	c->statuses = (uint32_t)n;
	return 0;
}

/* --- a record --- */

static int64_t clock_take(struct bytes *b)
{
	uint64_t s = bytes_take(b, 2), ns = bytes_take(b, 4);

	return (int64_t)(s * 1000000000 + ns);
}

static void prefix_take(struct dumpi_file *d, struct dumpi_call *c, unsigned mask)
{
	struct bytes *b = &d->b;
	unsigned n;

	if (mask & HAS_THREAD) {
		int thread = (int)bytes_take(b, 2);

		d->threads |= d->thread >= 0 && d->thread != thread;
		d->thread = thread;
	}
	for (int i = 0; i < 2; i++)
		c->cpu[i] = mask & HAS_CPU ? clock_take(b) : -1;
	for (int i = 0; i < 2; i++)
		c->wall[i] = mask & HAS_WALL ? clock_take(b) : -1;
	n = mask & HAS_COUNTERS ? (unsigned)bytes_take(b, 1) : 0;
	for (unsigned i = 0; i < n; i++) {
		int64_t in = (int64_t)bytes_take(b, 8), out = (int64_t)bytes_take(b, 8);

		if ((int)i == d->counter) {
			c->counted[0] = in;
			c->counted[1] = out;
			c->has_counted = 1;
		}
	}
}

struct places { /* of the call's lists, while they may still move */
	uint32_t at[DUMPI_ARRAYS], n[DUMPI_ARRAYS], lists, values;
	int64_t me, root;
};

static int value_add(struct dumpi_file *d, struct dumpi_call *c, struct places *p, int64_t v,
                     struct err *err)
{
	if (p->values == DUMPI_VALUES)
		return damaged(d, "a call with too many arguments", err);
	c->v[p->values++] = v;
	return 0;
}

static int init_take(struct dumpi_file *d, struct dumpi_call *c, struct err *err)
{
	int64_t n = count_take(d);

	if (n < 0)
		return damaged(d, "a list longer than the file", err);
	if (!since(d, 2))
		bytes_skip(&d->b, 4);
	while (n-- > 0)
		if (text_take(d, c, err) < 0)
			return -1;
	return 0;
}

static int argument_take(struct dumpi_file *d, struct dumpi_call *c, struct places *p, char letter,
                         unsigned mask, struct err *err)
{
	uint32_t k = p->lists;
	int64_t v;

	switch (letter) {
	case 'i':
	case 'm':
	case 'r':
		v = int_take(&d->b);
		p->me = letter == 'm' ? v : p->me;
		p->root = letter == 'r' ? v : p->root;
		return value_add(d, c, p, v, err);
	case 'h':
		return value_add(d, c, p, (int64_t)bytes_take(&d->b, 2), err);
	case 'b':
		return value_add(d, c, p, (int64_t)bytes_take(&d->b, 1), err);
	case 'q':
		return value_add(d, c, p, (int64_t)bytes_take(&d->b, 8), err);
	case 'I':
	case 'H':
	case 'B':
	case 'J':
	case 'K':
	case 'L':
		BUG_ON(k == DUMPI_ARRAYS);
		p->lists++;
		if (letter == 'K' || letter == 'L')
			return list_since(d, letter == 'K' ? 9 : 8, &p->at[k], &p->n[k], err);
		if (letter == 'J')
			return ranges_take(d, &p->at[k], &p->n[k], err);
		return list_take(d,
		                 letter == 'I'   ? 4
		                 : letter == 'H' ? 2
		                                 : 1,
		                 &p->at[k], &p->n[k], err);
	case 'S':
		return mask & HAS_STATUS ? statuses_take(d, c, err) : 0;
	case 'Z':
		return init_take(d, c, err);
	default:
		return texts_take(d, c, letter - 'C', err);
	}
}

static int arguments_take(struct dumpi_file *d, struct dumpi_call *c, const char *args,
                          unsigned mask, struct err *err)
{
	struct places p = {.root = -1};

	d->n_numbers = 0;
	for (; *args; args++) {
		if (*args == '(' && p.me != p.root)
			while (*args != ')')
				args++;
		if (*args == '(' || *args == ')')
			continue;
		if (argument_take(d, c, &p, *args, mask, err) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < p.lists; i++)
		c->a[i] = (struct dumpi_array){.at = p.n[i] ? d->numbers + p.at[i] : NULL,
		                               .n = p.n[i]};
	return 0;
}

int dumpi_next(struct dumpi_file *d, struct dumpi_call *c, struct err *err)
{
	uint64_t function;
	unsigned mask;

	if (d->b.at == d->b.end)
		return 0;
	function = bytes_take(&d->b, 2);
	if (function == END_OF_STREAM)
		return 0;
	memset(c, 0, sizeof *c);
	if (function >= FUNCTIONS || !functions[function].args)
		return damaged(
		    d,
		    function < FUNCTIONS
		        ? "a call whose arguments DUMPI's readers do not know (Pcontrol, "
		          "or requests of files)"
		        : "a number that is no function: the file is damaged, or of a newer DUMPI",
		    err);
	c->name = functions[function].name;
	mask = (unsigned)bytes_take(&d->b, 1);
	prefix_take(d, c, mask);
	if (arguments_take(d, c, functions[function].args, mask, err) < 0)
		return -1;
	return d->b.over ? damaged(d, "the file ends within a call", err) : 1;
}

/* --- a file --- */

/* Which counter counts instructions. */
static void labels_read(struct dumpi_file *d)
{
	struct bytes b = {.end = (unsigned char *)d->data + d->n, .big = 1};
	uint64_t n;

	d->counter = -1;
	if (d->labels_at == 0 || d->labels_at >= d->n)
		return;
	b.at = (unsigned char *)d->data + d->labels_at;
	n = bytes_take(&b, 4);
	for (uint64_t i = 0; i < n && i < 256 && !b.over; i++) {
		uint64_t length = bytes_take(&b, 2);

		if (length == 12 && b.end - b.at >= 12 && !memcmp(b.at, "PAPI_TOT_INS", 12))
			d->counter = (int)i;
		bytes_skip(&b, length);
	}
}

/* The index: magic, sizes, addresses, labels, header, body, footer, keyval, at the end of the file.
 * Before 0.6.6 there are no sizes, and before that no addresses, and no labels: *fields is 7 to 4.
 * NULL: there is none (a run that was killed). */
static const unsigned char *index_find(const struct dumpi_file *d, int *fields)
{
	for (size_t bytes = INDEX_BYTES; bytes >= INDEX_LEAST; bytes -= 8) {
		size_t before = bytes <= d->n ? d->n - bytes : d->n; /* a file that is shorter */
		struct bytes b = {.at = (unsigned char *)d->data + before,
		                  .end = (unsigned char *)d->data + d->n,
		                  .big = 1};

		*fields = (int)(bytes / 8) - 1;
		if (bytes_take(&b, 8) == MAGIC)
			return b.at;
	}
	return NULL;
}

/* Without an index the records are what is there. */
static void index_read(struct dumpi_file *d)
{
	const unsigned char *data = (unsigned char *)d->data;
	int fields;
	struct bytes b = {.at = index_find(d, &fields), .end = data + d->n, .big = 1};
	uint64_t header, body, footer, from;

	d->b = (struct bytes){.at = data + HEAD_BYTES, .end = data + d->n, .big = 1};
	memset(d->version, 255, sizeof d->version);
	if (!b.at)
		return;
	if (fields >= 7)
		d->sizes_at = bytes_take(&b, 8);
	if (fields >= 6)
		bytes_skip(&b, 8);
	if (fields >= 5)
		d->labels_at = bytes_take(&b, 8);
	header = bytes_take(&b, 8);
	body = bytes_take(&b, 8);
	footer = bytes_take(&b, 8);
	/* it begins with the offsets of the clocks, 8 bytes; body itself may be near 2^64 */
	if (body >= 8 && d->n > 8 && body < d->n - 8)
		d->b.at = data + body + 8;
	from = (uint64_t)(d->b.at - data);
	if (footer >= from && footer < d->n && footer < header)
		d->b.end = data + footer;
	if (header >= from && header < d->n && header + 3 <= d->n) {
		d->b.end = data + header;
		memcpy(d->version, data + header, 3);
	}
}

int dumpi_file_open(struct dumpi_file *d, const char *path, struct err *err)
{
	struct bytes b;

	memset(d, 0, sizeof *d);
	d->thread = -1;
	d->path = strdup(path);
	if (!d->path)
		return err_nomem(err, "a file name", strlen(path));
	d->data = input_read_all(path, &d->n, err);
	if (!d->data)
		return -1;
	b = (struct bytes){
	    .at = (unsigned char *)d->data, .end = (unsigned char *)d->data + d->n, .big = 1};
	if (d->n < HEAD_BYTES + INDEX_LEAST || bytes_take(&b, 8) != MAGIC)
		return err_set(err, ERR_INPUT, "%s: not a file of DUMPI", path);
	index_read(d);
	labels_read(d);
	return 0;
}

void dumpi_file_close(struct dumpi_file *d)
{
	free(d->path);
	free(d->data);
	free(d->numbers);
	free(d->statuses);
	memset(d, 0, sizeof *d);
}
