/* progress_bar.c: one line on stderr, redrawn five times a second, only on a terminal and only for
 * work that lasts over a second. */
#include "cli.h"

#include <string.h>
#include <unistd.h>

enum { BAR_CELLS = 24 };

static void bar_cells(char *out, double part)
{
	int full = (int)(part * BAR_CELLS);

	for (int i = 0; i < BAR_CELLS; i++)
		out[i] = i < full ? '#' : '.';
	out[BAR_CELLS] = 0;
}

static void bar_draw(struct progress_bar *b, double now)
{
	double elapsed = now - b->started, rate = (double)b->p.done / elapsed;
	char simulated[32], rates[32], left[40] = "", cells[BAR_CELLS + 1] = "";

	fmt_seconds(simulated, sizeof simulated, b->p.simulated);
	fmt_si(rates, sizeof rates, rate, "actions/s");
	if (b->p.total > b->p.done && rate > 0) {
		bar_cells(cells, (double)b->p.done / (double)b->p.total);
		snprintf(left, sizeof left, ", %.0f s left",
		         (double)(b->p.total - b->p.done) / rate);
	}
	if (b->p.what)
		fprintf(stderr, "\r\033[K%s %.0f %% of the %s%s", cells,
		        100 * (double)b->p.done / (double)b->p.total, b->p.what, left);
	else
		fprintf(stderr, "\r\033[K%s %llu actions, simulated %s, %s%s", cells,
		        (unsigned long long)b->p.done, simulated, rates, left);
	fflush(stderr);
	b->drawn = now;
	b->shown = 1;
}

static void bar_tick(struct progress *p)
{
	struct progress_bar *b = (struct progress_bar *)p;
	double now = wall_seconds();

	if (b->enabled && now - b->started > 1 && now - b->drawn > 0.2)
		bar_draw(b, now);
}

void progress_bar_init(struct progress_bar *b, const struct args *a)
{
	*b = (struct progress_bar){.p.tick = bar_tick, .started = wall_seconds()};
	b->enabled = !a->quiet && isatty(STDERR_FILENO);
}

void progress_bar_done(struct progress_bar *b)
{
	if (b->shown)
		fputs("\r\033[K", stderr);
	b->shown = 0;
}
