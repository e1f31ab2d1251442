/* goal_text.h: what write_goal.c wrote, read by the grammar of docs/foreign-traces.md, as graphs.
 */
#ifndef ORRERY_TESTS_GOAL_TEXT_H
#define ORRERY_TESTS_GOAL_TEXT_H

#include "unit/trace/write_text.h"

enum { GRAPH_RANKS = 12, GRAPH_NODES = 256 };

struct graph_node {
	char kind; /* s, r, c */
	int64_t size;
	int peer, tag;
	int waits[2], n_waits;
};
struct graph {
	int ranks;
	struct graph_node node[GRAPH_RANKS][GRAPH_NODES];
	int n[GRAPH_RANKS];
};

static inline void graph_line(struct graph *g, int rank, const char *line)
{
	struct graph_node *v = &g->node[rank][g->n[rank]];
	char word[8], way[8];
	long long size;
	int label, from, used = 0;

	if (sscanf(line, "l%d requires l%d%n", &label, &from, &used) == 2 && !line[used]) {
		v = &g->node[rank][label];
		assert_true(label < g->n[rank] && from < label && v->n_waits < 2);
		v->waits[v->n_waits++] = from;
		return;
	}
	*v = (struct graph_node){.kind = 'c'};
	if (sscanf(line, "l%d: calc %lld%n", &label, &size, &used) == 2 && !line[used]) {
		;
	} else if (sscanf(line, "l%d: %4s %lldb %4s %d tag %d%n", &label, word, &size, way,
	                  &v->peer, &v->tag, &used) == 6 &&
	           !line[used]) {
		assert_string_equal(way, *word == 's' ? "to" : "from");
		assert_true(strcmp(word, "send") == 0 || strcmp(word, "recv") == 0);
		v->kind = *word;
	} else {
		fail_msg("no line of GOAL: '%s'", line);
	}
	v->size = size;
	assert_true(label == g->n[rank] && size >= 0 && label + 1 < GRAPH_NODES);
	g->n[rank]++;
}

static inline void graph_parse(struct graph *g, char *text)
{
	int rank = -1, inside = 0, used = 0, got;

	g->ranks = 0;
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		if (sscanf(line, "num_ranks %d%n", &got, &used) == 1) {
			assert_true(g->ranks == 0 && got <= GRAPH_RANKS);
			g->ranks = got;
		} else if (sscanf(line, "rank %d {", &got) == 1) {
			assert_true(!inside && got == ++rank);
			g->n[rank] = 0;
			inside = 1;
		} else if (strcmp(line, "}") == 0) {
			assert_true(inside && g->n[rank] > 0); /* LogGOPSim wants an operation */
			inside = 0;
		} else if (*line) {
			assert_true(inside);
			graph_line(g, rank, line);
		}
	}
	assert_int_equal(rank + 1, g->ranks);
}

/* The lines of a program, written and read so. */
static inline void graph_of(struct graph *g, const char *lines, int ranks)
{
	char dir[64], to[256], *text;
	struct err err;

	folder_make(dir);
	snprintf(to, sizeof to, "%s/out", dir);
	assert_ok(lines_write(lines, (uint32_t)ranks, TRACE_WRITE_GOAL, to, NULL, &err), err);
	text = file_text(to);
	graph_parse(g, text);
	assert_int_equal(g->ranks, ranks);
	free(text);
	folder_remove(dir);
}

#endif
