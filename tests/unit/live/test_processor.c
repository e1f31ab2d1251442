/* What the loader of coroutines knows of a processor: numbers of relocations as the ABI has them
 * (System V ABI, AMD64 supplement, table 4.10; ELF for the Arm 64-bit architecture, 5.7), and code
 * that is written while the program runs. */
#include "live/coro/context.h"
#include "live/coro/processor.h"
#include "live/jump.h"
#include "test.h"

#include <sys/mman.h>

#if defined __aarch64__
enum { NONE = 0, BASE = 1027, RESOLVE = 1032, ADDRESS = 257, DATA = 1025, CALL = 1026 };
enum { COPY = 1024, MODULE = 1028, OFFSET = 1029, PLACE = 1030, DESCRIPTOR = 1031, PAGE = 275 };
#elif defined __x86_64__
enum { NONE = 0, BASE = 8, RESOLVE = 37, ADDRESS = 1, DATA = 6, CALL = 7 };
enum { COPY = 5, MODULE = 16, OFFSET = 17, PLACE = 18, DESCRIPTOR = 36, PAGE = 2 };
#endif

#if CORO_CONTEXTS
static void relocations(void **state)
{
	(void)state;
	assert_int_equal(relocation_of(NONE), RELOCATION_NONE);
	assert_int_equal(relocation_of(BASE), RELOCATION_BASE);
	assert_int_equal(relocation_of(RESOLVE), RELOCATION_RESOLVE);
	assert_int_equal(relocation_of(ADDRESS), RELOCATION_ADDRESS);
	assert_int_equal(relocation_of(DATA), RELOCATION_ADDRESS);
	assert_int_equal(relocation_of(CALL), RELOCATION_CALL);
	assert_int_equal(relocation_of(COPY), RELOCATION_COPY);
	assert_int_equal(relocation_of(MODULE), RELOCATION_TLS_MODULE);
	assert_int_equal(relocation_of(OFFSET), RELOCATION_TLS_OFFSET);
	assert_int_equal(relocation_of(PLACE), RELOCATION_TLS_PLACE);
	assert_int_equal(relocation_of(DESCRIPTOR), RELOCATION_TLS_DESCRIPTOR);
	assert_int_equal(relocation_of(PAGE), RELOCATION_UNKNOWN); /* a linker's, not a loader's */
}

static long ten_sum(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

/* A jump leaves all arguments where they are, those on the stack too. */
static void jumps(void **state)
{
	union {
		void *object;
		const void *address;
		long (*function)(long, long, long, long, long, long, long, long, long, long);
	} f = {.function = ten_sum}, jump;
	unsigned char *code = mmap(NULL, JUMP_BYTES, PROT_READ | PROT_WRITE,
	                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(code, MAP_FAILED);
	assert_ptr_equal(jump_write(code, f.address), code + JUMP_BYTES);
	code_written(code, code + JUMP_BYTES);
	assert_int_equal(mprotect(code, JUMP_BYTES, PROT_READ | PROT_EXEC), 0);
	jump.object = code;
	assert_int_equal(jump.function(1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 55);
	assert_int_equal(jump.function(0, 0, 0, 0, 0, 0, 0, 0, 1, 2), 29);
	munmap(code, JUMP_BYTES);
}

static uintptr_t seven(void)
{
	return 7;
}

static void resolvers(void **state)
{
	(void)state;
	assert_int_equal(processor_resolve((uintptr_t)seven), 7);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if CORO_CONTEXTS
		cmocka_unit_test(relocations),
		cmocka_unit_test(jumps),
		cmocka_unit_test(resolvers),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
