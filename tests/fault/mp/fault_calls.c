/* fault_calls.c: memory runs out at any point of a simulation whose program uses what fault_mp.c
 * does not: persistent and partitioned requests, matched probes, cancelled receives, windows with
 * each sort of epoch, files, grids and their neighbours, intercommunicators, a deadlock that is
 * explained. The error is worded, nothing leaks, and who goes on without memory ends at the same
 * date. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "mp/mp.h"

enum { RANKS = 4 };

struct fixture;
typedef int script(struct fixture *f, struct mp *mp, uint32_t rank, uint32_t step, struct err *err);

struct fixture {
	struct config cfg;
	struct platform *platform;
	struct host_id host[RANKS];
	uint32_t at[RANKS];
	struct mp_request req[RANKS][3];
	struct mp_comm comm[RANKS];
	struct mp_win win[RANKS];
	struct mp_file file[RANKS];
	script *script;
	int deadlocks;
};
enum { OVER = -2 };

static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct fixture *f = self;
	int status;

	do
		status = f->script(f, mp, rank, f->at[rank]++, err);
	while (status == MP_DONE);
	return status == MP_BLOCKED ? 0 : status == OVER ? 1 : -1;
}

/* A run that is to end in a deadlock has succeeded when it says so. */
static int simulate(void *arg, struct err *err)
{
	struct fixture *f = arg;
	struct mp_program program = {.self = f, .resume = resume};
	struct net *net = net_new(f->platform, &f->cfg, err);
	struct mp *mp = net ? mp_new(net, &f->cfg, f->host, RANKS, err) : NULL;
	int r = mp ? mp_run(mp, &program, NULL, err) : -1;

	memset(f->at, 0, sizeof f->at);
	if (r < 0 && f->deadlocks && mp && mp_deadlocked(mp))
		r = 0;
	if (r == 0) {
		double end = mp_now(mp);

		fault_told(&end, sizeof end);
	}
	mp_free(mp);
	net_free(net);
	return r;
}

/* Around the ring: persistent both ways, twice; a matched probe; a receive given up. */
static int requests(struct fixture *f, struct mp *mp, uint32_t rank, uint32_t step, struct err *err)
{
	struct mp_message right = {.peer = (int32_t)((rank + 1) % RANKS), .tag = 1, .bytes = 100},
	                  left = {.peer = (int32_t)((rank + RANKS - 1) % RANKS),
	                          .tag = 1,
	                          .bytes = 100},
	                  never = {.peer = MP_ANY, .tag = 9, .bytes = 1};
	struct mp_request *q = f->req[rank];

	switch (step) {
	case 0:
		return mp_send_init(mp, rank, &right, MP_STANDARD, &q[0], err);
	case 1:
		return mp_recv_init(mp, rank, &left, &q[1], err);
	case 2:
	case 4:
		return mp_start(mp, rank, q, 2, err);
	case 3:
	case 5:
		return mp_wait(mp, rank, MP_WAITALL, q, 2, err);
	case 6:
	case 7:
		return mp_request_free(mp, rank, q[step - 6], err);
	case 8:
		return mp_irecv(mp, rank, &never, &q[0], err);
	case 9:
		return mp_cancel(mp, rank, q[0], err);
	case 10:
		return mp_wait(mp, rank, MP_WAIT, q, 1, err);
	case 11:
		return mp_send(mp, rank, &right, MP_BUFFERED, err);
	case 12:
		return mp_mprobe(mp, rank, &left, err);
	case 13:
		return mp_imrecv(mp, rank, mp_result(mp, rank)->message, 100, &q[0], err);
	case 14:
		return mp_wait(mp, rank, MP_WAITSOME, q, 1, err);
	case 15:
		return mp_buffer_detach(mp, rank, err);
	default:
		return OVER;
	}
}

/* From even ranks to odd ones, in two partitions on one side and four on the other. */
static int partitions(struct fixture *f, struct mp *mp, uint32_t rank, uint32_t step,
                      struct err *err)
{
	static const int64_t parts[] = {1, 0};
	int sends = rank % 2 == 0;
	struct mp_message m = {.peer = (int32_t)(rank ^ 1), .tag = 2, .bytes = sends ? 2000 : 1000};

	switch (step) {
	case 0:
		return mp_part_init(mp, rank, sends, &m, sends ? 2 : 4, &f->req[rank][0], err);
	case 1:
		return mp_start(mp, rank, f->req[rank], 1, err);
	case 2:
		return sends ? mp_pready(mp, rank, f->req[rank][0], parts, 2, err)
		             : mp_parrived(mp, rank, f->req[rank][0], 3, err);
	case 3:
		return mp_wait(mp, rank, MP_WAIT, f->req[rank], 1, err);
	case 4:
		return mp_request_free(mp, rank, f->req[rank][0], err);
	default:
		return OVER;
	}
}

/* Locks that wait for each other, an exposure of 0 to all others, fences. */
static int windows(struct fixture *f, struct mp *mp, uint32_t rank, uint32_t step, struct err *err)
{
	static const int32_t others[] = {1, 2, 3}, first[] = {0};
	struct mp_win w = f->win[rank];

	switch (step) {
	case 0:
		return mp_win_make(mp, rank, MP_COMM_WORLD, &f->win[rank], err);
	case 1:
		return mp_win_sync(mp, rank, w, MP_WIN_LOCK_EXCLUSIVE, 0, err);
	case 2:
	case 9:
		return mp_rma(mp, rank, w, MP_PUT, 0, 500, NULL, err);
	case 3:
		return mp_rma(mp, rank, w, MP_GET, 0, 500, &f->req[rank][0], err);
	case 4:
		return mp_wait(mp, rank, MP_WAIT, f->req[rank], 1, err);
	case 5:
		return mp_win_sync(mp, rank, w, MP_WIN_UNLOCK, 0, err);
	case 6:
		return mp_win_sync(mp, rank, w, MP_WIN_LOCK, MP_ANY, err);
	case 7:
		return mp_win_sync(mp, rank, w, MP_WIN_UNLOCK, MP_ANY, err);
	case 8:
		return mp_win_group(mp, rank, w, rank == 0, rank == 0 ? others : first,
		                    rank == 0 ? 3 : 1, err);
	case 10:
		return mp_win_sync(mp, rank, w, rank == 0 ? MP_WIN_WAIT : MP_WIN_COMPLETE, MP_ANY,
		                   err);
	case 11:
		return mp_win_sync(mp, rank, w, MP_WIN_FENCE, MP_ANY, err);
	case 12:
		return mp_win_sync(mp, rank, w, MP_WIN_FREE, MP_ANY, err);
	default:
		return OVER;
	}
}

static int files(struct fixture *f, struct mp *mp, uint32_t rank, uint32_t step, struct err *err)
{
	static const struct mp_file_access ways[] = {{MP_FILE_ALONE, 1, 1000},
	                                             {MP_FILE_SHARED, 0, 500},
	                                             {MP_FILE_ORDERED, 1, 300},
	                                             {MP_FILE_ALL, 0, 700},
	                                             {MP_FILE_HOLES, 1, 900}};

	if (step == 0)
		return mp_file_open(mp, rank, MP_COMM_WORLD, "/data/x", &f->file[rank], err);
	if (step <= 5)
		return mp_file_access(mp, rank, f->file[rank], &ways[step - 1], NULL, err);
	switch (step) {
	case 6:
		return mp_file_access(mp, rank, f->file[rank], &ways[4], &f->req[rank][0], err);
	case 7:
		return mp_wait(mp, rank, MP_WAIT, f->req[rank], 1, err);
	case 8:
		return mp_file_sync(mp, rank, f->file[rank], err);
	case 9:
		return mp_file_close(mp, rank, f->file[rank], err);
	case 10:
		return mp_file_unlink(mp, rank, "/data/x", err);
	default:
		return OVER;
	}
}

/* A grid backwards, what its neighbours say, and two groups that reduce for each other. */
static int groups(struct fixture *f, struct mp *mp, uint32_t rank, uint32_t step, struct err *err)
{
	static const uint32_t backwards[] = {3, 2, 1, 0}, both[] = {2, 0, 1, 3};
	static const int64_t dims[] = {2, 2}, periods[] = {1, 0};
	struct coll_args near = {.kind = COLL_NEIGHBOR_ALLTOALL,
	                         .count = 10,
	                         .count2 = 10,
	                         .type_size = 8,
	                         .type_size2 = 8},
	                 sum = {.kind = COLL_ALLREDUCE,
	                        .count = 10,
	                        .type_size = 8,
	                        .commutative = 1,
	                        .basic_type = 1};

	switch (step) {
	case 0:
		return mp_comm_make(mp, rank, 5, backwards, 4, &f->comm[rank], err);
	case 1:
		return mp_comm_cart(mp, rank, f->comm[rank], dims, periods, 2, err);
	case 2:
		return mp_collective(mp, rank, f->comm[rank], &near, 0, err);
	case 3:
	case 6:
		return mp_comm_free(mp, rank, f->comm[rank], err);
	case 4:
		return mp_intercomm_make(mp, rank, 6, both, 4, 2, &f->comm[rank], err);
	case 5:
		return mp_collective(mp, rank, f->comm[rank], &sum, 100, err);
	default:
		return OVER;
	}
}

static int waits_for_ever(struct fixture *f, struct mp *mp, uint32_t rank, uint32_t step,
                          struct err *err)
{
	struct mp_message m = {.peer = (int32_t)((rank + 1) % RANKS), .tag = 1, .bytes = 10};

	(void)f;
	return step == 0 ? mp_recv(mp, rank, &m, err) : OVER;
}

static void fixture_init(struct fixture *f, const char *settings)
{
	struct err err;
	struct tmp tmp;

	memset(f, 0, sizeof *f);
	assert_ok(config_init(&f->cfg, &err), err);
	assert_ok(config_set_all(&f->cfg, settings, CFG_FROM_USER, &err), err);
	tmp_init(&tmp);
	f->platform = platform_read(
	    tmp_write(&tmp, "p.xml",
	              "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3'"
	              " speed='1Gf'"
	              " bw='1GBps' lat='1us'/></platform>"),
	    &f->cfg, &err);
	tmp_release(&tmp);
	assert_non_null(f->platform);
	for (uint32_t i = 0; i < RANKS; i++)
		f->host[i].v = i;
}

static void memory_runs_out(void **state)
{
	static script *const scripts[] = {requests, partitions, windows,
	                                  files,    groups,     waits_for_ever};
	static const char *const settings[] = {
	    "network/model:CM02 storage/file-systems:/data:read=100MBps:write=50MBps",
	    "network/model:CM02 storage/file-systems:/data:read=100MBps:write=50MBps "
	    "smpi/connections:ordered smpi/one-sided:messages smpi/ois:0:1e-6:0"};

	(void)state;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
			struct fixture f;

			fixture_init(&f, settings[i]);
			f.script = scripts[k];
			f.deadlocks = scripts[k] == waits_for_ever;
			assert_true(fault_sweep(FAULT_ALLOC, simulate, &f) > 10);
			platform_free(f.platform);
			config_release(&f.cfg);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
