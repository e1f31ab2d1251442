/* event_parse.c: one line of text to one event, by the letters of the action's arguments
 * (trace_int.h). In place, without allocation but for lists.
 *
 *   action
 *     ──arguments_parse──> positional arguments
 *     ──keys_parse──> key=value
 *     ──event_finish──> what was left out, pointers into lists */
#include "scan.h"
#include "trace/trace_int.h"

#include <stdio.h>
#include <string.h>

/* Tokens from p on that are not key=value: how many numbers a vector collective has. */
static int64_t arguments_count(const char *p)
{
	int64_t n = 0;

	/* Numbers, and the names of types: MPI_INT. */
	for (p = blanks_skip(p); is_number(*p) || *p == 'M'; p = blanks_skip(token_end(p)))
		n++;
	return n;
}

/* How many counts the vectors of this action have: the size of the world in SimGrid's grammar; what
 * is left beside the fixed arguments in ours, where all of these are written. p: the first
 * argument. -1 with a fault when that is not a whole number. */
static int64_t vector_length(struct parse *ps, const struct action *a, const char *p)
{
	int64_t have, fixed = 0, vectors = 0;

	if (!ps->grammar->dialect->strict)
		return ps->grammar->ranks;
	have = arguments_count(p);
	for (const char *letter = a->args; *letter; letter++) {
		vectors += *letter == 'S' || *letter == 'R';
		fixed += *letter != 'S' && *letter != 'R' && *letter != '?';
	}
	BUG_ON(vectors == 0); /* it is asked for one of them */
	if (have >= fixed && (have - fixed) % vectors == 0)
		return (have - fixed) / vectors;
	parse_fault(ps, blanks_skip(p),
	            "%lld arguments and %s per rank, but there are %lld from here",
	            (long long)fixed, vectors == 1 ? "a count" : "two counts", (long long)have);
	return -1;
}

static const char *vector_scan(struct parse *ps, const char *p, int64_t n, uint32_t *offset)
{
	*offset = ps->lists->n;
	for (int64_t i = 0; i < n; i++) {
		int64_t v;
		const char *end;

		p = blanks_skip(p);
		end = count_scan(p, &v);
		if (!end || v < 0)
			return parse_fault(ps, p, "a count of elements for rank %lld of %lld",
			                   (long long)i, (long long)n);
		if (lists_push(ps->lists, v, ps->err) < 0) {
			ps->at = NULL;
			return NULL;
		}
		p = end;
	}
	return p;
}

/* After the counts of SimGrid's allgatherv stand types, or displacements, or both; how many tokens
 * are left tells which. */
static int only_displacements(const struct parse *ps, const struct action *a, const char *p)
{
	int64_t left;

	if (a->op != TRACE_ALLGATHERV || ps->grammar->dialect->strict)
		return 0;
	left = arguments_count(p);
	return left > 2 && left <= ps->grammar->ranks;
}

/* What an argument that is not there stands for. */
static void argument_default(struct parse *ps, char letter)
{
	if (letter == 'd')
		ps->ev->type = ps->grammar->default_type;
	else if (letter == 'e')
		ps->ev->type2 = ps->grammar->default_type;
	else if (letter == 'o')
		ps->ev->count = TRACE_COUNT_ANY;
}

static const char *argument_name(char letter)
{
	switch (letter) {
	case 'p':
		return "the rank of the destination";
	case 's':
	case 'q':
		return "the rank of the source";
	case 't':
		return "a tag";
	case 'c':
	case 'k':
		return "a count of elements";
	case 'f':
		return "a number";
	case 'r':
		return "the root";
	case 'd':
	case 'e':
		return "a datatype id";
	case 'F':
		return "a file name";
	case 'l':
		return "a line number";
	default:
		return "an argument";
	}
}

/* Whether a positional argument, not a key or the end, stands at p. */
static int is_argument(const struct parse *ps, char letter, const char *p)
{
	if (is_number(*p))
		return 1;
	if (*p == '\n' || *p == '#')
		return 0;
	return letter == 'F' ||
	       ((letter == 'p' || letter == 's') && ps->grammar->dialect->named_ranks) ||
	       ((letter == 'd' || letter == 'e') && *p == 'M');
}

static int is_optional(char letter)
{
	return letter == 'K' ||
	       letter == 'o'; /* event_finish looks whether a wait is told what to wait for */
}

/* The two vectors. first: the first argument of the line. */
static const char *vector_parse(struct parse *ps, const struct action *a, char letter,
                                const char *first, const char *p)
{
	struct trace_event *ev = ps->ev;
	int64_t n = vector_length(ps, a, first);

	if (n < 0)
		return NULL;
	if (letter == 'S') {
		ev->n_counts = n;
		return vector_scan(ps, p, n, &ps->counts);
	}
	ev->n_counts2 = n;
	return vector_scan(ps, p, n, &ps->counts2);
}

static const char *arguments_parse(struct parse *ps, const struct action *a, const char *p)
{
	const char *first = p;
	int optional = 0, missing = 0;

	for (const char *letter = a->args; *letter && *letter != '*'; letter++) {
		if (*letter == '?') {
			optional = 1;
			continue;
		}
		p = blanks_skip(p);
		if (*letter == 'S' || *letter == 'R') {
			p = vector_parse(ps, a, *letter, first, p);
			missing = p && only_displacements(ps, a, p);
		} else if (!missing && is_argument(ps, *letter, p))
			p = argument_parse(ps, *letter, p);
		else if (optional || is_optional(*letter)) {
			missing = 1;
			argument_default(ps, *letter);
		} else
			return parse_fault(ps, p, "%s", argument_name(*letter));
		if (!p)
			return NULL;
	}
	return p;
}

/* The carriage return before p, from `from` on, on the same line, that stands alone; or NULL. */
static const char *return_alone(const char *from, const char *p)
{
	while (p > from && p[-1] != '\r')
		p--;
	return p > from ? p - 1 : NULL;
}

/* What follows the arguments of a line of SimGrid's and is not key=value has no meaning there. But
 * a file whose lines end in carriage returns alone would be a single line, the rest of which is
 * passed over. */
static const char *extra_skip(struct parse *ps, const char *line, const char *p)
{
	const char *seen = line; /* there is none before */

	p = blanks_skip(p);
	if (ps->grammar->dialect->strict)
		return p;
	while (*p != '\n' && *p != '#') {
		const char *end = token_end(p), *alone = return_alone(seen, p);

		seen = p;

		if (end == p || memchr(p, '=', (size_t)(end - p)))
			break;
		if (alone)
			return parse_fault(ps, alone, "the line feed that ends a line");
		ps->ev->flags |= TRACE_EXTRA;
		p = blanks_skip(end);
	}
	return p;
}

static int size_finish(struct parse *ps, const char *p, int32_t type, int64_t given, int64_t *out)
{
	if (given >= 0)
		*out = given;
	else if (type >= 0)
		*out = trace_type_size(type);
	else if (ps->grammar->dialect->strict) {
		parse_fault(ps, p, "dtsize=, the bytes of the derived type");
		return -1;
	} else
		*out = 0; /* SimGrid's -1 stands for a type of which it wrote nothing else, and it
		             replays it as empty */
	return 0;
}

static const char *types_finish(struct parse *ps, const struct action *a, const char *p)
{
	struct trace_event *ev = ps->ev;

	for (const char *letter = a->args; *letter; letter++) {
		if (*letter == 'd' &&
		    size_finish(ps, p, ev->type, ps->type_size, &ev->type_size) < 0)
			return NULL;
		if (*letter == 'e' &&
		    size_finish(ps, p, ev->type2, ps->type_size2, &ev->type_size2) < 0)
			return NULL;
	}
	return p;
}

/* What the wait and test families were told: which requests, and which of them were complete. */
static const char *completion_finish(struct parse *ps, const struct action *a, const char *p)
{
	struct trace_event *ev = ps->ev;
	int one = ev->op == TRACE_WAIT || ev->op == TRACE_TEST;
	uint32_t named = ps->keys & (KEY_REQ | KEY_REQS | KEY_TAKE);

	/* which one it is without a word of it */
	ev->flags |= named ? (uint16_t)(a->flags & ~(TRACE_LATEST | TRACE_LATEST_RECV)) : a->flags;
	if (one && !named &&
	    !(ev->flags & (TRACE_BY_KEY | TRACE_OLDEST | TRACE_LATEST | TRACE_LATEST_RECV)))
		return parse_fault(ps, p,
		                   ps->grammar->dialect->strict
		                       ? "req="
		                       : "the source, destination and tag of the request");
	if (!one && !named)
		ev->flags |= TRACE_OUTSTANDING;
	if (ev->op != TRACE_WAIT && ev->op != TRACE_WAITALL && !(ps->keys & KEY_DONE))
		ev->flags |= TRACE_NO_DONE;
	return p;
}

/* Offsets become pointers: lists does not move any more. */
static void lists_place(struct parse *ps)
{
	struct trace_event *ev = ps->ev;
	const int64_t *items = ps->lists->items;

	if (ps->lists->members)
		ev->members = shares_at(ps->lists->members, &ev->n_members);
	if (ps->lists->n == 0)
		return;
	if (ev->n_counts > 0)
		ev->counts = items + ps->counts;
	if (ev->n_counts2 > 0)
		ev->counts2 = items + ps->counts2;
	if (ev->n_reqs > 0)
		ev->reqs = items + ps->reqs;
	if (ev->n_done > 0)
		ev->done = items + ps->done;
	if (ev->n_remote > 0)
		ev->remote = (const int32_t *)(const void *)(items + ps->remote);
	if (ev->n_members > 0 && !ps->lists->members)
		ev->members = (const int32_t *)(const void *)(items + ps->members);
	if (ps->keys & HAS_TEXT)
		ev->text = (const char *)(items + ps->file);
}

/* A count per rank: the world's size is known here, other communicators' when the trace is
 * replayed. */
static const char *vector_check(struct parse *ps, const char *p, int64_t n)
{
	if (!trace_op_is_collective(ps->ev->op) || trace_op_is_neighborhood(ps->ev->op) ||
	    ps->ev->comm != 0 || n == 0 || n == ps->grammar->ranks ||
	    ps->grammar->peers == INT32_MAX)
		return p;
	return parse_fault(ps, p, "%u counts, one per rank of the world; there are %lld",
	                   ps->grammar->ranks, (long long)n);
}

/* All ranks' blocks together are a number of bytes that can be counted. */
static int bytes_fit(const struct parse *ps, int64_t count, int64_t size)
{
	int64_t most = INT64_MAX / 2 / (ps->grammar->ranks ? ps->grammar->ranks : 1);

	return count <= 0 || size <= 0 || count <= most / size;
}

static const char *bytes_check(struct parse *ps, const char *p)
{
	const struct trace_event *ev = ps->ev;
	int any = ev->count == TRACE_COUNT_ANY && (ev->op == TRACE_RECV || ev->op == TRACE_IRECV);
	int fits = (any || bytes_fit(ps, ev->count, ev->type_size)) &&
	           bytes_fit(ps, ev->count2, ev->type_size2);

	for (int64_t i = 0; i < ev->n_counts && fits; i++)
		fits = bytes_fit(ps, ev->counts[i], ev->type_size);
	for (int64_t i = 0; i < ev->n_counts2 && fits; i++)
		fits = bytes_fit(ps, ev->counts2[i],
		                 ev->type_size2 > ev->type_size ? ev->type_size2 : ev->type_size);
	if (fits)
		return p;
	ps->at = p;
	snprintf(ps->text, sizeof ps->text,
	         "the counts before, times the size of their type, are more bytes than can be "
	         "counted");
	return NULL;
}

static const char *event_finish(struct parse *ps, const struct action *a, const char *p)
{
	struct trace_event *ev = ps->ev;

	if (op_has(ev->op, TRACE_COMPLETES))
		p = completion_finish(ps, a, p);
	else
		ev->flags |= a->flags;
	if (p && !op_has(ev->op, TRACE_LIFE))
		p = types_finish(ps, a, p);
	if (p && ev->op == TRACE_IPROBE && !(ps->keys & KEY_FOUND))
		ev->flags |= TRACE_NO_DONE;
	if (p && trace_op_makes_comm(ev->op) && !(ps->keys & KEY_MEMBERS))
		ev->flags |= TRACE_NAMELESS;
	if (p && ps->lists->n > 0) {
		p = vector_check(ps, p, ev->n_counts);
		p = p ? vector_check(ps, p, ev->n_counts2) : NULL;
	}
	lists_place(ps);
	return p && !op_has(ev->op, TRACE_LIFE) ? bytes_check(ps, p) : p;
}

static const char *action_fault(struct parse *ps, const char *p, size_t n)
{
	char buf[64];
	const char *nearest = grammar_nearest(ps->grammar, p, n, buf, sizeof buf);

	/* ours of nearly that name would only need another argument */
	if (!ps->grammar->dialect->strict && n >= 5 && memcmp(p, "Start", 5) == 0)
		return parse_fault(
		    ps, p,
		    "an action that SimGrid replays (its tracer writes of MPI_Start "
		    "neither what it starts nor whence: trace the program by 'orrery "
		    "trace')");
	if (nearest)
		return parse_fault(ps, p, "an action, perhaps '%s'", nearest);
	return parse_fault(ps, p, "an action of %s", ps->grammar->dialect->name);
}

const char *event_parse(struct parse *ps, const char *p, struct trace_event *ev)
{
	const struct action *a;
	const char *line = p, *end = quick_parse(ps, p, ev);
	uint16_t flags;

	if (end)
		return end;
	p = blanks_skip(p);
	end = token_end(p);
	a = grammar_find(ps->grammar, p, (size_t)(end - p), &flags);
	if (!a)
		return action_fault(ps, p, (size_t)(end - p));
	trace_event_init(ev, a->op);
	ev->flags = flags;
	ps->ev = ev;
	ps->keys = 0;
	ps->type_size = ps->type_size2 = -1;
	lists_clear(ps->lists);
	p = arguments_parse(ps, a, end);
	p = p ? extra_skip(ps, line, p) : NULL;
	p = p ? keys_parse(ps, p) : NULL;
	return p ? event_finish(ps, a, p) : NULL;
}
