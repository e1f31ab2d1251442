/* network_result.h: from measurements to what the user gets: fit, platform, is it to be used. */
#ifndef ORRERY_CALIBRATE_NETWORK_RESULT_H
#define ORRERY_CALIBRATE_NETWORK_RESULT_H

#include "network.h"

/* What other calibrations wrote, to be in the platform too. */
struct net_extras {
	struct str header;   /* lines of the machine's header */
	struct str settings; /* NAME:VALUE, a line each */
	int64_t cores;       /* of a host; 0: none told */
};
void net_extras_init(struct net_extras *x);
void net_extras_release(struct net_extras *x);
/* n files, each checked: an unknown setting is an error with its line. */
int net_extras_read(struct net_extras *x, const char *const *path, int n, struct err *err);
/* Of a host: 0 if nobody told, or one core, which is what a platform has by itself. */
int64_t net_extras_cores(const struct net_extras *x);

/* The fit, with what is to be warned of: doubts (from the campaign) and other programs at work. */
int net_result_fit(const struct net_raw *raw, double bandwidth, const struct str *doubts,
                   struct net_fit *f, struct err *err);
/* A few lines for the user. */
void net_result_tell(const struct net_raw *raw, const struct net_fit *f, struct str *out);

struct net_wanted {
	const char *name, *speed; /* NULL: calibrated, 1Gf */
	int64_t cores;            /* of a host; 0: by what was measured */
	const struct net_extras *extras;
};
const char *net_wanted_name(const struct net_wanted *w);
/* Looks at programs that had no part in the fit (into f), and writes the platform. unusable: why it
 * is not to be used, a line each; empty: it is. */
int net_result_write(const struct net_raw *raw, struct net_fit *f, const struct net_wanted *w,
                     struct str *platform, struct str *unusable, struct err *err);
/* The error of a result that is written, to `path` (NULL, "-": the standard output), and not to be
 * used. */
int net_unusable(const struct str *unusable, const char *path, struct err *err);

#endif
