#!/bin/bash
# The table of MPI functions is whole: what the installed libraries export is wrapped, and the page
# says what the table says.
. "$(dirname "$0")/tracer.bash"

# Not calls: callbacks that are passed as arguments, compile-time helpers. Extensions of one library
# (MPIX, _f, _f08 without mpi_).
not_calls='(_FN|_fn)_*$|FN_NULL|fn_null|_F90$|_f90_*$|sizeof|f_sync_reg|F_SYNC_REG|_f$'
not_calls+='|^P?MPI_.*_f08$|pcontrol|PCONTROL|create_env|CREATE_ENV|delete_error'
# Fortran's bare names (docs/tracing.md).
not_calls+='|^p?mpi_.*[a-z0-9]$'
# Large forms whose arguments differ from the small ones and that only mpi_f08 has.
not_calls+='|type_(create_darray|get_contents|get_envelope)_f08_large_'

folder() { dirname "$(ldconfig -p | sed -n "s/.*$1 .*=> //p" | head -1)"; }
for f in "${families[@]}"; do
	[[ $f == openmpi ]] && libs="libmpi.so.40 libmpi_mpifh.so.40 libmpi_usempif08.so.40" ||
		libs="libmpich.so.12 libmpichfort.so.12"
	for lib in $libs; do
		path=$(folder $lib)/$lib
		[[ -f $path ]] || { echo "$lib: not here"; continue; }
		nm -D --defined-only "$path"
	done | awk '$2 ~ /[TWi]/ && $3 ~ /^(P?MPI_|p?mpi_)/ {print $3}' | grep -vE "$not_calls" |
		sort -u >"$tmp/theirs"
	nm -D --defined-only "$ORRERY_TRACER_DIR/liborrery-trace-$f.so" | awk '{print $3}' |
		sort -u >"$tmp/ours"
	same "$f: not wrapped" "" "$(comm -23 "$tmp/theirs" "$tmp/ours" | xargs)"
	sed -n '/posix.c/,/local/p' "$SRC/tracer/visible.map" | grep -oE '[a-z_0-9]+;' |
		tr -d ';' >"$tmp/posix"
	same "$f: visible, and neither MPI's nor of visible.map" "" \
		"$(grep -vE '^(P?MPI_|p?mpi_)' "$tmp/ours" | grep -vxFf "$tmp/posix" | xargs)"
	# libgcc_s walks the stack, for the C library, too, whose package depends on it
	same "$f: needed libraries" "libc.so.6 libgcc_s.so.1 libm.so.6" \
		"$(readelf -d "$ORRERY_TRACER_DIR/liborrery-trace-$f.so" |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | sort | xargs)"
done
python3 "$SRC/tracer/generate.py" "$SRC/data/mpi_calls.def" coverage "$tmp/page"
cmp -s "$tmp/page" "$SRC/docs/mpi-coverage.md" ||
	bad "docs/mpi-coverage.md is older than data/mpi_calls.def: build the target mpi-coverage"
exit $failed
