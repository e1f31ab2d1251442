/* xml.c: see xml.h.
 *
 * The order of children is checked by keeping, for each open element and each of its models, the
 * group reached so far: a child moves it to the first group from there that has the child; a model
 * without one is out (group = XML_GROUPS_MAX); when all are out the child is misplaced. The first
 * group is the right choice because groups repeat freely: it leaves the most open.
 *
 * Entity declarations are refused, so a file cannot expand ("billion laughs"), and nothing is ever
 * fetched. */
#include "platform/xml.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From expat 2.9 on places have 64 bits everywhere; what it had before is deprecated. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define PARSER_LINE XML_GetCurrentLineNumber64
#define PARSER_COLUMN XML_GetCurrentColumnNumber64
#define PARSER_BYTE XML_GetCurrentByteIndex64
#else
#define PARSER_LINE XML_GetCurrentLineNumber
#define PARSER_COLUMN XML_GetCurrentColumnNumber
#define PARSER_BYTE XML_GetCurrentByteIndex
#endif

enum { MODELS_MAX = 2 };

struct open_element {
	int element;
	unsigned char reached[MODELS_MAX];
};

struct xml {
	XML_Parser parser;
	const struct xml_dialect *dialect;
	void *ctx;
	const char *file, *text;
	size_t text_n;
	struct err *err;
	int failed;
	unsigned version; /* one bit; 0 before the root */
	struct open_element *open;
	uint32_t depth, open_cap;
	/* the tag being handled */
	int element;
	const XML_Char **atts;
};

int xml_error(const struct xml *x, struct place at, struct err *err, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(err, x->file, at.line, at.column, "%s", text);
}

struct place xml_place(const struct xml *x)
{
	return (struct place){(uint32_t)PARSER_LINE(x->parser),
	                      (uint32_t)PARSER_COLUMN(x->parser) + 1};
}

static int is_name_end(char c)
{
	return c == '=' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The attribute's text position inside the start tag, or NULL. */
static const char *attr_locate(const char *tag, const char *end, const char *name)
{
	size_t n = strlen(name);
	char quote = 0;
	for (const char *s = tag; s < end && (quote || *s != '>'); s++) {
		if (quote) {
			quote = *s == quote ? 0 : quote;
		} else if (*s == '"' || *s == '\'') {
			quote = *s;
		} else if (s > tag && is_name_end(s[-1]) && s[-1] != '=' && (size_t)(end - s) > n &&
		           !memcmp(s, name, n) && is_name_end(s[n])) {
			return s;
		}
	}
	return NULL;
}

static int in_version(const struct xml *x, unsigned versions)
{
	return !x->version || !versions || (versions & x->version);
}

static const struct xml_element *current(const struct xml *x)
{
	return &x->dialect->elements[x->element];
}

/* The rule of an attribute in the version of the file; else in another one, whose default then
 * holds. */
static const struct xml_attr *attr_rule(const struct xml *x, const char *name)
{
	const struct xml_attr *other = NULL;
	for (const struct xml_attr *a = current(x)->attrs; a && a->name; a++) {
		if (strcmp(a->name, name) == 0 && in_version(x, a->versions))
			return a;
		if (strcmp(a->name, name) == 0)
			other = a;
	}
	return other;
}

/* How the attribute is spelled in the version of the file. */
static const char *attr_spelling(const struct xml *x, const struct xml_attr *a)
{
	return x->version && x->version != XML_V4 && a->before4 ? a->before4 : a->name;
}

static const char *attr_value(const struct xml *x, const struct xml_attr *a)
{
	const char *name = attr_spelling(x, a);
	for (const XML_Char **at = x->atts; at && *at; at += 2)
		if (strcmp(at[0], name) == 0)
			return at[1];
	return NULL;
}

/* The place of an attribute as it is spelled in the file. */
static struct place place_spelled(const struct xml *x, const char *spelling)
{
	struct place p = xml_place(x);
	int64_t start = PARSER_BYTE(x->parser);
	if (start < 0 || (size_t)start >= x->text_n || x->text[start] != '<')
		return p;
	const char *tag = x->text + start;
	const char *s = attr_locate(tag, x->text + x->text_n, spelling);
	for (const char *c = tag; s && c < s; c++) {
		if (*c == '\n') {
			p.line++;
			p.column = 1;
		} else if (((unsigned char)*c & 0xc0) != 0x80) {
			p.column++;
		}
	}
	return p;
}

struct place xml_place_of(const struct xml *x, const char *attr)
{
	const struct xml_attr *a = attr_rule(x, attr);
	return place_spelled(x, a ? attr_spelling(x, a) : attr);
}

const char *xml_get(const struct xml *x, const char *attr)
{
	const struct xml_attr *a = attr_rule(x, attr);
	BUG_ON(!a);
	const char *value = attr_value(x, a);
	return value ? value : a->fallback;
}

int xml_given(const struct xml *x, const char *attr)
{
	const struct xml_attr *a = attr_rule(x, attr);
	return a && attr_value(x, a);
}

const char *xml_tag(const struct xml *x)
{
	return current(x)->name;
}

unsigned xml_version(const struct xml *x)
{
	return x->version;
}

int xml_parent(const struct xml *x)
{
	return x->depth < 2 ? -1 : x->dialect->elements[x->open[x->depth - 2].element].canonical;
}

/* --- checks at a start tag --- */

static int element_find(const struct xml *x, const char *name)
{
	for (int i = 0; i < x->dialect->n; i++)
		if (x->dialect->elements[i].name && strcmp(x->dialect->elements[i].name, name) == 0)
			return i;
	return -1;
}

static void group_list(const struct xml *x, uint64_t set, struct str *out)
{
	for (int i = 0; i < x->dialect->n; i++)
		if (set >> i & 1 && in_version(x, x->dialect->elements[i].versions))
			str_printf(out, "%s<%s>", out->n ? " " : "", x->dialect->elements[i].name);
}

static int refuse_child(const struct xml *x, const struct open_element *parent, const char *name,
                        struct err *err)
{
	const struct xml_element *e = &x->dialect->elements[parent->element];
	struct str list;
	uint64_t open = 0;
	str_init(&list);
	for (int m = 0; m < e->models_n; m++)
		for (int g = parent->reached[m];
		     in_version(x, e->models[m].versions) && g < XML_GROUPS_MAX; g++)
			open |= e->models[m].group[g];
	group_list(x, open, &list);
	xml_error(x, xml_place(x), err, "<%s> is not allowed here in <%s>; expected: %s", name,
	          e->name, list.n ? list.s : "its end tag");
	str_release(&list);
	return -1;
}

/* Advances the models of the parent over a child; 0 if one still fits. */
static int model_advance(const struct xml *x, const struct xml_element *e,
                         struct open_element *parent, int child)
{
	struct open_element next = *parent;
	int fits = 0;
	for (int m = 0; m < e->models_n; m++) {
		int g = in_version(x, e->models[m].versions) ? parent->reached[m] : XML_GROUPS_MAX;
		while (g < XML_GROUPS_MAX && !(e->models[m].group[g] >> child & 1))
			g++;
		next.reached[m] = (unsigned char)g;
		fits |= g < XML_GROUPS_MAX;
	}
	if (!fits)
		return -1;
	*parent = next;
	return 0;
}

static int place_check(struct xml *x, struct err *err)
{
	const struct xml_element *e = current(x);
	if (!x->depth) {
		if (e->canonical != x->dialect->root)
			return xml_error(x, xml_place(x), err,
			                 "the root element is <%s>, expected <%s>", e->name,
			                 x->dialect->elements[x->dialect->root].name);
		return 0;
	}
	struct open_element *parent = &x->open[x->depth - 1];
	if (model_advance(x, &x->dialect->elements[parent->element], parent, x->element) < 0)
		return refuse_child(x, parent, e->name, err);
	return 0;
}

static int refuse_attr(const struct xml *x, const char *name, struct err *err)
{
	const struct xml_element *e = current(x);
	struct str list;
	str_init(&list);
	for (const struct xml_attr *a = e->attrs; a && a->name; a++) {
		if (a->before4 && (strcmp(a->name, name) == 0 || strcmp(a->before4, name) == 0)) {
			str_release(&list);
			return xml_error(
			    x, place_spelled(x, name), err,
			    "attribute '%s' of <%s> is called '%s' in this version of the format",
			    name, e->name, attr_spelling(x, a));
		}
		if (in_version(x, a->versions))
			str_printf(&list, "%s%s", list.n ? ", " : "", attr_spelling(x, a));
	}
	xml_error(x, place_spelled(x, name), err, "unknown attribute '%s' of <%s>; it has: %s",
	          name, e->name, list.n ? list.s : "none");
	str_release(&list);
	return -1;
}

static int choice_has(const char *choices, const char *value)
{
	size_t n = strlen(value);
	for (const char *c = choices; c; c = strchr(c, '|')) {
		c += *c == '|';
		if (strcspn(c, "|") == n && strncmp(c, value, n) == 0)
			return 1;
	}
	return 0;
}

static int attr_check(const struct xml *x, const char *name, const char *value, struct err *err)
{
	const struct xml_element *e = current(x);
	const struct xml_attr *a = e->attrs;
	while (a && a->name &&
	       (strcmp(attr_spelling(x, a), name) != 0 || !in_version(x, a->versions)))
		a++;
	if (!a || !a->name)
		return refuse_attr(x, name, err);
	if (a->choices && !choice_has(a->choices, value) &&
	    !(a->refused && strcmp(a->refused, value) == 0))
		return xml_error(x, xml_place_of(x, a->name), err,
		                 "attribute '%s' of <%s> is '%s', expected one of %s", name,
		                 e->name, value, a->choices);
	return 0;
}

static int attrs_check(const struct xml *x, struct err *err)
{
	const struct xml_element *e = current(x);
	for (const XML_Char **at = x->atts; *at; at += 2)
		if (attr_check(x, at[0], at[1], err) < 0)
			return -1;
	for (const struct xml_attr *a = e->attrs; a && a->name; a++)
		if (!a->fallback && in_version(x, a->versions) && !attr_value(x, a))
			return xml_error(x, xml_place(x), err, "<%s> lacks the attribute '%s'",
			                 e->name, attr_spelling(x, a));
	return 0;
}

static int open_push(struct xml *x, struct err *err)
{
	struct open_element *grown = vec_grow(x->open, &x->open_cap, sizeof *grown,
	                                      (size_t)x->depth + 1, "open elements", err);
	if (!grown)
		return -1;
	x->open = grown;
	x->open[x->depth++] = (struct open_element){.element = x->element};
	return 0;
}

/* --- expat's callbacks --- */

static void stop(struct xml *x)
{
	x->failed = 1;
	XML_StopParser(x->parser, XML_FALSE);
}

static int start_handle(struct xml *x, const char *name, struct err *err)
{
	x->element = element_find(x, name);
	if (x->element < 0)
		return xml_error(x, xml_place(x), err, "unknown element <%s>", name);
	if (!x->depth) {
		x->version = 0;
		if (place_check(x, err) < 0 || attrs_check(x, err) < 0)
			return -1;
		x->version = x->dialect->version(x, err);
		if (!x->version)
			return -1;
	} else if (!in_version(x, current(x)->versions)) {
		return xml_error(x, xml_place(x), err,
		                 "<%s> does not exist in this version of the format", name);
	} else if (place_check(x, err) < 0 || attrs_check(x, err) < 0) {
		return -1;
	}
	if (open_push(x, err) < 0)
		return -1;
	return x->dialect->start(x->ctx, x, current(x)->canonical, err);
}

static void on_start(void *data, const XML_Char *name, const XML_Char **atts)
{
	struct xml *x = data;
	x->atts = atts;
	if (!x->failed && start_handle(x, name, x->err) < 0)
		stop(x);
}

static void on_end(void *data, const XML_Char *name)
{
	struct xml *x = data;
	(void)name;
	if (x->failed)
		return;
	x->element = x->open[x->depth - 1].element;
	x->atts = NULL;
	if (x->dialect->end(x->ctx, x, current(x)->canonical, x->err) < 0)
		stop(x);
	else
		x->depth--;
}

static void on_text(void *data, const XML_Char *s, int n)
{
	struct xml *x = data;
	if (x->failed || !x->depth)
		return;
	const struct xml_element *e = &x->dialect->elements[x->open[x->depth - 1].element];
	if (e->text && x->dialect->text(x->ctx, x, s, (size_t)n, x->err) < 0)
		stop(x);
	for (int i = 0; i < n && !e->text; i++) {
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\n' && s[i] != '\r') {
			xml_error(x, xml_place(x), x->err, "text is not allowed in <%s>", e->name);
			stop(x);
			return;
		}
	}
}

static void on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value,
                      int n, const XML_Char *base, const XML_Char *system,
                      const XML_Char *public_id, const XML_Char *notation)
{
	struct xml *x = data;
	(void)is_parameter, (void)value, (void)n, (void)base, (void)system, (void)public_id,
	    (void)notation;
	if (x->failed)
		return;
	xml_error(x, xml_place(x), x->err,
	          "entity '%s' is declared: a platform file may not declare entities", name);
	stop(x);
}

/* --- what SimGrid's own parser lets pass and XML does not: files in use have it. The text is
 * changed in place, and every line keeps its number. --- */

static void bytes_reverse(char *s, char *end)
{
	while (s < end) {
		char c = *s;
		*s++ = *--end;
		*end = c;
	}
}

/* Past what may stand between the elements of a file: blanks and comments. */
static char *prologue_skip(char *s)
{
	for (;;) {
		s += strspn(s, " \t\r\n");
		char *end = strncmp(s, "<!--", 4) == 0 ? strstr(s + 4, "-->") : NULL;
		if (!end)
			return s;
		s = end + 3;
	}
}

/* An XML declaration after blank lines or comments changes places with them. */
static void declaration_advance(char *text)
{
	char *start = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
	char *s = prologue_skip(start), *end = strstr(s, "?>");
	if (s == start || strncmp(s, "<?xml", 5) != 0 || !is_name_end(s[5]) || !end)
		return;
	bytes_reverse(start, s);
	bytes_reverse(s, end + 2);
	bytes_reverse(start, end + 2);
}

/* "--" in a comment that does not end it: its first '-' becomes a blank. */
static void comments_mend(char *text)
{
	for (char *s = text; (s = strstr(s, "<!--")) != NULL;) {
		char *end = strstr(s + 4, "-->");
		if (!end)
			return;
		for (s += 4; s < end; s++)
			if (s[0] == '-' && s[1] == '-')
				*s = ' ';
	}
}

/* An encoding that expat does not know ("ASCII", as lxml writes): one byte a character, and the
 * first 128 are those of ASCII. */
static int on_encoding(void *data, const XML_Char *name, XML_Encoding *e)
{
	(void)data, (void)name;
	for (int i = 0; i < 256; i++)
		e->map[i] = i;
	e->data = NULL;
	e->convert = NULL;
	e->release = NULL;
	return XML_STATUS_OK;
}

static int parse(struct xml *x)
{
	XML_SetUserData(x->parser, x);
	XML_SetElementHandler(x->parser, on_start, on_end);
	XML_SetCharacterDataHandler(x->parser, on_text);
	XML_SetEntityDeclHandler(x->parser, on_entity);
	XML_SetUnknownEncodingHandler(x->parser, on_encoding, NULL);
	enum XML_Status got = XML_Parse(x->parser, x->text, (int)x->text_n, 1);
	if (x->failed)
		return -1;
	if (got == XML_STATUS_OK)
		return 0;
	enum XML_Error code = XML_GetErrorCode(x->parser);
	if (code == XML_ERROR_NO_MEMORY)
		return err_nomem(x->err, "the XML parser", x->text_n);
	return xml_error(x, xml_place(x), x->err, "not well-formed XML: %s", XML_ErrorString(code));
}

int xml_read(const char *path, const struct xml_dialect *d, void *ctx, struct err *err)
{
	static const XML_Memory_Handling_Suite memory = {
	    malloc, realloc, free}; /* ours, so that fault tests reach them */
	struct xml x = {.dialect = d, .ctx = ctx, .file = path, .err = err};
	char *text = input_read_all(path, &x.text_n, err);
	if (!text)
		return -1;
	declaration_advance(text);
	comments_mend(text);
	x.text = text;
	x.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
	int got = x.parser ? parse(&x) : err_nomem(err, "the XML parser", 0);
	if (x.parser)
		XML_ParserFree(x.parser);
	free(x.open);
	free(text);
	return got;
}
