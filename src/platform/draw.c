/* draw.c: a platform as a picture (SVG): one card per zone, inside the card of the zone around it:
 * what it is, its figures, and a picture of what it holds (draw_topology.c). Of many children the
 * first are drawn, and how many more there are is written. draw_route: the way between two hosts.
 *
 * Two walks over the tree, both in index order, for a parent has a smaller index than its children:
 * sizes from the leaves up, then places from the root down. */
#include "platform/draw.h"

#include "base/markup.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN_DRAWN = 12, PAD = 14, HEAD = 20, LINE = 16, FIGURES = 3, CARDS_MAX = 4096 };

/* --- SVG --- */

static void draw_begin(struct str *out, double w, double h)
{
	str_printf(
	    out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 "
	    "0 %.0f %.0f\">\n"
	    "<style>text{font:13px sans-serif;fill:" INK "}.small{font-size:11px;fill:" SOFT
	    "}.mid{text-anchor:middle}"
	    ".end{text-anchor:end}.big{font-size:17px;font-weight:bold}.strong{font-weight:bold}."
	    "hot{fill:" ORANGE
	    ";font-weight:bold}</style>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
	    w, h, w, h, w, h);
}

static void draw_end(struct str *out)
{
	str_puts(out, "</svg>\n");
}

void draw_text(struct str *out, double x, double y, const char *style, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, style);
	str_put_markup(out, text);
	str_puts(out, "</text>\n");
}

void draw_line(struct str *out, double x1, double y1, double x2, double y2, const char *colour,
               double width)
{
	str_printf(out,
	           "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
	           "stroke-width=\"%.1f\"/>\n",
	           x1, y1, x2, y2, colour, width);
}

void draw_rect(struct str *out, double x, double y, double w, double h, const char *fill,
               const char *stroke)
{
	str_printf(out,
	           "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" "
	           "fill=\"%s\" stroke=\"%s\"/>\n",
	           x, y, w, h, fill, stroke);
}

void draw_dot(struct str *out, double x, double y, double r, const char *fill)
{
	str_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y, r,
	           fill);
}

/* --- cards --- */

/* Links of equal figures. */
struct figure {
	struct link_info info;
	uint32_t n;
};

struct card {
	double x, y, w, h;
	uint32_t drawn, more; /* children with a card; without */
	uint32_t hosts;       /* its own and its children's */
	struct figure figure[FIGURES];
	uint32_t figures, others; /* links of further figures */
	int shown;
};

struct drawing {
	const struct platform *p;
	struct card *card; /* by zone */
};

static void figure_add(struct card *c, const struct link_info *l)
{
	for (uint32_t i = 0; i < c->figures; i++) {
		struct link_info *f = &c->figure[i].info;
		if (f->bandwidth == l->bandwidth && f->latency == l->latency &&
		    f->policy == l->policy) {
			c->figure[i].n++;
			return;
		}
	}
	if (c->figures < FIGURES)
		c->figure[c->figures++] = (struct figure){*l, 1};
	else
		c->others++;
}

static void figures_gather(struct drawing *d)
{
	for (uint32_t b = 0; b < d->p->link_blocks_n; b++) {
		const struct link_block *k = &d->p->link_blocks[b];
		struct link_info l;
		for (uint32_t i = 0; i < k->n; i++) {
			if (k->first + i == d->p->loopback.v)
				continue;
			platform_link(d->p, (struct link_id){k->first + i}, &l);
			figure_add(&d->card[k->named == NONE32 ? k->zone : 0], &l);
		}
	}
}

static double head_height(const struct drawing *d, const struct zone *z)
{
	const struct card *c = &d->card[z->index];
	return HEAD +
	       LINE * (1 + (zone_host_count(d->p, z) ? 1.0 : 0.0) + c->figures +
	               (c->others ? 1.0 : 0.0)) +
	       10;
}

/* Cards of the children in rows of about the square root of their number. */
static uint32_t columns(const struct card *c)
{
	uint32_t n = c->drawn;
	return n <= 3 ? n : n <= 6 ? 3 : 4;
}

static void children_place(struct drawing *d, const struct zone *z, int placing, double *w,
                           double *h)
{
	struct card *c = &d->card[z->index];
	double x0 = c->x + PAD, y = c->y + head_height(d, z) + *h, x = x0, row = 0, wide = 0,
	       top = y;
	uint32_t in_row = 0, cols = columns(c);
	for (uint32_t i = z->index + 1; i < d->p->zones_n; i++) {
		struct card *k = &d->card[i];
		if (d->p->zones[i]->parent != z->index || !k->shown)
			continue;
		if (in_row == cols) {
			x = x0;
			y += row + PAD;
			row = 0;
			in_row = 0;
		}
		if (placing) {
			k->x = x;
			k->y = y;
		}
		x += k->w + PAD;
		wide = x - x0 - PAD > wide ? x - x0 - PAD : wide;
		row = k->h > row ? k->h : row;
		in_row++;
	}
	*w = *w > wide ? *w : wide;
	*h += c->drawn ? y + row - top + PAD : 0;
}

static void card_measure(struct drawing *d, const struct zone *z)
{
	struct card *c = &d->card[z->index];
	double w = PICTURE_W, h = draw_inside(d->p, z, 0, 0, NULL);
	h += h > 0 ? PAD : 0;
	children_place(d, z, 0, &w, &h);
	c->w = w + 2 * PAD;
	c->h = head_height(d, z) + h + (c->more ? LINE : 0) + 4;
}

static void card_head(const struct drawing *d, const struct zone *z, struct str *out)
{
	const struct card *c = &d->card[z->index];
	double x = c->x + PAD, y = c->y + HEAD;
	uint32_t own = zone_host_count(d->p, z);
	char a[32], b[32];
	draw_text(out, x, y, "strong", "%.48s", z->id);
	y += LINE;
	draw_text(out, x, y, "small", "%s%s%.40s: %u host%s", z->kind->name, z->shape[0] ? " " : "",
	          z->shape, c->hosts, c->hosts == 1 ? "" : "s");
	if (own) {
		struct host_info h;
		uint32_t i = 0;
		while (d->p->host_blocks[i].zone != z->index)
			i++;
		platform_host(d->p, (struct host_id){d->p->host_blocks[i].first}, &h);
		fmt_si(a, sizeof a, h.speed, "f/s");
		draw_text(out, x, y += LINE, "small", "%u core%s of %s a host", h.cores,
		          h.cores == 1 ? "" : "s", a);
	}
	for (uint32_t i = 0; i < c->figures; i++) {
		const struct link_info *l = &c->figure[i].info;
		fmt_si(a, sizeof a, l->bandwidth, "B/s");
		fmt_seconds(b, sizeof b, l->latency);
		draw_text(out, x, y += LINE, "small", "%u link%s of %s, %s%s", c->figure[i].n,
		          c->figure[i].n == 1 ? "" : "s", a, b,
		          l->policy == LINK_FATPIPE ? ", fatpipe" : "");
	}
	if (c->others)
		draw_text(out, x, y + LINE, "small", "%u link%s of other figures", c->others,
		          c->others == 1 ? "" : "s");
}

static void card_draw(struct drawing *d, const struct zone *z, struct str *out)
{
	struct card *c = &d->card[z->index];
	double w = 0, h = draw_inside(d->p, z, 0, 0, NULL), inner = c->w - 2 * PAD;
	draw_rect(out, c->x, c->y, c->w, c->h, z->depth % 2 ? "#ffffff" : "#f6f7f9", FAINT);
	str_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"5\" height=\"%.1f\" fill=\"%s\"/>\n",
	           c->x, c->y, c->h, zone_colour(z));
	card_head(d, z, out);
	draw_inside(d->p, z, c->x + PAD + (inner - PICTURE_W) / 2, c->y + head_height(d, z), out);
	h += h > 0 ? PAD : 0;
	children_place(d, z, 1, &w, &h);
	if (c->more)
		draw_text(out, c->x + c->w / 2, c->y + c->h - 8, "small mid", "and %u more zones",
		          c->more);
}

/* Which zones get a card: the first children of a zone that has one. */
static void cards_choose(struct drawing *d)
{
	uint32_t cards = 1;
	d->card[0].shown = 1;
	for (uint32_t i = 1; i < d->p->zones_n; i++) {
		struct card *up = &d->card[d->p->zones[i]->parent];
		if (!up->shown)
			continue;
		d->card[i].shown = up->drawn < CHILDREN_DRAWN && cards < CARDS_MAX;
		cards += (uint32_t)d->card[i].shown;
		if (d->card[i].shown)
			up->drawn++;
		else
			up->more++;
	}
}

static void hosts_add_up(struct drawing *d)
{
	for (uint32_t b = 0; b < d->p->host_blocks_n; b++)
		d->card[d->p->host_blocks[b].zone].hosts += d->p->host_blocks[b].n;
	for (uint32_t i = d->p->zones_n; i-- > 1;)
		d->card[d->p->zones[i]->parent].hosts += d->card[i].hosts;
}

int platform_draw(const struct platform *p, struct str *out, struct err *err)
{
	struct drawing d = {.p = p, .card = calloc(p->zones_n, sizeof(struct card))};
	if (!d.card)
		return err_nomem(err, "the drawing", p->zones_n * sizeof(struct card));
	cards_choose(&d);
	hosts_add_up(&d);
	figures_gather(&d);
	for (uint32_t i = p->zones_n; i-- > 0;) {
		if (d.card[i].shown)
			card_measure(&d, p->zones[i]);
	}
	d.card[0].x = PAD;
	d.card[0].y = 64;
	double title = 2 * PAD + 6.5 * (double)strlen(platform_title(p)), w = d.card[0].w + 2 * PAD;
	w = w < 560 ? 560 : w;
	w = w < title && title < 1200 ? title : w;
	draw_begin(out, w, d.card[0].h + 64 + 2 * PAD + 30);
	draw_text(out, PAD, 28, "big", "%s", platform_name(p));
	draw_text(out, PAD, 48, "small", "%.150s", platform_title(p));
	for (uint32_t i = 0; i < p->zones_n; i++) {
		if (d.card[i].shown)
			card_draw(&d, p->zones[i], out);
	}
	double y = 64 + d.card[0].h + 26;
	draw_dot(out, PAD + 6, y - 4, 5, SKY);
	draw_text(out, PAD + 18, y, "small", "host");
	draw_rect(out, PAD + 60, y - 10, 12, 12, SOFT, "none");
	draw_text(out, PAD + 78, y, "small", "router, or switch in its zone's colour");
	draw_line(out, PAD + 290, y - 4, PAD + 314, y - 4, FAINT, 2);
	draw_text(out, PAD + 322, y, "small", "links, or a declared route");
	draw_end(out);
	free(d.card);
	return out->failed ? err_nomem(err, "the drawing", out->n) : 0;
}

/* --- a route --- */

enum { HOP_H = 58, AXIS_W = 360, ROUTE_W = 900 };

uint32_t route_bottleneck(const struct platform *p, const struct route *r)
{
	uint32_t best = NONE32;
	double least = INFINITY;
	for (uint32_t i = 0; i < r->n; i++) {
		struct link_info l;
		uint32_t times = 0;
		platform_link(p, r->links[i], &l);
		for (uint32_t k = 0; k < r->n; k++)
			times += r->links[k].v == r->links[i].v;
		double rate = l.policy == LINK_FATPIPE ? l.bandwidth : l.bandwidth / times;
		if (rate < least) {
			least = rate;
			best = i;
		}
	}
	return best;
}

static void hop_draw(const struct platform *p, const struct route *r, uint32_t i,
                     uint32_t bottleneck, double most, double y, struct str *out)
{
	char name[256], bandwidth[32], latency[32];
	struct link_info l;
	platform_link(p, r->links[i], &l);
	int hot = r->links[i].v == r->links[bottleneck].v;
	const char *colour = hot ? ORANGE : BLUE;
	fmt_si(bandwidth, sizeof bandwidth, l.bandwidth, "B/s");
	fmt_seconds(latency, sizeof latency, l.latency);
	double width = most > l.bandwidth ? 14 + 3 * log2(l.bandwidth / most) : 14;
	draw_line(out, 40, y, 40, y + HOP_H - 14, colour, width < 2 ? 2 : width);
	draw_text(out, 70, y + 14, hot ? "hot" : "strong", "%.60s",
	          platform_link_name(p, r->links[i], name, sizeof name));
	draw_text(out, 70, y + 32, "small", "%s, %s%s%s", bandwidth, latency,
	          l.policy == LINK_FATPIPE ? ", fatpipe" : "", hot ? ": the bottleneck" : "");
	double share = r->latency > 0 ? l.latency / r->latency : 0;
	draw_rect(out, ROUTE_W - AXIS_W - 20, y + 10, AXIS_W * share + 1, 14, SKY, "none");
	draw_text(out, ROUTE_W - AXIS_W - 14 + AXIS_W * share, y + 22, "small", "%.0f %%",
	          100 * share);
	if (i + 1 < r->n)
		draw_rect(out, 34, y + HOP_H - 14, 12, 12, "#ffffff", SOFT);
}

int route_draw(const struct platform *p, struct host_id from, struct host_id to,
               const struct route *r, struct str *out, struct err *err)
{
	char a[256], b[256], bandwidth[32] = "no limit", latency[32];
	double most = 0;
	struct link_info l;
	uint32_t hot = route_bottleneck(p, r);
	for (uint32_t i = 0; i < r->n; i++) {
		platform_link(p, r->links[i], &l);
		most = l.bandwidth > most ? l.bandwidth : most;
	}
	if (r->n) {
		platform_link(p, r->links[hot], &l);
		fmt_si(bandwidth, sizeof bandwidth, l.bandwidth, "B/s");
	}
	fmt_seconds(latency, sizeof latency, r->latency);
	platform_host_name(p, from, a, sizeof a);
	platform_host_name(p, to, b, sizeof b);
	draw_begin(out, ROUTE_W, 150 + (double)HOP_H * r->n);
	draw_text(out, 20, 30, "big", "%.60s to %.60s", a, b);
	draw_text(out, 20, 52, "small", "%u link%s; the narrowest has %s; latencies sum up to %s",
	          r->n, plural(r->n), bandwidth, latency);
	draw_text(out, ROUTE_W - AXIS_W - 20, 76, "small", "share of the latency");
	draw_dot(out, 40, 88, 7, INK);
	draw_text(out, 70, 88, "strong", "%.60s", a);
	for (uint32_t i = 0; i < r->n; i++)
		hop_draw(p, r, i, hot, most, 104 + (double)HOP_H * i, out);
	draw_dot(out, 40, 94 + (double)HOP_H * r->n, 7, INK);
	draw_text(out, 70, 112 + (double)HOP_H * r->n, "strong", "%.60s", b);
	draw_text(out, 20, 140 + (double)HOP_H * r->n, "small",
	          "Thicker is faster: each 3 pixels a factor of two.");
	draw_end(out);
	return out->failed ? err_nomem(err, "the drawing", out->n) : 0;
}
