/* read_psins.c: a PSINS machine description: a small ASCII file, one record a line, its words
 * separated by blanks; '#' begins a comment.
 *
 *     Machine     nodes network_bw network_lt buses
 *     Node        id cores inp out local_bw local_lt cpu_ratio [cpu_ratio of the second core …]
 *     Map         task_id node_id
 *     Collective  operation lin|log|con            or        operation in-model in-size out-model
 *                 out-size
 *     IO          (anything)
 *
 * are PSINS's own (as PMaC's PSaPP writes them, and as Tikir et al. 2009, 2.3.1 describes them
 * without their syntax);
 *
 *     Speed       of a processor of the base system
 *     Curve       operation size:bandwidth size:bandwidth …
 *     Local       buses inp out
 *     Duplex      half|full
 *
 * are added here. docs/psins-machine.md says what each means. Bandwidths and latencies without unit
 * are bytes/s and s. */
#include "psins_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES_MAX = 1 << 24,
	NODES_WANTED = 1 << 16, /* when the file says "as many as needed" */
	TASKS_MAX = 1 << 26,
	PROBE_BYTES = 4096,
};

typedef int record_fn(struct psins_reader *r, struct err *err);

/* --- Machine --- */

static int read_machine(struct psins_reader *r, struct err *err)
{
	int64_t nodes, busses;

	if (r->machine.line)
		return psins_wrong(r, 0, err, "a second Machine; the first is in line %u",
		                   r->machine.line);
	if (psins_words_wanted(r, 5, 5, "Machine nodes network_bw network_lt buses", err) < 0 ||
	    psins_count(r, 1, -NODES_MAX, NODES_MAX, "nodes", &nodes, err) < 0 ||
	    psins_number(r, 2, UNIT_BANDWIDTH, "network_bw", &r->m.bw, err) < 0 ||
	    psins_number(r, 3, UNIT_TIME, "network_lt", &r->m.lat, err) < 0 ||
	    psins_count(r, 4, 0, UINT32_MAX, "buses", &busses, err) < 0)
		return -1;
	if (nodes == 0)
		return psins_wrong(
		    r, 1, err,
		    "a machine of 0 nodes (-c: as many nodes of c cores as the program needs)");
	r->machine = (struct place){(uint32_t)input_lineno(r->in), r->words[0].column};
	r->m.n = nodes < 0 ? NODES_WANTED : (uint32_t)nodes;
	r->m.busses = (uint32_t)busses;
	return psins_setting(r, "psins/bandwidth", r->words[2].s, err) < 0 ||
	               psins_setting(r, "psins/latency", r->words[3].s, err) < 0 ||
	               psins_setting(r, "psins/busses", r->words[4].s, err) < 0
	           ? -1
	           : 0;
}

/* --- Node, Local --- */

/* -1, a node, or first-last. */
static int read_nodes(const struct psins_reader *r, struct node_line *out, struct err *err)
{
	const struct word *w = &r->words[1];
	const char *dash = w->n > 1 ? memchr(w->s + 1, '-', w->n - 1) : NULL;
	size_t first = dash ? (size_t)(dash - w->s) : w->n;
	int64_t lo, hi;

	if (num_parse_i64(w->s, first, &lo) < 0 ||
	    (dash && num_parse_i64(dash + 1, w->n - first - 1, &hi) < 0))
		return psins_wrong(
		    r, 1, err,
		    "node '%.40s': expected its number from 0, first-last, or -1 for all "
		    "the others",
		    w->s);
	if (!dash)
		hi = lo;
	if (lo < -1 || (dash && lo < 0) || hi < lo || hi >= NODES_MAX)
		return psins_wrong(
		    r, 1, err,
		    "node '%.40s': expected its number from 0, first-last, or -1 for all "
		    "the others",
		    w->s);
	*out = lo < 0 ? (struct node_line){.lo = 1, .hi = 0}
	              : (struct node_line){.lo = (uint32_t)lo, .hi = (uint32_t)hi};
	return 0;
}

static int prop_add(struct psins_reader *r, struct node_spec *s, const char *key, uint32_t word,
                    struct err *err)
{
	struct arena *a = &r->b->p->arena;
	struct prop *p = arena_alloc(a, sizeof *p, err);

	if (!p)
		return -1;
	p->key = key;
	p->value = arena_strndup(a, r->words[word].s, r->words[word].n, err);
	p->next = s->props;
	if (!p->value)
		return -1;
	s->props = p;
	return 0;
}

static int read_ratios(struct psins_reader *r, struct node_spec *s, struct err *err)
{
	uint32_t i;

	s->ratios = r->n - 7;
	if (s->ratios > s->cores)
		return psins_wrong(r, 7 + s->cores, err, "a node of %u cores with %u cpu_ratios",
		                   s->cores, s->ratios);
	s->ratio = arena_alloc(&r->b->p->arena, s->ratios * sizeof *s->ratio, err);
	if (!s->ratio)
		return -1;
	for (i = 0; i < s->ratios; i++) {
		const struct word *w = &r->words[7 + i];

		if (num_parse_double(w->s, w->n, &s->ratio[i]) < 0 || !(s->ratio[i] > 0))
			return psins_wrong(
			    r, 7 + i, err,
			    "cpu_ratio '%.40s': expected a positive number, 2 for twice "
			    "the base system's speed",
			    w->s);
	}
	return 0;
}

static int line_add(struct psins_reader *r, const struct node_line *line, struct err *err)
{
	struct node_line *lines = vec_grow(r->lines, &r->lines_cap, sizeof *lines,
	                                   (size_t)r->lines_n + 1, "nodes", err);

	if (!lines)
		return -1;
	r->lines = lines;
	lines[r->lines_n++] = *line;
	return 0;
}

static int read_node(struct psins_reader *r, struct err *err)
{
	struct node_spec *specs, s = {.at = {(uint32_t)input_lineno(r->in), r->words[0].column}};
	struct node_line line;
	int64_t cores, in, out;

	if (psins_words_wanted(r, 8, PSINS_WORDS_MAX,
	                       "Node id cores inp out local_bw local_lt cpu_ratio", err) < 0 ||
	    read_nodes(r, &line, err) < 0 ||
	    psins_count(r, 2, 1, INT32_MAX, "cores", &cores, err) < 0 ||
	    psins_count(r, 3, 0, UINT32_MAX, "inp", &in, err) < 0 ||
	    psins_count(r, 4, 0, UINT32_MAX, "out", &out, err) < 0 ||
	    psins_number(r, 5, UNIT_BANDWIDTH, "local_bw", &s.local_bw, err) < 0 ||
	    psins_number(r, 6, UNIT_TIME, "local_lt", &s.local_lat, err) < 0)
		return -1;
	s.cores = (uint32_t)cores;
	s.in = (uint32_t)in;
	s.out = (uint32_t)out;
	if (read_ratios(r, &s, err) < 0 || prop_add(r, &s, "psins/in-links", 3, err) < 0 ||
	    prop_add(r, &s, "psins/out-links", 4, err) < 0 ||
	    prop_add(r, &s, "psins/local-bandwidth", 5, err) < 0 ||
	    prop_add(r, &s, "psins/local-latency", 6, err) < 0)
		return -1;
	specs = vec_grow(r->m.specs, &r->specs_cap, sizeof *specs, (size_t)r->specs_n + 1, "nodes",
	                 err);
	if (!specs)
		return -1;
	r->m.specs = specs;
	line.spec = r->specs_n;
	specs[r->specs_n++] = s;
	return line_add(r, &line, err);
}

/* --- Map --- */

static int read_map(struct psins_reader *r, struct err *err)
{
	struct platform *p = r->b->p;
	int64_t task, node;
	uint32_t *tasks;

	if (psins_words_wanted(r, 3, 3, "Map task_id node_id", err) < 0 ||
	    psins_count(r, 1, -1, TASKS_MAX - 1, "task", &task, err) < 0 ||
	    psins_count(r, 2, 0, NODES_MAX - 1, "node", &node, err) < 0)
		return -1;
	if (r->machine.line && node >= r->m.n)
		return psins_wrong(r, 2, err, "node %lld: the machine has %u, counted from 0",
		                   (long long)node, r->m.n);
	if (task < 0) {
		p->map.fill = 1;
		p->map.fill_from = (uint32_t)node;
		return 0;
	}
	tasks = vec_grow(p->map.node, &r->tasks_cap, sizeof *tasks, (size_t)task + 1, "tasks", err);
	if (!tasks)
		return -1;
	p->map.node = tasks;
	for (; p->map.n <= task; p->map.n++)
		tasks[p->map.n] = NONE32;
	if (tasks[task] != NONE32)
		return psins_wrong(r, 1, err, "task %lld is on node %u already", (long long)task,
		                   tasks[task]);
	tasks[task] = (uint32_t)node;
	return 0;
}

/* --- Collective, Curve --- */

/* The operation of word 1, in small letters, without "MPI_". */
static const char *read_operation(const struct psins_reader *r, struct err *err)
{
	static const char *const names[] = {"barrier",        "bcast",
	                                    "reduce",         "allreduce",
	                                    "gather",         "gatherv",
	                                    "scatter",        "scatterv",
	                                    "allgather",      "allgatherv",
	                                    "alltoall",       "alltoallv",
	                                    "alltoallw",      "reduce_scatter_block",
	                                    "reduce_scatter", "scan",
	                                    "exscan"};
	const char *s = r->words[1].s;
	size_t i;

	if (text_same_n(s, "MPI_", 4))
		s += 4;
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		if (text_same(names[i], s))
			return names[i];
	}
	psins_wrong(
	    r, 1, err,
	    "there is no collective '%.40s'; there are Barrier, Bcast, Reduce, Allreduce, Gather, "
	    "Scatter, Allgather, Alltoall "
	    "and their vector forms, Alltoallw, Reduce_scatter, Reduce_scatter_block, Scan, Exscan",
	    r->words[1].s);
	return NULL;
}

static int one_of(const struct psins_reader *r, uint32_t i, const char *const *words,
                  const char *what, struct err *err)
{
	int k;

	for (k = 0; words[k]; k++) {
		if (psins_word_is(r, i, words[k]))
			return 0;
	}
	err_set(err, ERR_INPUT, "%s '%.40s': expected", what, r->words[i].s);
	for (k = 0; words[k]; k++)
		err_append(err, "%s %s", k ? "," : "", words[k]);
	char text[256];
	snprintf(text, sizeof text, "%s", err->text);
	return psins_wrong(r, i, err, "%s", text);
}

static int str_check(const struct str *s, struct err *err)
{
	return s->failed ? err_nomem(err, "a machine's description", s->n) : 0;
}

static int read_collective(struct psins_reader *r, struct err *err)
{
	static const char *const growths[] = {"lin", "linear",   "log", "logarithmic",
	                                      "con", "constant", NULL};
	static const char *const models[] = {"0", "CT", "CTE", "LIN", "LOG", NULL};
	static const char *const sizes[] = {"MIN", "MAX", "MEAN", "2MAX", "S+R", NULL};
	const char *name;
	uint32_t i;

	if (psins_words_wanted(r, 3, 7,
	                       "Collective operation lin|log|con, or operation in-model in-size "
	                       "out-model out-size",
	                       err) < 0 ||
	    !(name = read_operation(r, err)))
		return -1;
	if (psins_word_is(r, 2, "pen"))
		return psins_wrong(
		    r, 2, err,
		    "the form of PSINS's penalty function is not published: give its "
		    "values as Curve %s size:bandwidth …",
		    r->words[1].s);
	if (r->n == 3) {
		if (one_of(r, 2, growths, "growth", err) < 0)
			return -1;
		str_printf(&r->growths, "%s%s:%s", r->growths.n ? ";" : "", name, r->words[2].s);
		return str_check(&r->growths, err);
	}
	if (psins_words_wanted(r, 6, 6, "Collective operation in-model in-size out-model out-size",
	                       err) < 0)
		return -1;
	for (i = 2; i < 6; i++) {
		if (one_of(r, i, i % 2 ? sizes : models, i % 2 ? "size" : "model", err) < 0)
			return -1;
	}
	str_printf(&r->fans, "%s%s:%s:%s:%s:%s", r->fans.n ? ";" : "", name, r->words[2].s,
	           r->words[3].s, r->words[4].s, r->words[5].s);
	return str_check(&r->fans, err);
}

/* "size:bandwidth", sizes rising. */
static int read_point(struct psins_reader *r, uint32_t i, double *last, struct err *err)
{
	char text[64];
	const struct word *w = &r->words[i];
	const char *colon = memchr(w->s, ':', w->n);
	double size, bandwidth;

	if (!colon || w->n >= sizeof text)
		return psins_wrong(r, i, err, "'%.40s': expected size:bandwidth", w->s);
	memcpy(text, w->s, w->n + 1);
	text[colon - w->s] = '\0';
	if (units_parse(text, UNIT_SIZE, &size, NULL) < 0 || !(size > *last))
		return psins_wrong(
		    r, i, err,
		    "size '%.40s': expected bytes, more than 0 and than those of the point before",
		    text);
	if (units_parse(text + (colon - w->s) + 1, UNIT_BANDWIDTH, &bandwidth, NULL) < 0 ||
	    !(bandwidth > 0))
		return psins_wrong(r, i, err, "bandwidth '%.40s': expected positive bytes/s",
		                   text + (colon - w->s) + 1);
	*last = size;
	str_printf(&r->curves, ":%.17g:%.17g", size, bandwidth);
	return 0;
}

static int read_curve(struct psins_reader *r, struct err *err)
{
	const char *name;
	double last = 0;
	uint32_t i;

	if (psins_words_wanted(r, 3, PSINS_WORDS_MAX, "Curve operation size:bandwidth …", err) <
	        0 ||
	    !(name = read_operation(r, err)))
		return -1;
	str_printf(&r->curves, "%s%s", r->curves.n ? ";" : "", name);
	for (i = 2; i < r->n; i++) {
		if (read_point(r, i, &last, err) < 0)
			return -1;
	}
	return str_check(&r->curves, err);
}

/* --- Speed, Local, Duplex, IO --- */

static int read_speed(struct psins_reader *r, struct err *err)
{
	if (psins_words_wanted(r, 2, 2, "Speed of-a-processor-of-the-base-system", err) < 0 ||
	    psins_number(r, 1, UNIT_SPEED, "speed", &r->m.base_speed, err) < 0)
		return -1;
	return r->m.base_speed > 0 ? 0 : psins_wrong(r, 1, err, "a speed of 0");
}

static int read_local(struct psins_reader *r, struct err *err)
{
	static const char *const keys[] = {"dimemas/local-buses", "dimemas/local-in-links",
	                                   "dimemas/local-out-links"};
	int64_t ignored;
	uint32_t i;

	if (psins_words_wanted(r, 4, 4, "Local buses inp out", err) < 0)
		return -1;
	for (i = 0; i < 3; i++) {
		if (psins_count(r, i + 1, 0, UINT32_MAX, "count", &ignored, err) < 0 ||
		    psins_setting(r, keys[i], r->words[i + 1].s, err) < 0)
			return -1;
	}
	return 0;
}

static int read_duplex(struct psins_reader *r, struct err *err)
{
	static const char *const words[] = {"half", "full", NULL};

	if (psins_words_wanted(r, 2, 2, "Duplex half or full", err) < 0 ||
	    one_of(r, 1, words, "duplex", err) < 0)
		return -1;
	return psins_setting(r, "dimemas/duplex", psins_word_is(r, 1, "half") ? "half" : "full",
	                     err);
}

static int read_io(struct psins_reader *r, struct err *err)
{
	struct str *out = &r->b->cfg->notices;

	str_printf(
	    out,
	    "%s:%ld: IO changes nothing here: files are where --cfg storage/file-systems says\n",
	    input_name(r->in), input_lineno(r->in));
	return out->failed ? err_nomem(err, "a notice", 0) : 0;
}

/* --- the file --- */

static const struct record {
	const char *name;
	record_fn *read;
} records[] = {
    {"Machine", read_machine},       {"Node", read_node},   {"Map", read_map},
    {"Collective", read_collective}, {"IO", read_io},       {"Speed", read_speed},
    {"Curve", read_curve},           {"Local", read_local}, {"Duplex", read_duplex},
};
enum { RECORDS = sizeof records / sizeof *records };

static const struct record *record_find(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < RECORDS; i++) {
		if (strlen(records[i].name) == n && text_same_n(records[i].name, s, n))
			return &records[i];
	}
	return NULL;
}

static int record_unknown(const struct psins_reader *r, struct err *err)
{
	struct str known;
	size_t i;

	str_init(&known);
	for (i = 0; i < RECORDS; i++)
		str_printf(&known, "%s%s", i ? ", " : "", records[i].name);
	psins_wrong(r, 0, err,
	            "there is no record '%.40s' in a machine description of PSINS; there are %s",
	            r->words[0].s, known.s ? known.s : "");
	str_release(&known);
	return -1;
}

/* "# title: one line": what is known of the machine. */
static int header_line(struct psins_reader *r, const char *line, struct err *err)
{
	struct platform *p = r->b->p;
	const struct {
		const char *key, **to;
	} fields[] = {{"name:", &p->name},
	              {"title:", &p->title},
	              {"source:", &p->source},
	              {"calibration:", &p->calibration}};
	size_t i, n;

	line += strspn(line, "# \t");
	for (i = 0; i < 4; i++) {
		n = strlen(fields[i].key);
		if (strncmp(line, fields[i].key, n) != 0)
			continue;
		line += n + strspn(line + n, " \t");
		for (n = strlen(line); n > 0 && strchr(" \t\r", line[n - 1]); n--)
			;
		*fields[i].to = arena_strndup(&p->arena, line, n, err);
		return *fields[i].to ? 0 : -1;
	}
	return 0;
}

static int lines_read(struct psins_reader *r, struct err *err)
{
	const struct record *record;
	char *line;
	size_t n;
	int got;

	while ((got = input_line(r->in, &line, &n, err)) > 0) {
		if (strlen(line) != n)
			return err_at(err, input_name(r->in), input_lineno(r->in),
			              (long)strlen(line) + 1, "a zero byte");
		if (line[strspn(line, " \t")] == '#' && header_line(r, line, err) < 0)
			return -1;
		if (psins_words_split(r, line, err) < 0)
			return -1;
		if (r->n == 0)
			continue;
		record = record_find(r->words[0].s, r->words[0].n);
		if (!record)
			return record_unknown(r, err);
		if (record->read(r, err) < 0)
			return -1;
	}
	r->n = 0;
	return got;
}

/* The file's name without folder and ".psins". */
static int name_default(struct platform *p, struct err *err)
{
	const char *base = strrchr(p->path, '/');
	size_t n;

	base = base ? base + 1 : p->path;
	n = strlen(base);
	if (n > 6 && strcmp(base + n - 6, ".psins") == 0)
		n -= 6;
	p->name = arena_strndup(&p->arena, base, n, err);
	return p->name ? 0 : -1;
}

int psins_machine_read(struct build *b, const char *path, struct err *err)
{
	struct psins_reader r = {.b = b, .m.base_speed = 1e9};
	int got = -1;

	str_init(&r.growths);
	str_init(&r.fans);
	str_init(&r.curves);
	b->file = path;
	r.in = name_default(b->p, err) < 0 ? NULL : input_open(path, 0, err);
	if (r.in && lines_read(&r, err) == 0)
		got = psins_machine_make(&r, err);
	if (r.specs_cap)
		free(r.m.specs);
	if (r.in)
		input_close(r.in);
	free(r.words);
	free(r.lines);
	str_release(&r.growths);
	str_release(&r.fans);
	str_release(&r.curves);
	return got;
}

/* By its first byte that is no blank: a tag, or of UTF-16 or a mark of UTF-8 or UTF-16. */
static int may_be_xml(unsigned char c)
{
	return c == '<' || c == 0 || c == 0xef || c >= 0xfe;
}

int psins_machine_is(const char *path, struct err *err)
{
	int regular = input_regular(path, err) == 0;
	FILE *f = regular ? fopen(path, "re") : NULL;
	char text[PROBE_BYTES];
	const char *s = text;
	size_t n;
	int failed;

	if (!regular)
		return -1;
	if (!f)
		return err_sys(err, errno, "%s", path);
	n = fread(text, 1, sizeof text - 1, f);
	failed = n < sizeof text - 1 && !feof(f) ? errno : 0;
	fclose(f);
	if (failed)
		return err_sys(err, failed, "%s", path);
	text[n] = '\0';
	for (; s[strspn(s, " \t\r\n")] == '#'; s += strcspn(s, "\n"))
		s += strspn(s, " \t\r\n");
	s += strspn(s, " \t\r\n");
	if (record_find(s, strcspn(s, " \t\r\n")))
		return 1;
	if (s == text + n ? n == sizeof text - 1 : may_be_xml((unsigned char)*s))
		return 0;
	return err_at(err, path, 1, 1,
	              "%sneither XML, as SimGrid's platforms are, nor the description of a PSINS "
	              "machine; 'orrery platform list' has the names of machines",
	              n == 0 ? "the file is empty: " : "");
}
