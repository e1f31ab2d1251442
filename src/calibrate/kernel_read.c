/* kernel_read.c: durations of a kernel as they were measured, and on which hosts; hosts left out.
 */
#include "kernel.h"

#include "kinds.h"

#include "base/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes and seconds beyond it are no measurements, and products of them would not be numbers. */
static const double FIGURE_MAX = 1e9;

enum { COL_M, COL_N, COL_K, COL_DURATION, FIGURES };
enum { BY_MAX = 4, BY_VALUE = 120, HOST_NAME = BY_MAX * (BY_VALUE + 1) };
static const char *const figure_names[FIGURES] = {"m", "n", "k", "duration"};

/* Where the columns are, from 0; -1: not there. */
struct columns {
	int figure[FIGURES], by[BY_MAX], bys;
	int session; /* -1: not asked for */
};

static int name_is(const char *field, size_t n, const char *name, size_t name_n)
{
	return n == name_n && memcmp(field, name, n) == 0;
}

/* Splits `by` at its commas; where each is in the header. */
static void by_find(struct columns *c, const char *field, size_t n, int at, const char *by)
{
	int i = 0;

	for (const char *p = by; p && i < BY_MAX; p = *(p += strcspn(p, ",")) ? p + 1 : NULL, i++)
		if (name_is(field, n, p, strcspn(p, ",")))
			c->by[i] = at;
	c->bys = i;
}

static int is_used(const struct columns *c, int at)
{
	int used = 0;

	for (int i = 0; i < FIGURES; i++)
		used |= c->figure[i] == at;
	for (int i = 0; i < c->bys; i++)
		used |= c->by[i] == at;
	return used || c->session == at;
}

/* Of two columns of one name nobody knows which is meant. */
static int again_check(const struct columns *c, char **field, int fields, const char *path,
                       long number, struct err *err)
{
	for (int at = 0; at < fields; at++)
		for (int before = 0; before < at && is_used(c, at); before++)
			if (!strcmp(field[before], field[at]))
				return err_at(err, path, number, 1,
				              "two columns have the name '%.40s'", field[at]);
	return 0;
}

/* Hosts that are not told apart make one model of all: a column that could is not passed over
 * without a word. */
static void unused_note(struct kernel_data *d, char **field, int fields)
{
	static const char *const names[] = {"host", "hostname", "node", "nodename"};

	for (int at = 0; at < fields; at++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (!strcmp(field[at], names[i]))
				snprintf(d->unused, sizeof d->unused, "%s", names[i]);
}

static int session_column(struct kernel_data *d, char **field, int fields, struct columns *c,
                          const char *path, long number, struct err *err)
{
	c->session = -1;
	for (int at = 0; at < fields && d->session; at++)
		if (!strcmp(field[at], d->session))
			c->session = at;
	return !d->session || c->session >= 0
	           ? 0
	           : err_at(err, path, number, 1, "the header has no column '%.40s'", d->session);
}

static int header_read(char **field, int fields, const char *by, struct columns *c,
                       const char *path, long number, struct err *err)
{
	const char *p = by;
	int found = 0;

	for (int i = 0; i < FIGURES; i++)
		c->figure[i] = -1;
	for (int i = 0; i < BY_MAX; i++)
		c->by[i] = -1;
	for (int at = 0; at < fields; at++) {
		size_t n = strlen(field[at]);

		for (int i = 0; i < FIGURES; i++)
			if (name_is(field[at], n, figure_names[i], strlen(figure_names[i])))
				c->figure[i] = at;
		by_find(c, field[at], n, at, by);
	}
	for (int i = 0; i < FIGURES; i++)
		found += c->figure[i] >= 0;
	for (int i = 0; i < FIGURES; i++)
		if (c->figure[i] < 0)
			return err_at(
			    err, path, number, 1, "the header has no column '%s'%s",
			    figure_names[i],
			    *kind_told(field, fields) ? kind_told(field, fields)
			    : found == 0
			        ? ": the first line names the columns, such as m,n,k,duration"
			        : "");
	for (int i = 0; i < c->bys; i++, p += strcspn(p, ",") + 1)
		if (c->by[i] < 0)
			return err_at(err, path, number, 1, "the header has no column '%.*s'",
			              (int)strcspn(p, ","), p);
	return again_check(c, field, fields, path, number, err);
}

static int columns_read(struct kernel_data *d, char **field, int fields, const char *by,
                        struct columns *c, const char *path, long number, struct err *err)
{
	if (!by)
		unused_note(d, field, fields);
	return session_column(d, field, fields, c, path, number, err) < 0
	           ? -1
	           : header_read(field, fields, by, c, path, number, err);
}

static int host_find(struct kernel_data *d, const char *name, struct err *err)
{
	uint32_t i = hash_str_find(&d->index, name);
	char **host;

	if (i != HASH_NONE)
		return (int)i;
	host = vec_grow(d->host, &d->hosts_cap, sizeof *host, (size_t)d->hosts + 1, "hosts", err);
	if (!host)
		return -1;
	d->host = host;
	host[d->hosts] = strdup(name);
	if (!host[d->hosts])
		return err_nomem(err, "hosts", strlen(name));
	d->hosts++;
	return hash_str_put(&d->index, name, d->hosts - 1, err) < 0 ? -1 : (int)d->hosts - 1;
}

/* A row in the making. */
struct row_fields {
	double figure[FIGURES];
	const char *by[BY_MAX], *session;
	int seen;
};

static int field_take(struct row_fields *r, const struct columns *c, int at, const char *field,
                      const char *line, const char *path, long number, struct err *err)
{
	size_t n = strlen(field);

	for (int i = 0; i < FIGURES; i++) {
		if (c->figure[i] != at)
			continue;
		if (num_parse_double(field, n, &r->figure[i]) < 0 || !(r->figure[i] >= 0) ||
		    r->figure[i] > FIGURE_MAX)
			return err_at(err, path, number, (long)(field - line) + 1,
			              "%s: a number from 0 to %g was expected, not '%.*s'",
			              figure_names[i], FIGURE_MAX, (int)(n < 60 ? n : 60), field);
		r->seen++;
	}
	for (int i = 0; i < c->bys; i++) {
		if (c->by[i] != at)
			continue;
		if (n > BY_VALUE)
			return err_at(
			    err, path, number, (long)(field - line) + 1,
			    "a name in a column of --by has at most %d bytes, not '%.40s…'",
			    BY_VALUE, field);
		r->by[i] = field;
		r->seen++;
	}
	if (c->session == at) {
		r->session = field;
		r->seen++;
	}
	return 0;
}

/* The number of a session, from 0. */
static int session_find(struct kernel_data *d, const char *name, struct err *err)
{
	uint32_t i = name ? hash_str_find(&d->session_index, name) : 0;

	if (i != HASH_NONE)
		return (int)i;
	if (hash_str_put(&d->session_index, name, d->sessions, err) < 0)
		return -1;
	return (int)d->sessions++;
}

static int line_read(struct kernel_data *d, char *line, char **field, int fields,
                     const struct columns *c, const char *path, long number, struct err *err)
{
	struct row_fields f = {.seen = 0};
	char name[HOST_NAME] = "";
	struct kernel_row *row;
	int host, session, n = 0;

	for (int at = 0; at < fields; at++)
		if (field_take(&f, c, at, field[at], line, path, number, err) < 0)
			return -1;
	if (f.seen < FIGURES + c->bys + (c->session >= 0))
		return err_at(err, path, number, 1, "the line has fewer fields than the header");
	for (int i = 0; i < c->bys && n < HOST_NAME - 1; i++)
		n += snprintf(name + n, (size_t)(HOST_NAME - n), "%s%s", i ? "/" : "", f.by[i]);
	host = host_find(d, name, err);
	session = host < 0 ? -1 : session_find(d, f.session, err);
	row = session < 0
	          ? NULL
	          : vec_grow(d->row, &d->cap, sizeof *row, (size_t)d->n + 1, "durations", err);
	if (!row)
		return -1;
	d->row = row;
	row[d->n++] = (struct kernel_row){f.figure[COL_M], f.figure[COL_N],
	                                  f.figure[COL_K], f.figure[COL_DURATION],
	                                  (uint32_t)host,  (uint32_t)session};
	return 0;
}

static int by_check(const char *by, struct err *err)
{
	int columns = 1;

	for (const char *p = by; p && (p = strchr(p, ',')) != NULL; p++)
		columns++;
	return columns <= BY_MAX
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "calibrate kernel: --by takes at most %d columns, not '%s'", BY_MAX,
	                     by);
}

int kernel_read(struct kernel_data *d, const char *path, const char *by, struct err *err)
{
	struct input *in = by_check(by, err) < 0 ? NULL : input_open(path, 0, err);
	struct columns columns = {.bys = 0};
	int r, headed = 0;
	char *line, *field[CSV_FIELDS];
	uint64_t before = 0;
	struct err why;
	size_t n;
	int fields, whole;

	if (!in)
		return -1;
	while ((r = input_line(in, &line, &n, err)) > 0) {
		whole = input_offset(in) > before + n;
		before = input_offset(in);
		if (line[0] == '#' || !line[strspn(line, " \t\r")])
			continue;
		fields = csv_split(line, field, &why);
		if (!whole) /* 0.0012 may have been 0.00123 */
			r = err_at(err, path, input_lineno(in), 1,
			           "the last line has no end, and may have been cut: end it with a "
			           "newline, or remove it");
		else if (fields < 0)
			r = err_at(err, path, input_lineno(in), 1, "%s", why.text);
		else if (!headed)
			r = columns_read(d, field, fields, by, &columns, path, input_lineno(in),
			                 err);
		else
			r = line_read(d, line, field, fields, &columns, path, input_lineno(in),
			              err);
		headed = 1;
		if (r < 0)
			break;
	}
	input_close(in);
	if (r == 0 && d->n == 0)
		return err_set(err, ERR_INPUT,
		               "%s: no durations: a first line m,n,k,duration and lines of numbers "
		               "were expected",
		               path);
	return r;
}

void kernel_data_release(struct kernel_data *d)
{
	for (uint32_t i = 0; i < d->hosts; i++)
		free(d->host[i]);
	free(d->host);
	free(d->row);
	hash_str_release(&d->index);
	hash_str_release(&d->session_index);
	*d = (struct kernel_data){0};
}

/* "13" is host "13", and all of "13/0", "13/1". */
static int host_is(const char *host, const char *name, size_t n)
{
	return strncmp(host, name, n) == 0 && (host[n] == '\0' || host[n] == '/');
}

static int hosts_mark(const struct kernel_data *d, const char *names, char *out, struct err *err)
{
	for (const char *p = names; *p; p += strcspn(p, ","), p += *p == ',') {
		size_t n = strcspn(p, ",");
		int found = 0;

		for (uint32_t h = 0; h < d->hosts; h++)
			if (host_is(d->host[h], p, n))
				out[h] = found = 1;
		if (!found)
			return err_set(err, ERR_INPUT,
			               "--without: no host has the name '%.*s'; the first of %u is "
			               "'%s'",
			               n < 80 ? (int)n : 80, p, d->hosts, d->host[0]);
	}
	return 0;
}

/* Numbers of hosts that stay: from 0, in their order. */
static int hosts_leave(struct kernel_data *d, const char *leaves, struct err *err)
{
	uint32_t *number = calloc((size_t)d->hosts + 1, sizeof *number), hosts = 0, rows = 0;

	if (!number)
		return err_nomem(err, "hosts", d->hosts * sizeof *number);
	for (uint32_t h = 0; h < d->hosts; h++) {
		number[h] = hosts;
		if (leaves[h])
			free(d->host[h]);
		else
			d->host[hosts++] = d->host[h];
	}
	for (uint32_t i = 0; i < d->n; i++) {
		if (leaves[d->row[i].host])
			continue;
		d->row[rows] = d->row[i];
		d->row[rows].host = number[d->row[i].host];
		rows++;
	}
	d->n = rows;
	d->hosts = hosts;
	hash_str_release(&d->index); /* nothing is read after this */
	free(number);
	return 0;
}

int kernel_without(struct kernel_data *d, const char *names, struct err *err)
{
	char *leaves = calloc((size_t)d->hosts + 1, 1);
	uint32_t left = 0;
	int r;

	if (!leaves)
		return err_nomem(err, "hosts", d->hosts);
	r = hosts_mark(d, names, leaves, err);
	for (uint32_t h = 0; h < d->hosts; h++)
		left += !leaves[h];
	if (r == 0 && left == 0)
		r = err_set(err, ERR_INPUT, "--without leaves no host");
	if (r == 0)
		r = hosts_leave(d, leaves, err);
	free(leaves);
	return r;
}
