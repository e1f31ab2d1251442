/* verb_coll.c: `orrery coll`: all algorithms of a collective operation on a machine. */
#include "base/nearest.h"
#include "interrupted.h"
#include "outputs.h"
#include "study_inputs.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_SELECTOR = OPT_OWN, OPT_FULL, OPT_JSON, OPT_CSV, OPT_SVG };

static const struct option_row coll_options_table[] = {
    STUDY_MACHINE,
    STUDY_SIZES,
    STUDY_WHERE,
    {OPT_SELECTOR, 0, "selector", "NAME",
     "compare this one too, e.g. file:PATH; it also chooses the parts of algorithms made of "
     "others"},
    STUDY_SETTINGS,
    STUDY_THREADS,
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
	struct study_inputs in;
	struct coll_policy own;
	struct sweep sweep;
	struct progress_bar bar;
	struct interrupted interrupted;
};

static void coll_words(struct str *out)
{
	for (int k = 0; k <= COLL_EXSCAN; k++)
		str_printf(out, "%s ", coll_kind_name((enum coll_kind)k));
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

static int read_inputs(struct session *s, enum coll_kind *kind, struct err *err)
{
	const struct args *a = s->args;
	const char *own = args_get(a, OPT_SELECTOR);

	if (a->n_positional != 1)
		return err_set(
		    err, ERR_INPUT,
		    "coll: one operation is wanted, such as allreduce%s. See 'orrery help coll'.",
		    a->n_positional == 2 && !args_has(a, OPT_PLATFORM)
		        ? "; the machine goes behind -p"
		        : "");
	*kind = study_operation(a->positional[0]);
	if (*kind > COLL_EXSCAN)
		return operation_unknown(a->positional[0], err);
	if (*kind == COLL_BARRIER && args_has(a, OPT_BYTES))
		return err_set(err, ERR_INPUT, "coll: a barrier has no bytes");
	if (own && coll_policy_select(&s->own, own, err) < 0)
		return -1;
	return study_inputs_read(&s->in, a, &verb_coll, *kind == COLL_BARRIER ? "0" : "8..1Mi*8",
	                         err);
}

/* Part of a table is better than none, but not than an older one that may be whole. */
static int left_alone(const char *path)
{
	struct str text;

	str_init(&text);
	str_printf(&text, "coll: %s was there before, and is as it was\n", path);
	print_findings(&text);
	str_release(&text);
	return 0;
}

static int write_file(const struct session *s, int option,
                      void (*print)(const struct sweep *, const char *, struct str *),
                      struct err *err)
{
	const char *path = args_get(s->args, option);
	struct stat st;
	struct str text;
	int r;
	if (!path)
		return 0;
	if (s->sweep.unfinished > 0 && there_stat(path, &st, err) > 0 && S_ISREG(st.st_mode))
		return left_alone(path);
	str_init(&text);
	print(&s->sweep, platform_name(s->in.platform), &text);
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
	struct err printed;
	/* files first: what is told of them stands before the table */
	int r = write_file(s, OPT_CSV, print_csv, err) < 0 ||
	                write_file(s, OPT_SVG, sweep_svg, err) < 0
	            ? -1
	            : 0;

	str_init(&out);
	if (s->sweep.means_little && !args_has(s->args, OPT_JSON))
		str_printf(
		    &out,
		    "this ranking means little: the overheads of messages on %s are not known "
		    "('orrery calibrate network' measures them)\n",
		    platform_name(s->in.platform));
	(args_has(s->args, OPT_JSON) ? sweep_json
	                             : sweep_text)(&s->sweep, platform_name(s->in.platform), &out);
	if (print_stdout(&out, &printed) < 0 && r == 0) {
		*err = printed;
		r = -1;
	}
	str_release(&out);
	return r;
}

static void interrupted_print(const struct session *s)
{
	const uint32_t cells = s->sweep.ranks.n * s->sweep.bytes.n;
	struct str text;

	str_init(&text);
	str_printf(
	    &text,
	    "coll: interrupted: %u of %u combinations of ranks and bytes were measured, which "
	    "is what is written\n",
	    cells - s->sweep.unfinished, cells);
	print_findings(&text);
	str_release(&text);
}

static int measure(struct session *s, enum coll_kind kind, struct err *err)
{
	struct sweep_plan plan = {.platform = s->in.platform,
	                          .cfg = &s->in.cfg,
	                          .where = s->in.where,
	                          .kind = kind,
	                          .ranks = &s->in.ranks,
	                          .bytes = &s->in.bytes,
	                          .own = args_has(s->args, OPT_SELECTOR) ? &s->own : NULL,
	                          .own_name = args_get(s->args, OPT_SELECTOR),
	                          .selectors = 1,
	                          .give_up = args_has(s->args, OPT_FULL) ? HUGE_VAL : SWEEP_GIVE_UP,
	                          .threads = s->in.threads,
	                          .stop = &s->interrupted.stop};
	int r;

	interrupted_begin(&s->interrupted);
	r = sweep_run(&s->sweep, &plan, &s->bar.p, err);
	progress_bar_done(&s->bar);
	print_notices(s->args, &s->in.cfg.notices);
	if (r == 0 && s->interrupted.stop && s->sweep.unfinished > 0)
		interrupted_print(s);
	return r;
}

static int outputs_look(const struct session *s, struct err *err)
{
	const char *csv = args_get(s->args, OPT_CSV), *svg = args_get(s->args, OPT_SVG);

	if (outputs_check_machine(&verb_coll, s->args, &s->in.cfg, s->in.platform, err) < 0)
		return -1;
	return (csv && output_try(csv, err) < 0) || (svg && output_try(svg, err) < 0) ? -1 : 0;
}

static int coll_run(const struct args *a, struct err *err)
{
	struct session s = {.args = a};
	enum coll_kind kind = COLL_KINDS;
	int r = -1;
	progress_bar_init(&s.bar, a);
	if (read_inputs(&s, &kind, err) == 0 && outputs_look(&s, err) == 0 &&
	    measure(&s, kind, err) == 0)
		r = print_result(&s, err);
	interrupted_end(&s.interrupted, r);
	sweep_release(&s.sweep);
	study_inputs_release(&s.in);
	coll_policy_release(&s.own);
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
    .words = coll_words,
    .fileless = "",
};
