/* network_read.c: files of measurements. Ours name their columns in a header line; SimGrid's
 * platform-calibration writes op,size,start,duration without one, a round trip being a row of
 * MPI_Send and the row of MPI_Recv after it.
 *
 * Nothing is passed over in silence: what is not understood is an error with its line, what is
 * understood and not used (columns that we do not have, MPI_Iprobe) is counted in raw->notes, and
 * so is a last line without an end, which is what a file that was cut looks like. */
#include "network.h"

#include "calibrate/kinds.h"

#include "base/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { COL_OP, COL_SRC, COL_DST, COL_PAIRS, COL_SIZE, COL_START, COL_DURATION, COLUMNS };
static const char *const column_names[] = {"op",   "src",   "dst",     "pairs",
                                           "size", "start", "duration"};
static const char *const op_names[NET_OPS] = {
    "pingpong", "send", "isend", "recv",   "late_send",   "late_recv", "exchange",
    "order",    "self", "train", "stream", "stream_send", "flow",      "ring",
    "first",    "mesh", "pause", "load",   "gap",         "react",     "crowd"};
/* In SimGrid's files; calls that say nothing of messages. */
static const char *const unused_names[] = {"MPI_Wtime", "MPI_Iprobe", "MPI_Test"};
enum { UNUSED = sizeof unused_names / sizeof *unused_names, FILES_MOST = 255 };

struct reading {
	struct net_raw *raw;
	const char *path;
	long line;
	int column[COLUMNS]; /* place in the line, or -1 */
	int headed, foreign;
	struct net_row send; /* foreign: an MPI_Send that waits for its MPI_Recv */
	int has_send;
	long unused[UNUSED];
};

const char *net_op_name(enum net_op op)
{
	return op_names[op];
}

void net_raw_init(struct net_raw *raw)
{
	memset(raw, 0, sizeof *raw);
	str_init(&raw->meta);
	str_init(&raw->notes);
}

void net_raw_release(struct net_raw *raw)
{
	for (int i = 0; i < raw->n_hosts; i++)
		free(raw->hosts[i]);
	free(raw->hosts);
	free(raw->host_number);
	free(raw->rows);
	str_release(&raw->meta);
	str_release(&raw->notes);
	memset(raw, 0, sizeof *raw);
}

static int row_add(struct reading *in, const struct net_row *row, struct err *err)
{
	struct net_raw *raw = in->raw;
	struct net_row *rows = vec_grow(raw->rows, &raw->cap, sizeof *rows, (size_t)raw->n + 1,
	                                "measurements", err);

	if (!rows)
		return -1;
	raw->rows = rows;
	rows[raw->n++] = *row;
	return 0;
}

static int hosts_set(struct net_raw *raw, const char *list, struct err *err)
{
	int different = 0, *number;

	for (const char *p = list; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
		char **hosts = realloc(raw->hosts, (size_t)(raw->n_hosts + 1) * sizeof *hosts);

		if (!hosts)
			return err_nomem(err, "hosts", sizeof *hosts);
		raw->hosts = hosts;
		number = realloc(raw->host_number, (size_t)(raw->n_hosts + 1) * sizeof *number);
		if (!number)
			return err_nomem(err, "hosts", sizeof *number);
		raw->host_number = number;
		raw->hosts[raw->n_hosts] = strndup(p, strcspn(p, ","));
		if (!raw->hosts[raw->n_hosts])
			return err_nomem(err, "hosts", 1);
		number[raw->n_hosts] = different;
		for (int i = 0; i < raw->n_hosts && number[raw->n_hosts] == different; i++)
			if (strcmp(raw->hosts[i], raw->hosts[raw->n_hosts]) == 0)
				number[raw->n_hosts] = number[i];
		different += number[raw->n_hosts++] == different;
	}
	return 0;
}

/* The hosts of another file of the same machine are the same ones. */
static int hosts_compare(const struct reading *in, const char *list, struct err *err)
{
	const struct net_raw *raw = in->raw;
	int i = 0;

	for (const char *p = list; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','), i++)
		if (i >= raw->n_hosts || strlen(raw->hosts[i]) != strcspn(p, ",") ||
		    strncmp(p, raw->hosts[i], strcspn(p, ",")) != 0)
			break;
	if (i == raw->n_hosts && list[0])
		return 0;
	return err_at(err, in->path, in->line, 1,
	              "the hosts are not those of the file before: measurements of one machine, "
	              "with the same ranks on the same hosts, can be given together");
}

static int comment(struct reading *in, const char *text, struct err *err)
{
	text += strspn(text, "# ");
	str_printf(&in->raw->meta, "%s\n", text);
	if (strncmp(text, "hosts: ", 7) != 0)
		return 0;
	if (in->headed) /* before it, each run that the file is made of may say so */
		return err_at(err, in->path, in->line, 1,
		              "'# hosts:' stands before the header: are these several files in "
		              "one? Give each with --from");
	return in->raw->n_hosts ? hosts_compare(in, text + 7, err)
	                        : hosts_set(in->raw, text + 7, err);
}

static int column_of(const char *name)
{
	int c = 0;

	while (c < COLUMNS && strcmp(name, column_names[c]) != 0)
		c++;
	return c;
}

static int header(struct reading *in, char **field, int n, struct err *err)
{
	struct str others;

	for (int c = 0; c < COLUMNS; c++)
		in->column[c] = -1;
	str_init(&others);
	for (int i = 0; i < n; i++) {
		int c = column_of(field[i]);

		if (c == COLUMNS) {
			str_printf(&others, "%s'%.40s'", others.n ? ", " : "", field[i]);
			continue;
		}
		if (in->column[c] >= 0) {
			str_release(&others);
			return err_at(err, in->path, in->line, 1, "two columns have the name '%s'",
			              column_names[c]);
		}
		in->column[c] = i;
	}
	if (others.n)
		str_printf(&in->raw->notes, "%s: columns that are not used: %s\n", in->path,
		           others.s);
	in->raw->notes.failed |= others.failed;
	str_release(&others);
	in->headed = 1;
	for (int c = 0; c < COLUMNS; c++)
		if (in->column[c] < 0 && (c == COL_OP || c == COL_SIZE) && *kind_told(field, n))
			return err_at(err, in->path, in->line, 1, "the header has no column '%s'%s",
			              column_names[c], kind_told(field, n));
	for (int c = 0; c < COLUMNS; c++)
		if (in->column[c] < 0 && (c == COL_OP || c == COL_SIZE || c == COL_DURATION))
			return err_at(err, in->path, in->line, 1,
			              "the header has no column '%s'%s: the first line names op, "
			              "size, duration and others, separated by commas, as 'orrery "
			              "calibrate network --raw' does, or there is none and lines "
			              "are MPI_Send,size,start,duration",
			              column_names[c],
			              n == 1
			                  ? ", and there is no comma in it. What IMB, OSU and "
			                    "NetPIPE print are means by size; for a first fit, "
			                    "write rows pingpong,SIZE,DURATION of them, bytes and "
			                    "seconds there and back: theirs are us, one way"
			                  : "");
	return 0;
}

static int number(struct reading *in, char **field, int n, enum column c, double *out,
                  struct err *err)
{
	/* ranks, bytes, seconds */
	static const double most[COLUMNS] = {0, 1 << 24, 1 << 24, 1 << 24, 1e15, 1e9, 1e9};
	int i = in->column[c];

	if (i < 0)
		return 0;
	if (i >= n && n == 1 && field[0][strcspn(field[0], "; \t")])
		return err_at(err, in->path, in->line, 1,
		              "no comma is in this line: fields are separated by commas, not by "
		              "semicolons, tabs or blanks");
	if (i >= n)
		return err_at(err, in->path, in->line, 1,
		              "%d field%s, and column '%s' is number %d: was the file cut?", n,
		              n == 1 ? "" : "s", column_names[c], i + 1);
	if (num_parse_double(field[i], strlen(field[i]), out) < 0 || !(*out >= 0))
		return err_at(
		    err, in->path, in->line, 1,
		    "column '%s': a number that is not negative was expected, not '%.40s'",
		    column_names[c], field[i]);
	if (*out > most[c])
		return err_at(err, in->path, in->line, 1,
		              "column '%s': %g is no measurement: at most %g", column_names[c],
		              *out, most[c]);
	if (c <= COL_SIZE && *out != floor(*out))
		return err_at(err, in->path, in->line, 1,
		              "column '%s': a whole number was expected, not '%.40s'",
		              column_names[c], field[i]);
	return 0;
}

static int foreign_row(struct reading *in, const char *op, struct net_row *row, struct err *err)
{
	struct net_row r = *row;

	for (int i = 0; i < UNUSED; i++)
		if (!strcmp(op, unused_names[i])) {
			in->unused[i]++;
			return 0;
		}
	if (!strcmp(op, "MPI_Isend")) {
		r.op = NET_ISEND;
	} else if (!strcmp(op, "MPI_Send")) {
		in->send = r;
		in->has_send = 1;
		r.op = NET_SEND;
	} else if (!strcmp(op, "MPI_Recv")) {
		r.op = NET_RECV;
		if (in->has_send && in->send.size == r.size) {
			r.op = NET_PINGPONG;
			r.duration += in->send.duration;
		}
		in->has_send = 0;
	} else {
		return err_at(err, in->path, in->line, 1,
		              "unknown operation '%.40s': files without a header are of MPI_Send, "
		              "MPI_Recv and MPI_Isend (MPI_Wtime, MPI_Iprobe and MPI_Test are "
		              "passed over); remove such lines, or name the columns in a header",
		              op);
	}
	return row_add(in, &r, err);
}

static int operation_find(const struct reading *in, const char *op, struct net_row *row,
                          struct err *err)
{
	struct str names;

	for (row->op = 0; row->op < NET_OPS; row->op++)
		if (!strcmp(op, op_names[row->op]))
			return 0;
	str_init(&names);
	for (int i = 0; i < NET_OPS; i++)
		str_printf(&names, "%s%s", i ? ", " : "", op_names[i]);
	err_at(err, in->path, in->line, 1,
	       "unknown operation '%.40s': those of measurements are %s", op,
	       names.s ? names.s : "");
	str_release(&names);
	return -1;
}

/* Which host each rank is on is told for all of them, or for none. */
static int row_place(const struct reading *in, struct net_row *row, struct err *err)
{
	int n = in->raw->n_hosts, most = row->src > row->dst ? row->src : row->dst;

	if (n == 0)
		return 0;
	if (most >= n)
		return err_at(err, in->path, in->line, 1,
		              "rank %d, and '# hosts:' names those of %d ranks", most, n);
	row->local = in->raw->host_number[row->src] == in->raw->host_number[row->dst];
	return 0;
}

static int data_line(struct reading *in, char **field, int n, struct err *err)
{
	double v[COLUMNS] = {0, 0, 1, 1, 0, 0, 0};
	struct net_row row;
	const char *op = in->column[COL_OP] < n ? field[in->column[COL_OP]] : "";

	if (!op[0])
		return err_at(err, in->path, in->line, 1,
		              "no operation: %d fields, column 'op' is number %d", n,
		              in->column[COL_OP] + 1);
	for (int c = COL_SRC; c < COLUMNS; c++)
		if (number(in, field, n, (enum column)c, &v[c], err) < 0)
			return -1;
	row = (struct net_row){.file = (uint8_t)(in->raw->files - 1),
	                       .src = (int)v[COL_SRC],
	                       .dst = (int)v[COL_DST],
	                       .pairs = (int)v[COL_PAIRS],
	                       .size = v[COL_SIZE],
	                       .start = v[COL_START],
	                       .duration = v[COL_DURATION]};
	if (row_place(in, &row, err) < 0)
		return -1;
	if (in->foreign)
		return foreign_row(in, op, &row, err);
	if (operation_find(in, op, &row, err) < 0)
		return -1;
	if (row.op == NET_PINGPONG && !(row.duration > 0))
		return err_at(err, in->path, in->line, 1,
		              "a round trip of 0 s: was the clock too coarse?");
	return row_add(in, &row, err);
}

static int line_read(struct reading *in, char *line, size_t length, struct err *err)
{
	char *field[CSV_FIELDS];
	struct err why;
	int n;

	if (strlen(line) != length)
		return err_at(err, in->path, in->line, 1,
		              "a zero byte: this is not a file of text");
	if (line[0] == '#')
		return comment(in, line, err);
	if (line[strspn(line, " \t")] == '\0')
		return 0;
	n = csv_split(line, field, &why);
	if (n < 0)
		return err_at(err, in->path, in->line, 1, "%s", why.text);
	if (!in->headed) {
		static const int foreign[COLUMNS] = {0, -1, -1, -1, 1, 2, 3};

		if (strncmp(field[0], "MPI_", 4) != 0)
			return header(in, field, n, err);
		memcpy(in->column, foreign, sizeof foreign);
		in->headed = in->foreign = 1;
	}
	return data_line(in, field, n, err);
}

static int lines_read(struct reading *in, struct input *f, struct err *err)
{
	uint64_t before = 0;
	char *line;
	size_t n;
	int r;

	while ((r = input_line(f, &line, &n, err)) > 0) {
		in->line = input_lineno(f);
		if (input_offset(f) == before + n && in->headed) /* no end */
			str_printf(&in->raw->notes,
			           "%s:%ld: the last line has no end, and may have been cut: it is "
			           "left out\n",
			           in->path, in->line);
		else if (line_read(in, line, n, err) < 0)
			return -1;
		before = input_offset(f);
	}
	return r;
}

/* Rows of the last file, from `first` on, that a file before has in the same order: measurements
 * that count twice look surer than they are. */
static int again_check(const struct net_raw *raw, uint32_t first, const char *path, struct err *err)
{
	enum { CHANCE = 8 }; /* fewer may be alike */
	uint32_t n = raw->n - first;

	for (uint32_t i = 0; n >= CHANCE && i < first; i++) {
		uint32_t k = 0;

		if (i > 0 && raw->rows[i].file == raw->rows[i - 1].file)
			continue; /* where a file begins */
		for (; k < n && i + k < first; k++) {
			const struct net_row *a = &raw->rows[i + k], *b = &raw->rows[first + k];

			if (a->file != raw->rows[i].file || a->op != b->op || a->src != b->src ||
			    a->dst != b->dst || a->size != b->size || a->start != b->start ||
			    a->duration != b->duration)
				break;
		}
		if (k == n)
			return err_set(err, ERR_INPUT,
			               "%s: its measurements are those of a file that was given "
			               "before: given twice, they would count twice",
			               path);
	}
	return 0;
}

int net_raw_read(struct net_raw *raw, const char *path, struct err *err)
{
	struct reading in = {.raw = raw, .path = path};
	struct input *f;
	uint32_t before = raw->n;
	int r;

	if (raw->files == FILES_MOST)
		return err_set(err, ERR_LIMIT, "measurements of more than %d files", FILES_MOST);
	f = input_open(path, 0, err);
	if (!f)
		return -1;
	raw->files++;
	r = lines_read(&in, f, err);
	input_close(f);
	for (int i = 0; i < UNUSED && r == 0; i++)
		if (in.unused[i])
			str_printf(&raw->notes,
			           "%s: %ld lines of %s are not used: they are not of messages\n",
			           path, in.unused[i], unused_names[i]);
	if (r == 0)
		r = again_check(raw, before, path, err);
	if (r == 0 && raw->n == before)
		str_printf(&raw->notes, "%s: no measurements in it\n", path);
	if (r >= 0 && (raw->meta.failed || raw->notes.failed))
		return err_nomem(err, "what measurements say of themselves", raw->meta.n);
	return r < 0 ? -1 : 0;
}

int net_raw_one_host(struct net_raw *raw)
{
	raw->one_host = 0;
	if (raw->n_hosts < 2 || net_host_count(raw) > 1)
		return 0;
	for (uint32_t i = 0; i < raw->n; i++)
		raw->rows[i].local = 0;
	raw->one_host = 1;
	return 1;
}

int net_host_of(const struct net_raw *raw, int rank)
{
	return rank < raw->n_hosts ? raw->host_number[rank] : rank;
}

const char *net_host_name(const struct net_raw *raw, int host)
{
	for (int i = 0; i < raw->n_hosts; i++)
		if (net_host_of(raw, i) == host)
			return raw->hosts[i];
	return "?";
}

int net_host_count(const struct net_raw *raw)
{
	int most = 0;

	for (int i = 0; i < raw->n_hosts; i++) {
		int h = net_host_of(raw, i);

		most = h >= most ? h + 1 : most;
	}
	if (most == 0 && raw->cabinets.n > 1) /* no names, but rates tell hosts apart */
		return raw->cabinets.hosts;
	return most ? most : 2;
}

void net_raw_cabinets(struct net_raw *raw, const struct net_cabinets *c)
{
	raw->cabinets = *c;
	for (uint32_t i = 0; i < raw->n; i++) {
		int a = c->n > 1 ? net_host_of(raw, raw->rows[i].src) : 0,
		    b = c->n > 1 ? net_host_of(raw, raw->rows[i].dst) : 0;

		raw->rows[i].far = a < c->hosts && b < c->hosts && c->of[a] != c->of[b];
	}
}

size_t net_raw_take(const struct net_raw *raw, enum net_op op, int local, int far, double lo,
                    double hi, double **x, double **y)
{
	size_t n = 0;

	*x = malloc((2 * (size_t)raw->n + 2) * sizeof **x);
	*y = *x ? *x + raw->n + 1 : NULL;
	for (uint32_t i = 0; *x && i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i];

		if (r->op != op || (local >= 0 && r->local != local) ||
		    (far >= 0 && r->far != far) || r->size < lo || r->size >= hi)
			continue;
		(*x)[n] = r->size;
		(*y)[n++] = r->duration;
	}
	return n;
}

void net_raw_write(const struct net_raw *raw, struct str *out)
{
	csv_comments_put(raw->meta.s, out);
	str_puts(out, "op,src,dst,pairs,size,start,duration\n");
	for (uint32_t i = 0; i < raw->n; i++) {
		const struct net_row *q = &raw->rows[i];

		str_printf(out, "%s,%d,%d,%d,%.0f,%.9f,%.9g\n", net_op_name((enum net_op)q->op),
		           q->src, q->dst, q->pairs, q->size, q->start, q->duration);
	}
}
