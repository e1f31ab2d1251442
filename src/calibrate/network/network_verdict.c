/* network_verdict.c: is a fit worth using? Who else had the processors while it was measured, how
 * sure its latency is, how far the fit is off what it was made of and off programs that it was not
 * made of. A calibration that fails here is written all the same, for eyes; its header and the exit
 * code say that it is not to be used. */
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Above this part of all processors, ranks waited for other programs' quanta (some ms each) often
 * enough to be in medians: with a tenth in use on a host of two processors, where two ranks poll,
 * one message of five meets one. */
static const double OTHERS_MOST = 0.1;
/* From this part on it is worth a line. */
static const double OTHERS_SEEN = 0.03;
/* A latency that is known no better than to a half is not known. Below 1 us it is what overheads
 * leave of a message, a difference that counts no more than they do. */
static const double LATENCY_MOST = 0.5, LATENCY_SHORT = 1e-6;
/* Medians of round trips by size, beside the fit: the laboratory and the published measurements of
 * tests/ are within 0.1; more is a machine that did something else meanwhile. */
static const double RESIDUAL_MOST = 0.25;
/* Programs that had no part in the fit take e^0.5 = 1.65 times as long, or the inverse, in one run
 * of three: the model is not this machine's. */
static const double DISCREPANCY_MOST = 0.5;

/* "0.0312 of all, for 41.2 s" */
static int share_parse(const char *s, double *part, double *time)
{
	static const char between[] = " of all, for ";
	size_t n = strcspn(s, " "), m;

	if (num_parse_double(s, n, part) < 0 || strncmp(s + n, between, sizeof between - 1) != 0)
		return -1;
	s += n + sizeof between - 1;
	m = strcspn(s, " \n");
	return num_parse_double(s, m, time) == 0 && s[m] == ' ' && *part >= 0 && *time > 0 ? 0 : -1;
}

/* "processors in use by others: 0.0312 of all, for 41.2 s", once for each run of the measuring
 * program: their mean, by time; < 0: not told. */
static double others_of(const struct net_raw *raw)
{
	static const char key[] = "processors in use by others: ";
	double sum = 0, seconds = 0;

	for (const char *p = raw->meta.s; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : "") {
		double part, time;

		if (strncmp(p, key, sizeof key - 1) == 0 &&
		    share_parse(p + sizeof key - 1, &part, &time) == 0) {
			sum += part * time;
			seconds += time;
		}
	}
	return seconds > 0 ? sum / seconds : -1;
}

static double discrepancy_most(const struct net_fit *f)
{
	double most = 0;

	for (int i = 0; i < f->discrepancies; i++)
		most = fmax(most, fmax(f->discrepancy[i].below, f->discrepancy[i].above));
	return most;
}

void net_verdict_busy(const struct net_raw *raw, struct str *out)
{
	double others = others_of(raw);

	if (others > OTHERS_SEEN)
		str_printf(out,
		           "other programs used %.0f %% of the processors while this was measured: "
		           "noise and overheads are theirs in part; measure on an idle machine\n",
		           100 * others);
}

int net_verdict(const struct net_raw *raw, const struct net_fit *f, struct str *why)
{
	double others = others_of(raw), apart = discrepancy_most(f);
	size_t before = why->n;

	if (others > OTHERS_MOST)
		str_printf(why, "other programs used %.0f %% of the processors meanwhile\n",
		           100 * others);
	if (f->not_seconds)
		str_puts(why, "the durations are not in seconds, as it seems\n");
	if (!(f->latency > 0) || f->latency_95 > LATENCY_MOST * fmax(f->latency, LATENCY_SHORT))
		str_printf(why, "the latency is %.3g s, with a 95 %% interval of +- %.3g s\n",
		           f->latency, f->latency_95);
	if (f->spread > RESIDUAL_MOST)
		str_printf(why, "medians of what was measured are %.0f %% off the fit\n",
		           100 * f->spread);
	if (apart > DISCREPANCY_MOST)
		str_printf(why,
		           "programs that had no part in the fit took other times than it says, "
		           "by a factor of %.2g\n",
		           exp(apart));
	return why->n > before || why->failed ? -1 : 0;
}
