/* coll.c: collectives, blocking, non-blocking and persistent, in place or not, with counts per
 * rank, on topologies and intercommunicators; groups and attributes. */
#include "play.h"

/* A blocking, a non-blocking or a persistent call. */
enum { BLOCKING, NON_BLOCKING, PERSISTENT };
static int form_of(struct rng *r)
{
	return on_smpi ? BLOCKING : rng_upto(r, ON_MPICH ? 3 : 2);
}

static void finish(struct play *p, MPI_Request *r, int how)
{
	MPI_Status s;
	if (how == NON_BLOCKING)
		complete_all(p, r, &s, 1);
	if (how == PERSISTENT) {
		for (int i = 0; i < 2; i++) {
			MPI_Start(r);
			MPI_Wait(r, &s);
		}
		MPI_Request_free(r);
	}
}
#if ON_MPICH
#define CALL(NAME, ...) \
	(how == BLOCKING       ? MPI_##NAME(__VA_ARGS__, p->comm) \
	 : how == NON_BLOCKING ? MPI_I##NAME##_(__VA_ARGS__, p->comm, &request) \
	                       : MPI_##NAME##_init(__VA_ARGS__, p->comm, MPI_INFO_NULL, &request))
#else
#define CALL(NAME, ...) \
	(how == BLOCKING ? MPI_##NAME(__VA_ARGS__, p->comm) \
	                 : MPI_I##NAME##_(__VA_ARGS__, p->comm, &request))
#endif
#define MPI_IBcast_ MPI_Ibcast
#define MPI_IGather_ MPI_Igather
#define MPI_IScatter_ MPI_Iscatter
#define MPI_IAllgather_ MPI_Iallgather
#define MPI_IAlltoall_ MPI_Ialltoall
#define MPI_IGatherv_ MPI_Igatherv
#define MPI_IScatterv_ MPI_Iscatterv
#define MPI_IAllgatherv_ MPI_Iallgatherv
#define MPI_IAlltoallv_ MPI_Ialltoallv
#define MPI_IAlltoallw_ MPI_Ialltoallw
#define MPI_IReduce_ MPI_Ireduce
#define MPI_IAllreduce_ MPI_Iallreduce
#define MPI_IReduce_scatter_ MPI_Ireduce_scatter
#define MPI_IReduce_scatter_block_ MPI_Ireduce_scatter_block
#define MPI_IScan_ MPI_Iscan
#define MPI_IExscan_ MPI_Iexscan
#define MPI_INeighbor_allgather_ MPI_Ineighbor_allgather
#define MPI_INeighbor_allgatherv_ MPI_Ineighbor_allgatherv
#define MPI_INeighbor_alltoall_ MPI_Ineighbor_alltoall
#define MPI_INeighbor_alltoallv_ MPI_Ineighbor_alltoallv
#define MPI_INeighbor_alltoallw_ MPI_Ineighbor_alltoallw

static int few(struct rng *r)
{
	int n = play_size(r);
	return n > 8000 ? 8000 : n;
}

/* n blocks of one type, in order; the type's extent is that of its elements one after another */
static void blocks(struct form *f, struct rng *data, MPI_Datatype base, int elements, int n)
{
	form_plain(f, data, base, elements * n);
	f->count = elements;
}

/* a layout of each rank's own for its own block; blocks of all are plain */
void part_collective(struct play *p)
{
	struct rng *r = &p->shared;
	int kind = rng_upto(r, 6), how = form_of(r), root = rng_upto(r, p->n), n = few(r);
	bool here = rng_coin(r);
	MPI_Datatype base = base_any(r);
	MPI_Request request = MPI_REQUEST_NULL;
	struct form one, all, more;
	form_make(&one, &p->own, &p->own, base, n);
	blocks(&all, &p->own, base, n, p->n);
	blocks(&more, &p->own, base, n, p->n);
	bool at_root = p->rank == root && here;
	MPI_Aint lb, extent;
	if (how == PERSISTENT && (kind == 1 || kind == 2))
		how = BLOCKING; /* MPICH 4.0.2: an error of its own at the second start */
	switch (kind) {
	case 0:
		CALL(Bcast, all.at, n, base, root);
		break;
	case 1:
		if (at_root)
			CALL(Gather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.at, n, base, root);
		else
			CALL(Gather, one.at, one.count, one.type, all.at, n, base, root);
		break;
	case 2:
		if (at_root)
			CALL(Scatter, all.at, n, base, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root);
		else
			CALL(Scatter, all.at, n, base, one.at, one.count, one.type, root);
		break;
	case 3:
		if (here)
			CALL(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.at, n, base);
		else
			CALL(Allgather, one.at, one.count, one.type, all.at, n, base);
		break;
	case 4:
		if (here)
			CALL(Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.at, n, base);
		else
			CALL(Alltoall, more.at, n, base, all.at, n, base);
		break;
	default:
		if (how == NON_BLOCKING)
			MPI_Ibarrier(p->comm, &request);
		else
			MPI_Barrier(p->comm);
		if (how == PERSISTENT)
			how = BLOCKING;
	}
	finish(p, &request, how);
	play_form(p, &one);
	play_form(p, &all);
	form_free(&one);
	form_free(&all);
	form_free(&more);
}

/* what rank a sends rank b, in elements */
static int between(struct play *p, int a, int b)
{
	struct rng q = play_between(p, a, b);
	return rng_upto(&q, 4) == 0 ? 0 : rng_upto(&q, rng_coin(&q) ? 30 : 900);
}

static int spread(struct rng *r, int *count, int *at, int n)
{
	int end = 0;
	if (n == 1) { /* MPICH 4.0.2 passes over the place */
		at[0] = 0;
		return count[0];
	}
	for (int i = 0; i < n; i++) {
		end += rng_upto(r, 3);
		at[i] = end;
		end += count[i];
	}
	return end;
}

static void vector_w(struct play *p, int how, MPI_Datatype base)
{
	int n = p->n, *sc = malloc(sizeof(int) * 4 * n), *rc = sc + n, *sd = sc + 2 * n,
	    *rd = sc + 3 * n;
	MPI_Datatype *st = malloc(sizeof *st * 2 * n), *rt = st + n;
	struct form *out = malloc(sizeof *out * n), *in = malloc(sizeof *in * n);
	MPI_Request request = MPI_REQUEST_NULL;
	for (int k = 0; k < n; k++) {
		int to = between(p, p->rank, k), from = between(p, k, p->rank);
		form_make(&out[k], &p->own, &p->own, base, to);
		form_make(&in[k], &p->own, &p->own, base, from);
		sc[k] = out[k].count, rc[k] = in[k].count;
		st[k] = out[k].type, rt[k] = in[k].type;
	}
	/* one buffer each: copied together */
	size_t so = 0, ro = 0;
	for (int k = 0; k < n; k++) {
		so += (out[k].bytes + 15) / 16 * 16;
		ro += (in[k].bytes + 15) / 16 * 16;
	}
	char *s = malloc(so + 16), *d = malloc(ro + 16);
	memset(s, 0, so + 16);
	memset(d, 0, ro + 16);
	so = ro = 0;
	for (int k = 0; k < n; k++) {
		memcpy(s + so, out[k].memory, out[k].bytes);
		memcpy(d + ro, in[k].memory, in[k].bytes);
		sd[k] = (int)(so + (out[k].at - out[k].memory));
		rd[k] = (int)(ro + (in[k].at - in[k].memory));
		so += (out[k].bytes + 15) / 16 * 16;
		ro += (in[k].bytes + 15) / 16 * 16;
	}
	play_bytes(p, s, so);
	CALL(Alltoallw, s, sc, sd, st, d, rc, rd, rt);
	finish(p, &request, how);
	play_bytes(p, d, ro);
	for (int k = 0; k < n; k++) {
		form_free(&out[k]);
		form_free(&in[k]);
	}
	free(s);
	free(d);
	free(sc);
	free(st);
	free(out);
	free(in);
}

void part_vector(struct play *p)
{
	struct rng *r = &p->shared;
	int n = p->n, kind = rng_upto(r, 5), how = form_of(r), root = rng_upto(r, n);
	bool here = rng_coin(r);
	MPI_Datatype base = base_any(r);
	MPI_Request request = MPI_REQUEST_NULL;
	if (kind == 4 && n > 1) { /* alone Open MPI 4.1.4 leaves some layouts as they are */
		vector_w(p, how, base);
		return;
	}
	int *count = malloc(sizeof(int) * 4 * n), *at = count + n, *sc = count + 2 * n,
	    *sd = count + 3 * n;
	struct form one, all, more;
	for (int k = 0; k < n; k++) {
		count[k] = kind == 3 ? between(p, k, p->rank) : between(p, k, root);
		sc[k] = between(p, p->rank, k);
		if (kind == 3 && here) /* as much both ways */
			count[k] = between(p, k < p->rank ? k : p->rank, k < p->rank ? p->rank : k);
	}
	int end = spread(&p->own, count, at, n), to = spread(&p->own, sc, sd, n);
	form_make(&one, &p->own, &p->own, base, between(p, p->rank, root));
	form_plain(&all, &p->own, base, end);
	form_plain(&more, &p->own, base, to);
	bool at_root = p->rank == root && here;
	switch (kind) {
	case 0:
		if (at_root)
			CALL(Gatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.at, count, at, base,
			     root);
		else
			CALL(Gatherv, one.at, one.count, one.type, all.at, count, at, base, root);
		break;
	case 1:
		if (at_root)
			CALL(Scatterv, all.at, count, at, base, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL,
			     root);
		else
			CALL(Scatterv, all.at, count, at, base, one.at, one.count, one.type, root);
		break;
	case 2:
		if (here)
			CALL(Allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.at, count, at,
			     base);
		else
			CALL(Allgatherv, one.at, one.count, one.type, all.at, count, at, base);
		break;
	default:
		if (here)
			CALL(Alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, all.at, count,
			     at, base);
		else
			CALL(Alltoallv, more.at, sc, sd, base, all.at, count, at, base);
	}
	finish(p, &request, how);
	play_form(p, &one);
	play_form(p, &all);
	form_free(&one);
	form_free(&all);
	form_free(&more);
	free(count);
}

/* 2 x 2 matrices modulo a prime: associative, not commutative */
static void matrices(void *in, void *inout, int *n, MPI_Datatype *type)
{
	const int *a = in;
	int *b = inout;
	(void)type;
	for (int i = 0; i < *n; i++, a += 4, b += 4) {
		long long c[4] = {(long long)a[0] * b[0] + (long long)a[1] * b[2],
		                  (long long)a[0] * b[1] + (long long)a[1] * b[3],
		                  (long long)a[2] * b[0] + (long long)a[3] * b[2],
		                  (long long)a[2] * b[1] + (long long)a[3] * b[3]};
		for (int k = 0; k < 4; k++)
			b[k] = (int)(c[k] % 10007);
	}
}

static void longer(void *in, void *inout, int *n, MPI_Datatype *type)
{
	const int *a = in;
	int *b = inout;
	(void)type;
	for (int i = 0; i < *n; i++)
		b[i] = a[i] > b[i] ? a[i] : b[i];
}

struct reduction {
	MPI_Datatype type;
	MPI_Op op;
	bool made_op, made_type;
	int each; /* bytes */
	bool real;
};

static struct reduction reduction_of(struct rng *r)
{
	struct reduction d = {MPI_INT, MPI_SUM, false, false, 4, false};
	MPI_Op ints[] = {MPI_SUM, MPI_MAX,  MPI_MIN,  MPI_PROD, MPI_BAND,
	                 MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR,  MPI_LXOR};
	switch (rng_upto(r, 6)) {
	case 0:
		d.made_op = d.made_type = true;
		MPI_Type_contiguous(4, MPI_INT, &d.type);
		MPI_Type_commit(&d.type);
		MPI_Op_create(matrices, 0, &d.op);
		d.each = 16;
		break;
	case 1:
		d.made_op = true;
		MPI_Op_create(longer, 1, &d.op);
		break;
	case 2:
		d.type = MPI_2INT;
		d.op = rng_coin(r) ? MPI_MAXLOC : MPI_MINLOC;
		d.each = 8;
		break;
	case 3:
		d.type = MPI_DOUBLE;
		d.op = rng_coin(r) ? MPI_SUM : MPI_MAX;
		d.each = 8;
		d.real = true;
		break;
	default:
		d.op = ints[rng_upto(r, 10)];
	}
	return d;
}

static void values(struct play *p, const struct reduction *d, char *at, size_t n)
{
	for (size_t i = 0; i < n * d->each; i += d->real ? 8 : 4) {
		if (d->real) {
			double v = rng_upto(&p->own, 1000);
			memcpy(at + i, &v, 8);
		} else {
			int v = rng_upto(&p->own, 1000);
			memcpy(at + i, &v, 4);
		}
	}
}

void part_reduce(struct play *p)
{
	struct rng *r = &p->shared;
	int kind = rng_upto(r, 6), how = form_of(r), root = rng_upto(r, p->n), n = few(r);
	bool here = rng_coin(r);
	struct reduction d = reduction_of(r);
	MPI_Request request = MPI_REQUEST_NULL;
	int *counts = malloc(sizeof(int) * p->n), total = 0;
	for (int k = 0; k < p->n; k++) {
		counts[k] = kind == 3 ? n : rng_upto(r, 3) ? rng_upto(r, 300) : 0;
		total += counts[k];
	}
	if (kind != 2 && kind != 3)
		total = n;
	size_t room = (size_t)(total + 1) * d.each;
	char *in = malloc(room), *out = malloc(room);
	memset(in, 0, room);
	memset(out, 0, room);
	values(p, &d, in, total);
	values(p, &d, out, total);
	if (kind == 3 && how != BLOCKING && ON_SMPI)
		how = BLOCKING;
	here = here && how != PERSISTENT; /* a persistent one twice in place is another result: both
	                                     are right */
	void *from = here ? MPI_IN_PLACE : in;
	switch (kind) {
	case 0:
		if (here && p->rank != root)
			from = in;
		CALL(Reduce, from, out, n, d.type, d.op, root);
		break;
	case 1:
		CALL(Allreduce, from, out, n, d.type, d.op);
		break;
	case 2:
		CALL(Reduce_scatter, from, out, counts, d.type, d.op);
		break;
	case 3:
		CALL(Reduce_scatter_block, from, out, n, d.type, d.op);
		break;
	case 4:
		CALL(Scan, from, out, n, d.type, d.op);
		break;
	default:
		CALL(Exscan, from, out, n, d.type, d.op);
	}
	finish(p, &request, how);
	size_t said = room; /* in place a scattered result leaves the rest undefined */
	if (here && kind == 2)
		said = (size_t)counts[p->rank] * d.each;
	if (here && kind == 3)
		said = (size_t)n * d.each;
	if (kind == 0 && p->rank != root)
		said = 0;
	if (kind == 5 && p->rank == 0)
		said = 0;
	play_bytes(p, out, said);
	if (!ON_SMPI) {
		MPI_Reduce_local(in, out, n < total ? n : total, d.type, d.op);
		int commutes = 0;
		MPI_Op_commutative(d.op, &commutes);
		play_number(p, commutes);
		play_bytes(p, out, said < (size_t)d.each * n ? said : (size_t)d.each * n);
	}
	if (d.made_op)
		MPI_Op_free(&d.op);
	if (d.made_type)
		MPI_Type_free(&d.type);
	free(in);
	free(out);
	free(counts);
}

/* Several collectives under way at once, with messages between. */
void part_many_colls(struct play *p)
{
	int many = 2 + rng_upto(&p->shared, 4), n = few(&p->shared);
	MPI_Request r[8];
	MPI_Status s[8];
	struct form a[6], b[6];
	for (int i = 0; i < many; i++) {
		blocks(&a[i], &p->own, MPI_INT, n, p->n);
		blocks(&b[i], &p->own, MPI_INT, n, p->n);
		int kind = rng_upto(&p->shared, 5);
		switch (kind) {
		case 0:
			MPI_Ibcast(b[i].at, n, MPI_INT, i % p->n, p->comm, &r[i]);
			break;
		case 1:
			MPI_Iallreduce(a[i].at, b[i].at, n, MPI_INT, MPI_BXOR, p->comm, &r[i]);
			break;
		case 2:
			MPI_Iallgather(a[i].at, n, MPI_INT, b[i].at, n, MPI_INT, p->comm, &r[i]);
			break;
		case 3:
			MPI_Ialltoall(a[i].at, n, MPI_INT, b[i].at, n, MPI_INT, p->comm, &r[i]);
			break;
		default:
			MPI_Ibarrier(p->comm, &r[i]);
			break;
		}
	}
	int x[2] = {p->rank, -1};
	MPI_Irecv(&x[1], 1, MPI_INT, (p->rank + 1) % p->n, 1, p->comm, &r[many]);
	MPI_Isend(&x[0], 1, MPI_INT, (p->rank + p->n - 1) % p->n, 1, p->comm, &r[many + 1]);
	complete_all(p, r, s, many + 2);
	play_number(p, x[1]);
	for (int i = 0; i < many; i++) {
		play_form(p, &b[i]);
		form_free(&a[i]);
		form_free(&b[i]);
	}
}

static void neighbours(struct play *p, int in, int out)
{
	struct rng *r = &p->shared;
	int kind = rng_upto(r, 5), how = form_of(r), n = 1 + rng_upto(r, 200);
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Datatype base = base_any(r);
	struct form a, b;
	int most = in > out ? in : out;
	form_plain(&a, &p->own, base, n * (most + 1));
	form_plain(&b, &p->own, base, n * (most + 1));
	int *c = malloc(sizeof(int) * 4 * (most + 1)), *d = c + most + 1, *e = d + most + 1;
	MPI_Aint *q = malloc(sizeof *q * (most + 1)), lb, extent;
	MPI_Datatype *t = malloc(sizeof *t * (most + 1));
	MPI_Type_get_extent(base, &lb, &extent);
	for (int i = 0; i <= most; i++) {
		c[i] = n;
		d[i] = i * n;
		e[i] = (most - i) * n;
		q[i] = i * n * extent;
		t[i] = base;
	}
	switch (kind) {
	case 0:
		CALL(Neighbor_allgather, a.at, n, base, b.at, n, base);
		break;
	case 1:
		CALL(Neighbor_allgatherv, a.at, n, base, b.at, c, e, base);
		break;
	case 2:
		CALL(Neighbor_alltoall, a.at, n, base, b.at, n, base);
		break;
	case 3:
		CALL(Neighbor_alltoallv, a.at, c, e, base, b.at, c, d, base);
		break;
	default:
		CALL(Neighbor_alltoallw, a.at, c, q, t, b.at, c, q, t);
	}
	finish(p, &request, how);
	play_form(p, &b);
	form_free(&a);
	form_free(&b);
	free(c);
	free(q);
	free(t);
}

static void on_graph(struct play *p)
{
	/* who sends to whom, by turns: from each rank to the (rank + k)-th for some k */
	int many = 1 + rng_upto(&p->shared, p->n < 3 ? p->n : 3), src[4], dst[4], w[4];
	int start = rng_upto(&p->shared, p->n);
	for (int i = 0; i < many; i++) {
		int k = (start + i) % p->n; /* each once */
		dst[i] = (p->rank + k) % p->n;
		src[i] = (p->rank + p->n - k) % p->n;
		w[i] = 1 + i;
	}
	MPI_Comm old = p->comm, c;
	bool adjacent = rng_coin(&p->shared);
	if (adjacent) {
		MPI_Dist_graph_create_adjacent(old, many, src, w, many, dst, w, MPI_INFO_NULL, 0,
		                               &c);
	} else {
		MPI_Dist_graph_create(old, 1, &p->rank, &many, dst, w, MPI_INFO_NULL, 0, &c);
	}
	int in, out, weighted, s[8], sw[8], d[8], dw[8];
	MPI_Dist_graph_neighbors_count(c, &in, &out, &weighted);
	MPI_Dist_graph_neighbors(c, in, s, sw, out, d, dw);
	play_number(p, in * 100 + out * 10 + weighted);
	long long sums = 0;
	for (int i = 0; i < in; i++)
		sums += (s[i] + 1) * sw[i];
	for (int i = 0; i < out; i++)
		sums += 1000 * (d[i] + 1) * dw[i];
	play_number(p, sums);
	p->comm = c;
	if (adjacent) /* else the order is the library's */
		neighbours(p, in, out);
	p->comm = old;
	MPI_Comm_free(&c);
}

static void on_cart(struct play *p)
{
	int dims[3] = {0}, periods[3], nd = 1 + rng_upto(&p->shared, 3), coords[3], me;
	MPI_Dims_create(p->n, nd, dims);
	for (int i = 0; i < nd; i++)
		periods[i] = rng_coin(&p->shared) && dims[i] > 2; /* else libraries differ */
	MPI_Comm old = p->comm, c, sub;
	MPI_Cart_create(old, nd, dims, periods, 0, &c);
	MPI_Comm_rank(c, &me);
	MPI_Cart_coords(c, me, nd, coords);
	for (int i = 0; i < nd; i++) {
		int a, b;
		MPI_Cart_shift(c, i, 1 + rng_upto(&p->shared, 2), &a, &b);
		play_number(p, a * 1000 + b);
		play_number(p, coords[i]);
	}
	p->comm = c;
	if (!ON_SMPI)
		neighbours(p, 2 * nd, 2 * nd);
	p->comm = old;
	int keep[3] = {1, 0, 1}, size;
	MPI_Cart_sub(c, keep, &sub);
	MPI_Comm_size(sub, &size);
	MPI_Comm_rank(sub, &me);
	play_number(p, size * 100 + me);
	MPI_Allreduce(&me, &size, 1, MPI_INT, MPI_SUM, sub);
	play_number(p, size);
	MPI_Comm_free(&sub);
	MPI_Comm_free(&c);
}

static void on_old_graph(struct play *p)
{
	int n = p->n, *index = malloc(sizeof(int) * n), *edges = malloc(sizeof(int) * 2 * n), k = 0;
	for (int i = 0; i < n; i++) { /* a ring: symmetrical */
		edges[k++] = (i + 1) % n;
		edges[k++] = (i + n - 1) % n;
		index[i] = k;
	}
	MPI_Comm old = p->comm, c;
	MPI_Graph_create(old, n, index, edges, 0, &c);
	int many;
	MPI_Graph_neighbors_count(c, p->rank, &many);
	play_number(p, many);
	p->comm = c;
	neighbours(p, many, many);
	p->comm = old;
	MPI_Comm_free(&c);
	free(index);
	free(edges);
}

void part_neighbour(struct play *p)
{
	switch (rng_upto(&p->shared, 3)) {
	case 0:
		on_cart(p);
		break;
	case 1:
		if (!ON_SMPI) {
			on_graph(p);
			break;
		} /* fall through */
	default:
		if (!ON_SMPI && p->n > 2)
			on_old_graph(p);
	}
}

/* Collectives between two groups, and messages. */
void part_inter(struct play *p)
{
	if (p->n < 2 || ON_SMPI)
		return;
	int half = 1 + rng_upto(&p->shared, p->n - 1), mine = p->rank >= half;
	MPI_Comm part, inter, merged;
	MPI_Comm_split(p->comm, mine, p->rank, &part);
	MPI_Intercomm_create(part, 0, p->comm, mine ? 0 : half, 5, &inter);
	int there, me, size;
	MPI_Comm_remote_size(inter, &there);
	MPI_Comm_rank(inter, &me);
	int n = 1 + rng_upto(&p->shared, 3000), root = 0, *c = malloc(sizeof(int) * p->n),
	    *d = malloc(sizeof(int) * p->n);
	struct form a, b;
	blocks(&a, &p->own, MPI_INT, n, p->n);
	blocks(&b, &p->own, MPI_INT, n, p->n);
	for (int i = 0; i < p->n; i++) {
		c[i] = n;
		d[i] = i * n;
	}
	for (int k = 0; k < 3; k++) {
		bool from_first = rng_coin(&p->shared), non = rng_coin(&p->shared);
		MPI_Request r = MPI_REQUEST_NULL;
		bool source = from_first != mine;
		root = !source ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL;
		switch (rng_upto(&p->shared, 9)) {
		case 0:
			non ? MPI_Ibarrier(inter, &r) : MPI_Barrier(inter);
			break;
		case 1:
			non ? MPI_Ibcast(b.at, n, MPI_INT, root, inter, &r)
			    : MPI_Bcast(b.at, n, MPI_INT, root, inter);
			break;
		case 2:
			non ? MPI_Iallreduce(a.at, b.at, n, MPI_INT, MPI_BXOR, inter, &r)
			    : MPI_Allreduce(a.at, b.at, n, MPI_INT, MPI_BXOR, inter);
			break;
		case 3:
			non ? MPI_Iallgather(a.at, n, MPI_INT, b.at, n, MPI_INT, inter, &r)
			    : MPI_Allgather(a.at, n, MPI_INT, b.at, n, MPI_INT, inter);
			break;
		case 4:
			non ? MPI_Ialltoall(a.at, n, MPI_INT, b.at, n, MPI_INT, inter, &r)
			    : MPI_Alltoall(a.at, n, MPI_INT, b.at, n, MPI_INT, inter);
			break;
		case 5:
			MPI_Alltoallv(a.at, c, d, MPI_INT, b.at, c, d, MPI_INT, inter);
			break;
		case 6:
			MPI_Gather(a.at, n, MPI_INT, b.at, n, MPI_INT, root, inter);
			break;
		case 7:
			MPI_Reduce(a.at, b.at, n, MPI_INT, MPI_SUM, root, inter);
			break;
		default:
			MPI_Scatter(a.at, n, MPI_INT, b.at, n, MPI_INT, root, inter);
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		play_form(p, &b);
	}
	MPI_Status s;
	if (me < there && me < p->n - there) { /* its like on the other side */
		MPI_Sendrecv(a.at, n, MPI_INT, me, 1, b.at, n, MPI_INT, me, 1, inter, &s);
		play_status(p, &s, MPI_INT);
	}
	play_form(p, &b);
	MPI_Intercomm_merge(inter, rng_coin(&p->shared) == mine, &merged);
	MPI_Comm_rank(merged, &me);
	MPI_Comm_size(merged, &size);
	play_number(p, me * 100 + size);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&part);
	form_free(&a);
	form_free(&b);
	free(c);
	free(d);
}

static int copied(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	(void)c, (void)key, (void)extra;
	*(void **)out = (char *)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

/* Groups, attributes, infos, comparisons. */
void part_groups(struct play *p)
{
	MPI_Group all, some, both;
	int *order = malloc(sizeof(int) * p->n), many = 1 + rng_upto(&p->shared, p->n), x;
	ranks_shuffled(&p->shared, order, p->n);
	MPI_Comm_group(p->comm, &all);
	MPI_Group_incl(all, many, order, &some);
	MPI_Group_union(some, all, &both);
	MPI_Group_rank(both, &x);
	play_number(p, x);
	MPI_Group_compare(all, both, &x);
	play_number(p, x == MPI_IDENT ? 0 : x == MPI_SIMILAR ? 1 : 2);
	MPI_Group_free(&both);
	MPI_Group_difference(all, some, &both);
	MPI_Group_size(both, &x);
	play_number(p, x);
	MPI_Group_free(&both);
	MPI_Comm c;
	if (rng_coin(&p->shared))
		MPI_Comm_create(p->comm, some, &c);
	else if (MPI_Group_rank(some, &x), x != MPI_UNDEFINED)
		MPI_Comm_create_group(p->comm, some, 3, &c);
	else
		c = MPI_COMM_NULL;
	if (c != MPI_COMM_NULL) {
		int me, sum;
		MPI_Comm_rank(c, &me);
		MPI_Allreduce(&p->rank, &sum, 1, MPI_INT, MPI_SUM, c);
		play_number(p, me * 100 + sum);
		MPI_Comm_compare(c, p->comm, &x);
		play_number(p, x == MPI_CONGRUENT ? 0 : x == MPI_SIMILAR ? 1 : 2);
		MPI_Comm_free(&c);
	}
	MPI_Group_free(&some);
	MPI_Group_free(&all);
	int key, flag;
	char *value = (char *)0 + 40;
	MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(p->comm, key, value);
	if (ON_SMPI || rng_coin(&p->shared)) {
		MPI_Comm_dup(p->comm, &c);
	} else {
		MPI_Request r;
		MPI_Comm_idup(p->comm, &c, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Comm_get_attr(c, key, &value, &flag);
	play_number(p, flag ? value - (char *)0 : -1);
	MPI_Comm_delete_attr(p->comm, key);
	MPI_Comm_free_keyval(&key);
	MPI_Bcast(&x, 1, MPI_INT, 0, c);
	MPI_Comm_free(&c);
	free(order);
}
