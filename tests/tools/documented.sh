#!/bin/bash
# The test of pages (tests/e2e/documented.py) finds what it is there to find: a command that fails,
# an output that is not as shown, an option that there is not; and leaves out what is marked.
. "$SRC/tests/need.bash"
need python3:python3
scratch
ln -s "$ORRERY" orrery
PATH=$PWD:$PATH
try() { python3 "$SRC/tests/e2e/documented.py" "$PWD/page.md" "$@" >out 2>&1; }
says() { grep -qF -- "$1" out || bad "no '$1' in: $(cat out)"; }

cat >page.md <<'END'
<!-- before: printf '2 and 3.5e-06 s\nend of it\n' > FILE -->

    orrery help replay      # a word

<!-- untested: no such machine -->

```
orrery replay none -p nowhere
```

<!-- untested nowhere: no such machine -->

1. A list.

        orrery help >/dev/null
        orrery replay \
            none -p nowhere

```
$ orrery help none >/dev/null || cat NAME
17 and 1.25 s
… of it
```

<!-- table: orrery replay -->

| question | command |
|---|---|
| what | `--help`, `orrery version` |

```
this is no command: orrery
```
END
try NAME=FILE || bad "what is right: $(cat out)"
says "page.md: 5 commands"

wrong() { # TEXT, the page on standard input
	cat >page.md
	try && bad "not seen ($1): $(cat page.md)"
	says "$1"
}
wrong "exit code 2" <<<'    orrery replay none -p nowhere'
wrong "has no option --no-such" <<<'It is `orrery replay my.trace --no-such 1`.'
wrong "but it says" <<<$'```\n$ orrery version\nOrrery of another kind\n```'
wrong "before: false: exit code 1" <<<$'<!-- before: false -->\n\n    orrery version'
exit $failed
