/* test_line_errors.c: whatever is wrong with a line is told with its file, line and column, and
 * what was expected there. In the tables, ^ stands before the place; it is no part of the line.
 * Each line is read from a file for all ranks and from a folder. */
#include "unit/trace/trace_test.h"

struct wrong {
	const char *line, *expected;
};

/* The line without its mark; where that stood, from 1. */
static int mark_take(const char *marked, char *line, size_t room)
{
	const char *mark = strchr(marked, '^');

	assert_non_null(mark);
	snprintf(line, room, "%.*s%s", (int)(mark - marked), marked, mark + 1);
	return (int)(mark - marked) + 1;
}

static int wrongs; /* all of a table are looked at */

static void error_is(const char *trace, const char *file, int lineno, int column, const char *line,
                     const char *expected)
{
	char place[320];
	struct err err = {0};
	char *text = trace_text(trace, 0, &err);

	if (text) {
		print_error("%s was taken: %s\n", line, text);
		wrongs++;
		free(text);
		return;
	}
	snprintf(place, sizeof place, "%s:%d:%d: ", file, lineno, column);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, expected)) {
		print_error("%s: \"%s\" is not \"%s…%s\"\n", line, err.text, place, expected);
		wrongs++;
	}
}

/* As the line of rank 1 of 4 behind other ones. */
static void merged_fails(const char *dir, const char *line, int column, const char *expected)
{
	char path[256], text[1024];

	snprintf(text, sizeof text,
	         "# orrery-trace 1 ranks=4\n0 init\n1 init\n\n  # a remark\n1 %s\n2 init\n3 init\n",
	         line);
	file_make(path, dir, "m", text);
	error_is(path, path, 6, column + 2, line, expected);
	remove(path);
}

static void folder_fails(const char *dir, const char *line, int column, const char *expected)
{
	char path[256], folder[128], text[1024];

	snprintf(folder, sizeof folder, "%s/f", dir);
	mkdir(folder, 0700);
	for (int rank = 0; rank < 4; rank++) {
		char name[32];

		snprintf(name, sizeof name, "rank-%d.tit", rank);
		snprintf(text, sizeof text, "# orrery-trace 1\n%d init\n", rank);
		if (rank == 3)
			snprintf(text, sizeof text, "# orrery-trace 1\r\n3 init\r\n3\t%s\r\n",
			         line);
		file_make(path, folder, name, text);
	}
	/* The end of such a line is behind its blank, the carriage return; but that of a value. */
	column += line[column - 1] == '\0' && !strchr("=,", line[column - 2]);
	error_is(folder, path, 3, column + 2, line, expected);
	folder_remove(folder);
}

static void rows_fail(const struct wrong *row, size_t n)
{
	char dir[64], line[512];

	wrongs = 0;
	folder_make(dir);
	for (size_t i = 0; i < n; i++) {
		int column = mark_take(row[i].line, line, sizeof line);

		merged_fails(dir, line, column, row[i].expected);
		folder_fails(dir, line, column, row[i].expected);
	}
	folder_remove(dir);
	assert_int_equal(wrongs, 0);
}

#define rows_fail(rows) rows_fail(rows, sizeof rows / sizeof *rows)

static void actions(void **state)
{
	static const struct wrong rows[] = {
	    {"^sendd 1 2 3 6", "expected an action, perhaps 'send'"},
	    {"^SEND 1 2 3 6", "expected an action"},
	    {"^7 send 1 2 3 6", "expected an action"},
	    {"^=", "expected an action"},
	    {"^send=1", "expected an action"},
	};

	(void)state;
	rows_fail(rows);
}

static void numbers(void **state)
{
	static const struct wrong rows[] = {
	    {"send ^4 2 3 6", "the rank of a destination (0 to 3; -2 is MPI_PROC_NULL), found '4'"},
	    {"send ^-1 2 3 6", "the rank of a destination"},
	    {"send ^1.0 2 3 6", "the rank of a destination"},
	    {"send ^99999999999999999999 2 3 6", "the rank of a destination"},
	    {"send ^4294967297 2 3 6", "the rank of a destination"},
	    {"recv ^-7 2 3 6", "the rank of a source (0 to 3; -1 is any; -2 is MPI_PROC_NULL)"},
	    {"send 1 ^-2 3 6", "a tag (0 to 2147483647; -1 is any), found '-2'"},
	    {"send 1 ^2147483648 3 6", "a tag"},
	    {"send 1 ^0x5 3 6", "a tag"},
	    {"send 1 2 ^-3 6", "a count of elements, found '-3'"},
	    {"send 1 2 ^0.5 6", "a count of elements"},
	    {"send 1 2 ^1e19 6", "a count of elements"},
	    {"send 1 2 ^9223372036854775808 6", "a count of elements"},
	    {"send 1 2 ^3b 6", "a count of elements"},
	    {"send 1 2 3 ^60", "a datatype id (0 to 59; -1: derived), found '60'"},
	    {"send 1 2 3 ^-2", "a datatype id"},
	    {"send 1 2 3 ^MPI_INTEGR", "a datatype, found 'MPI_INTEGR'"},
	    {"compute ^-1", "a number of instructions"},
	    {"compute ^nan", "a number"},
	    {"compute ^inf", "a number"},
	    {"compute ^1e999", "a number of instructions"},
	    {"compute ^5x", "a number of instructions"},
	    {"sleep ^-0.5", "seconds"},
	    {"bcast 5 ^4 6", "the root, a rank of the communicator"},
	    {"bcast 5 ^-1 6", "the root, a rank of the communicator"},
	    {"bcast 5 ^-4 6", "the root, a rank of the communicator"},
	    {"reduce 5 ^-1 0 6", "a number of instructions"},
	    {"sendRecv 5 1 5 ^4 6 6", "the rank of a source"},
	    {"sendRecv 5 ^-1 5 1 6 6", "the rank of a destination"},
	    {"win_lock ^7 win=0", "the rank of a destination"},
	    {"region ^-1 a>b", "the number of a region"},
	    {"region ^4294967296 a>b", "the number of a region"},
	    {"location a.c ^x", "a line number"},
	};

	(void)state;
	rows_fail(rows);
}

static void missing(void **state)
{
	static const struct wrong rows[] = {
	    {"send^", "the rank of the destination, found the end of the line"},
	    {"send 1^", "a tag, found the end of the line"},
	    {"send 1 2^", "a count of elements, found the end of the line"},
	    {"recv^", "the rank of the source, found the end of the line"},
	    {"compute^", "a number, found the end of the line"},
	    {"compute ^# 5", "a number"},
	    {"compute ^t=5", "a number, found 't=5'"},
	    {"bcast^", "a count of elements"},
	    {"allreduce 5^", "a number, found the end of the line"},
	    {"location^", "a file name"},
	    {"location a.c^", "a line number"},
	    {"file_open^", "a file name"},
	    {"region 0^", "a file name"},
	    {"put 1 2^", "a datatype id"},
	    {"sendRecv 1 2 3 1 6^", "a datatype id"},
	    {"send 1 2 3 -1^", "dtsize=, the bytes of the derived type"},
	    {"gather 1 2 0 -1 6 dtsize2=5^", "dtsize=, the bytes of the derived type"},
	    {"wait^", "req="},
	    {"test^", "req="},
	};

	(void)state;
	rows_fail(rows);
}

static void too_much(void **state)
{
	static const struct wrong rows[] = {
	    {"init ^5", "key=value or the end of the line"},
	    {"barrier ^1", "key=value or the end of the line, found '1'"},
	    {"send 1 2 3 6 ^6", "key=value or the end of the line"},
	    {"compute 5 ^6", "key=value or the end of the line"},
	    {"compute 5 ^t", "key=value or the end of the line"},
	    {"waitall 2 ^3 reqs=0,1", "key=value or the end of the line"},
	    {"comm_split ^0 1", "key=value or the end of the line"},
	    {"bcast 5 0 6 ^MPI_INT", "key=value or the end of the line"},
	};

	(void)state;
	rows_fail(rows);
}

/* Keys stand where they mean something. */
static void keys(void **state)
{
	static const struct wrong rows[] = {
	    {"barrier ^colour=1", "a key (t, req, reqs, done, comm, …), found 'colour=1'"},
	    {"barrier ^=1", "a key"},
	    {"compute 1 t=1 ^t=2", "each key once, found 't=2'"},
	    {"waitall 1 reqs=1 t=0 ^reqs=1", "each key once"},
	    {"barrier ^done=", "a key of barrier"},
	    {"compute 5 ^req=1", "a key of compute"},
	    {"compute 5 ^comm=world", "a key of compute"},
	    {"send 1 2 3 6 ^region=0", "a key of send"},
	    {"send 1 2 3 6 ^dtsize2=4", "a key of send"},
	    {"send 1 2 3 6 ^any=tag", "a key of send"},
	    {"send 1 2 3 6 ^tags=1,2", "a key of send"},
	    {"send 1 2 3 6 ^in_place=1", "a key of send"},
	    {"recv 1 2 3 6 ^message=1", "a key of recv"},
	    {"wait req=1 ^done=1", "a key of wait"},
	    {"waitall 1 reqs=1 ^done=1", "a key of waitall"},
	    {"wait ^reqs=1", "a key of wait"},
	    {"barrier ^dtsize=4", "a key of barrier"},
	    {"barrier ^members=0", "a key of barrier"},
	    {"barrier ^win=0", "a key of barrier"},
	    {"win_fence ^lock=shared", "a key of win_fence"},
	    {"win_fence ^group=0", "a key of win_fence"},
	    {"win_fence ^file=0", "a key of win_fence"},
	    {"read 5 ^holes=1", "a key of read"},
	    {"barrier ^parts=0", "a key of barrier"},
	    {"allgather 1 1 6 6 ^scounts=1", "a key of allgather"},
	    {"probe 1 2 ^found=1", "a key of probe"},
	    {"barrier disconnect=^1", "a key of comm_free"},
	    {"comm_split comm=0.0 members=0 spawn=^0", "a key of intercomm_create"},
	    {"comm_split comm=0.0 members=0 leader=^0", "a key of intercomm_create"},
	    {"barrier beside=^1", "a key of non-blocking collectives and comm_idup"},
	};

	(void)state;
	rows_fail(rows);
}

static void values(void **state)
{
	static const struct wrong rows[] = {
	    {"compute 1 t=^-1", "seconds, found '-1'"},
	    {"compute 1 t=^", "seconds, found the end of the line"},
	    {"compute 1 t=^ at=a.c:3", "seconds, found nothing"},
	    {"compute 1 t=^\001", "seconds, found a control character"},
	    {"compute 1 t=^1s", "seconds"},
	    {"compute 1 t=^nan", "seconds"},
	    {"compute 1 t=^1e999", "seconds"},
	    {"wait req=^-1", "the number of a request"},
	    {"wait req=^1,2", "the number of a request"},
	    {"wait req=^9223372036854775808", "the number of a request"},
	    {"barrier comm=^worlds", "a communicator: world, self, or"},
	    {"barrier comm=^3", "a communicator"},
	    {"barrier comm=^3.", "a communicator"},
	    {"barrier comm=^.3", "a communicator"},
	    {"barrier comm=^-1.0", "a communicator"},
	    {"barrier comm=^2147483648.0", "a communicator"},
	    {"barrier comm=^0.4294967294", "a communicator"},
	    {"comm_dup comm=0.0 members=0-3 parent=^x", "a communicator"},
	    {"comm_dup comm=0.0 members=^4", "world ranks (0 to 3)"},
	    {"comm_dup comm=0.0 members=^-1", "world ranks (0 to 3)"},
	    {"allreduce 1 1 0 op=^max", "noncommutative, unknown, own or own_noncommutative"},
	    {"allreduce 1 1 0 in_place=^2", "0 or 1"},
	    {"ibarrier req=0 beside=^split", "0 or 1"},
	    {"irecv 1 2 3 6 req=0 any=^all", "source, tag or both"},
	    {"win_lock 1 win=0 lock=^hard", "exclusive, unchecked or shared"},
	    {"win_lock_all win=0 lock=^exclusive", "unchecked or shared"},
	    {"win_fence win=^-1", "the number of a window or a file"},
	    {"compute 1 region=^x", "the number of a region"},
	    {"send 1 2 3 6 dtsize=^-4", "the bytes of a datatype"},
	    {"sendRecv 1 1 1 1 6 6 tags=^5", "the tags of sending and receiving, such as 4,5"},
	    {"sendRecv 1 1 1 1 6 6 tags=^5,6,7", "the tags"},
	    {"sendRecv 1 1 1 1 6 6 tags=^5,-2", "the tags"},
	    {"sendRecv 1 1 1 1 6 6 tags=^5,2147483648", "the tags"},
	    {"iprobe 1 2 found=^x", "0 or 1"},
	    {"iprobe 1 2 found=^2", "0 or 1"},
	    {"mrecv 1 2 3 6 message=^-1", "the number of a message"},
	    {"send 1 2 3 6 at=^solve.c", "a call site such as solve.c:120"},
	    {"send 1 2 3 6 at=^:12", "a call site"},
	    {"send 1 2 3 6 at=^solve.c:x", "a call site"},
	    {"intercomm_create comm=0.0 members=0 remote=1 spawn=^2147483648",
	     "a place in a group"},
	    {"intercomm_create comm=0.0 members=0 remote=1 leader=^0,", "the rank of the other"},
	    {"intercomm_create comm=0.0 members=0 remote=1 leader=^-1", "a place in a group"},
	};

	(void)state;
	rows_fail(rows);
}

static void lists(void **state)
{
	static const struct wrong rows[] = {
	    {"waitall 3 reqs=^a", "a list such as 0-7,9,12-20:2"},
	    {"waitall 3 reqs=^,1", "a list such as"},
	    {"waitall 3 reqs=1,^,2", "a list such as"},
	    {"waitall 3 reqs=1,2,^", "a list such as"},
	    {"waitall 3 reqs=1,^2;3", "a list such as"},
	    {"waitall 3 reqs=1,^2-", "a range such as 3-7 or 0-30:2"},
	    {"waitall 3 reqs=^1-9:0", "a range such as"},
	    {"waitall 3 reqs=^9-1", "a range such as"},
	    {"waitall 3 reqs=^1-9:", "a range such as"},
	    {"waitall 3 reqs=5,^0-99999999999", "a list of at most 1048576 items"},
	    {"waitall 3 reqs=0-1048575,^1", "a list of at most 1048576 items"},
	    {"testsome 2 reqs=0,1 done=0,^", "a list such as"},
	    {"comm_split comm=0.0 members=0,1,^", "a list such as"},
	};

	(void)state;
	rows_fail(rows);
}

/* Of 4 ranks. */
static void counts(void **state)
{
	static const struct wrong rows[] = {
	    {"gatherv 5 7 8 1 6 6^", "4 counts, one per rank of the world; there are 2"},
	    {"alltoallv ^0 1 2 0 1 6 6", "4 arguments and two counts per rank, but there are 7"},
	    {"gatherv ^5 7", "4 arguments and a count per rank, but there are 2 from here"},
	    {"allgatherv 5 1 2 ^-3 4 6 6", "a count of elements for rank 2 of 4"},
	    {"scatterv 1 2 3 ^4.5 9 0 6 6", "a count of elements for rank 3 of 4"},
	    {"send 1 2 9000000000000000000 0^", "are more bytes than can be counted"},
	    {"send 1 2 9223372036854775807 6^", "are more bytes than can be counted"},
	    {"bcast 9223372036854775807 0 0^", "are more bytes than can be counted"},
	    {"alltoall 9223372036854775807 9223372036854775807 0 0^",
	     "are more bytes than can be counted"},
	    {"allgatherv 5 1 2 9000000000000000000 4 0 0^", "are more bytes than can be counted"},
	    {"send 1 2 9223372036854775807 6^", "are more bytes than can be counted"},
	    {"allreduce 9223372036854775807 0 1^", "are more bytes than can be counted"},
	    {"sendRecv 9223372036854775807 1 9 1 6 6^", "are more bytes than can be counted"},
	};

	(void)state;
	rows_fail(rows);
}

/* What begins a line. */
static void ranks(void **state)
{
	static const struct {
		const char *text;
		int line, column;
		const char *expected;
	} rows[] = {
	    {"0 init\nx init\n", 3, 1, "expected a rank, found 'x'"},
	    {"0 init\n-1 init\n", 3, 1, "expected a rank"},
	    {"0 init\n1.5 init\n", 3, 1, "expected a rank"},
	    {"0 init\n1init\n", 3, 1, "expected a rank"},
	    {"0 init\n4294967296 init\n", 3, 1, "a rank below 2147483648"},
	    {"0 init\n18446744073709551616 init\n", 3, 1, "expected a rank"},
	    {"0 init\ninit\n", 3, 1, "expected a rank, found 'init'"},
	};
	char dir[64], path[256], text[256];

	(void)state;
	wrongs = 0;
	folder_make(dir);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "# orrery-trace 1 ranks=2\n%s1 init\n", rows[i].text);
		file_make(path, dir, "r", text);
		error_is(path, path, rows[i].line, rows[i].column, rows[i].text, rows[i].expected);
		remove(path);
	}
	file_make(path, dir, "r", "# orrery-trace 1 ranks=2\n0 init\n1 init\n5 init\n");
	assert_trace_fails(path, 0, "5");
	folder_remove(dir);
	assert_int_equal(wrongs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(actions),  cmocka_unit_test(numbers), cmocka_unit_test(missing),
	    cmocka_unit_test(too_much), cmocka_unit_test(keys),    cmocka_unit_test(values),
	    cmocka_unit_test(lists),    cmocka_unit_test(counts),  cmocka_unit_test(ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
