/* prop_hosts.c: algorithms that know who shares a host send across hosts what they are there for to
 * save, on any placement of the ranks: of H hosts, p ranks, p_h of them on host h, n bytes of a
 * whole buffer, m of a block,
 *   a broadcast       brings n into each host but the root's, once; a reduction takes n out of each
 *   a gather          brings the blocks of all others into the root's host, a scatter takes them
 *                     out: (p - p_h) m, once
 *   an allgather      brings (p - p_h) m into each host
 *   an allreduce      takes a reduction and a broadcast of leaders, or rings of them:
 *                     2 (H - 1) n in all; doubling among leaders, of a power of two: H log2 H n
 *   a ring            in the order of hosts leaves each host once a step */
#include "mpi_call.h"

#include "test.h"

static struct mpi_call call;

struct crossing {
	int64_t in[CALL_RANKS], out[CALL_RANKS], all; /* bytes, by host */
	int64_t messages;
};

static void count(const struct coll_alg *alg, struct crossing *x)
{
	const uint32_t *host = call.shape.node;

	memset(x, 0, sizeof *x);
	for (uint32_t rank = 0; rank < call.p; rank++) {
		struct coll_cursor c = {0};
		struct coll_steps s = {.n = 0};
		struct coll_args a;

		args_of(&call, rank, &a);
		while (s.n = 0, coll_next(alg, &a, rank, &c, &s) != COLL_END)
			for (uint32_t i = 0; i < s.n; i++) {
				const struct coll_step *t = &s.s[i];

				if ((t->kind != STEP_SEND && t->kind != STEP_ISEND) ||
				    host[rank] == host[t->peer])
					continue;
				x->out[host[rank]] += t->len;
				x->in[host[t->peer]] += t->len;
				x->all += t->len;
				x->messages++;
			}
	}
}

static int64_t ranks_on(uint32_t host)
{
	return call.shape.first[host + 1] - call.shape.first[host];
}

/* 0: as it should be. */
typedef int law(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n);

static int once_into_each(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n)
{
	int wrong = 0;

	for (uint32_t h = 0; h < hosts; h++)
		wrong |= x->in[h] != (h == root_host ? 0 : n);
	return wrong;
}
static int once_out_of_each(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n)
{
	int wrong = 0;

	for (uint32_t h = 0; h < hosts; h++)
		wrong |= x->out[h] != (h == root_host ? 0 : n);
	return wrong;
}
static int blocks_into_root(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t m)
{
	(void)hosts;
	return x->in[root_host] != (call.p - ranks_on(root_host)) * m || x->all != x->in[root_host];
}
static int blocks_out_of_root(const struct crossing *x, int64_t hosts, uint32_t root_host,
                              int64_t m)
{
	(void)hosts;
	return x->out[root_host] != (call.p - ranks_on(root_host)) * m ||
	       x->all != x->out[root_host];
}
static int others_into_each(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t m)
{
	int wrong = 0;

	(void)root_host;
	for (uint32_t h = 0; h < hosts; h++)
		wrong |= x->in[h] != (call.p - ranks_on(h)) * m;
	return wrong;
}
static int there_and_back(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n)
{
	(void)root_host;
	return x->all != 2 * (hosts - 1) * n;
}
static int leaders_double(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n)
{
	int64_t log = 0;

	(void)root_host;
	while (1 << log < hosts)
		log++;
	return 1 << log == hosts && x->all != hosts * log * n;
}
/* 2 (p - 1) steps around, of n / p each; what is left over is an element here and there. */
static int ring_of_hosts(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n)
{
	int64_t want = hosts > 1 ? hosts * 2 * (call.p - 1) * n / call.p : 0,
	        off = 2 * hosts * call.p * call.e;

	(void)root_host;
	return x->all < want - off || x->all > want + off;
}
/* STAR-MPI's begin at rank 0: what the root has goes there first. */
static int once_from_rank_0(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n)
{
	return x->all != (hosts - 1 + (root_host != call.shape.node[0])) * n;
}
/* From the root through its host and the others, and back to those of its host before it. */
static int chain_of_hosts(const struct crossing *x, int64_t hosts, uint32_t root_host, int64_t n)
{
	int begins = call.shape.member[call.shape.first[root_host]] == call.root;

	return hosts > 1 && x->all != (hosts - begins) * n;
}
static int leaders_disseminate(const struct crossing *x, int64_t hosts, uint32_t root_host,
                               int64_t n)
{
	int64_t log = 0;

	(void)root_host, (void)n;
	while (1 << log < hosts)
		log++;
	return x->messages != hosts * log;
}

static const struct row {
	enum coll_kind kind;
	const char *name;
	law *law;
	int uniform; /* it takes hosts to have as many ranks each, one after the other */
} rows[] = {
    {COLL_BARRIER, "mpich_smp", leaders_disseminate, 0},
    {COLL_BCAST, "mvapich2_two_level", once_into_each, 0},
    {COLL_BCAST, "mvapich2_inter_node", once_into_each, 0},
    {COLL_BCAST, "mpich_alpha", once_into_each, 0},
    {COLL_BCAST, "mpich_beta", once_into_each, 0},
    {COLL_BCAST, "ompi_han", once_into_each, 0},
    {COLL_BCAST, "SMP_binomial", once_from_rank_0, 1},
    {COLL_BCAST, "SMP_linear", once_from_rank_0, 1},
    {COLL_BCAST, "SMP_binary", once_from_rank_0, 1},
    {COLL_BCAST, "nccl_ring", chain_of_hosts, 0},
    {COLL_REDUCE, "mvapich2_two_level", once_out_of_each, 0},
    {COLL_REDUCE, "mpich_beta", once_out_of_each, 0},
    {COLL_ALLREDUCE, "two_level_ring", there_and_back, 0},
    {COLL_ALLREDUCE, "smp_binomial", there_and_back, 1},
    {COLL_ALLREDUCE, "smp_rdb", leaders_double, 1},
    {COLL_ALLREDUCE, "mvapich2_two_level", leaders_double, 0},
    {COLL_ALLREDUCE, "nccl_ring", ring_of_hosts, 0},
    {COLL_GATHER, "mvapich2_two_level", blocks_into_root, 0},
    {COLL_GATHER, "ompi_han", blocks_into_root, 0},
    {COLL_SCATTER, "mvapich2_two_level_direct", blocks_out_of_root, 0},
    {COLL_SCATTER, "ompi_han", blocks_out_of_root, 0},
    {COLL_ALLGATHER, "mvapich2_smp", others_into_each, 0},
    {COLL_ALLGATHER, "ompi_han", others_into_each, 0},
    {COLL_ALLGATHER, "SMP_NTS", others_into_each, 1},
    {COLL_ALLGATHER, "smp_simple", others_into_each, 1},
};

static void check(const struct row *row, uint64_t seed)
{
	const struct coll_alg *alg = coll_alg_find(row->kind, row->name);
	struct crossing x;
	struct coll_args a;
	struct rng r;

	rng_init(&r, seed, row->name, row->kind);
	do {
		call_draw(&call, row->kind, 0, &r);
		/* short, so that parts are trees and segments are one; yet an element for each */
		if (call.placed && call.k >= CALL_RANKS && call.k * call_unit(&call) < 2048 &&
		    (!row->uniform || (call.shape.per_node && call.shape.blocked)))
			break;
		call_release(&call);
	} while (1);
	call.policy = (struct coll_policy){.selector = NULL}; /* of the parts: trees and stars */
	call.op = OP_SUM;
	call.segment = call.fanout = 0;
	args_of(&call, 0, &a);
	if (!coll_alg_refuses(alg, &a)) {
		count(alg, &x);
		if (row->law(&x, call.shape.nodes, call.shape.node[call.root],
		             call.k * call_unit(&call)))
			fail_msg("%s %s, seed %llu: %u ranks on %u hosts, root %u, k %lld: %lld "
			         "bytes in %lld messages",
			         coll_kind_name(row->kind), row->name, (unsigned long long)seed,
			         call.p, call.shape.nodes, call.root, (long long)call.k,
			         (long long)x.all, (long long)x.messages);
	}
	call_release(&call);
}

static void hosts_are_crossed_as_they_should(void **state)
{
	struct prop_run run = prop_begin(60);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint64_t k = 0; k < run.cases; k++)
			check(&rows[i], run.seed + k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(hosts_are_crossed_as_they_should)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
