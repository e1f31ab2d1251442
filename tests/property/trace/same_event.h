/* same_event.h: two events are the same in every field that a program could have given them. */
#ifndef ORRERY_TESTS_SAME_EVENT_H
#define ORRERY_TESTS_SAME_EVENT_H

#include "unit/trace/trace_test.h"

static inline void same_array(const void *a, const void *b, int64_t n, size_t size)
{
	if (n > 0)
		assert_memory_equal(a, b, (size_t)n * size);
}

static inline void same_event(const struct trace_event *a, const struct trace_event *b)
{
	assert_int_equal(a->op, b->op);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->peer, b->peer);
	assert_int_equal(a->tag, b->tag);
	assert_int_equal(a->peer2, b->peer2);
	assert_int_equal(a->tag2, b->tag2);
	assert_int_equal(a->root, b->root);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->count2, b->count2);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->type2, b->type2);
	assert_int_equal(a->type_size, b->type_size);
	assert_int_equal(a->type_size2, b->type_size2);
	assert_int_equal(a->n_counts, b->n_counts);
	assert_int_equal(a->n_counts2, b->n_counts2);
	assert_true(a->comm == b->comm);
	assert_true(a->parent == b->parent);
	assert_int_equal(a->n_members, b->n_members);
	assert_int_equal(a->n_remote, b->n_remote);
	assert_int_equal(a->message, b->message);
	assert_int_equal(a->object, b->object);
	assert_int_equal(a->region, b->region);
	assert_int_equal(a->req, b->req);
	assert_int_equal(a->n_reqs, b->n_reqs);
	assert_int_equal(a->n_done, b->n_done);
	assert_double_is(a->volume, b->volume);
	assert_double_is(a->duration, b->duration);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->text == NULL, b->text == NULL);
	if (a->text)
		assert_string_equal(a->text, b->text);
	same_array(a->counts, b->counts, a->n_counts, sizeof *a->counts);
	same_array(a->counts2, b->counts2, a->n_counts2, sizeof *a->counts2);
	same_array(a->reqs, b->reqs, a->n_reqs, sizeof *a->reqs);
	same_array(a->done, b->done, a->n_done, sizeof *a->done);
	same_array(a->members, b->members, a->n_members, sizeof *a->members);
	same_array(a->remote, b->remote, a->n_remote, sizeof *a->remote);
}

#endif
