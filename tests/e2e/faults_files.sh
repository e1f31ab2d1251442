#!/bin/bash
# Reads, writes, openings of files that fail, at the n-th place of every verb: tests/fault/verbs.sh.
# parts: 4
exec bash "$SRC/tests/fault/verbs.sh" read write open file
