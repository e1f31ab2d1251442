/* osnoise_raw.c: the measurements of FWQ, FTQ and sleeps, in memory and as CSV. */
#include "calibrate/kinds.h"
#include "osnoise.h"

#include "base/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[OS_KINDS] = {"fwq", "ftq", "sleep"};

void os_raw_init(struct os_raw *raw)
{
	memset(raw, 0, sizeof *raw);
	str_init(&raw->meta);
}

void os_raw_release(struct os_raw *raw)
{
	for (uint32_t i = 0; i < raw->n; i++) {
		free(raw->series[i].start);
		free(raw->series[i].value);
	}
	free(raw->series);
	str_release(&raw->meta);
	memset(raw, 0, sizeof *raw);
}

struct os_series *os_series_get(struct os_raw *raw, enum os_kind kind, int cpu, double quantum,
                                struct err *err)
{
	struct os_series *s;

	for (uint32_t i = raw->n; i-- > 0;)
		if (raw->series[i].kind == kind && raw->series[i].cpu == cpu &&
		    raw->series[i].quantum == quantum)
			return &raw->series[i];
	s = vec_grow(raw->series, &raw->cap, sizeof *s, (size_t)raw->n + 1, "measurements", err);
	if (!s)
		return NULL;
	raw->series = s;
	s[raw->n] = (struct os_series){.kind = kind, .cpu = cpu, .quantum = quantum};
	return &s[raw->n++];
}

int os_series_add(struct os_series *s, double start, double value, struct err *err)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 1024;
		double *start_more = realloc(s->start, cap * sizeof *start_more), *value_more;

		if (start_more)
			s->start = start_more;
		value_more = start_more ? realloc(s->value, cap * sizeof *value_more) : NULL;
		if (!value_more)
			return err_nomem(err, "measurements", cap * sizeof *value_more);
		s->value = value_more;
		s->cap = cap;
	}
	s->start[s->n] = start;
	s->value[s->n++] = value;
	return 0;
}

/* --- CSV --- */

enum { KIND, CPU, QUANTUM, START, VALUE, COLUMNS };
static const char *const columns[COLUMNS] = {"kind", "cpu", "quantum", "start", "value"};

static int row_read(struct os_raw *raw, char **field, const char *path, long line, struct err *err)
{
	double v[COLUMNS] = {0};
	struct os_series *s;
	int kind = 0;

	while (kind < OS_KINDS && strcmp(field[KIND], kinds[kind]) != 0)
		kind++;
	if (kind == OS_KINDS)
		return err_at(err, path, line, 1, "kind is fwq, ftq or sleep, not '%s'",
		              field[KIND]);
	for (int c = CPU; c < COLUMNS; c++) {
		if (num_parse_double(field[c], strlen(field[c]), &v[c]) < 0 || !isfinite(v[c]) ||
		    v[c] < 0 || v[c] > 1e9)
			return err_at(err, path, line, 1,
			              "column '%s': a number from 0 to 1e9 was expected, not '%s'",
			              columns[c], field[c]);
	}
	if (!(v[QUANTUM] > 0) || v[CPU] > 1e6 || (kind == OS_FWQ && !(v[VALUE] > 0)))
		return err_at(err, path, line, 1,
		              "a quantum, and the duration of work, take more than no time");
	s = os_series_get(raw, (enum os_kind)kind, (int)v[CPU], v[QUANTUM], err);
	if (!s)
		return -1;
	if (s->n && v[START] < s->start[s->n - 1])
		return err_at(err, path, line, 1,
		              "starts at %s, before the line before of its kind and processor",
		              field[START]);
	return os_series_add(s, v[START], v[VALUE], err);
}

static int line_read(struct os_raw *raw, char *text, const char *path, long line, int *headed,
                     struct err *err)
{
	char *field[CSV_FIELDS];
	struct err why;
	int n;

	if (text[0] == '#') {
		str_printf(&raw->meta, "%s\n", text + 1 + strspn(text + 1, " "));
		return 0;
	}
	if (!text[0])
		return 0;
	n = csv_split(text, field, &why);
	if (n < 0)
		return err_at(err, path, line, 1, "%s", why.text);
	if (n != COLUMNS)
		return err_at(err, path, line, 1,
		              "five columns were expected: kind,cpu,quantum,start,value%s",
		              *headed ? "" : kind_told(field, n));
	if (*headed)
		return row_read(raw, field, path, line, err);
	for (int c = 0; c < COLUMNS; c++)
		if (strcmp(field[c], columns[c]) != 0)
			return err_at(err, path, line, 1,
			              "the header is kind,cpu,quantum,start,value; here '%s'%s",
			              field[c], kind_told(field, n));
	*headed = 1;
	return 0;
}

int os_raw_read(struct os_raw *raw, const char *path, struct err *err)
{
	struct input *f = input_open(path, 0, err);
	int headed = 0, r;
	char *text;
	size_t n;

	if (!f)
		return -1;
	while ((r = input_line(f, &text, &n, err)) > 0)
		if (line_read(raw, text, path, input_lineno(f), &headed, err) < 0) {
			r = -1;
			break;
		}
	input_close(f);
	if (r >= 0 && !headed)
		return err_at(
		    err, path, 1, 1,
		    "no measurements: a header kind,cpu,quantum,start,value was expected, "
		    "and lines as 'calibrate noise --raw' writes them");
	if (r >= 0 && raw->meta.failed)
		return err_nomem(err, "what measurements say of themselves", raw->meta.n);
	return r < 0 ? -1 : 0;
}

/* To the last bit: what is fitted to them is so again. */
void os_raw_write(const struct os_raw *raw, struct str *out)
{
	csv_comments_put(raw->meta.s, out);
	str_puts(out, "kind,cpu,quantum,start,value\n");
	for (uint32_t i = 0; i < raw->n; i++) {
		const struct os_series *s = &raw->series[i];

		for (size_t k = 0; k < s->n; k++)
			str_printf(out, "%s,%d,%.17g,%.17g,%.17g\n", kinds[s->kind], s->cpu,
			           s->quantum, s->start[k], s->value[k]);
	}
}
