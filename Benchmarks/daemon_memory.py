#!/usr/bin/env python3
"""Measures the resident memory of a daemon while events pass through it to many peers.

    Benchmarks/daemon_memory.py [--peers 32] [--sizes 10000,100000] [--daemon .build/release/ledgerd]

Events are recorded at the hub, whose daemon merges over TLS with daemons on loopback. For each size a
line of JSON as in Benchmarks/run; `product` is the highest resident size in megabytes that was seen
until every peer acknowledged everything. Exit 1 when something failed to run.
"""

import argparse
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOAL = 96
BATCH = 10_000
DEADLINE = 1800


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Replica:
    def __init__(self, program, state):
        self.program, self.state, self.process = str(program), state, None

    def run(self, *words, text=None):
        done = subprocess.run([self.program, *words, "--dir", self.state], capture_output=True,
                              text=True, input=text, timeout=DEADLINE)
        if done.returncode:
            raise RuntimeError(f"{words[0]}: exit {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def start(self, *words):
        self.process = subprocess.Popen([self.program, "run", "--dir", self.state, *words],
                                        stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not (self.state / "control.sock").exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("a daemon did not start")
            time.sleep(0.02)

    def resident(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()


def lines(first, count):
    outcomes = ("allowed", "denied")
    for number in range(first, first + count):
        yield json.dumps({
            "kind": "answer", "subject": f"subj-{number % 10_000:06}",
            "resource": f"resource-{number // 10_000 % 8}", "scope": "person",
            "outcome": outcomes[number // 80_000 % 2], "surface": f"screen {number}"})


def pair(hub, address, count, program, folder):
    peers = []
    for number in range(count):
        peer = Replica(program, folder / f"peer{number}")
        invitation = hub.run("invite", "--address", address).strip().splitlines()[-1]
        peer.run("join", invitation)
        peers.append(peer)
    return peers


def are_merged(hub, count):
    peers = json.loads(hub.run("peers", "--json"))["peers"]
    connected = [peer for peer in peers if peer.get("phase") == "connected"]
    return len(connected) == count and all(peer.get("lagEvents") == 0 for peer in connected)


def measure(hub, count, recorded, size):
    highest = 0.0
    end = time.monotonic() + DEADLINE
    while recorded < size:
        batch = min(BATCH, size - recorded)
        hub.run("record", "-", text="\n".join(lines(recorded, batch)) + "\n")
        recorded += batch
        highest = max(highest, hub.resident())
    while not are_merged(hub, count):
        highest = max(highest, hub.resident())
        if time.monotonic() > end:
            raise RuntimeError("the peers did not come to the end")
        time.sleep(0.2)
    highest = max(highest, hub.resident())
    print(json.dumps({"bench": "memory.daemon", "n": size, "peers": count, "ratio": None,
                      "product": round(highest, 1), "baseline": None, "unit": "MB",
                      "goal": GOAL, "met": highest <= GOAL}), flush=True)
    return recorded


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=int, default=32)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--daemon", default=str(ROOT / ".build/release/ledgerd"))
    options = parser.parse_args()
    address = f"127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory(prefix="ledger-bench-") as name:
        folder, peers = pathlib.Path(name), []
        hub = Replica(options.daemon, folder / "hub")
        try:
            hub.run("init")
            hub.start("--listen", f"tcp://{address}")
            peers = pair(hub, address, options.peers, options.daemon, folder)
            called = f"{json.loads(hub.run('id', '--json'))['replica']}@{address}"
            for peer in peers:
                peer.start("--peer", called)
            recorded = 0
            for size in sorted(int(size) for size in options.sizes.split(",")):
                recorded = measure(hub, options.peers, recorded, size)
        except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"failed: {error}", file=sys.stderr)
            return 1
        finally:
            for replica in (*peers, hub):
                replica.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
