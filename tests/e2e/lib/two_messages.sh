# lib/two_messages.sh: to be sourced, with a folder in $work: a run whose dates are worked by hand.
# Two hosts on one link of 1 MB/s, 0.1 s, with CM02 without acknowledgements and window.
# Rank 0 sends 999,984 bytes (with the envelope 1 MB) to rank 1 at 0; rank 2, on rank 0's host,
# 499,984 to rank 3, on rank 1's, at 0.5: $work/t. The first: latency to 0.1, alone at 1 MB/s to 0.6
# (0.5 MB left), then half of the link. Both have 0.5 MB left at 0.6 and arrive at 1.6; then rank 1
# computes for 1 s. plain: the options of its replay, machine, placement and ranks first (6 words).
cat >"$work/p.xml" <<'XML'
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf" core="2"/><host id="b" speed="1Gf" core="2"/>
<link id="wire" bandwidth="1MBps" latency="100ms"/>
<route src="a" dst="b"><link_ctn id="wire"/></route></zone></platform>
XML
printf '%s\n' '0 send 1 0 999984 6' '1 recv 0 0 999984 6' '1 compute 1e9' '2 sleep 0.5' \
	'2 send 3 0 499984 6' '3 recv 2 0 499984 6' >"$work/t"
printf 'a\nb\na\nb\n' >"$work/hosts"
plain=(-p "$work/p.xml" --hostfile "$work/hosts" -n 4 --model CM02
	--cfg network/crosstraffic:no --cfg network/TCP-gamma:0 --cfg smpi/async-small-thresh:0)
