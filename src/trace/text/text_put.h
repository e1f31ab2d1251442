/* text_put.h: numbers and words to text, for the hot path of the writers and of the tracer: into a
 * buffer on the stack that is handed to the struct str when it is full, so that nothing is
 * allocated while the str has room. */
#ifndef ORRERY_TRACE_TEXT_PUT_H
#define ORRERY_TRACE_TEXT_PUT_H

#include "base/str.h"

#include <string.h>

enum { TEXT_BUFFER = 512, TEXT_LONGEST = 32 /* of one number, with its separator */ };
struct text {
	char *p;
	struct str *s;
	char buf[TEXT_BUFFER];
};

static inline void text_init(struct text *t, struct str *s)
{
	t->p = t->buf;
	t->s = s;
}

static inline void text_flush(struct text *t)
{
	str_putn(t->s, t->buf, (size_t)(t->p - t->buf));
	t->p = t->buf;
}

/* Room for one more number. */
static inline void text_room(struct text *t)
{
	if (t->p > t->buf + TEXT_BUFFER - TEXT_LONGEST)
		text_flush(t);
}

static inline void text_char(struct text *t, char c)
{
	text_room(t);
	*t->p++ = c;
}

/* A word of at most TEXT_LONGEST bytes. */
static inline void text_word(struct text *t, const char *word)
{
	size_t n = strlen(word);

	text_room(t);
	memcpy(t->p, word, n);
	t->p += n;
}

/* " key=" and the like, for constants: the length is known when compiled. */
#define text_const(t, word) \
	(text_room(t), memcpy((t)->p, word, sizeof(word) - 1), (void)((t)->p += sizeof(word) - 1))

/* The digits of v from p on, at most 20; the end of them. */
char *text_digits(char *p, uint64_t v);
void text_u64(struct text *t, uint64_t v);
static inline void text_i64(struct text *t, int64_t v)
{
	text_room(t);
	if ((uint64_t)v < 10) { /* most ranks, tags, types and counts of requests */
		*t->p++ = (char)('0' + v);
		return;
	}
	if (v < 0)
		*t->p++ = '-';
	text_u64(t, v < 0 ? -(uint64_t)v : (uint64_t)v);
}
/* The shortest decimal that reads back as v; 0 for what is not finite. */
void text_double(struct text *t, double v);

#endif
