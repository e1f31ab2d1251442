/* test_export.c: each exporter on the run of feed_three, whose output is written here by hand. */
#include "three.h"

static char *export_text(const char *name, const struct export_options *o)
{
	char path[256];
	struct err err = {0};
	const struct exporter *e = exporter_find(name);
	size_t n;
	char *text;

	snprintf(path, sizeof path, "%s", tmp_path(&tmp, "out"));
	assert_non_null(e);
	assert_ok(e->export(three, path, o, &err), err);
	text = input_read_all(path, &n, &err);
	assert_non_null(text);
	return text;
}

static void csv(void **state)
{
	char *text = export_text("csv", NULL);

	(void)state;
	assert_string_equal(text, "rank,call,start,end,partner,bytes,wait,ended\n"
	                          "2,computation,1,2,,0,0,1\n"
	                          "0,computation,0,4,,0,0,1\n"
	                          "1,MPI_Recv,0,5,0,1000,4,1\n"
	                          "0,MPI_Send,4,5,1,1000,0,1\n"
	                          "0,MPI_Barrier,5,6,,0,0,1\n"
	                          "1,MPI_Barrier,5,6,,0,0,1\n"
	                          "2,MPI_Barrier,2,6,,0,3,1\n"
	                          "1,computation,6,8,,0,0,1\n");
	free(text);
}

static void messages(void **state)
{
	char *text = export_text("messages", NULL);

	(void)state;
	assert_string_equal(text, "from,to,tag,communicator,bytes,sent,moved,received,collective\n"
	                          "0,1,42,0,1000,4,4,5,0\n"
	                          "2,0,0,0,0,2,5,6,1\n");
	free(text);
}

static void windows(void **state)
{
	char *text = export_text(
	    "csv", &(struct export_options){.first_rank = 1, .ranks = 1, .from = 5.5, .to = 5.75});

	(void)state;
	assert_string_equal(
	    text, "rank,call,start,end,partner,bytes,wait,ended\n1,MPI_Barrier,5,6,,0,0,1\n");
	free(text);
	text = export_text("messages", &(struct export_options){.first_rank = 0, .ranks = 2});
	assert_non_null(strstr(text, "0,1,42"));
	assert_null(strstr(text, "2,0,0"));
	free(text);
	text = export_text("csv", &(struct export_options){.first_rank = 9});
	assert_string_equal(text, "rank,call,start,end,partner,bytes,wait,ended\n");
	free(text);
}

static void json(void **state)
{
	char *text = export_text("json", NULL);

	(void)state;
	assert_non_null(strstr(text, "{\"name\":\"./ring \\\"quoted\\\"\"}"));
	assert_non_null(
	    strstr(text, "\"name\":\"thread_name\",\"args\":{\"name\":\"rank 1 on node-1\"}"));
	assert_non_null(strstr(
	    text,
	    "{\"ph\":\"X\",\"pid\":0,\"tid\":1,\"name\":\"MPI_Recv\",\"cat\":\"p2p\",\"ts\":0.000,"
	    "\"dur\":5000000.000,"
	    "\"args\":{\"bytes\":1000,\"partner\":0,\"waiting_us\":4000000.000}}"));
	assert_non_null(strstr(
	    text,
	    "{\"ph\":\"s\",\"pid\":0,\"tid\":0,\"name\":\"message\",\"cat\":\"message\",\"id\":0,"
	    "\"ts\":4000000.000"));
	assert_non_null(strstr(
	    text,
	    "\"tid\":1,\"name\":\"message\",\"cat\":\"message\",\"id\":0,\"ts\":5000000.000}"));
	free(text);
}

static void paje(void **state)
{
	char *text = export_text("paje", NULL), *body = strstr(text, "\n4 0.0"), want[4096];
	const int barrier = CALL_COLL + COLL_BARRIER;

	(void)state;
	assert_non_null(body);
	snprintf(want, sizeof want,
	         "4 0.000000000000 run RUN 0 \"./ring 'quoted'\"\n"
	         "4 0.000000000000 r0 RANK run \"rank 0\"\n"
	         "4 0.000000000000 r1 RANK run \"rank 1\"\n"
	         "4 0.000000000000 r2 RANK run \"rank 2\"\n"
	         "6 0.000000000000 CALL r0 c0 -1 0 0.000000000000\n"
	         "6 0.000000000000 CALL r1 c%d 0 1000 4.000000000000\n"
	         "6 1.000000000000 CALL r2 c0 -1 0 0.000000000000\n"
	         "7 2.000000000000 CALL r2\n"
	         "6 2.000000000000 CALL r2 c%d -1 0 3.000000000000\n"
	         "8 2.000000000000 MESSAGE run collective r2 1 0 0\n"
	         "7 4.000000000000 CALL r0\n"
	         "6 4.000000000000 CALL r0 c%d 1 1000 0.000000000000\n"
	         "8 4.000000000000 MESSAGE run point-to-point r0 0 1000 42\n"
	         "7 5.000000000000 CALL r1\n"
	         "7 5.000000000000 CALL r0\n"
	         "6 5.000000000000 CALL r0 c%d -1 0 0.000000000000\n"
	         "6 5.000000000000 CALL r1 c%d -1 0 0.000000000000\n"
	         "9 5.000000000000 MESSAGE run point-to-point r1 0\n"
	         "7 6.000000000000 CALL r0\n"
	         "7 6.000000000000 CALL r1\n"
	         "7 6.000000000000 CALL r2\n"
	         "6 6.000000000000 CALL r1 c0 -1 0 0.000000000000\n"
	         "9 6.000000000000 MESSAGE run collective r0 1\n"
	         "7 8.000000000000 CALL r1\n"
	         "5 8.000000000000 RANK r0\n"
	         "5 8.000000000000 RANK r1\n"
	         "5 8.000000000000 RANK r2\n"
	         "5 8.000000000000 RUN run\n",
	         CALL_RECV, barrier, CALL_SEND, barrier, barrier);
	assert_string_equal(body + 1, want);
	free(text);
}

static void no_half_export_is_left(void **state)
{
	const struct exporter *const *e;
	struct err err;

	(void)state;
	for (e = exporters; *e; e++) {
		assert_fails((*e)->export(three, "/dev/full", NULL, &err), err, ERR_LIMIT,
		             "cannot write /dev/full: No space left on device");
		assert_fails((*e)->export(three, "/nonexistent/x", NULL, &err), err, ERR_INPUT,
		             "cannot write /nonexistent/x");
	}
	assert_null(exporter_find("docx"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(csv),     cmocka_unit_test(messages),
	    cmocka_unit_test(windows), cmocka_unit_test(json),
	    cmocka_unit_test(paje),    cmocka_unit_test(no_half_export_is_left),
	};
	return cmocka_run_group_tests(tests, three_open, three_close);
}
