/* test_files.c: accesses to files against dates worked by hand. A file system of 100 MB/s to read,
 * 50 MB/s to write, shared by all, of 1 ms latency for each time that it is asked; messages take
 * FLAT_TIME (sim.h). */
#include "steps.h"

#define STORE " storage/file-systems:/data:read=100MBps:write=50MBps:latency=1ms"
#define ASK 1e-3
#define WRITE(n) (ASK + (n) / 50e6)
#define READ(n) (ASK + (n) / 100e6)

static const struct mp_file_access write_alone = {MP_FILE_ALONE, 1, 1e6},
                                   read_alone = {MP_FILE_ALONE, 0, 1e6};

/* Each call asks once, and waits for its data. */
static int of_ones_own(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	switch (step) {
	case 0:
		return mp_file_open_self(s->mp, rank, "/data/x", &s->file[rank], err);
	case 1:
		return mp_file_access(s->mp, rank, s->file[rank], &write_alone, NULL, err);
	case 2:
		return mp_file_access(s->mp, rank, s->file[rank], &read_alone, NULL, err);
	case 3:
		return mp_file_sync(s->mp, rank, s->file[rank], err);
	case 4:
		return mp_file_close(s->mp, rank, s->file[rank], err);
	case 5:
		return mp_file_unlink(s->mp, rank, "/data/x", err);
	default:
		return STEPS_OVER;
	}
}

static void files_of_the_operating_system(void **state)
{
	const double takes[] = {ASK, WRITE(1e6), READ(1e6), ASK, ASK, ASK};
	struct steps s;
	double date = 0;

	(void)state;
	steps_do(&s, PLAIN STORE, of_ones_own, 0, 1);
	for (int i = 0; i < 6; i++) {
		date += takes[i];
		assert_close(s.date[0][i], date, 1e-9);
	}
	steps_tell(&s, "file", 0);
	sim_release(&s.sim);
}

/* Two write at once and then read at once: each has half of what the file system gives. */
static void they_share_the_file_system(void **state)
{
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN STORE, of_ones_own, 0, 2);
	for (int rank = 0; rank < 2; rank++) {
		assert_close(s.date[rank][1], ASK + WRITE(2e6), 1e-9);
		assert_close(s.date[rank][2], ASK + WRITE(2e6) + READ(2e6), 1e-9);
	}
	sim_release(&s.sim);
}

/* A file that no file system holds takes no time; the first such name is told. */
static void nowhere(void **state)
{
	struct steps s;
	const char *name;
	int shared;

	(void)state;
	steps_do(&s, PLAIN " storage/file-systems:/other:read=1MBps:write=1MBps", of_ones_own, 0,
	         1);
	assert_double_is(s.date[0][5], 0);
	assert_int_equal(mp_files_nowhere(s.mp, &name, &shared), 6);
	assert_string_equal(name, "/data/x");
	assert_false(shared);
	sim_release(&s.sim);
	steps_do(&s, PLAIN STORE, of_ones_own, 0, 1);
	assert_int_equal(mp_files_nowhere(s.mp, &name, &shared), 0);
	assert_null(name);
	sim_release(&s.sim);
}

/* Opened by all; the last comes at 0.5 s; rank 0 writes in one way, the others do too if it is
 * collective. s->which is the way, + 100 to read. Rank 1 comes to the access 0.5 s later. */
static int of_all(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	struct mp_file_access a = {(enum mp_file_way)(s->which % 100), s->which < 100,
	                           rank == 0 ? 2e6 : 1e6};

	switch (step) {
	case 0:
		return rank == 1 ? mp_sleep(s->mp, rank, 0.5, err) : MP_DONE;
	case 1:
		return mp_file_open(s->mp, rank, MP_COMM_WORLD, "/data/x", &s->file[rank], err);
	case 2:
		return mp_sleep(s->mp, rank, rank == 1 ? 1.5 - mp_now(s->mp) : 1 - mp_now(s->mp),
		                err);
	case 3:
		return rank == 1 && a.way < MP_FILE_ORDERED
		           ? MP_DONE
		           : mp_file_access(s->mp, rank, s->file[rank], &a, NULL, err);
	case 4:
		return mp_file_close(s->mp, rank, s->file[rank], err);
	default:
		return STEPS_OVER;
	}
}

/* Everybody asks, then all meet, in two messages at most: no one is through before the last. */
static void opened_by_all(void **state)
{
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_ALONE, 2);
	for (int rank = 0; rank < 2; rank++) {
		assert_true(s.date[rank][1] >= 0.5 + ASK);
		assert_true(s.date[rank][1] <= 0.5 + ASK + 2 * FLAT_TIME(1) + 1e-9);
		assert_true(s.date[rank][4] >= 1.5 + ASK);
	}
	steps_tell(&s, "never", 0);
	sim_release(&s.sim);
}

/* Before data move at the shared pointer, it is fetched; nobody else is waited for. */
static void at_the_shared_pointer(void **state)
{
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_ALONE, 2);
	assert_close(s.date[0][3], 1 + WRITE(2e6), 1e-9);
	sim_release(&s.sim);
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_SHARED, 2);
	assert_close(s.date[0][3], 1 + ASK + WRITE(2e6), 1e-9);
	sim_release(&s.sim);
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_SHARED + 100, 2);
	assert_close(s.date[0][3], 1 + ASK + READ(2e6), 1e-9);
	sim_release(&s.sim);
}

/* In the order of ranks: the second comes later and hears where it begins (8 bytes, which a
 * detached send keeps until they are received); then all tell where their data are, so that the
 * first goes on when all have begun, as it may (MPI 4.0, 14.4.4), and each alone. */
static void in_the_order_of_ranks(void **state)
{
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_ORDERED, 2);
	assert_close(s.date[1][3], 1.5 + FLAT_TIME(8) + FLAT_TIME(16) + WRITE(2e6), 1e-6);
	assert_close(s.date[0][3], 1.5 + FLAT_TIME(8) + FLAT_TIME(16) + WRITE(3e6), 1e-6);
	sim_release(&s.sim);
}

/* All tell where their data are, 16 bytes each way when the last has come; then each goes on alone,
 * at half the rate until the smaller access is over. */
static void by_all_in_one_piece(void **state)
{
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_ALL, 2);
	assert_close(s.date[1][3], 1.5 + WRITE(2e6), 1e-4);
	assert_close(s.date[0][3], 1.5 + FLAT_TIME(16) + WRITE(3e6), 1e-6);
	sim_release(&s.sim);
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_ALL + 100, 2);
	assert_close(s.date[1][3], 1.5 + READ(2e6), 1e-4);
	assert_close(s.date[0][3], 1.5 + FLAT_TIME(16) + READ(3e6), 1e-6);
	sim_release(&s.sim);
}

/* With one aggregator, rank 0: it gets the other's bytes, writes all, and all hear how it went; or
 * it reads all and hands the other its own. The second host's link carries 1e6 bytes. */
static void by_all_through_an_aggregator(void **state)
{
	double begun = 1.5 + FLAT_TIME(16);
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN STORE " storage/aggregators:1 smpi/allreduce:rdb", of_all, MP_FILE_HOLES,
	         2);
	assert_close(s.date[1][3], begun + FLAT_TIME(1e6) + WRITE(3e6) + FLAT_TIME(4), 1e-6);
	sim_release(&s.sim);
	steps_do(&s, PLAIN STORE " storage/aggregators:1", of_all, MP_FILE_HOLES + 100, 2);
	assert_close(s.date[1][3], begun + READ(3e6) + FLAT_TIME(1e6), 1e-6);
	sim_release(&s.sim);
}

/* One of each host: each is sent half of the other's bytes, 1 MB one way and 0.5 MB the other, on
 * links of two directions; then each writes half of the whole. */
static void by_all_through_two_aggregators(void **state)
{
	double begun = 1.5 + FLAT_TIME(16);
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN STORE, of_all, MP_FILE_HOLES + 100, 2);
	assert_close(s.date[1][3], begun + READ(3e6) + FLAT_TIME(1e6), 1e-6);
	assert_close(s.date[0][3], begun + READ(3e6) + FLAT_TIME(1e6), 1e-6);
	sim_release(&s.sim);
}

/* A request: the data move while the rank sleeps, for less or for longer than they take. */
static int by_request(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	switch (step) {
	case 0:
		return mp_file_open(s->mp, rank, MP_COMM_WORLD, "/data/x", &s->file[rank], err);
	case 1:
		return mp_file_access(s->mp, rank, s->file[rank], &write_alone, &s->req[rank][0],
		                      err);
	case 2:
		return mp_sleep(s->mp, rank, s->which * 1e-3, err);
	case 3:
		return mp_wait(s->mp, rank, MP_WAIT, s->req[rank], 1, err);
	case 4:
		return mp_file_close(s->mp, rank, s->file[rank], err);
	default:
		return STEPS_OVER;
	}
}

static void beside_other_things(void **state)
{
	struct steps s;

	(void)state;
	for (int ms = 5; ms <= 40; ms += 35) {
		steps_do(&s, PLAIN STORE, by_request, ms, 1);
		assert_close(s.date[0][1], ASK, 1e-9);
		assert_close(s.date[0][3], ASK + fmax(ms * 1e-3, WRITE(1e6)), 1e-9);
		sim_release(&s.sim);
	}
}

/* Two files of one communicator at once are two: closing one leaves the other open. */
static int two_files(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	struct mp_file *second = &s->other[rank];

	switch (step) {
	case 0:
	case 1:
		return mp_file_open(s->mp, rank, MP_COMM_WORLD, "/data/x",
		                    step ? second : &s->file[rank], err);
	case 2:
		assert_int_not_equal(second->v, s->file[rank].v);
		return mp_file_close(s->mp, rank, s->file[rank], err);
	case 3:
		return mp_file_access(s->mp, rank, *second, &write_alone, NULL, err);
	case 4:
		return s->which ? MP_DONE : mp_file_close(s->mp, rank, *second, err);
	default:
		return STEPS_OVER;
	}
}

static void never_closed(void **state)
{
	struct steps s;

	(void)state;
	for (int left = 0; left < 2; left++) {
		steps_do(&s, PLAIN STORE, two_files, left, 3);
		steps_tell(&s, "opened by rank 0", left);
		sim_release(&s.sim);
	}
}

/* A file is for who opened it, until it closes it. */
static int misused(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	static const uint32_t both[] = {0, 1};
	struct mp_file of_other = s->file[0];

	if (s->which == 2)
		return step == 0
		           ? mp_intercomm_make(s->mp, rank, 7, both, 2, 1, &s->comm[rank], err)
		           : mp_file_open(s->mp, rank, s->comm[rank], "/data/x", &s->file[rank],
		                          err);
	if (step == 0)
		return rank == 0 ? mp_file_open_self(s->mp, rank, "/data/x", &s->file[0], err)
		                 : mp_sleep(s->mp, rank, 0.1, err);
	if (rank == 1)
		return s->which == 1 ? mp_file_access(s->mp, rank, of_other, &read_alone, NULL, err)
		                     : STEPS_OVER;
	if (step == 1)
		return s->which == 1 ? mp_sleep(s->mp, rank, 1, err)
		                     : mp_file_close(s->mp, rank, s->file[0], err);
	return s->which == 3 ? mp_file_sync(s->mp, rank, s->file[0], err)
	                     : mp_file_access(s->mp, rank, s->file[0], &read_alone, NULL, err);
}

static void misuse(void **state)
{
	static const char *const words[] = {"was not opened by this rank, or is closed",
	                                    "was not opened by this rank, or is closed",
	                                    "opens a file on an intercommunicator",
	                                    "was not opened by this rank, or is closed"};

	(void)state;
	for (int which = 0; which < 4; which++)
		steps_fail(PLAIN STORE, misused, which, 2, words[which]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(files_of_the_operating_system),
	    cmocka_unit_test(they_share_the_file_system),
	    cmocka_unit_test(nowhere),
	    cmocka_unit_test(opened_by_all),
	    cmocka_unit_test(at_the_shared_pointer),
	    cmocka_unit_test(in_the_order_of_ranks),
	    cmocka_unit_test(by_all_in_one_piece),
	    cmocka_unit_test(by_all_through_an_aggregator),
	    cmocka_unit_test(by_all_through_two_aggregators),
	    cmocka_unit_test(beside_other_things),
	    cmocka_unit_test(never_closed),
	    cmocka_unit_test(misuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
