/* picture.h: a drawing of a machine, read as XML: what lies where, and what is written. Everything
 * lies in the picture, the cards of zones inside one another or side by side, and what is drawn of
 * a zone on its card. */
#ifndef ORRERY_TESTS_PROPERTY_PLATFORM_PICTURE_H
#define ORRERY_TESTS_PROPERTY_PLATFORM_PICTURE_H

#include "property/prop.h"
#include "unit/platform/lib.h"

#include <expat.h>
#include <math.h>

enum { ITEMS = 40000, CARDS = 256 };

struct item {
	enum shape { CARD, RECT, LINE, DOT, TEXT } shape;
	double x, y, x2, y2;
};

struct picture {
	double w, h;
	struct item item[ITEMS];
	uint32_t n;
	struct str texts; /* one a line */
	int in_text;
};

static uint64_t seed_now;
static struct picture pic;

static double number_of(const char **a, const char *name)
{
	for (; *a; a += 2)
		if (!strcmp(*a, name))
			return strtod(a[1], NULL);
	return 0;
}

static const char *text_of(const char **a, const char *name)
{
	for (; *a; a += 2)
		if (!strcmp(*a, name))
			return a[1];
	return "";
}

static void on_start(void *self, const char *tag, const char **a)
{
	struct picture *p = self;
	struct item *i = &p->item[p->n];

	assert_true(p->n < ITEMS);
	if (!strcmp(tag, "svg")) {
		p->w = number_of(a, "width");
		p->h = number_of(a, "height");
	} else if (!strcmp(tag, "rect") && *text_of(a, "x")) {
		double x = number_of(a, "x"), y = number_of(a, "y");

		*i = (struct item){!strcmp(text_of(a, "stroke"), "#c8c8c8") ? CARD : RECT, x, y,
		                   x + number_of(a, "width"), y + number_of(a, "height")};
		p->n++;
	} else if (!strcmp(tag, "line")) {
		*i = (struct item){LINE, number_of(a, "x1"), number_of(a, "y1"), number_of(a, "x2"),
		                   number_of(a, "y2")};
		p->n++;
	} else if (!strcmp(tag, "circle")) {
		double x = number_of(a, "cx"), y = number_of(a, "cy"), r = number_of(a, "r");

		*i = (struct item){DOT, x - r, y - r, x + r, y + r};
		p->n++;
	} else if (!strcmp(tag, "text")) {
		double x = number_of(a, "x"), y = number_of(a, "y");

		*i = (struct item){TEXT, x, y, x, y};
		p->n++;
		p->in_text = 1;
	}
}

static void on_end(void *self, const char *tag)
{
	struct picture *p = self;

	if (strcmp(tag, "text") != 0)
		return;
	str_putc(&p->texts, '\n');
	p->in_text = 0;
}

static void on_text(void *self, const char *s, int n)
{
	struct picture *p = self;

	if (p->in_text)
		str_putn(&p->texts, s, (size_t)n);
}

static inline void picture_read(const struct platform *machine)
{
	XML_Parser x = XML_ParserCreate(NULL);
	struct str svg = {0};
	struct err err;

	assert_ok(platform_draw(machine, &svg, &err), err);
	pic.n = 0;
	str_clear(&pic.texts);
	str_puts(&pic.texts, "");
	XML_SetUserData(x, &pic);
	XML_SetElementHandler(x, on_start, on_end);
	XML_SetCharacterDataHandler(x, on_text);
	if (XML_Parse(x, svg.s, (int)svg.n, 1) != XML_STATUS_OK)
		fail_msg("PROP_SEED=%llu: %s", (unsigned long long)seed_now,
		         XML_ErrorString(XML_GetErrorCode(x)));
	XML_ParserFree(x);
	str_release(&svg);
}

/* --- where things lie --- */

static int is_inside(const struct item *a, const struct item *b)
{
	const double slack = 0.11; /* of rounding to a tenth */

	return fmin(a->x, a->x2) >= b->x - slack && fmax(a->x, a->x2) <= b->x2 + slack &&
	       fmin(a->y, a->y2) >= b->y - slack && fmax(a->y, a->y2) <= b->y2 + slack;
}

static int is_beside(const struct item *a, const struct item *b)
{
	return a->x2 < b->x || b->x2 < a->x || a->y2 < b->y || b->y2 < a->y;
}

static inline void places_check(void)
{
	const struct item all = {.x2 = pic.w, .y2 = pic.h}, *card[CARDS], *last = NULL;
	uint32_t cards = 0;

	for (uint32_t i = 0; i < pic.n; i++) {
		const struct item *a = &pic.item[i];

		if (!is_inside(a, &all))
			fail_msg("PROP_SEED=%llu: item %u of shape %d at %g, %g lies outside",
			         (unsigned long long)seed_now, i, a->shape, a->x, a->y);
		if (a->shape == CARD) {
			for (uint32_t k = 0; k < cards; k++)
				if (!is_inside(a, card[k]) && !is_beside(a, card[k]))
					fail_msg("PROP_SEED=%llu: cards %u and %u overlap",
					         (unsigned long long)seed_now, k, cards);
			assert_true(cards < CARDS && (!cards || is_inside(a, card[0])));
			card[cards++] = last = a;
		} else if (last && a->y < card[0]->y2 && !is_inside(a, last)) {
			fail_msg("PROP_SEED=%llu: item %u of shape %d at %g, %g is not on card %u",
			         (unsigned long long)seed_now, i, a->shape, a->x, a->y, cards - 1);
		}
	}
	assert_true(cards > 0);
}

/* "KIND …: N hosts" of the first card. */
static inline uint64_t hosts_said(void)
{
	const char *p = strstr(pic.texts.s, " host");
	uint64_t n = 0, ten = 1;

	assert_non_null(p);
	for (; p[-1] >= '0' && p[-1] <= '9'; p--, ten *= 10)
		n += ten * (uint64_t)(p[-1] - '0');
	return n;
}

#endif
