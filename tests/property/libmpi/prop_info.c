/* prop_info.c: infos beside a plain list (MPI 4.0, chapter 10): random keys set, set again,
 * deleted, asked for with room or without, counted in the order in which they were first set,
 * copied. */
#include "../prop.h"

#include "../../unit/libmpi/fake.h"

#include "base/rng.h"

enum { KEYS = 12, STEPS = 20000, VALUE = 40 };

struct list {
	int n;
	char key[KEYS][8], value[KEYS][VALUE];
};

static int place(const struct list *l, const char *key)
{
	for (int i = 0; i < l->n; i++)
		if (strcmp(l->key[i], key) == 0)
			return i;
	return -1;
}

static void set(struct rng *r, MPI_Info info, struct list *l, const char *key)
{
	char value[VALUE] = "";
	size_t n = (size_t)rng_below(r, VALUE);
	int at = place(l, key);

	memset(value, 'a' + (int)rng_below(r, 26), n);
	value[n] = '\0';
	OK(orr_Info_set(info, key, value));
	if (at < 0) {
		at = l->n++;
		snprintf(l->key[at], sizeof l->key[at], "%s", key);
	}
	memcpy(l->value[at], value, sizeof value);
}

static void delete (MPI_Info info, struct list *l, const char *key)
{
	int at = place(l, key);

	if (at < 0) {
		assert_int_equal(orr_Info_delete(info, key), MPI_ERR_INFO_NOKEY);
		return;
	}
	OK(orr_Info_delete(info, key));
	l->n--;
	memmove(l->key[at], l->key[at + 1], (size_t)(l->n - at) * sizeof *l->key);
	memmove(l->value[at], l->value[at + 1], (size_t)(l->n - at) * sizeof *l->value);
}

/* MPI_Info_get_string: buflen comes back as what all of it needs, its end included; what does not
 * fit is cut, and 0 asks for the length alone. MPI_Info_get: room without the end. */
static void get(struct rng *r, MPI_Info info, const struct list *l, const char *key)
{
	int at = place(l, key), flag, room = (int)rng_below(r, VALUE + 5), buflen = room,
	    length = -1;
	char got[VALUE + 8];

	memset(got, '#', sizeof got);
	OK(orr_Info_get_string(info, key, &buflen, got, &flag));
	assert_int_equal(flag, at >= 0);
	OK(orr_Info_get_valuelen(info, key, &length, &flag));
	assert_int_equal(flag, at >= 0);
	if (at < 0) {
		assert_int_equal(length, -1);
		assert_int_equal(got[0], '#');
		return;
	}
	int n = (int)strlen(l->value[at]);
	assert_int_equal(length, n);
	assert_int_equal(buflen, n + 1);
	if (room > 0) {
		int kept = n < room - 1 ? n : room - 1;
		assert_int_equal(strlen(got), kept);
		assert_memory_equal(got, l->value[at], (size_t)kept);
	}
	for (int i = room; i < (int)sizeof got; i++)
		assert_int_equal(got[i], '#');
	memset(got, '#', sizeof got);
	OK(orr_Info_get(info, key, room, got, &flag));
	assert_int_equal(strlen(got), n < room ? n : room);
	assert_int_equal(got[room + 1], '#');
}

static void same(MPI_Info info, const struct list *l)
{
	char key[MPI_MAX_INFO_KEY];
	int n;

	OK(orr_Info_get_nkeys(info, &n));
	assert_int_equal(n, l->n);
	for (int i = 0; i < n; i++) {
		OK(orr_Info_get_nthkey(info, i, key));
		assert_string_equal(key, l->key[i]);
	}
	assert_int_not_equal(orr_Info_get_nthkey(info, n, key), MPI_SUCCESS);
	assert_int_not_equal(orr_Info_get_nthkey(info, -1, key), MPI_SUCCESS);
}

static void beside_a_list(void **state)
{
	struct list l = {.n = 0}, kept = {.n = 0};
	MPI_Info info, copy = MPI_INFO_NULL;
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(1), "infos", 0);
	OK(orr_Info_create(&info));
	for (int i = 0; i < STEPS; i++) {
		char key[8];
		uint64_t what = rng_below(&r, 40);

		snprintf(key, sizeof key, "k%u", (unsigned)rng_below(&r, KEYS));
		if (what < 12)
			set(&r, info, &l, key);
		else if (what < 20)
			delete (info, &l, key);
		else if (what < 38)
			get(&r, info, &l, key);
		else if (copy == MPI_INFO_NULL) {
			OK(orr_Info_dup(info, &copy));
			kept = l;
		} else { /* nothing that was done since has changed it */
			same(copy, &kept);
			OK(orr_Info_free(&copy));
			assert_ptr_equal(copy, MPI_INFO_NULL);
		}
		same(info, &l);
	}
	if (copy != MPI_INFO_NULL)
		OK(orr_Info_free(&copy));
	OK(orr_Info_free(&info));
}

/* Keys of 1 to MPI_MAX_INFO_KEY - 1 letters. */
static void keys(void **state)
{
	char key[MPI_MAX_INFO_KEY + 2];
	MPI_Info info;
	int n;

	(void)state;
	OK(orr_Info_create(&info));
	memset(key, 'k', sizeof key);
	key[MPI_MAX_INFO_KEY] = '\0';
	assert_int_equal(orr_Info_set(info, key, "v"), MPI_ERR_INFO_KEY);
	assert_int_equal(orr_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
	key[MPI_MAX_INFO_KEY - 1] = '\0';
	OK(orr_Info_set(info, key, "v"));
	OK(orr_Info_get_nkeys(info, &n));
	assert_int_equal(n, 1);
	OK(orr_Info_free(&info));
	assert_int_equal(orr_Info_get_nkeys(info, &n), MPI_ERR_INFO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(beside_a_list), cmocka_unit_test(keys)};

	world_start(1, 0);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
