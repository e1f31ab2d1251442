/* test_tool.c: the tool interface (MPI 4.0, chapter 15): what a tool finds that looks for variables
 * in a library that has none, and the errors of 15.3.10 (table 15.6). */
#include "fake.h"

static int faults;

static void gives(const char *call, int got, int want)
{
	if (got != want) {
		print_error("%s: %d, not %d\n", call, got, want);
		faults++;
	}
}

#define GIVES(want, call) gives(#call, call, want)

/* --- all functions, each with what is no variable, category, event or source of this library ---
 */

/* Before MPI_T_init_thread each says so; after it, what is wrong with its argument. */
static int index_error, name_error, handle_error;

static void cvars(void)
{
	MPI_Datatype type;
	MPI_T_enum values;
	MPI_T_cvar_handle h = MPI_T_CVAR_HANDLE_NULL;
	int n = 0, x, y, z, length = 8, more = 8;
	char name[8] = "", text[8] = "";

	GIVES(index_error,
	      orr_T_cvar_get_info(0, name, &length, &x, &type, &values, text, &more, &y, &z));
	GIVES(index_error,
	      orr_T_cvar_get_info(-1, name, &length, &x, &type, &values, text, &more, &y, &z));
	GIVES(name_error, orr_T_cvar_get_index("eager_limit", &n));
	GIVES(index_error, orr_T_cvar_handle_alloc(0, NULL, &h, &n));
	GIVES(handle_error, orr_T_cvar_handle_free(&h));
	GIVES(handle_error, orr_T_cvar_read(h, &n));
	GIVES(handle_error, orr_T_cvar_write(h, &n));
	assert_ptr_equal(h, MPI_T_CVAR_HANDLE_NULL);
	assert_int_equal(n, 0); /* nothing is written but on success */
	GIVES(handle_error, orr_T_enum_get_info(MPI_T_ENUM_NULL, &n, name, &length));
	GIVES(handle_error, orr_T_enum_get_item(MPI_T_ENUM_NULL, 0, &n, name, &length));
	assert_int_equal(length, 8);
}

static void pvars(MPI_T_pvar_session s)
{
	MPI_Datatype type;
	MPI_T_enum values;
	MPI_T_pvar_handle h = MPI_T_PVAR_HANDLE_NULL;
	int n = 0, x[6], length = 8, more = 8;
	char name[8] = "", text[8] = "";

	GIVES(index_error, orr_T_pvar_get_info(0, name, &length, &x[0], &x[1], &type, &values, text,
	                                       &more, &x[2], &x[3], &x[4], &x[5]));
	GIVES(name_error, orr_T_pvar_get_index("unexpected", MPI_T_PVAR_CLASS_COUNTER, &n));
	GIVES(index_error, orr_T_pvar_handle_alloc(s, 0, NULL, &h, &n));
	GIVES(handle_error, orr_T_pvar_handle_free(s, &h));
	GIVES(handle_error, orr_T_pvar_read(s, h, &n));
	GIVES(handle_error, orr_T_pvar_readreset(s, h, &n));
	GIVES(handle_error, orr_T_pvar_write(s, h, &n));
	GIVES(handle_error, orr_T_pvar_start(s, h));
	GIVES(handle_error, orr_T_pvar_stop(s, h));
	GIVES(handle_error, orr_T_pvar_reset(s, h));
	assert_int_equal(n, 0);
	assert_ptr_equal(h, MPI_T_PVAR_HANDLE_NULL);
}

static void categories(void)
{
	int n = 7, x, y, z, length = 8, more = 8, indices[2] = {7, 7};
	char name[8] = "", text[8] = "";

	GIVES(index_error, orr_T_category_get_info(0, name, &length, text, &more, &x, &y, &z));
	GIVES(name_error, orr_T_category_get_index("MPI", &n));
	GIVES(index_error, orr_T_category_get_categories(0, 2, indices));
	GIVES(index_error, orr_T_category_get_cvars(0, 2, indices));
	GIVES(index_error, orr_T_category_get_pvars(0, 2, indices));
	GIVES(index_error, orr_T_category_get_events(0, 2, indices));
	GIVES(index_error, orr_T_category_get_num_events(0, &n));
	assert_int_equal(n, 7);
	assert_int_equal(indices[0], 7);
}

static void events(void)
{
	MPI_T_event_registration registered = NULL;
	MPI_T_event_instance instance = NULL;
	MPI_T_enum values;
	MPI_Info info = MPI_INFO_NULL;
	MPI_Datatype types[1];
	MPI_Aint displacements[1];
	MPI_Count ticks = 7;
	int n = 7, x, y, length = 8, more = 8;
	char name[8] = "", text[8] = "";

	GIVES(index_error, orr_T_event_get_info(0, name, &length, &x, types, displacements, &n,
	                                        &values, &info, text, &more, &y));
	GIVES(name_error, orr_T_event_get_index("sent", &n));
	GIVES(index_error, orr_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registered));
	GIVES(handle_error, orr_T_event_handle_free(registered, NULL, NULL));
	GIVES(handle_error, orr_T_event_handle_get_info(registered, &info));
	GIVES(handle_error, orr_T_event_handle_set_info(registered, MPI_INFO_NULL));
	GIVES(handle_error, orr_T_event_register_callback(registered, MPI_T_CB_REQUIRE_NONE,
	                                                  MPI_INFO_NULL, NULL, NULL));
	GIVES(handle_error,
	      orr_T_event_callback_get_info(registered, MPI_T_CB_REQUIRE_NONE, &info));
	GIVES(handle_error,
	      orr_T_event_callback_set_info(registered, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
	GIVES(handle_error, orr_T_event_set_dropped_handler(registered, NULL));
	GIVES(handle_error, orr_T_event_read(instance, 0, &n));
	GIVES(handle_error, orr_T_event_copy(instance, &n));
	GIVES(handle_error, orr_T_event_get_timestamp(instance, &ticks));
	GIVES(handle_error, orr_T_event_get_source(instance, &n));
	assert_int_equal(n, 7);
	assert_ptr_equal(info, MPI_INFO_NULL);
}

static void sources(void)
{
	MPI_T_source_order order;
	MPI_Count ticks = 7, most;
	MPI_Info info = MPI_INFO_NULL;
	int length = 8, more = 8;
	char name[8] = "", text[8] = "";

	GIVES(index_error,
	      orr_T_source_get_info(0, name, &length, text, &more, &order, &ticks, &most, &info));
	GIVES(index_error, orr_T_source_get_timestamp(0, &ticks));
	assert_int_equal(ticks, 7);
}

static void all_with(int of_index, int of_name, int of_handle, MPI_T_pvar_session s)
{
	index_error = of_index;
	name_error = of_name;
	handle_error = of_handle;
	faults = 0;
	cvars();
	pvars(s);
	categories();
	events();
	sources();
	assert_int_equal(faults, 0);
}

static void counted(int want)
{
	static int (*const all[])(int *n) = {orr_T_cvar_get_num, orr_T_pvar_get_num,
	                                     orr_T_event_get_num, orr_T_category_get_num,
	                                     orr_T_source_get_num};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		int n = -1;

		assert_int_equal(all[i](&n), want);
		assert_int_equal(n, want == MPI_SUCCESS ? 0 : -1);
	}
}

static void before(void **state)
{
	MPI_T_pvar_session s = MPI_T_PVAR_SESSION_NULL;
	int n = 7, none = MPI_T_ERR_NOT_INITIALIZED;

	(void)state;
	all_with(none, none, none, s);
	counted(none);
	assert_int_equal(orr_T_category_changed(&n), none);
	assert_int_equal(orr_T_pvar_session_create(&s), none);
	assert_int_equal(orr_T_pvar_session_free(&s), none);
	assert_int_equal(orr_T_finalize(), none);
}

static void within(void **state)
{
	MPI_T_pvar_session s;
	int provided = -1, first = -1, again = -2;

	(void)state;
	OK(orr_T_init_thread(MPI_THREAD_SINGLE, &provided));
	assert_in_range(provided, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
	OK(orr_T_pvar_session_create(&s));
	all_with(MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_NAME, MPI_T_ERR_INVALID_HANDLE, s);
	counted(MPI_SUCCESS);
	OK(orr_T_category_changed(&first)); /* 15.3.9: the same number: nothing has changed */
	OK(orr_T_category_changed(&again));
	assert_int_equal(first, again);
	OK(orr_T_pvar_session_free(&s));
	OK(orr_T_finalize());
}

/* 15.3.7: all handles of a session are started and stopped, be there none; the session must be
 * one. */
static void all_handles(void **state)
{
	static int (*const all[])(MPI_T_pvar_session s, MPI_T_pvar_handle h) = {
	    orr_T_pvar_start, orr_T_pvar_stop, orr_T_pvar_reset};
	MPI_T_pvar_session s, gone;
	int provided;

	(void)state;
	OK(orr_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
	OK(orr_T_pvar_session_create(&s));
	assert_ptr_not_equal(s, MPI_T_PVAR_SESSION_NULL);
	for (size_t i = 0; i < 3; i++)
		OK(all[i](s, MPI_T_PVAR_ALL_HANDLES));
	OK(orr_T_pvar_session_free(&s));
	assert_ptr_equal(s, MPI_T_PVAR_SESSION_NULL);
	gone = s;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(all[i](gone, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
	assert_int_equal(orr_T_pvar_session_free(&gone), MPI_T_ERR_INVALID_SESSION);
	OK(orr_T_finalize());
}

/* 15.3.4: as many ends as begins; until the last one it works. */
static void nested(void **state)
{
	int provided, n;

	(void)state;
	for (int i = 0; i < 3; i++)
		OK(orr_T_init_thread(MPI_THREAD_SINGLE, &provided));
	for (int i = 0; i < 3; i++) {
		OK(orr_T_cvar_get_num(&n));
		OK(orr_T_finalize());
	}
	assert_int_equal(orr_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	assert_int_equal(orr_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
}

/* Its codes are classes of MPI's, too, and have strings (15.3.10). */
static void codes(void **state)
{
	(void)state;
	for (int code = MPI_T_ERR_CANNOT_INIT; code <= MPI_T_ERR_PVAR_NO_ATOMIC; code++) {
		char text[MPI_MAX_ERROR_STRING] = "";
		int class = -1, n = 0;

		OK(orr_Error_class(code, &class));
		assert_int_equal(class, code);
		OK(orr_Error_string(code, text, &n));
		assert_int_equal(n, strlen(text));
		assert_true(strncmp(text, "MPI_T_ERR_", 10) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(before), cmocka_unit_test(within), cmocka_unit_test(all_handles),
	    cmocka_unit_test(nested), cmocka_unit_test(codes),
	};

	world_start(1, 0);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
