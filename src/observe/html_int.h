/* html_int.h: the data of the HTML page, and how they are packed into it. viewer/README.md
 * describes the page's side of it. */
#ifndef ORRERY_HTML_INT_H
#define ORRERY_HTML_INT_H

#include "export_int.h"

enum {
	HTML_LIMIT =
	    8000000, /* states, and messages, kept with their details unless told otherwise */
	HTML_CHUNK = 1 << 20, /* bytes packed together */
	HTML_CELLS = 1 << 20, /* of a density */
	HTML_ROWS = 1024,
	HTML_COLUMNS = 2048, /* of a density, at most */
};

/* What the page shows: a window of ranks and dates. Dates in the page are whole ticks. */
struct html_scope {
	uint32_t first_rank, ranks;
	double from, to; /* s; to is finite */
	double tick;     /* s */
};

/* The files of viewer/, put into the program by cmake/viewer.cmake. */
struct viewer_file {
	const char *text;
	size_t n;
};
extern const struct viewer_file viewer_page, viewer_style, viewer_script;

/* <script> elements with packed data (html_pack.c). class names what they hold. */
int html_put_data(struct out *o, const char *class, const void *data, size_t n, struct err *err);
void html_put_varint(struct str *s, uint64_t v);
void html_put_signed(struct str *s, int64_t v); /* zigzag */

/* Each reads the records of the cursor and writes elements of its class: states and messages with
 * their details (html_events.c); or the shares of classes on a grid (html_density.c). */
int html_put_events(struct out *o, struct cursor *c, const struct html_scope *s, int messages,
                    struct err *err);
struct html_grid {
	uint32_t rows, columns;
};
struct html_grid html_grid_of(const struct html_scope *s);
int html_put_density(struct out *o, struct cursor *c, const struct html_scope *s, struct err *err);

#endif
