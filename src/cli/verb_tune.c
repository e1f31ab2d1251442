/* verb_tune.c: `orrery tune`: a tuning file of a real MPI library for a machine. */
#include "interrupted.h"
#include "outputs.h"
#include "study_inputs.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPT_OUTPUT = OPT_OWN, OPT_FORMAT, OPT_OPERATIONS };

static const struct option_row tune_options_table[] = {
    STUDY_MACHINE,
    {OPT_OUTPUT, 'o', "output", "FILE", "the file to write; default: standard output"},
    {OPT_FORMAT, 'f', "format", "FORMAT",
     "ompi (Open MPI 4.1 and 5.0), mpich (4.0), mpich-4.3 (4.2 too); default: ompi"},
    STUDY_SIZES,
    {OPT_OPERATIONS, 0, "operations", "LIST",
     "e.g. allreduce,bcast; default: all that the library can be told"},
    STUDY_WHERE,
    STUDY_SETTINGS,
    STUDY_THREADS,
    {0, 0, NULL, NULL, NULL},
};

struct session {
	const struct args *args;
	struct study_inputs in;
	enum tune_format format;
	enum coll_kind kinds[COLL_KINDS];
	uint32_t n_kinds;
	struct progress_bar bar;
	struct interrupted interrupted;
	struct tune_extent extent;
};

static int kind_add(struct session *s, const char *name, struct err *err)
{
	enum coll_kind k = study_operation(name);
	if (k == COLL_KINDS || !tune_format_has(s->format, k)) {
		err_set(err, ERR_INPUT, "tune: %s files have no choice for \"%s\"; they have for:",
		        tune_format_name(s->format), name);
		for (int i = 0; i < COLL_KINDS; i++)
			if (tune_format_has(s->format, (enum coll_kind)i))
				err_append(err, " %s", coll_kind_name((enum coll_kind)i));
		return -1;
	}
	for (uint32_t i = 0; i < s->n_kinds; i++)
		if (s->kinds[i] == k)
			return 0;
	s->kinds[s->n_kinds++] = k;
	return 0;
}

static int read_operations(struct session *s, struct err *err)
{
	const char *list = args_get(s->args, OPT_OPERATIONS);
	char name[64];
	for (int i = 0; !list && i < COLL_KINDS; i++)
		if (tune_format_has(s->format, (enum coll_kind)i))
			s->kinds[s->n_kinds++] = (enum coll_kind)i;
	while (list) {
		size_t n = strcspn(list, ",");
		snprintf(name, sizeof name, "%.*s", (int)n, list);
		if (kind_add(s, name, err) < 0)
			return -1;
		list = list[n] ? list + n + 1 : NULL;
	}
	return 0;
}

static int read_inputs(struct session *s, struct err *err)
{
	const struct args *a = s->args;
	const char *format = args_get(a, OPT_FORMAT);

	if (a->n_positional)
		return err_set(err, ERR_INPUT,
		               "tune: unexpected word \"%s\"%s. See 'orrery help tune'.",
		               a->positional[0],
		               args_has(a, OPT_PLATFORM) ? "" : "; the machine goes behind -p");
	s->format = tune_format_find(format ? format : "ompi");
	if (s->format == TUNE_FORMATS)
		return err_set(err, ERR_INPUT,
		               "tune: there is no format \"%s\"; there are: ompi, mpich, mpich-4.3",
		               format);
	if (read_operations(s, err) < 0)
		return -1;
	return study_inputs_read(&s->in, a, &verb_tune, "8..1Mi*8", err);
}

static int measure(struct session *s, struct str *out, struct err *err)
{
	struct tune_plan plan = {.platform = s->in.platform,
	                         .cfg = &s->in.cfg,
	                         .where = s->in.where,
	                         .ranks = &s->in.ranks,
	                         .bytes = &s->in.bytes,
	                         .kinds = s->kinds,
	                         .n_kinds = s->n_kinds,
	                         .format = s->format,
	                         .threads = s->in.threads,
	                         .stop = &s->interrupted.stop};
	int r;

	interrupted_begin(&s->interrupted);
	r = tune_run(&plan, &s->bar.p, out, &s->extent, err);
	progress_bar_done(&s->bar);
	print_notices(s->args, &s->in.cfg.notices);
	for (uint32_t i = 0; i < s->n_kinds && r == 0 && s->format == TUNE_OMPI; i++)
		if (tune_is_reduction(s->kinds[i])) {
			print_notice(s->args,
			             "these rules are not for programs whose operators do not "
			             "commute (MPI_Op_create with commute 0): Open MPI takes rules "
			             "of reductions for these too, and their results are wrong; "
			             "leave reductions out (--operations) for such a program\n");
			break;
		}
	if (s->extent.means_little && (s->format != TUNE_OMPI || !s->args->quiet))
		print_finding("these rules mean little: the overheads of messages on this machine "
		              "are not known ('orrery calibrate network' measures them)\n");
	return r;
}

static int is_part(const struct session *s)
{
	return s->extent.measured < s->extent.cells;
}

/* Part of a file is better than none, but not than an older one that may be whole. */
static int write_file(const struct session *s, const struct str *out, struct err *err)
{
	const char *path = args_get(s->args, OPT_OUTPUT);
	struct stat st;
	int keeps = path && is_part(s) && there_stat(path, &st, err) > 0 && S_ISREG(st.st_mode);
	struct str text;

	str_init(&text);
	if (is_part(s))
		str_printf(&text,
		           "tune: interrupted: %u of %u combinations of operation, ranks and bytes "
		           "were measured%s\n",
		           s->extent.measured, s->extent.cells,
		           s->extent.measured == 0 || keeps
		               ? ""
		               : ", which is what is written: the library decides the others");
	if (keeps)
		str_printf(&text, "tune: %s was there before, and is as it was\n", path);
	print_findings(&text);
	str_release(&text);
	return keeps || (is_part(s) && s->extent.measured == 0)
	           ? 0
	           : print_made(path ? path : "-", out, err);
}

static int tune_verb_run(const struct args *a, struct err *err)
{
	struct session s = {.args = a};
	struct str out;
	const char *path = args_get(a, OPT_OUTPUT);
	int r = -1;
	str_init(&out);
	progress_bar_init(&s.bar, a);
	if (read_inputs(&s, err) == 0 &&
	    outputs_check_machine(&verb_tune, a, &s.in.cfg, s.in.platform, err) == 0 &&
	    (!path || output_try(path, err) == 0) && measure(&s, &out, err) == 0)
		r = write_file(&s, &out, err);
	interrupted_end(&s.interrupted, r);
	str_release(&out);
	study_inputs_release(&s.in);
	return r;
}

static const int outputs[] = {OPT_OUTPUT, 0};

static const int repeats[] = {OPT_CFG, 0};

static const struct option_rule rules[] = {{OPT_PPN, {0}, {OPT_HOSTFILE}}, {0, {0}, {0}}};

const struct verb verb_tune = {
    .name = "tune",
    .synopsis = "-p MACHINE [-o FILE] [options]",
    .summary = "writes the tuning file of a real MPI library for a machine",
    .text = "Simulates the library's own algorithms, with some segment sizes and numbers of "
            "children, and writes which is the fastest from which number of ranks and message "
            "size on. 'orrery replay --selector file:FILE' predicts what the library would do "
            "with such a file. To use it:\n"
            "\n"
            "Open MPI  --mca coll_tuned_use_dynamic_rules 1 --mca "
            "coll_tuned_dynamic_rules_filename FILE\n"
            "MPICH     MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE",
    .options = tune_options_table,
    .outputs = outputs,
    .repeats = repeats,
    .rules = rules,
    .run = tune_verb_run,
};
