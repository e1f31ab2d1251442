#!/bin/bash
# No verb writes over what it reads, whatever name that has (its own, a hard link, a symbolic link);
# a run that fails leaves the outputs of an earlier one as they were.
. "$SRC/tests/need.bash"
scratch
cases=$SRC/tests/golden/cases
cp "$cases/two.trace" "$cases/two.xml" . || exit 2
printf '0 recv 1 0 1e6 6\n1 recv 0 0 1e6 6\n' >deadlock.trace
printf '# orrery-trace 1 ranks=2\n0 compute 1e6\n1 compute 1e6\n0 nonsense\n' >broken.trace
"$ORRERY" convert -q two.trace -o d || bad "convert"
printf 'd/rank-0.tit\nd/rank-1.tit\n' >list
"$ORRERY" replay -q two.trace -p two.xml --record run.rec >out || bad "replay"
printf 'm,n,k,duration\n' >measured.csv
for i in 1 2 3 4 5 6 7 8; do echo "$i,$((i * 2)),$((i * 3)),0.00$i"; done >>measured.csv
printf 'network/model:constant\n' >settings

# refused INPUT COMMAND…: with an output @ that is INPUT under three names
refused() {
	local input=$1 name
	shift
	ln -f "$input" hard
	ln -sf "$input" soft
	cp "$input" before
	for name in "$input" hard soft; do
		"$ORRERY" "${@//=/$name}" >out 2>&1
		[[ $? == 2 ]] || bad "exit code: $name: $*: $(cat out)"
		grep -q "is to be written" out || bad "message: $name: $*: $(cat out)"
		cmp -s before "$input" || { bad "lost: $name: $*"; cp before "$input"; }
	done
}

for option in --csv --record; do
	refused two.trace replay two.trace -p two.xml "$option" =
	refused two.xml replay two.trace -p two.xml "$option" =
	refused settings replay two.trace -p two.xml --cfg @settings "$option" =
	refused d/rank-1.tit replay d -p two.xml "$option" =
	refused d/manifest replay d -p two.xml "$option" =
	refused d/rank-1.tit replay list -p two.xml "$option" =
done
refused run.rec export run.rec -o =
for form in merged simgrid; do
	refused two.trace convert two.trace -f "$form" --force -o =
	refused d/rank-0.tit convert d -f "$form" --force -o =
	refused d/rank-1.tit convert list -f "$form" --force -o =
done
refused two.xml platform show two.xml --svg =
for option in --csv --svg; do
	refused two.xml coll bcast -p two.xml -n 2 --bytes 8 "$option" =
done
refused two.xml tune -p two.xml -n 2 --bytes 8 --operations bcast -o =
for option in -o --report --raw; do
	refused measured.csv calibrate network --from measured.csv "$option" =
	refused measured.csv calibrate noise --from measured.csv "$option" =
done
refused measured.csv calibrate kernel --from measured.csv -o =
refused two.trace calibrate cpu two.trace -o =

# a folder that holds an input
"$ORRERY" convert d/rank-1.tit -o d --force >out 2>&1
[[ $? == 2 ]] && [[ -f d/rank-0.tit ]] || bad "a rank's file into its own folder: $(cat out)"
"$ORRERY" convert list -o d --force >out 2>&1
[[ $? == 2 ]] && [[ -f d/rank-0.tit ]] || bad "a list of files into their folder: $(cat out)"
# two outputs of one name
"$ORRERY" replay two.trace -p two.xml --csv same --record same >out 2>&1
[[ $? == 2 ]] && grep -q "two outputs" out || bad "two outputs of one name: $(cat out)"
# … or of two names of one place, there or not
mkdir -p sub && echo old >there && ln -f there also && ln -sfn sub way
for pair in 'new ./new' 'sub/new way/new' 'there also' "new $PWD/new" 'there sub/../there'; do
	read -r one two <<<"$pair"
	"$ORRERY" replay two.trace -p two.xml --csv "$one" --record "$two" >out 2>&1
	[[ $? == 2 ]] && grep -q "to be written" out ||
		bad "two outputs to one place: $pair: $(cat out)"
done
"$ORRERY" replay two.trace -p two.xml --csv sub/new --record new >out 2>&1 ||
	bad "two places of one name: $(cat out)"
rm -f new sub/new
# the program that is run, and what it is given
printf '#!/bin/sh\nexit 1\n' >program && chmod +x program && cp program before
for words in ./program 'sh program' 'env A=program true' 'true --in=./program'; do
	for option in --csv --record --trace; do
		"$ORRERY" run -p two.xml $option program -- $words >out 2>&1
		[[ $? == 2 ]] && grep -q "is to be written" out ||
			bad "run $option: $words: $(cat out)"
		cmp -s before program || { bad "lost: run $option: $words"; cp before program; }
	done
done

# kept CODE FILE COMMAND…: the command fails with the code; FILE stays as it was
kept() {
	local code=$1 file=$2
	shift 2
	cp -r "$file" before.kept
	"$ORRERY" "$@" >out 2>&1
	[[ $? == "$code" ]] || bad "exit code, not $code: $*: $(cat out)"
	diff -r before.kept "$file" >differs || bad "not kept: $*: $(cat differs)"
	rm -rf before.kept
}
echo old >old.csv
kept 1 old.csv replay deadlock.trace -p two.xml --csv old.csv
kept 2 d convert broken.trace -o d --force
echo old >m
kept 2 m convert broken.trace -f merged -o m --force
mkdir s_files && echo mine >s_files/rank-0.txt
kept 2 s_files convert two.trace -f simgrid -o s
grep -q "force" out || bad "no --force: $(cat out)"
echo mine >s_files/letter
kept 2 s_files convert two.trace -f simgrid -o s --force
rm s_files/letter
kept 2 s_files convert broken.trace -f simgrid -o s --force
[[ -e s ]] && bad "a list of a trace that could not be read"
"$ORRERY" convert two.trace -f simgrid -o s --force -q &&
	[[ $(head -c 2 s_files/rank-0.txt) == "0 " ]] || bad "with --force"
# what cannot be written is told before the work, and leaves nothing: a folder where a file is to
# be, a folder that is not there, and for SimGrid's list and folder what is no file
mkdir folder && ln -s nowhere dangling
early() {
	local told=$1
	shift
	"$ORRERY" "$@" >out 2>&1
	[[ $? == 2 ]] && grep -q "$told" out && ! grep -q 'simulated time\|ranks on\|measure' out ||
		bad "not told at once: $*: $(cat out)"
}
for bad_path in folder nodir/x; do
	early 'cannot write' replay two.trace -p two.xml --csv $bad_path
	early 'cannot write' coll bcast -p two.xml -n 2 --bytes 8 --svg $bad_path
	early 'cannot write' tune -p two.xml -n 2 --bytes 8 --operations bcast -o $bad_path
	early 'cannot write' calibrate -o $bad_path -- mpirun -np 2
	early 'cannot write' calibrate processor --time 1 -o $bad_path
	early 'cannot write' calibrate memory --time 1 --largest 256 -o $bad_path
	for option in -o --report --raw; do
		early 'cannot write' calibrate noise $option $bad_path
		early 'cannot write' calibrate network $option $bad_path -- mpirun -np 2
	done
done
early 'symbolic link' convert two.trace -f simgrid -o dangling
for name in - /dev/null; do
	early 'no name of a file' convert two.trace -f simgrid -o $name
done
left=$(ls -d ./*_files /dev/null_files 2>/dev/null)
[[ $left == ./s_files ]] || bad "folders without their list: $left"
# A folder without permission, for whoever is not root: exit code 2 from every verb, and without -o
# there is a word of it.
if ((EUID != 0)) || have setpriv; then
	cp run.rec locked.rec
	mkdir locked && cp locked.rec two.trace two.xml locked && chmod 555 locked && chmod 755 .
	as=()
	((EUID == 0)) && as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	barred() {
		"${as[@]}" "$ORRERY" "$@" >out 2>&1
		[[ $? == 2 ]] && grep -q 'Permission denied\|Read-only' out ||
			bad "without permission: $*: $(cat out)"
	}
	if ! "${as[@]}" touch locked/x 2>/dev/null && "${as[@]}" "$ORRERY" help >out 2>&1; then
		barred export locked/locked.rec -f csv
		grep -qF -- '-o FILE' out || bad "export: no remedy: $(cat out)"
		barred export locked/locked.rec -f csv -o locked/x.csv
		grep -qF -- '-o FILE' out && bad "export: -o was given: $(cat out)"
		barred replay locked/two.trace -p locked/two.xml --record locked/r
		barred convert locked/two.trace -o locked/d
		barred convert locked/two.trace -f compressed -o locked/c
		barred gather d -o locked/g
	fi
fi
# What may be written into and not replaced is told before the work, with the reason; it stays as it
# was, and nothing is left beside it.
stands() { # REASON FILE COMMAND…
	local reason=$1 file=$2
	shift 2
	cp -r "$file" before.stands
	"${as[@]}" "$ORRERY" "$@" >out 2>&1
	[[ $? == 2 ]] && grep -qF "$reason" out && ! grep -q 'simulated time' out ||
		bad "not told at once: $*: $(cat out)"
	diff -r before.stands "$file" >differs || bad "does not stand: $*: $(cat differs)"
	rm -rf before.stands
	ls -A "$(dirname "$file")" >beside
	grep -q 'part-' beside && bad "$*: left: $(cat beside)"
}
if [[ -d locked ]] && "${as[@]}" "$ORRERY" help >out 2>&1 && ! "${as[@]}" touch locked/x 2>/dev/null
then
	chmod 755 locked && echo old >locked/old && chmod 666 locked/old && chmod 555 locked
	stands 'make files in its folder' locked/old replay two.trace -p two.xml --csv locked/old
	mkdir own && cp -r d own/d && chmod 555 own/d && chmod 444 own/d/*
	((EUID == 0)) && chown -R 65534:65534 own
	stands 'own/d: Permission denied' own/d convert two.trace -o own/d --force
	if ((EUID == 0)); then
		mkdir sticky && cp -r d sticky/d && chmod -R a+w sticky && chmod 1777 sticky
		stands 'belongs to another user' sticky/d convert two.trace -o sticky/d --force
		stands 'belongs to another user' sticky/d gather d -o sticky/d --force
	fi
fi
as=()
mkdir mounted && cp two.trace mounted/x && cp -r d mounted/d
if mount --bind mounted/d mounted/d 2>/dev/null; then
	touch mounted/x && mount --bind mounted/x mounted/x
	stands 'mount the folder' mounted/x replay two.trace -p two.xml --csv mounted/x
	stands 'name a folder in it' mounted/d convert two.trace -o mounted/d --force
	stands 'name a folder in it' mounted/d gather d -o mounted/d --force
	umount mounted/d mounted/x
fi
mkdir grows && cp two.trace grows/x && cp -r d grows/d
if chattr +a grows/x grows/d 2>/dev/null; then
	stands 'appended to' grows/x replay two.trace -p two.xml --csv grows/x
	stands 'appended to' grows/d convert two.trace -o grows/d --force
	chattr -a grows/x grows/d && chattr +a grows
	stands 'added to' grows/x replay two.trace -p two.xml --csv grows/x
	stands 'added to' grows/d convert two.trace -o grows/d --force
	"$ORRERY" convert -q two.trace -o grows/new >out 2>&1
	[[ $? == 2 && $(ls -A grows | wc -l) == 2 ]] || bad "a folder that grows only: $(cat out)"
	chattr -a grows
fi
# a root without /proc, where a file that has no name could not be given one
if unshare -m umount -l /proc 2>/dev/null; then
	"$ORRERY" replay -q two.trace -p two.xml --csv with.csv >out
	unshare -m sh -c 'umount -l /proc && exec "$@"' - \
		"$ORRERY" replay -q two.trace -p two.xml --csv without.csv >out 2>&1
	cmp with.csv without.csv || bad "without /proc: $(cat out)"
	# … and where orrery, of PATH, is to find what came with it
	bare() {
		PATH=$(dirname "$ORRERY"):$PATH unshare -m sh -c \
			'umount -l /proc && exec orrery "$@"' - "$@" >out 2>&1
	}
	bare replay -q two.trace -p graphene || bad "without /proc: the catalogue: $(cat out)"
	if has_live; then
		bare run -q -n 1 -p two.xml --hold processes -- true
		[[ $? == 3 ]] && grep -q 'mount /proc' out ||
			bad "without /proc: ranks that are processes: $(cat out)"
	fi
fi
# a file system that has no files without names (NFS, Lustre)
if have gcc && ! nm -D "$ORRERY" 2>/dev/null | grep -q __asan; then
	cat >names.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;
	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return errno = EOPNOTSUPP, -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
END
	gcc -shared -fPIC -o names.so names.c || exit 2
	mkdir sort && gzip -c two.trace >two.trace.gz
	named() { TMPDIR=$tmp/sort LD_PRELOAD=$tmp/names.so "$ORRERY" "$@" >out 2>&1; }
	named convert -q two.trace.gz -f merged -o unpacked || bad "no O_TMPFILE: $(cat out)"
	"$ORRERY" convert -q two.trace -f merged -o packed
	cmp packed unpacked || bad "no O_TMPFILE: another trace"
	named convert -q two.trace -f dimemas -o dimemas || bad "no O_TMPFILE: $(cat out)"
	[[ -z $(ls sort) ]] || bad "left in TMPDIR: $(ls sort)"
fi
# nothing half-written is left
left=$(find . -name '*.part*')
[[ -z $left ]] || bad "left behind: $left"
exit $failed
