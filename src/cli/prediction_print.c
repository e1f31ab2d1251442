/* prediction_print.c: one prediction, in words and as JSON. */
#include "base/memory.h"
#include "prediction.h"

#include <math.h>
#include <string.h>

static void text_head(const struct args *a, const struct sim *s, struct str *out)
{
	const struct platform *p = sim_platform(s);
	const char *what_if = args_get(a, OPT_WHAT_IF);

	str_printf(out, "%u rank%s on %s (%u host%s), model %s%s%s\n", sim_ranks(s),
	           plural(sim_ranks(s)), platform_name(p), platform_host_count(p),
	           plural(platform_host_count(p)), sim_model_name(s), what_if ? ", what if " : "",
	           what_if ? what_if : "");
	if (sim_is_graph(s))
		str_printf(out, "simulated as a graph; ranks placed %s\n", sim_placement_why(s));
	else
		str_printf(out, "collectives: %s, %s; ranks placed %s\n", sim_selector(s),
		           sim_selector_why(s), sim_placement_why(s));
}

static void text_shares(const struct sim *s, struct str *out)
{
	struct profile_shares sh;

	sim_shares(s, &sh);
	for (int c = 0; c < TIME_CLASSES; c++)
		if ((c != TIME_IO && !sim_is_graph(s)) || sh.share[c] > 0 || c == 0)
			str_printf(out, "%s%s %.1f %%", c ? ", " : "time of the ranks: ",
			           time_class_name((enum time_class)c), 100 * sh.share[c]);
	str_putc(out, '\n');
}

void prediction_text(const struct args *a, const struct sim *s, struct str *out)
{
	int flags = (args_has(a, OPT_RANKS) ? PROFILE_PER_RANK : 0) |
	            (color_wanted(stdout) ? PROFILE_COLOR : 0);
	double wall = sim_wall(s);
	struct sim_trust trust;
	struct mp_stats st;
	char rate[32];

	sim_stats(s, &st);
	text_head(a, s, out);
	text_shares(s, out);
	if (args_has(a, OPT_PROFILE) || args_has(a, OPT_RANKS))
		profile_text(sim_profile(s), flags, out);
	if (args_has(a, OPT_PROFILE))
		sim_source_text(s, out);
	if (sim_explainer(s))
		explainer_text(sim_explainer(s), out);
	fmt_si(rate, sizeof rate, wall > 0 ? (double)sim_actions(s) / wall : 0, "actions/s");
	str_printf(out, "%llu action%s, %llu message%s in %.2f s (%s), %.1f MiB\n",
	           (unsigned long long)sim_actions(s), plural(sim_actions(s)),
	           (unsigned long long)st.messages, plural(st.messages), wall, rate,
	           (double)memory_peak() / 1024);
	sim_trust(s, &trust);
	trust_text(&trust, out);
	str_printf(out, "simulated time: %.9f s\n", st.end);
}

static void json_shares(const struct sim *s, struct json *j)
{
	struct profile_shares sh;

	sim_shares(s, &sh);
	json_key(j, "shares");
	json_object(j);
	for (int c = 0; c < TIME_CLASSES; c++)
		json_put_double(j, time_class_key((enum time_class)c), sh.share[c]);
	json_end(j);
}

/* A program that failed has no time. */
static void json_time(const struct mp_stats *st, const struct err *failure, struct json *j)
{
	json_put_double(j, "simulated_time", failure ? NAN : st->end);
	json_put_string(j, "failure", failure ? failure->text : NULL);
	if (failure)
		json_put_double(j, "failed_at", st->end);
}

static void json_head(const struct args *a, const struct sim *s, struct json *j)
{
	enum sim_complete complete = sim_about(s)->complete;

	json_put_int(j, "ranks", sim_ranks(s));
	json_put_string(j, "machine", platform_name(sim_platform(s)));
	json_put_string(j, "calibration", platform_calibration(sim_platform(s)));
	json_put_string(j, "what_if", args_get(a, OPT_WHAT_IF));
	json_put_string(j, "model", sim_model_name(s));
	json_put_string(j, "selector", sim_selector(s));
	json_put_string(j, "selector_why", sim_selector_why(s));
	json_put_string(j, "placement", sim_placement_why(s));
	json_key(j, "complete");
	if (complete == SIM_COMPLETE_UNKNOWN)
		json_string(j, NULL);
	else
		json_bool(j, complete == SIM_COMPLETE);
}

void prediction_head(const struct args *a, const struct sim *s, struct str *out)
{
	struct json j;

	if (!args_has(a, OPT_JSON)) {
		text_head(a, s, out);
		return;
	}
	json_init(&j, out);
	json_object(&j);
	json_head(a, s, &j);
	json_end(&j);
}

static void json_figures(const struct sim *s, const struct mp_stats *st, struct json *j)
{
	double wall = sim_wall(s);

	json_put_int(j, "actions", (int64_t)sim_actions(s));
	json_put_int(j, "messages", (int64_t)st->messages);
	json_put_double(j, "message_bytes", st->bytes);
	json_put_int(j, "collectives", (int64_t)st->collectives);
	json_put_double(j, "wall_seconds", wall);
	json_put_double(j, "actions_per_second", wall > 0 ? (double)sim_actions(s) / wall : 0);
	json_put_int(j, "peak_rss_kib", (int64_t)memory_peak());
}

void prediction_json(const struct args *a, const struct sim *s, const struct err *failure,
                     struct str *out)
{
	struct sim_trust trust;
	struct mp_stats st;
	struct json j;

	sim_stats(s, &st);
	json_init(&j, out);
	json_object(&j);
	json_time(&st, failure, &j);
	json_head(a, s, &j);
	json_figures(s, &st, &j);
	json_shares(s, &j);
	json_key(&j, "trust");
	if (failure) {
		json_string(&j, NULL);
	} else {
		sim_trust(s, &trust);
		trust_json(&trust, &j);
	}
	json_key(&j, "profile");
	if (sim_profile(s))
		profile_json(sim_profile(s), args_has(a, OPT_RANKS) ? PROFILE_PER_RANK : 0, &j);
	else
		json_string(&j, NULL);
	sim_source_json(s, &j);
	if (sim_explainer(s) && !failure) {
		json_key(&j, "explain");
		explainer_json(sim_explainer(s), &j);
	}
	json_end(&j);
	str_putc(out, '\n');
}
