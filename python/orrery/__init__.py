"""Orrery: predicts how long an MPI program takes on a machine it never ran on.

    import orrery
    run = orrery.replay("lu.A.8", "graphene")
    run.time                      # seconds
    run.ends                      # when each rank ended
    run.classes[:, run.names.index("waiting")]

    orrery.replay([["compute 1e9", "send 1 7 1000 6"], ["recv 0 7 1000 6"]], "graphene")

Arrays are NumPy's. Errors: ValueError (a file, a name, a value), TypeError (another type than is
taken), RuntimeError (the simulated program failed), MemoryError (no memory), OSError (another limit
of this computer: a disk that is full).
"""
import json
import operator
import os

import numpy

from . import _orrery

__version__ = _orrery.version()

message_type = numpy.dtype([("source", "u4"), ("target", "u4"), ("tag", "i4"),
                            ("collective", "u4"), ("bytes", "f8"), ("sent", "f8"),
                            ("moved", "f8"), ("received", "f8")])


class Run:
    """What came of a simulation. Seconds and bytes.

    time: the date at which the last rank ended
    ranks, actions, message_count, collectives, bytes: of the whole run
    wall: what the simulation took
    hosts: where each rank ran; notices: what the user should know, a line each
    ends: array (ranks)
    classes: array (ranks, classes), whose columns are called `names` and whose rows add up to
        `time`
    messages: array of message_type, in the order of their arrival, if they were asked for
    explanation: what `orrery replay --json --explain` has under "explain", or None
    trust: how far the prediction may be off: what `orrery replay --json` has under "trust"
    """

    names = _orrery.class_names()

    def __init__(self, figures):
        self.__dict__.update(figures)
        self.explanation = json.loads(figures["explanation"] or "null")
        self.trust = json.loads(figures["trust"] or "null")
        self.ends = numpy.frombuffer(figures["ends"], dtype="f8")
        classes = numpy.frombuffer(figures["classes"], dtype="f8")
        self.classes = classes.reshape(self.ranks, len(self.names))
        self.messages = numpy.frombuffer(figures["messages"], dtype=message_type)

    def matrix(self):
        """Bytes from each rank (row) to each other (column), of the messages that were kept."""
        if len(self.messages) == 0 and self.message_count > 0:
            raise ValueError("matrix: no message was kept: replay(..., messages=True) keeps them")
        out = numpy.zeros((self.ranks, self.ranks))
        pairs = (self.messages["source"], self.messages["target"])
        numpy.add.at(out, pairs, self.messages["bytes"])
        return out

    def __repr__(self):
        ranks = "1 rank" if self.ranks == 1 else f"{self.ranks} ranks"
        return f"<orrery.Run: {ranks}, {self.time:.9g} s>"


FILE = "the path of a file (str, bytes or os.PathLike)"


def wrong(name, expected, given):
    return TypeError(f"{name}: {expected}, not {given!r:.60}")


def items_of(what, expected):
    # A str is one too, of its letters, and a dict of its keys.
    if isinstance(what, (str, bytes, dict)) or not hasattr(what, "__iter__"):
        raise wrong("program", expected, what)
    return list(what)


def actions_of(program):
    ranks = items_of(program, "the path of a trace, or a list of the actions of each rank")
    return [items_of(rank, "a list of lists of str, one for each rank") for rank in ranks]


def encoded(name, text, encode):
    try:
        out = encode(text)
    except UnicodeEncodeError as e:
        raise ValueError(f"{name}: {text!r:.60} is no text: {e.reason}") from None
    if b"\0" in out:
        raise ValueError(f"{name}: {text!r:.60} has a null byte")
    return out


def path_of(name, path, expected):
    """As bytes: a name may be of any."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise wrong(name, expected, path)
    return encoded(name, path, os.fsencode)


def text_of(name, text, expected):
    if text is None:
        return None
    if not isinstance(text, str):
        raise wrong(name, f"a str, {expected}, or None", text)
    encoded(name, text, str.encode)
    return text


def flag_of(name, flag):
    if flag is not None and not isinstance(flag, (bool, numpy.bool_)) and \
            not (isinstance(flag, int) and flag in (0, 1)):
        raise wrong(name, "True or False", flag)
    return bool(flag)


def ppn_of(ppn):
    expected = "1 to 1048576 ranks of a host (int), or None: as many as it has cores"
    if isinstance(ppn, (bool, numpy.bool_)):
        raise wrong("ppn", expected, ppn)
    try:
        out = None if ppn is None else operator.index(ppn)
    except TypeError:
        raise wrong("ppn", expected, ppn) from None
    if out is not None and not 1 <= out <= 1 << 20:
        raise ValueError(f"ppn: {expected}, not {ppn!r:.60}")
    return out


def pairs_of(settings):
    if settings is not None and not hasattr(settings, "items"):
        raise wrong("settings", 'a dict of names and values, {"network/model": "LV08"}', settings)
    return dict(settings or {})


def replay(program, machine, settings=None, hostfile=None, computation=None, oversubscribe=False,
           messages=False, record=None, explain=None, what_if=None, map_by=None, ppn=None):
    """Predicts a program on a machine.

    program: a trace (its path), or a list of the actions of each rank (lists of str,
        docs/trace-format.md without the rank)
    machine: a file, or a name of the catalogue
    settings: {"network/model": "LV08", ...}, as --cfg of `orrery replay`
    hostfile: where ranks run, a host a line; None: hosts in order, or as map_by and ppn say
    computation: "auto", "volume", "recorded" or "none"
    oversubscribe: more ranks than cores are allowed
    messages: keep them, for .messages and .matrix()
    record: a file for `orrery export`
    explain: "critical-path", "links", "rank:3", "message:3-7#2" (docs/explain.md), for
        .explanation
    what_if: the machine with other figures: "latency=2x,bandwidth=0.5x,host:node-3.speed=0.5x"
    map_by: without hostfile: "slot", "core", "socket", "numa" (host after host is filled) or "node"
        (round the hosts); None: as the trace's MPI library
    ppn: ranks of a host; None: as many as it has cores
    """
    def file(name, path):
        return None if path is None else path_of(name, path, f"{FILE}, or None")

    is_path = isinstance(program, (str, bytes, os.PathLike))
    actions = None if is_path else actions_of(program)
    figures = _orrery.simulate(
        path_of("machine", machine, f"{FILE}, or a name of the catalogue"),
        path_of("program", program, FILE) if is_path else None, actions, pairs_of(settings),
        file("hostfile", hostfile),
        text_of("computation", computation, '"auto", "volume", "recorded" or "none"'),
        flag_of("oversubscribe", oversubscribe), flag_of("messages", messages),
        file("record", record),
        text_of("explain", explain,
                '"critical-path", "links", "rank:3" or "message:3-7#2"'),
        text_of("what_if", what_if, '"latency=2x,bandwidth=0.5x"'),
        text_of("map_by", map_by, '"slot", "core", "socket", "numa" or "node"'), ppn_of(ppn))
    return Run(figures)
