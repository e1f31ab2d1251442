/* xml.h: a validating front to expat: a file is checked against tables (which elements, which
 * attributes, in which order) before the reader sees it, so that the reader never meets an unknown,
 * missing, repeated or misplaced item. */
#ifndef ORRERY_PLATFORM_XML_H
#define ORRERY_PLATFORM_XML_H

#include "platform/platform_int.h"

enum { XML_ATTRS_MAX = 24, XML_GROUPS_MAX = 4 };

/* The versions of a dialect an item belongs to: a set of bits. */
enum xml_version { XML_V3 = 1, XML_V4 = 2, XML_OLD = 4, XML_SINCE3 = 3 }; /* XML_OLD: 1 and 2 */

struct xml_attr {
	const char *name;
	const char *fallback; /* default; NULL: required */
	const char *choices;  /* "A|B|C", or NULL: free text */
	const char *refused;  /* one more, which the reader refuses and says why; or NULL */
	const char *before4;  /* its name up to version 3, when another */
	unsigned versions;    /* 0: all */
};

/* Content: sequences of groups, each group a set of elements that may come in any number and order.
 * One of the sequences must fit. */
struct xml_model {
	uint64_t group[XML_GROUPS_MAX];
	unsigned versions; /* 0: all */
};
struct xml_element {
	const char *name;
	const struct xml_attr *attrs; /* ends with a NULL name */
	const struct xml_model *models;
	int models_n;      /* 0: no children */
	unsigned versions; /* 0: all */
	int text;          /* text is allowed inside */
	int canonical;     /* the element it is another spelling of; itself otherwise */
};

struct xml;
struct xml_dialect {
	const struct xml_element *elements;
	int n, root;
	/* At the root's start tag: reads the version out of it; 0 on error. */
	unsigned (*version)(struct xml *x, struct err *err);
	int (*start)(void *ctx, struct xml *x, int element, struct err *err);
	int (*end)(void *ctx, struct xml *x, int element, struct err *err);
	/* Text inside an element that allows it, in pieces. */
	int (*text)(void *ctx, struct xml *x, const char *s, size_t n, struct err *err);
};

/* Reads the file whole. Errors carry file:line:column. */
int xml_read(const char *path, const struct xml_dialect *d, void *ctx, struct err *err);

/* Of the start tag being handled: */
const char *xml_get(const struct xml *x,
                    const char *attr); /* the value or the default, by its present name */
int xml_given(const struct xml *x, const char *attr); /* whether the file has it */
struct place xml_place(const struct xml *x);          /* of the tag */
struct place xml_place_of(const struct xml *x,
                          const char *attr); /* of the attribute, of the tag if it is not given */
const char *xml_tag(const struct xml *x);    /* as spelled in the file */
unsigned xml_version(const struct xml *x);   /* one bit of enum xml_version */
int xml_parent(const struct xml *x);         /* canonical element around it, or -1 */
int xml_error(const struct xml *x, struct place at, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
