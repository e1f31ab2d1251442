#!/bin/bash
# The layer checker accepts a house in order and names each kind of breach.
set -e
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp"/{tools,src/{base,platform,net,engine,cli}}
cp "$SRC/tools/layers.rules" "$tmp/tools/"
cd "$tmp"
echo '#include "err.h"' > src/base/base.h
touch src/base/err.h src/engine/engine_int.h
echo '#include "base/base.h"' > src/platform/platform.h
echo '#include "base/err.h"' > src/engine/engine.h
cat > src/net/net.c <<'END'
#include "platform/platform.h"
#include "engine/engine.h"
#include <stdio.h>
/* printf(x) */ char *s = "exit(1)";
END
echo 'int main(void) { printf("hello"); exit(0); }' > src/cli/main.c
check() { "$SRC/tools/check-layers" "$tmp" > out 2>&1; }
check || { echo "a house in order was refused:"; cat out; exit 1; }

refused() { # FILE TEXT EXPECTED
	local before; before=$(cat "$1" 2>/dev/null || true)
	printf '%s\n' "$2" >> "$1"
	if check; then echo "accepted: $2 in $1"; exit 1; fi
	grep -qF "$3" out || { echo "the message lacks \"$3\":"; cat out; exit 1; }
	printf '%s\n' "$before" > "$1"
}
refused src/base/err.h '#include "platform/platform.h"' 'base may not include platform'
refused src/engine/engine.h '  #  include "platform/platform.h"' 'engine may not include platform'
refused src/net/net.c '#include "engine/engine_int.h"' 'is not part of the face of engine'
refused src/net/net.c 'void f(void) { printf("x"); }' 'only src/cli prints'
refused src/net/net.c 'void f(void) { fprintf(stderr, "x"); }' 'only src/cli prints'
refused src/net/net.c 'void f(void) { exit (3); }' 'only src/cli prints'
mkdir -p src/coll/alg src/mp
echo '#include "base/base.h"' > src/coll/coll.h
touch src/coll/write.h src/coll/walk.h src/coll/alg/tree.h
# A sub-folder is of its room.
printf '#include "tree.h"\n#include "coll/walk.h"\n' > src/coll/alg/bcast.c
# A further face, named in layers.rules.
printf '#include "coll/coll.h"\n#include "coll/write.h"\n' > src/mp/mp.h
check || { echo "sub-folders were refused:"; cat out; exit 1; }
refused src/mp/mp.h '#include "coll/walk.h"' 'is not part of the face of coll'
refused src/mp/mp.h '#include "coll/alg/tree.h"' 'is not part of the face of coll'
refused src/coll/alg/bcast.c '#include "mp/mp.h"' 'coll may not include mp'
# A sub-folder with a line of its own sees what this names, and keeps its own *_int.h.
mkdir -p src/trace/{column,write,foreign}
echo '#include "base/base.h"' > src/trace/trace_int.h
touch src/trace/column/{column,column_int}.h src/trace/write/portable.h
printf '#include "column.h"\n#include "trace/column/column_int.h"\n' > src/trace/column/column.c
printf '#include "column/column.h"\n#include "trace/column/column.h"\n' > src/trace/trace.c
check || { echo "a sub-folder with a line was refused:"; cat out; exit 1; }
refused src/trace/column/column.c '#include "trace/trace_int.h"' 'trace/column may not include'
refused src/trace/column/column.c '#include "../trace_int.h"' 'trace/column may not include'
refused src/trace/trace.c '#include "column/column_int.h"' 'is for trace/column itself'
refused src/trace/trace.c '#include "write/portable.h"' 'trace/. may not include'
mkdir -p src/mp/p2p src/mp/rma # digits in a name
touch src/mp/p2p/p2p.h
refused src/mp/rma/rma.c '#include "mp/p2p/p2p.h"' 'mp/rma may not include'
refused src/trace/foreign/tau.c '#include "../column/column_int.h"' 'is for trace/column itself'
check || { echo "not back in order"; cat out; exit 1; }
mkdir src/attic
if check; then echo "an unknown room was accepted"; exit 1; fi
grep -q 'not in tools/layers.rules' out
