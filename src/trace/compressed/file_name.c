/* file_name.c: see file_name.h. The numbers of a name are the last four runs of digits in it: the
 * folders before them are those of a user or a job.
 *
 * 0300 has four digits at least. 1000 has one at least, unless the program had such a name of four:
 * then it is the next of these. */
#include "file_name.h"

#include <stdio.h>
#include <string.h>

const enum call_field file_name_fields[FILE_NUMBERS] = {CALL_COUNT, CALL_COUNT2, CALL_SIZE,
                                                        CALL_SIZE2};

enum { SPLIT = 1, NUMBER = 2, DIGITS_MOST = 18 };

struct run {
	uint32_t at, n;
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The last runs of digits: how many. */
static int runs_find(const char *name, struct run run[FILE_NUMBERS])
{
	int n = 0;

	for (uint32_t i = 0, end; name[i]; i = end) {
		for (end = i; is_digit(name[end]); end++)
			;
		if (end == i || end - i > DIGITS_MOST) {
			end += end == i;
			continue;
		}
		if (n == FILE_NUMBERS)
			memmove(run, run + 1, --n * sizeof *run);
		run[n++] = (struct run){i, end - i};
	}
	return n;
}

static int is_padded(const char *name, const struct run *r)
{
	return r->n > 1 && name[r->at] == '0';
}

/* The text; of the runs in `full` as many digits at least as there are. Its bytes, with the 0. */
static uint32_t pattern_make(const char *name, const struct run *run, int runs, uint32_t full,
                             char *out)
{
	uint32_t at = 0, n = 0;

	out[n++] = SPLIT;
	for (int k = 0; k < runs; k++) {
		memcpy(out + n, name + at, run[k].at - at);
		n += run[k].at - at;
		out[n++] = NUMBER;
		out[n++] = (char)('0' + (full >> k & 1 ? run[k].n : 1));
		at = run[k].at + run[k].n;
	}
	memcpy(out + n, name + at, strlen(name + at) + 1);
	return n + (uint32_t)strlen(name + at) + 1;
}

/* The text of a name that is like one before, or else of the fewest digits. */
static uint32_t pattern_choose(const struct interned *texts, const char *name,
                               const struct run *run, int runs, char *out)
{
	uint32_t padded = 0, either = 0;

	for (int k = 0; k < runs; k++) {
		padded |= (uint32_t)is_padded(name, &run[k]) << k;
		either |= (uint32_t)(run[k].n > 1) << k;
	}
	either &= ~padded;
	for (uint32_t some = either; some; some = (some - 1) & either) {
		uint32_t n = pattern_make(name, run, runs, padded | some, out);

		if (interned_find(texts, out, n) != CALL_NONE)
			return n;
	}
	return pattern_make(name, run, runs, padded, out);
}

static int64_t run_number(const char *name, const struct run *r)
{
	int64_t v = 0;

	for (uint32_t i = 0; i < r->n; i++)
		v = 10 * v + (name[r->at + i] - '0');
	return v;
}

/* A name that could be taken for a split one. */
static uint32_t odd_put(struct interned *texts, const char *name, struct err *err)
{
	struct str s = {0};
	uint32_t i = CALL_NONE;

	str_putc(&s, SPLIT);
	str_puts(&s, name);
	if (s.failed)
		err_nomem(err, "the name of a file", s.n);
	else
		i = interned_put(texts, s.s, s.n + 1, err);
	str_release(&s);
	return i;
}

uint32_t file_name_put(struct interned *texts, const struct trace_event *ev, int64_t *f,
                       uint32_t *open, struct err *err)
{
	struct run run[FILE_NUMBERS];
	char text[FILE_NAME_MOST + 2 * FILE_NUMBERS];
	size_t n = strlen(ev->text);
	int runs = 0;

	if (ev->text[0] == SPLIT)
		return odd_put(texts, ev->text, err);
	if (n < FILE_NAME_MOST && !strchr(ev->text, NUMBER) &&
	    (ev->count | ev->count2 | ev->type_size | ev->type_size2) == 0)
		runs = runs_find(ev->text, run);
	if (runs == 0)
		return interned_put(texts, ev->text, n + 1, err);
	for (int k = 0; k < runs; k++) {
		f[file_name_fields[k]] = run_number(ev->text, &run[k]);
		*open |= UINT32_C(1) << file_name_fields[k];
	}
	return interned_put(texts, text, pattern_choose(texts, ev->text, run, runs, text), err);
}

int file_name_uses(const char *text, enum call_field f)
{
	int used = 0;

	for (int k = 0; k < FILE_NUMBERS; k++)
		used |= f == file_name_fields[k];
	return used && text && text[0] == SPLIT && text[1] != SPLIT;
}

void file_name_show(const char *text, const char *const word[FILE_NUMBERS], struct str *out)
{
	int k = 0;

	for (const char *p = text + 1; *p; p++) {
		if (*p == NUMBER && p[1] && k < FILE_NUMBERS) {
			str_puts(out, word[k++]);
			p++;
		} else {
			str_putc(out, *p);
		}
	}
}

void file_name_join(struct trace_event *ev, char room[FILE_NAME_ROOM])
{
	int64_t number[] = {ev->count, ev->count2, ev->type_size, ev->type_size2};
	const char *p = ev->text;
	size_t n = 0, k = 0;

	if (!p || p[0] != SPLIT || !file_name_has((enum trace_op)ev->op))
		return;
	if (p[1] == SPLIT) {
		ev->text = p + 1;
		return;
	}
	for (p++; *p && n + 1 < FILE_NAME_ROOM; p++) {
		if (*p != NUMBER || p[1] < '0' || k == FILE_NUMBERS) {
			room[n++] = *p;
			continue;
		}
		p++;
		n += (size_t)snprintf(room + n, FILE_NAME_ROOM - n, "%0*lld",
		                      *p - '0' < DIGITS_MOST ? *p - '0' : DIGITS_MOST,
		                      (long long)number[k++]);
		if (n > FILE_NAME_ROOM - 1)
			n = FILE_NAME_ROOM - 1;
	}
	room[n] = 0;
	ev->text = room;
	ev->count = ev->count2 = ev->type_size = ev->type_size2 = 0;
}
