/* unused.c: settings of the user that have no effect, which is told: those of another communication
 * model (net_model.own), and those that something else has to be set for. */
#include "net_int.h"

#include <string.h>

static int is_own(const struct net_model *m, enum config_id id)
{
	for (const enum config_id *own = m->own; own && *own != CFG_COUNT; own++)
		if (*own == id)
			return 1;
	return 0;
}

/* Nothing, if the setting is for all models. */
static void model_notice(const struct net *n, enum config_id id, struct str *out)
{
	int said = 0;

	if (is_own(n->model, id))
		return;
	for (const struct net_model *const *m = net_models; *m; m++) {
		if (!is_own(*m, id))
			continue;
		if (!said++)
			str_printf(out, "setting %s has no effect under model %s: it is for ",
			           config_table[id].name, n->model->name);
		else
			str_puts(out, ", ");
		str_puts(out, (*m)->name);
	}
	if (said)
		str_putc(out, '\n');
}

/* The parameters of sharing that reproduce SimGrid's are not there to be set without compat. A row
 * with a number holds while that setting is not above 0, one with a text while it has that. */
#define SEED "noise/seed (--cfg noise/seed:1), or --runs"

static const struct need {
	enum config_id id, needs;
	const char *lacks; /* NULL: a number */
	const char *what;
} needs[] = {
    {CFG_NET_OPTIM, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_NET_SELECTIVE, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_PRECISION_TIME, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_PRECISION_SHARE, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_NET_QUEUE, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_SEND_BUFFER, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_CONNECTION_SETUP, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_FIRST_CONTACT, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_NOTICE, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_NET_BURST_HEADER, CFG_NET_BURST, NULL, "network/burst"},
    {CFG_MEMORY_BANDWIDTH, CFG_MEMORY_TRAFFIC, NULL, "computation/memory-traffic"},
    {CFG_MEMORY_TRAFFIC, CFG_MEMORY_BANDWIDTH, NULL, "memory/bandwidth"},
    {CFG_NOISE_NETWORK, CFG_NOISE_SEED, NULL, SEED},
    {CFG_NOISE_NETWORK_LEAST, CFG_NOISE_SEED, NULL, SEED},
    {CFG_NOISE_COMPUTE, CFG_NOISE_SEED, NULL, SEED},
    {CFG_NOISE_RUN_NETWORK, CFG_NOISE_SEED, NULL, SEED},
    {CFG_NOISE_RUN_COMPUTE, CFG_NOISE_SEED, NULL, SEED},
    {CFG_NOISE_DETOURS, CFG_NOISE_SEED, NULL, SEED},
    {CFG_NOISE_SLEEP, CFG_NOISE_SEED, NULL, SEED},
    {CFG_NOISE_PERIODIC, CFG_NOISE_SEED, NULL, SEED},
};

static int is_lacking(const struct net *n, const struct need *need)
{
	if (need->needs == CFG_COMPAT)
		return !config_compat(n->cfg);
	return need->lacks ? strcmp(config_text(n->cfg, need->needs), need->lacks) == 0
	                   : config_number(n->cfg, need->needs) <= 0;
}

void unused_notices(const struct net *n, struct str *out)
{
	for (int i = 0; i < CFG_COUNT; i++)
		if (config_from(n->cfg, (enum config_id)i) == CFG_FROM_USER)
			model_notice(n, (enum config_id)i, out);
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (config_from(n->cfg, needs[i].id) == CFG_FROM_USER && is_lacking(n, &needs[i]))
			str_printf(out, "setting %s has no effect without %s\n",
			           config_table[needs[i].id].name, needs[i].what);
}
