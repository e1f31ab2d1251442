/* trust.c: see trust.h.
 *
 * Figures that are not a measurement of this machine:
 *  - a network of a machine that is calibrated: 5 %; only partly: 25 %; not at all, or by nobody
 *    knows whom: 50 %. What `calibrate network` wrote has the noise of its own programs in its
 *    settings, and none of these. With another model than it was measured for, or with factors
 *    of the user's, it is not calibrated.
 *  - computation as it was traced, on a processor that nothing relates to the machine's: 50 %.
 *  - the model's own residuals, on programs that it was not made of, in classes of what a
 *    program does (CLASS below).
 *  - what a cut trace lacks: no width can hold it, for it may be most of the program. The line
 *    says that the time is a lower bound instead.
 *  - connections that are set up: which of them a run sees at once, and which it has behind it
 *    when MPI_Init returns, is not known: half of what one takes, as a part of the run. Runs
 *    with noise draw it (src/mp/transport/first_contact.h), and have it in their spread already. */
#include "trust.h"

#include "sim.h"

#include "base/spread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUNDING = 1e-9;
static const double MEASURED = 0.05, PARTLY = 0.25, NOTHING = 0.5;

static const char *trust_state_word(enum trust_state s)
{
	static const char *const words[] = {"calibrated", "published", "assumed", "not modelled"};

	return words[s];
}

static struct trust_item *item_add(struct sim_trust *t, const char *what, enum trust_state state,
                                   double deviation, double share)
{
	BUG_ON(t->n == TRUST_ITEMS);
	struct trust_item *i = &t->item[t->n++];

	*i = (struct trust_item){
	    .what = what, .state = state, .deviation = deviation, .share = share};
	if (deviation > 0 && share > 0)
		t->deviation = hypot(t->deviation, deviation * share);
	return i;
}

static void computation_add(struct sim_trust *t, const struct sim *s, double share)
{
	const struct basis *b = sim_basis(s);
	const char *rates = config_text(sim_config(s), CFG_COMPUTATION_RATES);
	enum trust_state state = TRUST_ASSUMED;
	double deviation = NOTHING; /* in compat nobody asks whose volumes and speed these are */
	const char *text = "volumes at the machine's speed";
	double instead; /* of the share */

	if (!(share > 0))
		return;
	if (*rates) {
		state = TRUST_CALIBRATED;
		deviation = -1;
		text = rates;
	} else if (b && *b->text) {
		state = b->assumed || b->told ? TRUST_ASSUMED : TRUST_PUBLISHED;
		deviation = b->told                             ? -1
		            : b->assumed && !(b->deviation > 0) ? NOTHING
		                                                : b->deviation;
		text = b->text;
	}
	instead = b && b->unfounded > 0 ? share * fmin(1, b->unfounded) : 0;
	if (instead < share)
		snprintf(item_add(t, "computation", state, deviation, share - instead)->text,
		         sizeof t->item[0].text, "%s", text);
	if (instead > 0)
		snprintf(item_add(t, "computation", TRUST_ASSUMED, NOTHING, instead)->text,
		         sizeof t->item[0].text, "%s", b->instead);
}

/* The settings that `calibrate network` writes. */
static int has_network_noise(const struct config *c)
{
	return strcmp(config_text(c, CFG_NOISE_RUN_NETWORK), "0") != 0 ||
	       config_text(c, CFG_NOISE_NETWORK)[0];
}

/* A machine's network was measured for the hybrid model and with the machine's own factors: what
 * the user put in their place was measured by nobody. "": nothing; text has room for an item's. */
static const char *put_in_its_place(const struct config *c, char *text, size_t n)
{
	const char *model = config_text(c, CFG_NET_MODEL);

	text[0] = '\0';
	if (config_from(c, CFG_NET_MODEL) == CFG_FROM_USER && !text_same(model, "hybrid") &&
	    !text_same(model, "SMPI"))
		snprintf(text, n, "model %s, as asked for: it was not measured for that", model);
	else if (!has_network_noise(c) &&
	         (config_from(c, CFG_NET_LATENCY_FACTOR) == CFG_FROM_USER ||
	          config_from(c, CFG_NET_BANDWIDTH_FACTOR) == CFG_FROM_USER))
		snprintf(text, n, "factors as given");
	return text;
}

static void network_add(struct sim_trust *t, const struct sim *s, double share)
{
	const char *how = platform_calibration(sim_platform(s));
	int partly = strncmp(how, "partly", 6) == 0, none = strncmp(how, "none", 4) == 0;
	int own = !partly && !none && strncmp(how, "measured", 8) != 0;
	int unusable = strncmp(how, "none that is to be used", 23) == 0;
	char told[sizeof t->item[0].text];
	struct trust_item *i;

	if (!none && !own && *put_in_its_place(sim_config(s), told, sizeof told)) {
		i = item_add(t, "network", TRUST_ASSUMED, NOTHING, share);
		snprintf(i->text, sizeof i->text, "%s", told);
		return;
	}
	if (has_network_noise(sim_config(s)) && !unusable)
		i = item_add(t, "network", TRUST_CALIBRATED, -1, share);
	else
		i = item_add(t, "network", none || own ? TRUST_ASSUMED : TRUST_PUBLISHED,
		             none || own ? NOTHING
		             : partly    ? PARTLY
		                         : MEASURED,
		             share);
	snprintf(i->text, sizeof i->text, "%s",
	         unusable ? "its calibration is not to be used (see the head of the file)"
	         : !*how  ? "the file does not say where its figures come from"
	         : own    ? "its calibration does not begin with measured, partly or none"
	         : none   ? "nominal figures"
	         : partly ? "partly measured"
	                  : "measured");
}

static void collectives_add(struct sim_trust *t, const struct sim *s)
{
	struct mp_stats st;
	struct trust_item *i;

	sim_stats(s, &st);
	if (st.collectives == 0)
		return;
	i = item_add(t, "collectives", sim_selector_assumed(s) ? TRUST_ASSUMED : TRUST_PUBLISHED,
	             -1, -1);
	snprintf(i->text, sizeof i->text, "%s, %s", sim_selector(s), sim_selector_why(s));
}

/* How long the busiest thread of a rank takes is known of the cores that it was traced on. */
static void threads_add(struct sim_trust *t, const struct sim *s, double compute)
{
	const struct sim_about *about = sim_about(s);
	struct trust_item *i;

	if (!(compute > 0) || !(about->threads || about->beside))
		return;
	i = item_add(t, "threads", TRUST_NOT_MODELLED, -1, compute);
	snprintf(i->text, sizeof i->text, "%s",
	         about->threads
	             ? "threads of a rank, of which the busiest is what it computes (longer where "
	               "they have fewer cores; shorter if one span that waited when traced)"
	             : "threads of a rank whose computations the trace lacks (longer)");
}

/* Ranks of one host share its memory, and nothing says how fast that is. */
static void missing_add(struct sim_trust *t, const struct sim *s, double compute)
{
	struct trust_item *i;

	if (compute > 0 && sim_hosts_shared(s) &&
	    !(config_number(sim_config(s), CFG_MEMORY_BANDWIDTH) > 0 &&
	      config_number(sim_config(s), CFG_MEMORY_TRAFFIC) > 0)) {
		i = item_add(t, "memory", TRUST_NOT_MODELLED, -1, compute);
		snprintf(i->text, sizeof i->text,
		         "bandwidth of memory that ranks of a host share (longer)");
	}
	t->cut = sim_about(s)->complete == SIM_INCOMPLETE;
	if (t->cut) {
		i = item_add(t, "trace", TRUST_NOT_MODELLED, -1, -1);
		snprintf(i->text, sizeof i->text, "what was not recorded (longer)");
	}
}

static void order_add(struct sim_trust *t)
{
	struct trust_item *i = item_add(t, "order", TRUST_NOT_MODELLED, -1, -1);

	snprintf(i->text, sizeof i->text,
	         "messages in another order than tests found them in when traced (either way)");
}

/* What a run's connections may take more or less than predicted: as part of the time. */
static double set_up_part(const struct sim *s, double end)
{
	const struct config *c = sim_config(s);
	double each = config_number(c, CFG_SMPI_CONNECTION_SETUP) +
	              config_number(c, CFG_SMPI_FIRST_CONTACT);

	return end > 0 ? fmin(1, each / 2 / end) : 0;
}

/* Was the order of a trace's messages decided by what tests found when it was recorded? A test that
 * a program only waits with is a wait in a replay; those that are left were made between pieces of
 * work. One of them for ten messages is taken as enough. A running program decides anew. */
static int is_polling(const struct sim *s, const struct mp_stats *st)
{
	return !sim_about(s)->live && 10 * st->looks > st->messages;
}

/* CLASS: scales of a t distribution of two degrees of freedom, which fits better than a normal one:
 * few programs, but some, do what the model does not know. Below and above differ: what calibration
 * measures of messages is in the spread of runs besides, and noise lengthens. They are split
 * conformal: tools/residuals works them out from tests/residuals.csv, applications of others beside
 * real runs in the laboratory (docs/validation.md), and a test holds them to it. */
static struct trust_sides model_scale(const struct mp_stats *st, int polling)
{
	static const struct trust_sides OF_SHORT = {0.138, 0.031}, OF_POLLING = {0.094, 0.032},
	                                OF_OTHERS = {0.044, 0.038};
	static const double SHORT_MESSAGES = 300;
	int are_short = st->messages && st->bytes < SHORT_MESSAGES * (double)st->messages;

	return polling ? OF_POLLING : are_short ? OF_SHORT : OF_OTHERS;
}

/* None where there is no profile: nothing sleeps there. */
static uint32_t rows_of(const struct sim *s, struct profile_row rows[CALL_CALLS])
{
	return sim_profile(s) ? profile_rows(sim_profile(s), rows) : 0;
}

/* Parts of the time: what decides it is the critical path, as a small change of all computations
 * changes the time by their share of it. What sums of dates are off by rounding is none of them;
 * the rest is sleep, which lasts as long on every machine. */
static void parts_take(const struct sim *s, double end, double *compute, double *other)
{
	struct mp_path path;

	*compute = *other = 0;
	if (!(end > 0))
		return;
	sim_path(s, &path);
	*compute = path.computed / end;
	*other = 1 - *compute - path.slept / end;
	*compute = *compute > ROUNDING ? *compute : 0;
	*other = *other > ROUNDING ? *other : 0;
}

/* What the model may be off is not of what every rank sleeps. (Who sleeps beside one that works may
 * only wait for it.) */
static double part_unslept(const struct sim *s)
{
	struct profile_row rows[CALL_CALLS];
	struct profile_shares sh;
	double slept = 0;

	sim_shares(s, &sh);
	for (uint32_t i = 0, n = rows_of(s, rows); i < n; i++)
		if (rows[i].call == CALL_SLEEP && sh.makespan > 0)
			slept = rows[i].min / sh.makespan;
	return fmax(0, 1 - slept);
}

void sim_trust(const struct sim *s, struct sim_trust *out)
{
	const double unslept = part_unslept(s);
	struct mp_stats st;
	double compute, other;
	int polling;

	*out = (struct sim_trust){0};
	sim_stats(s, &st);
	parts_take(s, st.end, &compute, &other);
	computation_add(out, s, compute);
	if (other > 0)
		network_add(out, s, other);
	collectives_add(out, s);
	missing_add(out, s, compute);
	threads_add(out, s, compute);
	polling = is_polling(s, &st);
	if (polling)
		order_add(out);
	out->residual = model_scale(&st, polling);
	out->residual.below *= unslept;
	out->residual.above *= unslept;
	out->empty = !(st.end > 0);
	out->set_up = other > 0 ? set_up_part(s, st.end) : 0;
}

/* Deviations and residuals are of logarithms, as what is drawn: a factor either way. */
static double reach_log(const struct sim_trust *t, double residual)
{
	return hypot(hypot(1.96 * t->deviation, 4.303 * residual), t->set_up);
}

struct trust_sides trust_reach(const struct sim_trust *t)
{
	return (struct trust_sides){-expm1(-reach_log(t, t->residual.below)),
	                            expm1(reach_log(t, t->residual.above))};
}

double trust_width(const struct sim_trust *t)
{
	struct trust_sides r = trust_reach(t);

	return fmax(r.below, r.above);
}

/* From there on up and down differ too much for one figure: e^0.5 is 1.65, e^-0.5 0.61. */
static const double PLUS_MINUS = 0.5;

static void item_text(const struct trust_item *i, struct str *out)
{
	str_printf(out, "%s: ", i->what);
	if (i->state != TRUST_NOT_MODELLED)
		str_printf(out, "%s, ", trust_state_word(i->state));
	str_puts(out, i->text);
	if (!(i->deviation > 0 && i->share > 0))
		return;
	if (1.96 * i->deviation < PLUS_MINUS)
		str_printf(out, " (±%.0f %% of %.0f %% of the time)", 196 * i->deviation,
		           100 * i->share);
	else
		str_printf(out, " (a factor of %.1f either way of %.0f %% of the time)",
		           exp(1.96 * i->deviation), 100 * i->share);
}

void trust_text(const struct sim_trust *t, struct str *out)
{
	const struct trust_sides r = trust_reach(t);
	const char *before = "trust: ";
	int missing = 0;

	if (t->empty) {
		str_puts(out, "trust: nothing takes time, so there is nothing to be off\n");
		return;
	}
	for (int i = 0; i < t->n; i++) {
		int not_modelled = t->item[i].state == TRUST_NOT_MODELLED;

		str_puts(out, before);
		if (not_modelled && !missing++)
			str_puts(out, "not modelled: ");
		if (not_modelled)
			str_puts(out, t->item[i].text);
		else
			item_text(&t->item[i], out);
		before = "; ";
	}
	str_printf(out, "%sin all ", before);
	if (100 * fmax(r.below, r.above) < 0.5)
		str_puts(out, "less than 0.5 % either way");
	else
		str_printf(out, "about -%.0f to +%.0f %%", 100 * r.below, 100 * r.above);
	if (t->cut)
		str_puts(out, " of what was recorded: the whole program takes longer, by an "
		              "unknown amount");
	str_putc(out, '\n');
}

static void put_known(struct json *j, const char *key, double v)
{
	if (v >= 0) {
		json_put_double(j, key, v);
		return;
	}
	json_key(j, key);
	json_string(j, NULL);
}

void trust_json(const struct sim_trust *t, struct json *j)
{
	json_object(j);
	put_known(j, "width_95", t->empty ? -1 : trust_width(t));
	put_known(j, "below_95", t->empty ? -1 : trust_reach(t).below);
	put_known(j, "above_95", t->empty ? -1 : trust_reach(t).above);
	json_key(j, "lower_bound");
	json_bool(j, t->cut);
	json_key(j, "items");
	json_array(j);
	for (int i = 0; i < t->n; i++) {
		json_object(j);
		json_put_string(j, "what", t->item[i].what);
		json_put_string(j, "state", trust_state_word(t->item[i].state));
		json_put_string(j, "text", t->item[i].text);
		put_known(j, "deviation", t->item[i].deviation);
		put_known(j, "share", t->item[i].share);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

double trust_draw(const struct sim_trust *t, uint64_t seed)
{
	enum { DRAW_KNOWN = SPREAD_KINDS - 2, DRAW_MODEL }; /* those before are src/mp/noise's */
	double of_model = spread_t_two(spread_unit(seed, DRAW_MODEL));
	double log_factor = t->deviation * spread_normal(spread_unit(seed, DRAW_KNOWN)) +
	                    (of_model < 0 ? t->residual.below : t->residual.above) * of_model;

	return exp(fmax(-3, fmin(3, log_factor)));
}
