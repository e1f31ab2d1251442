/* draw.h: what the drawing files share. Pixels; y grows downwards. */
#ifndef ORRERY_PLATFORM_DRAW_H
#define ORRERY_PLATFORM_DRAW_H

#include "platform/platform_int.h"

/* Okabe and Ito's colours, which the colour-blind tell apart, and greys. */
#define INK "#222222"
#define SOFT "#6b6b6b"
#define FAINT "#c8c8c8"
#define BLUE "#0072b2"
#define ORANGE "#d55e00"
#define GREEN "#009e73"
#define PURPLE "#9b4d83"
#define SKY "#56b4e9"

enum { PICTURE_W = 300, PICTURE_DOTS = 256 };

void draw_text(struct str *out, double x, double y, const char *style, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void draw_line(struct str *out, double x1, double y1, double x2, double y2, const char *colour,
               double width);
void draw_rect(struct str *out, double x, double y, double w, double h, const char *fill,
               const char *stroke);
void draw_dot(struct str *out, double x, double y, double r, const char *fill);

/* draw_topology.c: the picture of what a zone holds besides child zones, PICTURE_W wide. Its
 * height; draws when out is not NULL. */
double draw_inside(const struct platform *p, const struct zone *z, double x, double y,
                   struct str *out);
const char *zone_colour(const struct zone *z);
uint32_t zone_host_count(const struct platform *p,
                         const struct zone *z); /* its own, not its children's */

#endif
