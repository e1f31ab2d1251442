/* psins_words.c: the words of a line of a machine description of PSINS, and what is wrong with
 * them. */
#include "psins_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int psins_wrong(const struct psins_reader *r, uint32_t word, struct err *err, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(err, input_name(r->in), input_lineno(r->in),
	              word < r->n ? r->words[word].column : 0, "%s", text);
}

int psins_word_is(const struct psins_reader *r, uint32_t i, const char *text)
{
	return r->words[i].n == strlen(text) && text_same_n(r->words[i].s, text, r->words[i].n);
}

int psins_words_split(struct psins_reader *r, char *line, struct err *err)
{
	static const char blanks[] = " \t\r";
	struct word *words;
	char *at = line;

	r->n = 0;
	line[strcspn(line, "#")] = '\0';
	for (;;) {
		at += strspn(at, blanks);
		if (!*at)
			return 0;
		if (r->n == PSINS_WORDS_MAX)
			return err_at(err, input_name(r->in), input_lineno(r->in), 0,
			              "more than %d words in a line", PSINS_WORDS_MAX);
		words = vec_grow(r->words, &r->words_cap, sizeof *words, r->n + 1, "words", err);
		if (!words)
			return -1;
		r->words = words;
		words[r->n] = (struct word){at, (uint32_t)strcspn(at, blanks),
		                            (uint32_t)(at - line) + 1};
		at += words[r->n++].n;
		if (*at)
			*at++ = '\0';
	}
}

int psins_words_wanted(const struct psins_reader *r, uint32_t least, uint32_t most,
                       const char *what, struct err *err)
{
	if (r->n >= least && r->n <= most)
		return 0;
	return psins_wrong(r, r->n < least ? 0 : most, err, "expected %s, found %u word%s after %s",
	                   what, r->n - 1, r->n == 2 ? "" : "s", r->words[0].s);
}

int psins_number(const struct psins_reader *r, uint32_t i, enum unit_kind unit, const char *what,
                 double *out, struct err *err)
{
	struct err why;

	if (units_parse(r->words[i].s, unit, out, &why) < 0)
		return psins_wrong(r, i, err, "%s: %s", what, why.text);
	if (!(*out >= 0) || !isfinite(*out))
		return psins_wrong(r, i, err, "%s '%.40s' cannot be negative", what, r->words[i].s);
	return 0;
}

int psins_count(const struct psins_reader *r, uint32_t i, int64_t least, int64_t most,
                const char *what, int64_t *out, struct err *err)
{
	if (num_parse_i64(r->words[i].s, r->words[i].n, out) < 0 || *out < least || *out > most)
		return psins_wrong(r, i, err,
		                   "%s '%.40s': expected a whole number from %lld to %lld", what,
		                   r->words[i].s, (long long)least, (long long)most);
	return 0;
}

int psins_setting(const struct psins_reader *r, const char *name, const char *value,
                  struct err *err)
{
	struct err why;

	if (config_set(r->b->cfg, name, value, CFG_FROM_PLATFORM, &why) == 0)
		return 0;
	return why.kind == ERR_LIMIT ? err_set(err, ERR_LIMIT, "%s", why.text)
	                             : psins_wrong(r, 0, err, "%s", why.text);
}
