/* prop_queues.c: laws of the models whose messages wait for parts of the machine, on random
 * messages:
 *   PSINS: the arrivals of its description, k servers and first sent, first served, done naively;
 *   Dimemas: never more messages at once through a link in, a link out or the busses than there
 *     are; and none waits while all it needs is free;
 *   all: nothing sooner than alone; twice the bandwidth, half the latency and half the dates halve
 *     every arrival; nodes with other numbers change nothing.
 * Latency, bandwidth, sizes and dates are dyadic, so that sums are exact whatever their order.
 * PROP_SEED and PROP_CASES repeat or lengthen a run. */
#include "unit/net/models.h"

#include <math.h>

enum { NODES = 8, MESSAGES = 40 };
#define LATENCY 0x1p-10
#define BANDWIDTH 0x1p20
#define CROSSBAR \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-7' " \
	"speed='1Gf' bw='125MBps' lat='50us' " \
	"loopback_bw='1GBps' loopback_lat='1us'/></platform>"

static const char *const names[NODES] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};

enum queue_model { PSINS_BUS, PSINS_IN, PSINS_OUT, DIMEMAS, QUEUE_MODELS };
static const char *const model_names[QUEUE_MODELS] = {"psins-bus", "psins-in", "psins-out",
                                                      "dimemas"};

struct law {
	uint64_t seed;
	enum queue_model model;
	uint32_t busses, in, out; /* 0: no limit */
	uint32_t n, from[MESSAGES], to[MESSAGES];
	struct sent sent[MESSAGES];
	double arrival[MESSAGES];
};

static void settings_write(const struct law *l, double scale, char *buf, size_t size)
{
	snprintf(buf, size,
	         "network/model:%s psins/latency:%.17g psins/bandwidth:%.17g "
	         "psins/local-latency:%.17g psins/local-bandwidth:%.17g psins/busses:%u "
	         "psins/in-links:%u psins/out-links:%u",
	         model_names[l->model], LATENCY / scale, BANDWIDTH * scale, LATENCY / scale,
	         BANDWIDTH * scale, l->busses, l->in, l->out);
}

static void find(struct law *l, double scale, double *arrival)
{
	char settings[512];

	settings_write(l, scale, settings, sizeof settings);
	arrivals_find(CROSSBAR, settings, l->sent, l->n, arrival);
}

/* Messages in the order of their dates, none of a node to itself, which no model lets wait. */
static void law_draw(struct law *l, uint64_t seed)
{
	struct rng r;
	double date = 0;

	rng_init(&r, seed, "queues", 0);
	*l = (struct law){.seed = seed,
	                  .model = (enum queue_model)rng_below(&r, QUEUE_MODELS),
	                  .busses = (uint32_t)rng_below(&r, 4),
	                  .in = (uint32_t)rng_below(&r, 3),
	                  .out = (uint32_t)rng_below(&r, 3),
	                  .n = 1 + (uint32_t)rng_below(&r, MESSAGES)};
	for (uint32_t i = 0; i < l->n; i++) {
		l->from[i] = (uint32_t)rng_below(&r, NODES);
		l->to[i] = (l->from[i] + 1 + (uint32_t)rng_below(&r, NODES - 1)) % NODES;
		date += (double)rng_below(&r, 3) * 0x1p-6;
		l->sent[i] = (struct sent){.date = date,
		                           .from = names[l->from[i]],
		                           .to = names[l->to[i]],
		                           .bytes = (double)rng_below(&r, 64) * 0x1p13};
	}
	find(l, 1, l->arrival);
}

static double body(const struct law *l, uint32_t i)
{
	return l->sent[i].bytes / BANDWIDTH;
}

static void check_is(const struct law *l, const char *law, uint32_t i, double got, double expected)
{
	if (got != expected)
		fail_msg("seed %llu, %s, message %u: %s: %.17g s, not %.17g",
		         (unsigned long long)l->seed, model_names[l->model], i, law, got, expected);
}

/* Of which queue a message is, and how many servers that has. */
static uint32_t queue_of(const struct law *l, uint32_t i, uint32_t *servers)
{
	*servers = l->model == PSINS_BUS ? l->busses : l->model == PSINS_IN ? l->in : l->out;
	return l->model == PSINS_BUS ? 0 : l->model == PSINS_IN ? l->to[i] : l->from[i];
}

/* Tikir et al. 2009, 3.1: the server that is free first, from then or from the date of the sending
 * on; the latency behind. */
static void check_first_come(const struct law *l)
{
	double until[NODES][4] = {{0}};
	uint32_t servers;

	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t q = queue_of(l, i, &servers), first = 0;
		double start = l->sent[i].date;

		for (uint32_t k = 1; k < servers; k++)
			first = until[q][k] < until[q][first] ? k : first;
		if (servers)
			start = fmax(start, until[q][first]);
		until[q][first] = start + body(l, i);
		check_is(l, "first come", i, l->arrival[i], start + body(l, i) + LATENCY);
	}
}

/* Dimemas: a message holds its parts from `arrival - body` to its arrival. How many hold one at a
 * date; none: if there is no limit. */
struct held {
	uint32_t busses, in, out;
};

static struct held held_at(const struct law *l, uint32_t of, double date)
{
	struct held h = {0};

	for (uint32_t i = 0; i < l->n; i++) {
		if (!(l->arrival[i] - body(l, i) <= date && date < l->arrival[i]))
			continue;
		h.busses++;
		h.in += l->to[i] == l->to[of];
		h.out += l->from[i] == l->from[of];
	}
	return h;
}

static int some_part_full(const struct law *l, struct held h)
{
	return (l->busses && h.busses >= l->busses) || (l->in && h.in >= l->in) ||
	       (l->out && h.out >= l->out);
}

static void check_parts(const struct law *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		double ready = l->sent[i].date + LATENCY, start = l->arrival[i] - body(l, i);
		struct held h = held_at(l, i, start);

		if ((l->busses && h.busses > l->busses) || (l->in && h.in > l->in) ||
		    (l->out && h.out > l->out))
			fail_msg("seed %llu: at %.17g s more hold a part than there are",
			         (unsigned long long)l->seed, start);
		if (start > ready && !some_part_full(l, held_at(l, i, ready)))
			fail_msg("seed %llu: message %u waits from the start for nothing",
			         (unsigned long long)l->seed, i);
		for (uint32_t k = 0; k < l->n; k++) {
			double end = l->arrival[k];

			if (end > ready && end < start && !some_part_full(l, held_at(l, i, end)))
				fail_msg("seed %llu: message %u waits at %.17g s for nothing",
				         (unsigned long long)l->seed, i, end);
		}
	}
}

static void check_alone(const struct law *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->arrival[i] < l->sent[i].date + LATENCY + body(l, i))
			fail_msg("seed %llu: message %u is faster than alone",
			         (unsigned long long)l->seed, i);
}

static void check_scaling(const struct law *l)
{
	struct law half = *l;

	for (uint32_t i = 0; i < l->n; i++)
		half.sent[i].date /= 2;
	find(&half, 2, half.arrival);
	for (uint32_t i = 0; i < l->n; i++)
		check_is(l, "everything twice as fast", i, half.arrival[i], l->arrival[i] / 2);
}

static void check_renamed(const struct law *l)
{
	struct law other = *l;

	for (uint32_t i = 0; i < l->n; i++) {
		other.sent[i].from = names[(5 * l->from[i] + 3) % NODES];
		other.sent[i].to = names[(5 * l->to[i] + 3) % NODES];
	}
	find(&other, 1, other.arrival);
	for (uint32_t i = 0; i < l->n; i++)
		check_is(l, "nodes renamed", i, other.arrival[i], l->arrival[i]);
}

static void laws(void **state)
{
	const char *seed = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = seed ? strtoull(seed, NULL, 10) : 1,
	         n = cases ? strtoull(cases, NULL, 10) : 300;

	(void)state;
	for (uint64_t i = from; i < from + n; i++) {
		struct law l;

		law_draw(&l, i);
		check_alone(&l);
		if (l.model == DIMEMAS)
			check_parts(&l);
		else
			check_first_come(&l);
		check_scaling(&l);
		check_renamed(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
