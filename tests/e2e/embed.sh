#!/bin/bash
# embed.sh: the public interface as a user has it: installed and moved, found by pkg-config and by
# CMake, compiled as C11 and C++, and the example run.
#
# Two hosts, 1 us and 1 GB/s, 1 Gf; the ring of 2 ranks: four times 1 ms of computation, 1 MiB both
# ways at once over a full-duplex wire, a barrier. With the model "millisecond" each step is 1 ms +
# 1 ms + the barrier: its messages of linear rounds to and from rank 0 are 2 ms: (1 + 1 + 2) ms x 4.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
build=$(dirname "$ORRERY")
for part in headers library; do
	cmake --install "$build" --prefix "$work/here" --component $part >"$work/log" 2>&1 ||
		{ cat "$work/log"; fail "installing $part"; }
done
mv "$work/here" "$work/prefix"
pc=$(find "$work/prefix" -name orrery.pc)
[ -n "$pc" ] || fail "no orrery.pc"
export PKG_CONFIG_PATH=${pc%/*}
# It was configured to be installed elsewhere than it lies.
flags=$(pkg-config --cflags --libs orrery) || fail "pkg-config"
libdir=$(pkg-config --variable=libdir orrery)
[ "$libdir" -ef "$(dirname "$(find "$work/prefix" -name liborrery.so)")" ] ||
	fail "the libraries are not in $libdir"
[ "$(pkg-config --modversion orrery)" = "$("$ORRERY" --version | grep -oE '[0-9]+\.[0-9.]+')" ] ||
	fail "versions differ"
sanitize=; grep -q '^ORRERY_SANITIZE:STRING=address' "$build/CMakeCache.txt" &&
	sanitize=-fsanitize=address,undefined

cc -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror $sanitize -o "$work/embed" \
	"$SRC/examples/embed/embed.c" $flags || fail "compiling the example"

# The same by find_package: the program finds the library by its rpath, without LD_LIBRARY_PATH.
version=$(pkg-config --modversion orrery)
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(orrery $version REQUIRED)
add_executable(user $SRC/examples/embed/embed.c)
target_link_libraries(user PRIVATE orrery::orrery)
END
CFLAGS=$sanitize cmake -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
	>"$work/log" 2>&1 || { cat "$work/log"; fail "find_package"; }
cmake --build "$work/user/build" >"$work/log" 2>&1 || { cat "$work/log"; fail "building with it"; }
sed "s/orrery $version/orrery 99/" "$work/user/CMakeLists.txt" >"$work/CMakeLists.txt"
cmake -S "$work" -B "$work/later" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 &&
	fail "find_package of a later version"
grep -q 'version "99"' "$work/log" || { cat "$work/log"; fail "what it says of the version"; }

cat >"$work/c.cc" <<'END'
#include <orrery/orrery.h>
int main()
{
	orrery_sim *s = orrery_sim_new(ORRERY_API);
	orrery_sim_free(s);
	return s == nullptr;
}
END
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror $sanitize -o "$work/cxx" "$work/c.cc" $flags ||
	fail "C++"
[ "$(env -u LD_LIBRARY_PATH "$work/user/build/user" 2>&1 | grep -c '^usage:')" = 1 ] ||
	fail "the program that CMake built"
export LD_LIBRARY_PATH=$libdir
"$work/cxx" || fail "the C++ program"
cat >"$work/p.xml" <<'XML'
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="wire" bandwidth="1GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
<route src="a" dst="b"><link_ctn id="wire" direction="UP"/></route></zone></platform>
XML
"$work/embed" "$work/p.xml" 2 >"$work/out" 2>"$work/err" || { cat "$work/err"; fail "the example"; }
grep -q '^millisecond: 0.016000000 s, 8388608 bytes in messages, 0 in barriers$' "$work/out" ||
	{ cat "$work/out"; fail "the model's time"; }
[ "$(grep -c '^rank 0 on a computes 0.004000000 s and waits' "$work/out")" = 2 ] ||
	{ cat "$work/out"; fail "what rank 0 did"; }
# The command line says the same of the same program.
for rank in 0 1; do
	for step in 0 1 2 3; do
		echo "$rank compute 1e6
$rank irecv $((1 - rank)) $step 1048576 6
$rank send $((1 - rank)) $step 1048576 6
$rank waitall
$rank barrier"
	done
done >"$work/ring.tit"
time=$("$ORRERY" replay "$work/ring.tit" -p "$work/p.xml" -n 2 -q --computation volume |
	sed -n 's/^simulated time: //p')
grep -q "^the machine's own: $time," "$work/out" ||
	{ cat "$work/out"; fail "not $time, as orrery replay says"; }
"$work/embed" nowhere 2>"$work/err" >/dev/null && fail "a machine that does not exist"
grep -q nowhere "$work/err" || { cat "$work/err"; fail "what it says of it"; }
for ranks in -3 1 4x 4294967298 ""; do
	"$work/embed" "$work/p.xml" "$ranks" 2>"$work/err" >/dev/null
	[ $? = 2 ] && grep -q '^usage:' "$work/err" || { cat "$work/err"; fail "ranks '$ranks'"; }
done
# Only the names of the header.
nm -D --defined-only "$libdir/liborrery.so.1" | awk '{print $3}' | grep -v '^orrery_\|^ORRERY_1' &&
	fail "names of ours are shown"
exit 0
