/* rma.c: one-sided operations. A rank touches a region of each window that is its own, so that the
 * order of ranks does not matter. */
#include "play.h"

enum { EACH = 512 }; /* ints that each rank owns in each window */

struct window {
	MPI_Win win;
	int *base;
	int unit; /* displacement unit */
	bool ours;
};

static void window_make(struct play *p, struct window *w)
{
	MPI_Aint bytes = (MPI_Aint)p->n * EACH * sizeof(int);
	w->unit = rng_coin(&p->shared) ? 1 : 4;
	w->ours = rng_coin(&p->shared);
	if (w->ours) {
		w->base = malloc(bytes);
		MPI_Win_create(w->base, bytes, w->unit, MPI_INFO_NULL, p->comm, &w->win);
	} else {
		MPI_Win_allocate(bytes, w->unit, MPI_INFO_NULL, p->comm, &w->base, &w->win);
	}
	for (int i = 0; i < p->n * EACH; i++)
		w->base[i] = rng_upto(&p->own, 1000);
	MPI_Barrier(p->comm);
}

static void window_end(struct play *p, struct window *w)
{
	play_bytes(p, w->base, (size_t)p->n * EACH * sizeof(int));
	MPI_Win_free(&w->win);
	if (w->ours)
		free(w->base);
}

static MPI_Aint place(const struct window *w, int ints)
{
	return (MPI_Aint)ints * 4 / w->unit;
}

/* A part of this rank's own region of the target: nobody else touches it. */
static void access_own(struct play *p, struct window *w, int target, int *got, MPI_Request *r,
                       int *many)
{
	struct rng *o = &p->own;
	int n = 1 + rng_upto(o, EACH / 2), at = p->rank * EACH + rng_upto(o, EACH / 2);
	static int from[EACH];
	MPI_Datatype t = MPI_INT;
	int count = n;
	if (n > 4 && rng_upto(o, 3) == 0) {
		count = 1;
		MPI_Type_vector(n / 4, 2, 4, MPI_INT, &t);
		MPI_Type_commit(&t);
	}
	int size;
	MPI_Type_size(t, &size);
	size = size * count / 4;
	for (int i = 0; i < EACH; i++)
		from[i] = i * 7 + p->rank;
	switch (rng_upto(o, r ? 6 : 3)) {
	case 0:
		MPI_Put(from, size, MPI_INT, target, place(w, at), count, t, w->win);
		break;
	case 1:
		MPI_Get(got, size, MPI_INT, target, place(w, at), count, t, w->win);
		break;
	case 2:
		MPI_Accumulate(from, size, MPI_INT, target, place(w, at), count, t,
		               rng_coin(o) ? MPI_SUM : MPI_REPLACE, w->win);
		break;
	case 3:
		MPI_Rput(from, size, MPI_INT, target, place(w, at), count, t, w->win,
		         &r[(*many)++]);
		break;
	case 4:
		MPI_Rget(got, size, MPI_INT, target, place(w, at), count, t, w->win, &r[(*many)++]);
		break;
	default:
		MPI_Raccumulate(from, size, MPI_INT, target, place(w, at), count, t, MPI_BXOR,
		                w->win, &r[(*many)++]);
	}
	if (t != MPI_INT)
		MPI_Type_free(&t);
}

void part_fence(struct play *p)
{
	struct window w;
	window_make(p, &w);
	int *got = calloc(EACH * 4, sizeof(int)), rounds = 1 + rng_upto(&p->shared, 3);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
	for (int k = 0; k < rounds; k++) {
		int many = rng_upto(&p->own, 4);
		for (int i = 0, last = -1; i < many && i < 2; i++) {
			int to = rng_upto(&p->own, p->n);
			if (to == last) /* one access of a region in an epoch */
				break;
			last = to;
			access_own(p, &w, to, got + i * EACH, NULL, NULL);
		}
		MPI_Win_fence(k == rounds - 1 ? MPI_MODE_NOSUCCEED : 0, w.win);
		play_bytes(p, got, EACH * 4 * sizeof(int));
	}
	MPI_Barrier(p->comm);
	window_end(p, &w);
	free(got);
}

void part_pscw(struct play *p)
{
	struct window w;
	window_make(p, &w);
	MPI_Group all, to, from;
	int many = 1 + rng_upto(&p->shared, p->n), *a = malloc(sizeof(int) * 2 * p->n),
	    *b = a + p->n;
	for (int i = 0; i < many; i++) {
		a[i] = (p->rank + i) % p->n;
		b[i] = (p->rank + p->n - i) % p->n;
	}
	MPI_Comm_group(p->comm, &all);
	MPI_Group_incl(all, many, a, &to);
	MPI_Group_incl(all, many, b, &from);
	int *got = calloc(EACH, sizeof(int)), done = 0;
	MPI_Win_post(from, 0, w.win);
	MPI_Win_start(to, 0, w.win);
	access_own(p, &w, a[rng_upto(&p->own, many)], got, NULL, NULL);
	MPI_Win_complete(w.win);
	if (rng_coin(&p->own) && !ON_SMPI)
		while (!done)
			MPI_Win_test(w.win, &done);
	else
		MPI_Win_wait(w.win);
	play_bytes(p, got, EACH * sizeof(int));
	MPI_Barrier(p->comm);
	window_end(p, &w);
	MPI_Group_free(&all);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	free(a);
	free(got);
}

static void lock_one(struct play *p, struct window *w, int *got)
{
	struct rng *o = &p->own;
	int to = rng_upto(o, p->n), many = 0;
	MPI_Request r[4];
	MPI_Status s[4];
	MPI_Win_lock(rng_coin(o) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, to, 0, w->win);
	access_own(p, w, to, got, ON_SMPI ? NULL : r, &many);
	if (many)
		MPI_Waitall(many, r, s);
	else if (rng_coin(o))
		rng_coin(o) ? MPI_Win_flush(to, w->win) : MPI_Win_flush_local(to, w->win);
	MPI_Win_unlock(to, w->win);
}

static void lock_all(struct play *p, struct window *w, int *got)
{
	int x = 5, old = 0, common = EACH - 1, to = 0;
	MPI_Win_lock_all(rng_coin(&p->own) ? MPI_MODE_NOCHECK : 0, w->win);
	int many = 1 + rng_upto(&p->own, 3);
	for (int i = 0; i < many; i++) {
		to = rng_upto(&p->own, p->n);
		access_own(p, w, to, got, NULL, NULL);
		rng_coin(&p->own) ? MPI_Win_flush(to, w->win) : MPI_Win_flush_all(w->win);
		play_bytes(p, got, EACH * sizeof(int));
	}
	/* in this rank's own region: the order of ranks does not matter */
	to = rng_upto(&p->own, p->n);
	MPI_Aint at = place(w, p->rank * EACH + common);
	MPI_Fetch_and_op(&x, &old, MPI_INT, to, at, MPI_SUM, w->win);
	MPI_Win_flush(to, w->win);
	play_number(p, old);
	int compare = old + (rng_coin(&p->own) ? x : 0), put = 77;
	MPI_Compare_and_swap(&put, &compare, &old, MPI_INT, to, at, w->win);
	MPI_Win_flush(to, w->win);
	play_number(p, old);
	MPI_Get_accumulate(&x, 1, MPI_INT, got, 1, MPI_INT, to, at, 1, MPI_INT,
	                   rng_coin(&p->own) ? MPI_NO_OP : MPI_PROD, w->win);
	MPI_Win_flush(to, w->win);
	play_number(p, got[0]);
	MPI_Win_unlock_all(w->win);
}

/* All add to one counter: only the sum is said. */
static void counter(struct play *p)
{
	MPI_Win win;
	int *base, one = p->rank + 1, old, times = 1 + rng_upto(&p->shared, 3);
	MPI_Win_allocate(4, 4, MPI_INFO_NULL, p->comm, &base, &win);
	*base = 0;
	MPI_Barrier(p->comm);
	for (int i = 0; i < times; i++) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		if (rng_coin(&p->own))
			MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
		else
			MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(p->comm);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	play_number(p, old);
	MPI_Win_free(&win);
}

void part_lock(struct play *p)
{
	struct window w;
	if (rng_upto(&p->shared, 3) == 0) {
		counter(p);
		return;
	}
	window_make(p, &w);
	int *got = calloc(EACH, sizeof(int));
	bool all = rng_coin(&p->shared);
	if (all)
		lock_all(p, &w, got);
	else
		for (int i = rng_upto(&p->own, 4); i > 0; i--) {
			lock_one(p, &w, got);
			play_bytes(p, got, EACH * sizeof(int));
		}
	MPI_Barrier(p->comm);
	MPI_Win_lock(MPI_LOCK_SHARED, p->rank, 0, w.win);
	MPI_Win_sync(w.win);
	MPI_Win_unlock(p->rank, w.win);
	window_end(p, &w);
	free(got);
}

void part_shared(struct play *p)
{
	if (ON_SMPI)
		return;
	MPI_Comm node;
	MPI_Win win;
	int *base, n, me, unit, *other;
	MPI_Aint size;
	MPI_Comm_split_type(p->comm, MPI_COMM_TYPE_SHARED, p->rank, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &n);
	MPI_Comm_rank(node, &me);
	MPI_Win_allocate_shared((MPI_Aint)(me % 2 + 1) * 64, 4, MPI_INFO_NULL, node, &base, &win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < (me % 2 + 1) * 16; i++)
		base[i] = rng_upto(&p->own, 1000);
	MPI_Win_sync(win);
	MPI_Barrier(node);
	MPI_Win_sync(win);
	MPI_Win_shared_query(win, (me + 1) % n, &size, &unit, &other);
	play_number(p, size * 10 + unit);
	play_bytes(p, other, size);
	MPI_Barrier(node);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Comm_free(&node);
}

void part_dynamic(struct play *p)
{
	MPI_Win win;
	int *mine = malloc(sizeof(int) * EACH), *got = calloc(EACH, sizeof(int));
	MPI_Aint here, *there = malloc(sizeof *there * p->n);
	for (int i = 0; i < EACH; i++)
		mine[i] = rng_upto(&p->own, 1000);
	MPI_Win_create_dynamic(MPI_INFO_NULL, p->comm, &win);
	MPI_Win_attach(win, mine, sizeof(int) * EACH);
	MPI_Get_address(mine, &here);
	MPI_Allgather(&here, 1, MPI_AINT, there, 1, MPI_AINT, p->comm);
	int to = (p->rank + 1) % p->n, n = 1 + rng_upto(&p->own, EACH - 1);
	MPI_Win_fence(0, win);
	MPI_Get(got, n, MPI_INT, to, there[to], n, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Put(got, n, MPI_INT, to, there[to] + 4 * (EACH - n), n, MPI_INT, win);
	MPI_Win_fence(0, win);
	play_bytes(p, got, sizeof(int) * EACH);
	play_bytes(p, mine, sizeof(int) * EACH);
	MPI_Barrier(p->comm);
	MPI_Win_detach(win, mine);
	MPI_Win_free(&win);
	free(mine);
	free(got);
	free(there);
}
