/* field_parse.c: one argument of a line to one field of the event: ranks, tags, counts, volumes,
 * types. What is wrong is worded here, at the place where it was seen: what was expected, what was
 * found. */
#include "scan.h"
#include "trace/trace_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Wildcards, as SimGrid writes them; -333 is what its 4.x writer makes of ANY_SOURCE, -556 what a
 * wait must say (simgrid_put.c). */
enum {
	SIMGRID_ANY_SOURCE = -555,
	SIMGRID_ANY_STORED = -556,
	SIMGRID_UNDEFINED = -333,
	SIMGRID_ANY_TAG = -444,
	SIMGRID_PROC_NULL = -666
};

__attribute__((format(printf, 3, 0))) static const char *vfault(struct parse *ps, const char *p,
                                                                const char *expected, va_list ap)
{
	int length = (int)(token_end(p) - p), n;

	ps->at = p;
	n = snprintf(ps->text, sizeof ps->text, "expected ");
	n += vsnprintf(ps->text + n, sizeof ps->text - (size_t)n, expected, ap);
	if (n > 400)
		n = 400;
	if (length > 60)
		length = 60;
	if (length == 0)
		snprintf(ps->text + n, sizeof ps->text - (size_t)n, ", found %s",
		         *blanks_skip(p) == '\n' ? "the end of the line"
		         : *p == '\r'            ? "a carriage return"
		         : is_blank(*p)          ? "nothing"
		                                 : "a control character");
	else
		snprintf(ps->text + n, sizeof ps->text - (size_t)n, ", found '%.*s'", length, p);
	return NULL;
}

const char *parse_fault(struct parse *ps, const char *p, const char *expected, ...)
{
	va_list ap;

	va_start(ap, expected);
	vfault(ps, p, expected, ap);
	va_end(ap);
	return NULL;
}

int line_is_empty(const char *p)
{
	p = blanks_skip(p);
	return *p == '\n' || *p == '#';
}

/* "p12": the digits at the end of a process name. */
static const char *name_digits(const char *p)
{
	const char *end = token_end(p), *digits = end;

	while (digits > p && is_digit(digits[-1]))
		digits--;
	return digits;
}

const char *rank_parse(struct parse *ps, const char *p, uint32_t *rank)
{
	int named = ps->grammar->dialect->named_ranks;
	const char *start = p, *end;
	int64_t v;

	if (named)
		p = name_digits(p);
	end = digits_scan(p, &v);
	if (!end || !is_end(*end))
		return parse_fault(ps, start,
		                   named ? "a process name that ends in its rank, such as p0"
		                         : "a rank");
	if (v > INT32_MAX)
		return parse_fault(ps, start, "a rank below 2147483648");
	*rank = (uint32_t)v;
	return end;
}

/* A world rank; with `wild`, any source. first: what rank 0 is called. */
static const char *peer_scan_from(struct parse *ps, const char *p, int wild, int first,
                                  int32_t *out)
{
	const char *start = p, *end;
	int64_t v;

	if (ps->grammar->dialect->named_ranks)
		p = name_digits(p);
	end = i64_scan(p, &v);
	if (end && v >= first && v - first < ps->grammar->peers) {
		*out = (int32_t)(v - first);
		return end;
	}
	if (end && (v == TRACE_PROC_NULL || v == SIMGRID_PROC_NULL)) {
		*out = TRACE_PROC_NULL;
		return end;
	}
	if (end && wild &&
	    (v == TRACE_ANY || v == SIMGRID_ANY_SOURCE || v == SIMGRID_ANY_STORED ||
	     v == SIMGRID_UNDEFINED)) {
		*out = TRACE_ANY;
		return end;
	}
	return parse_fault(ps, start, "the %s of a %s (%d to %d%s; -2 is MPI_PROC_NULL)",
	                   first ? "process" : "rank", wild ? "source" : "destination", first,
	                   (int)ps->grammar->peers - 1 + first, wild ? "; -1 is any" : "");
}

static const char *peer_scan(struct parse *ps, const char *p, int wild, int32_t *out)
{
	int first = ps->ev->op == TRACE_SENDRECV ? ps->grammar->dialect->first_partner : 0;

	return peer_scan_from(ps, p, wild, first, out);
}

static const char *tag_scan(struct parse *ps, const char *p, int32_t *out)
{
	int64_t v;
	const char *end = i64_scan(p, &v);

	if (end && (v == SIMGRID_ANY_TAG || v == TRACE_ANY))
		v = TRACE_ANY;
	else if (!end || v < 0 || v > INT32_MAX)
		return parse_fault(ps, p, "a tag (0 to 2147483647; -1 is any)");
	*out = (int32_t)v;
	return end;
}

/* Elements; receives may have a negative count: not known before the message is there. */
static const char *size_scan(struct parse *ps, const char *p, int64_t *out)
{
	int receives = ps->ev->op == TRACE_RECV || ps->ev->op == TRACE_IRECV;
	const char *end = count_scan(p, out);

	if (end && *out < 0 && receives)
		*out = -1;
	if (!end || (*out < 0 && !receives))
		return parse_fault(ps, p,
		                   receives ? "a count of elements (negative: not known)"
		                            : "a count of elements");
	return end;
}

static const char *volume_scan(struct parse *ps, const char *p)
{
	const char *end = double_scan(p, &ps->ev->volume);

	if (!end || !(ps->ev->volume >= 0))
		return parse_fault(
		    ps, p, ps->ev->op == TRACE_SLEEP ? "seconds" : "a number of instructions");
	return end;
}

static const char *root_scan(struct parse *ps, const char *p)
{
	int64_t v;
	const char *end = i64_scan(p, &v);

	/* On intercommunicators: MPI_ROOT, MPI_PROC_NULL. */
	if (end && ps->grammar->dialect->strict && (v == TRACE_ROOT || v == TRACE_PROC_NULL))
		;
	else if (!end || v < 0 || v >= ps->grammar->peers)
		return parse_fault(ps, p, "the root, a rank of the communicator");
	ps->ev->root = (int32_t)v;
	return end;
}

/* "MPI_DOUBLE" where an id is expected. */
static const char *type_name_scan(struct parse *ps, const char *p, int32_t *out)
{
	char name[64];
	const char *end = token_end(p);
	size_t n = (size_t)(end - p);

	if (n >= sizeof name)
		n = sizeof name - 1;
	memcpy(name, p, n);
	name[n] = '\0';
	*out = trace_type_find(name);
	return *out >= 0 ? end : parse_fault(ps, p, "a datatype");
}

static const char *type_scan(struct parse *ps, const char *p, int32_t *out)
{
	const struct dialect *d = ps->grammar->dialect;
	int64_t v;
	const char *end;

	if (*p == 'M')
		return type_name_scan(ps, p, out);
	end = i64_scan(p, &v);
	if (end && v >= 0 && v < d->types)
		*out = (int32_t)v;
	else if (end && d->lenient_types)
		*out = ps->grammar->default_type;
	else if (end && v == TYPE_DERIVED)
		*out = TYPE_DERIVED;
	else
		return parse_fault(ps, p, "a datatype id (0 to %d; -1: derived)", d->types - 1);
	return end;
}

/* "src dst tag" of a wait or test. */
static const char *key_scan(struct parse *ps, const char *p)
{
	int first = ps->grammar->dialect->first_waited;

	p = peer_scan_from(ps, p, 1, first, &ps->ev->peer);
	p = p ? peer_scan_from(ps, blanks_skip(p), 1, first, &ps->ev->peer2) : NULL;
	p = p ? tag_scan(ps, blanks_skip(p), &ps->ev->tag) : NULL;
	ps->ev->flags |= TRACE_BY_KEY;
	return p;
}

static int hex(char c)
{
	return is_digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

const char *word_parse(struct parse *ps, const char *p, const char *end)
{
	int coded = ps->grammar->dialect->strict;
	char *out = lists_bytes(ps->lists, (size_t)(end - p) + 1, &ps->file, ps->err);

	if (!out) {
		ps->at = NULL;
		return NULL;
	}
	for (; p < end; p++) {
		if (coded && *p == '%' && end - p > 2 && hex(p[1]) >= 0 && hex(p[2]) >= 0 &&
		    (hex(p[1]) | hex(p[2]))) {
			*out++ = (char)(hex(p[1]) * 16 + hex(p[2]));
			p += 2;
		} else
			*out++ = *p;
	}
	*out = '\0';
	ps->keys |= HAS_TEXT;
	return end;
}

static const char *line_scan(struct parse *ps, const char *p)
{
	const char *end = i64_scan(p, &ps->ev->line);

	return end ? end : parse_fault(ps, p, "a line number");
}

const char *region_parse(struct parse *ps, const char *p)
{
	const char *end = i64_scan(p, &ps->ev->region);

	return end && ps->ev->region >= 0 && ps->ev->region <= INT32_MAX
	           ? end
	           : parse_fault(ps, p, "the number of a region");
}

/* How many requests: a number for people and for SimGrid; the list says which. */
static const char *number_scan(struct parse *ps, const char *p)
{
	int64_t ignored;
	const char *end = count_scan(p, &ignored);

	return end ? end : parse_fault(ps, p, "a number of requests");
}

const char *argument_parse(struct parse *ps, char letter, const char *p)
{
	struct trace_event *ev = ps->ev;

	switch (letter) {
	case 'p':
		return peer_scan(ps, p, 0, &ev->peer);
	case 's':
		return peer_scan(ps, p, 1, &ev->peer);
	case 'q':
		return peer_scan(ps, p, 1, &ev->peer2);
	case 't':
		return tag_scan(ps, p, &ev->tag);
	case 'c':
	case 'o':
		return size_scan(ps, p, &ev->count);
	case 'k':
		return size_scan(ps, p, &ev->count2);
	case 'f':
		return volume_scan(ps, p);
	case 'r':
		return root_scan(ps, p);
	case 'd':
		return type_scan(ps, p, &ev->type);
	case 'e':
		return type_scan(ps, p, &ev->type2);
	case 'l':
		return line_scan(ps, p);
	case 'g':
		return region_parse(ps, p);
	case 'n':
		return number_scan(ps, p);
	case 'F':
		return word_parse(ps, p, token_end(p));
	case 'K':
		return key_scan(ps, p);
	default:
		BUG_ON(1);
	}
}
