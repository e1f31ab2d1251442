/* Attributes, infos, error handlers and codes, names: MPI 4.0, 7.7, 10, 9.3 to 9.5. */
#include "fake.h"

#include "objects/attr.h"
#include "objects/info.h"

/* --- attributes --- */

static char told[64];
static intptr_t refused = 13; /* the value that may not be deleted */

static int copy_next(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)comm;
	(void)keyval;
	(void)extra;
	*(intptr_t *)out = (intptr_t)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete_tells(MPI_Comm comm, int keyval, void *value, void *extra)
{
	(void)comm;
	(void)keyval;
	size_t n = strlen(told);
	snprintf(told + n, sizeof told - n, "%s%d ", (const char *)extra, (int)(intptr_t)value);
	return (intptr_t)value == refused ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static MPI_Comm duplicate(MPI_Comm comm)
{
	struct orr_comm *from = orr_comm_of(comm);
	struct orr_comm *to = orr_comm_new(from->local, NULL, 9);
	OK(orr_comm_copy_local(from, to, 1));
	return orr_handle(to);
}

static intptr_t value_of(MPI_Comm comm, int key)
{
	void *value = NULL;
	int flag;
	OK(orr_Comm_get_attr(comm, key, &value, &flag));
	return flag ? (intptr_t)value : -1;
}

static void test_attributes(void **state)
{
	(void)state;
	static char c[] = "c", d[] = "d";
	int copied, duplicated, lost;
	OK(orr_Comm_create_keyval(copy_next, delete_tells, &copied, c));
	OK(orr_Comm_create_keyval(MPI_COMM_DUP_FN, delete_tells, &duplicated, d));
	OK(orr_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &lost, NULL));
	OK(orr_Comm_set_attr(MPI_COMM_WORLD, copied, (void *)1));
	OK(orr_Comm_set_attr(MPI_COMM_WORLD, duplicated, (void *)2));
	OK(orr_Comm_set_attr(MPI_COMM_WORLD, lost, (void *)3));
	MPI_Comm dup = duplicate(MPI_COMM_WORLD);
	assert_int_equal(value_of(dup, copied), 2);
	assert_int_equal(value_of(dup, duplicated), 2);
	assert_int_equal(value_of(dup, lost), -1);
	told[0] = 0;
	OK(orr_comm_free_local(orr_comm_of(dup))); /* last in, first out */
	assert_string_equal(told, "d2 c2 ");
	orr_comm_drop(orr_comm_of(dup));
	assert_int_equal(fake.ended, 1);
	told[0] = 0;
	OK(orr_Comm_set_attr(MPI_COMM_WORLD, copied, (void *)13)); /* the old value is deleted */
	assert_string_equal(told, "c1 ");
	assert_int_equal(orr_Comm_delete_attr(MPI_COMM_WORLD, copied), MPI_ERR_OTHER);
	assert_int_equal(value_of(MPI_COMM_WORLD, copied), 13); /* it stays */
	OK(orr_Comm_delete_attr(MPI_COMM_SELF, copied));        /* it is not there */
	int other = copied;
	OK(orr_Comm_free_keyval(&copied));
	assert_int_equal(copied, MPI_KEYVAL_INVALID);
	OK(orr_Comm_free_keyval(&other)); /* the attribute still has it */
	assert_int_equal(orr_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL), MPI_ERR_KEYVAL);
	assert_int_equal(orr_Type_set_attr(MPI_INT, duplicated, NULL), MPI_ERR_KEYVAL);
	refused = 0;
}

/* 19.3.7: what Fortran sets, C gets as a pointer to it; what C sets, Fortran gets as an address. */
static void test_languages(void **state)
{
	(void)state;
	int key, flag;
	void *pointer;
	intptr_t value;
	OK(orr_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
	OK(orr_attr_set(ORR_TYPE, MPI_INT, key, ORR_FORTRAN77, 42));
	OK(orr_Type_get_attr(MPI_INT, key, &pointer, &flag));
	assert_int_equal(*(int *)pointer, 42);
	OK(orr_attr_set(ORR_TYPE, MPI_INT, key, ORR_FORTRAN, (intptr_t)1 << 40));
	OK(orr_Type_get_attr(MPI_INT, key, &pointer, &flag));
	assert_true(*(MPI_Aint *)pointer == (MPI_Aint)1 << 40);
	OK(orr_Type_set_attr(MPI_INT, key, &flag));
	OK(orr_attr_get(ORR_TYPE, MPI_INT, key, ORR_FORTRAN, &value, &flag));
	assert_true(value == (intptr_t)&flag);
	OK(orr_Type_delete_attr(MPI_INT, key));
	OK(orr_Type_free_keyval(&key));
	OK(orr_attr_get(ORR_COMM, MPI_COMM_SELF, MPI_TAG_UB, ORR_FORTRAN, &value, &flag));
	assert_int_equal(value, ORR_TAG_UB); /* the number, not its address */
	assert_int_equal(*(int *)value_of(MPI_COMM_SELF, MPI_TAG_UB), ORR_TAG_UB);
}

/* --- infos --- */

static void test_info(void **state)
{
	(void)state;
	MPI_Info a, b;
	char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
	int n, flag, room = 3;
	OK(orr_Info_create(&a));
	OK(orr_Info_set(a, "one", "1"));
	OK(orr_Info_set(a, "two", "22222"));
	OK(orr_Info_set(a, "one", "11"));
	OK(orr_Info_dup(a, &b));
	OK(orr_Info_delete(a, "one"));
	assert_int_equal(orr_Info_delete(a, "one"), MPI_ERR_INFO_NOKEY);
	OK(orr_Info_get_nkeys(b, &n));
	assert_int_equal(n, 2);
	OK(orr_Info_get_nthkey(b, 1, key));
	assert_string_equal(key, "two");
	OK(orr_Info_get(b, "one", 10, value, &flag));
	assert_string_equal(value, "11");
	OK(orr_Info_get_string(b, "two", &room, value, &flag)); /* cut; the room that is needed */
	assert_string_equal(value, "22");
	assert_int_equal(room, 6);
	OK(orr_Info_get_valuelen(b, "two", &n, &flag));
	assert_int_equal(n, 5);
	OK(orr_Info_get(b, "three", 10, value, &flag));
	assert_false(flag);
	assert_int_equal(orr_Info_set(b, "", "x"), MPI_ERR_INFO_KEY);
	assert_int_equal(orr_Info_get_nthkey(b, 2, key), MPI_ERR_ARG);
	OK(orr_Info_free(&a));
	OK(orr_Info_free(&b));
	assert_ptr_equal(b, MPI_INFO_NULL);
	OK(orr_Info_get(MPI_INFO_ENV, "host", 100, value, &flag));
	assert_string_equal(value, "fake-1.example");
}

/* --- errors --- */

static void test_codes(void **state)
{
	(void)state;
	int class, code, of, n;
	char text[MPI_MAX_ERROR_STRING];
	OK(orr_Error_class(MPI_ERR_RANK, &of));
	assert_int_equal(of, MPI_ERR_RANK);
	OK(orr_Error_string(MPI_ERR_RANK, text, &n));
	assert_string_equal(text, "MPI_ERR_RANK: invalid rank");
	OK(orr_Add_error_class(&class));
	assert_int_equal(class, MPI_ERR_LASTCODE + 1);
	OK(orr_Add_error_code(class, &code));
	OK(orr_Add_error_string(code, "the moon is in the way"));
	OK(orr_Error_class(code, &of));
	assert_int_equal(of, class);
	OK(orr_Error_string(code, text, &n));
	assert_string_equal(text, "the moon is in the way");
	OK(orr_Error_string(class, text, &n));
	assert_int_equal(n, 0);
	assert_int_equal(*(int *)value_of(MPI_COMM_WORLD, MPI_LASTUSEDCODE), code);
	assert_int_equal(orr_Add_error_string(MPI_ERR_RANK, "x"), MPI_ERR_ARG);
	assert_int_equal(orr_Error_class(code + 1, &of), MPI_ERR_ARG);
	assert_int_equal(orr_Remove_error_class(class), MPI_ERR_OTHER); /* a code is of it */
	OK(orr_Remove_error_string(code));
	OK(orr_Remove_error_code(code));
	OK(orr_Remove_error_class(class));
	assert_int_equal(orr_Error_class(class, &of), MPI_ERR_ARG);
}

static int handled, handled_code;

static void handler(MPI_Comm *comm, int *code, ...)
{
	handled += *comm == MPI_COMM_SELF ? 1 : 100;
	handled_code = *code;
}

static void fails(void)
{
	orr_error_raise(ERROR_COMM, MPI_COMM_WORLD, MPI_ERR_TAG, "MPI_Send");
}

static void test_handlers(void **state)
{
	(void)state;
	MPI_Errhandler h, got;
	const char *said = aborts(fails); /* the default */
	assert_non_null(strstr(said, "MPI_Send"));
	assert_non_null(strstr(said, "MPI_ERR_TAG"));
	assert_non_null(strstr(said, "MPI_COMM_WORLD"));
	OK(orr_Comm_create_errhandler(handler, &h));
	OK(orr_Comm_set_errhandler(MPI_COMM_SELF, h));
	OK(orr_Errhandler_free(&h)); /* the communicator keeps it */
	assert_int_equal(orr_error_raise(ERROR_COMM, MPI_COMM_SELF, MPI_ERR_TAG, "f"), MPI_ERR_TAG);
	assert_int_equal(handled, 1);
	assert_int_equal(handled_code, MPI_ERR_TAG);
	OK(orr_Comm_get_errhandler(MPI_COMM_SELF, &got));
	OK(orr_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	assert_int_equal(orr_error_raise(ERROR_COMM, MPI_COMM_WORLD, MPI_ERR_TAG, "f"),
	                 MPI_ERR_TAG);
	assert_int_equal(handled, 1);
	OK(orr_Comm_set_errhandler(MPI_COMM_WORLD, got));
	OK(orr_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG));
	assert_int_equal(handled, 101);
	OK(orr_Errhandler_free(&got));
	/* files: errors return, unless MPI_FILE_NULL says otherwise */
	assert_int_equal(orr_error_raise(ERROR_FILE, MPI_FILE_NULL, MPI_ERR_AMODE, "f"),
	                 MPI_ERR_AMODE);
	OK(orr_Win_create_errhandler((MPI_Win_errhandler_function *)handler, &h));
	assert_int_equal(orr_Comm_set_errhandler(MPI_COMM_WORLD, h), MPI_ERR_ERRHANDLER);
	OK(orr_Errhandler_free(&h));
	OK(orr_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* --- handles --- */

static void test_handles(void **state)
{
	(void)state;
	MPI_Datatype t, u;
	OK(orr_Type_contiguous(1, MPI_INT, &t));
	assert_true((uintptr_t)t >= ORR_HANDLES && (uintptr_t)t < 1u << 26);
	assert_null(orr_object(ORR_COMM, t)); /* of another kind */
	u = t;
	OK(orr_Type_free(&t));
	assert_int_equal(orr_Type_free(&u), MPI_ERR_TYPE); /* it is no more */
	MPI_Datatype many[1000];
	for (int i = 0; i < 1000; i++) /* the table grows */
		OK(orr_Type_contiguous(i, MPI_INT, &many[i]));
	MPI_Count size;
	for (int i = 0; i < 1000; i++) {
		OK(orr_Type_size(many[i], &size));
		assert_int_equal(size, 4 * i);
		OK(orr_Type_free(&many[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_attributes), cmocka_unit_test(test_languages),
	    cmocka_unit_test(test_info),       cmocka_unit_test(test_codes),
	    cmocka_unit_test(test_handlers),   cmocka_unit_test(test_handles),
	};
	world_start(1, 0);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
