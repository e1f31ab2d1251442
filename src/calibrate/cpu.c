/* cpu.c: see cpu.h. Rates are weighted: all volume over all seconds, so that a thousand computations of a microsecond do not outvote one of a second
 * (Markomanolis, thesis 2014, 4.1). */
#include "cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cpu_sample *sample_get(struct cpu_rates *c, const char *name, struct err *err)
{
	struct cpu_region *r = NULL;
	struct cpu_sample *s;

	for (uint32_t i = 0; i < c->regions && !r; i++)
		if (!strcmp(c->region[i].name, name))
			r = &c->region[i];
	if (!r) {
		struct cpu_region *all = vec_grow(c->region, &c->regions_cap, sizeof *all, (size_t)c->regions + 1, "regions", err);

		if (!all)
			return NULL;
		c->region = all;
		r = &all[c->regions];
		*r = (struct cpu_region){.name = strdup(name)};
		if (!r->name) {
			err_nomem(err, "regions", strlen(name));
			return NULL;
		}
		c->regions++;
	}
	if (r->n > 0 && r->sample[r->n - 1].trace == c->traces)
		return &r->sample[r->n - 1];
	s = vec_grow(r->sample, &r->cap, sizeof *s, (size_t)r->n + 1, "rates", err);
	if (!s)
		return NULL;
	r->sample = s;
	s[r->n] = (struct cpu_sample){.trace = c->traces};
	return &s[r->n++];
}

static struct cpu_host *host_get(struct cpu_rates *c, const char *name, size_t n, struct err *err)
{
	struct cpu_host *h;

	for (uint32_t i = 0; i < c->hosts; i++)
		if (strlen(c->host[i].name) == n && !memcmp(c->host[i].name, name, n))
			return &c->host[i];
	h = vec_grow(c->host, &c->hosts_cap, sizeof *h, (size_t)c->hosts + 1, "hosts", err);
	if (!h)
		return NULL;
	c->host = h;
	h[c->hosts] = (struct cpu_host){.name = strndup(name, n)};
	if (!h[c->hosts].name) {
		err_nomem(err, "hosts", n);
		return NULL;
	}
	return &h[c->hosts++];
}

/* "solve.c:120", or the name of the MPI function. */
static void place_name(const struct trace_event *ev, char *out, size_t n)
{
	if (ev->text)
		snprintf(out, n, "%s:%lld", ev->text, (long long)ev->line);
	else
		snprintf(out, n, "%s", trace_op_mpi((enum trace_op)ev->op));
}

static int computed(struct cpu_rates *c, const char *name, double volume, double seconds, struct err *err)
{
	struct cpu_sample *s = sample_get(c, name, err);

	if (!s)
		return -1;
	s->n++;
	s->volume += volume;
	s->seconds += seconds;
	return 0;
}

static int rank_add(struct cpu_rates *c, struct trace *t, uint32_t rank, struct cpu_host *host, struct err *err)
{
	char before[120] = "start", here[120], name[260];
	double volume = 0, seconds = 0;
	struct trace_event ev;
	int more;

	while ((more = trace_next(t, rank, &ev, err)) > 0) {
		if (ev.op == TRACE_COMPUTE) {
			if (ev.duration > 0 && ev.volume > 0) {
				volume += ev.volume;
				seconds += ev.duration;
			}
			continue;
		}
		if (!trace_op_mpi((enum trace_op)ev.op)[0])
			continue;
		place_name(&ev, here, sizeof here);
		snprintf(name, sizeof name, "%s to %s", before, here);
		if (seconds > 0) {
			if (computed(c, name, volume, seconds, err) < 0)
				return -1;
			host->volume += volume;
			host->seconds += seconds;
			c->volume += volume;
			c->seconds += seconds;
		}
		volume = seconds = 0;
		memcpy(before, here, sizeof before);
	}
	return more;
}

int cpu_add(struct cpu_rates *c, struct trace *t, const char *hosts, struct err *err)
{
	const char *p = hosts && *hosts ? hosts : "?";
	int r = 0;

	for (uint32_t rank = 0; rank < trace_ranks(t) && r == 0; rank++) {
		struct cpu_host *h = host_get(c, p, strcspn(p, ","), err);

		r = h ? rank_add(c, t, rank, h, err) : -1;
		if (p[strcspn(p, ",")] == ',')
			p += strcspn(p, ",") + 1;
	}
	c->traces++;
	return r;
}

void cpu_release(struct cpu_rates *c)
{
	for (uint32_t i = 0; i < c->regions; i++) {
		free(c->region[i].name);
		free(c->region[i].sample);
	}
	for (uint32_t i = 0; i < c->hosts; i++)
		free(c->host[i].name);
	free(c->region);
	free(c->host);
	*c = (struct cpu_rates){0};
}

static double each(const struct cpu_sample *s)
{
	return s->volume / (double)s->n;
}

double cpu_rate_at(const struct cpu_region *r, double volume)
{
	const struct cpu_sample *below = NULL, *above = NULL;
	double f;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct cpu_sample *s = &r->sample[i];

		if (each(s) <= volume && (!below || each(s) > each(below)))
			below = s;
		if (each(s) >= volume && (!above || each(s) < each(above)))
			above = s;
	}
	if (!below || !above || below == above)
		return below ? below->volume / below->seconds : above ? above->volume / above->seconds : 0;
	f = each(above) > each(below) ? log(volume / each(below)) / log(each(above) / each(below)) : 0;
	return (1 - f) * below->volume / below->seconds + f * above->volume / above->seconds;
}

struct region_sum {
	double volume, seconds, low, high, deviation; /* rates of the traces: least, most, relative deviation */
	uint64_t n;
};

static struct region_sum region_sum(const struct cpu_region *r)
{
	struct region_sum s = {.low = INFINITY};
	double mean = 0, square = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		double rate = r->sample[i].volume / r->sample[i].seconds;

		s.volume += r->sample[i].volume;
		s.seconds += r->sample[i].seconds;
		s.n += r->sample[i].n;
		s.low = fmin(s.low, rate);
		s.high = fmax(s.high, rate);
		mean += rate / r->n;
	}
	for (uint32_t i = 0; i < r->n; i++)
		square += pow(r->sample[i].volume / r->sample[i].seconds - mean, 2);
	s.deviation = r->n > 1 ? sqrt(square / (r->n - 1)) / mean : 0;
	return s;
}

void cpu_text(const struct cpu_rates *c, struct str *out)
{
	str_printf(out, "%-52s %10s %12s %14s %14s %14s %9s\n", "region", "times", "seconds", "rate", "least", "most", "deviation");
	for (uint32_t i = 0; i < c->regions; i++) {
		struct region_sum s = region_sum(&c->region[i]);

		str_printf(out, "%-52s %10llu %12.6f %14.6g %14.6g %14.6g %8.1f%%\n", c->region[i].name, (unsigned long long)s.n,
		           s.seconds, s.volume / s.seconds, s.low, s.high, 100 * s.deviation);
	}
	str_printf(out, "\n%-52s %10s %12s %14s\n", "host", "", "seconds", "rate");
	for (uint32_t i = 0; i < c->hosts; i++)
		if (c->host[i].seconds > 0)
			str_printf(out, "%-52s %10s %12.6f %14.6g\n", c->host[i].name, "", c->host[i].seconds,
			           c->host[i].volume / c->host[i].seconds);
	str_printf(out, "\nspeed: %.6g\n", c->volume / c->seconds);
}

void cpu_json(const struct cpu_rates *c, struct str *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_double(&j, "speed", c->volume / c->seconds);
	json_key(&j, "regions");
	json_array(&j);
	for (uint32_t i = 0; i < c->regions; i++) {
		const struct cpu_region *r = &c->region[i];
		struct region_sum s = region_sum(r);

		json_object(&j);
		json_put_string(&j, "name", r->name);
		json_put_int(&j, "times", (int64_t)s.n);
		json_put_double(&j, "seconds", s.seconds);
		json_put_double(&j, "rate", s.volume / s.seconds);
		json_put_double(&j, "deviation", s.deviation);
		json_key(&j, "by_volume");
		json_array(&j);
		for (uint32_t k = 0; k < r->n; k++) {
			json_object(&j);
			json_put_double(&j, "volume", each(&r->sample[k]));
			json_put_double(&j, "rate", r->sample[k].volume / r->sample[k].seconds);
			json_end(&j);
		}
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "hosts");
	json_array(&j);
	for (uint32_t i = 0; i < c->hosts; i++) {
		json_object(&j);
		json_put_string(&j, "name", c->host[i].name);
		json_put_double(&j, "rate", c->host[i].seconds > 0 ? c->host[i].volume / c->host[i].seconds : 0);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	str_putc(out, '\n');
}
