/* processors.c: how fast a core of one processor is beside one of another, by published benchmark
 * figures: the table data/processors.txt.
 *
 * Two ratios are known of a pair: that of a core alone (its frequency rises, caches and memory are
 * its own) and that of all cores at once, for each. A program of MPI on full nodes lies between, or
 * near: the ratio is their geometric mean. Its relative deviation is that of published runs of
 * programs around it, a tenth, and a quarter of the distance of the two logarithms
 * (tests/unit/platform/test_processors.c has the runs). */
#include "platform/platform_int.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KEY = 128, SOURCE = 512, NAMES_DEEP = 4 };

static const double SAME = 0.03; /* two computers with one model of processor */
static const double PROGRAMS = 0.1, DISTANCE = 0.25;

struct figures {
	double cores, alone, all;
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
	return n > 5 && isdigit((unsigned char)w[0]) && strncmp(w + n - 5, "-core", 5) == 0;
}

/* Small letters; "(r)" and "(tm)" become blanks; what follows '@' or "with" is left out. */
static void letters_lower(const char *model, char *out, size_t n)
{
	size_t k = 0;

	for (const char *s = model; *s && *s != '@' && k + 1 < n; s++) {
		char c = (char)tolower((unsigned char)*s);
		size_t mark = !strncasecmp(s, "(r)", 3) ? 3 : !strncasecmp(s, "(tm)", 4) ? 4 : 0;

		if (!strncasecmp(s, " with ", 6))
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

struct lookup {
	char wanted[KEY];
	struct figures found;
	int known;
};

static int line_bad(const struct input *in, const char *what, struct err *err)
{
	return err_at(err, input_name(in), input_lineno(in), 1, "%s", what);
}

/* "NAME cores alone all": the three last words are numbers. */
static int figures_read(char *line, struct figures *f)
{
	double *const fields[] = {&f->all, &f->alone, &f->cores};

	for (int i = 0; i < 3; i++) {
		char *word = strrchr(line, ' ');

		if (!word || num_parse_double(word + 1, strlen(word + 1), fields[i]) < 0 ||
		    !(*fields[i] > 0))
			return -1;
		while (word > line && word[-1] == ' ')
			word--;
		*word = '\0';
	}
	return 0;
}

/* One line, for all that are looked for: their figures, or another name for them. */
static int line_take(const struct input *in, char *line, char *source, struct lookup *l, int n,
                     struct err *err)
{
	struct figures f = {0};
	char key[KEY], *other;

	if (strncmp(line, "source:", 7) == 0) {
		snprintf(source, SOURCE, "%s", line + 7 + strspn(line + 7, " "));
		return 0;
	}
	if (!*source)
		return line_bad(in, "a processor without a source: 'source: …' comes before it",
		                err);
	other = strstr(line, " = ");
	if (other)
		*other = '\0';
	else if (figures_read(line, &f) < 0)
		return line_bad(
		    in, "expected NAME cores rating rating, or NAME = NAME of a processor", err);
	processor_key(line, key, sizeof key);
	for (int i = 0; i < n; i++) {
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

/* Names for others come after those: so the table is read again while one led on. */
static int table_read(struct lookup *l, int n, struct err *err)
{
	char path[4096], source[SOURCE] = "", *line;
	struct input *in;
	size_t length;
	int more;

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

int processor_ratio(const char *from, const char *to, struct processor_ratio *out, struct err *err)
{
	struct lookup l[2] = {0};
	double alone, all;

	processor_key(from, l[0].wanted, KEY);
	processor_key(to, l[1].wanted, KEY);
	*out = (struct processor_ratio){.ratio = 1, .deviation = SAME};
	if (!*l[0].wanted || !*l[1].wanted)
		return 0;
	if (strcmp(l[0].wanted, l[1].wanted) == 0) {
		snprintf(out->source, sizeof out->source, "the same model");
		return 1;
	}
	if (all_read(l, 2, err) < 0)
		return -1;
	if (!l[0].known || !l[1].known)
		return 0;
	alone = log(l[1].found.alone / l[0].found.alone);
	all = log(l[1].found.all / l[1].found.cores / (l[0].found.all / l[0].found.cores));
	out->ratio = exp((alone + all) / 2);
	out->deviation = hypot(PROGRAMS, DISTANCE * (alone - all));
	snprintf(out->source, sizeof out->source, "%s", l[1].found.source);
	return 1;
}

int processor_is_known(const char *model, struct err *err)
{
	struct lookup l = {0};

	processor_key(model, l.wanted, KEY);
	return all_read(&l, 1, err) < 0 ? -1 : l.known;
}
