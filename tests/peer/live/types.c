/* types.c: random layouts of elements of a base type, their buffers, and what MPI says of them. */
#include "play.h"

MPI_Datatype base_any(struct rng *r)
{
	MPI_Datatype all[BASES] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_LONG};
	return all[rng_upto(r, BASES)];
}

static int divisor(struct rng *r, int n)
{
	int all[64], many = 0;
	for (int d = 1; d <= n && many < 64; d++)
		if (n % d == 0)
			all[many++] = d;
	return many ? all[rng_upto(r, many)] : 1;
}

/* lengths and places of pieces of n elements, with gaps; in order or not */
static int pieces(struct rng *r, int n, int *length, int *place, int most)
{
	int many = 0, at = rng_upto(r, 4) - 2;
	while (n > 0) {
		int take = many == most - 1 ? n : 1 + rng_upto(r, n);
		at += rng_upto(r, 3);
		length[many] = take;
		place[many++] = at;
		at += take;
		n -= take;
	}
	if (rng_coin(r))
		for (int i = 0; i < many / 2; i++) {
			int j = many - 1 - i, l = length[i], q = place[i];
			length[i] = length[j], place[i] = place[j];
			length[j] = l, place[j] = q;
		}
	return many;
}

static MPI_Datatype subarray(struct rng *r, MPI_Datatype base, int n)
{
	int b = divisor(r, n), sub[2] = {n / b, b}, size[2], start[2];
	for (int i = 0; i < 2; i++) {
		start[i] = rng_upto(r, 3);
		size[i] = sub[i] + start[i] + rng_upto(r, 2);
	}
	MPI_Datatype t;
	MPI_Type_create_subarray(2, size, sub, start, rng_coin(r) ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
	                         base, &t);
	return t;
}

static MPI_Datatype resized(struct rng *r, MPI_Datatype base, int n)
{
	MPI_Datatype inner, t;
	MPI_Aint lb, extent, of, unused;
	MPI_Type_get_extent(base, &unused, &of);
	MPI_Type_contiguous(n, base, &inner);
	MPI_Type_get_true_extent(inner, &lb, &extent);
	lb -= of * rng_upto(r, 3);
	MPI_Type_create_resized(inner, lb, extent + of * (2 + rng_upto(r, 3)), &t);
	MPI_Type_free(&inner);
	return t;
}

static MPI_Datatype of_pieces(struct rng *r, MPI_Datatype base, int n, int how)
{
	int length[8], place[8], many = pieces(r, n, length, place, 8);
	MPI_Aint at[8], of, unused;
	MPI_Datatype types[8], t;
	MPI_Type_get_extent(base, &unused, &of);
	for (int i = 0; i < many; i++) {
		at[i] = place[i] * of;
		types[i] = base;
	}
	if (how == 0)
		MPI_Type_indexed(many, length, place, base, &t);
	else if (how == 1)
		MPI_Type_create_hindexed(many, length, at, base, &t);
	else
		MPI_Type_create_struct(many, length, at, types, &t);
	return t;
}

static MPI_Datatype block(struct rng *r, MPI_Datatype base, int n)
{
	int b = divisor(r, n), many = n / b, *place = malloc(sizeof(int) * many);
	MPI_Datatype t;
	for (int i = 0, at = 0; i < many; i++) {
		at += rng_upto(r, 2);
		place[i] = at;
		at += b;
	}
	MPI_Type_create_indexed_block(many, b, place, base, &t);
	free(place);
	return t;
}

static MPI_Datatype vector(struct rng *r, MPI_Datatype base, int n)
{
	int b = divisor(r, n), stride = b + rng_upto(r, 3);
	MPI_Datatype t;
	int ni, na, nd, named; /* Open MPI 4.1.4 is wrong with others */
	MPI_Type_get_envelope(base, &ni, &na, &nd, &named);
	if (rng_upto(r, 3) == 0 && named == MPI_COMBINER_NAMED)
		stride = -stride - 1; /* Open MPI 4.1.4 is wrong without a gap */
	if (rng_coin(r)) {
		MPI_Type_vector(n / b, b, stride, base, &t);
	} else {
		MPI_Aint of, unused;
		MPI_Type_get_extent(base, &unused, &of);
		MPI_Type_create_hvector(n / b, b, stride * of, base, &t);
	}
	return t;
}

/* n > 0 elements of the base type in a random layout; not committed */
MPI_Datatype type_make(struct rng *r, MPI_Datatype base, int n, int depth)
{
	MPI_Datatype t, inner;
	switch (rng_upto(r, depth > 0 ? 10 : 8)) {
	case 0:
		MPI_Type_contiguous(n, base, &t);
		return t;
	case 1:
		return vector(r, base, n);
	case 2:
		return of_pieces(r, base, n, 0);
	case 3:
		return of_pieces(r, base, n, 1);
	case 4:
		return of_pieces(r, base, n, 2);
	case 5:
		return block(r, base, n);
	case 6:
		return subarray(r, base, n);
	case 7:
		return resized(r, base, n);
	default: {
		int d = divisor(r, n);
		inner = type_make(r, base, d, depth - 1);
		t = type_make(r, inner, n / d, depth - 1);
		MPI_Type_free(&inner);
		return t;
	}
	}
}

static void room(struct form *f, struct rng *data)
{
	MPI_Aint lb, extent, true_lb, true_extent, low, high;
	MPI_Type_get_extent(f->type, &lb, &extent);
	MPI_Type_get_true_extent(f->type, &true_lb, &true_extent);
	MPI_Aint last = f->count > 0 ? extent * (f->count - 1) : 0;
	low = last < 0 ? true_lb + last : true_lb;
	high = (last < 0 ? true_lb : true_lb + last) + true_extent;
	low = low < 0 ? low : 0;
	low -= 16, high += 16;
	low &= ~(MPI_Aint)15;
	f->bytes = high - low;
	f->memory = malloc(f->bytes);
	f->at = f->memory - low;
	for (size_t i = 0; i < f->bytes; i += 8) {
		uint64_t v = rng_next(data);
		memcpy(f->memory + i, &v, f->bytes - i < 8 ? f->bytes - i : 8);
	}
}

void form_plain(struct form *f, struct rng *data, MPI_Datatype base, int elements)
{
	*f = (struct form){base, elements, false, NULL, NULL, 0};
	room(f, data);
}

void form_make(struct form *f, struct rng *layout, struct rng *data, MPI_Datatype base,
               int elements)
{
	if (ON_SMPI || elements == 0 || rng_upto(layout, 3) == 0) {
		form_plain(f, data, base, elements);
		return;
	}
	int per = divisor(layout, elements);
	*f = (struct form){MPI_DATATYPE_NULL, elements / per, true, NULL, NULL, 0};
	f->type = type_make(layout, base, per, 2);
	MPI_Type_commit(&f->type);
	MPI_Aint lb, extent, size_lb, true_extent;
	MPI_Type_get_extent(f->type, &lb, &extent);
	MPI_Type_get_true_extent(f->type, &size_lb, &true_extent);
	if (f->count > 1 && (extent < true_extent)) { /* elements would lie over each other */
		MPI_Type_free(&f->type);
		*f = (struct form){MPI_DATATYPE_NULL, 1, true, NULL, NULL, 0};
		MPI_Type_contiguous(elements, base, &f->type);
		MPI_Type_commit(&f->type);
	}
	room(f, data);
}

void form_free(struct form *f)
{
	if (f->made)
		MPI_Type_free(&f->type);
	free(f->memory);
}

void play_form(struct play *p, const struct form *f)
{
	play_bytes(p, f->memory, f->bytes);
}

/* what the library says of types; pack and unpack */
void part_types(struct play *p)
{
	for (int i = 0; i < 4; i++) {
		struct form a, b;
		MPI_Datatype base = base_any(&p->own);
		int n = 1 + rng_upto(&p->own, 300), size, at = 0, room;
		form_make(&a, &p->own, &p->own, base, n);
		form_make(&b, &p->own, &p->own, base, n);
		MPI_Aint lb, extent;
		MPI_Type_get_extent(a.type, &lb, &extent);
		play_number(p, lb);
		play_number(p, extent);
		MPI_Type_get_true_extent(a.type, &lb, &extent);
		play_number(p, lb);
		play_number(p, extent);
		MPI_Type_size(a.type, &size);
		play_number(p, size);
		MPI_Pack_size(a.count, a.type, p->comm, &room);
		char *packed = malloc(room + 64);
		MPI_Pack(a.at, a.count, a.type, packed, room, &at, p->comm);
		play_number(p, at);
		play_bytes(p, packed, at);
		at = 0;
		MPI_Unpack(packed, room, &at, b.at, b.count, b.type, p->comm);
		play_form(p, &b);
		play_number(p, at);
		free(packed);
		MPI_Status s;
		MPI_Sendrecv(b.at, b.count, b.type, p->rank, 3, a.at, a.count, a.type, p->rank, 3,
		             p->comm, &s);
		play_form(p, &a);
		play_status(p, &s, a.type);
		form_free(&a);
		form_free(&b);
	}
}
