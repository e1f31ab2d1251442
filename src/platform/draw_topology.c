/* draw_topology.c: pictures of what is inside a zone: levels of a fat tree, a face of a torus,
 * groups of a dragonfly, hosts around a switch, points and declared ways. What is too many to draw
 * is drawn in part, and the picture says of how many. */
#include "platform/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 16, ROW_MAX = 32, RING_MAX = 24 };

uint32_t zone_host_count(const struct platform *p, const struct zone *z)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->host_blocks_n; i++)
		n += p->host_blocks[i].zone == z->index ? p->host_blocks[i].n : 0;
	return n;
}

const char *zone_colour(const struct zone *z)
{
	if (z->kind == &zone_fat_tree)
		return GREEN;
	if (z->kind == &zone_torus)
		return PURPLE;
	if (z->kind == &zone_dragonfly)
		return ORANGE;
	if (z->kind == &zone_flat || z->kind == &zone_star)
		return BLUE;
	return SOFT;
}

/* The numbers of a topology text, whatever stands between them. */
static uint32_t shape_numbers(const char *text, uint32_t *v, uint32_t max)
{
	uint32_t n = 0;
	while (*text && n < max) {
		int64_t x = 0;
		size_t digits = num_take_digits(text, &x);
		if (digits)
			v[n++] = x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
		text += digits ? digits : 1;
	}
	return n;
}

/* --- fat tree --- */

static double row_x(double x, uint64_t drawn, uint64_t i)
{
	return x + PICTURE_W * ((double)i + 0.5) / (double)drawn;
}

/* In a fat tree what a row is stands on its right. */
enum { TREE_W = 200 };
static double tree_x(double x, uint64_t drawn, uint64_t i)
{
	return x + TREE_W * ((double)i + 0.5) / (double)drawn;
}

/* Node c of a level and node q of the level above, both with all digits: are they joined?
 * (zone_fat_tree.c) */
static int fat_tree_joined(const uint32_t *m, const uint32_t *w, uint32_t levels, uint32_t l,
                           uint64_t c, uint64_t q)
{
	for (uint32_t d = 0; d < levels; d++) {
		uint32_t base_c = d < l ? w[d] : m[d], base_q = d < l + 1 ? w[d] : m[d];
		if (d != l && c % base_c != q % base_q)
			return 0;
		c /= base_c;
		q /= base_q;
	}
	return 1;
}

static void fat_tree_cables(const uint32_t *v, uint32_t l, const uint64_t *count, double x,
                            double y0, double y1, struct str *out)
{
	const uint32_t *m = v + 1, *w = m + v[0];
	uint64_t below = count[l] > ROW_MAX ? ROW_MAX : count[l],
	         above = count[l + 1] > ROW_MAX ? ROW_MAX : count[l + 1];
	if (below < count[l] || above < count[l + 1]) {
		str_printf(out,
		           "<path d=\"M%.0f %.0fH%.0fV%.0fH%.0fZ\" fill=\"" FAINT
		           "\" opacity=\"0.35\"/>\n",
		           x, y0, x + TREE_W, y1, x);
		return;
	}
	for (uint64_t c = 0; c < below; c++) {
		for (uint64_t q = 0; q < above; q++) {
			if (fat_tree_joined(m, w, v[0], l, c, q))
				draw_line(out, tree_x(x, below, c), y0, tree_x(x, above, q), y1,
				          FAINT, 1);
		}
	}
}

static double fat_tree_draw(const struct zone *z, double x, double y, struct str *out)
{
	uint32_t v[3 * LEVELS_MAX + 1], n = shape_numbers(z->shape, v, sizeof v / sizeof *v);
	if (n == 0 || n != 3 * v[0] + 1)
		return 0;
	uint32_t levels = v[0];
	double step = 46, height = step * levels + 40;
	uint64_t count[LEVELS_MAX + 1];
	for (uint32_t l = 0; l <= levels; l++) {
		count[l] = 1;
		for (uint32_t d = 0; d < levels; d++)
			count[l] *= d < l ? v[1 + levels + d] : v[1 + d];
	}
	for (uint32_t l = 0; out && l < levels; l++)
		fat_tree_cables(v, l, count, x, y + height - 26 - step * l,
		                y + height - 26 - step * (l + 1), out);
	for (uint32_t l = 0; out && l <= levels; l++) {
		double at = y + height - 26 - step * l;
		uint64_t drawn = count[l] > ROW_MAX ? ROW_MAX : count[l];
		for (uint64_t i = 0; i < drawn; i++) {
			if (l)
				draw_rect(out, tree_x(x, drawn, i) - 4, at - 4, 8, 8, GREEN,
				          "none");
			else
				draw_dot(out, tree_x(x, drawn, i), at, 3, SKY);
		}
		draw_text(out, x + TREE_W + 12, at + 4, "small", "%llu %s",
		          (unsigned long long)count[l], l ? "switches" : "hosts");
		if (drawn < count[l])
			draw_text(out, x + TREE_W + 12, at + 17, "small", "(%llu drawn)",
			          (unsigned long long)drawn);
	}
	return height;
}

/* --- torus, dragonfly --- */

static double torus_draw(const struct zone *z, double x, double y, struct str *out)
{
	uint32_t v[LEVELS_MAX], n = shape_numbers(z->shape, v, LEVELS_MAX);
	if (!n)
		return 0;
	uint32_t cols = v[0] < 12 ? v[0] : 12, rows = n < 2 ? 1 : v[1] < 8 ? v[1] : 8;
	double step = 22, x0 = x + (PICTURE_W - step * (cols - 1)) / 2, height = step * rows + 22;
	for (uint32_t r = 0; out && r < rows; r++) {
		double at = y + 12 + step * r;
		draw_line(out, x0 - 10, at, x0 + step * (cols - 1) + 10, at, FAINT, 1);
		for (uint32_t c = 0; c < cols; c++) {
			if (r == 0 && n > 1)
				draw_line(out, x0 + step * c, y + 2, x0 + step * c,
				          y + 12 + step * (rows - 1) + 10, FAINT, 1);
		}
	}
	for (uint32_t r = 0; out && r < rows; r++) {
		for (uint32_t c = 0; c < cols; c++)
			draw_dot(out, x0 + step * c, y + 12 + step * r, 4, PURPLE);
	}
	if (out)
		draw_text(out, x + PICTURE_W / 2.0, y + height, "small mid",
		          "%u of %u by %u of %u, the ends joined%s", cols, v[0], rows,
		          n > 1 ? v[1] : 1, n > 2 ? "; further dimensions behind" : "");
	return height + 8;
}

/* Points on a circle, the first one at its top; two of them lie side by side. */
static double ring_radius(uint32_t n)
{
	return n <= 2 ? 80 : n <= 4 ? 60 : 100;
}
static double ring_angle(uint32_t n, uint32_t i)
{
	return 2 * M_PI * i / n - (n == 2 ? M_PI / 2 : 0);
}
static double ring_height(uint32_t n)
{
	return n == 2 ? 44 : 2 * ring_radius(n) + 44;
}
static double ring_x(double x, uint32_t n, uint32_t i)
{
	return x + PICTURE_W / 2.0 + ring_radius(n) * sin(ring_angle(n, i));
}
static double ring_y(double y, uint32_t n, uint32_t i)
{
	return y + ring_height(n) / 2 - ring_radius(n) * cos(ring_angle(n, i));
}

static double dragonfly_draw(const struct zone *z, double x, double y, struct str *out)
{
	uint32_t v[7], n = shape_numbers(z->shape, v, 7),
	               drawn = n ? v[0] < RING_MAX ? v[0] : RING_MAX : 0;
	if (n < 7)
		return 0;
	for (uint32_t i = 0; out && i < drawn; i++) {
		for (uint32_t k = i + 1; k < drawn; k++)
			draw_line(out, ring_x(x, drawn, i), ring_y(y, drawn, i),
			          ring_x(x, drawn, k), ring_y(y, drawn, k), FAINT, 1);
	}
	for (uint32_t i = 0; out && i < drawn; i++)
		draw_dot(out, ring_x(x, drawn, i), ring_y(y, drawn, i), 8, ORANGE);
	if (out) {
		draw_text(out, x + PICTURE_W / 2.0, y + ring_height(drawn) + 8, "small mid",
		          "%u groups%s, all joined, each of %u chassis", v[0],
		          drawn < v[0] ? " (some drawn)" : "", v[2]);
		draw_text(out, x + PICTURE_W / 2.0, y + ring_height(drawn) + 22, "small mid",
		          "of %u routers with %u hosts", v[4], v[6]);
	}
	return ring_height(drawn) + 28;
}

/* --- points and their declared ways --- */

/* The least bandwidth of a declared way, at its middle. */
static void way_label(const struct platform *p, const struct hop *h, double x, double y,
                      struct str *out)
{
	char text[32];
	double least = INFINITY;
	for (uint32_t i = 0; i < h->n; i++) {
		struct link_info l;
		platform_link(p, p->hop_links[h->first + i], &l);
		least = l.bandwidth < least ? l.bandwidth : least;
	}
	if (h->n == 0)
		return;
	fmt_si(text, sizeof text, least, "B/s");
	draw_text(out, x, y, "small mid", "%s", text);
}

static double hops_draw(const struct platform *p, const struct hop_table *t, double x, double y,
                        struct str *out)
{
	struct point points[RING_MAX];
	uint32_t n = 0;
	for (uint32_t h = 0; h < t->n; h++) {
		for (int end = 0; end < 2; end++) {
			struct point a = end ? t->hops[h].dst : t->hops[h].src;
			uint32_t i = 0;
			while (i < n && !point_same(points[i], a))
				i++;
			if (i == RING_MAX)
				return 0;
			if (i == n)
				points[n++] = a;
		}
	}
	if (n < 2)
		return 0;
	for (uint32_t h = 0; out && h < t->n; h++) {
		uint32_t a = 0, b = 0;
		while (!point_same(points[a], t->hops[h].src))
			a++;
		while (!point_same(points[b], t->hops[h].dst))
			b++;
		draw_line(out, ring_x(x, n, a), ring_y(y, n, a), ring_x(x, n, b), ring_y(y, n, b),
		          FAINT, 1.5);
		if (n <= 3 && a < b)
			way_label(p, &t->hops[h], (ring_x(x, n, a) + ring_x(x, n, b)) / 2,
			          (ring_y(y, n, a) + ring_y(y, n, b)) / 2 - 4, out);
	}
	for (uint32_t i = 0; out && i < n; i++) {
		char name[64];
		const char *label = point_name(p, points[i], name, sizeof name);
		enum point_kind k = point_kind(points[i]);
		double px = ring_x(x, n, i), py = ring_y(y, n, i);
		if (k == POINT_HOST)
			draw_dot(out, px, py, 5, SKY);
		else
			draw_rect(out, px - 6, py - 6, 12, 12, k == POINT_ZONE ? BLUE : SOFT,
			          "none");
		draw_text(out, px, py + (py > y + ring_height(n) / 2 + 1 ? 18 : -10), "small mid",
		          strlen(label) > 20 ? "%.19s…" : "%s", label);
	}
	return ring_height(n) + 6;
}

/* --- hosts alone --- */

static double hosts_draw(const struct zone *z, uint32_t hosts, double x, double y, struct str *out)
{
	uint32_t drawn = hosts < PICTURE_DOTS ? hosts : PICTURE_DOTS, rows = (drawn + 31) / 32;
	int switched = z->kind == &zone_flat || z->kind == &zone_star;
	double top = switched ? 30 : 6, height = top + 11 * rows + (drawn < hosts ? 18 : 4);
	if (!out || !hosts)
		return hosts ? height : 0;
	if (switched) {
		draw_rect(out, x + 60, y + 4, PICTURE_W - 120, 12, BLUE, "none");
		for (uint32_t i = 0; i < (drawn < 32 ? drawn : 32); i++)
			draw_line(out, x + PICTURE_W / 2.0, y + 16,
			          row_x(x, drawn < 32 ? drawn : 32, i), y + top, FAINT, 1);
	}
	for (uint32_t i = 0; i < drawn; i++) {
		uint32_t row = i / 32;
		draw_dot(out, row_x(x, drawn < 32 ? drawn : 32, i % 32), y + top + 4 + 11.0 * row,
		         3.2, SKY);
	}
	if (drawn < hosts)
		draw_text(out, x + PICTURE_W / 2.0, y + height - 3, "small mid", "%u of %u hosts",
		          drawn, hosts);
	return height;
}

double draw_inside(const struct platform *p, const struct zone *z, double x, double y,
                   struct str *out)
{
	double h = 0;
	if (z->kind == &zone_fat_tree)
		h = fat_tree_draw(z, x, y, out);
	else if (z->kind == &zone_torus)
		h = torus_draw(z, x, y, out);
	else if (z->kind == &zone_dragonfly)
		h = dragonfly_draw(z, x, y, out);
	else if (z->kind->declared)
		h = hops_draw(p, z->kind->declared(z), x, y, out);
	return h > 0 ? h : hosts_draw(z, zone_host_count(p, z), x, y, out);
}
