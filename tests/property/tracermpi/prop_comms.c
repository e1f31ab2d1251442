/* prop_comms.c: communicators that are duplicated, split, made of groups, given a grid or a graph,
 * freed and made again under the same handle, at random, with messages on all of them. Each has the
 * name that its rank 0 gives, (its world rank).(how many that one has made before), for ever; peers
 * are world ranks; receives that were posted before their communicator is freed still say who sent.
 * A rank that gets no communicator says so. */
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

enum { COMMS = 8, STEPS = 80, WAITS = 6 };

struct known {
	MPI_Comm comm;
	char name[32]; /* "world", "3.0" */
	int n, world[FAKE_RANKS], rank;
	char keys[64]; /* " dims=…", of its topology, which a duplicate has too (MPI 4.0, 7.4.2) */
};

/* A receive from anyone, on a communicator that may be gone. */
struct waiting {
	MPI_Request r;
	int number, n, world[FAKE_RANKS];
	char name[32];
};

struct program {
	struct traced t;
	struct rng rng;
	struct known known[COMMS];
	struct waiting wait[WAITS];
	int n, waits;
	uint32_t made; /* whose rank 0 is this process */
};

static int draw(struct program *p, int lo, int hi)
{
	return (int)prop_from(&p->rng, (uint32_t)lo, (uint32_t)hi);
}

static const struct known *any(struct program *p)
{
	return &p->known[draw(p, 0, p->n - 1)];
}

/* " comm=3.0", or nothing for the world. */
static const char *key(const char *what, const char *name)
{
	static char text[4][64];
	static int turn;
	char *out = text[turn++ % 4];

	snprintf(out, 64, strcmp(name, "world") ? " %s=%s" : "%.0s%.0s", what, name);
	return out;
}

/* Who is in it, of which the model knows the order; its name. */
static struct known *learn(struct program *p, MPI_Comm comm, const int *world, int n)
{
	struct known *k = &p->known[p->n++];

	*k = (struct known){.comm = comm, .n = n, .rank = -1};
	for (int i = 0; i < n; i++) {
		k->world[i] = world[i];
		if (world[i] == fake.rank)
			k->rank = i;
	}
	assert_int_not_equal(k->rank, -1);
	if (k->rank == 0)
		snprintf(k->name, sizeof k->name, "%d.%u", fake.rank, p->made++);
	else
		snprintf(k->name, sizeof k->name, "%d.%u", world[0], (uint32_t)fake.told - 2);
	return k;
}

static struct known *learn_placed(struct program *p, MPI_Comm comm, const int *world, int n,
                                  const char *keys)
{
	struct known *k = learn(p, comm, world, n);

	snprintf(k->keys, sizeof k->keys, "%s", keys);
	return k;
}

static void want_made(struct program *p, const char *call, const struct known *from,
                      const struct known *made, const char *keys)
{
	struct str members;

	str_init(&members);
	for (int i = 0; made && i < made->n; i++)
		str_printf(&members, "%s%d", i ? "," : "", made->world[i]);
	traced_want(&p->t, "%s%s%s members=%s%s", call, made ? key("comm", made->name) : "",
	            key("parent", from->name), members.s ? members.s : "", keys);
	str_release(&members);
}

/* --- making --- */

static void dup_it(struct program *p)
{
	const struct known *from = any(p);
	MPI_Comm made;

	MPI_Comm_dup(from->comm, &made);
	want_made(p, "comm_dup", from, learn_placed(p, made, from->world, from->n, from->keys),
	          from->keys);
}

/* Colours and keys of all are drawn; whoever has our colour is in it, by key, then by rank. */
static void split(struct program *p)
{
	const struct known *from = any(p);
	int n = 0, world[FAKE_RANKS], mine;
	MPI_Comm made;

	for (int i = 0; i < fake.ranks; i++) {
		fake.color[i] = draw(p, 0, 2);
		fake.key[i] = draw(p, -0, 3);
	}
	mine = prop_once_in(&p->rng, 5) ? MPI_UNDEFINED : fake.color[fake.rank];
	MPI_Comm_split(from->comm, mine, fake.key[fake.rank], &made);
	if (mine == MPI_UNDEFINED) {
		assert_int_equal(made, MPI_COMM_NULL);
		want_made(p, "comm_split", from, NULL, "");
		return;
	}
	for (int k = 0; k <= 3; k++)
		for (int i = 0; i < from->n; i++)
			if (fake.color[from->world[i]] == mine && fake.key[from->world[i]] == k)
				world[n++] = from->world[i];
	want_made(p, "comm_split", from, learn(p, made, world, n), "");
}

static void of_group(struct program *p)
{
	const struct known *from = any(p);
	int ranks[FAKE_RANKS], world[FAKE_RANKS], n = 0, inside = 0,
	                                          only = prop_once_in(&p->rng, 2);
	MPI_Group all, group;
	MPI_Comm made;

	for (int i = from->n - 1; i >= 0; i--)
		if (prop_once_in(&p->rng, 2) || (only && i == from->rank)) {
			world[n] = from->world[i];
			inside |= i == from->rank;
			ranks[n++] = i;
		}
	MPI_Comm_group(from->comm, &all);
	MPI_Group_incl(all, n, ranks, &group);
	if (only) /* of the members only */
		MPI_Comm_create_group(from->comm, group, 3, &made);
	else
		MPI_Comm_create(from->comm, group, &made);
	MPI_Group_free(&all);
	MPI_Group_free(&group);
	want_made(p, only ? "comm_create_group" : "comm_create", from,
	          inside ? learn(p, made, world, n) : NULL, "");
}

static void grid(struct program *p)
{
	const struct known *from = any(p);
	int dims[2] = {draw(p, 1, from->n), 1}, periods[2] = {draw(p, 0, 1), draw(p, 0, 1)};
	int n;
	char keys[64];
	MPI_Comm made;

	dims[1] = draw(p, 1, from->n / dims[0]);
	n = dims[0] * dims[1];
	MPI_Cart_create(from->comm, 2, dims, periods, 0, &made);
	snprintf(keys, sizeof keys, " dims=%d,%d periods=%d,%d", dims[0], dims[1], periods[0],
	         periods[1]);
	if (made == MPI_COMM_NULL)
		want_made(p, "comm_create", from, NULL, "");
	else
		want_made(p, "comm_create", from, learn_placed(p, made, from->world, n, keys),
		          keys);
}

/* Each rank has one neighbour, in a ring. */
static void ring(struct program *p)
{
	const struct known *from = any(p);
	int index[FAKE_RANKS], edges[FAKE_RANKS];
	char keys[64];
	MPI_Comm made;

	for (int i = 0; i < from->n; i++) {
		index[i] = i + 1;
		edges[i] = (i + 1) % from->n;
	}
	MPI_Graph_create(from->comm, from->n, index, edges, 0, &made);
	snprintf(keys, sizeof keys, " sources=%d dests=%d", edges[from->rank], edges[from->rank]);
	want_made(p, "comm_create", from, learn_placed(p, made, from->world, from->n, keys), keys);
}

/* Its name is drawn when it begins, and it can be used when somebody has waited for it. */
static void dup_later(struct program *p)
{
	const struct known *from = any(p);
	char keys[128];
	int number = 0;
	MPI_Request r;
	MPI_Comm made;

	for (int taken = 1; taken; number += taken) {
		taken = 0;
		for (int i = 0; i < p->waits; i++)
			taken |= p->wait[i].number == number;
	}
	MPI_Comm_idup(from->comm, &made, &r);
	traced_want(&p->t, "comm_idup%s req=%d", key("parent", from->name), number);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	snprintf(keys, sizeof keys, " req=%d%s", number, from->keys);
	want_made(p, "comm_dup", from, learn_placed(p, made, from->world, from->n, from->keys),
	          keys);
}

static void make(struct program *p)
{
	static void (*const ways[])(struct program *) = {dup_it, split, of_group,
	                                                 grid,   ring,  dup_later};

	if (p->n < COMMS)
		ways[draw(p, 0, 5)](p);
}

static void free_one(struct program *p)
{
	int i = draw(p, 2, COMMS - 1), leaves = prop_once_in(&p->rng, 3);

	if (i >= p->n)
		return;
	(leaves ? MPI_Comm_disconnect : MPI_Comm_free)(&p->known[i].comm);
	assert_int_equal(p->known[i].comm, MPI_COMM_NULL);
	traced_want(&p->t, "comm_free comm=%s%s", p->known[i].name, leaves ? " disconnect=1" : "");
	p->known[i] = p->known[--p->n];
}

/* --- using --- */

static void use(struct program *p)
{
	const struct known *k = any(p);
	int peer = draw(p, 0, k->n - 1), n, what = draw(p, 0, 2);
	MPI_Status s;

	if (what == 0) {
		MPI_Send(NULL, 7, MPI_INT, peer, 4, k->comm);
		traced_want(&p->t, "send %d 4 7 1%s", k->world[peer], key("comm", k->name));
	} else if (what == 1) {
		MPI_Recv(NULL, 7, MPI_INT, MPI_ANY_SOURCE, 4, k->comm, &s);
		traced_want(&p->t, "recv %d 4 7 1 any=source%s", k->world[s.MPI_SOURCE],
		            key("comm", k->name));
	} else {
		MPI_Comm_size(k->comm, &n);
		assert_int_equal(n, k->n);
		traced_want(&p->t, "comm_size %d%s", n, key("comm", k->name));
	}
}

static void post(struct program *p)
{
	const struct known *k = any(p);
	struct waiting *w = &p->wait[p->waits];

	if (p->waits == WAITS)
		return;
	*w = (struct waiting){.n = k->n};
	for (int taken = 1; taken; w->number += taken) {
		taken = 0;
		for (int i = 0; i < p->waits; i++)
			taken |= p->wait[i].number == w->number;
	}
	memcpy(w->world, k->world, sizeof w->world);
	memcpy(w->name, k->name, sizeof w->name);
	MPI_Irecv(NULL, 3, MPI_INT, MPI_ANY_SOURCE, 5, k->comm, &w->r);
	traced_want(&p->t, "irecv -1 5 3 1 req=%d%s", w->number, key("comm", k->name));
	p->waits++;
}

static void wait_one(struct program *p)
{
	int i = draw(p, 0, WAITS - 1);
	struct waiting *w = &p->wait[i];
	MPI_Status s;

	if (i >= p->waits)
		return;
	MPI_Wait(&w->r, &s);
	traced_want(&p->t, "resolve %d 5 req=%d%s", w->world[s.MPI_SOURCE], w->number,
	            key("comm", w->name));
	traced_want(&p->t, "wait req=%d", w->number);
	*w = p->wait[--p->waits];
}

static void run(uint64_t seed)
{
	struct program p = {0};
	int ranks = 1 + (int)(seed % 11);

	rng_init(&p.rng, seed, "communicators", 0);
	traced_begin(&p.t, (int)(seed / 11 % (uint64_t)ranks), ranks, seed);
	p.n = 2;
	p.known[0] = (struct known){MPI_COMM_WORLD, "world", ranks, {0}, fake.rank, ""};
	for (int i = 0; i < ranks; i++)
		p.known[0].world[i] = i;
	p.known[1] = (struct known){MPI_COMM_SELF, "self", 1, {fake.rank}, 0, ""};
	for (int i = 0; i < STEPS; i++) {
		int what = draw(&p, 0, 9);

		if (what < 4)
			make(&p);
		else if (what < 6)
			free_one(&p);
		else if (what == 6)
			post(&p);
		else if (what == 7)
			wait_one(&p);
		else
			use(&p);
	}
	traced_end(&p.t);
	traced_release(&p.t);
}

static void test_random_communicators(void **state)
{
	struct prop_run r = prop_begin(100);

	(void)state;
	for (uint64_t i = 0; i < r.cases; i++)
		run(r.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_communicators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
