/* model_constant.c: every message lasts the same time (setting network/latency-factor, seconds),
 * whatever its size, its way and the others. The counterfactual "what if the network cost
 * nothing". */
#include "net_int.h"

#include <stdlib.h>

struct constant_model {
	double seconds;
};

static int constant_init(struct net *n, void **state, struct err *err)
{
	struct factor_table t;
	struct constant_model *m;

	if (factor_table_parse(&t, net_setting(n, CFG_NET_LATENCY_FACTOR), err) < 0)
		return -1;
	if (t.n != 1 || t.rows[0].value[0] < 0) {
		factor_table_release(&t);
		return err_set(
		    err, ERR_INPUT,
		    "setting network/latency-factor: model constant takes one duration in seconds, "
		    "such as --cfg network/latency-factor:1e-5, not a table");
	}
	m = malloc(sizeof *m);
	if (m)
		m->seconds = t.rows[0].value[0];
	factor_table_release(&t);
	*state = m;
	return m ? 0 : err_nomem(err, "constant model", sizeof *m);
}

static int constant_message(struct net *n, void *state, const struct net_send *s,
                            struct net_sent *out, struct err *err)
{
	const struct constant_model *m = state;

	part_tell(n, s->user, engine_now(n->engine), "what every message lasts");
	return engine_timer(n->engine, m->seconds * s->stretch, s->user, &out->activity, err);
}

static double constant_alone(struct net *n, void *state, struct host_id from, struct host_id to,
                             double bytes, struct err *err)
{
	const struct constant_model *m = state;

	(void)n;
	(void)from;
	(void)to;
	(void)bytes;
	(void)err;
	return m->seconds;
}

static void constant_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                             double bytes, struct str *out)
{
	const struct constant_model *m = state;

	(void)n;
	(void)from;
	(void)to;
	(void)bytes;
	str_printf(out, "every message lasts %g s.", m->seconds);
}

static const struct net_model_default defaults[] = {{CFG_NET_LATENCY_FACTOR, "1"},
                                                    {CFG_COUNT, NULL}};

static const enum config_id own[] = {CFG_NET_LATENCY_FACTOR, CFG_COUNT};

const struct net_model net_model_constant = {
    .name = "constant",
    .aliases = "",
    .help = "every message lasts network/latency-factor seconds",
    .defaults = defaults,
    .own = own,
    .init = constant_init,
    .release = free,
    .message = constant_message,
    .alone = constant_alone,
    .links = LINKS_UNKNOWN,
    .explain = constant_explain,
};
