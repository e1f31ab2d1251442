/* fault_cpu.c: every allocation and read of rates from traces fails in turn: adding runs, with
 * volumes of another one; what was added is released whole. */
#include "../../unit/calibrate/runs_drawn.h"
#include "fault/fault.h"

struct files {
	char runs[256], volumes[256];
};

/* Enough regions and volumes that arrays grow and names are many. */
static void text_make(struct str *out, double more)
{
	str_puts(out, "# orrery-trace 1\n");
	for (int i = 0; i < 40; i++) {
		str_printf(out, "%d region %d a.c:%d>a.c:%d\n", i % 2, i, i, i + 1);
		str_printf(out, "%d compute %.0f region=%d t=%.9g\n", i % 2, (1 << i % 20) + more,
		           i, 1e-3 * (i + 1));
		str_printf(out, "%d barrier\n%d compute 5 t=0.25\n", i % 2, i % 2);
	}
}

static int rates_make(void *arg, struct err *err)
{
	const struct files *f = arg;
	struct trace *t = trace_open(f->runs, 2, err),
	             *v = t ? trace_open(f->volumes, 2, err) : NULL;
	struct cpu_rates c = {0};
	struct rates rates = {0};
	struct str text;
	int r = t && v ? cpu_add(&c, t, v, "left,right", 0, err) : -1;

	str_init(&text);
	if (r == 0)
		r = cpu_fit(&c, "perf", &rates, err);
	if (r == 0) {
		rates_write(&rates, &text);
		r = cpu_json(&c, &text, err) < 0 || cpu_text(&c, &text, err) < 0 ? -1 : 0;
		rates_release(&rates);
	}
	if (r == 0 && text.failed)
		r = err_nomem(err, "rates", text.n);
	if (r == 0)
		fault_told(text.s, text.n);
	str_release(&text);
	cpu_release(&c);
	trace_close(t);
	trace_close(v);
	return r;
}

static void rates(void **state)
{
	struct tmp tmp;
	struct str text;
	struct files f;

	(void)state;
	tmp_init(&tmp);
	str_init(&text);
	text_make(&text, 0);
	snprintf(f.runs, sizeof f.runs, "%s", tmp_write(&tmp, "runs.tit", text.s));
	str_clear(&text);
	text_make(&text, 3);
	snprintf(f.volumes, sizeof f.volumes, "%s", tmp_write(&tmp, "volumes.tit", text.s));
	str_release(&text);
	assert_true(fault_sweep(FAULT_ALLOC, rates_make, &f) > 100);
	assert_true(fault_sweep(FAULT_READ, rates_make, &f) > 1);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rates)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
