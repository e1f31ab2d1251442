/* demangle.c: the names that the Itanium C++ ABI (5.1, Mangling) gives to functions without
 * operators: names with their lengths, joined. Arguments of templates are passed over. Rust's (its
 * legacy form) are such names, too: a hash is their last one, and signs are written between $. What
 * else there is (operators, substitutions, lambdas) is left to be shown as it is: who reads that
 * needs all of the grammar. */
#include "demangle.h"

#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *s;
	size_t n, used;
	int fails; /* no room, or no name */
};

static void put(struct text *t, const char *s, size_t n)
{
	if (n >= t->n - t->used) {
		t->fails = 1;
		return;
	}
	memcpy(t->s + t->used, s, n);
	t->used += n;
	t->s[t->used] = '\0';
}

static void puts_to(struct text *t, const char *s)
{
	put(t, s, strlen(s));
}

struct word {
	const char *s;
	size_t n;
};

static int is(struct word w, const char *s)
{
	return w.n == strlen(s) && memcmp(w.s, s, w.n) == 0;
}

/* "3abc": abc, and what follows it; NULL: there is none. */
static const char *word_take(const char *s, struct word *w)
{
	int64_t n;
	size_t digits = num_take_digits(s, &n);

	if (digits == 0 || n <= 0 || strnlen(s + digits, (size_t)n) < (size_t)n)
		return NULL;
	*w = (struct word){s + digits, (size_t)n};
	return s + digits + n;
}

/* --- Rust --- */

/* "h" and 16 digits: what the compiler made of the types. */
static int is_hash(struct word w)
{
	return w.n == 17 && w.s[0] == 'h' && strspn(w.s + 1, "0123456789abcdef") >= 16;
}

/* Between two $: the sign, or its number. */
static void sign_put(struct text *t, struct word w)
{
	static const struct {
		const char *name, *sign;
	} all[] = {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
	           {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};
	uint64_t number;
	char one;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (is(w, all[i].name)) {
			puts_to(t, all[i].sign);
			return;
		}
	if (w.n < 2 || w.s[0] != 'u' || num_take_hex(w.s + 1, &number) != w.n - 1 || number < ' ' ||
	    number > '~') {
		t->fails = 1;
		return;
	}
	one = (char)number;
	put(t, &one, 1);
}

/* One name: "_$LT$a..S$u20$as$u20$a..T$GT$" is "<a::S as a::T>". */
static void rust_put(struct text *t, struct word w)
{
	const char *end = w.s + w.n, *p = w.s, *dollar;

	p += w.n > 1 && p[0] == '_' && p[1] == '$';
	while (p < end && !t->fails) {
		if (*p == '$') {
			dollar = memchr(p + 1, '$', (size_t)(end - p - 1));
			t->fails |= !dollar;
			if (dollar)
				sign_put(t, (struct word){p + 1, (size_t)(dollar - p - 1)});
			p = dollar ? dollar + 1 : end;
		} else if (p + 1 < end && p[0] == '.' && p[1] == '.') {
			puts_to(t, "::");
			p += 2;
		} else {
			put(t, p++, 1);
		}
	}
}

/* --- arguments of templates --- */

enum { DEPTH = 32 };

static const char *arguments_skip(const char *s, int depth);

/* "S_", "S1_", "T_", "T1_": what was before, or a parameter. */
static const char *number_skip(const char *s)
{
	s += strspn(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	return *s == '_' ? s + 1 : NULL;
}

static const char *then_arguments(const char *s, int depth)
{
	return s && *s == 'I' ? arguments_skip(s, depth) : s;
}

/* std::…, or what was before. */
static const char *substitution_skip(const char *s)
{
	struct word w;

	if (s[1] == 't')
		return word_take(s + 2, &w);
	return s[1] && strchr("absiod", s[1]) ? s + 2 : number_skip(s + 1);
}

/* N…E */
static const char *nested_skip(const char *s, int depth)
{
	struct word w;

	s++;
	s += strspn(s, "rVK");
	while (s && *s != 'E') {
		if (*s == 'S')
			s = substitution_skip(s);
		else if (*s == 'T')
			s = number_skip(s + 1);
		else if (*s == 'I')
			s = arguments_skip(s, depth);
		else
			s = word_take(s, &w);
	}
	return s ? s + 1 : NULL;
}

static const char *type_skip(const char *s, int depth)
{
	struct word w;

	s += strspn(s, "rVKPRO"); /* const, pointers, references */
	if (depth == 0)
		return NULL;
	if (*s >= '0' && *s <= '9')
		return then_arguments(word_take(s, &w), depth);
	if (*s == 'S')
		return then_arguments(substitution_skip(s), depth);
	if (*s == 'T')
		return then_arguments(number_skip(s + 1), depth);
	if (*s == 'N')
		return nested_skip(s, depth);
	if (*s == 'D' && s[1] && strchr("nai", s[1]))
		return s + 2;
	if (*s == 'F' || *s == 'A' || *s == 'M' || *s == 'D' || *s == 'u')
		return NULL; /* functions, arrays, members, expressions */
	return *s >= 'a' && *s <= 'z' ? s + 1 : NULL;
}

/* A type, values in J…E, or a number: Li3E. */
static const char *argument_skip(const char *s, int depth)
{
	if (*s == 'L') {
		s = type_skip(s + 1, depth);
		if (s)
			s += strspn(s, "n0123456789");
		return s && *s == 'E' ? s + 1 : NULL;
	}
	return *s == 'J' ? arguments_skip(s, depth) : type_skip(s, depth);
}

/* I…E, or J…E. */
static const char *arguments_skip(const char *s, int depth)
{
	s = depth > 0 ? s + 1 : NULL;
	while (s && *s != 'E')
		s = argument_skip(s, depth - 1);
	return s ? s + 1 : NULL;
}

/* --- both --- */

/* The names up to E, in order; how many, 0: they are not names alone. In a destructor's place it is
 * the class's, and *destructor. */
static int nested_take(const char *s, struct word part[static DEPTH], int *destructor)
{
	int n = 0;

	s += strspn(s, "rVK"); /* of the object: const and the like */
	s += *s == 'R' || *s == 'O';
	if (strncmp(s, "St", 2) == 0) {
		part[n++] = (struct word){"std", 3};
		s += 2;
	}
	for (; s && *s != 'E'; n++) {
		if (n == DEPTH || *destructor)
			return 0;
		if (n > 0 && (*s == 'C' || *s == 'D') && s[1] >= '0' && s[1] <= '5') {
			*destructor = *s == 'D';
			part[n] = part[n - 1];
			s += 2;
		} else if (n > 0 && *s == 'I') {
			s = arguments_skip(s, DEPTH);
			n--;
		} else {
			s = word_take(s + (*s == 'L'), &part[n]);
		}
	}
	return s ? n : 0;
}

/* A function of no class: in a file alone, or of std. */
static int plain_take(const char *s, struct word part[static DEPTH])
{
	int n = 0;

	if (strncmp(s, "St", 2) == 0) {
		part[n++] = (struct word){"std", 3};
		s += 2;
	}
	s = then_arguments(word_take(s + (*s == 'L'), &part[n]), DEPTH);
	return s ? n + 1 : 0;
}

int demangle(const char *name, char *buf, size_t n)
{
	struct text t = {.s = buf, .n = n};
	struct word part[DEPTH];
	int destructor = 0, parts, rust;

	if (n == 0)
		return 0;
	*buf = '\0';
	if (strncmp(name, "_Z", 2) != 0)
		return 0;
	parts = name[2] == 'N' ? nested_take(name + 3, part, &destructor)
	                       : plain_take(name + 2, part);
	rust = parts > 1 && is_hash(part[parts - 1]);
	for (int i = 0; i < parts - rust; i++) {
		puts_to(&t, i ? "::" : "");
		puts_to(&t, destructor && i == parts - 1 ? "~" : "");
		if (rust)
			rust_put(&t, part[i]);
		else if (is(part[i], "_GLOBAL__N_1"))
			puts_to(&t, "(anonymous namespace)");
		else
			put(&t, part[i].s, part[i].n);
	}
	if (parts == 0 || t.fails)
		*buf = '\0';
	return *buf != '\0';
}

const char *demangle_site(const char *name, char *buf, size_t n)
{
	return demangle(name, buf, n) && !buf[strcspn(buf, " <>")] ? buf : name;
}
