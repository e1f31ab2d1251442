/* processors.c: how fast a core of one processor is beside one of another, by published benchmark
 * figures: the table data/processors.txt.
 *
 * Two ratios are known of a pair: that of a core alone (its frequency rises, caches and memory are
 * its own) and that of all cores at once, for each. A program of MPI on full nodes lies between, or
 * near: the ratio is their geometric mean. Its relative deviation is that of published runs of
 * programs around it, a tenth, and a quarter of the distance of the two logarithms
 * (tests/unit/platform/test_processors.c has the runs).
 *
 * A name may tell no model: virtual machines hide it ("AMD EPYC"), and the table has not all. Then
 * the generation (microarchitecture) that CPUID tells stands for it: the geometric mean of its
 * models in the table, whose spread is added to the deviation. */
#include "platform/platform_int.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 128, SOURCE = 512, NAMES_DEEP = 4 };

static const double SAME = 0.03; /* two computers with one model of processor */
static const double PROGRAMS = 0.1, DISTANCE = 0.25;
static const double GENERATION = 0.2; /* models of one generation beside each other */
/* Where only the rating of a core alone is told: the logarithm of what it does beside all others,
 * as the others of the table do in the mean. How far the mean of both is off then: half of that
 * one's deviation, 0.21, and what another benchmark says, 0.08. */
static const double BESIDE_OTHERS = -0.32, ONE_RATING = 0.13;

struct figures {
	double cores, alone, all; /* all: 0 if only alone is told */
	char source[SOURCE];
};

/* --- names --- */

/* Words that makers and kernels put around a model's name. */
static int is_filler(const char *w, size_t n)
{
	static const char *const words[] = {"cpu",       "processor", "(r)",     "(tm)",
	                                    "dual-core", "quad-core", "six-core"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == n && strncmp(w, words[i], n) == 0)
			return 1;
	/* "13th Gen Intel", "64-Core Processor", "24-Cores" */
	if (!isdigit((unsigned char)w[0]))
		return n == 3 && strncmp(w, "gen", n) == 0;
	return (n > 5 && strncmp(w + n - 5, "-core", 5) == 0) ||
	       (n > 6 && strncmp(w + n - 6, "-cores", 6) == 0) ||
	       (n == 4 && strncmp(w + 2, "th", 2) == 0);
}

/* Where " (vendor family/model/stepping)" begins behind a model's name, or its end. */
static size_t identification_at(const char *model)
{
	const char *open = strrchr(model, '('), *at = open ? strchr(open, ' ') : NULL;

	for (int i = 0; at && i < 3; i++) {
		size_t digits = strspn(at + 1, "0123456789");

		at = digits > 0 && at[1 + digits] == "//)"[i] ? at + 1 + digits : NULL;
	}
	return at && at[1] == '\0' ? (size_t)(open - model) : strlen(model);
}

/* "genuineintel 6/85/7", or "". */
static void identification_key(const char *model, char *out, size_t n)
{
	const char *id = model + identification_at(model);
	size_t k = 0;

	for (id += *id == '('; *id && *id != ')' && k + 1 < n; id++)
		out[k++] = letter_lower(*id);
	out[k] = '\0';
}

/* Small letters; "(r)" and "(tm)" become blanks; what follows '@', "with" or "w/" is left
 * out. */
static void letters_lower(const char *model, char *out, size_t n)
{
	const char *end = model + identification_at(model);
	size_t k = 0;

	for (const char *s = model; s < end && *s != '@' && k + 1 < n; s++) {
		char c = letter_lower(*s);
		size_t mark = 0;

		if (c == '(')
			mark = text_same_n(s, "(r)", 3) ? 3 : text_same_n(s, "(tm)", 4) ? 4 : 0;
		else if (c == ' ' && (text_same_n(s, " with ", 6) || text_same_n(s, " w/ ", 4)))
			break;
		out[k++] = mark || c == '\t' ? ' ' : c;
		s += mark ? mark - 1 : 0;
	}
	out[k] = '\0';
}

void processor_key(const char *model, char *out, size_t n)
{
	char text[KEY];
	const char *w = text;
	size_t k = 0;

	letters_lower(model, text, sizeof text);
	for (size_t length; *(w += strspn(w, " ")); w += length) {
		length = strcspn(w, " ");
		if (is_filler(w, length) || k + length + 2 > n)
			continue;
		if (k)
			out[k++] = ' ';
		memcpy(out + k, w, length);
		k += length;
	}
	out[k] = '\0';
}

/* --- the table --- */

/* The models of one generation: sums of the logarithms of both ratings, of a core, and of their
 * mean and its square. */
struct generation {
	char name[KEY], source[SOURCE];
	int n;
	double alone, all, mean, square;
	double doubt; /* of their own means: deviations, squared */
};

struct lookup {
	char wanted[KEY], cpuid[KEY]; /* the name's key; "genuineintel 6/85/7" or "" */
	struct figures found;
	int known;
	struct generation of;
	int here; /* the lines that are being read are its generation's */
	/* The nearest name that there is, and how far it is; 0: nobody asks. */
	char near[KEY];
	unsigned distance;
};

static int line_bad(const struct input *in, const char *what, struct err *err)
{
	return err_at(err, input_name(in), input_lineno(in), 1, "%s", what);
}

/* "NAME cores alone all": the three last words are numbers; or "NAME - alone -". */
static int figures_read(char *line, struct figures *f)
{
	double *const fields[] = {&f->all, &f->alone, &f->cores};

	for (int i = 0; i < 3; i++) {
		char *word = strrchr(line, ' ');

		if (!word)
			return -1;
		if (fields[i] != &f->alone && strcmp(word + 1, "-") == 0)
			*fields[i] = 0;
		else if (num_parse_double(word + 1, strlen(word + 1), fields[i]) < 0 ||
		         !(*fields[i] > 0))
			return -1;
		while (word > line && word[-1] == ' ')
			word--;
		*word = '\0';
	}
	return (f->cores > 0) == (f->all > 0) ? 0 : -1;
}

/* "genuineintel 6/85" is what begins "genuineintel 6/85/7". */
static int cpuid_begins(const char *cpuid, const char *part)
{
	size_t n = strlen(part);

	return n > 0 && strncmp(cpuid, part, n) == 0 && (cpuid[n] == '/' || cpuid[n] == '\0');
}

/* Whether it is one of "AuthenticAMD 23/96, AuthenticAMD 23/104". */
static int is_of(const char *cpuid, const char *parts)
{
	for (const char *at = parts; *at; at += *at == ',') {
		char part[KEY], key[KEY];
		int length = (int)strcspn(at, ",");

		snprintf(part, sizeof part, "%.*s", length, at);
		at += length;
		processor_key(part, key, sizeof key);
		if (cpuid_begins(cpuid, key))
			return 1;
	}
	return 0;
}

/* "generation: NAME: VENDOR FAMILY/MODEL, …": the models that follow are of it. */
static int generation_take(const struct input *in, char *line, struct lookup *l, int n,
                           struct err *err)
{
	char *parts = strchr(line, ':');

	if (!parts)
		return line_bad(in, "expected generation: NAME: VENDOR FAMILY/MODEL, …", err);
	*parts++ = '\0';
	for (int i = 0; i < n; i++) {
		l[i].here = l[i].of.n == 0 && is_of(l[i].cpuid, parts);
		if (l[i].here)
			snprintf(l[i].of.name, KEY, "%s", line + strspn(line, " "));
	}
	return 0;
}

/* Logarithms of what a core does alone, and beside all others; the deviation of their mean. */
struct standing {
	double alone, all, deviation;
	const char *source;
};

static struct standing standing_of_model(const struct figures *f)
{
	struct standing s = {.alone = log(f->alone), .source = f->source};

	s.all = f->all > 0 ? log(f->all / f->cores) : s.alone + BESIDE_OTHERS;
	s.deviation = f->all > 0 ? 0 : ONE_RATING;
	return s;
}

static void generation_add(struct generation *g, const struct figures *f, const char *source)
{
	struct standing s = standing_of_model(f);
	double mean = (s.alone + s.all) / 2;

	if (g->n++ == 0)
		snprintf(g->source, SOURCE, "%s", source);
	g->alone += s.alone;
	g->all += s.all;
	g->mean += mean;
	g->square += mean * mean;
	g->doubt += s.deviation * s.deviation;
}

/* With its maker, or without. */
static void near_take(struct lookup *l, const char *name, const char *key)
{
	const char *bare = strchr(key, ' ');
	unsigned whole, part;

	if (l->distance == 0)
		return;
	whole = name_distance(l->wanted, key);
	part = bare ? name_distance(l->wanted, bare + 1) : whole;
	if (whole >= l->distance && part >= l->distance)
		return;
	l->distance = whole < part ? whole : part;
	snprintf(l->near, sizeof l->near, "%s", name);
}

/* "NAME cores alone all", or "NAME = NAME of a processor", for all that are looked for. */
static int model_take(const struct input *in, char *line, const char *source, struct lookup *l,
                      int n, struct err *err)
{
	struct figures f = {0};
	char key[KEY], *other = strstr(line, " = ");

	if (!*source)
		return line_bad(in, "a processor without a source: 'source: …' comes before it",
		                err);
	if (other)
		*other = '\0';
	else if (figures_read(line, &f) < 0)
		return line_bad(
		    in, "expected NAME cores rating rating, or NAME = NAME of a processor", err);
	processor_key(line, key, sizeof key);
	for (int i = 0; i < n; i++) {
		near_take(l + i, line, key);
		if (l[i].here && !other)
			generation_add(&l[i].of, &f, source);
		if (l[i].known || strcmp(l[i].wanted, key) != 0)
			continue;
		l[i].known = !other;
		if (other)
			processor_key(other + 3, l[i].wanted, KEY);
		snprintf(f.source, SOURCE, "%s%s%s",
		         *l[i].found.source ? l[i].found.source : source,
		         *l[i].found.source ? "; " : "", *l[i].found.source ? source : "");
		l[i].found = f;
	}
	return 0;
}

static int line_take(const struct input *in, char *line, char *source, struct lookup *l, int n,
                     struct err *err)
{
	static const char generation[] = "generation:";

	if (strncmp(line, "source:", 7) == 0) {
		snprintf(source, SOURCE, "%s", line + 7 + strspn(line + 7, " "));
		return 0;
	}
	if (strncmp(line, generation, sizeof generation - 1) == 0)
		return generation_take(in, line + sizeof generation - 1, l, n, err);
	return model_take(in, line, source, l, n, err);
}

/* Names for others come after those: so the table is read again while one led on. */
static int table_read(struct lookup *l, int n, struct err *err)
{
	char path[4096], source[SOURCE] = "", *line;
	struct input *in;
	size_t length;
	int more;

	for (int i = 0; i < n; i++) {
		l[i].here = 0;
		l[i].of = (struct generation){0};
	}
	if (data_find("processors.txt", path, sizeof path, err) < 0)
		return -1;
	in = input_open(path, 0, err);
	if (!in)
		return -1;
	while ((more = input_line(in, &line, &length, err)) > 0) {
		while (length > 0 && line[length - 1] == ' ')
			line[--length] = '\0';
		if (*line && *line != '#' && line_take(in, line, source, l, n, err) < 0) {
			more = -1;
			break;
		}
	}
	input_close(in);
	return more;
}

static int all_read(struct lookup *l, int n, struct err *err)
{
	for (int turn = 0; turn < NAMES_DEEP; turn++) {
		int missing = 0;

		if (table_read(l, n, err) < 0)
			return -1;
		for (int i = 0; i < n; i++)
			missing += !l[i].known && *l[i].found.source;
		if (!missing)
			break;
	}
	return 0;
}

/* --- the ratio --- */

static void lookup_begin(struct lookup *l, const char *model)
{
	processor_key(model, l->wanted, KEY);
	identification_key(model, l->cpuid, KEY);
}

/* 0 if the table has neither the model nor its generation. */
static int standing_of(const struct lookup *l, struct standing *s)
{
	const struct generation *g = &l->of;

	if (l->known) {
		*s = standing_of_model(&l->found);
		return 1;
	}
	if (g->n == 0)
		return 0;
	double mean = g->mean / g->n, spread = g->n > 1 ? g->square / g->n - mean * mean : 0;
	*s = (struct standing){.alone = g->alone / g->n, .all = g->all / g->n, .source = g->source};
	s->deviation = sqrt(fmax(spread, 0) + (GENERATION * GENERATION + g->doubt) / g->n);
	return 1;
}

/* One name, and nothing says that it stands for two models. */
static int is_same(const struct lookup *a, const struct lookup *b)
{
	return strcmp(a->wanted, b->wanted) == 0 &&
	       (!*a->cpuid || !*b->cpuid || strcmp(a->cpuid, b->cpuid) == 0);
}

int processor_ratio(const char *from, const char *to, struct processor_ratio *out, struct err *err)
{
	struct lookup l[2] = {0};
	struct standing a, b;

	lookup_begin(&l[0], from);
	lookup_begin(&l[1], to);
	*out = (struct processor_ratio){.ratio = 1, .deviation = SAME};
	if (!*l[0].wanted || !*l[1].wanted)
		return 0;
	if (is_same(&l[0], &l[1])) {
		snprintf(out->source, sizeof out->source, "the same model");
		return 1;
	}
	if (all_read(l, 2, err) < 0)
		return -1;
	if (!standing_of(&l[0], &a) || !standing_of(&l[1], &b))
		return 0;
	double alone = b.alone - a.alone, all = b.all - a.all;
	out->ratio = exp((alone + all) / 2);
	out->deviation = hypot(hypot(PROGRAMS, DISTANCE * (alone - all)),
	                       hypot(a.deviation, b.deviation));
	snprintf(out->source, sizeof out->source, "%s", b.source);
	for (int i = 0; i < 2; i++)
		if (!l[i].known)
			snprintf(out->generation[i], sizeof out->generation[i], "%s", l[i].of.name);
	return 1;
}

int processor_find(const char *model, char *near, size_t n, struct err *err)
{
	struct lookup l = {0};
	struct standing s;

	lookup_begin(&l, model);
	l.distance = (unsigned)(strlen(l.wanted) / 3 + 1);
	if (all_read(&l, 1, err) < 0)
		return -1;
	snprintf(near, n, "%s", l.near);
	return standing_of(&l, &s);
}
