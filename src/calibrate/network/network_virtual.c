/* network_virtual.c: hosts that are virtual ones of one computer and share its processors, as in
 * the laboratory (lab/: network namespaces of one machine). No machine that anybody computes on is
 * like that: without the line of the measuring program that says so nothing here does anything, and
 * nobody is asked for it or told of it. */
#include "network_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PROCESSORS_MOST = 1e6;
enum { FEW_LEAST = 3 };
/* Of a round trip alone: less than a tenth is not told from chance. */
static const double SEEN = 0.1;

/* Hosts of one computer (the measuring program tells): what k round trips at once take longer than
 * one, beyond as many as there are processors, is time for which each message has kept one of them,
 * if they shared them evenly. It is part of a message's latency. */
int virtual_fit(struct fitting *w, struct err *err)
{
	static const char key[] = "hosts are virtual, processors of their computer: ";
	const char *at = w->raw->meta.s ? strstr(w->raw->meta.s, key) : NULL;
	struct net_fit *f = w->f;
	int64_t told;
	double alone = NAN, work = 0, *y = step_alloc(w, rows_of(w, NET_CROWD), sizeof *y);

	(void)err;
	f->processors = 0;
	if (at && num_take_digits(at + sizeof key - 1, &told) && told >= 1 &&
	    told <= PROCESSORS_MOST)
		f->processors = (double)told;
	f->work = 0;
	for (int k = 1; y && f->processors > 0 && k <= NET_HOSTS; k++) {
		size_t n = 0;

		for (size_t i = 0; i < rows_of(w, NET_CROWD); i++) {
			const struct net_row *r = row_of(w, NET_CROWD, i);

			if (r->pairs % NET_GAPS == k && !r->local && !r->far)
				y[n++] = r->duration / 2;
		}
		if (n < FEW_LEAST)
			continue;
		if (k == 1)
			alone = fit_median(y, n);
		else if (k > f->processors) /* the most pairs say it best */
			work = (fit_median(y, n) - alone) / (k / f->processors - 1);
	}
	if (work > SEEN * alone)
		f->work = fmin(work, f->latency);
	return 0;
}
