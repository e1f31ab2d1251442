/* network_wire.c: the links: round trips of all sizes, the bandwidth, what an idle link sends at
 * once, what each message costs it besides its bytes. */
#include "network_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Round trips that there must be; trains that tell of headers; for a median of what a line leaves.
 */
enum { ROWS_LEAST = 8, FEW_LEAST = 3, REST_LEAST = 5 };
/* Of the largest message. From SLOPE_PART on messages are large: their slope is the bandwidth; from
 * LARGE_PART on where no line rises. Medium sizes, by which a burst is seen, end at MEDIUM_PART, so
 * that the ranges above them are nearly full. */
static const double SLOPE_PART = 1.0 / 200, LARGE_PART = 1.0 / 8, MEDIUM_PART = 1.0 / 20;
/* bytes: what a message takes that is latency alone is that of a small one. */
static const double SMALL_SIZE = 16;
/* A range of medium sizes: from so many bytes to so many times as many. A burst changes the slope
 * that it is seen by, and the slope the burst: the two settle within so many rounds. */
static const double RANGE_RATIO = 5;
enum { BURST_ROUNDS = 4 };
/* A line of large messages with less than half the slope of the last one is flat: sizes that a
 * burst takes in. One that is lower by less than 3 % is the same within what lines are measured to.
 */
static const double FLAT = 0.5, FASTER = 0.97;
/* bytes: from here on messages are of medium size; less is a few packets of 1,500 bytes, whose
 * number is what is seen. */
static const double MEDIUM = 4000;
/* bytes: a burst of less than a packet of Ethernet is none. */
static const double BURST_LEAST = 1500;
/* What two ranges of medium sizes lack is the same (a shift, no slope) to a half of it. */
static const double SHIFT = 0.5;
/* bytes/s: beyond, a clock stands still or runs wild. */
static const double BANDWIDTH_LEAST = 1e-3, BANDWIDTH_MOST = 1e18;
/* A round trip without pauses that takes so much longer than one with them is held up by the links.
 */
static const double LIMITED = 1.2;
/* bytes: who measured none so small does not know what one takes that is latency alone. */
static const double SMALL = 1000;
/* Of the shortest round trip: what a clock's steps are at most, to be told it by. */
static const double COARSE = 0.1;
/* Of what is measured: a link's nominal bandwidth is no less, but for errors. */
static const double NOMINAL = 0.9;
/* Round trips cannot take longer than the time in which they were made; with durations in ms or us
 * they do, by more than this. And a network whose latency, s, is longer is none. */
static const double TIMES_OVER = 20, LATENCY_MOST = 0.1;
/* bytes: headers of one message; Ethernet, IP, TCP and the library's have 66 to 200. */
static const double HEADER_MOST = 500;

/* Without round trips between hosts there is nothing to begin with: what there is instead, and what
 * to do. */
static int round_trips_missing(const struct net_raw *raw, size_t n, struct err *err)
{
	size_t inside = 0, far = 0;

	if (raw->n == 0 && raw->notes.n > 0) /* which file */
		return err_set(err, ERR_INPUT,
		               "%.*s: it is empty, or has a header only; 'calibrate network --raw' "
		               "writes such files",
		               (int)raw->notes.n - 1, raw->notes.s);
	if (raw->n == 0)
		return err_set(err, ERR_INPUT, "no measurements");
	for (uint32_t i = 0; i < raw->n; i++) {
		inside += raw->rows[i].op == NET_PINGPONG && raw->rows[i].local;
		far += raw->rows[i].op == NET_PINGPONG && raw->rows[i].far;
	}
	if (inside + far > 0)
		return err_set(err, ERR_INPUT,
		               "too few round trips between hosts: %zu; %zu are inside a host, %zu "
		               "between cabinets: measure with two hosts of a cabinet or more",
		               n, inside, far);
	return err_set(err, ERR_INPUT,
	               "too few round trips: %zu of %u measurements; these are rows 'pingpong', or "
	               "in files without a header MPI_Recv "
	               "after an MPI_Send of the same size, at least 8 of five sizes",
	               n, raw->n);
}

/* The time that a clock tells apart: the least difference between the shortest ones of n sorted
 * durations, if all of these are multiples of it; 0: they are not. */
static double clock_step(const double *sorted, size_t n)
{
	enum { SHORTEST = 50 };                           /* different ones */
	static const double SAME = 1e-9, MULTIPLE = 0.05; /* s, as they are written; of a step */
	double step = INFINITY;
	size_t m = n > 0, different = 1;

	for (; m < n && different < SHORTEST; m++) {
		double more = sorted[m] - sorted[m - 1];

		if (more > SAME) {
			step = fmin(step, more);
			different++;
		}
	}
	for (size_t i = 0; i < m && isfinite(step); i++)
		if (fabs(sorted[i] / step - round(sorted[i] / step)) > MULTIPLE)
			step = INFINITY;
	return isfinite(step) ? step : 0;
}

/* Durations in another unit than seconds: round trips of one rank, which makes them one after the
 * other, take longer than the time between its first and last; or the shortest is no message's. */
static void unit_look(struct fitting *w, double shortest)
{
	const struct net_row *first = row_of(w, NET_PINGPONG, 0);
	double sum = 0, begin = INFINITY, end = -INFINITY;
	char text[300] = "";

	for (size_t i = 0; i < rows_of(w, NET_PINGPONG); i++) {
		const struct net_row *r = row_of(w, NET_PINGPONG, i);

		if (r->file != first->file || r->src != first->src)
			continue;
		sum += r->duration;
		begin = fmin(begin, r->start);
		end = fmax(end, r->start);
	}
	if (end > begin && sum > TIMES_OVER * (end - begin))
		snprintf(
		    text, sizeof text,
		    "durations: round trips of %.3g s and more, %.3g s in all, by clocks that "
		    "went on by %.3g s: are they in seconds? Of ms divide column 'duration' by "
		    "1e3, of us by 1e6",
		    shortest, sum, end - begin);
	else if (shortest / 2 > LATENCY_MOST)
		snprintf(text, sizeof text,
		         "durations: the shortest round trip takes %.3g s: are they in seconds? Of "
		         "ms divide column 'duration' by 1e3, of us by 1e6",
		         shortest);
	if (*text) {
		net_warn(w->f, text);
		w->f->not_seconds = 1;
	}
}

/* Whether what was measured depends on the size at all: of one size, or one duration for all, no
 * line can be told from another. */
static int variety_check(const double *x, const double *y, size_t n, struct err *err)
{
	int sizes = 0, durations = 0;

	for (size_t i = 1; i < n; i++) {
		sizes |= x[i] != x[0];
		durations |= y[i] != y[0];
	}
	if (!sizes)
		return err_set(err, ERR_INPUT,
		               "all %zu round trips between hosts are of %.0f bytes: five sizes at "
		               "least are wanted, from 1 byte to some MB",
		               n, x[0]);
	return durations ? 0
	                 : err_set(err, ERR_INPUT,
	                           "all %zu round trips between hosts took %g s, whatever their "
	                           "sizes: these are no measurements, or of too coarse a clock",
	                           n, y[0]);
}

/* What was measured cannot tell what small messages take: by a clock that is too coarse, or none
 * were. */
static void small_look(struct fitting *w, const double *y, size_t n)
{
	double *sorted = step_alloc(w, n, sizeof *sorted), step;
	char text[300];

	if (!sorted || n < ROWS_LEAST)
		return;
	memcpy(sorted, y, n * sizeof *sorted);
	fit_sort(sorted, n);
	unit_look(w, sorted[0]);
	step = clock_step(sorted, n);
	if (step > COARSE * sorted[0]) {
		snprintf(text, sizeof text,
		         "clock: the shortest round trips are multiples of %.3g s and take %.3g s: "
		         "what small messages take is known no better than that; MPI_Wtime of "
		         "another MPI library may be finer",
		         step, sorted[0]);
		net_warn(w->f, text);
	}
	if (w->f->smallest > SMALL) {
		snprintf(text, sizeof text,
		         "no round trips of less than %.0f bytes: what smaller messages take, and "
		         "the latency, is a guess",
		         w->f->smallest);
		net_warn(w->f, text);
	}
}

int round_trip_fit(struct fitting *w, struct err *err)
{
	double *x, *y;
	size_t n = rows_take(w, NET_PINGPONG, 0, 0, 0, INFINITY, &x, &y);
	struct err why;
	int r;

	w->f->smallest = n ? INFINITY : 0;
	for (size_t i = 0; i < n; i++) {
		w->f->smallest = fmin(w->f->smallest, x[i]);
		w->f->largest = fmax(w->f->largest, x[i]);
	}
	if (n >= ROWS_LEAST && variety_check(x, y, n, err) < 0)
		return -1;
	small_look(w, y, n);
	for (size_t i = 0; i < n; i++)
		y[i] /= 2;
	if (w->lost)
		return 0;
	r = n < ROWS_LEAST ? round_trips_missing(w->raw, n, err)
	                   : lines_find(w, x, y, n, NULL, &w->round_trip, &why);
	if (r < 0 && n >= ROWS_LEAST)
		return err_set(err, why.kind, "round trips between hosts: %s", why.text);
	return r;
}

/* What is left of half round trips of sizes from lo to hi beside inverse * size, their median; NAN:
 * too few. Those of a rendezvous wait for a request and a reply besides. */
static double median_rest(struct fitting *w, double lo, double hi, double inverse)
{
	double *x, *y, m = NAN,
	               more = w->f->ordered ? 2 * fit_segments_value(&w->round_trip, CONTROL) : 0;
	size_t n = rows_take(w, NET_PINGPONG, 0, 0, lo, hi, &x, &y);

	for (size_t i = 0; i < n; i++)
		y[i] = y[i] / 2 - inverse * x[i] - (x[i] >= net_asked_from(w->f) ? more : 0);
	if (n >= REST_LEAST)
		m = fit_median(y, n);
	return m;
}

/* The median of (half a round trip - offset) / size of sizes from lo on; 0: too few. */
static double median_slope(struct fitting *w, double lo, double offset)
{
	double *x, *y, m = 0,
	               more = w->f->ordered ? 2 * fit_segments_value(&w->round_trip, CONTROL) : 0;
	size_t n = rows_take(w, NET_PINGPONG, 0, 0, lo, INFINITY, &x, &y);

	for (size_t i = 0; i < n; i++)
		y[i] = (y[i] / 2 - offset - (x[i] >= net_asked_from(w->f) ? more : 0)) / x[i];
	if (n >= ROWS_LEAST)
		m = fit_median(y, n);
	return m;
}

/* Lines through half round trips of large messages, and of how many. */
enum { SLOPES = 64 };
struct slope_lines {
	struct fit_segment line[SLOPES];
	size_t n, points;
};

/* Adds those of sizes from lo to hi; -1: fewer than `least` round trips. */
static int slope_lines_add(struct fitting *w, double lo, double hi, size_t least,
                           struct slope_lines *l)
{
	struct fit_options o = {.least_points = 20, .penalty = 3};
	struct fit_segments s = {0};
	struct err why;
	double *x, *y;
	size_t n = rows_take(w, NET_PINGPONG, 0, 0, lo, hi, &x, &y);
	int r = -1;

	for (size_t i = 0; i < n; i++)
		y[i] /= 2;
	if (n < o.least_points) /* one line; an outlier or two may be among them */
		o.least_points = n - n / 5;
	if (n >= least && lines_find(w, x, y, n, &o, &s, &why) == 0 && l->n + s.n <= SLOPES) {
		memcpy(l->line + l->n, s.segment, s.n * sizeof *s.segment);
		l->n += s.n;
		l->points += n;
		r = 0;
	}
	fit_segments_release(&s);
	return r;
}

/* No line of large messages rises: what they take for each byte, and a warning. */
static double slope_guess(struct fitting *w)
{
	const double large = w->f->largest * LARGE_PART;
	double *x, *y, slope = 0;
	size_t n = rows_take(w, NET_PINGPONG, 0, 0, large, INFINITY, &x, &y);

	for (size_t i = 0; i < n; i++)
		y[i] /= 2 * fmax(x[i], 1);
	if (n)
		slope = fit_median(y, n);
	net_warn(w->f, "round trips of large messages do not take longer the larger they are: the "
	               "bandwidth is a guess; quieter "
	               "processors, or larger messages (--largest), would tell");
	return slope;
}

/* There are too few large messages for lines of their own: the slope of the last line through all
 * round trips, if it is told from none; else all of the largest message's time, which has its
 * latency in it, is at least what its bytes take. */
static double slope_of_few(struct fitting *w, double *relative_95)
{
	const struct fit_segment *all = &w->round_trip.segment[w->round_trip.n - 1];
	double largest = w->f->largest,
	       most = fit_segments_value(&w->round_trip, largest) / largest;

	if (all->slope > all->slope_95 && all->slope <= most) {
		*relative_95 = all->slope_95 / all->slope;
		return all->slope;
	}
	return most > 0 ? most : slope_guess(w);
}

/* s is faster than `than`, and not by chance: their difference is beyond what both are known to,
 * were the two drawn `tries` times (Bonferroni, by normal quantiles). */
static int surely_faster(const struct fit_segment *s, const struct fit_segment *than, size_t tries)
{
	/* of a normal distribution: beyond these with 2.5 % / 1, 2, 4, 8 or more, over the first */
	static const double more[] = {1, 1.144, 1.274, 1.395, 1.509};
	size_t k = 0;

	while (k + 1 < sizeof more / sizeof *more && ((size_t)1 << k) < tries)
		k++;
	return s->slope < FASTER * than->slope &&
	       than->slope - s->slope > more[k] * hypot(s->slope_95, than->slope_95);
}

/* The slope of the last line, or of another one that is clearly faster and has a quarter of the
 * round trips; but not faster by more than 2: what is nearly flat is sizes that a burst takes in.
 * Where many are above the threshold, those are fitted alone: a change of protocol that noise hides
 * would bend the last line. *relative_95: half-width of its 95 % interval, relative; 0: not
 * known. */
static double slope_find(struct fitting *w, double lo, double *relative_95)
{
	/* round trips of a line; of one above the threshold alone, where sizes go RANGE times
	 * beyond it, fewer will do: it is one line */
	enum { FEW = 20, MANY = 7, RANGE = 4 };
	double d = w->f->detached, slope = 0;
	struct slope_lines l = {.n = 0};
	const struct fit_segment *best;
	size_t last;

	*relative_95 = 0;
	if (d > lo && RANGE * d <= w->f->largest &&
	    slope_lines_add(w, d, INFINITY, MANY, &l) == 0) {
		last = l.n - 1;
		slope_lines_add(w, lo, d, FEW, &l);
	} else if (slope_lines_add(w, lo, INFINITY, FEW, &l) == 0) {
		last = l.n - 1;
	} else {
		return slope_of_few(w, relative_95);
	}
	best = &l.line[last];
	for (size_t i = 0; i < l.n; i++) {
		const struct fit_segment *s = &l.line[i];

		if (s->slope > FLAT * l.line[last].slope && s->n >= l.points / 4 &&
		    (best->slope <= 0 || surely_faster(s, best, l.n - 1)))
			best = s;
	}
	slope = best->slope;
	*relative_95 = best->slope_95 / slope;
	if (slope > 0)
		return slope;
	*relative_95 = 0;
	return slope_guess(w);
}

/* Whether messages of medium size take less than (the smallest + size / bandwidth), all by the same
 * amount: *offset, s, is then below 0. Medium: a hundred times a range of sizes, that it be a shift
 * and not a slope. */
static int burst_seen(struct fitting *w, double medium, double slope, double *offset)
{
	const double middle = RANGE_RATIO * medium, most = RANGE_RATIO * middle;
	double small = fit_segments_value(&w->round_trip, SMALL_SIZE),
	       lower = median_rest(w, medium, middle, slope),
	       upper = median_rest(w, middle, most, slope);

	*offset = (lower + upper) / 2;
	return lower < 0 && upper < 0 && (small - *offset) / slope >= BURST_LEAST &&
	       fabs(lower - upper) <= SHIFT * fabs(lower) && (small - *offset) / slope < 2 * medium;
}

/* Clocks that stand still or run wild. */
static int bandwidth_check(const struct fitting *w, struct err *err)
{
	return w->f->bandwidth >= BANDWIDTH_LEAST && w->f->bandwidth <= BANDWIDTH_MOST
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "round trips of up to %.0f bytes give a bandwidth of %g B/s: their "
	                     "durations are not right",
	                     w->f->largest, w->f->bandwidth);
}

/* The bandwidth, and the burst. */
int wire_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	const double large = fmax(f->largest * SLOPE_PART, MEDIUM);
	double relative_95, slope = slope_find(w, large, &relative_95);
	double small = fit_segments_value(&w->round_trip, SMALL_SIZE), offset, better,
	       medium = MEDIUM, most = f->largest * MEDIUM_PART;

	while (medium < most && !burst_seen(w, medium, slope, &offset))
		medium *= 2;
	for (int round = 0;
	     round < BURST_ROUNDS && medium < most && burst_seen(w, medium, slope, &offset);
	     round++) {
		f->burst = (small - offset) / slope;
		better = median_slope(w, RANGE_RATIO * medium, offset);
		slope = better > 0 ? better : slope;
	}
	f->bandwidth = 1 / slope;
	f->bandwidth_95 = relative_95 / slope;
	if (w->bandwidth > f->bandwidth) {
		f->bandwidth = w->bandwidth;
		f->bandwidth_95 = 0;
	} else if (w->bandwidth > 0 && w->bandwidth < NOMINAL * f->bandwidth) {
		char text[200];

		snprintf(text, sizeof text,
		         "a bandwidth of %.4g B/s was given, and messages have %.4g: it is not "
		         "used; is its unit right?",
		         w->bandwidth, f->bandwidth);
		net_warn(f, text);
	}
	return w->lost ? 0 : bandwidth_check(w, err);
}

/* Round trips without pauses, of messages that a full bucket lets through at once: each takes (size
 * + header) of it in each direction, and no more than the rate is added. Where latency alone takes
 * longer than that nothing is known, and nothing lost. */
int header_fit(struct fitting *w, struct err *err)
{
	struct net_fit *f = w->f;
	double *x, *y, header;
	size_t n = rows_take(w, NET_TRAIN, 0, 0, 0, INFINITY, &x, &y), m = 0;

	(void)err;
	for (size_t i = 0; i < n; i++)
		if (y[i] > LIMITED * 2 * net_fit_pingpong(f, x[i]) && x[i] <= f->burst)
			y[m++] = y[i] * f->bandwidth - x[i];
	header = m >= FEW_LEAST ? fit_median(y, m) : 0;
	f->header = header > 0 && header < HEADER_MOST ? header : 0;
	return 0;
}
