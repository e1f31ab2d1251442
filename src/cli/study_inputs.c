/* study_inputs.c: options of the verbs that measure collective algorithms, read. */
#include "study_inputs.h"

#include <string.h>
#include <unistd.h>

enum coll_kind study_operation(const char *word)
{
	int k = 0;

	if (text_same_n(word, "MPI_", 4))
		word += 4;
	while (k < COLL_KINDS && !text_same(coll_kind_name((enum coll_kind)k), word))
		k++;
	return (enum coll_kind)k;
}

static int settings_read(struct study_inputs *in, const struct args *a, struct err *err)
{
	if (config_init(&in->cfg, err) < 0)
		return -1;
	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id == OPT_CFG &&
		    config_set_all(&in->cfg, a->given[i].value, CFG_FROM_USER, err) < 0)
			return -1;
	return 0;
}

static int sizes_read(struct study_inputs *in, const struct args *a, const struct verb *v,
                      const char *bytes, struct err *err)
{
	const char *np = args_get(a, OPT_NP), *given = args_get(a, OPT_BYTES);

	if (np && sizes_parse(&in->ranks, np, "--np", 1 << 24, err) < 0)
		return -1;
	if (np && in->ranks.v[0] == 0)
		return err_set(err, ERR_INPUT, "%s: --np: at least one rank", v->name);
	return sizes_parse(&in->bytes, given ? given : bytes, "--bytes", 1ll << 40, err);
}

static int where_read(struct study_inputs *in, const struct args *a, const struct verb *v,
                      struct err *err)
{
	int64_t ppn = 0;

	if (args_int(a, v, OPT_PPN, 1, 1 << 20, &ppn, err) < 0)
		return -1;
	in->where = (struct study_where){.hostfile = args_get(a, OPT_HOSTFILE),
	                                 .ppn = (uint32_t)ppn,
	                                 .oversubscribe = args_has(a, OPT_OVERSUBSCRIBE)};
	return 0;
}

static int threads_read(struct study_inputs *in, const struct args *a, const struct verb *v,
                        struct err *err)
{
	int64_t threads = sysconf(_SC_NPROCESSORS_ONLN);

	if (args_int(a, v, OPT_THREADS, 1, 256, &threads, err) < 0)
		return -1;
	in->threads = threads > 0 ? (unsigned)threads : 1;
	return 0;
}

int study_inputs_read(struct study_inputs *in, const struct args *a, const struct verb *v,
                      const char *bytes, struct err *err)
{
	const char *machine = args_get(a, OPT_PLATFORM);

	memset(in, 0, sizeof *in);
	if (!machine)
		return err_set(err, ERR_INPUT,
		               "%s: on which machine? Give -p FILE or -p NAME; 'orrery platform "
		               "list' has the names.",
		               v->name);
	if (settings_read(in, a, err) < 0 || sizes_read(in, a, v, bytes, err) < 0 ||
	    where_read(in, a, v, err) < 0 || threads_read(in, a, v, err) < 0 ||
	    !(in->platform = platform_read(machine, &in->cfg, err)) ||
	    net_model_by_hand(&in->cfg, platform_name(in->platform), &in->cfg.notices, err) < 0)
		return -1;
	return in->ranks.n ? 0 : study_ranks_usual(in->platform, &in->where, &in->ranks, err);
}

void study_inputs_release(struct study_inputs *in)
{
	sizes_release(&in->ranks);
	sizes_release(&in->bytes);
	platform_free(in->platform);
	config_release(&in->cfg);
}
