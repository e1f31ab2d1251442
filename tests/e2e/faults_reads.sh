#!/bin/bash
# Reads and writes that fail at the n-th place of every verb: tests/fault/verbs.sh.
# parts: 3
exec bash "$SRC/tests/fault/verbs.sh" read write
