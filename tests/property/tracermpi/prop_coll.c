/* prop_coll.c: random collectives, blocking and not, on communicators of one and of two groups and
 * with neighbours, with MPI_IN_PLACE, vectors and datatypes that the program made. What each line
 * has to say is worked out from docs/trace-format.md and from which arguments MPI looks at
 * (MPI 4.0, chapter 6) on this rank. */
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

enum { STEPS = 60, NUMBERS = FAKE_RANKS };

/* A datatype: its number in the trace, and the bytes of one that has none (-1). */
struct type {
	MPI_Datatype type;
	int number, bytes;
};

struct program {
	struct traced t;
	struct rng rng;
	MPI_Comm comm, inter, graph;
	char comm_name[64], inter_name[64], graph_name[64];
	int size, rank, remote, in, out;
	struct type types[6];
	MPI_Op noncommutative;
};

/* One call: where, how, with what. */
struct call_drawn {
	MPI_Comm comm;
	const char *name; /* " comm=…", or "" */
	int inter, size, rank, others, root, at_root, watches;
	int in_place, blocking;
	struct type s, r; /* send side, receive side */
	int n, m;
	int counts[NUMBERS], counts2[NUMBERS];
	MPI_Op op;
	const char *op_name;
};

static int draw(struct program *p, int lo, int hi)
{
	return (int)prop_from(&p->rng, (uint32_t)lo, (uint32_t)hi);
}

static void types_make(struct program *p)
{
	MPI_Datatype made[2];

	p->types[0] = (struct type){MPI_INT, 1, 4};
	p->types[1] = (struct type){MPI_DOUBLE, 0, 8};
	p->types[2] = (struct type){MPI_CHAR, 2, 1};
	p->types[3] = (struct type){MPI_BYTE, 6, 1};
	MPI_Type_contiguous(3, MPI_INT, &made[0]);
	p->types[4] = (struct type){made[0], -1, 12};
	MPI_Type_vector(5, 2, 4, MPI_DOUBLE, &made[1]);
	p->types[5] = (struct type){made[1], -1, 80};
}

/* "0.3", as the trace calls a communicator by its rank 0 and that one's counter + 2. */
static void name_set(char *name, uint64_t id)
{
	snprintf(name, 64, " comm=%u.%u", (uint32_t)(id >> 32), (uint32_t)id - 2);
}

static void members_put(struct str *out, const struct fake_group *g)
{
	for (int i = 0; i < g->n; i++)
		str_printf(out, "%s%d", i ? "," : "", g->world[i]);
}

/* The communicator of every second rank, ours among them, in the order of the world. */
static void split(struct program *p, int mine)
{
	struct str members;

	str_init(&members);
	for (int i = 0; i < fake.ranks; i++)
		fake.color[i] = i % 2;
	MPI_Comm_split(MPI_COMM_WORLD, fake.rank % 2, 0, &p->comm);
	p->rank = fake_comm(p->comm)->rank;
	p->size = fake_comm(p->comm)->members.n;
	name_set(p->comm_name, p->rank ? fake.told : (uint64_t)(uint32_t)mine << 32 | 2);
	members_put(&members, &fake_comm(p->comm)->members);
	traced_want(&p->t, "comm_split%s members=%s", p->comm_name, members.s);
	str_release(&members);
}

/* The two halves of the world. Its name is the smaller one of those of the leaders. */
static void inter_make(struct program *p)
{
	struct str ours, others;
	int mine = fake.rank % 2 ? 1 : 0; /* world rank of our leader, rank 0 of our half */
	uint64_t our_id = (uint64_t)mine << 32 | 50, their_id = (uint64_t)(1 - mine) << 32 | 60;

	if (p->rank == 0)
		our_id = (uint64_t)mine << 32 | 3; /* our second one */
	str_init(&ours);
	str_init(&others);
	fake.inter[0] = their_id;
	fake.inter[1] = our_id;
	MPI_Intercomm_create(p->comm, 0, MPI_COMM_WORLD, 1 - mine, 9, &p->inter);
	p->remote = fake_comm(p->inter)->remote.n;
	name_set(p->inter_name, our_id < their_id ? our_id : their_id);
	members_put(&ours, &fake_comm(p->inter)->members);
	members_put(&others, &fake_comm(p->inter)->remote);
	traced_want(&p->t, "intercomm_create%s parent=%s members=%s remote=%s leader=0%s",
	            p->inter_name, p->comm_name + 6, ours.s, others.s,
	            p->rank > 0 ? ""
	            : mine      ? ",0"
	                        : ",1");
	str_release(&ours);
	str_release(&others);
}

static void graph_make(struct program *p)
{
	int in[NUMBERS], out[NUMBERS];
	struct str sources, dests, members;

	str_init(&sources);
	str_init(&dests);
	str_init(&members);
	p->in = draw(p, 0, 4);
	p->out = draw(p, 0, 4);
	for (int i = 0; i < 4; i++) {
		in[i] = draw(p, 0, p->size - 1);
		out[i] = draw(p, 0, p->size - 1);
	}
	for (int i = 0; i < p->in; i++)
		str_printf(&sources, "%s%d", i ? "," : "", in[i]);
	for (int i = 0; i < p->out; i++)
		str_printf(&dests, "%s%d", i ? "," : "", out[i]);
	MPI_Dist_graph_create_adjacent(p->comm, p->in, in, MPI_UNWEIGHTED, p->out, out,
	                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &p->graph);
	name_set(p->graph_name,
	         p->rank ? fake.told : (uint64_t)(uint32_t)fake.rank << 32 | 4 /* the third */);
	members_put(&members, &fake_comm(p->graph)->members);
	traced_want(&p->t, "comm_create%s parent=%s members=%s sources=%s dests=%s", p->graph_name,
	            p->comm_name + 6, members.s, sources.s ? sources.s : "",
	            dests.s ? dests.s : "");
	str_release(&sources);
	str_release(&dests);
	str_release(&members);
}

/* --- what the trace is to say --- */

/* " dtsize=12 dtsize2=80", for types without a number. */
static const char *sizes(const struct type *a, const struct type *b)
{
	static char text[64];
	int n = 0;

	*text = '\0';
	if (a && a->number < 0)
		n = snprintf(text, sizeof text, " dtsize=%d", a->bytes);
	if (b && b->number < 0)
		snprintf(text + n, sizeof text - (size_t)n, " dtsize2=%d", b->bytes);
	return text;
}

/* "4 5 6 ", each of n times bytes, if types are given. */
static void counts_put(struct str *out, const int *counts, int n, int bytes)
{
	for (int i = 0; i < n; i++)
		str_printf(out, "%d ", counts[i] * bytes);
}

static int total(const int *counts, int n, int bytes)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += counts[i] * bytes;
	return sum;
}

static void want(struct program *p, const struct call_drawn *c, const char *name, const char *args,
                 const char *keys)
{
	const char *separator = *args && args[strlen(args) - 1] != ' ' ? " " : "";

	traced_want(&p->t, "%s%s %s%s%s%s%s%s", c->blocking ? "" : "i", name, args, separator, keys,
	            c->in_place ? " in_place=1" : "", c->name, c->blocking ? "" : " req=0");
	if (!c->blocking)
		traced_want(&p->t, "wait req=0");
}

static void call_draw(struct program *p, struct call_drawn *c)
{
	memset(c, 0, sizeof *c);
	c->inter = prop_once_in(&p->rng, 3);
	c->comm = c->inter ? p->inter : prop_once_in(&p->rng, 2) ? MPI_COMM_WORLD : p->comm;
	c->name = c->inter ? p->inter_name : c->comm == p->comm ? p->comm_name : "";
	c->size = c->comm == MPI_COMM_WORLD ? fake.ranks : p->size;
	c->rank = c->comm == MPI_COMM_WORLD ? fake.rank : p->rank;
	c->others = c->inter ? p->remote : c->size;
	c->root = draw(p, 0, c->others - 1);
	if (c->inter && prop_once_in(&p->rng, 2))
		c->root = prop_once_in(&p->rng, 2) ? MPI_ROOT : MPI_PROC_NULL;
	c->at_root = c->inter ? c->root == MPI_ROOT : c->root == c->rank;
	c->watches = c->inter && c->root == MPI_PROC_NULL;
	c->blocking = prop_once_in(&p->rng, 2);
	c->s = p->types[draw(p, 0, 5)];
	c->r = p->types[draw(p, 0, 5)];
	c->n = draw(p, 0, 1000);
	c->m = draw(p, 0, 1000);
	for (int i = 0; i < NUMBERS; i++) {
		c->counts[i] = draw(p, 0, 50);
		c->counts2[i] = draw(p, 0, 50);
	}
	c->op = prop_once_in(&p->rng, 3) ? p->noncommutative : MPI_SUM;
	c->op_name = c->op == MPI_SUM ? "" : " op=noncommutative";
}

static int root_in_trace(const struct call_drawn *c)
{
	return c->root == MPI_ROOT ? -3 : c->root == MPI_PROC_NULL ? -2 : c->root;
}

static void wait_for(MPI_Request *r, const struct call_drawn *c)
{
	if (!c->blocking)
		MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void bcast(struct program *p, struct call_drawn *c)
{
	char args[128];
	MPI_Request r;

	if (c->blocking)
		MPI_Bcast(NULL, c->n, c->s.type, c->root, c->comm);
	else
		MPI_Ibcast(NULL, c->n, c->s.type, c->root, c->comm, &r);
	wait_for(&r, c);
	if (c->watches) { /* nothing that it gives is looked at */
		c->n = 0;
		c->s = p->types[3];
	}
	snprintf(args, sizeof args, "%d %d %d", c->n, root_in_trace(c), c->s.number);
	want(p, c, "bcast", args, sizes(&c->s, NULL));
}

static void reductions(struct program *p, struct call_drawn *c)
{
	int rooted = draw(p, 0, 3), scans = rooted == 2 || rooted == 3;
	static const char *const names[] = {"reduce", "allreduce", "scan", "exscan"};
	MPI_Request r;
	char args[128], keys[128];
	const void *in;

	if (scans && c->inter) /* there are none */
		return;
	c->in_place = !c->inter && (rooted || c->at_root) && prop_once_in(&p->rng, 3);
	in = c->in_place ? MPI_IN_PLACE : NULL;
	if (rooted == 0 && c->blocking)
		MPI_Reduce(in, NULL, c->n, c->s.type, c->op, c->root, c->comm);
	else if (rooted == 0)
		MPI_Ireduce(in, NULL, c->n, c->s.type, c->op, c->root, c->comm, &r);
	else if (rooted == 1 && c->blocking)
		MPI_Allreduce(in, NULL, c->n, c->s.type, c->op, c->comm);
	else if (rooted == 1)
		MPI_Iallreduce(in, NULL, c->n, c->s.type, c->op, c->comm, &r);
	else if (c->blocking)
		(rooted == 2 ? MPI_Scan : MPI_Exscan)(in, NULL, c->n, c->s.type, c->op, c->comm);
	else
		(rooted == 2 ? MPI_Iscan : MPI_Iexscan)(in, NULL, c->n, c->s.type, c->op, c->comm,
		                                        &r);
	wait_for(&r, c);
	if (rooted == 0 && c->watches) {
		c->n = 0;
		c->s = p->types[3];
		c->op_name = "";
	}
	if (rooted == 0)
		snprintf(args, sizeof args, "%d 0 %d %d", c->n, root_in_trace(c), c->s.number);
	else
		snprintf(args, sizeof args, "%d 0 %d", c->n, c->s.number);
	snprintf(keys, sizeof keys, "%s%s", sizes(&c->s, NULL), c->op_name);
	want(p, c, names[rooted], args, keys);
}

static void reduce_scatters(struct program *p, struct call_drawn *c)
{
	int block = prop_once_in(&p->rng, 2);
	MPI_Request r;
	struct str args;
	char keys[128];
	const void *in;

	c->in_place = !c->inter && prop_once_in(&p->rng, 3);
	in = c->in_place ? MPI_IN_PLACE : NULL;
	str_init(&args);
	if (block && c->blocking)
		MPI_Reduce_scatter_block(in, NULL, c->n, c->s.type, c->op, c->comm);
	else if (block)
		MPI_Ireduce_scatter_block(in, NULL, c->n, c->s.type, c->op, c->comm, &r);
	else if (c->blocking)
		MPI_Reduce_scatter(in, NULL, c->counts, c->s.type, c->op, c->comm);
	else
		MPI_Ireduce_scatter(in, NULL, c->counts, c->s.type, c->op, c->comm, &r);
	wait_for(&r, c);
	if (block)
		str_printf(&args, "%d 0 %d", c->n, c->s.number);
	else
		counts_put(&args, c->counts, c->size, 1); /* of our own group (6.10.1) */
	if (!block)
		str_printf(&args, "0 %d", c->s.number);
	snprintf(keys, sizeof keys, "%s%s", sizes(&c->s, NULL), c->op_name);
	want(p, c, block ? "reducescatterblock" : "reducescatter", args.s, keys);
	str_release(&args);
}

/* Of the two sides of a gather or scatter: what many have, and what is at the root. */
static void rooted_call(struct call_drawn *c, int gathers, int vector, MPI_Request *r)
{
	void *buf = c->in_place ? MPI_IN_PLACE : NULL;

	if (gathers && vector && c->blocking)
		MPI_Gatherv(buf, c->n, c->s.type, NULL, c->counts2, NULL, c->r.type, c->root,
		            c->comm);
	else if (gathers && vector)
		MPI_Igatherv(buf, c->n, c->s.type, NULL, c->counts2, NULL, c->r.type, c->root,
		             c->comm, r);
	else if (gathers && c->blocking)
		MPI_Gather(buf, c->n, c->s.type, NULL, c->m, c->r.type, c->root, c->comm);
	else if (gathers)
		MPI_Igather(buf, c->n, c->s.type, NULL, c->m, c->r.type, c->root, c->comm, r);
	else if (vector && c->blocking)
		MPI_Scatterv(NULL, c->counts, NULL, c->s.type, buf, c->m, c->r.type, c->root,
		             c->comm);
	else if (vector)
		MPI_Iscatterv(NULL, c->counts, NULL, c->s.type, buf, c->m, c->r.type, c->root,
		              c->comm, r);
	else if (c->blocking)
		MPI_Scatter(NULL, c->n, c->s.type, buf, c->m, c->r.type, c->root, c->comm);
	else
		MPI_Iscatter(NULL, c->n, c->s.type, buf, c->m, c->r.type, c->root, c->comm, r);
}

/* The root's side and each member's, as the trace has them: a side that this rank does not have
 * counts nothing and has the other one's type; in place, what is left where it is has the size that
 * the root's side gives it. */
static void gathers(struct program *p, struct call_drawn *c)
{
	int vector = prop_once_in(&p->rng, 2), n, m;
	MPI_Request r;
	struct str args;

	str_init(&args);
	c->in_place = !c->inter && c->at_root && prop_once_in(&p->rng, 3);
	rooted_call(c, 1, vector, &r);
	wait_for(&r, c);
	n = c->n;
	m = c->at_root ? c->m : 0;
	if (c->in_place) {
		n = vector ? c->counts2[c->rank] : c->m;
		c->s = c->r;
	}
	if (c->inter && c->at_root) {
		n = 0;
		c->s = c->r;
	}
	if (c->watches) {
		n = 0;
		c->s = p->types[3];
	}
	if (!c->at_root)
		c->r = c->s;
	str_printf(&args, "%d ", n);
	if (vector)
		counts_put(&args, c->counts2, c->at_root ? c->others : 0, 1);
	else
		str_printf(&args, "%d ", m);
	str_printf(&args, "%d %d %d", root_in_trace(c), c->s.number, c->r.number);
	want(p, c, vector ? "gatherv" : "gather", args.s, sizes(&c->s, &c->r));
	str_release(&args);
}

static void scatters(struct program *p, struct call_drawn *c)
{
	int vector = prop_once_in(&p->rng, 2), n, m;
	MPI_Request r;
	struct str args;

	str_init(&args);
	c->in_place = !c->inter && c->at_root && prop_once_in(&p->rng, 3);
	rooted_call(c, 0, vector, &r);
	wait_for(&r, c);
	n = c->at_root ? c->n : 0;
	m = c->m;
	if (c->in_place) {
		m = vector ? c->counts[c->rank] : c->n;
		c->r = c->s;
	}
	if (c->inter && c->at_root) {
		m = 0;
		c->r = c->s;
	}
	if (c->watches) {
		m = 0;
		c->r = p->types[3];
	}
	if (!c->at_root)
		c->s = c->r;
	if (vector)
		counts_put(&args, c->counts, c->at_root ? c->others : 0, 1);
	else
		str_printf(&args, "%d ", n);
	str_printf(&args, "%d %d %d %d", m, root_in_trace(c), c->s.number, c->r.number);
	want(p, c, vector ? "scatterv" : "scatter", args.s, sizes(&c->s, &c->r));
	str_release(&args);
}

static void alls(struct program *p, struct call_drawn *c)
{
	int gathers_all = prop_once_in(&p->rng, 2);
	MPI_Request r;
	char args[128];
	const void *in;

	c->in_place = !c->inter && prop_once_in(&p->rng, 3);
	in = c->in_place ? MPI_IN_PLACE : NULL;
	if (c->blocking)
		(gathers_all ? MPI_Allgather : MPI_Alltoall)(in, c->n, c->s.type, NULL, c->m,
		                                             c->r.type, c->comm);
	else
		(gathers_all ? MPI_Iallgather : MPI_Ialltoall)(in, c->n, c->s.type, NULL, c->m,
		                                               c->r.type, c->comm, &r);
	wait_for(&r, c);
	if (c->in_place) {
		c->n = c->m;
		c->s = c->r;
	}
	snprintf(args, sizeof args, "%d %d %d %d", c->n, c->m, c->s.number, c->r.number);
	want(p, c, gathers_all ? "allgather" : "alltoall", args, sizes(&c->s, &c->r));
}

static void allgatherv(struct program *p, struct call_drawn *c)
{
	MPI_Request r;
	struct str args;
	const void *in;

	str_init(&args);
	c->in_place = !c->inter && prop_once_in(&p->rng, 3);
	in = c->in_place ? MPI_IN_PLACE : NULL;
	if (c->blocking)
		MPI_Allgatherv(in, c->n, c->s.type, NULL, c->counts2, NULL, c->r.type, c->comm);
	else
		MPI_Iallgatherv(in, c->n, c->s.type, NULL, c->counts2, NULL, c->r.type, c->comm,
		                &r);
	wait_for(&r, c);
	if (c->in_place) {
		c->n = c->counts2[c->rank];
		c->s = c->r;
	}
	str_printf(&args, "%d ", c->n);
	counts_put(&args, c->counts2, c->others, 1);
	str_printf(&args, "%d %d", c->s.number, c->r.number);
	want(p, c, "allgatherv", args.s, sizes(&c->s, &c->r));
	str_release(&args);
}

static void alltoallv(struct program *p, struct call_drawn *c)
{
	MPI_Request r;
	struct str args;
	const void *in;

	str_init(&args);
	c->in_place = !c->inter && prop_once_in(&p->rng, 3);
	in = c->in_place ? MPI_IN_PLACE : NULL;
	if (c->blocking)
		MPI_Alltoallv(in, c->counts, NULL, c->s.type, NULL, c->counts2, NULL, c->r.type,
		              c->comm);
	else
		MPI_Ialltoallv(in, c->counts, NULL, c->s.type, NULL, c->counts2, NULL, c->r.type,
		               c->comm, &r);
	wait_for(&r, c);
	if (c->in_place) {
		memcpy(c->counts, c->counts2, sizeof c->counts);
		c->s = c->r;
	}
	str_printf(&args, "%d ", total(c->counts, c->others, 1));
	counts_put(&args, c->counts, c->others, 1);
	str_printf(&args, "%d ", total(c->counts2, c->others, 1));
	counts_put(&args, c->counts2, c->others, 1);
	str_printf(&args, "%d %d", c->s.number, c->r.number);
	want(p, c, "alltoallv", args.s, sizes(&c->s, &c->r));
	str_release(&args);
}

/* Counts of types of their own: bytes. */
static void alltoallw(struct program *p, struct call_drawn *c)
{
	MPI_Datatype types[NUMBERS], types2[NUMBERS];
	int bytes[NUMBERS], bytes2[NUMBERS];
	MPI_Request r;
	struct str args;

	str_init(&args);
	for (int i = 0; i < NUMBERS; i++) {
		struct type a = p->types[draw(p, 0, 5)], b = p->types[draw(p, 0, 5)];

		types[i] = a.type;
		types2[i] = b.type;
		bytes[i] = a.bytes * c->counts[i];
		bytes2[i] = b.bytes * c->counts2[i];
	}
	c->in_place = !c->inter && prop_once_in(&p->rng, 3);
	if (c->blocking)
		MPI_Alltoallw(c->in_place ? MPI_IN_PLACE : NULL, c->counts, NULL, types, NULL,
		              c->counts2, NULL, types2, c->comm);
	else
		MPI_Ialltoallw(c->in_place ? MPI_IN_PLACE : NULL, c->counts, NULL, types, NULL,
		               c->counts2, NULL, types2, c->comm, &r);
	wait_for(&r, c);
	if (c->in_place)
		memcpy(bytes, bytes2, sizeof bytes);
	str_printf(&args, "%d ", total(bytes, c->others, 1));
	counts_put(&args, bytes, c->others, 1);
	str_printf(&args, "%d ", total(bytes2, c->others, 1));
	counts_put(&args, bytes2, c->others, 1);
	str_puts(&args, "6 6");
	want(p, c, "alltoallw", args.s, "");
	str_release(&args);
}

/* --- neighbours --- */

static void key_put(struct str *out, const char *key, const int *counts, int n)
{
	str_printf(out, " %s=", key);
	for (int i = 0; i < n; i++)
		str_printf(out, "%s%d", i ? "," : "", counts[i]);
}

static void neighbors(struct program *p, struct call_drawn *c)
{
	static const char *const names[] = {"neighbor_allgather", "neighbor_alltoall",
	                                    "neighbor_allgatherv", "neighbor_alltoallv"};
	int what = draw(p, 0, 3);
	char args[128];
	struct str keys;

	str_init(&keys);
	c->comm = p->graph;
	c->name = p->graph_name;
	c->blocking = 1;
	if (what < 2)
		(what ? MPI_Neighbor_alltoall : MPI_Neighbor_allgather)(NULL, c->n, c->s.type, NULL,
		                                                        c->m, c->r.type, c->comm);
	else if (what == 2)
		MPI_Neighbor_allgatherv(NULL, c->n, c->s.type, NULL, c->counts2, NULL, c->r.type,
		                        c->comm);
	else
		MPI_Neighbor_alltoallv(NULL, c->counts, NULL, c->s.type, NULL, c->counts2, NULL,
		                       c->r.type, c->comm);
	if (what < 2)
		snprintf(args, sizeof args, "%d %d %d %d", c->n, c->m, c->s.number, c->r.number);
	else if (what == 2)
		snprintf(args, sizeof args, "%d %d %d", c->n, c->s.number, c->r.number);
	else
		snprintf(args, sizeof args, "%d %d", c->s.number, c->r.number);
	str_puts(&keys, sizes(&c->s, &c->r));
	if (what == 3)
		key_put(&keys, "scounts", c->counts, p->out);
	if (what >= 2)
		key_put(&keys, "rcounts", c->counts2, p->in);
	want(p, c, names[what], args, keys.s ? keys.s : "");
	str_release(&keys);
}

static void run(uint64_t seed)
{
	static void (*const calls[])(struct program *, struct call_drawn *) = {
	    bcast, reductions, reduce_scatters, gathers,   scatters,
	    alls,  allgatherv, alltoallv,       alltoallw, neighbors};
	struct program p = {.noncommutative = (MPI_Op)0x98000001};
	int ranks = 2 + (int)(seed % 9);
	struct call_drawn c;

	rng_init(&p.rng, seed, "collectives", 0);
	traced_begin(&p.t, (int)(seed / 9 % (uint64_t)ranks), ranks, seed);
	types_make(&p);
	split(&p, fake.rank);
	inter_make(&p);
	graph_make(&p);
	for (int i = 0; i < STEPS; i++) {
		call_draw(&p, &c);
		calls[draw(&p, 0, 9)](&p, &c);
	}
	traced_end(&p.t);
	MPI_Type_free(&p.types[4].type);
	MPI_Type_free(&p.types[5].type);
	traced_release(&p.t);
}

static void test_random_collectives(void **state)
{
	struct prop_run r = prop_begin(120);

	(void)state;
	for (uint64_t i = 0; i < r.cases; i++)
		run(r.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
