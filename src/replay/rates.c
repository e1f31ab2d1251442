/* rates.c: calibrated rates of computation: the file, and looking one up. The file is text, words
 * as in a trace (blanks are %20):
 *
 *   # orrery-rates 1
 *   counter perf                                what counted the volumes
 *   speed 2.1e9                                 all regions and hosts: volume per second
 *   host node-3 0.97                            rates of a host relative to those of all
 *   region main.c:12>main.c:20 * 0 1e6 1.9e9 0.01 40 0.021 0.05
 *
 * A region line: name, host or *, working set of a process in bytes or 0, mean volume of a
 * computation, rate, deviation between runs, computations, seconds in all; and, if it is known, the
 * deviation of one computation. */
#include "replay_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "# orrery-rates 1";
enum { REGION_FIELDS = 8, REGION_MORE = 9 /* with the deviation of one computation */ };

static int32_t name_find(char ***names, uint32_t *n, uint32_t *cap, struct hash_str *index,
                         const char *name, struct err *err)
{
	uint32_t i = hash_str_find(index, name);
	char **all;

	if (i != HASH_NONE)
		return (int32_t)i;
	all = vec_grow(*names, cap, sizeof *all, (size_t)*n + 1, "names of rates", err);
	if (!all)
		return -1;
	*names = all;
	all[*n] = strdup(name);
	if (!all[*n])
		return err_nomem(err, "names of rates", strlen(name));
	++*n;
	return hash_str_put(index, name, *n - 1, err) < 0 ? -1 : (int32_t)(*n - 1);
}

int32_t rates_region(struct rates *r, const char *name, struct err *err)
{
	return name_find(&r->region, &r->regions, &r->regions_cap, &r->region_index, name, err);
}

int32_t rates_host(struct rates *r, const char *name, struct err *err)
{
	uint32_t before = r->hosts;
	int32_t i = name_find(&r->host, &r->hosts, &r->hosts_cap, &r->host_index, name, err);
	double *factor = i < 0 ? NULL
	                       : vec_grow(r->factor, &r->factors_cap, sizeof *factor, r->hosts,
	                                  "hosts of rates", err);

	if (!factor)
		return -1;
	r->factor = factor;
	if (r->hosts > before)
		factor[before] = 1;
	return i;
}

int rates_add(struct rates *r, const struct rate_row *row, struct err *err)
{
	struct rate_row *all = vec_grow(r->row, &r->cap, sizeof *all, (size_t)r->n + 1, "rates",
	                                err);

	if (!all)
		return -1;
	r->row = all;
	all[r->n++] = *row;
	return 0;
}

void rates_release(struct rates *r)
{
	for (uint32_t i = 0; i < r->regions; i++)
		free(r->region[i]);
	for (uint32_t i = 0; i < r->hosts; i++)
		free(r->host[i]);
	free(r->region);
	free(r->host);
	free(r->factor);
	free(r->row);
	free(r->counter);
	hash_str_release(&r->region_index);
	hash_str_release(&r->host_index);
	hash64_release(&r->group);
	*r = (struct rates){0};
}

/* --- rows in groups --- */

static uint64_t group_key(int32_t region, int32_t host)
{
	return (uint64_t)(uint32_t)(region + 1) << 32 | (uint32_t)(host + 1);
}

static int by_group(const void *a, const void *b)
{
	const struct rate_row *p = a, *q = b;

	if (p->region != q->region)
		return (p->region > q->region) - (p->region < q->region);
	if (p->host != q->host)
		return (p->host > q->host) - (p->host < q->host);
	if (p->working_set != q->working_set)
		return (p->working_set > q->working_set) - (p->working_set < q->working_set);
	return (p->volume > q->volume) - (p->volume < q->volume);
}

int rates_ready(struct rates *r, struct err *err)
{
	if (r->n > 0)
		qsort(r->row, r->n, sizeof *r->row, by_group);
	hash64_release(&r->group);
	hash64_init(&r->group);
	for (uint32_t i = 0; r->row && i < r->n; i++) {
		const struct rate_row *row = &r->row[i], *last = i ? row - 1 : NULL;

		if ((!last || last->region != row->region || last->host != row->host) &&
		    hash64_put(&r->group, group_key(row->region, row->host), i, err) < 0)
			return -1;
	}
	return 0;
}

/* --- a rate --- */

static int is_beyond(double wanted, double end)
{
	return wanted > 2 * end || wanted < end / 2;
}

/* How far x is from a to b, in logarithms: 0 to 1. */
static double between(double x, double a, double b)
{
	return b > a ? log(x / a) / log(b / a) : 0;
}

/* Of n rows, at least one, in any order: between the two whose volumes are nearest on both
 * sides. */
static double rate_by_volume(const struct rate_row *row, uint32_t n, double volume,
                             enum rates_source *source)
{
	const struct rate_row *below = NULL, *above = NULL, *end;
	double f;

	for (uint32_t i = 0; i < n; i++) {
		if (row[i].volume <= volume && (!below || row[i].volume > below->volume))
			below = &row[i];
		if (row[i].volume >= volume && (!above || row[i].volume < above->volume))
			above = &row[i];
	}
	if (below && above) {
		f = between(volume, below->volume, above->volume);
		return (1 - f) * below->rate + f * above->rate;
	}
	end = below ? below : above ? above : row;
	if (is_beyond(volume, end->volume))
		*source = RATES_BEYOND;
	return end->rate;
}

static uint32_t same_set(const struct rate_row *row, uint32_t n)
{
	uint32_t k = 1;

	while (k < n && row[k].working_set == row->working_set)
		k++;
	return k;
}

/* The nearest working sets on both sides, where one is asked for; else all rows, told apart by
 * their volumes. */
static double rate_of_group(const struct rate_row *row, uint32_t n, double volume,
                            double working_set, enum rates_source *source)
{
	uint32_t at = 0, k = same_set(row, n), before = 0, before_n = 0;
	double f;

	if (k == n || !(working_set > 0))
		return rate_by_volume(row, n, volume, source);
	while (row[at].working_set < working_set && at + k < n) {
		before = at;
		before_n = k;
		at += k;
		k = same_set(row + at, n - at);
	}
	if (before_n == 0 || row[at].working_set < working_set) { /* at an end */
		if (is_beyond(working_set, row[at].working_set))
			*source = RATES_BEYOND;
		return rate_by_volume(row + at, k, volume, source);
	}
	f = row[before].working_set > 0
	        ? between(working_set, row[before].working_set, row[at].working_set)
	        : 1;
	return (1 - f) * rate_by_volume(row + before, before_n, volume, source) +
	       f * rate_by_volume(row + at, k, volume, source);
}

static uint32_t group_size(const struct rates *r, uint32_t first)
{
	uint32_t n = 1;

	while (first + n < r->n && r->row[first + n].region == r->row[first].region &&
	       r->row[first + n].host == r->row[first].host)
		n++;
	return n;
}

double rates_find(const struct rates *r, int32_t region, int32_t host, double volume,
                  double working_set, enum rates_source *source)
{
	double factor = host >= 0 ? r->factor[host] : 1;
	uint32_t first = HASH_NONE;

	*source = RATES_MEASURED;
	if (region >= 0 && host >= 0)
		first = hash64_find(&r->group, group_key(region, host));
	if (first != HASH_NONE)
		return rate_of_group(r->row + first, group_size(r, first), volume, working_set,
		                     source);
	if (region >= 0)
		first = hash64_find(&r->group, group_key(region, RATES_ANY));
	if (first != HASH_NONE)
		return factor * rate_of_group(r->row + first, group_size(r, first), volume,
		                              working_set, source);
	*source = RATES_UNKNOWN;
	return factor * r->speed;
}

int32_t rates_host_find(const struct rates *r, const char *name)
{
	size_t n = strcspn(name, ".");
	uint32_t i = hash_str_find(&r->host_index, name);

	if (i != HASH_NONE)
		return (int32_t)i;
	for (i = 0; i < r->hosts; i++)
		if (strcspn(r->host[i], ".") == n && !strncmp(r->host[i], name, n))
			return (int32_t)i;
	return RATES_ANY;
}

/* --- how far off --- */

static uint32_t group_find(const struct rates *r, int32_t region, int32_t host)
{
	uint32_t first = HASH_NONE;

	if (region >= 0 && host >= 0)
		first = hash64_find(&r->group, group_key(region, host));
	if (region >= 0 && first == HASH_NONE)
		first = hash64_find(&r->group, group_key(region, RATES_ANY));
	return first;
}

static struct rates_spread spread_of_all(const struct rates *r)
{
	struct rates_spread s = {0};
	double seconds = 0;

	for (uint32_t i = 0; i < r->n && r->row; i++) {
		const struct rate_row *row = &r->row[i];

		s.run += row->seconds * row->deviation * row->deviation;
		s.one += row->seconds * row->scatter * row->scatter;
		seconds += row->seconds;
	}
	s.run = seconds > 0 ? sqrt(s.run / seconds) : 0;
	s.one = seconds > 0 ? sqrt(s.one / seconds) : 0;
	return s;
}

static double hosts_deviation(const struct rates *r)
{
	double mean = 0, square = 0;

	for (uint32_t i = 0; i < r->hosts; i++)
		mean += log(r->factor[i]) / r->hosts;
	for (uint32_t i = 0; i < r->hosts; i++)
		square += (log(r->factor[i]) - mean) * (log(r->factor[i]) - mean);
	return r->hosts > 1 ? sqrt(square / (r->hosts - 1)) : 0;
}

struct rates_spread rates_spread(const struct rates *r, int32_t region, int32_t host, double volume)
{
	uint32_t first = group_find(r, region, host);
	const struct rate_row *row = first == HASH_NONE ? NULL : r->row + first, *near = row;
	struct rates_spread s = row ? (struct rates_spread){0} : spread_of_all(r);

	for (uint32_t i = 1, n = row ? group_size(r, first) : 0; i < n; i++)
		if (fabs(log(row[i].volume / volume)) < fabs(log(near->volume / volume)))
			near = &row[i];
	if (near) {
		s.run = near->deviation;
		s.one = near->scatter;
	}
	if (host < 0)
		s.hosts = hosts_deviation(r);
	return s;
}

/* --- the file --- */

void rates_write(const struct rates *r, struct str *out)
{
	str_printf(out, "%s\n", mark);
	if (r->counter && *r->counter) {
		str_puts(out, "counter ");
		str_put_word(out, r->counter);
		str_putc(out, '\n');
	}
	str_printf(out, "speed %.9g\n", r->speed);
	for (uint32_t i = 0; i < r->hosts; i++) {
		str_puts(out, "host ");
		str_put_word(out, r->host[i]);
		str_printf(out, " %.6g\n", r->factor[i]);
	}
	for (uint32_t i = 0; i < r->n; i++) {
		const struct rate_row *row = &r->row[i];

		str_puts(out, "region ");
		str_put_word(out, r->region[row->region]);
		str_putc(out, ' ');
		str_put_word(out, row->host < 0 ? "*" : r->host[row->host]);
		str_printf(out, " %.9g %.9g %.9g %.4g %llu %.9g", row->working_set, row->volume,
		           row->rate, row->deviation, (unsigned long long)row->times, row->seconds);
		if (row->scatter > 0)
			str_printf(out, " %.4g", row->scatter);
		str_putc(out, '\n');
	}
}

/* Cuts a line at its blanks, in place: how many words. */
static int words_cut(char *line, char **word, int most)
{
	int n = 0;

	while (*line) {
		while (*line == ' ' || *line == '\t')
			*line++ = '\0';
		if (!*line)
			break;
		if (n == most)
			return most + 1;
		word[n++] = line;
		line += strcspn(line, " \t");
	}
	return n;
}

struct rates_reader {
	struct rates *r;
	struct input *in;
	char *line; /* as it was, for columns */
	struct err *err;
};

static int number_get(const struct rates_reader *rd, const char *word, double least, double *out,
                      const char *what)
{
	if (num_parse_double(word, strlen(word), out) == 0 && *out >= least && isfinite(*out))
		return 0;
	return err_at(rd->err, input_name(rd->in), input_lineno(rd->in),
	              (long)(word - rd->line) + 1, "expected %s, found '%s'", what, word);
}

static int deviation_get(const struct rates_reader *rd, const char *word, double *out)
{
	const double most = 1e6;

	if (number_get(rd, word, 0, out, "a relative deviation") < 0)
		return -1;
	return *out <= most ? 0
	                    : err_at(rd->err, input_name(rd->in), input_lineno(rd->in),
	                             (long)(word - rd->line) + 1,
	                             "a relative deviation of %g is none: at most %g", *out, most);
}

static int region_get(const struct rates_reader *rd, char **word, int n)
{
	struct rate_row row = {.host = RATES_ANY};
	double times;
	int any = !strcmp(word[1], "*");

	if (number_get(rd, word[2], 0, &row.working_set, "the bytes of a working set, or 0") < 0 ||
	    number_get(rd, word[3], 0, &row.volume, "a volume") < 0 ||
	    number_get(rd, word[4], 0, &row.rate, "a rate above 0") < 0 ||
	    deviation_get(rd, word[5], &row.deviation) < 0 ||
	    number_get(rd, word[6], 0, &times, "how many computations") < 0 ||
	    number_get(rd, word[7], 0, &row.seconds, "seconds") < 0 ||
	    (n == REGION_MORE && deviation_get(rd, word[8], &row.scatter) < 0))
		return -1;
	if (!(row.rate > 0) || !(row.volume > 0))
		return err_at(rd->err, input_name(rd->in), input_lineno(rd->in), 0,
		              "a volume and a rate above 0 were expected, not %s and %s", word[3],
		              word[4]);
	row.times = times < 1e18 ? (uint64_t)times : (uint64_t)1e18;
	word_decode_in_place(word[0]);
	word_decode_in_place(word[1]);
	row.region = rates_region(rd->r, word[0], rd->err);
	if (row.region >= 0 && !any)
		row.host = rates_host(rd->r, word[1], rd->err);
	return row.region < 0 || (!any && row.host < 0) ? -1 : rates_add(rd->r, &row, rd->err);
}

static int host_get(const struct rates_reader *rd, char **word)
{
	double factor;
	int32_t host;

	if (number_get(rd, word[1], 1e-9, &factor, "a factor above 0") < 0)
		return -1;
	word_decode_in_place(word[0]);
	host = rates_host(rd->r, word[0], rd->err);
	if (host < 0)
		return -1;
	rd->r->factor[host] = factor;
	return 0;
}

static int line_get(const struct rates_reader *rd)
{
	char *word[REGION_MORE + 1];
	int n = words_cut(rd->line, word, REGION_MORE + 1);

	if (n == 2 && !strcmp(word[0], "speed"))
		return number_get(rd, word[1], 1e-300, &rd->r->speed, "a rate above 0");
	if (n == 2 && !strcmp(word[0], "counter")) {
		free(rd->r->counter);
		rd->r->counter = strdup(word[1]);
		return rd->r->counter ? 0 : err_nomem(rd->err, "rates", strlen(word[1]));
	}
	if (n == 3 && !strcmp(word[0], "host"))
		return host_get(rd, word + 1);
	if ((n == REGION_FIELDS + 1 || n == REGION_MORE + 1) && !strcmp(word[0], "region"))
		return region_get(rd, word + 1, n - 1);
	return err_at(
	    rd->err, input_name(rd->in), input_lineno(rd->in), 1,
	    "expected 'counter NAME', 'speed RATE', 'host NAME FACTOR' or 'region' with eight or "
	    "nine fields (name, host, working set, volume, rate, deviation, times, seconds, "
	    "deviation of one), found %s%s%s",
	    n > 0 ? "'" : "", n > 0 ? word[0] : "nothing",
	    n > 0 ? (n > REGION_MORE + 1 ? "' with more" : "' with other fields") : "");
}

static int mark_wanted(struct rates_reader *rd)
{
	return err_at(rd->err, input_name(rd->in), 1, 0,
	              "not a file of rates: its first line should be '%s' ('orrery calibrate cpu "
	              "TRACE... -o FILE' writes one)",
	              mark);
}

static int lines_get(struct rates_reader *rd)
{
	size_t n;
	int more;

	while ((more = input_line(rd->in, &rd->line, &n, rd->err)) > 0) {
		if (input_lineno(rd->in) == 1 && strcmp(rd->line, mark) != 0)
			return mark_wanted(rd);
		if (rd->line[0] != '#' && rd->line[strspn(rd->line, " \t")] && line_get(rd) < 0)
			return -1;
	}
	if (more == 0 && input_lineno(rd->in) == 0)
		return mark_wanted(rd); /* it is empty */
	if (more == 0 && !(rd->r->speed > 0))
		return err_at(rd->err, input_name(rd->in), 0, 0,
		              "no line 'speed RATE': for what is in no region");
	return more;
}

int rates_read(struct rates *r, const char *path, struct err *err)
{
	struct rates_reader rd = {.r = r, .err = err, .in = input_open(path, 0, err)};
	int result;

	if (!rd.in)
		return -1;
	result = lines_get(&rd);
	input_close(rd.in);
	if (result == 0)
		result = rates_ready(r, err);
	if (result < 0)
		rates_release(r);
	return result;
}
