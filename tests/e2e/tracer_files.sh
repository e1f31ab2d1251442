#!/bin/bash
# Files of MPI and of the operating system: the same trace under every MPI library, in C and
# Fortran, complete; and it replays in the time that a file system's figures give.
. "$(dirname "$0")/tracer.bash"

cat >"$tmp/f.f90" <<'END'
program f
  use mpi
  implicit none
  integer :: fh, ierr, st(MPI_STATUS_SIZE), a(10) = 0
  integer(kind=MPI_OFFSET_KIND) :: at = 40
  character(len=200) :: name
  call MPI_Init(ierr)
  call get_command_argument(1, name)
  call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
  call MPI_File_write_at(fh, at, a, 10, MPI_INTEGER, st, ierr)
  call MPI_File_close(fh, ierr)
  call MPI_File_delete(name, MPI_INFO_NULL, ierr)
  call MPI_Finalize(ierr)
end program
END
for f in "${families[@]}"; do
	build $f files
	mkdir -p "$tmp/data"
	same "$f" "files: all right" \
		"$(trace $f 2 "$tmp/t" --counter fake -- "$tmp/files.$f" "$tmp/data" 2>"$tmp/err")"
	grep -q "not traced" "$tmp/err" && bad "$f: $(cat "$tmp/err")"
	same "$f: complete" yes "$(complete "$tmp/t")"
	events "$tmp/t" | grep -vE "compute|init|comm_size|finalize" >"$tmp/found"
	[[ -f $tmp/first ]] || cp "$tmp/found" "$tmp/first"
	diff "$tmp/first" "$tmp/found" >"$tmp/diff" || bad "$f: $(head -20 "$tmp/diff")"
	has "$f open" "$tmp/found" "1 file_open $tmp/data/a%20file file=0"
	has "$f holes" "$tmp/found" "1 file_write_all 1000 1 file=0 holes=1"
	has "$f ordered" "$tmp/found" "1 file_write_ordered 100 2 file=0"
	same "$f split" "1 file_read_all 1000 1 req=0 file=0 1 wait req=0" \
		"$(grep -A1 '1 file_read_all 1000 1 req=' "$tmp/found" | xargs)"
	own="1 open $tmp/data/own.1 file=0 1 write 3000 file=0 1 fsync file=0"
	same "$f system" "$own 1 read 1000 file=0 1 close file=0" \
		"$(grep -m1 -A4 '1 open' "$tmp/found" | xargs)"
	same "$f stream" "1 read 2500 file=0 1 close file=0 1 unlink $tmp/data/own.1" \
		"$(grep -A2 '1 read 2500' "$tmp/found" | xargs)"
	first="1 open $tmp/data/first.1 file=0 1 write 100 file=0 1 write 200 file=0"
	first+=" 1 write 300 file=0"
	second="1 open $tmp/data/second.1 file=1 1 close file=1 1 write 50 file=0 1 close file=0"
	gone="1 unlink $tmp/data/first.1 1 unlink $tmp/data/second.1"
	same "$f duplicates" "$first $second $gone" \
		"$(grep -A9 '1 open.*first' "$tmp/found" | xargs)"
	grep -q null "$tmp/found" && bad "$f: /dev/null is traced"
	# The latencies of one rank, 1 s each, all at once on both: opens, closes 6; sets 2, sync 1;
	# accesses 1 + 1 + 1 + 1, with holes 1 + 1, ordered 1, shared 2 (its pointer); of the system
	# 5 + 3 + 1, and 10 through duplicates; 1 file deleted by rank 0. What moves takes nothing
	# beside.
	"$ORRERY" replay "$tmp/t" -p dahu --cfg \
		"storage/file-systems:$tmp:read=1TBps:write=1TBps:latency=1s" >"$tmp/out" \
		2>"$tmp/err" ||
		bad "$f: replay: $(cat "$tmp/err")"
	grep -qE "took no time|passed over|never" "$tmp/err" && bad "$f: replay: $(cat "$tmp/err")"
	same "$f: seconds" 38 "$(sed -n 's/simulated time: \([0-9]*\).*/\1/p' "$tmp/out")"
	if command -v mpif90.$f >/dev/null && mpif90.$f -o "$tmp/f.$f" "$tmp/f.f90" 2>/dev/null;
		then
		trace $f 1 "$tmp/t" --counter fake -- "$tmp/f.$f" "$tmp/data/of fortran" \
			2>"$tmp/err"
		file="$tmp/data/of%20fortran"
		events "$tmp/t" | grep -E "file|unlink" |
			sed 's/write 10 [0-9]*/write 10 1/;s/ dtsize=4//' >"$tmp/found"
		same "$f: Fortran" "0 file_open $file comm=self file=0
0 file_write 10 1 file=0
0 file_close file=0
0 unlink $file" "$(cat "$tmp/found")"
	fi
done
exit $failed
