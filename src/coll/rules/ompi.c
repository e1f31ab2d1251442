/* ompi.c: Open MPI's dynamic rules (--mca coll_tuned_dynamic_rules_filename), versions 1
 * and 2, as coll_tuned_dynamic_file.c of 4.1 and 5.0 reads them:
 *
 *   [rule-file-version-2]
 *   collectives, and for each: its number, communicator sizes, and for each: the size, message
 *   sizes, and for each: the size, algorithm, k, segment size, [version 2: requests at a time, on
 *   the same line]
 *
 * Numbers apart by blanks, decimal, octal or hexadecimal as in C; # begins a comment. A rule holds
 * from its size up to that of the next; the first communicator size also below. Algorithm 0 is Open
 * MPI's fixed decision. Open MPI skips what is no number; here that is an error, with its place.
 *
 * A file becomes: one RULE_COLLECTIVE for each collective, one RULE_RANKS for each but the last
 * size, likewise RULE_OMPI_BYTES. */
#include "rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct coll_rules *rules;
	const char *s, *end, *line_start, *word; /* word: read last, where errors are */
	uint32_t line;
	int version;
	struct err *err;
};

static int fail(struct reader *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct reader *in, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(in->err, in->rules->path, in->line, in->word - in->line_start + 1, "%s",
	              text);
}

/* To the next word, over blanks, ends of lines and comments; 0 at the end of the file. */
static int word_find(struct reader *in)
{
	while (in->s < in->end) {
		if (*in->s == '\n') {
			in->line++;
			in->line_start = in->s + 1;
		} else if (*in->s == '#') {
			in->s += strcspn(in->s, "\n");
			continue;
		} else if (!strchr(" \t\r", *in->s) || !*in->s) {
			in->word = in->s;
			return 1;
		}
		in->s++;
	}
	in->word = in->s;
	return 0;
}

/* The next number, between 0 and max. Open MPI reads it with scanf's %li, so 010 is 8 and 0x10 is
 * 16 there: here too. */
static int number(struct reader *in, const char *what, long max, long *out)
{
	int64_t n;
	size_t taken;
	if (!word_find(in))
		return fail(in, "the file ends where %s is expected", what);
	taken = num_take_as_c(in->s, &n);
	if (taken == 0 || !strchr(" \t\r\n#", in->s[taken]))
		return fail(in, "%s is expected, a number, not \"%.*s\"", what,
		            (int)strcspn(in->s, " \t\r\n#") % 64, in->s);
	if (n < 0 || n > max)
		return fail(in, "%s is %.*s; it must be between 0 and %ld", what,
		            (int)strcspn(in->s, " \t\r\n#") % 64, in->s, max);
	*out = (long)n;
	in->s += taken;
	return 0;
}

/* Does the line go on with a digit? (Version 2: then there is one number more.) */
static int line_goes_on(const struct reader *in)
{
	const char *s = in->s + strspn(in->s, " \t");
	return *s >= '0' && *s <= '9';
}

/* before: the message size of the rule before; -1: this is the first. */
static int message_rule(struct reader *in, enum coll_kind k, struct rule *rule, long before,
                        long *from)
{
	long alg, k_way, segment, requests = 0;
	char what[64];
	if (number(in, "a message size", LONG_MAX, from) < 0)
		return -1;
	if (before < 0 && *from != 0)
		return fail(in, "the first message size must be 0, not %ld", *from);
	if (*from <= before)
		return fail(in, "message sizes must rise: %ld comes after %ld", *from, before);
	rule->line = in->line;
	if (number(in, "an algorithm", 1000, &alg) < 0)
		return -1;
	if (alg && k < COLL_KINDS && !(rule->alg = coll_ompi_alg(k, (uint32_t)alg))) {
		snprintf(what, sizeof what, "%s", coll_kind_name(k));
		return fail(in, "Open MPI has no algorithm %ld for %s", alg, what);
	}
	if (number(in, "a fan-out", INT32_MAX, &k_way) < 0 ||
	    number(in, "a segment size", LONG_MAX, &segment) < 0)
		return -1;
	if (in->version > 1 && line_goes_on(in) &&
	    number(in, "a number of requests", INT32_MAX, &requests) < 0)
		return -1;
	rule->fanout = (uint32_t)(requests ? requests : k_way);
	if (k == COLL_BCAST && alg == 7)
		rule->fanout = 4; /* knomial takes its radix from a parameter of its own */
	if ((k == COLL_BCAST || k == COLL_REDUCE) && alg == 2 && k_way == 0)
		rule->fanout = 1;
	rule->segment = segment                                                      ? segment
	                : k == COLL_BCAST || k == COLL_REDUCE || k == COLL_ALLREDUCE ? COLL_WHOLE
	                                                                             : 0;
	return 0;
}

/* What holds from a bound up to the next one; below the second the first does. */
struct step {
	int64_t from;
	uint32_t then, line;
};
struct steps {
	struct step *v;
	uint32_t n, cap;
};

static int step_add(struct steps *s, int64_t from, uint32_t then, uint32_t line, struct err *err)
{
	struct step *v = vec_grow(s->v, &s->cap, sizeof *v, (size_t)s->n + 1,
	                          "rules of a tuning file", err);
	if (!v)
		return -1;
	s->v = v;
	v[s->n++] = (struct step){from, then, line};
	return 0;
}

/* The steps [lo, hi) as a tree of tests, each of which halves them: a file may have thousands.
 * *first: its root. */
static int tree_make(struct reader *in, enum rule_test test, const struct step *v, uint32_t lo,
                     uint32_t hi, uint32_t *first)
{
	uint32_t mid = lo + (hi - lo) / 2, root, then, otherwise;
	if (hi - lo < 2) {
		*first = hi > lo ? v[lo].then : RULE_NONE;
		return 0;
	}
	root = rule_new(in->rules, test, v[mid].line, in->err);
	if (root == RULE_NONE || tree_make(in, test, v, lo, mid, &then) < 0 ||
	    tree_make(in, test, v, mid, hi, &otherwise) < 0)
		return -1;
	in->rules->v[root].value = v[mid].from;
	in->rules->v[root].then = then;
	in->rules->v[root].otherwise = otherwise;
	*first = root;
	return 0;
}

/* The rules of one communicator size. */
static int message_rules(struct reader *in, enum coll_kind k, uint32_t *first)
{
	struct steps steps = {0};
	long n, from, before = -1;
	int r = number(in, "a number of message sizes", INT32_MAX, &n);
	for (long i = 0; r == 0 && i < n; i++) {
		struct rule rule = {.test = RULE_USE, .then = RULE_NONE, .otherwise = RULE_NONE};
		uint32_t use;
		r = message_rule(in, k, &rule, before, &from);
		if (r < 0)
			break;
		before = from;
		use = rule_new(in->rules, RULE_USE, rule.line, in->err);
		if (use == RULE_NONE) {
			r = -1;
			break;
		}
		in->rules->v[use] = rule;
		r = step_add(&steps, from, use, rule.line, in->err);
	}
	if (r == 0)
		r = tree_make(in, RULE_OMPI_BYTES, steps.v, 0, steps.n, first);
	free(steps.v);
	return r;
}

static int size_rule(struct reader *in, enum coll_kind k, struct steps *steps)
{
	long ranks, before = steps->n ? (long)steps->v[steps->n - 1].from : -1;
	uint32_t then, line;
	if (number(in, "a communicator size", INT32_MAX, &ranks) < 0)
		return -1;
	if (ranks <= before)
		return fail(in, "communicator sizes must rise: %ld comes after %ld", ranks, before);
	line = in->line;
	if (message_rules(in, k, &then) < 0)
		return -1;
	return step_add(steps, ranks, then, line, in->err);
}

/* The rules of one collective. */
static int size_rules(struct reader *in, enum coll_kind k, uint32_t *first)
{
	struct steps steps = {0};
	long n;
	int r = number(in, "a number of communicator sizes", INT32_MAX, &n);
	for (long i = 0; r == 0 && i < n; i++)
		r = size_rule(in, k, &steps);
	if (r == 0)
		r = tree_make(in, RULE_RANKS, steps.v, 0, steps.n, first);
	free(steps.v);
	return r;
}

static int version_read(struct reader *in)
{
	static const char words[] = "rule-file-version-";
	int64_t version;
	size_t digits;
	in->version = 1;
	if (!word_find(in) || strncmp(in->s, words, sizeof words - 1) != 0)
		return 0;
	digits = num_take_digits(in->s + sizeof words - 1, &version);
	if (!digits || version < 1 || version > 2)
		return fail(in, "rules of version 1 and 2 can be read, not \"%.*s\"",
		            (int)strcspn(in->s, " \t\r\n#") % 64, in->s);
	in->version = (int)version;
	in->s += sizeof words - 1 + digits;
	return 0;
}

int coll_rules_parse_ompi(struct coll_rules *r, const char *text, size_t n, struct err *err)
{
	struct reader in = {.rules = r,
	                    .s = text,
	                    .end = text + n,
	                    .line_start = text,
	                    .word = text,
	                    .line = 1,
	                    .err = err};
	long collectives, id;
	uint32_t last = RULE_NONE, test, then;
	uint32_t seen = 0;
	r->otherwise = &coll_selector_ompi_4;
	if (version_read(&in) < 0)
		return -1;
	if (number(&in, "the number of collectives", OMPI_COLLECTIVES, &collectives) < 0)
		return -1;
	for (long i = 0; i < collectives; i++) {
		if (number(&in, "the number of a collective", OMPI_COLLECTIVES - 1, &id) < 0)
			return -1;
		if (seen >> id & 1)
			return fail(&in, "collective %ld has rules already", id);
		seen |= 1u << id;
		test = rule_new(r, RULE_COLLECTIVE, in.line, err);
		if (test == RULE_NONE || size_rules(&in, coll_ompi_kind((uint32_t)id), &then) < 0)
			return -1;
		r->v[test].value = coll_ompi_kind((uint32_t)id);
		r->v[test].then = then;
		if (last != RULE_NONE)
			r->v[last].otherwise = test;
		last = test;
	}
	if (word_find(&in))
		return fail(&in, "the file goes on after the rules of %ld collectives",
		            collectives);
	return 0;
}
