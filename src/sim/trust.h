/* trust.h: how far a prediction may be trusted: of each thing that it stands on, what is
 * calibrated, what is assumed and what was not modelled, with the likely effect on the time. */
#ifndef ORRERY_SIM_TRUST_H
#define ORRERY_SIM_TRUST_H

#include "base/base.h"

#include <stdint.h>

struct sim;

enum trust_state { TRUST_CALIBRATED, TRUST_PUBLISHED, TRUST_ASSUMED, TRUST_NOT_MODELLED };
struct trust_item {
	const char *what; /* "computation", "network", "collectives", … */
	enum trust_state state;
	double deviation; /* of the logarithm of what is named; < 0: not known, or none */
	double share;     /* of the time that it decides; < 0: not known */
	char text[768];
};
enum { TRUST_ITEMS = 12 };
struct sim_trust {
	struct trust_item item[TRUST_ITEMS];
	int n;
	double deviation; /* of the logarithm of the time: of all that is known together */
	/* And the model's own: the scale of a t distribution of 2 degrees, of what is shorter than
	 * predicted and of what is longer. */
	struct trust_sides {
		double below, above;
	} residual;
	double set_up; /* what connections may take more or less: half a width, part of the time */
	int empty;     /* nothing takes time: there are no parts of it to be off by */
	int drawn;     /* it is in the time, drawn at random (study/repeat.h) */
	int cut; /* the record ends before the program did: the time is a lower bound of its time */
};

/* After sim_run, with a profile. */
void sim_trust(const struct sim *s, struct sim_trust *out);
/* What holds 95 % reaches so far below (< 1) and above, as parts of the predicted time; the greater
 * of both. */
struct trust_sides trust_reach(const struct sim_trust *t);
double trust_width(const struct sim_trust *t);
/* One line, "trust: …\n"; the value of a key. */
void trust_text(const struct sim_trust *t, struct str *out);
void trust_json(const struct sim_trust *t, struct json *j);
/* What the run of a seed is off by errors of machine and model that are not known: a factor on its
 * time. */
double trust_draw(const struct sim_trust *t, uint64_t seed);

#endif
