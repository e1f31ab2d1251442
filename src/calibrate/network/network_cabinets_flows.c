/* network_cabinets_flows.c: blocks of concurrent flows, and the rate of each while all of its block
 * are under way: from when the last one has its first message to when the first one has its last.
 * What comes before is requests and replies; afterwards a link is not full any more, and "all bytes
 * / the time of the last" says less than it carries. */
#include "network_cabinets_int.h"

#include <math.h>
#include <stdlib.h>

/* Messages that came together had dates within this factor. Flows are all under way for long enough
 * if the first ends that many times as late as the last begins. By choice. */
static const double TOGETHER = 1.02, UNDER_WAY = 1.2;

static int by_block(const void *a, const void *b)
{
	const struct net_row *p = a, *q = b;

	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	if (p->pairs != q->pairs)
		return p->pairs < q->pairs ? -1 : 1;
	if (p->src != q->src)
		return p->src < q->src ? -1 : 1;
	if (p->dst != q->dst)
		return p->dst < q->dst ? -1 : 1;
	return (p->duration > q->duration) - (p->duration < q->duration);
}

/* Bytes that a flow has brought by a date, between its arrivals by interpolation. A library may
 * move several messages at once: those that came together had come on together. */
static double brought(const struct flow *f, double date)
{
	double before = 0;
	int had = 0;

	for (int i = 0; i < f->messages; i++) {
		if (i + 1 < f->messages && f->arrival[i + 1] < TOGETHER * f->arrival[i])
			continue;
		if (date < f->arrival[i])
			return f->size *
			       (had + (i + 1 - had) * (date - before) / (f->arrival[i] - before));
		before = f->arrival[i];
		had = i + 1;
	}
	return f->size * f->messages;
}

/* Sets log_rate of a block's flows; 0: nothing can be said. */
static int rates_set(struct flow *f, uint32_t n)
{
	double from = 0, to = INFINITY;

	for (uint32_t i = 0; i < n; i++) {
		from = fmax(from, f[i].arrival[0]);
		to = fmin(to, f[i].arrival[f[i].messages - 1]);
	}
	if (to < UNDER_WAY * from) /* hardly ever all at once: from the beginning, then */
		from = 0;
	for (uint32_t i = 0; i < n; i++) {
		double bytes = brought(&f[i], to) - brought(&f[i], from);

		if (!(bytes > 0) || !(to > from))
			return 0;
		f[i].log_rate = log(bytes / (to - from));
	}
	return 1;
}

static int largest(int a, int b)
{
	return a > b ? a : b;
}

static void block_add(struct seeking *s, const struct net_raw *raw, const struct net_row *row,
                      uint32_t n)
{
	uint32_t first = s->flows;

	for (uint32_t i = 0; i < n && s->flows - first < FLOWS_MOST; s->flows++) {
		struct flow *f = &s->flow[s->flows];

		*f = (struct flow){.a = net_host_of(raw, row[i].src),
		                   .b = net_host_of(raw, row[i].dst),
		                   .size = row[i].size};
		for (int src = row[i].src, dst = row[i].dst;
		     i < n && row[i].src == src && row[i].dst == dst; i++)
			if (f->messages < MESSAGES_MOST)
				f->arrival[f->messages++] = row[i].duration;
		if (f->a >= HOSTS_MOST || f->b >= HOSTS_MOST || f->a == f->b) {
			s->flows--;
			continue;
		}
		if (row[i - 1].left_out & NET_SENDER_OUT)
			s->left_out |= (uint64_t)1 << f->a;
		if (row[i - 1].left_out & NET_RECEIVER_OUT)
			s->left_out |= (uint64_t)1 << f->b;
		s->hosts = largest(s->hosts, 1 + largest(f->a, f->b));
	}
	if (s->flows > first && rates_set(s->flow + first, s->flows - first))
		s->block[s->blocks++] = (struct block){first, s->flows - first};
	else
		s->flows = first;
}

struct net_row *cabinets_rows_take(const struct net_raw *raw, uint32_t *n, struct err *err)
{
	struct net_row *row = malloc(((size_t)raw->n + 1) * sizeof *row);

	*n = 0;
	if (!row) {
		err_nomem(err, "measurements", ((size_t)raw->n + 1) * sizeof *row);
		return NULL;
	}
	for (uint32_t i = 0; i < raw->n; i++)
		if (raw->rows[i].op == NET_LOAD && !raw->rows[i].local)
			row[(*n)++] = raw->rows[i];
	qsort(row, *n, sizeof *row, by_block);
	return row;
}

uint32_t cabinets_block_end(const struct net_row *row, uint32_t first, uint32_t n)
{
	uint32_t end = first;

	while (end < n && row[end].pairs == row[first].pairs && row[end].file == row[first].file)
		end++;
	return end;
}

/* Of more than BLOCKS_MOST blocks, which the measuring program does not make, only every second,
 * third ... is looked at. */
int cabinets_flows_read(struct seeking *s, const struct net_raw *raw, struct err *err)
{
	uint32_t n, blocks = 0, block = 0;
	struct net_row *row = cabinets_rows_take(raw, &n, err);

	if (!row)
		return -1;
	s->flow = malloc(((size_t)n + 1) * sizeof *s->flow);
	s->block = malloc(((size_t)n + 1) * sizeof *s->block);
	s->off = malloc(((size_t)n + 1) * sizeof *s->off);
	for (uint32_t i = 0; i < n; i = cabinets_block_end(row, i, n))
		blocks++;
	for (uint32_t i = 0, next; s->flow && s->block && s->off && i < n; i = next) {
		next = cabinets_block_end(row, i, n);
		if (block++ % (blocks / BLOCKS_MOST + 1) == 0)
			block_add(s, raw, row + i, next - i);
	}
	free(row);
	s->single = -INFINITY;
	for (uint32_t k = 0; s->flow && s->block && k < s->blocks; k++)
		if (s->block[k].n == 1)
			s->single = fmax(s->single, s->flow[s->block[k].first].log_rate);
	return s->flow && s->block && s->off ? 0
	                                     : err_nomem(err, "flows", (size_t)n * sizeof *s->flow);
}
