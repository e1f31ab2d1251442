/* psins_coll.c: collectives in PSINS's simple model: once all members have come, an operation of p
 * members takes
 *
 *     growth(p) x (latency + block / bandwidth),      growth(p) = 1, ceil(log2 p) or p - 1
 *
 * with the figures between nodes, or those inside one if all members are there (Tikir et al.,
 * Euro-Par 2009, 2.3.2 and 3.1). Which operation grows how is a table; the paper does not print its
 * own. */
#include "psins.h"

#include <string.h>

static const enum psins_growth usual[NET_COLLS] = {
    [NET_BARRIER] = PSINS_LOGARITHMIC,
    [NET_BCAST] = PSINS_LOGARITHMIC,
    [NET_REDUCE] = PSINS_LOGARITHMIC,
    [NET_ALLREDUCE] = PSINS_LOGARITHMIC,
    [NET_GATHER] = PSINS_LINEAR,
    [NET_GATHERV] = PSINS_LINEAR,
    [NET_SCATTER] = PSINS_LINEAR,
    [NET_SCATTERV] = PSINS_LINEAR,
    [NET_ALLGATHER] = PSINS_LINEAR,
    [NET_ALLGATHERV] = PSINS_LINEAR,
    [NET_ALLTOALL] = PSINS_LINEAR,
    [NET_ALLTOALLV] = PSINS_LINEAR,
    [NET_ALLTOALLW] = PSINS_LINEAR,
    [NET_REDUCE_SCATTER] = PSINS_LINEAR,
    [NET_REDUCE_SCATTER_BLOCK] = PSINS_LINEAR,
    [NET_SCAN] = PSINS_LOGARITHMIC,
    [NET_EXSCAN] = PSINS_LOGARITHMIC,
};

static int growth_put(void *self, enum net_coll k, const char *word, size_t n, struct err *err)
{
	static const struct {
		const char *word;
		enum psins_growth growth;
	} words[] = {
	    {"con", PSINS_CONSTANT},
	    {"const", PSINS_CONSTANT},
	    {"constant", PSINS_CONSTANT},
	    {"log", PSINS_LOGARITHMIC},
	    {"logarithmic", PSINS_LOGARITHMIC},
	    {"lin", PSINS_LINEAR},
	    {"linear", PSINS_LINEAR},
	};
	struct psins *p = self;
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i].word) == n && text_same_n(words[i].word, word, n)) {
			p->growth[k] = words[i].growth;
			return 0;
		}
	}
	return err_set(err, ERR_INPUT,
	               "\"%.*s\" is not con (constant), log (logarithmic) or lin (linear)", (int)n,
	               word);
}

int psins_growth_read(struct psins *p, const struct net *n, struct err *err)
{
	memcpy(p->growth, usual, sizeof usual);
	return bus_collectives_parse(n, CFG_PSINS_COLLECTIVES, growth_put, p, err);
}

int psins_settings(const struct net *n, struct err *err)
{
	struct psins unused = {0};

	return psins_growth_read(&unused, n, err);
}

static double growth(enum psins_growth g, uint32_t p)
{
	uint32_t k = 0;

	if (p < 2 || g == PSINS_CONSTANT)
		return p > 1;
	if (g == PSINS_LINEAR)
		return (double)p - 1;
	while (k < 32 && (UINT64_C(1) << k) < p)
		k++;
	return k;
}

int psins_collective(struct net *n, void *state, const struct net_collective *c, double *seconds,
                     struct err *err)
{
	struct psins *p = state;
	const struct bus_group *g = bus_group(&p->machine, n, c, err);
	struct bus_way w;

	if (!g)
		return -1;
	w.latency = g->nodes > 1 ? g->latency : g->classes[0].latency;
	w.bandwidth = g->nodes > 1 ? g->bandwidth : g->classes[0].bandwidth;
	*seconds = growth(p->growth[c->kind], c->n) * (w.latency + bus_body(&w, bus_block(c)));
	return 0;
}
