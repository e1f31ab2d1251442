/* watched.c: the observers of a simulation: profile, recording, explanation, the caller's own. */
#include "sim_int.h"

#include <string.h>

/* Of recordings: no critical path of more ranks that was not asked for, nor a longer one. */
enum { PATH_RANKS_MAX = 16384, PATH_BYTES_MAX = 1 << 22 };

static const char *host_of(void *self, uint32_t rank, char *buf, size_t n)
{
	struct sim *s = self;

	return platform_host_name(s->platform, s->placement.host[rank], buf, n);
}

static int record(struct sim *s, struct mp_observer *out, struct err *err)
{
	struct str settings;
	struct run_info info = {.ranks = s->about.ranks + s->about.spare,
	                        .machine = platform_name(s->platform),
	                        .what_if = s->o.what_if,
	                        .model = net_model_name(s->net),
	                        .trace = s->about.trace,
	                        .program = s->about.program};

	str_init(&settings);
	sim_settings_given(s, &settings);
	info.settings = str_of(&s->notices, &settings);
	s->recorder = recorder_open(s->o.record, &info, host_of, s, err);
	str_release(&settings);
	if (!s->recorder)
		return -1;
	*out = recorder_observer(s->recorder);
	return 0;
}

static int explain(struct sim *s, const char *what, struct explainer **out, struct err *err)
{
	struct mp_observer o;

	*out = explainer_new(s->mp, what, err);
	if (!*out)
		return -1;
	mp_set_watch(s->mp, explainer_watch(*out));
	o = explainer_observer(*out);
	return mp_observe(s->mp, &o, err);
}

/* A recording has the critical path where that was asked for, and of a running program, beside
 * which it takes nothing, but 0.8 KB a rank. */
static int path_is_wanted(const struct sim *s)
{
	return s->o.record && !s->o.explain && (!s->about.trace || !*s->about.trace) &&
	       s->about.ranks + s->about.spare <= PATH_RANKS_MAX;
}

static int profile(struct sim *s, struct mp_observer *out, struct err *err)
{
	s->profile = profile_new(s->about.ranks + s->about.spare, err);
	if (!s->profile)
		return -1;
	*out = profile_observer(s->profile);
	return 0;
}

int sim_observers(struct sim *s, struct mp_observer *out, uint32_t *n, struct err *err)
{
	/* A graph knows the shares without. */
	int profiled = s->is_graph ? s->o.profile == SIM_PROFILE_WHOLE : s->o.profile != 0;

	*n = 0;
	if ((profiled && profile(s, &out[(*n)++], err) < 0) ||
	    (s->o.record && record(s, &out[(*n)++], err) < 0))
		return -1;
	return 0;
}

int sim_observe(struct sim *s, struct err *err)
{
	struct mp_observer own[SIM_OBSERVERS];
	uint32_t n;

	if (sim_observers(s, own, &n, err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (mp_observe(s->mp, &own[i], err) < 0)
			return -1;
	if ((s->o.explain && explain(s, s->o.explain, &s->explainer, err) < 0) ||
	    (path_is_wanted(s) && explain(s, SIM_CRITICAL_PATH, &s->path, err) < 0))
		return -1;
	for (uint32_t i = 0; i < s->o.n_observers; i++)
		if (mp_observe(s->mp, &s->o.observer[i], err) < 0)
			return -1;
	return 0;
}

/* The recording says how far it may be off, as the prediction does. */
static void trust_record(struct sim *s)
{
	struct sim_trust t;
	struct str text;

	sim_trust(s, &t);
	str_init(&text);
	trust_text(&t, &text);
	if (text.n && text.s[text.n - 1] == '\n')
		text.s[--text.n] = '\0';
	recorder_note(s->recorder, "trust",
	              text.failed || !text.n ? "" : text.s + strlen("trust: "));
	str_release(&text);
}

static void path_record(struct sim *s)
{
	struct explainer *x = s->path ? s->path : s->explainer;
	struct str text;
	struct json j;
	struct err err;

	if (!x || (x == s->explainer && strcmp(s->o.explain, SIM_CRITICAL_PATH) != 0) ||
	    explainer_end(x, &err) < 0)
		return;
	str_init(&text);
	json_init(&j, &text);
	explainer_json(x, &j);
	if (!text.failed && text.n < PATH_BYTES_MAX)
		recorder_note(s->recorder, "critical-path", text.s);
	str_release(&text);
}

/* What the observers lack is told after the prediction, which stands. */
void sim_observe_end(struct sim *s, double makespan, const struct err *failure)
{
	struct err err;

	if (s->mp && s->profile)
		profile_trim(s->profile, mp_ranks_begun(s->mp));
	if (s->mp && s->profile && mp_deadlocked(s->mp))
		profile_stuck(s->profile);
	if (s->mp && s->recorder)
		recorder_trim(s->recorder, mp_ranks_begun(s->mp));
	if (s->mp && s->recorder && mp_deadlocked(s->mp))
		recorder_stuck(s->recorder);
	if (s->profile && profile_end(s->profile, makespan, &err) < 0)
		s->lost = err;
	if (s->recorder) /* which trust asks */
		path_record(s);
	if (s->recorder && s->profile && !failure)
		trust_record(s);
	if (s->recorder && failure)
		recorder_note(s->recorder, "failure", failure->text);
	if (s->recorder && recorder_close(s->recorder, makespan, &err) < 0)
		s->lost = err;
	s->recorder = NULL;
}
