/* repeat.c: see repeat.h. */
#include "repeat.h"

#include "spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- seeds --- */

/* Of the run of the first seed, which another process makes: in memory that it shares with us. */
struct first_run {
	struct sim_trust trust;
	char about[1 << 16];
};

struct seeds {
	const struct repeat *repeat;
	uint64_t first;
	struct first_run *run;
};

/* The seed goes last: of two that are given, that one counts. */
static struct sim *seed_new(const struct seeds *seeds, uint64_t seed, struct err *err)
{
	const struct repeat *r = seeds->repeat;
	struct sim_options o = *r->options;
	struct sim_setting *all = malloc(((size_t)o.n_settings + 1) * sizeof *all);
	struct sim *s;
	char text[32];

	if (!all) {
		err_nomem(err, "settings", (size_t)o.n_settings * sizeof *all);
		return NULL;
	}
	snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
	if (o.n_settings)
		memcpy(all, o.setting, o.n_settings * sizeof *all);
	all[o.n_settings++] = (struct sim_setting){"noise/seed", text};
	o.setting = all;
	s = sim_new(&o, r->source, err);
	free(all);
	return s;
}

static int noise_check(const struct repeat *r, const struct sim *sim, struct err *err)
{
	if (sim_has_noise(sim))
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "%s: --runs draws noise, and there is none to draw: give a machine written by "
	    "'orrery calibrate network' or 'calibrate noise', --rates, or --cfg noise/network:…, "
	    "noise/compute:…, noise/detours:…, noise/periodic:…, noise/sleep:…, "
	    "noise/run-network:… or noise/run-compute:…, or leave noise/model on",
	    r->who);
}

static void first_describe(const struct seeds *s, const struct sim *sim)
{
	const struct repeat *r = s->repeat;
	struct str about;

	if (!r->describe)
		return;
	str_init(&about);
	r->describe(r->self, sim, &about);
	if (!about.failed && about.n > 0 && about.n < sizeof s->run->about)
		memcpy(s->run->about, about.s, about.n);
	str_release(&about);
}

static void seed_result(const struct seeds *s, const struct sim *sim, uint64_t seed, double *end)
{
	struct mp_stats st;

	sim_stats(sim, &st);
	*end = st.end;
	if (seed != s->first)
		return;
	sim_trust(sim, &s->run->trust);
	s->run->trust.drawn = config_bool(sim_config(sim), CFG_NOISE_MODEL);
	first_describe(s, sim);
}

/* Figures that are computed of a profile want all of it. */
static int run_whole(struct sim *sim, struct err *err)
{
	if (sim_run(sim, err) < 0)
		return -1;
	if (!sim_lost(sim)->kind)
		return 0;
	*err = *sim_lost(sim);
	return -1;
}

/* Silent, but for the notices of the run of the first seed. */
static int seed_run(void *self, uint64_t seed, double *end, struct err *err)
{
	const struct seeds *s = self;
	const struct repeat *r = s->repeat;
	struct sim *sim = seed_new(s, seed, err);
	int rc = -1;

	if (sim && noise_check(r, sim, err) == 0) {
		rc = run_whole(sim, err);
		if (seed == s->first)
			r->tell(r->self, sim_notices(sim));
	}
	if (rc == 0)
		seed_result(s, sim, seed, end);
	sim_free(sim);
	return rc;
}

int repeat_seeds(const struct repeat *r, int runs, uint64_t seed, double *end,
                 struct sim_trust *trust, struct err *err)
{
	struct seeds s = {.repeat = r, .first = seed};
	int rc;

	s.run = mmap(NULL, sizeof *s.run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	             0);
	if (s.run == MAP_FAILED)
		return err_nomem(err, "runs", sizeof *s.run);
	rc = spread_run(seed_run, &s, runs, seed, end, err);
	*trust = s.run->trust;
	if (r->about)
		str_puts(r->about, s.run->about);
	for (int i = 0; i < runs && rc == 0 && trust->drawn; i++)
		end[i] *= trust_draw(trust, seed + (uint64_t)i);
	munmap(s.run, sizeof *s.run);
	return rc;
}

/* --- machines --- */

static void result_make(const struct sim *sim, double *first, struct repeat_result *out)
{
	struct sim_trust trust;
	struct mp_stats st;

	sim_stats(sim, &st);
	sim_trust(sim, &trust);
	if (*first < 0)
		*first = st.end;
	*out = (struct repeat_result){.sim = sim,
	                              .end = st.end,
	                              .ratio = *first > 0 ? st.end / *first : 1,
	                              .reach = trust_reach(&trust),
	                              .cut = trust.cut};
	sim_shares(sim, &out->shares);
}

int repeat_machines(const struct repeat *r, const char *const *machine, int n,
                    int (*each)(void *self, const struct repeat_result *res, struct err *err),
                    void *self, struct err *err)
{
	struct sim_options o = *r->options;
	double first = -1;
	int rc = 0;

	for (int i = 0; i < n && rc == 0; i++) {
		struct repeat_result res;
		struct sim *sim;

		o.machine = machine[i];
		sim = sim_new(&o, r->source, err);
		rc = sim ? run_whole(sim, err) : -1;
		if (sim)
			r->tell(r->self, sim_notices(sim));
		if (rc == 0) {
			result_make(sim, &first, &res);
			rc = each(self, &res, err);
		}
		sim_free(sim);
	}
	return rc;
}
