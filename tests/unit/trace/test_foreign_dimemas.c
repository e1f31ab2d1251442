/* test_foreign_dimemas.c: Dimemas's traces, by its own description of the records. */
#include "foreign_text.h"

static struct tmp tmp;

#define HEAD "#DIMEMAS:\"x\":1,0:3(1,1,1),2,0,0\nd:1:1:3:0:1:2\nd:1:2:2:2:0\n"

static void messages(void **state)
{
	(void)state;
	/* rank 0: a burst of 1.5 us, a blocking send, an isend with rendezvous; rank 1 receives by
	 * a receive and by a posted one, waited for by source, tag and communicator */
	foreign_is(tmp_write(&tmp, "t.dim",
	                     HEAD
	                     "1:0:0:0.0000015\n2:0:0:1:-1:100:7:1:0\n2:0:0:1:-1:200:8:1:3\n"
	                     "3:1:0:0:-1:200:8:1:1\n3:1:0:0:-1:100:7:1:0\n3:1:0:0:-1:200:8:1:2\n"
	                     "20:0:0:50000001:1\n0:0:0\n"),
	           "0 init\n"
	           "0 comm_create_group comm=2.0 members=2,0 agreed=1\n"
	           "0 compute 1500\n"
	           "0 send 1 7 100 6\n"
	           "0 issend 1 8 200 6 req=0\n"
	           "0 request_free req=0\n"
	           "0 finalize\n"
	           "1 init\n"
	           "1 irecv 0 8 200 6 req=0\n"
	           "1 recv 0 7 100 6\n"
	           "1 wait req=0\n"
	           "1 finalize\n"
	           "2 init\n"
	           "2 comm_create_group comm=2.0 members=2,0 agreed=1\n"
	           "2 finalize\n");
}

/* prv2dim writes a number of the message as its communicator: the tag is that number. */
static void number_as_communicator(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(
	    tmp_write(&tmp, "n.dim", HEAD "2:0:0:1:-1:100:7:91:0\n3:1:0:0:-1:100:7:91:0\n"), 0);
	assert_non_null(strstr(s.s, "0 send 1 91 100 6\n"));
	assert_non_null(strstr(s.s, "1 recv 0 91 100 6\n"));
	str_release(&s);
}

/* As generators of traces write it (INSEE's, from the description of UPC): a name without quotes,
 * no line 'd:1:', all in communicator 0. Messages keep their tags: those of one sender are received
 * in another order. */
static void of_a_generator(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(tmp_write(&tmp, "g.dim",
	                           "#DIMEMAS:gups_2_2_100_13:0:2(1,1),0\n"
	                           "2:0:0:1:100:7:0:2\n2:0:0:1:200:8:0:2\n"
	                           "3:1:0:0:200:8:0:0\n3:1:0:0:100:7:0:0\n"),
	                 0);
	assert_string_equal(s.s, "0 init\n0 isend 1 7 100 6 req=0\n0 request_free req=0\n"
	                         "0 isend 1 8 200 6 req=1\n0 request_free req=1\n0 finalize\n"
	                         "1 init\n1 recv 0 8 200 6\n1 recv 0 7 100 6\n1 finalize\n");
	str_release(&s);
	foreign_fails(tmp_write(&tmp, "u.dim", "#DIMEMAS:\"x:0:2(1,1),0\n"),
	              "expected '#DIMEMAS:\"name\":");
}

/* Of a send that Extrae joined with another rank's receive from MPI_PROC_NULL prv2dim writes no
 * tag: the number of the message is enough. The lines are those of a stencil traced with Extrae. */
static void number_without_tag(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(
	    tmp_write(&tmp, "n.dim", HEAD "2:0:0:1:-1:0:-1:90:2\n3:1:0:0:-1:0:-1:90:0\n"), 0);
	assert_non_null(strstr(s.s, "0 isend 1 90 0 6 req="));
	assert_non_null(strstr(s.s, "1 recv 0 90 0 6\n"));
	str_release(&s);
}

/* So it is where its number is that of a communicator which the message cannot be in: 2 has tasks 2
 * and 0, and 3 to 5 have one task each. */
static void number_of_no_communicator(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(tmp_write(&tmp, "n.dim",
	                           HEAD "d:1:3:1:1\nd:1:4:1:1\nd:1:5:1:2\n"
	                                "2:0:0:1:-1:100:7:2:0\n3:1:0:0:-1:100:7:2:0\n"
	                                "2:0:0:2:-1:100:7:2:0\n3:2:0:0:-1:100:7:2:0\n"
	                                "2:0:0:2:-1:100:7:5:0\n3:2:0:0:-1:100:7:5:0\n"
	                                "2:0:0:1:-1:100:7:4:0\n3:1:0:0:-1:100:7:4:0\n"),
	                 0);
	assert_string_equal(s.s, "0 init\n0 comm_create_group comm=2.0 members=2,0 agreed=1\n"
	                         "0 send 1 2 100 6\n0 send 2 7 100 6 comm=2.0\n"
	                         "0 send 2 5 100 6\n0 send 1 4 100 6\n0 finalize\n"
	                         "1 init\n1 comm_create_group comm=1.1 members=1 agreed=1\n"
	                         "1 recv 0 2 100 6\n1 recv 0 4 100 6\n1 finalize\n"
	                         "2 init\n2 comm_create_group comm=2.0 members=2,0 agreed=1\n"
	                         "2 recv 0 7 100 6 comm=2.0\n2 recv 0 5 100 6\n2 finalize\n");
	str_release(&s);
}

/* Task 0 has two communicators of its own, task 1 one: the first of each is its MPI_COMM_SELF. What
 * is sent in one does not come in the other; collectives of task 1 are not of task 0's. */
static void alone(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(tmp_write(&tmp, "o.dim",
	                           HEAD "d:1:3:1:0\nd:1:4:1:1\nd:1:5:1:0\n"
	                                "3:0:0:0:-1:8:7:5:1\n3:0:0:0:-1:4:7:3:1\n"
	                                "2:0:0:0:-1:4:7:3:0\n2:0:0:0:-1:8:7:5:0\n"
	                                "3:0:0:0:-1:8:7:5:2\n3:0:0:0:-1:4:7:3:2\n"
	                                "10:0:0:11:5:0:0:8:8:1\n10:0:0:11:3:0:0:8:8:1\n"
	                                "10:0:0:11:5:0:0:8:8:0\n10:0:0:11:5:0:0:8:8:2\n"
	                                "10:1:0:11:4:0:0:8:8:0\n10:1:0:11:4:0:0:8:8:2\n"),
	                 0);
	foreign_notes(tmp_path(&tmp, "o.dim"),
	              "tasks without a record: 1 of 3: unless they do nothing, the file was cut\n");
	assert_string_equal(s.s, "0 init\n0 comm_create_group comm=2.0 members=2,0 agreed=1\n"
	                         "0 comm_create_group comm=0.1 members=0 agreed=1\n"
	                         "0 irecv 0 7 8 6 comm=0.1 req=0\n0 irecv 0 7 4 6 comm=self req=1\n"
	                         "0 send 0 7 4 6 comm=self\n0 send 0 7 8 6 comm=0.1\n"
	                         "0 wait req=0\n0 wait req=1\n0 allreduce 8 0 6 comm=0.1\n"
	                         "0 iallreduce 8 0 6 comm=0.1 req=2\n0 wait req=2\n0 finalize\n"
	                         "1 init\n1 iallreduce 8 0 6 comm=self req=0\n1 wait req=0\n"
	                         "1 finalize\n"
	                         "2 init\n2 comm_create_group comm=2.0 members=2,0 agreed=1\n"
	                         "2 finalize\n");
	str_release(&s);
}

/* The root is told by the root alone, the blocks of a gatherv by each for itself. */
static void collectives(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(
	    tmp_write(&tmp, "c.dim",
	              HEAD "10:0:0:1:1:0:0:0:4:1\n10:1:0:1:1:0:0:0:4:1\n10:2:0:1:1:1:0:4:0:1\n"
	                   "10:0:0:3:1:0:0:5:0:1\n10:1:0:3:1:1:0:6:18:1\n10:2:0:3:1:0:0:7:0:1\n"
	                   "10:0:0:11:2:0:0:8:8:1\n10:2:0:11:2:0:0:8:8:1\n"),
	    0);
	assert_non_null(strstr(s.s, "0 bcast 4 2 6\n"));
	assert_non_null(strstr(s.s, "1 bcast 4 2 6\n"));
	assert_non_null(strstr(s.s, "0 gatherv 5 5 6 7 1 6 6\n"));
	assert_non_null(strstr(s.s, "2 gatherv 7 5 6 7 1 6 6\n"));
	assert_non_null(strstr(s.s, "2 allreduce 8 0 6 comm=2.0\n"));
	str_release(&s);
}

/* Rank r sends 3(r + 1) bytes in all: split evenly, r + 1 to each. */
static void even_split(void **state)
{
	const char *path;
	struct str s;

	(void)state;
	path = tmp_write(&tmp, "a.dim",
	                 HEAD "10:0:0:9:1:0:0:3:6:1\n10:1:0:9:1:0:0:6:6:1\n10:2:0:9:1:0:0:9:6:1\n");
	foreign_fails(path, "--even-split");
	s = foreign_text(path, 1);
	assert_non_null(strstr(s.s, "0 alltoallv 3 1 1 1 6 1 2 3 6 6\n"));
	assert_non_null(strstr(s.s, "2 alltoallv 9 3 3 3 6 1 2 3 6 6\n"));
	str_release(&s);
}

/* As prv2dim writes a trace whose tasks have accelerators and threads: lists behind the tasks; a
 * name with brackets and colons; messages of the form of old, without the other's thread; events,
 * offsets, files and windows. */
static void strange(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(
	    tmp_write(&tmp, "s.dim",
	              "#DIMEMAS:\"a (b): c\":1,123456:2(1,1),1,1(1),2(0,1)\nd:1:0:2:0:1\nd:2:1:f\n"
	              "d:3:1:0:2:0:1\n2:0:0:1:100:7:0:0\n2:0:0:1:-2:200:8:0:2\n"
	              "20:0:0:40000018:1\n20:0:0:40000018:0\n"
	              "3:1:0:0:200:8:0:1\n3:1:0:0:100:7:0:0\n3:1:0:0:200:8:0:2\n"
	              "s:0:80\ns:1:160\n"),
	    0);
	assert_string_equal(s.s, "0 init\n0 send 1 7 100 6\n0 isend 1 8 200 6 req=0\n"
	                         "0 request_free req=0\n0 finalize\n"
	                         "1 init\n1 irecv 0 8 200 6 req=0\n1 recv 0 7 100 6\n"
	                         "1 wait req=0\n1 finalize\n");
	str_release(&s);
}

/* An MPI_Ibcast from task 2 and an MPI_Iallreduce, ended the other way round: the wait has the
 * number and the communicator. */
static void nonblocking(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(
	    tmp_write(&tmp, "n.dim",
	              "#DIMEMAS:\"x\":0:2(1,1),1\nd:1:1:2:0:1\n"
	              "10:0:0:1:1:0:0:0:4:0\n10:0:0:11:1:0:0:8:8:0\n1:0:0:0.000001\n"
	              "10:0:0:11:1:0:0:8:8:2\n10:0:0:1:1:0:0:0:4:2\n"
	              "10:1:0:1:1:1:0:4:0:0\n10:1:0:11:1:0:0:8:8:0\n10:1:0:11:1:0:0:8:8:2\n"
	              "10:1:0:1:1:1:0:4:0:2\n"),
	    0);
	assert_string_equal(s.s, "0 init\n0 ibcast 4 1 6 req=0\n0 iallreduce 8 0 6 req=1\n"
	                         "0 compute 1000\n0 wait req=1\n0 wait req=0\n0 finalize\n"
	                         "1 init\n1 ibcast 4 1 6 req=0\n1 iallreduce 8 0 6 req=1\n"
	                         "1 wait req=1\n1 wait req=0\n1 finalize\n");
	str_release(&s);
}

static void faults(void **state)
{
	(void)state;
	foreign_fails(tmp_write(&tmp, "f.dim", "#DIMEMAS:nothing\n"), "f.dim:1:1: expected");
	foreign_fails(tmp_write(&tmp, "many.dim", "#DIMEMAS:\"x\":1,0:60000000(1,1)\n"),
	              "cannot hold the 60000000 ranks");
	foreign_fails(tmp_write(&tmp, "g.dim", HEAD "2:0:0:3:-1:100:7:1:0\n"),
	              "g.dim:4:7: expected the task that receives");
	foreign_fails(tmp_write(&tmp, "h.dim", HEAD "3:0:0:1:-1:1:1:1:2\n"),
	              "none with this source");
	foreign_fails(tmp_write(&tmp, "l.dim", HEAD "10:0:0:1:1:0:0:0:4:2\n"),
	              "none of this number and communicator was started");
	foreign_fails(tmp_write(&tmp, "m.dim", HEAD "21:0:0:1:1\n"),
	              "m.dim:4:1: expected a record");
	foreign_fails(tmp_write(&tmp, "m.dim", HEAD "-1:0:0:1\n"), "m.dim:4:1: expected a record");
	foreign_fails(tmp_write(&tmp, "m.dim", HEAD ":0:0:1\n"),
	              "m.dim:4:1: expected the number of a kind of record");
	foreign_fails(tmp_write(&tmp, "i.dim", HEAD "1:0:0:-1\n"), "i.dim:4:7: expected seconds");
	foreign_fails(tmp_write(&tmp, "j.dim", HEAD "10:0:0:0:9:0:0:0:0:1\n"),
	              "a line 'd:1:' defines");
	foreign_fails(tmp_write(&tmp, "k.dim", HEAD "10:1:0:0:2:0:0:0:0:1\n"), "it is not in");
	foreign_fails(tmp_write(&tmp, "o.dim", HEAD "d:1:3:1:0\n10:1:0:0:3:0:0:0:0:1\n"),
	              "o.dim:5: rank 1 calls MPI_Barrier on a communicator that it is not in");
}

/* A receive's source and tag may be any, -1; nothing else is below 0. */
static void negative(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(
	    tmp_write(&tmp, "n.dim", HEAD "2:0:0:1:-1:9:7:1:0\n3:1:0:-1:-1:9:-1:1:0\n"), 0);
	assert_non_null(strstr(s.s, "1 recv -1 -1 9 6\n"));
	str_release(&s);
	foreign_fails(tmp_write(&tmp, "a.dim", HEAD "2:0:0:1:-1:100:-1:1:0\n"),
	              "a.dim:4:16: expected a tag, 0 to 2147483647");
	foreign_fails(tmp_write(&tmp, "b.dim", HEAD "3:1:0:0:-1:100:-2:1:0\n"),
	              "b.dim:4:16: expected a tag, 0 to 2147483647, or -1: any");
	foreign_fails(tmp_write(&tmp, "c.dim", HEAD "2:0:0:1:-1:100:7:-1:0\n"),
	              "c.dim:4:18: expected a communicator, 0 or more");
	foreign_fails(tmp_write(&tmp, "d.dim", HEAD "3:1:0:0:-1:100:7:-1:1\n"),
	              "d.dim:4:18: expected a communicator, 0 or more");
	foreign_fails(tmp_write(&tmp, "e.dim", HEAD "10:0:0:0:-1:0:0:0:0:1\n"),
	              "e.dim:4:10: expected a communicator that a line 'd:1:' defines");
	foreign_fails(tmp_write(&tmp, "f.dim", HEAD "2:0:0:1:-1:100:2147483648:1:0\n"),
	              "f.dim:4:16: expected a tag, 0 to 2147483647");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages),
	    cmocka_unit_test(of_a_generator),
	    cmocka_unit_test(number_as_communicator),
	    cmocka_unit_test(collectives),
	    cmocka_unit_test(even_split),
	    cmocka_unit_test(strange),
	    cmocka_unit_test(nonblocking),
	    cmocka_unit_test(faults),
	    cmocka_unit_test(number_of_no_communicator),
	    cmocka_unit_test(alone),
	    cmocka_unit_test(negative),
	    cmocka_unit_test(number_without_tag),
	};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
