/* calibrate_all.c: `orrery calibrate -o MACHINE -- MPIRUN…`: all of a machine. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void tell(void *whom, const char *line)
{
	print_notice(whom, line);
}

/* What the network's step is given as it is. */
static int network_options(const struct args *a, struct machine_option *out)
{
	static const struct {
		int id;
		const char *name;
	} handed[] = {{OPT_MPICC, "--mpicc"},
	              {OPT_CABINETS, "--cabinets"},
	              {OPT_LARGEST, "--largest"},
	              {OPT_SAMPLES, "--samples"},
	              {OPT_TIME, "--time"}};
	int n = 0;

	for (size_t i = 0; i < sizeof handed / sizeof *handed; i++)
		if (args_has(a, handed[i].id))
			out[n++] = (struct machine_option){handed[i].name,
			                                   args_get(a, handed[i].id)};
	return n;
}

/* What the file of all is written with: found out before anything is measured. */
static int figures_read(const struct args *a, struct machine_campaign *m, struct err *err)
{
	const char *rate = args_get(a, OPT_BANDWIDTH), *cabinets = args_get(a, OPT_CABINETS);

	m->name = args_get(a, OPT_NAME);
	if (calibrate_words_check(a, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_CORES, 1, 100000, &m->cores, err) < 0 ||
	    (cabinets && net_campaign_cabinets(&m->asked, cabinets, err) < 0) ||
	    (rate && calibrate_number(a, OPT_BANDWIDTH, "bandwidth", UNIT_BANDWIDTH, &m->bandwidth,
	                              err) < 0))
		return -1;
	return 0;
}

int calibrate_all(const struct args *a, struct err *err)
{
	char page[PATH_MAX], line[3 * PATH_MAX];
	struct machine_option handed[8];
	struct machine_campaign m = {.out = args_get(a, OPT_OUT),
	                             .page = args_get(a, OPT_REPORT),
	                             .launcher = (const char *const *)(const void *)a->rest,
	                             .n_launcher = a->n_rest,
	                             .network = handed,
	                             .seconds = args_get(a, OPT_TIME),
	                             .tell = tell,
	                             .whom = (void *)(uintptr_t)a};

	if (!m.out || !strcmp(m.out, "-") || !a->rest || a->n_rest == 0)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: all of a machine is measured by 'orrery calibrate -o machine.xml "
		    "-- mpirun -np 8 --map-by node'; a part of it by calibrate network, cpu, "
		    "kernel, processor, memory or noise. See 'orrery help calibrate'.");
	if (!m.page) {
		machine_page_name(m.out, page, sizeof page);
		m.page = page;
	}
	m.n_network = network_options(a, handed);
	if (figures_read(a, &m, err) < 0 || machine_calibrate(&m, err) < 0)
		return -1;
	snprintf(line, sizeof line, "the machine: %s; the page: %s\n", m.out, m.page);
	print_notice(a, line);
	return 0;
}
