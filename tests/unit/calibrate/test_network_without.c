/* test_network_without.c: a host is left out: what of many hosts at once is then kept, what goes;
 * and on which hosts of the platform programs are simulated. */
#include "made_up.h"

static void rows_of(struct net_raw *raw, enum net_op op, int src, int dst, int pairs, int file)
{
	made_row(raw, (struct net_row){.op = (uint8_t)op,
	                               .src = src,
	                               .dst = dst,
	                               .pairs = pairs,
	                               .file = (uint8_t)file,
	                               .size = 1000,
	                               .duration = 1e-3});
}

static int count(const struct net_raw *raw, enum net_op op)
{
	int n = 0;

	for (uint32_t i = 0; i < raw->n; i++)
		n += raw->rows[i].op == op;
	return n;
}

/* Four hosts, node-3 to node-6; node-5 (rank 2) goes. Programs 10 and 11: it has a part in one
 * round of the first, a pause in the second. Program 12, and 10 of another file: none. */
static void of_many_at_once(void **state)
{
	enum { PROGRAM = NET_ROUNDS };
	struct net_raw raw;
	struct err err;
	int loads = 0;

	(void)state;
	measured(&usual, 1, 20, &raw);
	for (int i = 0; i < 4; i++)
		rows_of(&raw, NET_LOAD, i, (i + 1) % 4, 1004, 0);
	rows_of(&raw, NET_MESH, 0, 1, 10 * PROGRAM, 0);
	rows_of(&raw, NET_MESH, 1, 2, 10 * PROGRAM + 1, 0);
	rows_of(&raw, NET_MESH, 0, 1, 11 * PROGRAM, 0);
	rows_of(&raw, NET_PAUSE, 2, 2, 11 * PROGRAM, 0);
	rows_of(&raw, NET_MESH, 0, 1, 12 * PROGRAM, 0);
	rows_of(&raw, NET_PAUSE, 3, 3, 12 * PROGRAM + 1, 0);
	rows_of(&raw, NET_MESH, 0, 1, 10 * PROGRAM, 1);
	assert_ok(net_raw_without(&raw, "node-5", &err), err);
	assert_int_equal(count(&raw, NET_MESH), 2);
	assert_int_equal(count(&raw, NET_PAUSE), 1);
	assert_int_equal(count(&raw, NET_LOAD), 4);
	for (uint32_t i = 0; i < raw.n; i++) {
		const struct net_row *q = &raw.rows[i];

		if (q->op == NET_LOAD) {
			assert_int_equal(q->left_out, q->src == 2   ? NET_SENDER_OUT
			                              : q->dst == 2 ? NET_RECEIVER_OUT
			                                            : 0);
			loads++;
		} else {
			assert_true(q->src != 2 && q->dst != 2);
		}
	}
	assert_int_equal(loads, 4);
	assert_null(strstr(raw.notes.s, "all programs")); /* two are left */
	assert_ok(net_raw_without(&raw, "node-3,node-6", &err), err);
	assert_int_equal(count(&raw, NET_MESH) + count(&raw, NET_PAUSE), 0);
	assert_non_null(strstr(raw.notes.s, "node-3: it had a part in all programs"));
	assert_null(strstr(raw.notes.s, "node-6: it had a part")); /* there were none left */
	net_raw_release(&raw);
}

/* Cabinets of two hosts with a link of a tenth of theirs: a program of ranks 1 and 2 passes it, and
 * takes ten times as long as one of ranks 2 and 3, which are of one cabinet. */
static void programs_are_where_they_were(void **state)
{
	static const struct net_cabinets two = {.n = 2, .hosts = 4, .of = {0, 0, 1, 1}};
	double took[2] = {0};

	(void)state;
	for (int first = 1; first <= 2; first++) {
		struct net_platform p = {.id = "t", .speed = "1Gf", .hosts = 4, .cores = 1};
		char path[] = "/tmp/orrery-test-XXXXXX";
		int fd = mkstemp(path);
		struct net_raw raw;
		struct net_fit f;
		struct str out;
		struct err err;

		truth_fitted(&usual, 1, &raw, &f);
		net_raw_cabinets(&raw, &two);
		f.uplink = f.bandwidth / 10;
		str_init(&out);
		net_platform_write(&raw, &f, &p, &out);
		assert_int_equal(write(fd, out.s, out.n), out.n);
		close(fd);
		for (int round = 0; round < 4; round++)
			made_row(&raw, (struct net_row){.op = NET_MESH,
			                                .src = first,
			                                .dst = first + 1,
			                                .pairs = round,
			                                .size = 1e6,
			                                .duration = 1});
		assert_ok(net_trials(&raw, path, &f, &err), err);
		assert_int_equal(f.trials, 1);
		took[first - 1] = f.trial[0].predicted;
		unlink(path);
		str_release(&out);
		net_fit_release(&f);
		net_raw_release(&raw);
	}
	assert_true(is_near(took[0], 10 * took[1], 0.1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_many_at_once),
	    cmocka_unit_test(programs_are_where_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
