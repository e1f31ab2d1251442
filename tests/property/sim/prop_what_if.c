/* prop_what_if.c: random programs on a machine twice as fast: half the latency, twice the bandwidth
 * and speed and half the overheads halve the end, however the overheads' tables are written; and
 * factors of one change nothing. One figure alone has no such law: messages that
 * meet otherwise may end earlier on a slower processor (Graham 1969). PROP_SEED repeats a run. */
#include "sim/sim.h"

#include "base/rng.h"
#include "tmp.h"

enum { CASES = 40, RANKS = 4, ROUNDS = 12 };

#define MACHINE \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3' " \
	"speed='1Gf' bw='100MBps' lat='10us'/>" \
	"</platform>"

struct world {
	struct tmp tmp;
	char machine[256], trace[256];
	const char *overheads;
	uint64_t seed;
};

/* Computations, messages around the ring, and collectives of all. */
static void program_draw(struct rng *r, struct str *out)
{
	str_puts(out, "# orrery-trace 1\n");
	for (int i = 0; i < ROUNDS; i++) {
		unsigned bytes = 1u << rng_below(r, 20);
		uint64_t what = rng_below(r, 3);

		for (int rank = 0; rank < RANKS; rank++) {
			if (what == 0)
				str_printf(out, "%d compute %u\n", rank, 1u << rng_below(r, 24));
			else if (what == 1)
				str_printf(out, "%d sendRecv %u %d %u %d 6 6\n", rank, bytes,
				           (rank + 1) % RANKS, bytes, (rank + RANKS - 1) % RANKS);
			else
				str_printf(out, "%d bcast %u 0 6\n", rank, bytes);
		}
	}
}

static double end_of(const struct world *w, const char *what_if)
{
	const struct sim_setting settings[] = {{"smpi/os", w->overheads},
	                                       {"smpi/or", w->overheads}};
	struct sim_replay replay = {.path = w->trace};
	struct sim_source source = sim_replay_source(&replay);
	struct sim_options o = {
	    .machine = w->machine, .setting = settings, .n_settings = 2, .what_if = what_if};
	struct err err = {0};
	struct mp_stats st;
	struct sim *s = sim_new(&o, &source, &err);

	if (!s || sim_run(s, &err) < 0)
		fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.text);
	sim_stats(s, &st);
	sim_free(s);
	return st.end;
}

static void check_close(const struct world *w, const char *what_if, double expected)
{
	double end = end_of(w, what_if);

	if (!(end >= expected * (1 - 1e-12) && end <= expected * (1 + 1e-12)))
		fail_msg("seed %llu, overheads %s, %s: %.17g s, not %.17g",
		         (unsigned long long)w->seed, w->overheads, what_if, end, expected);
}

static void check_laws(const struct world *w)
{
	double end = end_of(w, NULL);

	check_close(w, "latency=0.5x,bandwidth=2x,speed=2x,os=0.5x", end / 2);
	check_close(w, "os=4x,speed=0.25x,bandwidth=0.25x,latency=4x", 4 * end);
	check_close(w, "bandwidth=1x,latency=1x,speed=1x,os=1x", end);
}

static void laws(void **state)
{
	static const char *const overheads[] = {"0", "2us", "0:1e-6:1e-9;1000:3e-6",
	                                        "0:1us:1ns;1000:3us ;\n50000:4us", "5e-6"};
	const char *seed = getenv("PROP_SEED");
	uint64_t from = seed ? strtoull(seed, NULL, 10) : 1, n = seed ? 1 : CASES;

	(void)state;
	for (uint64_t i = from; i < from + n; i++) {
		struct world w = {.overheads = overheads[i % 5], .seed = i};
		struct rng r;
		struct str text;

		rng_init(&r, i, "what if", 0);
		str_init(&text);
		program_draw(&r, &text);
		tmp_init(&w.tmp);
		snprintf(w.machine, sizeof w.machine, "%s", tmp_write(&w.tmp, "p.xml", MACHINE));
		snprintf(w.trace, sizeof w.trace, "%s", tmp_write(&w.tmp, "t.tit", text.s));
		check_laws(&w);
		tmp_release(&w.tmp);
		str_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
