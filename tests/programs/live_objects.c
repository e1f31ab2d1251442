/* live_objects.c: datatypes and operators at random, alike for every MPI: what is printed must be
 * the same under a real MPI and in the simulation. Arguments: how many types, seed. */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint32_t draw(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static uint64_t hash(const void *p, size_t n)
{
	const unsigned char *c = p;
	uint64_t h = 1469598103934665603u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ c[i]) * 1099511628211u;
	return h;
}

enum { ROOM = 1 << 18, MOST = 4 };
static unsigned char memory[2 * ROOM], packed[ROOM];

static MPI_Datatype basic(void)
{
	/* Without pairs: MPICH rounds the extent of some structs of them, and of others not. */
	const MPI_Datatype all[] = {MPI_CHAR,  MPI_SHORT,  MPI_INT,    MPI_LONG,
	                            MPI_FLOAT, MPI_DOUBLE, MPI_INT8_T, MPI_BYTE};
	return all[draw(sizeof all / sizeof all[0])];
}

static MPI_Datatype array(MPI_Datatype old)
{
	MPI_Datatype t;
	int sizes[3], sub[3], starts[3], kinds[3], args[3], grid[3], n = 1 + (int)draw(3);
	int order = draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, ranks = 1;
	for (int i = 0; i < n; i++) {
		sizes[i] = 1 + (int)draw(5);
		sub[i] = 1 + (int)draw((uint32_t)sizes[i]);
		starts[i] = (int)draw((uint32_t)(sizes[i] - sub[i] + 1));
		kinds[i] = draw(2) ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK;
		args[i] = kinds[i] == MPI_DISTRIBUTE_CYCLIC && draw(2) ? 1 + (int)draw(2)
		                                                       : MPI_DISTRIBUTE_DFLT_DARG;
		grid[i] = 1 + (int)draw(2);
		ranks *= grid[i];
	}
	if (draw(2))
		MPI_Type_create_subarray(n, sizes, sub, starts, order, old, &t);
	else
		MPI_Type_create_darray(ranks, (int)draw((uint32_t)ranks), n, sizes, kinds, args,
		                       grid, order, old, &t);
	return t;
}

static MPI_Datatype resized(MPI_Datatype old)
{
	MPI_Aint lb, extent;
	MPI_Datatype t;
	int size;
	MPI_Type_get_extent(old, &lb, &extent);
	MPI_Type_size(old, &size);
	extent = size ? extent : 0;
	MPI_Aint from = (MPI_Aint)draw(20) - 8;
	MPI_Type_create_resized(old, from, extent + (MPI_Aint)draw(20), &t);
	return t;
}

static MPI_Datatype make(int depth, int outer)
{
	if (depth == 0)
		return basic();
	MPI_Datatype old = make(depth - 1, 0), t, types[MOST];
	int lengths[MOST], disps[MOST], n = (int)draw(MOST + 1), block = (int)draw(3);
	MPI_Aint bytes[MOST];
	for (int i = 0; i < MOST; i++) {
		lengths[i] = (int)draw(3);
		disps[i] = (int)draw(9) - 2;
		bytes[i] = (MPI_Aint)draw(100) - 20;
		types[i] = i ? basic() : old;
	}
	/* MPICH forgets explicit bounds of inner types, which the standard (5.1.6) and Open MPI
	 * keep. */
	switch (draw(outer ? 11 : 8)) {
	case 0:
		MPI_Type_contiguous(n, old, &t);
		break;
	case 1:
		MPI_Type_vector(n, block, (int)draw(7) - 2, old, &t);
		break;
	case 2:
		MPI_Type_create_hvector(n, block, (MPI_Aint)draw(60) - 10, old, &t);
		break;
	case 3:
		MPI_Type_indexed(n, lengths, disps, old, &t);
		break;
	case 4:
		MPI_Type_create_hindexed(n, lengths, bytes, old, &t);
		break;
	case 5:
		MPI_Type_create_indexed_block(n, block, disps, old, &t);
		break;
	case 6:
		MPI_Type_create_hindexed_block(n, block, bytes, old, &t);
		break;
	case 7: /* of several types: MPICH rounds not all structs of one */
		types[1] = MPI_CHAR;
		types[2] = MPI_DOUBLE;
		MPI_Type_create_struct(n < 3 ? 3 : n, lengths, bytes, types, &t);
		break;
	case 8:
		t = resized(old);
		break;
	case 9:
		MPI_Type_dup(old, &t);
		break;
	default:
		t = array(old);
	}
	if (depth > 1)
		MPI_Type_free(&old);
	MPI_Type_size(t, &block);
	if (block > 0 || outer)
		return t;
	MPI_Type_free(&t); /* nothing within something: MPICH divides by its size */
	MPI_Type_dup(MPI_SHORT, &t);
	return t;
}

static void show_contents(MPI_Datatype t)
{
	int n_ints, n_addresses, n_types, combiner, ints[64];
	MPI_Aint addresses[64];
	MPI_Datatype types[64];
	MPI_Type_get_envelope(t, &n_ints, &n_addresses, &n_types, &combiner);
	MPI_Type_get_contents(t, n_ints, n_addresses, n_types, ints, addresses, types);
	printf(" | %d: %016llx %016llx %d", combiner,
	       (unsigned long long)hash(ints, (size_t)n_ints * sizeof *ints),
	       (unsigned long long)hash(addresses, (size_t)n_addresses * sizeof *addresses),
	       n_types);
	for (int i = 0; i < n_types; i++) {
		int a, b, c, inner;
		MPI_Type_get_envelope(types[i], &a, &b, &c, &inner);
		printf(" %d", inner);
		if (inner != MPI_COMBINER_NAMED)
			MPI_Type_free(&types[i]);
	}
}

static int is_darray(MPI_Datatype t)
{
	int a, b, c, combiner;
	MPI_Type_get_envelope(t, &a, &b, &c, &combiner);
	return combiner == MPI_COMBINER_DARRAY;
}

static void show(int number, MPI_Datatype t)
{
	int size, position = 0;
	MPI_Aint lb, extent, true_lb, true_extent;
	MPI_Type_commit(&t);
	MPI_Type_size(t, &size);
	MPI_Type_get_extent(t, &lb, &extent);
	MPI_Type_get_true_extent(t, &true_lb, &true_extent);
	printf("%d: %d", number, size);
	if (size > 0) /* of nothing the standard does not say where it is */
		printf(" %ld %ld", (long)lb, (long)extent);
	if (size > 0 &&
	    !is_darray(t)) /* MPICH 4.0 says 8 to 79 where the only bytes are 77 and 78 */
		printf(" %ld %ld", (long)true_lb, (long)true_extent);
	int64_t low = true_lb, high = true_lb + true_extent;
	int fits = low > -ROOM / 4 && high < ROOM / 4 && labs((long)extent) < ROOM / 4;
	if (size > 0 && fits && 2 * size < ROOM) {
		MPI_Pack(memory + ROOM, 2, t, packed, ROOM, &position, MPI_COMM_SELF);
		printf(" = %d %016llx", position,
		       (unsigned long long)hash(packed, (size_t)position));
	}
	show_contents(t);
	printf("\n");
	MPI_Type_free(&t);
}

/* --- operators --- */

static void reduce(const char *name, MPI_Datatype t, int size, int is_real, MPI_Op op)
{
	_Alignas(16) unsigned char in[256], inout[256];
	double x[32];
	for (int i = 0; i < 256; i++) {
		in[i] = (unsigned char)draw(256);
		inout[i] = (unsigned char)draw(256);
	}
	for (int i = 0; is_real && i < 32; i++) {
		x[i] = (double)draw(1000) / 8 - 50;
		float f = (float)x[i];
		for (unsigned char *to = in; to; to = to == in ? inout : NULL)
			if (is_real == 1 && i < 32)
				memcpy(to + 4 * i, &f, 4);
			else if (is_real == 2)
				memcpy(to + 8 * i, &x[i], 8);
	}
	MPI_Reduce_local(in, inout, 256 / size / 2, t, op);
	printf("%s %016llx\n", name,
	       (unsigned long long)hash(inout, (size_t)(256 / size / 2 * size)));
}

static void operators(void)
{
	static const struct {
		const char *name;
		int size, real;
	} kind[] = {{"int8", 1, 0},  {"int16", 2, 0},  {"int32", 4, 0},  {"int64", 8, 0},
	            {"uint8", 1, 0}, {"uint16", 2, 0}, {"uint32", 4, 0}, {"long", 8, 0},
	            {"float", 4, 1}, {"double", 8, 2}};
	const MPI_Datatype type[] = {MPI_INT8_T,  MPI_INT16_T,  MPI_INT32_T,  MPI_INT64_T,
	                             MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_LONG,
	                             MPI_FLOAT,   MPI_DOUBLE};
	const MPI_Op op[] = {MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_BAND,
	                     MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
	for (int i = 0; i < 10; i++)
		for (int k = 0; k < (kind[i].real ? 4 : 10); k++)
			if (kind[i].name[0] != 'u' ||
			    (op[k] != MPI_MIN && op[k] != MPI_MAX)) /* MPICH 4.0: signed */
				reduce(kind[i].name, type[i], kind[i].size, kind[i].real, op[k]);
	reduce("2int min", MPI_2INT, 8, 0, MPI_MINLOC);
	reduce("2int max", MPI_2INT, 8, 0, MPI_MAXLOC);
	reduce("short_int max", MPI_SHORT_INT, 8, 0, MPI_MAXLOC);
	reduce("byte xor", MPI_BYTE, 1, 0, MPI_BXOR);
	reduce("complex", MPI_C_FLOAT_COMPLEX, 8, 1, MPI_SUM);
	reduce("complex", MPI_C_FLOAT_COMPLEX, 8, 1, MPI_PROD);
}

/* --- external32 --- */

static void external(void)
{
	const MPI_Datatype type[] = {MPI_CHAR,      MPI_SHORT, MPI_INT,
	                             MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE};
	for (int i = 0; i < 6; i++) {
		MPI_Aint size, position = 0;
		MPI_Datatype t;
		MPI_Type_vector(3, 2, 4, type[i], &t);
		MPI_Type_commit(&t);
		MPI_Pack_external_size("external32", 2, t, &size);
		MPI_Pack_external("external32", memory + ROOM, 2, t, packed, ROOM, &position);
		printf("external %ld %ld %016llx\n", (long)size, (long)position,
		       (unsigned long long)hash(packed, (size_t)position));
		MPI_Type_free(&t);
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int types = argc > 1 ? atoi(argv[1]) : 100;
	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (int i = 0; i < 2 * ROOM; i++)
		memory[i] = (unsigned char)(i * 7 + i / 251);
	for (int i = 0; i < types; i++)
		show(i, make(1 + (int)draw(3), 1));
	operators();
	external();
	MPI_Finalize();
	return 0;
}
