/* info_summary.c: see info_summary.h. */
#include "info_summary.h"

#include <stdio.h>

enum { COMMS_SHOWN = 12 };

static void comm_title(char *buf, size_t n, uint64_t comm)
{
	if (comm <= 1)
		snprintf(buf, n, "%s", comm ? "MPI_COMM_SELF" : "MPI_COMM_WORLD");
	else
		snprintf(buf, n, "%u.%u", (unsigned)(comm >> 32), (unsigned)comm - 2);
}

static void comms_text(const struct trace_summary *s, struct str *out)
{
	char title[32], bytes[32];

	if (s->comms == 0)
		return;
	str_printf(out, "\n%-22s %14s %14s\n", "communicator", "calls", "sent");
	for (uint32_t i = 0; i < s->comms && i < COMMS_SHOWN; i++) {
		comm_title(title, sizeof title, s->comm[i].comm);
		fmt_si(bytes, sizeof bytes, s->comm[i].bytes, "B");
		str_printf(out, "%-22s %14llu %14s\n", title, (unsigned long long)s->comm[i].calls,
		           bytes);
	}
	if (s->comms > COMMS_SHOWN)
		str_printf(out, "and %u more: --json\n", s->comms - COMMS_SHOWN);
}

static void sizes_text(const struct trace_summary *s, struct str *out)
{
	char from[32];

	if (s->messages == 0)
		return;
	str_printf(out, "\n%-22s %14s %14s\n", "messages from size", "number", "share");
	for (int k = 0; k < TRACE_SIZES; k++) {
		if (s->size[k] == 0)
			continue;
		fmt_si(from, sizeof from, k ? (double)(UINT64_C(1) << k) : 0, "B");
		str_printf(out, "%-22s %14llu %12.2f %%\n", from, (unsigned long long)s->size[k],
		           100.0 * (double)s->size[k] / (double)s->messages);
	}
}

static const struct {
	const char *title, *key;
} rows[TRACE_MEASURES] = {
    [TRACE_COMPUTATION_SECONDS] = {"computation, s", "computation_seconds"},
    [TRACE_COMPUTATION_VOLUME] = {"computation, volume", "computation_volume"},
    [TRACE_CALLS_SECONDS] = {"calls, s", "calls_seconds"},
    [TRACE_BYTES_SENT] = {"sent, bytes", "bytes_sent"},
};

static void balance_text(const struct trace_summary *s, struct str *out)
{
	int rows_put = 0;

	for (int i = 0; s->ranks > 1 && i < TRACE_MEASURES; i++) {
		struct trace_spread p = trace_summary_spread(s, (enum trace_measure)i);

		if (p.mean > 0 && rows_put++ == 0)
			str_printf(out, "\n%-22s %14s %14s %8s %14s %8s %14s\n", "load balance",
			           "mean", "least", "rank", "most", "rank", "most/mean");
		if (p.mean > 0)
			str_printf(out, "%-22s %14.6g %14.6g %8u %14.6g %8u %14.3f\n",
			           rows[i].title, p.mean, p.least, p.least_rank, p.most,
			           p.most_rank, p.most / p.mean);
	}
}

static void io_text(const struct trace_io *io, const char *title, struct str *out)
{
	char read[32], written[32];

	if (io->calls == 0)
		return;
	fmt_si(read, sizeof read, io->read, "B");
	fmt_si(written, sizeof written, io->written, "B");
	str_printf(out, "%-22s %14llu %14s %16s %14.6g\n", title, (unsigned long long)io->calls,
	           read, written, io->seconds);
}

void info_summary_text(const struct trace_summary *s, struct str *out)
{
	comms_text(s, out);
	sizes_text(s, out);
	balance_text(s, out);
	if (s->mpi_io.calls + s->system_io.calls == 0)
		return;
	str_printf(out, "\n%-22s %14s %14s %16s %14s\n", "files", "calls", "read", "written",
	           "measured s");
	io_text(&s->mpi_io, "MPI", out);
	io_text(&s->system_io, "operating system", out);
}

static void comms_json(const struct trace_summary *s, struct json *j)
{
	char title[32];

	json_key(j, "by_communicator");
	json_object(j);
	for (uint32_t i = 0; i < s->comms; i++) {
		comm_title(title, sizeof title, s->comm[i].comm);
		json_key(j, title);
		json_object(j);
		json_put_int(j, "calls", (int64_t)s->comm[i].calls);
		json_put_double(j, "bytes_sent", s->comm[i].bytes);
		json_end(j);
	}
	json_end(j);
}

static void sizes_json(const struct trace_summary *s, struct json *j)
{
	json_key(j, "message_sizes");
	json_array(j);
	for (int k = 0; k < TRACE_SIZES; k++) {
		if (s->size[k] == 0)
			continue;
		json_object(j);
		json_put_double(j, "from", k ? (double)(UINT64_C(1) << k) : 0);
		json_put_int(j, "messages", (int64_t)s->size[k]);
		json_end(j);
	}
	json_end(j);
}

static void balance_json(const struct trace_summary *s, struct json *j)
{
	json_key(j, "balance");
	json_object(j);
	for (int i = 0; i < TRACE_MEASURES; i++) {
		struct trace_spread p = trace_summary_spread(s, (enum trace_measure)i);

		json_key(j, rows[i].key);
		json_object(j);
		json_put_double(j, "mean", p.mean);
		json_put_double(j, "least", p.least);
		json_put_int(j, "least_rank", p.least_rank);
		json_put_double(j, "most", p.most);
		json_put_int(j, "most_rank", p.most_rank);
		json_end(j);
	}
	json_end(j);
}

static void io_json(const struct trace_io *io, const char *key, struct json *j)
{
	json_key(j, key);
	json_object(j);
	json_put_int(j, "calls", (int64_t)io->calls);
	json_put_double(j, "read", io->read);
	json_put_double(j, "written", io->written);
	json_put_double(j, "seconds", io->seconds);
	json_end(j);
}

void info_summary_json(const struct trace_summary *s, struct json *j)
{
	comms_json(s, j);
	sizes_json(s, j);
	balance_json(s, j);
	json_key(j, "files");
	json_object(j);
	io_json(&s->mpi_io, "mpi", j);
	io_json(&s->system_io, "system", j);
	json_end(j);
}

void info_matrix(const struct trace_summary *s, struct str *out)
{
	str_puts(out, "from,to,messages,bytes\n");
	for (uint32_t i = 0; i < s->cells; i++)
		str_printf(out, "%u,%u,%llu,%.0f\n", s->cell[i].from, s->cell[i].to,
		           (unsigned long long)s->cell[i].messages, s->cell[i].bytes);
}
