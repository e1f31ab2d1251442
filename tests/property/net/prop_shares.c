/* prop_shares.c: what ranks and messages share besides links, at random, beside one_link.h. Ranks
 * of a socket share its memory: each moves so many bytes a second at full speed, and all together
 * no more than it gives. An idle link sends the first bytes at once: its bucket, kept here from
 * message to message, fills at the link's rate and is emptied by what is sent, headers too. */
#include "../../unit/net/models.h"
#include "../prop.h"
#include "one_link.h"

static double scale(struct rng *r, double least, double most)
{
	return least * pow(most / least, rng_unit(r));
}

/* --- memory --- */

enum { RANKS = ONE_FLOWS, SOCKETS_MOST = 3 };

struct ranks {
	double speed, bandwidth, traffic, volume[RANKS], date[RANKS];
	int sockets, n, socket[RANKS];
};

static void ranks_draw(struct rng *r, struct ranks *k)
{
	k->speed = scale(r, 1e8, 1e10);
	k->traffic = scale(r, 1e8, 1e10);
	k->bandwidth = k->traffic *
	               (0.3 + 3 * rng_unit(r)); /* of so many ranks, or less than one */
	k->sockets = (int)prop_from(r, 1, SOCKETS_MOST);
	k->n = (int)prop_from(r, 1, RANKS);
	for (int i = 0; i < k->n; i++) {
		k->volume[i] = k->speed * scale(r, 0.1, 10);
		k->date[i] = prop_once_in(r, 2) ? 0 : 3 * rng_unit(r);
		k->socket[i] = (int)rng_below(r, (uint64_t)k->sockets);
	}
}

/* Each begins at its date; when each has ended. */
static void computed(const struct ranks *k, double *end)
{
	char machine[512], settings[256];
	struct fixture f;
	struct completion c;
	struct activity_id a;
	int r;

	snprintf(machine, sizeof machine,
	         "<platform version='4.1'><zone id='z' routing='Full'><host id='a' core='%d' "
	         "speed='%.17gf'/></zone></platform>",
	         RANKS, k->speed);
	snprintf(settings, sizeof settings,
	         "memory/sockets:%d memory/bandwidth:%.17g computation/memory-traffic:%.17g",
	         k->sockets, k->bandwidth, k->traffic);
	fixture_init(&f, machine, settings);
	if (!f.net)
		fail_msg("%s", f.err.text);
	for (int i = 0; i < k->n; i++)
		assert_ok(
		    engine_timer(net_engine(f.net), k->date[i], TIMER + (uint64_t)i, &a, &f.err),
		    f.err);
	while ((r = net_next(f.net, &c, &f.err)) > 0) {
		uint64_t i = c.user >= TIMER ? c.user - TIMER : c.user;

		if (c.user >= TIMER)
			assert_ok(net_compute(f.net, (struct host_id){0}, (uint32_t)k->socket[i],
			                      k->volume[i], i, &a, &f.err),
			          f.err);
		else
			end[i] = engine_now(net_engine(f.net));
	}
	assert_ok(r, f.err);
	fixture_release(&f);
}

/* A socket's memory is a link of its bandwidth, of which a rank takes traffic / speed for each
 * instruction (kept in single precision), and runs no faster than its speed. */
static void socket_check(const struct ranks *k, int socket, const double *end, uint64_t seed)
{
	struct one_link l = {.coefficient = (double)(float)(k->traffic / k->speed),
	                     .bandwidth = {k->bandwidth},
	                     .steps = 1};
	int who[RANKS];

	for (int i = 0; i < k->n; i++)
		if (k->socket[i] == socket) {
			who[l.n] = i;
			l.flow[l.n++] = (struct one_flow){.start = k->date[i],
			                                  .amount = k->volume[i],
			                                  .weight = 1,
			                                  .bound = k->speed};
		}
	one_link_run(&l);
	for (int i = 0; i < l.n; i++)
		if (fabs(end[who[i]] - l.flow[i].arrival) > 1e-9 * l.flow[i].arrival)
			fail_msg("seed %llu, rank %d of %d on its socket: %.12g s, not %.12g",
			         (unsigned long long)seed, i, l.n, end[who[i]], l.flow[i].arrival);
}

static void memory_of_sockets(void **state)
{
	struct prop_run run = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		double end[RANKS];
		struct ranks k;
		struct rng r;

		rng_init(&r, run.seed + i, "memory", 0);
		ranks_draw(&r, &k);
		computed(&k, end);
		for (int s = 0; s < k.sockets; s++)
			socket_check(&k, s, end, run.seed + i);
	}
}

/* --- bursts --- */

/* In order of dates: what the bucket gives each message, and what is left for its flow. */
static void bucket_run(const struct sent *s, int n, double bandwidth, double burst, double header,
                       struct one_link *l)
{
	double level = burst, date = 0;

	*l = (struct one_link){.n = n, .coefficient = 1, .bandwidth = {bandwidth}, .steps = 1};
	for (int i = 0; i < n; i++) {
		double taken = s[i].bytes + header, given;

		level = fmin(burst, level + (s[i].date - date) * bandwidth);
		date = s[i].date;
		/* What is there, and no more than it needs; headers are in front. */
		given = fmax(0, fmin(level, fmin(taken, burst)));
		level -= taken;
		l->flow[i] = (struct one_flow){.start = s[i].date,
		                               .amount = taken - given,
		                               .weight = 1,
		                               .bound = bandwidth,
		                               .arrival = s[i].date};
	}
	one_link_run(l);
}

static void bursts(void **state)
{
	struct prop_run run = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		char machine[512], settings[256];
		double arrival[ONE_FLOWS] = {0}, bandwidth, burst, header, date = 0;
		struct sent sent[ONE_FLOWS];
		struct one_link l;
		struct rng r;
		int n;

		rng_init(&r, run.seed + i, "bursts", 0);
		n = (int)prop_from(&r, 1, ONE_FLOWS);
		bandwidth = scale(&r, 1e6, 1e9);
		burst = floor(scale(&r, 1e3, 1e6));
		header = prop_once_in(&r, 2) ? 0 : floor(scale(&r, 10, 500));
		for (int k = 0; k < n; k++) {
			sent[k] = (struct sent){.date = date,
			                        .from = "a",
			                        .to = "b",
			                        .bytes = floor(scale(&r, 1, 10) * burst / 5)};
			date += prop_once_in(&r, 3) ? 0 : burst / bandwidth * 3 * rng_unit(&r);
		}
		snprintf(
		    machine, sizeof machine,
		    "<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1f'/>"
		    "<host id='b' speed='1f'/><link id='l' bandwidth='%.17gBps' latency='0'/>"
		    "<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>",
		    bandwidth);
		snprintf(settings, sizeof settings,
		         "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 "
		         "network/burst:%.0f network/burst-header:%.0f",
		         burst, header);
		arrivals_find(machine, settings, sent, (uint32_t)n, arrival);
		bucket_run(sent, n, bandwidth, burst, header, &l);
		for (int k = 0; k < n; k++)
			if (fabs(arrival[k] - l.flow[k].arrival) > 1e-9 * l.flow[k].arrival)
				fail_msg("seed %llu, message %d of %d: %.12g s, not %.12g",
				         (unsigned long long)(run.seed + i), k, n, arrival[k],
				         l.flow[k].arrival);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_sockets),
	                                   cmocka_unit_test(bursts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
