/* psins_int.h: a machine description of PSINS, as it is read. */
#ifndef ORRERY_PLATFORM_PSINS_INT_H
#define ORRERY_PLATFORM_PSINS_INT_H

#include "platform/nodes.h"

enum { PSINS_WORDS_MAX = 4096 }; /* in a line */

struct word {
	const char *s;
	uint32_t n, column;
};

/* A line "Node" or "Local" for some nodes. */
struct node_line {
	uint32_t lo, hi; /* lo > hi: for all that have no line of their own */
	uint32_t spec;
};

struct psins_reader {
	struct build *b;
	struct input *in;
	struct word *words;
	uint32_t n, words_cap;
	struct nodes m;
	struct place machine; /* line 0: not read yet */
	struct node_line *lines;
	uint32_t lines_n, lines_cap, specs_cap, specs_n;
	struct str growths, fans, curves;
	uint32_t tasks_cap;
};

/* psins_words.c: the words of a line. An error at one of them (of the line: a word that it does not
 * have): returns -1. */
int psins_wrong(const struct psins_reader *r, uint32_t word, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Cuts the line at its comment, and into words that end in NUL. */
int psins_words_split(struct psins_reader *r, char *line, struct err *err);
int psins_words_wanted(const struct psins_reader *r, uint32_t least, uint32_t most,
                       const char *what, struct err *err);
int psins_word_is(const struct psins_reader *r, uint32_t i, const char *text);
int psins_number(const struct psins_reader *r, uint32_t i, enum unit_kind unit, const char *what,
                 double *out, struct err *err);
int psins_count(const struct psins_reader *r, uint32_t i, int64_t least, int64_t most,
                const char *what, int64_t *out, struct err *err);
int psins_setting(const struct psins_reader *r, const char *name, const char *value,
                  struct err *err);

/* psins_make.c: the machine, of all lines. */
int psins_machine_make(struct psins_reader *r, struct err *err);

#endif
