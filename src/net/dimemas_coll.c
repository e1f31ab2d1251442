/* dimemas_coll.c: collectives in Dimemas's model: when all members have come,
 *
 *     duration = fan-in + fan-out between the nodes + the greatest over nodes of fan-in + fan-out
 *     inside it
 *     fan      = factor x (latency + size / bandwidth)
 *
 *     factor   0: 0;  CT: 1;  LIN: P - 1;  LOG: ceil(log2 P) stages, of which stage i takes
 *              ceil(m_i / busses) turns, for its m_i = ceil((P - 2^i) / 2^(i+1)) messages at once
 *              (1 if busses have no limit);   nothing if P < 2
 *     size     MIN, MAX, MEAN, 2MAX, S+R of the bytes sent and received by the root, or most by any
 *              member
 *
 * P: nodes that members are on, or members on one node. Inside a node busses have no limit.
 *
 * Sources: Girona, Labarta, Badia, EuroPVM/MPI 2000 (formulas); Dimemas 5.5.0 (P - 1; turns); the
 * table of operations is the one that PMaC's PSaPP gives Dimemas. */
#include "dimemas.h"

#include <string.h>

#define FAN(model_, size_) \
	{ \
		.model = FAN_##model_, .size = FAN_##size_ \
	}

static const struct {
	struct fan in, out;
} usual[NET_COLLS] = {
    [NET_BARRIER] = {FAN(LINEAR, MAX), FAN(LINEAR, MAX)},
    [NET_BCAST] = {FAN(0, MIN), FAN(LOGARITHMIC, MAX)},
    [NET_REDUCE] = {FAN(LOGARITHMIC, 2MAX), FAN(0, MAX)},
    [NET_ALLREDUCE] = {FAN(LOGARITHMIC, 2MAX), FAN(LOGARITHMIC, MAX)},
    [NET_GATHER] = {FAN(LOGARITHMIC, MEAN), FAN(0, MAX)},
    [NET_GATHERV] = {FAN(LOGARITHMIC, MEAN), FAN(0, MAX)},
    [NET_SCATTER] = {FAN(LOGARITHMIC, MEAN), FAN(0, MAX)},
    [NET_SCATTERV] = {FAN(LOGARITHMIC, MEAN), FAN(0, MAX)},
    [NET_ALLGATHER] = {FAN(LOGARITHMIC, MEAN), FAN(LOGARITHMIC, MEAN)},
    [NET_ALLGATHERV] = {FAN(LOGARITHMIC, MEAN), FAN(LOGARITHMIC, MEAN)},
    [NET_ALLTOALL] = {FAN(LOGARITHMIC, MEAN), FAN(LOGARITHMIC, MAX)},
    [NET_ALLTOALLV] = {FAN(LOGARITHMIC, MEAN), FAN(LOGARITHMIC, MAX)},
    [NET_ALLTOALLW] = {FAN(LOGARITHMIC, MEAN), FAN(LOGARITHMIC, MAX)},
    [NET_REDUCE_SCATTER] = {FAN(LOGARITHMIC, 2MAX), FAN(LOGARITHMIC, MIN)},
    [NET_REDUCE_SCATTER_BLOCK] = {FAN(LOGARITHMIC, 2MAX), FAN(LOGARITHMIC, MIN)},
    [NET_SCAN] = {FAN(LOGARITHMIC, MAX), FAN(LOGARITHMIC, MAX)},
    [NET_EXSCAN] = {FAN(LOGARITHMIC, MAX), FAN(LOGARITHMIC, MAX)},
};

/* --- the table in a setting --- */

struct fan_word {
	const char *word;
	uint8_t value;
};

/* The value of the word at s that ends at ':' or at `end`; advances *s behind it. -1: not one of
 * them. */
static int word_read(const struct fan_word *words, const char **s, const char *end, uint8_t *out)
{
	const char *colon = *s <= end ? memchr(*s, ':', (size_t)(end - *s)) : NULL;
	size_t n = *s <= end ? (size_t)((colon ? colon : end) - *s) : 0;
	int i;

	for (i = 0; words[i].word; i++) {
		if (strlen(words[i].word) == n && text_same_n(words[i].word, *s, n)) {
			*out = words[i].value;
			*s = colon ? colon + 1 : end + 1;
			return 0;
		}
	}
	return -1;
}

static int fans_put(void *self, enum net_coll k, const char *text, size_t n, struct err *err)
{
	static const struct fan_word models[] = {
	    {"0", FAN_0},        {"CT", FAN_CONSTANT},     {"CTE", FAN_CONSTANT},
	    {"LIN", FAN_LINEAR}, {"LOG", FAN_LOGARITHMIC}, {NULL, 0}};
	static const struct fan_word sizes[] = {{"MIN", FAN_MIN},   {"MAX", FAN_MAX},
	                                        {"MEAN", FAN_MEAN}, {"2MAX", FAN_2MAX},
	                                        {"S+R", FAN_SUM},   {NULL, 0}};
	const char *s = text, *end = text + n;
	struct dimemas *d = self;
	struct fan in, out;

	if (word_read(models, &s, end, &in.model) < 0 || word_read(sizes, &s, end, &in.size) < 0 ||
	    word_read(models, &s, end, &out.model) < 0 ||
	    word_read(sizes, &s, end, &out.size) < 0 || s != end + 1)
		return err_set(
		    err, ERR_INPUT,
		    "\"%.*s\" is not in-model:in-size:out-model:out-size, of models 0 CT LIN LOG "
		    "and sizes MIN MAX MEAN 2MAX S+R",
		    (int)n, text);
	d->in[k] = in;
	d->out[k] = out;
	return 0;
}

int dimemas_fans_read(struct dimemas *d, const struct net *n, struct err *err)
{
	int k;

	for (k = 0; k < NET_COLLS; k++) {
		d->in[k] = usual[k].in;
		d->out[k] = usual[k].out;
	}
	return bus_collectives_parse(n, CFG_DIMEMAS_COLLECTIVES, fans_put, d, err);
}

/* --- the formula --- */

static double fan_size(enum fan_size size, const struct net_collective *c)
{
	double most = c->sent > c->received ? c->sent : c->received;

	switch (size) {
	case FAN_MIN:
		return c->sent < c->received ? c->sent : c->received;
	case FAN_MEAN:
		return (c->sent + c->received) / 2;
	case FAN_2MAX:
		return 2 * most;
	case FAN_SUM:
		return c->sent + c->received;
	default:
		return most;
	}
}

static double stages(uint32_t p, uint32_t busses)
{
	uint64_t step, at_once, sum = 0;

	for (step = 1; step < p; step *= 2) {
		at_once = (p - step + 2 * step - 1) / (2 * step);
		sum += busses ? (at_once + busses - 1) / busses : 1;
	}
	return (double)sum;
}

static double factor(enum fan_model model, uint32_t p, uint32_t busses)
{
	if (p < 2 || model == FAN_0)
		return 0;
	if (model == FAN_CONSTANT)
		return 1;
	return model == FAN_LINEAR ? (double)p - 1 : stages(p, busses);
}

/* Fan-in and fan-out of p partners over ways of these figures. */
static double fans(const struct dimemas *d, const struct net_collective *c, uint32_t p,
                   uint32_t busses, double latency, double bandwidth)
{
	const struct fan *phase[2] = {&d->in[c->kind], &d->out[c->kind]};
	struct bus_way w = {.bandwidth = bandwidth};
	double sum = 0;
	int i;

	for (i = 0; i < 2; i++)
		sum += factor((enum fan_model)phase[i]->model, p, busses) *
		       (latency + bus_body(&w, fan_size((enum fan_size)phase[i]->size, c)));
	return sum;
}

int dimemas_collective(struct net *n, void *state, const struct net_collective *c, double *seconds,
                       struct err *err)
{
	struct dimemas *d = state;
	const struct bus_group *g = bus_group(&d->machine, n, c, err);
	double inside, most = 0;
	uint32_t i;

	if (!g)
		return -1;
	for (i = 0; i < g->n_classes; i++) {
		inside = fans(d, c, g->classes[i].members, 0, g->classes[i].latency,
		              g->classes[i].bandwidth);
		if (inside > most)
			most = inside;
	}
	*seconds = most + fans(d, c, g->nodes, d->machine.busses, g->latency, g->bandwidth);
	return 0;
}
