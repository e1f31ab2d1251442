#!/bin/bash
# The other half of coll_messages.sh.
PART=2/2 exec bash "$(dirname "$0")/coll_messages.sh"
