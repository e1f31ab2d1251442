#!/bin/bash
# What is there cannot be known, at the n-th place of every verb: tests/fault/verbs.sh.
# parts: 3
exec bash "$SRC/tests/fault/verbs.sh" look
