# lib/four_hosts.sh: to be sourced, with a folder in $work: $work/four.xml, four hosts of 1 Gflop/s
# behind links of 1 GB/s and half a second each.
cat >"$work/four.xml" <<'XML'
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="h" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="500ms"/>
</zone></platform>
XML
