# lab.bash: what lab/up, lab/run, lab/down and lab/agent share: names, the state, and how a host is
# entered.
#
# Everything of a lab bears its name, ORRERY_LAB ("lab" if not set): namespaces orrery-LAB-*, the
# folder /run/orrery/LAB. Two labs can stand beside each other; a lab is removed by name, so that
# nothing need be known of how far its making or its use had come.
lab_name=${ORRERY_LAB:-lab}
lab_state=/run/orrery/$lab_name
lab_prefix=orrery-$lab_name-

lab_die() {
	echo "lab: $*" >&2
	exit 2
}

lab_need_root() {
	[ "$(id -u)" = 0 ] || lab_die "only root may make network namespaces"
	local tool
	for tool in ip tc nsenter unshare; do
		command -v "$tool" >/dev/null ||
			lab_die "'$tool' is missing: apt-get install iproute2 util-linux"
	done
	case $lab_name in
	*[!A-Za-z0-9_]* | '') lab_die "ORRERY_LAB is letters, digits and _, not '$lab_name'" ;;
	esac
	if [ ${#lab_name} -gt 16 ]; then lab_die "ORRERY_LAB has at most 16 letters"; fi
}

# The settings of the lab that is up: hosts, address of each, rate. They are shell assignments
# written by lab/up.
lab_load() {
	[ -r "$lab_state/settings" ] || lab_die "no lab is up: lab/up --hosts 8 --rate 1gbit"
	# shellcheck source=/dev/null
	. "$lab_state/settings"
}

# lab_enter HOST COMMAND...: runs a command on a host: its network, its name, and a hosts file with
# all the lab's.
lab_enter() {
	local host=$1
	shift
	[ -e "/run/netns/$lab_prefix$host" ] ||
		lab_die "no host '$host' in this lab: it has ${lab_hosts:-none}"
	# shellcheck disable=SC2016 # the words are for the inner shell
	exec nsenter --net="/run/netns/$lab_prefix$host" unshare --uts --mount sh -c \
		'hostname "$1" && mount --bind "$2" /etc/hosts && shift 2 && exec "$@"' sh "$host" \
			"$lab_state/hosts" "$@"
}
