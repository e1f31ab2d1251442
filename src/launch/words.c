/* words.c: the words of a command, one after the other. */
#include "command_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void word_add(struct words *w, char *word)
{
	struct err ignored;
	char **p = w->failed || !word
	               ? NULL
	               : vec_grow(w->v, &w->cap, sizeof *w->v, w->n + 2, "a command", &ignored);

	if (!p) {
		w->failed = 1;
		free(word);
		return;
	}
	w->v = p;
	p[w->n++] = word;
	p[w->n] = NULL;
}

void word_copy(struct words *w, const char *word)
{
	word_add(w, strdup(word));
}

void word_setting(struct words *w, const struct setting *s)
{
	char *word = NULL;

	if (asprintf(&word, "%s=%s", s->name, s->value) < 0)
		word = NULL;
	word_add(w, word);
}
