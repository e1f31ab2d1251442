#!/bin/bash
# What is completed where somebody types a tab: bash and zsh at a terminal, fish by its own command.
# Files of any name, options, their values behind a blank and behind '=', words of verbs, commands
# behind "--"; zsh at its first tab. A shell that is not here is not asked.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
scratch
mkdir files functions
touch "files/my trace" "files/it's" 'files/a$b' files/plain.xml
for shell in bash fish zsh; do "$ORRERY" help $shell >$shell.completion || exit 1; done
cp zsh.completion functions/_orrery
ln -s "$ORRERY" orrery
cat >ask.py <<'END'
import os, pty, re, select, subprocess, sys, time

shell, tmp = sys.argv[1:]
cases = [  # what is typed; the words after a tab and a Z
    ("orrery rep", "orrery", "replay", "Z"),
    ("orrery replay my", "orrery", "replay", "my trace", "Z"),
    ("orrery replay it", "orrery", "replay", "it's", "Z"),
    ("orrery replay a", "orrery", "replay", "a$b", "Z"),
    ("orrery replay -p graph", "orrery", "replay", "-p", "graphene", "Z"),
    ("orrery replay --platform=graph", "orrery", "replay", "--platform=graphene", "Z"),
    ("orrery replay --selector mpich-", "orrery", "replay", "--selector", "mpich-4", "Z"),
    ("orrery replay -m hyb", "orrery", "replay", "-m", "hybrid", "Z"),
    ("orrery replay --cfg smpi/async", "orrery", "replay", "--cfg",
     "smpi/async-small-thresh:Z"),
    ("orrery replay --per", "orrery", "replay", "--per-rank", "Z"),
    ("orrery export r -f mess", "orrery", "export", "r", "-f", "messages", "Z"),
    ("orrery platform sh", "orrery", "platform", "show", "Z"),
    ("orrery coll allr", "orrery", "coll", "allreduce", "Z"),
    ("orrery calibrate netw", "orrery", "calibrate", "network", "Z"),
    ("orrery help repl", "orrery", "help", "replay", "Z"),
    ("orrery help completion fi", "orrery", "help", "completion", "fish", "Z"),
    ("orrery run -np 2 -- sha256s", "orrery", "run", "-np", "2", "--", "sha256sum", "Z"),
]
env = dict(os.environ, PATH=tmp + ":/usr/bin:/bin", TERM="dumb", HOME=tmp, INPUTRC="/dev/null",
           LC_ALL="C")
env.pop("BASH_ENV", None)
bad = []


def fish():  # commands behind "--": fish's own
    for typed, *wanted in cases:
        command = ["fish", "-N", "-c", "source ../fish.completion; complete -C $argv[1]", typed]
        said = subprocess.run(command, env=env, cwd="files", capture_output=True, text=True)
        found = [line.split("\t")[0] for line in said.stdout.splitlines()]
        word = wanted[-2] if wanted[-1] == "Z" else wanted[-1][:-2]
        if said.stderr or word not in found and "--" not in wanted:
            bad.append((typed, said.stdout, said.stderr))


def terminal(command, prepare):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir("files")
        os.execvpe(command[0], command, env)

    def hear(until, seconds=20):
        heard, end = "", time.time() + seconds
        while until not in heard and time.time() < end:
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    heard += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\a", "",
                                    os.read(fd, 65536).decode())
                except OSError:
                    break
        return heard

    os.write(fd, (prepare + "\n").encode())
    hear("all is re" + "ady\r\n")
    for typed, *wanted in cases:
        os.write(fd, (typed + "\t").encode())
        os.write(fd, b"Z\x01printf '<%s>' \n") # ^A: the words are printed, not run
        wanted = "".join("<%s>" % word for word in wanted)
        said = hear(wanted, 10)
        if wanted not in said:
            bad.append((typed, wanted, said))
    os.write(fd, b"\x03exit\n")
    os.close(fd)


if shell == "fish":
    fish()
elif shell == "bash":
    terminal(["bash", "--norc", "--noprofile", "-i"],
             "PS1='$ '; set +H; bind 'set enable-bracketed-paste off'; "
             "source ../bash.completion; echo 'all is re'ady")
else:
    terminal(["zsh", "-f", "-i"],
             "PS1='$ '; unsetopt zle_bracketed_paste prompt_sp bang_hist; bindkey -e; "
             "fpath=(%s/functions $fpath); autoload -U compinit; compinit -u -D; "
             "echo 'all is re'ady" % tmp)
for case in bad:
    print(shell, *map(repr, case))
sys.exit(len(bad) > 0)
END
asked=()
for shell in bash zsh fish; do
	have $shell || continue
	asked+=($shell)
	python3 ask.py $shell "$tmp" || bad "completion of $shell"
done
echo "asked: ${asked[*]}"
exit $failed
