/* by_hand.c: what a machine's factors are to the communication model that the user names. */
#include "net_int.h"

int net_factors_of(const char *model)
{
	const struct net_model *m = net_model_named(model);

	if (m == &net_model_hybrid || m == &net_model_ib)
		return 1;
	return m == &net_model_lv08 || m == &net_model_cm02 || m == &net_model_constant ? 0 : -1;
}

int net_knows_links(const char *model)
{
	const struct net_model *m = net_model_named(model);

	return m != &net_model_loggps && m != &net_model_constant;
}

static int factors_drop(struct config *cfg, const char *machine, struct str *told, struct err *err)
{
	static const enum config_id factors[] = {CFG_NET_LATENCY_FACTOR, CFG_NET_BANDWIDTH_FACTOR,
	                                         CFG_NET_WEIGHT_S};
	int dropped = 0;

	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		if (config_from(cfg, factors[i]) != CFG_FROM_PLATFORM)
			continue;
		dropped++;
		if (config_unset(cfg, factors[i], err) < 0)
			return -1;
	}
	if (dropped)
		str_printf(told,
		           "model %s was asked for: the factors of %s, which are for the hybrid "
		           "model, are left out\n",
		           net_model_named(config_text(cfg, CFG_NET_MODEL))->name, machine);
	return 0;
}

int net_model_by_hand(struct config *cfg, const char *machine, struct str *told, struct err *err)
{
	const char *model = config_text(cfg, CFG_NET_MODEL);
	int which = net_factors_of(model);

	if (config_compat(cfg)) {
		if (which >= 0 && config_factors_of(cfg, which, err) < 0)
			return -1;
	} else if (config_from(cfg, CFG_NET_MODEL) == CFG_FROM_USER && which == 0 &&
	           factors_drop(cfg, machine, told, err) < 0) {
		return -1;
	}
	if (net_model_named(model) == &net_model_constant &&
	    config_from(cfg, CFG_NET_LATENCY_FACTOR) <= CFG_FROM_MODEL)
		str_puts(told, "model constant: every message lasts 1 s, unless a setting says "
		               "otherwise, such as --cfg network/latency-factor:1e-5\n");
	return told->failed ? err_nomem(err, "what is told of the model", told->n + 1) : 0;
}
