/* fault_noise.c: every allocation of a fit of noise, and of the page that is drawn of it, fails in
 * turn: an error that says so, or the same fit, with the same warnings and the same page. */
#include "calibrate/osnoise/osnoise.h"

#include "fault/fault.h"
#include "test.h"

struct both {
	struct os_raw raw;
	char *right; /* warnings, settings, page */
};

static int page_make(const struct os_raw *raw, struct str *page, struct err *err)
{
	struct os_fit f;

	if (os_fit_make(raw, &f, err) < 0)
		return -1;
	str_puts(page, f.warnings.s ? f.warnings.s : "");
	os_settings_write(&f, page);
	os_report_write(raw, &f, page);
	os_fit_release(&f);
	return page->failed ? err_nomem(err, "a page", page->n) : 0;
}

static int page_again(void *arg, struct err *err)
{
	const struct both *b = arg;
	struct str page = {0};
	int r = page_make(&b->raw, &page, err);

	if (r == 0)
		assert_string_equal(page.s, b->right);
	str_release(&page);
	return r;
}

/* Two processors, of which two quanta in five of fixed work take three times as long: that is told
 * of each. Fixed time: every 16th quantum lacks a fifth. */
static void measured(struct os_raw *raw)
{
	struct err err;

	os_raw_init(raw);
	for (int cpu = 0; cpu < 2; cpu++) {
		struct os_series *s = os_series_get(raw, OS_FWQ, cpu, 1e-3, &err);
		double at = 0;

		for (int i = 0; i < 200; i++) {
			double took = i * 7 % 5 < 2 ? 3e-3 : 1e-3;

			assert_ok(os_series_add(s, at, took, &err), err);
			at += took;
		}
		s = os_series_get(raw, OS_FTQ, cpu, 1e-3, &err);
		for (int i = 0; i < 300; i++)
			assert_ok(os_series_add(s, i * 1e-3, i % 16 ? 1000 : 800, &err), err);
	}
}

static void fit_and_page(void **state)
{
	struct str page = {0};
	struct both b;
	struct err err;

	(void)state;
	measured(&b.raw);
	assert_ok(page_make(&b.raw, &page, &err), err);
	assert_non_null(strstr(page.s, "40 % of the quanta of processor 1 are disturbed"));
	b.right = page.s;
	assert_true(fault_sweep(FAULT_ALLOC, page_again, &b) > 20);
	str_release(&page);
	os_raw_release(&b.raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fit_and_page)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
