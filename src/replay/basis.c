/* basis.c: see basis.h. In this order:
 *
 *   the user's ratio (--cpu-ratio)                        volumes of time, or durations, / ratio
 *   volumes counted by nobody, or the machine takes any   the machine's speed
 *   the machine has a rate of that unit                   volume / rate
 *   hosts have ratios (cpu-ratio)                         time / ratio of the host
 *   both processors, or their generations, are in
 *   published figures                                     time / their ratio
 *   otherwise                                             as traced, and a notice
 */
#include "basis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int is_time(enum volume_unit u)
{
	return u == VOLUME_SECONDS || u == VOLUME_ELAPSED;
}

/* Time of the trace, over a ratio: of volumes that are time, else of durations. */
static void basis_scale(struct basis *b, const struct trace_manifest *m, enum volume_unit unit,
                        double ratio)
{
	int by_volume = is_time(unit) && m->nominal_rate > 0;

	b->kind = by_volume ? BASIS_VOLUME : BASIS_DURATION;
	b->seconds = by_volume ? 1 / (m->nominal_rate * ratio) : 0;
	b->ratio = ratio;
}

static const char *processor_of(const struct trace_manifest *m)
{
	return m->processor && *m->processor ? m->processor : "";
}

/* What would relate the two, of what is not there yet. Elapsed time may be of sleeps, which no
 * processor makes shorter: only the user can know. */
static void remedies(struct str *out, const char *here, const char *there, enum volume_unit unit)
{
	str_puts(out, "give --cpu-ratio R (how many times faster a core there is)");
	if (unit != VOLUME_ELAPSED)
		str_puts(out, ", --rates of 'orrery calibrate cpu'");
	if (!is_time(unit))
		str_printf(out, ", a line 'rate-%s:' in the machine's header",
		           unit == VOLUME_FLOPS ? "flops" : "instructions");
	if (unit != VOLUME_ELAPSED && !*here)
		str_puts(out, ", a line 'processor:' in the machine's header");
	if (unit != VOLUME_ELAPSED && !*there)
		str_puts(out, ", a line 'processor:' in the trace's manifest (of another tool's "
		              "trace: 'orrery convert' writes one)");
}

static void notice_make(struct basis *b, const char *there, const struct platform *p,
                        enum volume_unit unit)
{
	const char *here = platform_processor(p);
	struct str how;

	str_init(&how);
	remedies(&how, here, there, unit);
	snprintf(b->notice, sizeof b->notice,
	         "computation takes as long as where it was traced: nothing relates %s%s to %s%s; "
	         "%s (docs/machines.md)\n",
	         unit == VOLUME_ELAPSED ? "elapsed time on "
	         : is_time(unit)        ? "seconds of "
	                                : "instructions counted on ",
	         *there ? there : "a processor that is not named", platform_name(p),
	         *here ? "" : ", whose processor is not named",
	         how.failed ? "there is no memory to tell what would" : how.s);
	str_release(&how);
}

static void as_traced(struct basis *b, const struct trace_manifest *m, const struct platform *p,
                      enum volume_unit unit)
{
	const char *there = processor_of(m);

	basis_scale(b, m, unit, 1);
	snprintf(b->text, sizeof b->text, "%sas traced (on %s)",
	         unit == VOLUME_ELAPSED ? "elapsed time, " : "",
	         *there ? there : "a processor not named");
	b->assumed = 1;
	notice_make(b, there, p, unit);
}

/* The ratio of the two models: 1 if it is known, 0, -1. Of elapsed time, which may be of sleeps,
 * only what is the same on both. */
static int by_processors(struct basis *b, const struct trace_manifest *m, const struct platform *p,
                         enum volume_unit unit, struct err *err)
{
	struct processor_ratio r;
	int known = processor_ratio(processor_of(m), platform_processor(p), &r, err);
	int elapsed = unit == VOLUME_ELAPSED;

	const char *from = r.generation[0], *to = r.generation[1];

	if (known <= 0 || (elapsed && (r.ratio != 1 || *from || *to)))
		return known < 0 ? -1 : 0;
	basis_scale(b, m, unit, r.ratio);
	b->assumed = *from || *to;
	b->deviation = elapsed ? 0 : r.deviation;
	if (elapsed)
		snprintf(b->text, sizeof b->text, "elapsed time, as traced on %s", processor_of(m));
	else
		snprintf(b->text, sizeof b->text, "%s%s%s to %s%s%s, x%.2f by %.*s",
		         processor_of(m), *from ? " as one of " : "", from, platform_processor(p),
		         *to ? " as one of " : "", to, r.ratio, (int)strcspn(r.source, ",;"),
		         r.source);
	return 1;
}

static void by_rate(struct basis *b, enum volume_unit unit, const struct platform_rate *rate)
{
	b->kind = BASIS_VOLUME;
	b->seconds = 1 / rate->rate;
	b->deviation = rate->deviation;
	snprintf(b->text, sizeof b->text, "%.3g %s/s%s%s", rate->rate, volume_unit_word(unit),
	         *rate->source ? ", " : "", rate->source);
}

static void by_speed(struct basis *b, const struct trace_manifest *m, enum volume_unit unit,
                     const struct platform *p)
{
	enum volume_unit speed = platform_speed_unit(p);
	struct platform_rate rate;

	b->kind = BASIS_SPEED;
	b->assumed = unit == VOLUME_UNKNOWN || (speed == VOLUME_UNKNOWN && unit != VOLUME_MADE_UP);
	if (platform_rate(p, speed, &rate))
		b->deviation = rate.deviation;
	if (speed == VOLUME_SECONDS && is_time(unit) && m->nominal_rate > 0) {
		b->kind = BASIS_VOLUME; /* 1e9 of such a speed: as fast as where it was traced */
		b->seconds = 1e9 / (m->nominal_rate * rate.rate);
	}
	snprintf(b->text, sizeof b->text, "volumes%s%s at the machine's speed%s%s",
	         *volume_unit_word(unit) ? " in " : "", volume_unit_word(unit),
	         *volume_unit_word(speed) && speed != VOLUME_ANY ? " in " : "",
	         speed == VOLUME_ANY ? "" : volume_unit_word(speed));
}

static int ratio_of_user(struct basis *b, const struct trace_manifest *m, enum volume_unit unit,
                         const struct config *cfg, struct err *err)
{
	double ratio = config_number(cfg, CFG_COMPUTATION_CPU_RATIO);

	if (!*config_text(cfg, CFG_COMPUTATION_CPU_RATIO))
		return 0;
	if (!(ratio > 0))
		return err_set(err, ERR_INPUT, "setting %s is above 0",
		               config_table[CFG_COMPUTATION_CPU_RATIO].name);
	if (!m || unit == VOLUME_MADE_UP)
		return err_set(
		    err, ERR_INPUT,
		    "setting %s: this trace does not say how long its computations took where it "
		    "was traced",
		    config_table[CFG_COMPUTATION_CPU_RATIO].name);
	basis_scale(b, m, unit, ratio);
	b->told = 1;
	snprintf(b->text, sizeof b->text, "as traced, / %g by %s", ratio,
	         config_table[CFG_COMPUTATION_CPU_RATIO].name);
	return 1;
}

/* Volumes are for the speed as it is: nobody counted them, or the file says that they fit. A
 * machine that says nothing of its speed is somebody's own, written for traces that count. */
static int fits_speed(enum volume_unit unit, const struct platform *p)
{
	enum volume_unit speed = platform_speed_unit(p);

	return unit == VOLUME_UNKNOWN || unit == VOLUME_MADE_UP || speed == VOLUME_ANY ||
	       (speed == VOLUME_UNKNOWN && !is_time(unit)) ||
	       (speed == VOLUME_SECONDS && is_time(unit));
}

int basis_choose(struct basis *b, const struct trace_manifest *m, const struct platform *p,
                 const struct config *cfg, struct err *err)
{
	enum volume_unit unit = m ? trace_manifest_unit(m) : VOLUME_UNKNOWN;
	struct platform_rate rate;
	int r;

	*b = (struct basis){.ratio = 1};
	r = ratio_of_user(b, m, unit, cfg, err);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (fits_speed(unit, p)) {
		by_speed(b, m, unit, p);
		return 0;
	}
	if (!is_time(unit) && platform_rate(p, unit, &rate)) {
		by_rate(b, unit, &rate);
		return 0;
	}
	if (platform_host_prop(p, (struct host_id){0}, "cpu-ratio")) {
		basis_scale(b, m, unit, 1);
		b->by_host = 1;
		snprintf(b->text, sizeof b->text, "as traced, / the ratio of each host");
		return 0;
	}
	r = by_processors(b, m, p, unit, err);
	if (r == 0)
		as_traced(b, m, p, unit);
	return r < 0 ? -1 : 0;
}

/* How much faster a host is than the one that the figures are of. */
static double beside_first(const struct basis *b, const struct platform *p, struct host_id h)
{
	const struct host_id of = platform_first_computing(p);
	struct host_info first, here;

	if (b->by_host)
		return platform_speed_scale(p, h) * platform_host_ratio(p, h);
	platform_host(p, of, &first);
	platform_host(p, h, &here);
	return platform_speed_scale(p, of) * here.speed / first.speed;
}

double basis_seconds(const struct basis *b, const struct platform *p, struct host_id h,
                     double volume, double duration)
{
	if (b->kind == BASIS_VOLUME)
		return volume * b->seconds / beside_first(b, p, h);
	if (b->kind == BASIS_DURATION && duration >= 0)
		return duration / (b->ratio * beside_first(b, p, h));
	return -1;
}
