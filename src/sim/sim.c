/* sim.c: see sim.h. Rooms are set up from bottom to top and taken down the other way round. What an
 * attempt makes (net, mp, observers, the program's cursor) is made again for the second one;
 * settings, machine and placement stay.
 *
 *   sim_new -> opened -> sim_run: attempt -> done
 *                                   ^    |
 *                                   +----+ the source says that it may go otherwise (retry) */
#include "sim_int.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void source_close(struct sim *s)
{
	if (s->open)
		s->source.close(s->source.self);
	s->open = 0;
}

static void attempt_release(struct sim *s)
{
	recorder_abandon(s->recorder);
	explainer_free(s->path);
	explainer_free(s->explainer);
	profile_free(s->profile);
	source_close(s);
	mp_free(s->mp);
	net_free(s->net);
	s->recorder = NULL;
	s->path = NULL;
	s->explainer = NULL;
	s->profile = NULL;
	s->mp = NULL;
	s->net = NULL;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	attempt_release(s);
	trace_schedule_release(&s->schedule);
	schedule_trail_release(&s->trail);
	free(s->graph_unit);
	placement_release(&s->placement);
	platform_free(s->platform);
	config_release(&s->cfg);
	str_release(&s->told);
	str_release(&s->notices);
	str_release(&s->findings);
	str_release(&s->selector_why);
	free(s);
}

/* --- what is made once --- */

static int settings_read(struct sim *s, struct err *err)
{
	for (uint32_t i = 0; i < s->o.n_settings; i++) {
		const struct sim_setting *g = &s->o.setting[i];
		int r = g->name ? config_set(&s->cfg, g->name, g->value, CFG_FROM_USER, err)
		                : config_set_all(&s->cfg, g->value, CFG_FROM_USER, err);
		if (r < 0)
			return -1;
	}
	s->o.setting = NULL; /* the caller's no longer */
	return 0;
}

/* It may have been open as a schedule. */
static int source_open(struct sim *s, struct err *err)
{
	source_close(s);
	s->about = (struct sim_about){0};
	s->open = 1;
	if (s->source.open(s->source.self, s->o.ranks, &s->about, &s->told, err) < 0)
		return -1;
	BUG_ON(s->about.ranks == 0);
	return 0;
}

/* The machine as it is asked about, and the model. */
static int model_set(struct sim *s, struct err *err)
{
	if (s->o.what_if && what_if_apply(s->platform, &s->cfg, s->o.what_if, &s->told, err) < 0)
		return -1;
	return net_model_by_hand(&s->cfg, platform_name(s->platform), &s->told, err);
}

/* Who has a trace in SimGrid's form may hold us to SimGrid's times: whether this machine is one of
 * those on which they are others, and how to get them. */
static int difference_tell(struct sim *s, struct err *err)
{
	struct str what;
	int n;

	if (!s->about.of_simgrid || config_compat(&s->cfg) ||
	    net_factors_of(config_text(&s->cfg, CFG_NET_MODEL)) < 0)
		return 0;
	str_init(&what);
	n = platform_check_constructs(s->platform, &what);
	n += !s->o.hostfile && !s->o.place && platform_order_matters(s->platform);
	if (what.failed)
		n = err_nomem(err, "what SimGrid does otherwise", what.n);
	else if (n > 0)
		str_printf(&s->told,
		           "SimGrid 3.32 may give another time on this machine: 'orrery platform "
		           "check' tells why (%d remark%s); --cfg compat:simgrid-3.32 does as it "
		           "does\n",
		           n, n == 1 ? "" : "s");
	str_release(&what);
	return n < 0 ? -1 : 0;
}

/* What goes before the selector, of one operation. */
static void operations_tell(struct sim *s)
{
	for (int id = CFG_SMPI_ALLGATHER; id < CFG_SMPI_COLLECTIVES; id++) {
		const char *choice = config_text(&s->cfg, (enum config_id)id);

		if (!*choice)
			continue;
		s->operations_chosen = 1;
		str_printf(&s->selector_why, ", but %s:%s", config_table[id].name, choice);
	}
}

struct sim *sim_new(const struct sim_options *o, const struct sim_source *source, struct err *err)
{
	struct sim *s = calloc(1, sizeof *s);

	if (!s) {
		err_nomem(err, "a simulation", sizeof *s);
		return NULL;
	}
	s->o = *o;
	s->source = *source;
	str_init(&s->told);
	str_init(&s->notices);
	str_init(&s->findings);
	str_init(&s->selector_why);
	if (config_init(&s->cfg, err) == 0 && settings_read(s, err) == 0 &&
	    (s->platform = platform_read(o->machine, &s->cfg, err)) && model_set(s, err) == 0 &&
	    graph_open(s, err) == 0 && (s->is_graph || source_open(s, err) == 0) &&
	    library_apply(s->about.mpi, s->about.live ? "program" : "trace", &s->cfg,
	                  &s->selector_why, err) == 0 &&
	    sim_place(s, err) == 0 && difference_tell(s, err) == 0) {
		operations_tell(s);
		if (!s->selector_why.failed)
			return s;
		err_nomem(err, "why the selector is what it is", s->selector_why.n);
	}
	sim_free(s);
	return NULL;
}

/* --- what each attempt makes --- */

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Then no selector is asked. */
static int whole_tell(struct sim *s, struct err *err)
{
	int whole = net_collectives_whole(s->net, err);

	if (whole < 0)
		return -1;
	s->collectives_whole = whole > 0;
	if (!whole)
		return 0;
	str_clear(&s->selector_why);
	if (config_text(&s->cfg, CFG_SMPI_COLLECTIVES)[0])
		str_puts(&s->selector_why,
		         config_from(&s->cfg, CFG_SMPI_COLLECTIVES) == CFG_FROM_USER
		             ? "as asked for"
		             : "as the machine says");
	else
		str_printf(&s->selector_why, "as model %s decides them", net_model_name(s->net));
	return s->selector_why.failed ? err_nomem(err, "who decides collectives", 64) : 0;
}

static int attempt_run(struct sim *s, struct err *err)
{
	struct mp_program program;
	double start;
	int r;

	s->net = net_new_with(s->platform, &s->cfg, s->o.model, err);
	s->mp = s->net ? mp_new_spare(s->net, &s->cfg, s->placement.host, s->about.ranks,
	                              s->about.spare, err)
	               : NULL;
	if (!s->mp || whole_tell(s, err) < 0)
		return -1;
	if (s->about.elapsed)
		mp_volumes_elapsed(s->mp);
	if (s->source.start(s->source.self, s->mp, &s->cfg, s->o.progress, &program, err) < 0 ||
	    sim_observe(s, err) < 0)
		return -1;
	if (s->o.progress) {
		s->o.progress->done = 0;
		s->o.progress->total = s->about.actions;
	}
	start = seconds_now();
	s->ran = 1;
	r = mp_run(s->mp, &program, s->o.progress, err);
	s->wall = seconds_now() - start;
	if (r < 0 && err->kind != ERR_PROGRAM) { /* what there is of a recording is not the run's */
		recorder_abandon(s->recorder);
		s->recorder = NULL;
	}
	return r;
}

/* 1: another attempt is ready to be made. */
static int attempt_again(struct sim *s, struct err *err)
{
	struct err other;
	int r;

	if (err->kind != ERR_PROGRAM || !s->ran || !s->source.retry)
		return 0;
	r = s->source.retry(s->source.self, &s->cfg, &s->told, &other);
	if (r < 0)
		*err = other;
	if (r <= 0)
		return r;
	attempt_release(s);
	s->lost = (struct err){0};
	s->ran = 0;
	return source_open(s, err) < 0 ? -1 : 1;
}

static void notices_collect(struct sim *s)
{
	str_puts(&s->notices, str_of(&s->notices, &s->cfg.notices));
	str_puts(&s->notices, str_of(&s->notices, &s->told));
	if (s->source.notices)
		s->source.notices(s->source.self, &s->notices);
	if (s->source.findings)
		s->source.findings(s->source.self, &s->findings);
	if (s->mp)
		mp_report(s->mp, &s->findings);
	str_puts(&s->notices, str_of(&s->notices, &s->findings));
	net_notices(s->net, &s->notices);
	if (s->o.what_if)
		what_if_tell(s, s->o.what_if, &s->notices);
}

static void partial_tell(struct sim *s, int64_t n, struct str *which)
{
	str_printf(
	    &s->told,
	    "the trace is partial: the record of %lld of %u ranks ends before the program did%s",
	    (long long)n, s->about.ranks, str_of(&s->told, which));
	if (mp_deadlocked(s->mp))
		str_printf(&s->told, "; from %.9g s on others wait for what was not recorded",
		           mp_now(s->mp));
	str_puts(&s->told, "; the time is that of what was recorded\n");
}

/* A partial program is simulated up to where its ranks wait for what is not known of others. One
 * whose tracer said that its end is missing, where no rank's record shows it, ends as it stands. */
static int64_t partial_look(struct sim *s, struct err *err)
{
	int64_t n = 0;
	struct str which;

	str_init(&which);
	if (s->ran && s->source.partial)
		n = s->source.partial(s->source.self, mp_deadlocked(s->mp), &which, err);
	if (n == 0 && s->about.complete == SIM_INCOMPLETE)
		str_puts(&s->told, "the trace is incomplete (the program was killed or aborted): "
		                   "the time is that of what was recorded\n");
	if (n > 0) {
		s->about.complete = SIM_INCOMPLETE;
		mp_cut_short(s->mp);
		partial_tell(s, n, &which);
	}
	str_release(&which);
	return n;
}

/* What was killed or aborted before anything took time says nothing of how long a program takes: 0
 * s would be taken for a prediction. A running program that aborts there has failed, too. */
static int nothing_recorded(const struct sim *s, struct err *err)
{
	if (s->about.complete != SIM_INCOMPLETE || mp_now(s->mp) > 0)
		return 0;
	return err_set(err, ERR_PROGRAM,
	               "nothing to predict: the record ends before the program did, and nothing "
	               "takes time before that (was it killed, or did it call MPI_Abort, right "
	               "after MPI_Init? 'orrery info' tells what is recorded)");
}

/* As graph_run. */
static int graph_finish(struct sim *s, struct err *err)
{
	double start = seconds_now();
	int r = graph_run(s, err);

	s->wall = seconds_now() - start;
	if (r <= 0)
		return r;
	sim_observe_end(s, s->graph.end, NULL);
	notices_collect(s);
	return s->notices.failed ? err_nomem(err, "notices", s->notices.n) : 1;
}

/* Of a trace in SimGrid's form all collectives are of all ranks, whatever they were of. */
static void communicators_tell(const struct sim *s, struct err *err)
{
	if (s->about.of_simgrid && err->kind == ERR_PROGRAM && strstr(err->text, " as collective "))
		err_append(err, ". SimGrid's traces do not say which communicator a call is of: "
		                "that of a program with several is made by 'orrery trace'");
}

int sim_run(struct sim *s, struct err *err)
{
	int r, again;
	struct err damage;
	int64_t partial;

	if (s->is_graph) {
		r = graph_finish(s, err);
		if (r != 0)
			return r < 0 ? -1 : 0;
		if (source_open(s, err) < 0)
			return -1;
	}
	r = attempt_run(s, err);
	if (r < 0 && (again = attempt_again(s, err)) != 0)
		r = again < 0 ? -1 : attempt_run(s, err);
	partial = partial_look(s, &damage);
	if (partial < 0)
		*err = damage;
	if (partial < 0 || (partial > 0 && r < 0 && mp_deadlocked(s->mp)))
		r = partial < 0 ? -1 : 0;
	if (s->ran) /* the recording says whether the program was cut short, or failed */
		sim_observe_end(s, mp_now(s->mp), r < 0 ? err : NULL);
	if (s->ran)
		notices_collect(s);
	if (r == 0)
		r = nothing_recorded(s, err);
	if (r == 0 && s->explainer)
		r = explainer_end(s->explainer, err);
	if (r == 0 && s->notices.failed)
		r = err_nomem(err, "notices", s->notices.n);
	if (r < 0)
		communicators_tell(s, err);
	return r;
}
