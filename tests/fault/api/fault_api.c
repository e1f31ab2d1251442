/* fault_api.c: a simulation that another program describes, while each allocation fails: what was
 * asked for comes, or the one check of a description says that it does not. */
#include "api/api.h"

#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

static const char *const lines[] = {"send 1 7 1000 6", "recv 0 7 1000 6"};

static char machine[256];
static int told[2], seen;

static int begin(void *self)
{
	(void)self;
	told[0] = told[1] = seen = 0;
	return 0;
}

static int next(void *self, uint32_t rank, const char **line, size_t *n)
{
	(void)self;
	if (told[rank]++)
		return 0;
	*line = lines[rank];
	*n = strlen(lines[rank]);
	return 1;
}

static void message(void *self, const struct orrery_message *m)
{
	(void)self, (void)m;
	seen++;
}

/* What each call returns is not looked at. */
static int predict(void *arg, struct err *err)
{
	const struct orrery_reader reader = {
	    .size = sizeof reader, .ranks = 2, .begin = begin, .next = next};
	const struct orrery_observer observer = {.size = sizeof observer, .message = message};
	struct orrery_sim *s = orrery_sim_new(ORRERY_API);
	int failure;
	double end;

	(void)arg;
	orrery_sim_machine(s, machine);
	orrery_sim_setting(s, "network/model", "CM02");
	orrery_sim_reader(s, &reader);
	orrery_sim_observer(s, &observer);
	failure = orrery_sim_run(s);
	end = orrery_sim_time(s);
	if (failure)
		err_set(err, (enum err_kind)failure, "%s", orrery_sim_error(s));
	orrery_sim_free(s);
	if (failure)
		return -1;
	fault_told(&seen, sizeof seen);
	fault_told(&end, sizeof end);
	return 0;
}

static void descriptions(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	snprintf(machine, sizeof machine, "%s",
	         tmp_write(&tmp, "p.xml",
	                   "<platform version='4.1'><cluster id='c' prefix='n' suffix='' "
	                   "radical='0-1' speed='1Gf' bw='1GBps' lat='1us'/></platform>"));
	assert_true(fault_sweep(FAULT_ALLOC, predict, NULL) >= 20);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(descriptions)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
