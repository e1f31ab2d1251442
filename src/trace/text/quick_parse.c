/* quick_parse.c: the commonest lines: an action of at most eight letters and plain numbers, one
 * blank before each. Whatever else a line may hold (signs, fractions, keys, comments, what is
 * wrong) is left to event_parse, which starts again: this file accepts nothing that it would not,
 * and gives the same event (prop_roundtrip.c and test_event_parse.c see no difference). A trace is
 * mostly such lines, and their reading was a fifth of the time of a replay.
 *
 * Programs say the same again and again: messages, computations and waits are remembered by their
 * text, so that such a line is compared and not read. They say it in the same order, too: what
 * followed a line of a rank the last time is compared first, without a look at the
 * line to find its end and its hash, and is fetched into the cache while other ranks are at work.
 */
#include "scan.h"
#include "trace/trace_int.h"

#include <string.h>

int action_is_quick(const struct action *a)
{
	const uint64_t plain = TRACE_LIFE | TRACE_SENDS | TRACE_RECEIVES | TRACE_PROBES |
	                       TRACE_COMPLETES | TRACE_COLLECTIVE;

	return op_has(a->op, plain) && !op_has(a->op, TRACE_LISTS | TRACE_TESTS | TAKES_FOUND) &&
	       strlen(a->name) <= 8 && a->args[0] &&
	       strspn(a->args, "pstqckrdefK?") == strlen(a->args);
}

/* The slot of the name at p, and where the name ends; NULL: not one for this file. */
static const struct grammar_slot *quick_action(const struct grammar *g, const char *p,
                                               const char **end)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	const struct grammar_slot *s;
	uint64_t head, stops;
	size_t n = 8;

	memcpy(&head, p, sizeof head);
	stops = (head - 0x21 * ones) & ~head &
	        tops; /* lowest bit set: the first byte that is a blank or less */
	if (stops) {
		n = (size_t)__builtin_ctzll(stops) / 8;
		head &= ((uint64_t)1 << 8 * n) - 1;
	} else if (!is_end(p[8])) {
		return NULL;
	}
	uint32_t i = name_slot(head, n);
	for (s = &g->slots[i]; s->action && (s->head != head || s->length != n);)
		s = &g->slots[++i % GRAMMAR_SLOTS];
	*end = p + n;
	return s->quick ? s : NULL;
}

/* A blank and digits. Too large a number has too many digits, and is refused. */
static inline const char *quick_number(const char *p, int64_t *out)
{
	return *p == ' ' ? digits_scan(p + 1, out) : NULL;
}

static const char *quick_key(const struct parse *ps, const char *p, int64_t src)
{
	struct trace_event *ev = ps->ev;
	const int64_t first = ps->grammar->dialect->first_waited, end = first + ps->grammar->peers;
	int64_t dst, tag;

	p = quick_number(p, &dst);
	p = p ? quick_number(p, &tag) : NULL;
	if (!p || src < first || src >= end || dst < first || dst >= end || tag > INT32_MAX)
		return NULL;
	ev->peer = (int32_t)(src - first);
	ev->peer2 = (int32_t)(dst - first);
	ev->tag = (int32_t)tag;
	ev->flags |= TRACE_BY_KEY;
	return p;
}

/* The number of one argument into its field: 0 when it is not for this file. */
static int quick_field(const struct parse *ps, char letter, int64_t v)
{
	struct trace_event *ev = ps->ev;
	int32_t *small = NULL;
	int64_t below = ps->grammar->peers;

	switch (letter) {
	case 'p':
	case 's':
		small = &ev->peer;
		break;
	case 'q':
		small = &ev->peer2;
		break;
	case 'r':
		small = &ev->root;
		break;
	case 't':
		small = &ev->tag;
		below = (int64_t)INT32_MAX + 1;
		break;
	case 'c':
		ev->count = v;
		return 1;
	case 'k':
		ev->count2 = v;
		return 1;
	case 'd':
		small = &ev->type;
		ev->type_size = trace_type_size((int32_t)(v & INT32_MAX));
		below = ps->grammar->dialect->types;
		break;
	case 'e':
		small = &ev->type2;
		ev->type_size2 = trace_type_size((int32_t)(v & INT32_MAX));
		below = ps->grammar->dialect->types;
		break;
	default:
		ev->volume = (double)v;
		return v <= (int64_t)1 << 53;
	}
	*small = (int32_t)v;
	return v < below;
}

/* At the end of the line: only types may be left out. */
static int quick_default(const struct parse *ps, char letter)
{
	return (letter == 'd' || letter == 'e') &&
	       quick_field(ps, letter, ps->grammar->default_type);
}

static const char *quick_arguments(const struct parse *ps, const char *letter, const char *p)
{
	int optional = 0;
	int64_t v;

	for (; *letter; letter++) {
		if (*letter == '?') {
			optional = 1;
			continue;
		}
		if (*p == '\n') {
			if (!optional || !quick_default(ps, *letter))
				return NULL;
			continue;
		}
		p = quick_number(p, &v);
		if (p && *letter == 'K')
			p = quick_key(ps, p, v);
		else if (p && !quick_field(ps, *letter, v))
			return NULL;
		if (!p)
			return NULL;
	}
	return p;
}

/* "ptc?d" and "stc?d", three quarters of most traces: as quick_arguments would, without looking at
 * the letters. */
static const char *quick_message(const struct parse *ps, const char *p)
{
	struct trace_event *ev = ps->ev;
	int64_t peer, tag, count, type = ps->grammar->default_type;

	p = quick_number(p, &peer);
	p = p ? quick_number(p, &tag) : NULL;
	p = p ? quick_number(p, &count) : NULL;
	if (p && *p != '\n')
		p = quick_number(p, &type);
	if (!p || peer >= ps->grammar->peers || tag > INT32_MAX ||
	    type >= ps->grammar->dialect->types)
		return NULL;
	ev->peer = (int32_t)peer;
	ev->tag = (int32_t)tag;
	ev->count = count;
	ev->type = (int32_t)type;
	ev->type_size = trace_type_size(ev->type);
	return p;
}

int action_is_message(const struct action *a)
{
	return strcmp(a->args, "ptc?d") == 0 || strcmp(a->args, "stc?d") == 0;
}

enum kept action_kept(const struct action *a)
{
	return !action_is_quick(a)         ? KEPT_NOT
	       : action_is_message(a)      ? KEPT_MESSAGE
	       : strcmp(a->args, "f") == 0 ? KEPT_VOLUME
	       : strcmp(a->args, "K") == 0 ? KEPT_KEY
	                                   : KEPT_NOT;
}

/* The text of a line in words, those that are not needed 0, and its hash: where it ends, or NULL
 * when it is too long. */
static inline const char *line_words(const char *p, uint64_t *text, uint64_t *hash)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	uint64_t h = 0;

	memset(text, 0, KEPT_WORDS * sizeof *text);
	for (int i = 0; i < KEPT_WORDS; i++, p += 8) {
		uint64_t w, other, stops;

		memcpy(&w, p, sizeof w);
		other = w ^ '\n' * ones;
		stops = (other - ones) & ~other & tops;
		if (stops)
			w &= ((stops & -stops) << 1) - 1; /* with the newline */
		text[i] = w;
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
		if (stops) {
			*hash = h;
			return p + __builtin_ctzll(stops) / 8;
		}
	}
	return NULL;
}

static int line_same(const struct kept_line *k, const uint64_t *text)
{
	return k->length && ((k->text[0] ^ text[0]) | (k->text[1] ^ text[1]) |
	                     (k->text[2] ^ text[2]) | (k->text[3] ^ text[3])) == 0;
}

/* Does this line stand at p? What is not there may not be read: a word follows only where those
 * before it are the same, and have no newline. */
static inline int line_stands(const struct kept_line *k, const char *p)
{
	const uint64_t *text = k->text;
	uint32_t n = k->length;
	uint64_t w;

	for (; n > 8; n -= 8, p += 8) {
		memcpy(&w, p, sizeof w);
		if (w != *text++)
			return 0;
	}
	memcpy(&w, p, sizeof w);
	return n > 0 && (w ^ *text) << (64 - 8 * n) == 0;
}

static void line_keep(struct kept_line *k, const uint64_t *text, size_t length,
                      const struct grammar_slot *s, const struct trace_event *ev)
{
	memcpy(k->text, text, sizeof k->text);
	k->length = (uint8_t)length;
	k->op = ev->op;
	k->flags = s->action->flags;
	k->kept = (uint8_t)s->kept;
	k->number = s->kept == KEPT_VOLUME ? (int64_t)ev->volume : ev->count;
	k->peer = ev->peer;
	k->peer2 = ev->peer2;
	k->tag = ev->tag;
	k->type = ev->type;
}

static inline void line_recall(const struct kept_line *k, struct lists *lists,
                               struct trace_event *ev)
{
	lists_clear(lists);
	trace_event_init(ev, k->op);
	ev->flags = k->flags;
	if (k->kept == KEPT_VOLUME) {
		ev->volume = (double)k->number;
		return;
	}
	ev->peer = k->peer;
	ev->tag = k->tag;
	if (k->kept == KEPT_KEY) {
		ev->peer2 = k->peer2;
		ev->flags |= TRACE_BY_KEY;
		return;
	}
	ev->count = k->number;
	ev->type = k->type;
	ev->type_size = trace_type_size(k->type);
}

static const char *quick_parse_new(struct parse *ps, const char *p, struct trace_event *ev,
                                   const struct grammar_slot **slot)
{
	const struct grammar_slot *s = quick_action(ps->grammar, p, &p);

	*slot = s;
	if (!s)
		return NULL;
	trace_event_init(ev, s->action->op);
	ev->flags = s->action->flags;
	ps->ev = ev;
	p = s->message ? quick_message(ps, p) : quick_arguments(ps, s->action->args, p);
	if (!p || *p != '\n' || (uint64_t)(ev->count | ev->count2) >> COUNT_QUICK)
		return NULL;
	lists_clear(ps->lists);
	return p;
}

/* The rank is at this line now. What it needs next is on its way when it comes back. */
static inline void line_passed(const struct kept_lines *kept, struct kept_place *place,
                               const struct kept_line *k)
{
	uint32_t line = (uint32_t)(k - kept->lines);

	place->latest = (line + place->salt) % KEPT_NEXT;
	place->expected = kept->next[place->latest];
	__builtin_prefetch(&kept->lines[place->expected]);
}

/* Where a line is, or is to be: in the first free of some places, or in that of any of the others.
 */
static struct kept_line *line_find(const struct parse *ps, const uint64_t *text, uint64_t hash)
{
	enum { PLACES = 8 };
	struct kept_line *lines = ps->kept->lines;
	uint32_t mask = ps->kept->mask;

	for (uint32_t i = 0; i < PLACES; i++) {
		struct kept_line *k = &lines[(hash + i) & mask];
		if (k->length == 0 || line_same(k, text))
			return k;
	}
	return &lines[(hash + ps->kept_place->latest % PLACES) & mask];
}

static const char *quick_parse_kept(struct parse *ps, const char *p, struct trace_event *ev)
{
	const struct grammar_slot *slot;
	uint64_t text[KEPT_WORDS], hash;
	const char *end = line_words(p, text, &hash), *start = p;

	if (!end)
		return quick_parse_new(ps, p, ev, &slot);
	struct kept_line *k = line_find(ps, text, hash);
	if (line_same(k, text)) {
		line_recall(k, ps->lists, ev);
		p = end;
	} else {
		p = quick_parse_new(ps, p, ev, &slot);
		if (!p || slot->kept == KEPT_NOT)
			return p;
		line_keep(k, text, (size_t)(end + 1 - start), slot, ev);
	}
	ps->kept->next[ps->kept_place->latest] = (uint16_t)(k - ps->kept->lines);
	line_passed(ps->kept, ps->kept_place, k);
	return p;
}

const char *expected_parse(const struct kept_lines *kept, struct kept_place *place,
                           struct lists *lists, const char *p, struct trace_event *ev)
{
	const struct kept_line *k = &kept->lines[place->expected];

	p += *p == ' ';
	if (!line_stands(k, p))
		return NULL;
	__builtin_prefetch(p + 64); /* the lines after the next */
	line_recall(k, lists, ev);
	line_passed(kept, place, k);
	return p + k->length - 1;
}

const char *quick_parse(struct parse *ps, const char *p, struct trace_event *ev)
{
	const struct grammar_slot *slot;

	p += *p == ' ';
	return ps->kept ? quick_parse_kept(ps, p, ev) : quick_parse_new(ps, p, ev, &slot);
}
