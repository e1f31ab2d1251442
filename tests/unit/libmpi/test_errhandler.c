/* test_errhandler.c: which error handler is called, with what, and what becomes of the program (MPI
 * 4.0, 9.3): of each kind of object, of objects without one of their own, of calls without an
 * object, and of those made too early. A handler that was freed serves as long as it is in force.
 */
#include "fake.h"

#include "objects/errhandler.h"

/* --- a handler of the program's --- */

static struct {
	int calls, code;
	MPI_Comm comm;
	char function[64];
} told;

static void tells(MPI_Comm *comm, int *code, ...)
{
	va_list ap;

	va_start(ap, code);
	told.calls++;
	told.code = *code;
	told.comm = *comm;
	snprintf(told.function, sizeof told.function, "%s", va_arg(ap, const char *));
	va_end(ap);
}

static void other(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	told.calls += 100;
}

static MPI_Errhandler handler_new(void (*f)(MPI_Comm *comm, int *code, ...))
{
	MPI_Errhandler h;

	OK(orr_Comm_create_errhandler((MPI_Comm_errhandler_function *)f, &h));
	return h;
}

static int raised(enum error_kind kind, const void *handle, int code)
{
	memset(&told, 0, sizeof told);
	assert_int_equal(orr_error_raise(kind, handle, code, "MPI_Something"), code);
	return told.calls;
}

static MPI_Comm copy_new(void)
{
	MPI_Comm c;
	struct orr_comm *made = orr_comm_new(orr_comm_of(MPI_COMM_WORLD)->local, NULL, 9);

	assert_non_null(made);
	c = orr_handle(made);
	return c;
}

static void comm_end(MPI_Comm c)
{
	orr_comm_drop(orr_comm_of(c));
}

/* Nothing wrong: nobody is called. An error: the object's own handler, once, with the handle, the
 * code and the function; the code is what the function returns. */
static void of_an_object(void **state)
{
	MPI_Errhandler h = handler_new(tells);
	MPI_Comm c = copy_new();

	(void)state;
	OK(orr_Comm_set_errhandler(c, h));
	assert_int_equal(raised(ERROR_COMM, c, MPI_SUCCESS), 0);
	assert_int_equal(raised(ERROR_COMM, c, MPI_ERR_TAG), 1);
	assert_int_equal(told.code, MPI_ERR_TAG);
	assert_ptr_equal(told.comm, c);
	assert_string_equal(told.function, "MPI_Something");
	OK(orr_Errhandler_free(&h));
	assert_ptr_equal(h, MPI_ERRHANDLER_NULL);
	assert_int_equal(raised(ERROR_COMM, c, MPI_ERR_RANK), 1); /* still in force */
	OK(orr_Comm_call_errhandler(c, MPI_ERR_COUNT));
	assert_int_equal(told.code, MPI_ERR_COUNT);
	assert_string_equal(told.function, "MPI_Comm_call_errhandler");
	OK(orr_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	assert_int_equal(raised(ERROR_COMM, c, MPI_ERR_RANK), 0);
	comm_end(c);
}

/* What is asked for is what was set, and lives on its own. */
static void asked_for(void **state)
{
	MPI_Errhandler h = handler_new(tells), got, again;
	MPI_Comm c = copy_new();

	(void)state;
	OK(orr_Comm_get_errhandler(c, &got));
	assert_ptr_equal(got, MPI_ERRORS_ARE_FATAL); /* 9.3: the default */
	OK(orr_Errhandler_free(&got));               /* as the standard asks for */
	assert_ptr_equal(got, MPI_ERRHANDLER_NULL);
	OK(orr_Comm_set_errhandler(c, h));
	OK(orr_Comm_get_errhandler(c, &got));
	assert_ptr_equal(got, h);
	OK(orr_Errhandler_free(&h));
	OK(orr_Comm_get_errhandler(c, &again));
	assert_ptr_equal(again, got);
	OK(orr_Errhandler_free(&got));
	OK(orr_Comm_set_errhandler(c, again));
	OK(orr_Errhandler_free(&again));
	assert_int_equal(raised(ERROR_COMM, c, MPI_ERR_ARG), 1);
	comm_end(c);
}

/* An error of no object is MPI_COMM_SELF's (9.3), or, where the program has given it one,
 * MPI_COMM_WORLD's, as programs of MPI 3.1 expect. */
static void of_no_object(void **state)
{
	MPI_Errhandler mine = handler_new(tells), worlds = handler_new(other);

	(void)state;
	OK(orr_Comm_set_errhandler(MPI_COMM_SELF, mine));
	assert_int_equal(raised(ERROR_NONE, NULL, MPI_ERR_INFO), 1);
	assert_ptr_equal(told.comm, MPI_COMM_SELF);
	assert_int_equal(raised(ERROR_REQUEST, NULL, MPI_ERR_REQUEST), 1);
	/* a handle that is none has no handler of its own */
	assert_int_equal(raised(ERROR_COMM, MPI_COMM_NULL, MPI_ERR_COMM), 1);
	assert_ptr_equal(told.comm, MPI_COMM_SELF);
	assert_int_equal(raised(ERROR_WIN, MPI_WIN_NULL, MPI_ERR_WIN), 1);
	OK(orr_Comm_set_errhandler(MPI_COMM_WORLD, worlds));
	assert_int_equal(raised(ERROR_NONE, NULL, MPI_ERR_INFO), 100);
	OK(orr_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	assert_int_equal(raised(ERROR_NONE, NULL, MPI_ERR_INFO), 0);
	OK(orr_Errhandler_free(&mine));
	OK(orr_Errhandler_free(&worlds));
}

/* A handler is of one kind of object; predefined ones are of all. */
static void of_a_kind(void **state)
{
	MPI_Errhandler comm = handler_new(tells), win, file;

	(void)state;
	OK(orr_Win_create_errhandler((MPI_Win_errhandler_function *)(void *)tells, &win));
	OK(orr_File_create_errhandler((MPI_File_errhandler_function *)(void *)tells, &file));
	assert_int_equal(orr_Comm_set_errhandler(MPI_COMM_SELF, win), MPI_ERR_ERRHANDLER);
	assert_int_equal(orr_Comm_set_errhandler(MPI_COMM_SELF, file), MPI_ERR_ERRHANDLER);
	assert_int_equal(orr_File_set_errhandler(MPI_FILE_NULL, comm), MPI_ERR_ERRHANDLER);
	assert_int_equal(orr_Win_set_errhandler(MPI_WIN_NULL, win), MPI_ERR_WIN);
	assert_int_equal(orr_Comm_set_errhandler(MPI_COMM_NULL, comm), MPI_ERR_COMM);
	assert_int_equal(orr_Session_set_errhandler(MPI_SESSION_NULL, MPI_ERRORS_RETURN),
	                 MPI_ERR_SESSION);
	assert_int_equal(orr_Comm_create_errhandler(NULL, &comm), MPI_ERR_ARG);
	OK(orr_Errhandler_free(&comm));
	OK(orr_Errhandler_free(&win));
	OK(orr_Errhandler_free(&file));
	assert_int_equal(orr_Errhandler_free(&file), MPI_ERR_ERRHANDLER);
}

/* 14.7: files return errors by default, and the default is that of MPI_FILE_NULL. */
static void of_files(void **state)
{
	MPI_Errhandler h, got;

	(void)state;
	OK(orr_File_get_errhandler(MPI_FILE_NULL, &got));
	assert_ptr_equal(got, MPI_ERRORS_RETURN);
	assert_int_equal(raised(ERROR_FILE, MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE), 0);
	OK(orr_File_create_errhandler((MPI_File_errhandler_function *)(void *)tells, &h));
	OK(orr_File_set_errhandler(MPI_FILE_NULL, h));
	assert_int_equal(raised(ERROR_FILE, MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE), 1);
	assert_int_equal(told.code, MPI_ERR_NO_SUCH_FILE);
	OK(orr_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
	assert_int_equal(told.code, MPI_ERR_IO);
	OK(orr_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	OK(orr_Errhandler_free(&h));
}

/* --- errors that end the program: in a child --- */

static void fatal_on_a_name(void)
{
	MPI_Comm c = copy_new();

	OK(orr_Comm_set_name(c, "the grid"));
	OK(orr_Comm_set_errhandler(c, MPI_ERRORS_ARE_FATAL));
	orr_error_raise(ERROR_COMM, c, orr_error_note(MPI_ERR_RANK, "7, where there are 0 to 2"),
	                "MPI_Send");
}

static void fatal_by_default(void)
{
	orr_error_raise(ERROR_COMM, copy_new(), MPI_ERR_TRUNCATE, "MPI_Recv");
}

static void aborts_alone(void)
{
	MPI_Comm c = copy_new();

	OK(orr_Comm_set_errhandler(c, MPI_ERRORS_ABORT));
	OK(orr_Comm_call_errhandler(c, MPI_ERR_OTHER));
}

/* What was noted of one error is not told of another. */
static void note_of_another(void)
{
	orr_error_note(MPI_ERR_TAG, "a note of before");
	orr_error_raise(ERROR_COMM, copy_new(), MPI_ERR_COUNT, "MPI_Send");
}

static void fatal_ones(void **state)
{
	const char *text;

	(void)state;
	text = aborts(fatal_on_a_name);
	assert_non_null(strstr(text, "MPI_Send"));
	assert_non_null(strstr(text, "7, where there are 0 to 2"));
	assert_non_null(strstr(text, "the grid"));
	text = aborts(fatal_by_default);
	assert_non_null(strstr(text, "MPI_Recv"));
	assert_non_null(strstr(text, "15")); /* MPI_ERR_TRUNCATE */
	assert_non_null(strstr(aborts(aborts_alone), "MPI_Comm_call_errhandler"));
	text = aborts(note_of_another);
	assert_non_null(strstr(text, "MPI_Send"));
	assert_null(strstr(text, "a note of before"));
}

static void before_everything(void)
{
	orr_error_raise(ERROR_COMM, MPI_COMM_WORLD, MPI_ERR_COMM, "MPI_Comm_rank");
}

/* Before MPI_Init there is no handler: the program is told what it did. */
static void too_early(void **state)
{
	(void)state;
	assert_non_null(
	    strstr(aborts(before_everything), "MPI_Comm_rank was called before MPI_Init"));
}

int main(void)
{
	const struct CMUnitTest early[] = {cmocka_unit_test(too_early)};
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fatal_ones), cmocka_unit_test(of_an_object),
	    cmocka_unit_test(asked_for),  cmocka_unit_test(of_a_kind),
	    cmocka_unit_test(of_files),   cmocka_unit_test(of_no_object)};
	int failed = cmocka_run_group_tests(early, NULL, NULL);

	world_start(3, 1);
	failed += cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
