/* census.c: a whole pass over a merged file, when nobody says how many ranks it has. */
#include "scan.h"
#include "trace/trace_int.h"

enum { CENSUS_BUFFER = 256 << 10 };

int census_take(struct census *c, const struct grammar *g, const char *path, struct err *err)
{
	struct parse ps = {.grammar = g};
	struct lines l;
	const char *line;
	uint64_t last = 0;
	uint32_t rank;
	int more;

	*c = (struct census){.least = UINT32_MAX};
	if (lines_open(&l, path, CENSUS_BUFFER, 1, err) < 0)
		return -1;
	while ((more = lines_next(&l, &line, err)) > 0) {
		uint64_t prefix = line_prefix(line);

		if (prefix && prefix == last) { /* of the rank of the line before */
			c->actions++;
		} else if (!line_is_empty(line)) {
			if (!rank_parse(&ps, blanks_skip(line), &rank)) {
				more = trace_line_error(&ps, path, l.lineno, line, err);
				break;
			}
			c->actions++;
			c->least = rank < c->least ? rank : c->least;
			c->most = rank > c->most ? rank : c->most;
			last = prefix;
		}
		lines_advance(&l, line_end(line));
	}
	lines_close(&l);
	return more;
}
