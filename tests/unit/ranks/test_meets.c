/* test_meets.c: processes that meet each other without a common communicator (MPI 4.0, 11.9 and
 * 11.10.4): ports, names of services, sockets; and intercommunicators as 7.6 defines them. In these
 * tests all are of one world, but use nothing of it. Ranks that are spawned: tests/e2e. */
#include "ranks.h"

#include "refuses.h"

#include <sys/socket.h>
#include <unistd.h>

static int rank_in(MPI_Comm c)
{
	int rank;

	OK(orr_Comm_rank(c, &rank));
	return rank;
}

/* Which of two intercommunicators' sides has so many, seen from here. */
static void sides_are(MPI_Comm inter, int local, int remote)
{
	int n = -1, m = -1, flag = 0;

	OK(orr_Comm_size(inter, &n));
	OK(orr_Comm_remote_size(inter, &m));
	OK(orr_Comm_test_inter(inter, &flag));
	assert_true(flag);
	assert_int_equal(n, local);
	assert_int_equal(m, remote);
}

/* Each sends its number to all of the other side, which sums them up. */
static int talked(MPI_Comm inter, int x)
{
	int n, sum = 0, y;
	MPI_Request q[8];

	OK(orr_Comm_remote_size(inter, &n));
	for (int i = 0; i < n; i++)
		OK(orr_Isend(&x, 1, MPI_INT, i, 1, inter, &q[i]));
	for (int i = 0; i < n; i++) {
		MPI_Status s;

		OK(orr_Recv(&y, 1, MPI_INT, i, 1, inter, &s));
		assert_int_equal(s.MPI_SOURCE, i); /* ranks of the other group: 7.6 */
		sum += y;
	}
	OK(orr_Waitall(n, q, MPI_STATUSES_IGNORE));
	return sum;
}

/* --- ports --- */

/* Ranks 0 and 1 serve, 2, 3 and 4 are clients: the root alone knows the port. */
static void ports_body(int rank, void *arg)
{
	char port[MPI_MAX_PORT_NAME] = "";
	int serves = rank < 2;
	MPI_Comm side, inter;

	(void)arg;
	OK(orr_Comm_split(WORLD, serves, 0, &side));
	if (rank == 1) {
		OK(orr_Open_port(MPI_INFO_NULL, port));
		assert_true(strlen(port) < MPI_MAX_PORT_NAME);
		OK(orr_Send(port, (int)sizeof port, MPI_CHAR, 2, 0, WORLD));
	}
	if (rank == 2)
		OK(orr_Recv(port, (int)sizeof port, MPI_CHAR, 1, 0, WORLD, MPI_STATUS_IGNORE));
	for (int i = 0; i < 2; i++) { /* a port serves again and again */
		if (serves)
			OK(orr_Comm_accept(port, MPI_INFO_NULL, 1, side, &inter));
		else
			OK(orr_Comm_connect(port, MPI_INFO_NULL, 0, side, &inter));
		sides_are(inter, serves ? 2 : 3, serves ? 3 : 2);
		assert_int_equal(rank_in(inter), rank_in(side));
		assert_int_equal(talked(inter, rank), serves ? 2 + 3 + 4 : 0 + 1);
		OK(orr_Comm_disconnect(&inter));
		assert_ptr_equal(inter, MPI_COMM_NULL);
	}
	if (rank == 1)
		OK(orr_Close_port(port));
	OK(orr_Comm_free(&side));
}

static void ports(void **state)
{
	(void)state;
	run_on(5, ports_body);
}

/* What is no name of a port is told to all, whichever side asks. */
static void no_ports_body(int rank, void *arg)
{
	static const char *const bad[] = {"",
	                                  "tcp://host:5",
	                                  "orrery-port-",
	                                  "orrery-port-0",
	                                  "orrery-port-0-",
	                                  "orrery-port-99-1",
	                                  "orrery-port-0-1x",
	                                  "orrery-port--1-1"};
	MPI_Comm inter = WORLD;

	(void)arg;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *name = rank == 0 ? bad[i] : NULL; /* of which the root's counts */

		REFUSES(MPI_ERR_PORT, orr_Comm_accept(name, MPI_INFO_NULL, 0, WORLD, &inter));
		assert_ptr_equal(inter, MPI_COMM_NULL);
		REFUSES(MPI_ERR_PORT, orr_Comm_connect(name, MPI_INFO_NULL, 0, WORLD, &inter));
		REFUSES(MPI_ERR_PORT, orr_Close_port(bad[i]));
	}
	REFUSES(MPI_ERR_ROOT, orr_Comm_accept("", MPI_INFO_NULL, 2, WORLD, &inter));
	REFUSES(MPI_ERR_ROOT, orr_Comm_connect("", MPI_INFO_NULL, -1, WORLD, &inter));
	REFUSES(MPI_ERR_COMM, orr_Comm_accept("", MPI_INFO_NULL, 0, NO_COMM, &inter));
	still_well();
}

static void no_ports(void **state)
{
	(void)state;
	run_on(2, no_ports_body);
}

/* Several at once: who connects to one is not met at another. */
static void several_body(int rank, void *arg)
{
	char port[2][MPI_MAX_PORT_NAME];
	int with = rank % 2;
	MPI_Comm inter;

	(void)arg;
	memset(port, 0, sizeof port);
	if (rank < 2) {
		OK(orr_Open_port(MPI_INFO_NULL, port[0]));
		OK(orr_Open_port(MPI_INFO_NULL, port[1]));
		assert_string_not_equal(port[0], port[1]);
		OK(orr_Send(port[1], MPI_MAX_PORT_NAME, MPI_CHAR, 3 - rank, 0, WORLD));
		OK(orr_Comm_accept(port[1], MPI_INFO_NULL, 0, SELF, &inter));
		assert_int_equal(talked(inter, 10 * rank), 3 - rank);
	} else {
		with = 3 - rank;
		OK(orr_Recv(port[1], MPI_MAX_PORT_NAME, MPI_CHAR, with, 0, WORLD,
		            MPI_STATUS_IGNORE));
		OK(orr_Comm_connect(port[1], MPI_INFO_NULL, 0, SELF, &inter));
		assert_int_equal(talked(inter, rank), 10 * with);
	}
	sides_are(inter, 1, 1);
	OK(orr_Comm_free(&inter));
}

static void several(void **state)
{
	(void)state;
	run_on(4, several_body);
}

/* --- names of services --- */

static void services_body(int rank, void *arg)
{
	char found[MPI_MAX_PORT_NAME] = "untouched";

	(void)arg;
	REFUSES(MPI_ERR_NAME, orr_Lookup_name("ocean", MPI_INFO_NULL, found));
	assert_string_equal(found, "untouched");
	OK(orr_Barrier(WORLD));
	if (rank == 0) {
		OK(orr_Publish_name("ocean", MPI_INFO_NULL, "port one"));
		OK(orr_Publish_name("ice", MPI_INFO_NULL, "port two"));
	}
	OK(orr_Barrier(WORLD));
	OK(orr_Lookup_name("ocean", MPI_INFO_NULL, found));
	assert_string_equal(found, "port one");
	OK(orr_Lookup_name("ice", MPI_INFO_NULL, found));
	assert_string_equal(found, "port two");
	REFUSES(MPI_ERR_NAME, orr_Lookup_name("oce", MPI_INFO_NULL, found));
	REFUSES(MPI_ERR_SERVICE, orr_Unpublish_name("land", MPI_INFO_NULL, "port one"));
	OK(orr_Barrier(WORLD));
	if (rank == 1)
		OK(orr_Unpublish_name("ocean", MPI_INFO_NULL, "port one"));
	OK(orr_Barrier(WORLD));
	REFUSES(MPI_ERR_NAME, orr_Lookup_name("ocean", MPI_INFO_NULL, found));
	OK(orr_Lookup_name("ice", MPI_INFO_NULL, found)); /* the other one is still there */
	OK(orr_Barrier(WORLD));
	if (rank == 0) {
		OK(orr_Publish_name("ocean", MPI_INFO_NULL, "port three")); /* again */
		OK(orr_Lookup_name("ocean", MPI_INFO_NULL, found));
		assert_string_equal(found, "port three");
	}
}

static void services(void **state)
{
	(void)state;
	run_on(2, services_body);
}

/* --- sockets: MPI_Comm_join --- */

static void joins_body(int rank, void *arg)
{
	const int *fd = arg;
	MPI_Comm inter, again;

	OK(orr_Comm_join(fd[rank], &inter));
	sides_are(inter, 1, 1);
	assert_int_equal(talked(inter, 5 + rank), 6 - rank);
	OK(orr_Comm_join(fd[rank], &again)); /* 11.10.4: the socket is left as it was */
	assert_int_equal(talked(again, 7 + rank), 8 - rank);
	OK(orr_Comm_free(&inter));
	OK(orr_Comm_free(&again));
}

static void gone_body(int rank, void *arg)
{
	const int *fd = arg;
	MPI_Comm inter = WORLD;

	(void)rank;
	REFUSES(MPI_ERR_ARG, orr_Comm_join(-1, &inter));
	assert_ptr_equal(inter, MPI_COMM_NULL);
	assert_true(orr_Comm_join(fd[0], &inter) != MPI_SUCCESS); /* nobody is there */
	assert_ptr_equal(inter, MPI_COMM_NULL);
}

static void joins(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	ranks_do(2, joins_body, fd);
	close(fd[1]);
	faults = 0;
	ranks_do(1, gone_body, fd);
	assert_int_equal(faults, 0);
	close(fd[0]);
}

/* --- two groups: 7.6 --- */

/* Even ranks and odd ones, whose leaders are ranks 1 of each. */
static void bridges_body(int rank, void *arg)
{
	MPI_Comm side, inter, dup, merged, part;
	MPI_Group mine, theirs, all;
	int even = rank % 2 == 0, n = -1, ranks[3] = {0, 1, 2}, there[3], x, sum = -1;

	(void)arg;
	OK(orr_Comm_split(WORLD, even, 0, &side));
	OK(orr_Intercomm_create(side, 1, WORLD, even ? 3 : 2, 9, &inter));
	sides_are(inter, even ? 3 : 2, even ? 2 : 3);
	OK(orr_Comm_group(inter, &mine));
	OK(orr_Comm_remote_group(inter, &theirs));
	OK(orr_Comm_group(WORLD, &all));
	OK(orr_Group_size(theirs, &n));
	OK(orr_Group_translate_ranks(theirs, n, ranks, all, there));
	for (int i = 0; i < n; i++)
		assert_int_equal(there[i], 2 * i + even);
	assert_int_equal(talked(inter, rank), even ? 1 + 3 : 0 + 2 + 4);
	/* 6.8: what a reduction to all gives is the other side's */
	OK(orr_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
	assert_int_equal(sum, even ? 1 + 3 : 0 + 2 + 4);
	x = rank == 4 ? 44 : -1; /* from rank 2 of the even side to all odd ones */
	OK(orr_Bcast(&x, 1, MPI_INT, even ? rank == 4 ? MPI_ROOT : MPI_PROC_NULL : 2, inter));
	assert_int_equal(x, even && rank != 4 ? -1 : 44);
	OK(orr_Comm_dup(inter, &dup));
	assert_int_equal(talked(dup, 1), even ? 2 : 3);
	/* merged: the side that says it is high comes behind; both alike: one of the two ways */
	OK(orr_Intercomm_merge(inter, even, &merged));
	assert_int_equal(rank_in(merged), even ? 2 + rank / 2 : rank / 2);
	OK(orr_Comm_free(&merged));
	OK(orr_Intercomm_merge(inter, 0, &merged));
	assert_int_equal(rank_in(merged) % 5, rank_in(merged));
	OK(orr_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged));
	assert_int_equal(sum, 10);
	OK(orr_Comm_free(&merged));
	/* split: those of one colour on both sides; where a side has none: nothing */
	OK(orr_Comm_split(inter, rank < 3 ? 1 : rank == 3 ? 2 : MPI_UNDEFINED, 0, &part));
	if (rank < 3) {
		sides_are(part, even ? 2 : 1, even ? 1 : 2);
		OK(orr_Comm_free(&part));
	}
	assert_ptr_equal(part, MPI_COMM_NULL);
	REFUSES(MPI_ERR_COMM, orr_Intercomm_create(inter, 0, WORLD, 0, 0, &part));
	REFUSES(MPI_ERR_RANK, orr_Intercomm_create(side, 9, WORLD, 0, 0, &part));
	REFUSES(MPI_ERR_TAG, orr_Intercomm_create(side, 1, WORLD, 0, -2, &part));
	REFUSES(MPI_ERR_COMM, orr_Intercomm_merge(side, 0, &merged));
	REFUSES(MPI_ERR_COMM, orr_Comm_remote_size(side, &n));
	OK(orr_Group_free(&mine));
	OK(orr_Group_free(&theirs));
	OK(orr_Group_free(&all));
	OK(orr_Comm_free(&inter));
	OK(orr_Comm_free(&dup));
	OK(orr_Comm_free(&side));
}

static void bridges(void **state)
{
	(void)state;
	run_on(5, bridges_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ports),    cmocka_unit_test(no_ports), cmocka_unit_test(several),
	    cmocka_unit_test(services), cmocka_unit_test(joins),    cmocka_unit_test(bridges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
