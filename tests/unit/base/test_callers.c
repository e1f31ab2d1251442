/* callers.c: the addresses to return to, which end at code that lies in no file, though it has a
 * description of its frame, and a wrong one: as LuaJIT's, of which libgcc's unwinder would abort
 * the program. */
#include "base/callers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "test.h"

enum { MOST = 64 };
static void *at[MOST];
static int n;

static __attribute__((noinline)) void look(void)
{
	n = callers_take(at, MOST);
}

static __attribute__((noinline)) void outer(void (*function)(void))
{
	function();
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static int there(const void *from, const void *to)
{
	for (int i = 0; i < n; i++)
		if (at[i] >= from && at[i] < to)
			return i;
	return -1;
}

static void test_own(void **state)
{
	const char *f = (const char *)(uintptr_t)outer;

	(void)state;
	outer(look);
	assert_in_range(n, 3, MOST);
	assert_in_range(there(f, f + 64), 1, n - 1);
	assert_int_equal(callers_take(at, 2), 2);
	assert_int_equal(callers_take(at, 0), 0);
}

#if defined __x86_64__ && __GLIBC_PREREQ(2, 35)
/* push $0x1234; call *%rdi; pop %rcx; ret */
static const unsigned char code[] = {0x68, 0x34, 0x12, 0, 0, 0xff, 0xd7, 0x59, 0xc3};

/* Of its frame (DWARF 4, 6.4): the address to return to lies where it has put 0x1234. */
struct description {
	uint32_t cie_length, cie_id;
	unsigned char cie[16]; /* version 1, "", 1, -8, 16; CFA: rsp + 8; return address: CFA - 8 */
	uint32_t fde_length, fde_cie;
	uint64_t from, bytes;
	unsigned char nothing[8];
	uint32_t end;
} __attribute__((packed));

void __register_frame(void *frames);
void __deregister_frame(void *frames);

static void test_made(void **state)
{
	struct description d = {
	    .cie_length = 20,
	    .cie = {1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1},
	    .fde_length = 28,
	    .fde_cie = 28,
	    .bytes = sizeof code,
	};
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	union {
		void *object;
		void (*call)(void (*)(void));
	} made = {page};

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	memcpy(page, code, sizeof code);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	d.from = (uint64_t)(uintptr_t)page;
	__register_frame(&d);
	made.call(look);
	__deregister_frame(&d);
	assert_in_range(n, 3, MOST);
	assert_int_equal(there(page, page + 4096), n - 1);
	munmap(page, 4096);
}
#else
static void test_made(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_own), cmocka_unit_test(test_made)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
