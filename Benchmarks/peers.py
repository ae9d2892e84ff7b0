#!/usr/bin/env python3
"""Merges the same events with other replicated data types, for a sense of what verifying costs.

    Benchmarks/peers.py [--size 100000] [--rounds 3]

Product and peers take turns in each round; each line of JSON holds medians: {"bench", "peer", "n",
"ratio", "product", "baseline", "unit"}, ratio being product to peer. A peer holds each event as one
text in a list, in memory. `make bench-peers` installs them beforehand. What they leave out is said at
the end, and has to be kept in mind: it is most of what the product does.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from loro import ExportMode, LoroDoc
from pycrdt import Array, Doc

RELEASE = pathlib.Path(__file__).resolve().parent.parent / ".build/release"
BATCH, DELTA = 1000, 100
# What a peer cannot know of an event, or knows in another way.
OWN = {"id", "log", "sequence", "author", "position", "replaces", "words", "time"}
LEFT_OUT = ("The peers keep everything in memory: nothing is stored, nothing is durable, no author's signature and no"
            " hash is checked, nothing is indexed or projected, and nothing is encrypted on its way. The product does"
            " all of that in the same time, over TLS.")


class Yrs:
    name = "pycrdt"

    def __init__(self):
        self.doc = Doc()
        self.events = self.doc.get("events", type=Array)

    def add(self, events):
        with self.doc.transaction():
            self.events.extend(events)

    def state(self):
        return self.doc.get_state()

    def update(self, state=None):
        return self.doc.get_update(state) if state else self.doc.get_update()

    def take(self, update):
        self.doc.apply_update(update)

    def count(self):
        return len(self.events)


class Loro:
    name = "loro"

    def __init__(self):
        self.doc = LoroDoc()
        self.events = self.doc.get_list("events")

    def add(self, events):
        for event in events:
            self.events.push(event)
        self.doc.commit()

    def state(self):
        return self.doc.oplog_vv.encode()

    def update(self, state=None):
        if state is None:
            return self.doc.export(ExportMode.Snapshot())
        return self.doc.export(ExportMode.Updates(type(self.doc.oplog_vv).decode(state)))

    def take(self, update):
        self.doc.import_(update)

    def count(self):
        return len(self.events)


def ran(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{words[1]}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def product(*words):
    return json.loads(ran(RELEASE / "LedgerBenchmarks", *words).strip().splitlines()[-1])


def texts(ledger):
    lines = ran(RELEASE / "ledgerd", "history", "--json", "--dir", ledger).splitlines()
    events = (json.loads(line) for line in lines)
    return [json.dumps({key: value for key, value in event.items() if key not in OWN},
                       separators=(",", ":")) for event in events]


class Samples:
    def __init__(self):
        self.values = {}

    def add(self, bench, unit, who, value):
        self.values.setdefault((bench, unit), {}).setdefault(who, []).append(value)

    def show(self, size):
        for (bench, unit), sides in self.values.items():
            ours = statistics.median(sides["product"])
            for who, values in sides.items():
                if who != "product":
                    theirs = statistics.median(values)
                    print(json.dumps({
                        "bench": bench, "peer": who, "n": size, "ratio": float(f"{ours / theirs:.3g}"),
                        "product": float(f"{ours:.4g}"), "baseline": float(f"{theirs:.4g}"),
                        "unit": unit}), flush=True)


def ours(samples, folder, ledger, size, number):
    into = folder / f"merged{number}"
    done = product("bulk", ledger, into)
    samples.add("peers.merge", "us/event", "product", done["seconds"] / done["events"] * 1e6)
    samples.add("peers.merge.bytes", "bytes/event", "product", done["bytes"] / done["events"])
    done = product("delta", ledger, into, DELTA, 5, size + number * DELTA * 5)
    samples.add("peers.delta", "us, 100 events", "product", done["median"] * 1e6)
    samples.add("peers.delta.bytes", "bytes/event", "product", done["bytes"] / done["events"])


def theirs(samples, kind, events):
    source, copy = kind(), kind()
    held = len(events) - DELTA
    for first in range(0, held, BATCH):
        source.add(events[first:min(first + BATCH, held)])
    update = source.update()
    start = time.perf_counter()
    copy.take(update)
    seconds = time.perf_counter() - start
    assert copy.count() == held, f"{kind.name} merged {copy.count()} of {held}"
    samples.add("peers.merge", "us/event", kind.name, seconds / held * 1e6)
    samples.add("peers.merge.bytes", "bytes/event", kind.name, len(update) / held)
    source.add(events[held:])
    start = time.perf_counter()
    state = copy.state()
    update = source.update(state)
    copy.take(update)
    seconds = time.perf_counter() - start
    assert copy.count() == len(events)
    samples.add("peers.delta", "us, 100 events", kind.name, seconds * 1e6)
    samples.add("peers.delta.bytes", "bytes/event", kind.name, (len(state) + len(update)) / DELTA)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    samples = Samples()
    with tempfile.TemporaryDirectory(prefix="ledger-bench-") as name:
        folder = pathlib.Path(name)
        ledger = folder / "ledger"
        product("batch", ledger, options.size, BATCH)
        events = texts(ledger)
        for number in range(options.rounds):
            ours(samples, folder, ledger, options.size, number)
            for kind in (Yrs, Loro):
                theirs(samples, kind, events)
    samples.show(options.size)
    print(LEFT_OUT, file=sys.stderr)


if __name__ == "__main__":
    main()
