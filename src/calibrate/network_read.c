/* network_read.c: files of measurements. Ours name their columns in a header line; SimGrid's platform-calibration writes op,size,start,duration
 * without one, a round trip being a row of MPI_Send and the row of MPI_Recv after it. */
#include "network.h"

#include <stdlib.h>
#include <string.h>

enum column { COL_OP, COL_SRC, COL_DST, COL_PAIRS, COL_SIZE, COL_START, COL_DURATION, COLUMNS };
static const char *const column_names[] = {"op", "src", "dst", "pairs", "size", "start", "duration"};
static const char *const op_names[NET_OPS] = {"pingpong", "send",  "isend", "recv",  "late_send", "late_recv",
                                              "exchange", "order", "self",  "train", "stream",    "stream_send",
                                              "flow",     "ring",  "first", "mesh",  "pause",     "load"};

struct reading {
	struct net_raw *raw;
	const char *path;
	long line;
	int column[COLUMNS]; /* place in the line, or -1 */
	int headed, foreign;
	struct net_row send; /* foreign: an MPI_Send that waits for its MPI_Recv */
	int has_send;
};

const char *net_op_name(enum net_op op)
{
	return op_names[op];
}

void net_raw_init(struct net_raw *raw)
{
	memset(raw, 0, sizeof *raw);
	str_init(&raw->meta);
}

void net_raw_release(struct net_raw *raw)
{
	for (int i = 0; i < raw->n_hosts; i++)
		free(raw->hosts[i]);
	free(raw->hosts);
	free(raw->host_number);
	free(raw->rows);
	str_release(&raw->meta);
	memset(raw, 0, sizeof *raw);
}

static int row_add(struct reading *in, const struct net_row *row, struct err *err)
{
	struct net_raw *raw = in->raw;
	struct net_row *rows = vec_grow(raw->rows, &raw->cap, sizeof *rows, (size_t)raw->n + 1, "measurements", err);

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

static int comment(struct reading *in, const char *text, struct err *err)
{
	text += strspn(text, "# ");
	str_printf(&in->raw->meta, "%s\n", text);
	if (strncmp(text, "hosts: ", 7) != 0 || in->raw->n_hosts)
		return 0;
	return hosts_set(in->raw, text + 7, err);
}

/* Fields, in place, without blanks around them or quotes. */
static int split(char *line, char **field, int max)
{
	int n = 0;

	while (n < max) {
		char *end = NULL, *comma;

		line += strspn(line, " \t");
		if (*line == '"')
			end = strchr(++line, '"');
		comma = strchr(end ? end : line, ',');
		field[n++] = line;
		if (!end)
			for (end = comma ? comma : line + strlen(line); end > line && strchr(" \t", end[-1]); end--)
				;
		*end = '\0';
		if (!comma)
			break;
		line = comma + 1;
	}
	return n;
}

static int header(struct reading *in, char **field, int n, struct err *err)
{
	for (int c = 0; c < COLUMNS; c++) {
		in->column[c] = -1;
		for (int i = 0; i < n; i++)
			if (strcmp(field[i], column_names[c]) == 0)
				in->column[c] = i;
	}
	in->headed = 1;
	for (int c = 0; c < COLUMNS; c++)
		if (in->column[c] < 0 && (c == COL_OP || c == COL_SIZE || c == COL_DURATION))
			return err_at(err, in->path, in->line, 1,
			              "the header has no column '%s': the first line names op, size, duration and others, as "
			              "'orrery calibrate network "
			              "--raw' does, or there is none and lines are MPI_Send,size,start,duration",
			              column_names[c]);
	return 0;
}

static int number(struct reading *in, char **field, int n, enum column c, double *out, struct err *err)
{
	/* ranks, bytes, seconds */
	static const double most[COLUMNS] = {0, 1 << 24, 1 << 24, 1 << 24, 1e15, 1e9, 1e9};
	int i = in->column[c];

	if (i < 0)
		return 0;
	if (i >= n || num_parse_double(field[i], strlen(field[i]), out) < 0 || *out < 0)
		return err_at(err, in->path, in->line, 1, "column '%s': a number that is not negative was expected, not '%s'",
		              column_names[c], i < n ? field[i] : "");
	if (*out > most[c])
		return err_at(err, in->path, in->line, 1, "column '%s': %g is no measurement: at most %g", column_names[c], *out,
		              most[c]);
	return 0;
}

static int foreign_row(struct reading *in, const char *op, struct net_row *row, struct err *err)
{
	struct net_row r = *row;

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
		return 0; /* MPI_Wtime, MPI_Iprobe, MPI_Test: not about messages */
	}
	return row_add(in, &r, err);
}

static int data_line(struct reading *in, char **field, int n, struct err *err)
{
	double v[COLUMNS] = {0, 0, 1, 1, 0, 0, 0};
	struct net_row row;
	const char *op = in->column[COL_OP] < n ? field[in->column[COL_OP]] : "";

	for (int c = COL_SRC; c < COLUMNS; c++)
		if (number(in, field, n, (enum column)c, &v[c], err) < 0)
			return -1;
	row = (struct net_row){.src = (int)v[COL_SRC],
	                       .dst = (int)v[COL_DST],
	                       .pairs = (int)v[COL_PAIRS],
	                       .size = v[COL_SIZE],
	                       .start = v[COL_START],
	                       .duration = v[COL_DURATION]};
	if (in->raw->n_hosts && row.src < in->raw->n_hosts && row.dst < in->raw->n_hosts)
		row.local = !strcmp(in->raw->hosts[row.src], in->raw->hosts[row.dst]);
	if (in->foreign)
		return foreign_row(in, op, &row, err);
	for (row.op = 0; row.op < NET_OPS; row.op++)
		if (!strcmp(op, op_names[row.op]))
			return row_add(in, &row, err);
	return err_at(err, in->path, in->line, 1,
	              "unknown operation '%s': pingpong, send, isend, recv, late_send, late_recv, exchange, order, flow, ring, "
	              "first, mesh, pause, load",
	              op);
}

static int line_read(struct reading *in, char *line, struct err *err)
{
	char *field[16];
	int n;

	if (line[0] == '#')
		return comment(in, line, err);
	if (line[0] == '\0')
		return 0;
	n = split(line, field, 16);
	if (!in->headed) {
		static const int foreign[COLUMNS] = {0, -1, -1, -1, 1, 2, 3};

		if (strncmp(field[0], "MPI_", 4) != 0)
			return header(in, field, n, err);
		memcpy(in->column, foreign, sizeof foreign);
		in->headed = in->foreign = 1;
	}
	return data_line(in, field, n, err);
}

int net_raw_read(struct net_raw *raw, const char *path, struct err *err)
{
	struct reading in = {.raw = raw, .path = path};
	struct input *f = input_open(path, 0, err);
	char *line;
	size_t n;
	int r;

	if (!f)
		return -1;
	while ((r = input_line(f, &line, &n, err)) > 0) {
		in.line = input_lineno(f);
		if (line_read(&in, line, err) < 0) {
			r = -1;
			break;
		}
	}
	input_close(f);
	return r < 0 ? -1 : 0;
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
	return most ? most : 2;
}

void net_raw_cabinets(struct net_raw *raw, const struct net_cabinets *c)
{
	raw->cabinets = *c;
	for (uint32_t i = 0; i < raw->n; i++) {
		int a = c->n > 1 ? net_host_of(raw, raw->rows[i].src) : 0, b = c->n > 1 ? net_host_of(raw, raw->rows[i].dst) : 0;

		raw->rows[i].far = a < c->hosts && b < c->hosts && c->of[a] != c->of[b];
	}
}

size_t net_raw_take(const struct net_raw *raw, enum net_op op, int local, int far, double lo, double hi, double **x, double **y)
{
	size_t n = 0;

	*x = malloc((2 * (size_t)raw->n + 2) * sizeof **x);
	*y = *x ? *x + raw->n + 1 : NULL;
	for (uint32_t i = 0; *x && i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i];

		if (r->op != op || (local >= 0 && r->local != local) || (far >= 0 && r->far != far) || r->size < lo ||
		    r->size >= hi)
			continue;
		(*x)[n] = r->size;
		(*y)[n++] = r->duration;
	}
	return n;
}
