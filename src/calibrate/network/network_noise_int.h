/* network_noise_int.h: what the files that find the noise of messages have in common. */
#ifndef ORRERY_CALIBRATE_NETWORK_NOISE_INT_H
#define ORRERY_CALIBRATE_NETWORK_NOISE_INT_H

#include "network_int.h"

enum { LEAST = 12 /* round trips in a section */ };
/* Quantile of the normal distribution: of the upper side of the middle. */
#define NORMAL_80 0.8416

struct residual {
	double size, start, late, fitted; /* late: s, of half a round trip */
	double off;                       /* s: what all messages of about that size are late by */
	double alone; /* s, of the message on the network, without overheads: what noise is a factor
	                 of */
	/* s: rare ones: what they are late by beside the usual ones of their section */
	double beyond;
	int section, rare;
};
struct section {
	double from, to;
	size_t first, n, rare; /* in residuals, by size; delays that count */
	double seconds;        /* half a round trip, on average */
	int last, relative;    /* the last one of the sample that it is of, and its unit */
	double shift[2]; /* of its mean beside that of the sample, by unit: what chance made of few
	                    round trips */
};
struct work {
	struct net_fit *f;
	struct residual *r; /* by size */
	size_t n;
	double *some, *other, *third; /* room for n */
	size_t *at;                   /* the same */
	struct section section[NET_PIECES];
	int sections;
};

static inline double residual(const struct residual *r, int relative)
{
	return relative ? r->late / r->fitted : r->late;
}

/* network_samples.c. Order by size. */
int residual_by_size(const void *a, const void *b);
/* At least a factor of two in size, and LEAST round trips; what is left at the end joins the
 * last. */
void sections_cut(struct work *w);
/* Takes off what goes with the size. */
void residuals_level(struct work *w);
/* Sections from a on that are one sample; returned: the first that is not. */
int group_find(struct work *w, int a);
/* Residuals of sections a to b, without rare ones, less the mean of their section, or of its middle
 * nine tenths; relative or in s. Their number. */
size_t body_take(const struct work *w, int a, int b, int relative, int middle, double *out);
/* How likely sections a to b - 1 and section b are of one distribution; shifts b to where that is
 * likeliest. */
double section_joins(struct work *w, int a, int b, int relative);

/* network_rare.c: marks the rare delays, and finds how long and how likely they are. */
void rare_fit(struct work *w);

/* network_odd.c: warns of what is no noise of this model: two modes, a drift. */
int bimodal_look(struct work *w, struct err *err);
void drift_look(struct work *w);

#endif
