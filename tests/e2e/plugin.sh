#!/bin/bash
# plugin.sh: communication models in shared objects, built as a user would: with the installed
# header alone.
#
# Two hosts, 1 us and 1 GB/s. The example (messages queue at their sender's interface): two messages
# of 1000 bytes sent at 0 take 1 us each there, and are there at 2 us and 3 us; with
# latency=10us,bandwidth=500MBps at 12 us and 14 us. A model of flows over the route's links, then a
# timer of 1 s as an event: two messages share the link: 2 us for both, 1 us latency, 1 s: 1.000003
# s.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
cmake --install "$(dirname "$ORRERY")" --prefix "$work/prefix" --component headers >"$work/log" \
	2>&1 || { cat "$work/log"; fail "installing headers"; }
cc=(cc -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -shared -fPIC "-I$work/prefix/include")
cat >"$work/p.xml" <<'XML'
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf" core="2"/><host id="b" speed="1Gf" core="2"/>
<link id="wire" bandwidth="1GBps" latency="1us"/>
<route src="a" dst="b"><link_ctn id="wire"/></route></zone></platform>
XML
printf '%s\n' '0 isend 1 0 1000 6' '0 isend 1 1 1000 6' '0 waitall' '1 irecv 0 0 1000 6' \
	'1 irecv 0 1 1000 6' '1 waitall' >"$work/t"
time_is() { # SECONDS MODEL OPTIONS…
	local want=$1 got
	shift
	got=$("$ORRERY" replay "$work/t" -p "$work/p.xml" -n 2 --model "$@" 2>"$work/err" |
		sed -n 's/^simulated time: \(.*\) s$/\1/p')
	[ "$got" = "$want" ] || { cat "$work/err"; fail "--model $*: '$got' s, not $want"; }
}
refused() { # WORDS MODEL OPTIONS…
	local words=$1
	shift
	"$ORRERY" replay "$work/t" -p "$work/p.xml" -n 2 --model "$@" >/dev/null 2>"$work/err"
	[ $? = 2 ] || fail "$*: exit code"
	grep -q "$words" "$work/err" || { cat "$work/err"; fail "$*: not told: $words"; }
}

"${cc[@]}" -o "$work/nic.so" "$SRC/examples/model/sender_nic.c" || fail "building the example"
time_is 0.000003000 "$work/nic.so"
time_is 0.000014000 "$work/nic.so:latency=10us,bandwidth=500MBps"
"$ORRERY" replay "$work/t" -p "$work/p.xml" -n 2 --model "$work/nic.so" --explain message:1 |
	grep -q 'the interface of a is busy with it for 1e-06 s' ||
	fail "the example does not explain itself"
# A bare name is one of the installed folder, never of the current one; a relative path is none.
cd "$work" || exit 1
refused "'models/nic.so' is neither in .*absolute path" nic.so
refused 'model ./nic.so: shared objects are loaded by their absolute path' ./nic.so
refused 'model ../x/nic.so: shared objects are loaded by their absolute path' \
	../x/nic.so:latency=1us
mkdir -p data/models && cp nic.so data/models && ln -s "$SRC"/data/* data 2>/dev/null
ORRERY_DATA=$work/data time_is 0.000003000 nic.so
time_is 0.000014000 "$work/nic.so" --cfg 'network/plugin:latency=10us;bandwidth=500MBps'
# What follows its name goes before the setting: 1 + 1 + 20 us.
time_is 0.000022000 "$work/nic.so:latency=20us" \
	--cfg 'network/plugin:latency=10us;bandwidth=1GBps'
knows='knows no "latnecy=1us"; it has asked for: latency'
refused "setting network/model: model sender-nic $knows" "$work/nic.so:latnecy=1us"
refused 'setting network/plugin: model sender-nic knows no "bw=1"' "$work/nic.so" --cfg \
	network/plugin:bw=1
refused 'setting network/plugin: model hybrid is no shared object' hybrid --cfg network/plugin:bw=1
refused 'latency=soon is not a number' "$work/nic.so:latency=soon"
refused 'nothing would ever arrive' "$work/nic.so:bandwidth=0"

# Flows, events, a collective of its own, in C++.
cat >"$work/flows.cpp" <<'CPP'
#include <orrery/model.h>
#include <string>
#include <vector>
namespace {
std::vector<uint64_t> tickets;
std::vector<char> flown;
int message(orrery_net *net, void *, uint32_t from, uint32_t to, double bytes, uint64_t ticket)
{
	orrery_route route;
	std::vector<uint32_t> resources;
	if (orrery_route_find(net, from, to, &route) < 0)
		return -1;
	for (uint32_t i = 0; i < route.n_links; i++) {
		uint32_t r;
		orrery_link link;
		char name[64];
		if (orrery_resource_of_link(net, route.links[i], &r) < 0 ||
		    orrery_link_get(net, route.links[i], &link) < 0)
			return -1;
		orrery_link_name(net, route.links[i], name, sizeof name);
		if (std::string(name) != "wire" || link.bandwidth != 1e9)
			return orrery_fail(net, "that is not the link");
		resources.push_back(r);
	}
	orrery_flow flow = {};
	flow.amount = bytes;
	flow.latency = route.latency;
	flow.weight = 1;
	flow.resources = resources.data();
	flow.n_resources = static_cast<uint32_t>(resources.size());
	tickets.push_back(ticket);
	flown.push_back(0);
	uint32_t number = static_cast<uint32_t>(tickets.size() - 1);
	return orrery_start_flow(net, &flow, orrery_event(number));
}
int event(orrery_net *net, void *, uint32_t number, uint64_t *ticket)
{
	if (!flown[number]) {
		flown[number] = 1;
		return orrery_start_timer(net, 1, orrery_event(number));
	}
	*ticket = tickets[number];
	return 1;
}
int collective(orrery_net *, void *, const orrery_collective *c, double *seconds)
{
	*seconds = std::string(c->operation) == "barrier" ? 7.0 * c->members : -1;
	return 0;
}
} // namespace
extern const struct orrery_model orrery_model_entry = {
    ORRERY_MODEL_ABI, sizeof(struct orrery_model), "flows", "a test", nullptr, nullptr, message,
    event, collective, nullptr, 0, 0, 0, nullptr};
CPP
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -shared -fPIC "-I$work/prefix/include" -o \
	"$work/flows.so" "$work/flows.cpp" || fail "building C++"
time_is 1.000003000 "$work/flows.so"
printf '0 barrier\n1 barrier\n' >"$work/t2"
"$ORRERY" replay "$work/t2" -p "$work/p.xml" -n 2 --model "$work/flows.so" --cfg \
	smpi/collectives:analytic | grep -q 'time: 14.000000000' || fail "collective"
printf '0 bcast 8 0 6\n1 bcast 8 0 6\n' >"$work/t2"
"$ORRERY" replay "$work/t2" -p "$work/p.xml" -n 2 --model "$work/flows.so" --cfg \
	smpi/collectives:analytic 2>&1 | grep -q 'its duration is -1 s' || fail "bad duration"

# Machines that change, and noise. 1,000,000 bytes from a to b over wire, 1 GB/s and 1 us, that has
# 0.5 GB/s from 401 us on: the example, which takes what the way has when it sends, takes 1001 us
# and says so; the C++ model below follows: 400 us for 400,000 bytes, 1200 us for the others, 1601
# us; with its own bound of 0.8 of the link's bandwidth, revised, 1 us + 400 us for 320,000 bytes,
# 680,000 bytes at 0.4 GB/s take 1700 us: 2101 us; unrevised, its 0.8 GB/s do not matter any more: 1
# + 400 + 1360 us. Noise of a factor of 3: 3 us + 3000 us for the example.
changes() { # KIND TEXT: the machine with a profile of wire
	local profile="<trace id='t' periodicity='0'>$2</trace>"
	local connect="<trace_connect kind='$1' trace='t' element='wire'/>"
	sed "s#</zone>#$profile$connect</zone>#" "$work/p.xml" >"$work/changes.xml"
}
large_is() { # SECONDS NOTICE MODEL OPTIONS…
	local want=$1 notice=$2 got
	shift 2
	got=$("$ORRERY" replay "$work/large" -p "$work/changes.xml" -n 2 --model "$@" \
		2>"$work/err" | sed -n 's/^simulated time: \(.*\) s$/\1/p')
	[ "$got" = "$want" ] || { cat "$work/err"; fail "--model $*: '$got' s, not $want"; }
	if [ "$notice" ]; then grep -q "$notice" "$work/err"; else ! [ -s "$work/err" ]; fi ||
		{ cat "$work/err"; fail "$*: notice"; }
}
printf '0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n' >"$work/large"
cat >"$work/follows.cpp" <<'CPP'
#include <orrery/model.h>
namespace {
double part;
int init(orrery_net *net, void **)
{
	return orrery_number(net, "part", ORRERY_UNIT_NONE, 0, &part);
}
int message(orrery_net *net, void *, uint32_t from, uint32_t to, double bytes, uint64_t ticket)
{
	orrery_route route;
	uint32_t r;
	if (orrery_route_find(net, from, to, &route) < 0 ||
	    orrery_resource_of_link(net, route.links[0], &r) < 0)
		return -1;
	orrery_flow flow = {};
	flow.amount = bytes * orrery_noise(net);
	flow.latency = route.latency;
	flow.bound = route.bandwidth * part;
	flow.weight = 1;
	flow.resources = &r;
	flow.n_resources = 1;
	return orrery_start_flow(net, &flow, ticket);
}
int revise(orrery_net *net, void *, orrery_revision *r)
{
	char name[8];
	if (orrery_link_name(net, r->link, name, sizeof name)[0] != 'w')
		return orrery_fail(net, "that is not the link");
#ifndef LAZY
	r->bound = r->bandwidth * part;
#endif
	return 0;
}
} // namespace
extern const struct orrery_model orrery_model_entry = {
    ORRERY_MODEL_ABI, sizeof(struct orrery_model), "follows", "a test", init, nullptr, message,
    nullptr, nullptr, nullptr, 0, 0, ORRERY_FOLLOWS_LINKS | ORRERY_FOLLOWS_NOISE, revise};
CPP
for kind in follows lazy; do
	c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -shared -fPIC "-D${kind^^}" \
		"-I$work/prefix/include" -o "$work/$kind.so" "$work/follows.cpp" ||
		fail "building $kind"
done
changes BANDWIDTH '0.000401 5e8'
large_is 0.001001000 'of the bandwidth of link .wire. may not reach all messages' "$work/nic.so"
large_is 0.001601000 '' "$work/follows.so"
large_is 0.002101000 '' "$work/follows.so:part=0.8"
large_is 0.001761000 '' "$work/lazy.so:part=0.8"
noise=(--cfg noise/network:0:1:3:0 --cfg noise/seed:1)
changes BANDWIDTH '9 5e8'
large_is 0.003003000 'may not reach' "$work/nic.so" "${noise[@]}"
large_is 0.003001000 '' "$work/follows.so" "${noise[@]}"
large_is 1.001001000 'noise/network does not reach its messages' "$work/flows.so" "${noise[@]}"
for model in nic flows follows; do # off when the message wants to leave, or while it is under way
	for off in '0 0' '0.0002 0'; do
		changes LINK_AVAIL "$off"
		"$ORRERY" replay "$work/large" -p "$work/changes.xml" -n 2 --model \
			"$work/$model.so" >/dev/null 2>"$work/err"
		[ $? = 1 ] && grep -q "link 'wire' is off.*message.*MPI_Send of rank 0 to rank 1" \
			"$work/err" || { cat "$work/err"; fail "$model: a link that is off"; }
	done
done
changes LINK_AVAIL '0.002 0'
large_is 0.001001000 '' "$work/nic.so"

# What cannot be loaded, or misbehaves.
model() { # NAME TEXT: a model of that name, with this text
	printf '#include <orrery/model.h>\n%s\n' "$2" >"$work/$1.c"
	"${cc[@]}" -o "$work/$1.so" "$work/$1.c" || fail "building $1"
}
body='static int message(struct orrery_net *n, void *s, uint32_t f, uint32_t t, double b,
	uint64_t k)
{ (void)n; (void)s; (void)f; (void)t; (void)b; (void)k; '
object='const struct orrery_model orrery_model_entry = {.abi = ORRERY_MODEL_ABI,
	.size = sizeof(struct orrery_model), .name = "m", .message = message};'
# as it was before `follows`: still runs
before=${object/sizeof(struct orrery_model)/offsetof(struct orrery_model, follows)}
model first "$body return orrery_start_timer(n, 1, k); } $before"
time_is 1.000000000 "$work/first.so"
model version "$body return 0; } ${object/ORRERY_MODEL_ABI/77}"
model size "$body return 0; } ${object/sizeof(struct orrery_model)/8}"
model nothing 'int orrery_other;'
model hollow "${object/, .message = message/}"
model silent "$body return -1; } $object"
model negative "$body return orrery_start_timer(n, -1, k); } $object"
model ghost "$body return orrery_start_flow(n, &(struct orrery_flow){.amount = 1, .weight = 1,
	.resources = (uint32_t[]){99999}, .n_resources = 1}, k); } $object"
model stray "$body return orrery_start_timer(n, 1, orrery_event(3)); } $object"
# A message ends once; what is no message's ticket ends none. (Else another message would end.)
model twice "$body if (orrery_start_timer(n, 1, k)) return -1;
	return orrery_start_timer(n, 2, k); } $object"
model wrong "$body return orrery_start_timer(n, 1, k + 1); } $object"
model bogus "static int event(struct orrery_net *n, void *s, uint32_t i, uint64_t *k)
	{ (void)n; (void)s; (void)i; *k = 123456789; return 1; }
	$body return orrery_start_timer(n, 1, orrery_event(3)); } ${object/\};/, .event = event\};}"
refused 'model m: message: ends a message that is not under way, or one that ends already' \
	"$work/twice.so"
refused 'model m: message: ends a message that is not under way' "$work/wrong.so"
refused 'model m: event: ends a message that is not under way' "$work/bogus.so"
# What a setting has stays there while others are asked for: 1 s + 10 s.
model keep "static const char *one, *two;
static int init(struct orrery_net *n, void **s)
{ (void)s; one = orrery_setting(n, \"a\"); two = orrery_setting(n, \"b\");
	return orrery_setting(n, \"c\") ? 0 : orrery_fail(n, \"no c\"); }
$body return orrery_start_timer(n, *one - '0' + 10 * (*two - '0'), k); }
${object/\};/, .init = init\};}"
time_is 11.000000000 "$work/keep.so:a=1,b=1,c=500"
refused 'was built for version 77 of orrery/model.h, and this is version 1: build it again' \
	"$work/version.so"
refused 'its `size` is wrong' "$work/size.so"
refused 'it defines no "orrery_model_entry"' "$work/nothing.so"
refused 'it has no function message' "$work/hollow.so"
refused 'it failed and gave no reason' "$work/silent.so"
refused 'a timer whose delay is not 0 or more' "$work/negative.so"
refused 'model ghost\|model m: message' "$work/ghost.so"
refused 'it has no function for event 3' "$work/stray.so"
refused 'No such file' "$work/missing.so"
refused 'invalid ELF\|too short' "$work/t"
refused 'shared objects by their path' no-such-model
exit 0
