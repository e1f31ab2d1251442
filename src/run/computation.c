/* computation.c: see computation.h. */
#include "computation.h"

#include <stdlib.h>
#include <string.h>

int computation_take(struct computation *c, const char *text, struct err *err)
{
	if (!text || strcmp(text, "measured") == 0) {
		c->kind = LIVE_MEASURED;
		return 0;
	}
	c->kind = LIVE_NONE;
	if (strcmp(text, "none") == 0)
		return 0;
	if (amounts_read(&c->amounts, text, err) < 0)
		return -1;
	c->has_amounts = 1;
	if (c->amounts.rest == AMOUNTS_MEASURED)
		c->kind = LIVE_MEASURED;
	return 0;
}

/* --- amounts --- */

static int32_t amount_find(void *self, const char *name)
{
	struct computation *c = self;
	uint32_t i = hash_str_find(&c->amounts.index, name);

	if (i == HASH_NONE)
		return -1;
	c->amounts.amount[i].met = 1;
	return (int32_t)i;
}

/* Lines of the file that were of no use: the program was changed or compiled anew, say. */
static void unmet_notice(const struct computation *c, struct str *out)
{
	const struct hash_str *index = &c->amounts.index;
	const char *name = NULL;
	uint32_t unmet = 0, first = 0;

	for (uint32_t i = 0; index->n && i <= index->mask; i++) {
		uint32_t at = index->slots[i].value;

		if (!index->slots[i].key || c->amounts.amount[at].met)
			continue;
		if (unmet++ == 0 || at < first) {
			name = index->slots[i].key;
			first = at;
		}
	}
	if (unmet)
		str_printf(out,
		           "regions of --computation that were never computed: %u of %u, the first "
		           "%s (--profile lists those that were)\n",
		           unmet, c->amounts.n, name);
}

static double amount_seconds(void *self, uint32_t rank, int32_t id, double volume)
{
	const struct computation *c = self;
	const struct amount *a = id < 0 ? NULL : &c->amounts.amount[id];

	(void)volume;
	if (!a)
		return c->amounts.rest == AMOUNTS_SECONDS ? c->amounts.seconds : -1;
	return a->is_volume ? a->value / net_host_speed(mp_net(c->mp), mp_host(c->mp, rank))
	                    : a->value;
}

/* --- rates --- */

static int32_t rate_find(void *self, const char *name)
{
	const struct computation *c = self;
	uint32_t i = hash_str_find(&c->rates.region_index, name);

	return i == HASH_NONE ? RATES_ANY : (int32_t)i;
}

static double rate_seconds(void *self, uint32_t rank, int32_t id, double volume)
{
	struct computation *c = self;
	enum rates_source source;
	double seconds = volume > 0 ? volume / rates_find(&c->rates, id, c->rates_host[rank],
	                                                  volume, c->working_set, &source)
	                            : 0;

	if (volume > 0 && source == RATES_UNKNOWN) {
		c->unknown++;
		c->unknown_s += seconds;
	}
	return seconds;
}

double computation_rest(const struct computation *c, double nanoseconds)
{
	return nanoseconds / c->rates.speed;
}

/* Volumes are measured in nanoseconds here. */
static int counter_check(struct computation *c, const struct config *cfg, struct str *notices,
                         struct err *err)
{
	const char *counter = c->rates.counter;

	if (!counter || !*counter || !strcmp(counter, "?") || !strcmp(counter, "cputime")) {
		c->has_rates = 1;
		return 0;
	}
	if (config_from(cfg, CFG_COMPUTATION_RATES) == CFG_FROM_USER)
		return err_set(err, ERR_INPUT,
		               "%s: rates of volumes counted by '%s', but a run measures processor "
		               "time: trace the program with the counter "
		               "cputime, here ('--volumes') and there, and calibrate with both "
		               "(docs/calibration.md)",
		               config_text(cfg, CFG_COMPUTATION_RATES), counter);
	str_printf(notices,
	           "the machine's rates of computation (%s) are not used: a run measures processor "
	           "time, not '%s'\n",
	           config_text(cfg, CFG_COMPUTATION_RATES), counter);
	return 0;
}

static int rates_start(struct computation *c, const struct config *cfg, struct str *notices,
                       struct err *err)
{
	uint32_t ranks = mp_ranks(c->mp);
	char name[256];

	if (rates_read(&c->rates, config_text(cfg, CFG_COMPUTATION_RATES), err) < 0 ||
	    counter_check(c, cfg, notices, err) < 0)
		return -1;
	c->working_set = config_number(cfg, CFG_COMPUTATION_WORKING_SET);
	c->rates_host = malloc((size_t)ranks * sizeof *c->rates_host);
	if (!c->rates_host)
		return err_nomem(err, "hosts of ranks", (size_t)ranks * sizeof *c->rates_host);
	for (uint32_t i = 0; i < ranks; i++)
		c->rates_host[i] = rates_host_find(
		    &c->rates, platform_host_name(net_platform(mp_net(c->mp)), mp_host(c->mp, i),
		                                  name, sizeof name));
	return 0;
}

int computation_start(struct computation *c, struct mp *mp, const struct config *cfg,
                      struct live_regions *out, struct str *notices, struct err *err)
{
	c->mp = mp;
	*out = (struct live_regions){.self = c};
	if (c->kind == LIVE_MEASURED && !c->has_amounts &&
	    *config_text(cfg, CFG_COMPUTATION_RATES) && rates_start(c, cfg, notices, err) < 0)
		return -1;
	if (c->has_amounts) {
		out->find = amount_find;
		out->seconds = amount_seconds;
	} else if (c->has_rates) {
		out->find = rate_find;
		out->seconds = rate_seconds;
	}
	return 0;
}

void computation_notices(const struct computation *c, struct str *out)
{
	unmet_notice(c, out);
	if (c->unknown)
		str_printf(out,
		           "%llu computations (%.3g s) are of regions without calibrated rates: "
		           "they went at the rate of all\n",
		           (unsigned long long)c->unknown, c->unknown_s);
}

void computation_release(struct computation *c)
{
	amounts_release(&c->amounts);
	rates_release(&c->rates);
	free(c->rates_host);
	c->rates_host = NULL;
}
