/* profile_json.c: the profile as a JSON object. Exact figures: seconds, bytes, shares between 0 and
 * 1. */
#include "profile_int.h"

static void put_classes(const struct profile *p, struct json *j)
{
	const struct prof_class_row *rows = p->class_rows;
	double all = p->makespan * p->ranks;
	int c;

	json_key(j, "classes");
	json_object(j);
	for (c = 0; c < TIME_CLASSES; c++) {
		json_key(j, time_class_key((enum time_class)c));
		json_object(j);
		json_put_double(j, "seconds", rows[c].total);
		json_put_double(j, "share", all > 0 ? rows[c].total / all : 0);
		json_put_double(j, "min", rows[c].min);
		json_put_double(j, "mean", rows[c].mean);
		json_put_double(j, "max", rows[c].max);
		json_put_int(j, "max_rank", rows[c].max_rank);
		json_end(j);
	}
	json_end(j);
}

static void put_functions(const struct profile *p, struct json *j)
{
	struct profile_row rows[CALL_CALLS];
	uint32_t i, n = profile_rows(p, rows);

	json_key(j, "functions");
	json_array(j);
	for (i = 0; i < n; i++) {
		json_object(j);
		json_put_string(j, "function", mp_call_name(rows[i].call));
		json_put_string(j, "class", time_class_key(call_class(rows[i].call)));
		json_put_int(j, "calls", (int64_t)rows[i].calls);
		json_put_int(j, "ranks", rows[i].ranks);
		json_put_double(j, "seconds", rows[i].time);
		json_put_double(j, "waiting", rows[i].wait);
		json_put_double(j, "bytes", rows[i].bytes);
		json_put_double(j, "min", rows[i].min);
		json_put_double(j, "mean", rows[i].mean);
		json_put_double(j, "max", rows[i].max);
		json_put_double(j, "imbalance", rows[i].imbalance);
		json_end(j);
	}
	json_end(j);
}

static void put_rank_functions(const struct profile *p, uint32_t rank, struct json *j)
{
	const struct prof_entry *e[CALL_CALLS];
	int c;

	prof_rank_entries(p, rank, e);
	json_key(j, "functions");
	json_array(j);
	for (c = 0; c < CALL_CALLS; c++) {
		if (!e[c])
			continue;
		json_object(j);
		json_put_string(j, "function", mp_call_name((enum mp_call)c));
		json_put_int(j, "calls", (int64_t)e[c]->calls);
		json_put_double(j, "seconds", e[c]->time);
		json_put_double(j, "waiting", e[c]->wait);
		json_put_double(j, "bytes", e[c]->bytes);
		json_end(j);
	}
	json_end(j);
}

static void put_ranks(const struct profile *p, struct json *j)
{
	double s[TIME_CLASSES];
	uint32_t r;
	int c;

	json_key(j, "per_rank");
	json_array(j);
	for (r = 0; r < p->ranks; r++) {
		profile_rank_classes(p, r, s);
		json_object(j);
		json_put_int(j, "rank", r);
		for (c = 0; c < TIME_CLASSES; c++)
			json_put_double(j, time_class_key((enum time_class)c), s[c]);
		put_rank_functions(p, r, j);
		json_end(j);
	}
	json_end(j);
}

void profile_json(const struct profile *p, int flags, struct json *j)
{
	json_object(j);
	json_put_int(j, "ranks", p->ranks);
	json_put_double(j, "makespan", p->makespan);
	put_classes(p, j);
	put_functions(p, j);
	if (flags & PROFILE_PER_RANK)
		put_ranks(p, j);
	json_end(j);
}
