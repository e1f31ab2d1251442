/* calibrate_cpu.c: `orrery calibrate cpu TRACE...`: rates of computation from traces of real runs. */
#include "calibrate/calibrate.h"
#include "calibrate_run.h"

static int trace_add(struct cpu_rates *c, const char *path, struct err *err)
{
	struct trace_manifest m;
	struct err none;
	int has_manifest = trace_manifest_read(path, &m, &none) == 0, r;
	struct trace *t = trace_open(path, 0, err);

	r = t ? cpu_add(c, t, has_manifest ? m.hosts : NULL, err) : -1;
	trace_close(t);
	if (has_manifest)
		trace_manifest_release(&m);
	return r;
}

int calibrate_cpu(const struct args *a, struct err *err)
{
	struct cpu_rates c = {0};
	struct str out;
	int r = 0;

	if (a->n_positional < 2)
		return err_set(err, ERR_INPUT,
		               "calibrate cpu: traces of real runs are wanted: 'orrery trace', small problems, several times");
	for (int i = 1; i < a->n_positional && r == 0; i++)
		r = trace_add(&c, a->positional[i], err);
	if (r == 0 && !(c.seconds > 0))
		r = err_set(
		    err, ERR_INPUT,
		    "calibrate cpu: no computation of these traces has a volume and a duration: trace with a counter such as perf");
	if (r == 0) {
		str_init(&out);
		if (args_has(a, OPT_JSON))
			cpu_json(&c, &out);
		else
			cpu_text(&c, &out);
		r = args_has(a, OPT_OUT) ? print_file(args_get(a, OPT_OUT), &out, err) : print_stdout(&out, err);
		str_release(&out);
	}
	cpu_release(&c);
	return r;
}
