/* Error classes, codes and strings (MPI 4.1, 9.4 and 9.5); buffers of MPI_Bsend (3.6): what is
 * given back, what may be there twice, what is refused. */
#include "fake.h"

#include "objects/bsend.h"
#include "objects/errhandler.h"

static int class_of(int code)
{
	int class = -1;

	OK(orr_Error_class(code, &class));
	return class;
}

static const char *string_of(int code)
{
	static char text[MPI_MAX_ERROR_STRING];
	int n = -1;

	OK(orr_Error_string(code, text, &n));
	assert_int_equal(n, strlen(text));
	return text;
}

/* MPI_SUCCESS = 0 < MPI_ERR_… <= MPI_ERR_LASTCODE; a class is its own code. */
static void predefined_classes(void **state)
{
	int class;

	(void)state;
	assert_int_equal(MPI_SUCCESS, 0);
	assert_int_equal(class_of(MPI_SUCCESS), MPI_SUCCESS);
	assert_int_equal(class_of(MPI_ERR_RANK), MPI_ERR_RANK);
	assert_non_null(strstr(string_of(MPI_ERR_RANK), "MPI_ERR_RANK"));
	assert_int_equal(orr_Error_class(-1, &class), MPI_ERR_ARG);
	assert_int_equal(orr_Error_class(MPI_ERR_LASTCODE + 1, &class), MPI_ERR_ARG);
	assert_int_equal(orr_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG);
	assert_int_equal(orr_Remove_error_class(MPI_ERR_RANK), MPI_ERR_ARG);
	assert_int_equal(*orr_error_last(), MPI_ERR_LASTCODE);
}

/* Each new one is above all before; MPI_LASTUSEDCODE follows. */
static void classes_and_codes_of_the_program(void **state)
{
	int class, code, of_known, other;

	(void)state;
	OK(orr_Add_error_class(&class));
	assert_true(class > MPI_ERR_LASTCODE);
	assert_int_equal(*orr_error_last(), class);
	OK(orr_Add_error_code(class, &code));
	OK(orr_Add_error_code(MPI_ERR_IO, &of_known));
	assert_true(code > class && of_known > code);
	assert_int_equal(*orr_error_last(), of_known);
	assert_int_equal(class_of(class), class);
	assert_int_equal(class_of(code), class);
	assert_int_equal(class_of(of_known), MPI_ERR_IO);
	assert_int_equal(orr_Add_error_code(code, &other), MPI_ERR_ARG); /* no class */
	assert_int_equal(orr_Add_error_code(of_known + 9, &other), MPI_ERR_ARG);
	assert_string_equal(string_of(code), "");
	OK(orr_Add_error_string(code, "first"));
	OK(orr_Add_error_string(code, "second"));
	assert_string_equal(string_of(code), "second");
}

/* MPI_SUCCESS is a class, too: a code of it is one of it, and makes no class. */
static void a_code_of_success(void **state)
{
	int code, other;

	(void)state;
	OK(orr_Add_error_code(MPI_SUCCESS, &code));
	assert_int_equal(class_of(code), MPI_SUCCESS);
	assert_int_equal(orr_Add_error_code(code, &other), MPI_ERR_ARG);
	assert_int_equal(orr_Remove_error_class(code), MPI_ERR_ARG);
	OK(orr_Remove_error_code(code));
}

static void strings_are_cut(void **state)
{
	static char text[2 * MPI_MAX_ERROR_STRING];
	int class;

	(void)state;
	memset(text, 'x', sizeof text - 1);
	OK(orr_Add_error_class(&class));
	OK(orr_Add_error_string(class, text));
	assert_int_equal(strlen(string_of(class)), MPI_MAX_ERROR_STRING - 1);
}

/* A class with codes and a code with a string stay; numbers are not used again. */
static void what_is_removed_is_gone(void **state)
{
	int class, code, other;

	(void)state;
	OK(orr_Add_error_class(&class));
	OK(orr_Add_error_code(class, &code));
	OK(orr_Add_error_string(code, "text"));
	assert_int_not_equal(orr_Remove_error_class(class), MPI_SUCCESS);
	assert_int_not_equal(orr_Remove_error_code(code), MPI_SUCCESS);
	assert_int_equal(orr_Remove_error_class(code), MPI_ERR_ARG);
	assert_int_equal(orr_Remove_error_code(class), MPI_ERR_ARG);
	OK(orr_Remove_error_string(code));
	assert_string_equal(string_of(code), "");
	OK(orr_Remove_error_code(code));
	OK(orr_Remove_error_class(class));
	assert_int_equal(orr_Error_class(class, &other), MPI_ERR_ARG);
	assert_int_equal(orr_Remove_error_class(class), MPI_ERR_ARG);
	assert_int_equal(orr_Add_error_code(class, &other), MPI_ERR_ARG);
	OK(orr_Add_error_class(&other));
	assert_true(other > code);
}

/* 160,000 classes come and go, each with two codes: a scan of all at each removal would take
 * minutes (MPICH's errhan/adderr makes ten times as many). */
static void many_come_and_go(void **state)
{
	int class[32], code[32][2];

	(void)state;
	for (int round = 0; round < 5000; round++) {
		for (int i = 0; i < 32; i++) {
			OK(orr_Add_error_class(&class[i]));
			OK(orr_Add_error_code(class[i], &code[i][0]));
			OK(orr_Add_error_code(class[i], &code[i][1]));
		}
		for (int i = 0; i < 32; i++) {
			OK(orr_Remove_error_code(code[i][1]));
			assert_int_equal(orr_Remove_error_class(class[i]), MPI_ERR_OTHER);
			OK(orr_Remove_error_code(code[i][0]));
			OK(orr_Remove_error_class(class[i]));
		}
	}
}

/* One buffer at a time; detaching gives back where and how large. */
static void buffers_of_the_process(void **state)
{
	char room[100];
	void *back = NULL;
	MPI_Count size = 0;

	(void)state;
	assert_int_equal(orr_Buffer_detach(&back, &size), MPI_ERR_BUFFER);
	assert_int_equal(orr_buffer_check(NULL, 0), MPI_ERR_BUFFER);
	assert_int_equal(orr_Buffer_attach(room, -1), MPI_ERR_ARG);
	assert_int_equal(orr_Buffer_attach(NULL, 5), MPI_ERR_ARG);
	OK(orr_Buffer_attach(room, 100));
	assert_int_equal(orr_Buffer_attach(room, 100), MPI_ERR_BUFFER);
	OK(orr_buffer_check(NULL, 100));
	assert_int_equal(orr_buffer_check(NULL, 101), MPI_ERR_BUFFER);
	OK(orr_Buffer_detach(&back, &size));
	assert_ptr_equal(back, room);
	assert_int_equal(size, 100);
}

/* What may still be in the buffer is asked for where there may be no room, and only there. With
 * another buffer beside it nobody knows which of them it is in. */
static void buffers_that_are_full(void **state)
{
	char room[100], own[100];
	void *back = NULL;
	MPI_Count size = 0;

	(void)state;
	assert_int_equal(orr_buffer_take(NULL, 1, 0), MPI_ERR_BUFFER);
	OK(orr_Buffer_attach(room, 100));
	assert_int_equal(orr_buffer_take(NULL, 101, 0), MPI_ERR_BUFFER);
	fake_fill = 1000; /* not asked for: there is room in any case */
	OK(orr_buffer_take(NULL, 60, 0));
	OK(orr_buffer_take(NULL, 40, 0));
	fake_fill = 100;
	assert_int_equal(orr_buffer_take(NULL, 1, 0), MPI_ERR_BUFFER);
	fake_fill = 41;
	assert_int_equal(orr_buffer_take(NULL, 60, 0), MPI_ERR_BUFFER);
	fake_fill = 40;
	OK(orr_buffer_take(NULL, 60, 0));
	OK(orr_Comm_attach_buffer(MPI_COMM_WORLD, own, 100));
	fake_fill = 100;
	OK(orr_buffer_take(NULL, 60, 0));
	OK(orr_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size));
	assert_int_equal(orr_buffer_take(NULL, 60, 0), MPI_ERR_BUFFER);
	OK(orr_Buffer_detach(&back, &size));
	OK(orr_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
	OK(orr_buffer_take(NULL, INT64_MAX, 0));
	OK(orr_Buffer_detach(&back, &size));
	fake_fill = 0;
}

/* A communicator's own buffer comes before the process's; without it, that one serves. */
static void buffers_of_a_communicator(void **state)
{
	const struct orr_object *world = orr_object(ORR_COMM, MPI_COMM_WORLD);
	char room[100], own[10];
	void *back = NULL;
	MPI_Count size = 0;

	(void)state;
	OK(orr_Buffer_attach(room, 100));
	OK(orr_Comm_attach_buffer(MPI_COMM_WORLD, own, 10));
	assert_int_equal(orr_Comm_attach_buffer(MPI_COMM_WORLD, own, 10), MPI_ERR_BUFFER);
	OK(orr_buffer_check(world, 10));
	assert_int_equal(orr_buffer_check(world, 11), MPI_ERR_BUFFER);
	OK(orr_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size));
	assert_ptr_equal(back, own);
	assert_int_equal(size, 10);
	OK(orr_buffer_check(world, 100));
	OK(orr_Buffer_detach(&back, &size));
	assert_int_equal(orr_Comm_attach_buffer(MPI_COMM_NULL, own, 10), MPI_ERR_COMM);
	assert_int_equal(orr_Comm_flush_buffer(MPI_COMM_NULL), MPI_ERR_COMM);
}

/* MPI_BUFFER_AUTOMATIC has room for whatever comes. */
static void the_automatic_buffer(void **state)
{
	void *back = NULL;
	MPI_Count size = 7;

	(void)state;
	OK(orr_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
	OK(orr_buffer_check(NULL, INT64_MAX));
	OK(orr_Buffer_detach(&back, &size));
	assert_ptr_equal(back, MPI_BUFFER_AUTOMATIC);
	assert_int_equal(size, 0);
}

static int setup(void **state)
{
	(void)state;
	world_start(1, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(predefined_classes),
	    cmocka_unit_test(classes_and_codes_of_the_program),
	    cmocka_unit_test(a_code_of_success),
	    cmocka_unit_test(strings_are_cut),
	    cmocka_unit_test(what_is_removed_is_gone),
	    cmocka_unit_test(many_come_and_go),
	    cmocka_unit_test(buffers_of_the_process),
	    cmocka_unit_test(buffers_that_are_full),
	    cmocka_unit_test(buffers_of_a_communicator),
	    cmocka_unit_test(the_automatic_buffer),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
