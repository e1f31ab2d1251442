/* verb_coll.c: `orrery coll`: all algorithms of a collective operation on a machine. */
#include "base/nearest.h"
#include "outputs.h"
#include "study/study.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_PLATFORM = 1,
	OPT_NP,
	OPT_BYTES,
	OPT_HOSTFILE,
	OPT_PPN,
	OPT_OVERSUBSCRIBE,
	OPT_SELECTOR,
	OPT_CFG,
	OPT_THREADS,
	OPT_FULL,
	OPT_JSON,
	OPT_CSV,
	OPT_SVG
};

static const struct option_row coll_options_table[] = {
    {OPT_PLATFORM, 'p', "platform", "MACHINE",
     "the machine: a SimGrid XML file, or a name of 'orrery platform list'"},
    {OPT_NP, 'n', "np", "SIZES",
     "numbers of ranks: 8..1024 (doubling), 8..1000*5, 6,12; default: 4..64, as far as the "
     "machine has hosts"},
    {OPT_BYTES, 0, "bytes", "SIZES", "message sizes, in bytes (Ki, Mi, k, M): default 8..1Mi*8"},
    {OPT_HOSTFILE, 0, "hostfile", "FILE",
     "where ranks run: 'host', 'host:count' or 'host slots=count' a line; default: hosts in order"},
    {OPT_PPN, 0, "ppn", "N", "ranks of a host, which fill one after the other; default: 1"},
    {OPT_OVERSUBSCRIBE, 0, "oversubscribe", NULL,
     "allow more ranks than entries of the hostfile or hosts (in turn)"},
    {OPT_SELECTOR, 0, "selector", "NAME",
     "compare this one too, e.g. file:PATH; it also chooses the parts of algorithms made of "
     "others"},
    {OPT_CFG, 0, "cfg", "NAME:VALUE", "a setting, may be repeated: see 'orrery help settings'"},
    {OPT_THREADS, 'j', "threads", "N", "threads that measure; default: one for each core"},
    {OPT_FULL, 0, "full", NULL,
     "simulate to its end, too, what takes over 4 times as long as the fastest: the table is the "
     "same"},
    {OPT_JSON, 0, "json", NULL,
     "print one JSON object, with the times of all algorithms; null: over 4 times the fastest "
     "one's"},
    {OPT_CSV, 0, "csv", "FILE", "write the times of all algorithms as CSV"},
    {OPT_SVG, 0, "svg", "FILE",
     "draw them: times the fastest, against bytes, a panel for each number of ranks"},
    {0, 0, NULL, NULL, NULL},
};

struct session {
	const struct args *args;
	struct config cfg;
	struct platform *platform;
	struct sizes ranks, bytes;
	struct study_where where;
	struct coll_policy own;
	struct sweep sweep;
	struct progress_bar bar;
};

static int read_settings(struct session *s, struct err *err)
{
	const struct args *a = s->args;
	const char *own = args_get(a, OPT_SELECTOR);
	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id == OPT_CFG &&
		    config_set_all(&s->cfg, a->given[i].value, CFG_FROM_USER, err) < 0)
			return -1;
	return own ? coll_policy_select(&s->own, own, err) : 0;
}

static int operation_unknown(const char *word, struct err *err)
{
	struct nearest near;

	nearest_init(&near, word);
	for (int k = 0; k <= COLL_EXSCAN; k++)
		nearest_offer(&near, coll_kind_name((enum coll_kind)k));
	err_set(err, ERR_INPUT, "coll: there is no operation \"%s\"", word);
	if (near.best)
		err_append(err, "; did you mean %s", near.best);
	err_append(err, "; there are:");
	for (int k = 0; k <= COLL_EXSCAN; k++)
		err_append(err, " %s", coll_kind_name((enum coll_kind)k));
	return -1;
}

static int where_read(struct session *s, struct err *err)
{
	int64_t ppn = 0;

	if (args_int(s->args, &verb_coll, OPT_PPN, 1, 1 << 20, &ppn, err) < 0)
		return -1;
	s->where = (struct study_where){.hostfile = args_get(s->args, OPT_HOSTFILE),
	                                .ppn = (uint32_t)ppn,
	                                .oversubscribe = args_has(s->args, OPT_OVERSUBSCRIBE)};
	return 0;
}

static int read_inputs(struct session *s, enum coll_kind *kind, struct err *err)
{
	const struct args *a = s->args;
	const char *machine = args_get(a, OPT_PLATFORM), *np = args_get(a, OPT_NP),
	           *bytes = args_get(a, OPT_BYTES);
	if (a->n_positional != 1)
		return err_set(
		    err, ERR_INPUT,
		    "coll: one operation is wanted, such as allreduce. See 'orrery help coll'.");
	*kind = coll_kind_find(a->positional[0]);
	if (*kind > COLL_EXSCAN)
		return operation_unknown(a->positional[0], err);
	if (!machine)
		return err_set(err, ERR_INPUT,
		               "coll: on which machine? Give -p FILE or -p NAME; 'orrery platform "
		               "list' has the names.");
	if (read_settings(s, err) < 0 ||
	    (np && sizes_parse(&s->ranks, np, "--np", 1 << 24, err) < 0))
		return -1;
	if (*kind == COLL_BARRIER && bytes)
		return err_set(err, ERR_INPUT, "coll: a barrier has no bytes");
	if (np && s->ranks.v[0] == 0)
		return err_set(err, ERR_INPUT, "coll: --np: at least one rank");
	if (sizes_parse(&s->bytes,
	                *kind == COLL_BARRIER ? "0"
	                : bytes               ? bytes
	                                      : "8..1Mi*8",
	                "--bytes", 1ll << 40, err) < 0)
		return -1;
	if (where_read(s, err) < 0 || !(s->platform = platform_read(machine, &s->cfg, err)))
		return -1;
	return np ? 0 : study_ranks_usual(s->platform, &s->where, &s->ranks, err);
}

static int write_file(const struct session *s, int option,
                      void (*print)(const struct sweep *, const char *, struct str *),
                      struct err *err)
{
	const char *path = args_get(s->args, option);
	struct str text;
	int r;
	if (!path)
		return 0;
	str_init(&text);
	print(&s->sweep, platform_name(s->platform), &text);
	r = print_file(path, &text, err);
	str_release(&text);
	return r;
}

static void print_csv(const struct sweep *s, const char *machine, struct str *out)
{
	(void)machine;
	sweep_csv(s, out);
}

static int print_result(struct session *s, struct err *err)
{
	struct str out;
	int r;
	if (write_file(s, OPT_CSV, print_csv, err) < 0 ||
	    write_file(s, OPT_SVG, sweep_svg, err) < 0)
		return -1;
	str_init(&out);
	if (study_means_little(&s->cfg) && !args_has(s->args, OPT_JSON))
		str_printf(
		    &out,
		    "this ranking means little: the overheads of messages on %s are not known "
		    "('orrery calibrate network' measures them)\n",
		    platform_name(s->platform));
	(args_has(s->args, OPT_JSON) ? sweep_json : sweep_text)(&s->sweep,
	                                                        platform_name(s->platform), &out);
	r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static int measure(struct session *s, enum coll_kind kind, struct err *err)
{
	int64_t threads = sysconf(_SC_NPROCESSORS_ONLN);
	struct sweep_plan plan = {.platform = s->platform,
	                          .cfg = &s->cfg,
	                          .where = s->where,
	                          .kind = kind,
	                          .ranks = &s->ranks,
	                          .bytes = &s->bytes,
	                          .own = args_has(s->args, OPT_SELECTOR) ? &s->own : NULL,
	                          .own_name = args_get(s->args, OPT_SELECTOR),
	                          .selectors = 1,
	                          .give_up = args_has(s->args, OPT_FULL) ? HUGE_VAL
	                                                                 : SWEEP_GIVE_UP};
	int r;
	if (args_int(s->args, &verb_coll, OPT_THREADS, 1, 256, &threads, err) < 0)
		return -1;
	plan.threads = threads > 0 ? (unsigned)threads : 1;
	r = sweep_run(&s->sweep, &plan, &s->bar.p, err);
	progress_bar_done(&s->bar);
	print_notice(s->args, s->cfg.notices.s);
	return r;
}

static int outputs_look(const struct session *s, struct err *err)
{
	const char *csv = args_get(s->args, OPT_CSV), *svg = args_get(s->args, OPT_SVG);

	if (outputs_check_machine(&verb_coll, s->args, &s->cfg, s->platform, err) < 0)
		return -1;
	return (csv && output_try(csv, err) < 0) || (svg && output_try(svg, err) < 0) ? -1 : 0;
}

static int coll_run(const struct args *a, struct err *err)
{
	struct session s = {.args = a};
	enum coll_kind kind = COLL_KINDS;
	int r = -1;
	progress_bar_init(&s.bar, a);
	if (config_init(&s.cfg, err) == 0 && read_inputs(&s, &kind, err) == 0 &&
	    outputs_look(&s, err) == 0 && measure(&s, kind, err) == 0)
		r = print_result(&s, err);
	sweep_release(&s.sweep);
	sizes_release(&s.ranks);
	sizes_release(&s.bytes);
	coll_policy_release(&s.own);
	platform_free(s.platform);
	config_release(&s.cfg);
	return r;
}

static const int outputs[] = {OPT_CSV, OPT_SVG, 0};

static const int repeats[] = {OPT_CFG, 0};

static const struct option_rule rules[] = {{OPT_PPN, {0}, {OPT_HOSTFILE}}, {0, {0}, {0}}};

const struct verb verb_coll = {
    .name = "coll",
    .synopsis = "OPERATION -p MACHINE [options]",
    .summary = "measures all algorithms of a collective operation on a machine",
    .text = "OPERATION is allreduce, bcast, alltoall, …. Each algorithm's call is simulated "
            "alone, all ranks starting together; the table has the fastest, and how much more "
            "time the choice of each selector takes. Bytes are those of the whole buffer of "
            "bcast, reduce, allreduce, scan and reduce_scatter, and of one block of the "
            "others. 'orrery tune' writes the result for a real MPI library.",
    .options = coll_options_table,
    .outputs = outputs,
    .repeats = repeats,
    .rules = rules,
    .run = coll_run,
};
