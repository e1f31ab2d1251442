/* rules.c: where SimGrid does otherwise than is right, one rule for each difference; chosen by
 * compat. Who obeys a rule asks for it by name, and for nothing else. */
#include "mp_int.h"

static const struct mp_rules simgrid = {
    .turns = 1,
    .messages_last = 1,
    .common_failures = 1,
    .found_late = 1,
    .testany_grows = 1,
    .each_pays = 1,
    .waitsome_tests = 1,
    .probe_polls = 1,
    .looks_cost = 1,
    .eager_first = 1,
    .self_pays = 1,
    .first_section = 1,
    .few_overheads = 1,
    .operators = 1,
    .linear_icolls = 1,
    .free_comms = 1,
    .no_notice = 1,
    .coll_compat = 1,
};

struct mp_rules rules_read(const struct config *cfg)
{
	struct mp_rules rules = simgrid;

	rules.shortest_sleep = config_number(cfg, CFG_PRECISION_TIME);
	return config_compat(cfg) ? rules : (struct mp_rules){0};
}
