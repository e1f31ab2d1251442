/* campaign.h: measuring a network: what is measured, in which order, and what each part decides
 * about the next. Who measures is another's affair: a program on a real machine (measurer.h), or
 * formulas, in tests. */
#ifndef ORRERY_CALIBRATE_CAMPAIGN_H
#define ORRERY_CALIBRATE_CAMPAIGN_H

#include "network.h"

/* Measures a plan (lines as measure.c reads them), and adds its rows to raw. part: a word for this
 * part of the campaign, a file's name. */
struct net_measurer {
	int (*measure)(void *self, const char *part, const struct str *plan, struct net_raw *raw,
	               struct err *err);
	void *self;
};

/* What is asked for. */
struct net_campaign {
	double max_size;               /* bytes of the largest message */
	int samples;                   /* round trips */
	uint64_t seed;                 /* of sizes and their order */
	int64_t cabinets, per_cabinet; /* that hosts, in order, are in; 0: found by measuring */
};
/* "4x16": cabinets and hosts of each. */
int net_campaign_cabinets(struct net_campaign *c, const char *text, struct err *err);

/* raw: initialised; what was measured before an error is in it. doubts: a line for each, about
 * cabinets. */
int net_campaign_run(const struct net_campaign *c, const struct net_measurer *m,
                     struct net_raw *raw, struct str *doubts, struct err *err);
/* The end of a campaign, for rows that were measured another day: which hosts are one, and which
 * share a link. */
int net_campaign_look(const struct net_campaign *c, struct net_raw *raw, struct str *doubts,
                      struct err *err);

#endif
