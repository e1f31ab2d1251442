/* test_refusals.c: messages of the platform's readers that other tests do not provoke, each with
 * the line and column that it must name; and topologies whose numbers multiply to more than any
 * computer has, which must be told and not wrapped round. */
#include "lib.h"

#define P4(body) "<platform version='4.1'>\n" body "\n</platform>\n"
#define ZONE(body) P4("<zone id='w' routing='Full'>\n" body "\n</zone>")
#define IN(routing, body) P4("<zone id='w' routing='" routing "'>\n" body "\n</zone>")
#define H(id) "<host id='" id "' speed='1f'/>"
#define LINK "<link id='l' bandwidth='1'/>"
#define CLUSTER(more) "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1' " more "/>"
#define TOPOLOGY(name, parameters) \
	ZONE("<cluster id='c' prefix='n' suffix='' radical='0-7' speed='1' bw='1' lat='0' " \
	     "topology='" name "'\ntopo_parameters='" parameters "'/>")

static void clusters(void **state)
{
	(void)state;
	assert_refused(ZONE(CLUSTER("bw='0' lat='0'")), 3, 62, "must be positive");
	assert_refused(ZONE(CLUSTER("bw='1' lat='-1'")), 3, 69, "cannot be negative");
	assert_refused(ZONE(CLUSTER("bw='1' lat='0' bb_lat='1'")), 3, 77,
	               "is given without bb_bw: that link would have no bandwidth");
	assert_refused(ZONE(CLUSTER("bw='1' lat='0' loopback_lat='1us'")), 3, 77,
	               "is given without loopback_bw");
	assert_refused(ZONE(CLUSTER("bw='1' lat='0' limiter_link='-1'")), 3, 77,
	               "cannot be negative");
	assert_refused(ZONE(CLUSTER("bw='1GHz' lat='0'")), 3, 62, "bw of <cluster>: ");
	assert_refused(ZONE("<cluster id='c' prefix='n' suffix='' radical='0-' speed='1' bw='1' "
	                    "lat='0'/>"),
	               3, 38, "at character 3");
	assert_refused(ZONE("<cluster id='c' prefix='n' suffix='' radical='0' speed='0' bw='1' "
	                    "lat='0'/>"),
	               3, 50, "must be positive");
	assert_refused(ZONE(CLUSTER("bw='1' lat='0' core='-2'")), 3, 77, "an integer from 1");
}

static void cabinets_and_host_links(void **state)
{
	(void)state;
	assert_refused(IN("Cluster", "<cabinet id='a' prefix='n' suffix='' radical='0' speed='1' "
	                             "bw='0' lat='0'/>"),
	               3, 60, "must be positive");
	assert_refused(IN("Cluster", "<cabinet id='a' prefix='n' suffix='' radical='0' speed='1' "
	                             "bw='1' lat='-1us'/>"),
	               3, 67, "cannot be negative");
	assert_refused(ZONE("<cabinet id='a' prefix='n' suffix='' radical='0' speed='1' bw='1' "
	                    "lat='0'/>"),
	               3, 1, "<cabinet> belongs in a zone with routing=\"Cluster\"");
	assert_refused(IN("Cluster", H("h") LINK "\n<host_link id='h' up='l' down='l'/>\n"
	                                         "<host_link id='h' up='l' down='l'/>"),
	               5, 1, "host 'h' already has its links");
	assert_refused(IN("Cluster", H("h") LINK "\n<host_link id='g' up='l' down='l'/>"), 4, 1,
	               "zone 'w' has no host 'g'");
	assert_refused(IN("Cluster", H("h") LINK "\n<host_link id='h' up='l' down='m'/>"), 4, 1,
	               "no link is named 'm' (attribute 'down')");
	assert_refused(IN("Cluster",
	                  "<cabinet id='a' prefix='n' suffix='' radical='0' speed='1' "
	                  "bw='1' lat='0'/>" LINK "\n<host_link id='n0' up='l' down='l'/>"),
	               4, 1, "host 'n0' already has its links");
	assert_refused(IN("Cluster", H("h") "<backbone id='b' bandwidth='0' latency='0'/>"), 3, 36,
	               "a link's bandwidth must be positive");
	assert_refused(IN("Cluster", H("h") "<backbone id='b' bandwidth='1' latency='-1'/>"), 3, 36,
	               "a link's latency cannot be negative");
}

static void peers(void **state)
{
	(void)state;
	assert_refused(ZONE("<peer id='p' speed='1f' bw_in='1' bw_out='1' coordinates='0 0 0'/>"),
	               3, 1, "<peer> belongs in a zone with routing=\"Vivaldi\"");
	assert_refused(IN("Vivaldi", "<peer id='p' speed='1f' bw_in='0' bw_out='1' "
	                             "coordinates='0 0 0'/>"),
	               3, 25, "must be positive");
	assert_refused(IN("Vivaldi", "<peer id='p' speed='1f' bw_in='1' bw_out='0' "
	                             "coordinates='0 0 0'/>"),
	               3, 35, "must be positive");
	assert_refused(IN("Vivaldi", "<peer id='p' speed='1f' bw_in='1' bw_out='1' "
	                             "coordinates='0 0 x'/>"),
	               3, 46, "expected three numbers");
}

static void hosts_and_disks(void **state)
{
	(void)state;
	assert_refused("<platform version='3'>\n<AS id='w' routing='Full'>\n<host id='a' "
	               "power='1' availability='0'/></AS></platform>",
	               3, 24, "availability of <host> is '0', expected a positive number");
	assert_refused(ZONE("<host id='a' speed='1f'/>\n<host id='b' speed='-1f'/>"), 4, 14,
	               "cannot be negative");
	assert_refused(ZONE("<host id='a' speed='0f'/>\n<host id='b' speed='0Gf'/>"), 2, 7,
	               "no host of the platform computes: all have speed 0");
	assert_refused(ZONE("<host id='a' speed='1f'>\n<disk id='d' read_bw='0' "
	                    "write_bw='1'/></host>"),
	               4, 14, "must be positive");
	assert_refused(ZONE("<host id='a' speed='1f'>\n<disk id='d' read_bw='1' "
	                    "write_bw='0'/></host>"),
	               4, 26, "must be positive");
	assert_refused(ZONE("<host id='a' speed='1f'><disk id='d' read_bw='1' write_bw='1'/>\n"
	                    "<disk id='d' read_bw='1' write_bw='1'/></host>"),
	               4, 7, "this host has a disk 'd' already");
	assert_refused(ZONE("<host id='a' speed='1e999f'/>"), 3, 14, "speed of <host>");
	assert_refused(ZONE("<host id='' speed='1f'/>"), 3, 7, "empty name");
	assert_refused(ZONE("<link id='' bandwidth='1'/>"), 3, 7,
	               "a link's name must have between 1 and 4096 characters");
	assert_refused("<platform version='3'>\n<AS id='w' routing='Full'>\n<host id='a' "
	               "power='1' state='OFF' state_file='x'/></AS></platform>",
	               3, 24,
	               "state=\"OFF\" beside a state_file: let the file begin with '0 0' instead");
}

static void routes(void **state)
{
	(void)state;
	assert_refused(IN("Cluster", H("a") LINK "\n<route src='a' dst='a'><link_ctn id='l'/>"
	                                         "</route>"),
	               4, 1, "has routing Cluster, which computes its routes: <route>");
	assert_refused(ZONE(H("a") H("b") LINK "\n<route src='a' dst='c'><link_ctn id='l'/>"
	                                       "</route>"),
	               4, 16, "dst='c' of <route> names no host, router or zone");
	assert_refused(ZONE(H("a") H("b") LINK "\n<route src='a' dst='b'><link_ctn id='m'/>"
	                                       "</route>"),
	               4, 34, "no link is named 'm' so far");
	assert_refused(ZONE(H("a") H("b") LINK "\n<route src='a' dst='b'><link_ctn id='l' "
	                                       "direction='UP'/></route>"),
	               4, 41, "link 'l' is not split");
	assert_refused(ZONE(H("a") H("b") "<link id='l' bandwidth='1' "
	                                  "sharing_policy='SPLITDUPLEX'/>\n<route src='a' "
	                                  "dst='b'><link_ctn id='l'/></route>"),
	               4, 34, "is split in two directions: add direction=\"UP\" or \"DOWN\"");
	assert_refused(ZONE(H("a") H("b") LINK "<route src='a' dst='b'><link_ctn id='l'/></route>\n"
	                                       "<route src='b' dst='a'><link_ctn id='l'/></route>"),
	               4, 1, "the route from 'b' to 'a' is already declared");
	assert_refused(ZONE(H("a") H("b") LINK "\n<bypassRoute src='a' dst='b'></bypassRoute>"), 4,
	               1, "empty route: <bypassRoute> needs at least one <link_ctn>");
}

#define TWO_ZONES \
	"<zone id='x' routing='Full'>" H("a") "</zone><zone id='y' routing='Full'>" H( \
	    "b") "</zone>" LINK "\n"

static void zone_routes(void **state)
{
	(void)state;
	assert_refused(ZONE(TWO_ZONES "<zoneRoute src='x' dst='y' gw_src='b' gw_dst='b'>"
	                              "<link_ctn id='l'/></zoneRoute>"),
	               4, 28, "gateway gw_src='b' is in zone 'y', not inside 'x'");
	assert_refused(ZONE(TWO_ZONES "<zoneRoute src='x' dst='x' gw_src='a' gw_dst='a'>"
	                              "<link_ctn id='l'/></zoneRoute>"),
	               4, 39, "both gateways are 'a'");
	assert_refused(ZONE(TWO_ZONES "<zoneRoute src='x' dst='b' gw_src='a' gw_dst='b'>"
	                              "<link_ctn id='l'/></zoneRoute>"),
	               4, 20, "is a host; expected a zone (between hosts or routers: <route>)");
	assert_refused(ZONE(H("h") "<link id='l' bandwidth='1'/>\n<route src='w' dst='h'>"
	                           "<link_ctn id='l'/></route>"),
	               4, 8, "is a zone; expected a host or router (between zones: <zoneRoute>)");
	assert_refused(
	    ZONE("<zone id='x' routing='Full'>" H("a") "</zone>"
	                                               "<zone id='y' routing='Full'>" H("b") LINK
	         "\n"
	         "<route src='a' dst='b'><link_ctn id='l'/></route></zone>"),
	    4, 8, "host 'a' is not in zone 'y' itself, so this zone cannot route it");
	assert_refused(ZONE(TWO_ZONES "<zoneRoute src='x' dst='y' gw_src='x' gw_dst='b'>"
	                              "<link_ctn id='l'/></zoneRoute>"),
	               4, 28, "is a zone; a gateway is a host or a router");
	assert_refused(ZONE(TWO_ZONES "<bypassZoneRoute src='a' dst='y' gw_src='a' gw_dst='b'>"
	                              "<link_ctn id='l'/></bypassZoneRoute>"),
	               4, 18, "is not a zone inside zone 'w'");
}

static void traces(void **state)
{
	(void)state;
	assert_refused(ZONE(H("h") "<trace id='t' periodicity='x'>0 1</trace>"), 3, 40,
	               "periodicity of <trace> is 'x', expected seconds");
	assert_refused(ZONE(H("h") "<trace id='t' periodicity='1'>0 1</trace>\n<trace id='t' "
	                           "periodicity='1'>0 1</trace>"),
	               4, 8, "a <trace> of the name 't' is already there");
	assert_refused(ZONE(H("h") "<trace_connect kind='SPEED' trace='t' element='h'/>"), 3, 54,
	               "no <trace> is named 't' so far");
	assert_refused(ZONE(H("h") "<trace id='t' periodicity=''>0 1</trace>\n<trace_connect "
	                           "kind='SPEED' trace='t' element='g'/>"),
	               4, 39, "no host is named 'g'");
	assert_refused(ZONE(H("h") "<trace id='t' periodicity=''>0 1</trace>\n<trace_connect "
	                           "kind='LATENCY' trace='t' element='h'/>"),
	               4, 41, "no link is named 'h'");
	assert_refused(ZONE(H("h") "<trace id='t' periodicity=''>0 1</trace>\n<trace_connect "
	                           "kind='SPEED' trace='t' element='h'/>\n<trace_connect "
	                           "kind='SPEED' trace='t' element='h'/>"),
	               5, 39, "the speed of this element already follows the profile");
	assert_refused(ZONE(H("h") "<trace id='t' periodicity='' file='/no/such'/>"), 3, 55,
	               "file of <trace>: there is no file '/no/such'");
}

/* 2^27 x 2^10 x 2^27 cables are 2^64: none, where products wrap round. */
static void topologies_beyond_their_limits(void **state)
{
	(void)state;
	assert_refused(TOPOLOGY("FAT_TREE", "1;8;268435455;16"), 4, 1, "too many cables");
	assert_refused(TOPOLOGY("FAT_TREE", "1;134217728;1024;134217728"), 4, 1, "too many cables");
	assert_refused(TOPOLOGY("FAT_TREE", "2;1,2;200000000,1;1,1"), 4, 1,
	               "more than 268435456 switches on level 1");
	assert_refused(TOPOLOGY("DRAGONFLY", "99999,1;99999,1;1,1;1"), 4, 1,
	               "more than 268435456 routers");
	assert_refused(TOPOLOGY("DRAGONFLY", "9999,1;999,1;10,1;99"), 4, 1,
	               "more than 268435456 hosts");
	assert_refused(TOPOLOGY("DRAGONFLY", "99999,1;1,1;1,1;1"), 4, 1, "too many cables");
	assert_refused(TOPOLOGY("TORUS", "268435456"), 4, 1, "expected a positive number");
	assert_refused(TOPOLOGY("TORUS",
	                        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
	                        "8"),
	               4, 1, "more than 32 numbers");
	assert_refused(ZONE("<cluster id='c' prefix='n' suffix='' radical='0-7' speed='1' "
	                    "bw='1e305' lat='0' topology='DRAGONFLY' "
	                    "topo_parameters='2,1;2,1;2,1;1'/>"),
	               3, 10, "a bandwidth too large to be multiplied");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clusters), cmocka_unit_test(cabinets_and_host_links),
	    cmocka_unit_test(peers),    cmocka_unit_test(hosts_and_disks),
	    cmocka_unit_test(routes),   cmocka_unit_test(zone_routes),
	    cmocka_unit_test(traces),   cmocka_unit_test(topologies_beyond_their_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
