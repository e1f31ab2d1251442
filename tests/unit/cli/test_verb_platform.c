/* What `orrery platform` prints of machines made here, generates and refuses. */
#include "verb.h"

static void a_machine_in_words_and_json(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUNS(&r, "platform", "show", f.machine, "--hosts");
	PRINTS(r.out, "\nhosts        2 with 2 cores of 1 G/s");
	PRINTS(r.out, "\na                                               1 G/s a core, 1 core\n");
	RUNS(&r, "platform", "show", f.machine, "--json");
	assert_close(number_after(r.out, "\"hosts\":"), 2, 0);
	assert_close(number_after(r.out, "\"cores\":"), 2, 0);
	assert_close(number_after(r.out, "\"slowest_core\":"), 1e9, 0);
	PRINTS_NOT(r.out, "host_list");
	RUNS(&r, "platform", "show", f.machine, "--json", "--hosts");
	PRINTS(r.out, "\"host_list\":[{\"name\":\"a\",\"speed\":1000000000,\"cores\":1},");
	tmp_release(&f.tmp);
}

static void a_route_and_its_bottleneck(void **state)
{
	struct tmp t;
	char machine[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(
	    machine, sizeof machine, "%s",
	    tmp_write(&t, "p.xml",
	              "<platform version='4.1'><zone id='z' routing='Full'>"
	              "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
	              "<link id='wide' bandwidth='10GBps' latency='3us'/>"
	              "<link id='thin' bandwidth='1GBps' latency='1us'/>"
	              "<link id='fat' bandwidth='10MBps' latency='0us' sharing_policy='FATPIPE'/>"
	              "<route src='a' dst='b'><link_ctn id='wide'/><link_ctn id='thin'/>"
	              "<link_ctn id='fat'/></route></zone></platform>"));
	RUNS(&r, "platform", "show", machine, "--route", "a,b", "--json");
	PRINTS(r.out, "\"latency\":4e-06,\"bottleneck\":\"fat\"");
	PRINTS(r.out, "{\"name\":\"wide\",\"bandwidth\":10000000000,\"latency\":3e-06,"
	              "\"policy\":\"SHARED\"}");
	RUNS(&r, "platform", "show", machine, "-r", "a,b");
	PRINTS(r.out, "fatpipe, the bottleneck\n");
	REFUSED(&r, "FROM,TO", "platform", "show", machine, "-r", "a");
	REFUSED(&r, "no host 'c'", "platform", "show", machine, "-r", "a,c");
	tmp_release(&t);
}

/* Of three hosts, two have a route: pairs (c, a), (c, b) and back are without one, four; each host
 * reaches itself, five. */
static void routes_are_tried(void **state)
{
	struct tmp t;
	char machine[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(
	    machine, sizeof machine, "%s",
	    tmp_write(
	        &t, "p.xml",
	        "<platform version='4.1'><zone id='z' routing='Full'>"
	        "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>"
	        "<link id='w' bandwidth='1GBps' latency='1us'/>"
	        "<route src='a' dst='b'><link_ctn id='w'/></route></zone></platform>"));
	RUNS(&r, "platform", "check", machine);
	PRINTS(r.out, "4 of 9 pairs of hosts without a route");
	RUNS(&r, "platform", "check", machine, "--json");
	assert_close(number_after(r.out, "\"routes_tried\":"), 9, 0);
	PRINTS(r.out, "\"remarks\":[\"4 of 9 pairs");
	tmp_release(&t);
}

/* What is generated is read again: hosts of a fat tree of 4 and 8 children are 32, of a torus of
 * 3x3x2 18, of a dragonfly the product, of cabinets too. */
static void generated_machines_are_read(void **state)
{
	static const struct {
		const char *kind, *shape;
		double hosts;
	} machines[] = {{"flat", "5", 5},
	                {"torus", "3x3x2", 18},
	                {"fat-tree", "4x8", 32},
	                {"dragonfly", "3x2x2x2", 24},
	                {"hierarchical", "3x4", 12}};
	struct tmp t;
	struct ran r;

	(void)state;
	tmp_init(&t);
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		char path[512];

		snprintf(path, sizeof path, "%s/%s.xml", t.dir, machines[i].kind);
		RUNS(&r, "platform", "generate", machines[i].kind, machines[i].shape, "-o", path,
		     "--speed", "3Gf", "--cores", "2", "--latency", "5us");
		RUNS(&r, "platform", "show", path, "--json");
		assert_close(number_after(r.out, "\"hosts\":"), machines[i].hosts, 0);
		assert_close(number_after(r.out, "\"cores\":"), 2 * machines[i].hosts, 0);
		assert_close(number_after(r.out, "\"fastest_core\":"), 3e9, 0);
		if (i == 0) { /* up and down: two cables of 5 us */
			RUNS(&r, "platform", "show", path, "--json", "-r", "node-0,node-3");
			assert_close(number_after(r.out, "\"latency\":"), 10e-6, 1e-12);
		}
	}
	tmp_release(&t);
}

/* The figures of data/networks/100gbe.xml: 12.5 GB/s and 9.25 us a cable, loopback of 14.17 GB/s,
 * thresholds of 66000 bytes. What is asked for goes before what is preset. */
static void a_preset_brings_its_figures(void **state)
{
	struct tmp t;
	char path[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(path, sizeof path, "%s/m.xml", t.dir);
	RUNS(&r, "platform", "generate", "flat", "3", "--preset", "100gbe", "-o", path);
	RUNS(&r, "platform", "show", path, "--json", "-r", "node-0,node-1");
	assert_close(number_after(r.out, "\"latency\":"), 18.5e-6, 1e-12);
	assert_close(number_after(r.out, "\"bandwidth\":"), 12.5e9, 1e-12);
	RUNS(&r, "platform", "show", path, "--json", "-r", "node-1,node-1");
	assert_close(number_after(r.out, "\"bandwidth\":"), 14.17e9, 1e-12);
	RUNS(&r, "platform", "show", path);
	PRINTS(r.out, "setting      smpi/send-is-detached-thresh: 66000\n");
	PRINTS(r.out, "that of 100gbe");
	RUNS(&r, "platform", "generate", "flat", "3", "--preset", "100gbe", "--bandwidth", "1GBps",
	     "-o", path);
	RUNS(&r, "platform", "show", path, "--json", "-r", "node-0,node-1");
	assert_close(number_after(r.out, "\"bandwidth\":"), 1e9, 1e-12);
	RUNS(&r, "platform", "show", path);
	PRINTS(r.out, "where it was measured; as asked for instead: bandwidth\n");
	REFUSED(&r, "did you mean 100gbe", "platform", "generate", "flat", "3", "--preset",
	        "100gbi");
	tmp_release(&t);
}

static void what_has_no_meaning_is_refused(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	REFUSED(&r, "list, show, check or generate?", "platform");
	REFUSED(&r, "'draw' is none of list, show, check, generate. See", "platform", "draw");
	REFUSED(&r, "--route has no meaning here", "platform", "list", "--route", "a,b");
	REFUSED(&r, "--speed has no meaning here", "platform", "show", f.machine, "--speed", "1Gf");
	REFUSED(&r, "one machine is wanted", "platform", "show");
	REFUSED(&r, "a kind and its shape", "platform", "generate", "flat");
	REFUSED(&r, "of which unit? For example 5us", "platform", "generate", "flat", "4",
	        "--latency", "5");
	REFUSED(&r, "--uplink 7: of which unit?", "platform", "generate", "hierarchical", "2x2x2",
	        "--uplink", "40Gbps,1us;7,1us");
	REFUSED(&r, "--taper has no meaning for flat", "platform", "generate", "flat", "4",
	        "--taper", "2");
	REFUSED(&r, "--cores", "platform", "generate", "flat", "4", "--cores", "0");
	tmp_release(&f.tmp);
}

static void a_picture_is_a_file(void **state)
{
	static char text[1 << 20];
	struct files f;
	char path[600];
	struct ran r;

	(void)state;
	files_init(&f);
	snprintf(path, sizeof path, "%s/m.svg", f.tmp.dir);
	RUNS(&r, "platform", "show", f.machine, "--svg", path);
	PRINTS(file_text(path, text, sizeof text), "<svg");
	PRINTS(text, "</svg>");
	RUNS(&r, "platform", "show", f.machine, "-r", "a,b", "--svg", path);
	PRINTS(file_text(path, text, sizeof text), ">w<");
	tmp_release(&f.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_machine_in_words_and_json),
	    cmocka_unit_test(a_route_and_its_bottleneck),
	    cmocka_unit_test(routes_are_tried),
	    cmocka_unit_test(generated_machines_are_read),
	    cmocka_unit_test(a_preset_brings_its_figures),
	    cmocka_unit_test(what_has_no_meaning_is_refused),
	    cmocka_unit_test(a_picture_is_a_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
