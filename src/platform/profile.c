/* profile.c: availability profiles: how a figure of the machine changes with time. Data only: rows
 * of (date, value), read from text and enumerated one by one; who asks moves the clock.
 *
 * The text (SimGrid's trace files): one change a line, `date value`, dates in seconds and not
 * falling; '#' and '%' begin comments.
 *   PERIODICITY p   all of it again every p seconds        LOOPAFTER d   again d seconds after the
 *                   last change
 *   STOCHASTIC, STOCHASTIC LOOP   lines are `law of the delay since the change before, law of the
 *                                 value`; laws: DET v, UNIFORM a b, EXPONENTIAL rate, NORMAL mean
 *                                 deviation (draws below 0 count as 0)
 * Draws come from a stream named after the element, so that a run repeats and elements that share a
 * profile differ. */
#include "platform/platform_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 8 };

#define ROUND_MIN 1e-9 /* s: below, time would hardly go on */

struct field {
	const char *s;
	size_t n;
};

/* A text being read. */
struct profile_text {
	struct profile *p;
	const char *file;
	uint32_t line, column; /* of the first character of the line being read */
	const char *start;     /* of that line */
	double last;           /* date of the row before */
	double period, pause;  /* PERIODICITY, LOOPAFTER; 0 or less: not given */
	int has_pause;
	struct err *err;
};

static int refuse(const struct profile_text *t, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static int refuse(const struct profile_text *t, const char *at, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(t->err, t->file, t->line, t->column + (long)(at - t->start), "%s", text);
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The words of a line; at most FIELDS_MAX of them are kept, all are counted. */
static size_t fields_split(const char *s, const char *end, struct field *out)
{
	size_t n = 0;
	while (s < end) {
		if (is_blank(*s)) {
			s++;
			continue;
		}
		const char *from = s;
		while (s < end && !is_blank(*s))
			s++;
		if (n < FIELDS_MAX)
			out[n] = (struct field){from, (size_t)(s - from)};
		n++;
	}
	return n;
}

static int field_is(const struct field *f, const char *word)
{
	return f->n == strlen(word) && memcmp(f->s, word, f->n) == 0;
}

static int any_number_read(const struct profile_text *t, const struct field *f, const char *what,
                           double *out)
{
	if (num_parse_double(f->s, f->n, out) < 0)
		return refuse(t, f->s,
		              "%s is '%.*s', expected a plain number (seconds, bytes/s, or a part "
		              "of the speed)",
		              what, (int)(f->n > 60 ? 60 : f->n), f->s);
	return 0;
}

static int number_read(const struct profile_text *t, const struct field *f, const char *what,
                       double *out)
{
	if (any_number_read(t, f, what, out) < 0)
		return -1;
	return *out >= 0 ? 0 : refuse(t, f->s, "%s is %g: it cannot be negative", what, *out);
}

/* A value below 0 means "off", as 0 does, where the profile is that of a state (old files have -1);
 * profile_attach refuses it elsewhere. */
static int value_read(struct profile_text *t, const struct field *f, double *out)
{
	if (any_number_read(t, f, "the value", out) < 0)
		return -1;
	if (*out < 0 && !t->p->negative.line)
		t->p->negative = (struct place){t->line, t->column + (uint32_t)(f->s - t->start)};
	return 0;
}

static int row_add(struct profile_text *t, struct draw date, struct draw value)
{
	struct profile *p = t->p;
	struct profile_row *grown = vec_grow(p->rows, &p->rows_cap, sizeof *grown,
	                                     (size_t)p->rows_n + 1, "changes of a profile", t->err);
	if (!grown)
		return -1;
	p->rows = grown;
	p->rows[p->rows_n++] = (struct profile_row){date, value};
	return 0;
}

/* --- laws --- */

static const struct law_word {
	const char *word;
	enum law law;
	int params;
} law_words[] = {
    {"DET", LAW_FIXED, 1},    {"NORM", LAW_NORMAL, 2},     {"NORMAL", LAW_NORMAL, 2},
    {"GAUSS", LAW_NORMAL, 2}, {"GAUSSIAN", LAW_NORMAL, 2}, {"EXP", LAW_EXPONENTIAL, 1},
    {"UNIF", LAW_UNIFORM, 2}, {"UNIFORM", LAW_UNIFORM, 2}, {"EXPONENTIAL", LAW_EXPONENTIAL, 1},
};

/* Reads a law from f[*i] on. */
static int law_read(const struct profile_text *t, const struct field *f, size_t n, size_t *i,
                    struct draw *out)
{
	const struct law_word *w = NULL;
	if (*i >= n)
		return refuse(t, f[n - 1].s, "expected a law for the delay and one for the value");
	for (size_t k = 0; k < sizeof law_words / sizeof *law_words; k++)
		if (field_is(&f[*i], law_words[k].word))
			w = &law_words[k];
	if (!w)
		return refuse(t, f[*i].s,
		              "unknown law '%.*s'; laws: DET v, UNIFORM a b, EXPONENTIAL rate, "
		              "NORMAL mean deviation",
		              (int)(f[*i].n > 60 ? 60 : f[*i].n), f[*i].s);
	if (*i + (size_t)w->params >= n)
		return refuse(t, f[*i].s, "law %s wants %d number%s", w->word, w->params,
		              w->params == 1 ? "" : "s");
	*out = (struct draw){.law = w->law};
	if (number_read(t, &f[*i + 1], "the first parameter", &out->a) < 0 ||
	    (w->params == 2 && number_read(t, &f[*i + 2], "the second parameter", &out->b) < 0))
		return -1;
	if (w->law == LAW_EXPONENTIAL && !(out->a > 0))
		return refuse(t, f[*i + 1].s, "the rate of an exponential law must be positive");
	if (w->law == LAW_UNIFORM && out->b < out->a)
		return refuse(t, f[*i + 2].s,
		              "the upper end of a uniform law is below its lower end");
	*i += 1 + (size_t)w->params;
	return 0;
}

static double draw(const struct draw *d, struct rng *r)
{
	double v = d->a;
	if (d->law == LAW_UNIFORM)
		v = d->a + (d->b - d->a) * rng_unit(r);
	else if (d->law == LAW_EXPONENTIAL)
		v = -log1p(-rng_unit(r)) / d->a;
	else if (d->law == LAW_NORMAL)
		v = d->a + d->b * rng_normal(r);
	return v > 0 ? v : 0;
}

/* --- reading --- */

static int read_laws(struct profile_text *t, const struct field *f, size_t n)
{
	struct draw delay, value;
	size_t i = 0;
	if (law_read(t, f, n, &i, &delay) < 0 || law_read(t, f, n, &i, &value) < 0)
		return -1;
	if (i < n)
		return refuse(t, f[i].s, "unexpected '%.*s' after the law of the value",
		              (int)(f[i].n > 60 ? 60 : f[i].n), f[i].s);
	return row_add(t, delay, value);
}

static int read_change(struct profile_text *t, const struct field *f, size_t n)
{
	struct draw date = {LAW_FIXED, 0, 0}, value = {LAW_FIXED, 0, 0};
	if (n != 2)
		return refuse(t, f[0].s, "expected a date and a value, found %zu word%s", n,
		              n == 1 ? "" : "s");
	if (number_read(t, &f[0], "the date", &date.a) < 0 || value_read(t, &f[1], &value.a) < 0)
		return -1;
	if (date.a < t->last)
		return refuse(t, f[0].s, "date %g comes after date %g: dates cannot fall", date.a,
		              t->last);
	t->last = date.a;
	return row_add(t, date, value);
}

/* 1: it was one. */
static int read_directive(struct profile_text *t, const struct field *f, size_t n)
{
	if (field_is(&f[0], "PERIODICITY") || field_is(&f[0], "LOOPAFTER")) {
		int period = f[0].s[0] == 'P';
		if (n != 2)
			return refuse(t, f[0].s, "expected a number of seconds after %.*s",
			              (int)f[0].n, f[0].s);
		if (number_read(t, &f[1], period ? "the period" : "the pause",
		                period ? &t->period : &t->pause) < 0)
			return -1;
		t->has_pause = !period;
		if (!period)
			t->period = 0;
		return 1;
	}
	if (!field_is(&f[0], "STOCHASTIC"))
		return 0;
	if (t->p->rows_n)
		return refuse(t, f[0].s, "STOCHASTIC must come before the first change");
	if (n > 2 || (n == 2 && !field_is(&f[1], "LOOP")))
		return refuse(t, f[1].s, "only LOOP can follow STOCHASTIC");
	t->p->stochastic = 1;
	t->p->loops = n == 2;
	return 1;
}

static int read_line(struct profile_text *t, const char *end)
{
	struct field f[FIELDS_MAX];
	size_t n = fields_split(t->start, end, f);
	if (!n || f[0].s[0] == '#' || f[0].s[0] == '%')
		return 0;
	size_t kept = n < FIELDS_MAX ? n : FIELDS_MAX;
	int directive = read_directive(t, f, kept);
	if (directive)
		return directive < 0 ? -1 : 0;
	if (t->p->stochastic)
		return read_laws(t, f, kept);
	return read_change(t, f, n);
}

/* Can the time between two rounds be other than 0? */
static int round_takes_time(const struct profile *p)
{
	for (uint32_t i = 0; i < p->rows_n; i++) {
		const struct draw *d = &p->rows[i].delay;
		if (d->law == LAW_EXPONENTIAL || d->a > 0 || d->b > 0)
			return 1;
	}
	return 0;
}

static int finish(struct profile_text *t)
{
	struct profile *p = t->p;
	if (p->stochastic)
		return p->loops && p->rows_n && !round_takes_time(p)
		           ? err_at(t->err, t->file, t->line, 0,
		                    "a loop whose delays are all 0 has no end")
		           : 0;
	if (!p->rows_n || (!(t->period > 0) && !t->has_pause))
		return 0;
	if (t->period > 0 && t->period < t->last)
		return err_at(
		    t->err, t->file, t->line, 0,
		    "the period of %g s is shorter than the date of the last change, %g s (what "
		    "PERIODICITY meant before SimGrid 3.31 is written LOOPAFTER now)",
		    t->period, t->last);
	p->loops = 1;
	p->period = t->period > 0 ? t->period : t->last + t->pause;
	return p->period >= ROUND_MIN
	           ? 0
	           : err_at(t->err, t->file, t->line, 0, "a round of %g s is too short to simulate",
	                    p->period);
}

int profile_parse(struct profile *p, const char *text, const char *file, struct place at,
                  double period, struct err *err)
{
	struct profile_text t = {.p = p,
	                         .file = file,
	                         .line = at.line,
	                         .column = at.column,
	                         .period = period,
	                         .err = err};
	const char *s = text;
	for (;; t.line++, t.column = 1) {
		const char *end = s + strcspn(s, "\n");
		t.start = s;
		if (read_line(&t, end) < 0)
			return -1;
		if (!*end)
			break;
		s = end + 1;
	}
	return finish(&t);
}

void profile_release(struct profile *p)
{
	free(p->rows);
	p->rows = NULL;
}

/* --- enumerating --- */

uint32_t platform_profiles(const struct platform *p, const struct profile_use **out)
{
	*out = p->profile_uses;
	return p->profile_uses_n;
}

const char *profile_kind_word(enum profile_kind kind)
{
	static const char *const words[PROFILE_KINDS] = {"speed", "state", "bandwidth", "latency",
	                                                 "state"};
	return words[kind];
}

const char *profile_name(const struct profile *p)
{
	return p->name;
}

void profile_start(const struct profile *p, const char *stream, uint64_t index,
                   struct profile_cursor *c)
{
	*c = (struct profile_cursor){.profile = p};
	if (p->stochastic)
		rng_init(&c->rng, 0, stream, index);
}

int profile_next(struct profile_cursor *c, double *date, double *value)
{
	const struct profile *p = c->profile;
	if (c->row == p->rows_n) {
		if (!p->loops || !p->rows_n)
			return 0;
		c->row = 0;
		c->round++;
	}
	const struct profile_row *row = &p->rows[c->row++];
	if (p->stochastic)
		c->date += draw(&row->delay, &c->rng);
	else /* a round may begin when the one before ends, and rounding must not turn that round */
		c->date = fmax(c->date, (double)c->round * p->period + row->delay.a);
	*date = c->date;
	*value = p->stochastic ? draw(&row->value, &c->rng) : row->value.a;
	return 1;
}
