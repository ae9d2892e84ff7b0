#!/usr/bin/env python3
"""Three machines with daemons go through what happens to machines, and must agree afterwards.

usage: three_machines.py LEDGERD [--loopback]

A partition, a kill in the midst of recording, a folder, a clone and a removed member: afterwards
every member holds the same logs with the same roots and tells the same statuses, and nothing that was
acknowledged is missing. Network namespaces where they are allowed, else loopback.
"""

import pathlib
import sys
import tempfile
import threading

from machines import Loopback, Machine, Namespaces, until

PEOPLE = [f"person-{number}" for number in range(12)]


class Recorder(threading.Thread):
    """Records through the control socket until it is told to stop or the daemon goes away."""

    def __init__(self, machine, outcome, count=None):
        super().__init__(daemon=True)
        self.client, self.outcome, self.count = machine.control(), outcome, count
        self.acknowledged, self.is_stopped = [], False
        self.has_begun = threading.Event()

    def run(self):
        number = 0
        while not self.is_stopped and number != self.count:
            subject = PEOPLE[number % len(PEOPLE)]
            event = {"kind": "answer", "subject": subject, "resource": "newsletter",
                     "scope": "person", "outcome": self.outcome,
                     "surface": f"{self.name} {number}"}
            try:
                self.acknowledged.append(self.client.ask("append", event=event)["id"])
            except (OSError, ValueError):
                return
            number += 1
            if number >= 20:
                self.has_begun.set()
        self.has_begun.set()

    def finish(self):
        self.join()
        return set(self.acknowledged)


def record(machine, outcome, count=len(PEOPLE)):
    recorder = Recorder(machine, outcome, count)
    recorder.run()
    assert len(recorder.acknowledged) == count, f"{machine.name} recorded less than asked"
    return set(recorder.acknowledged)


def agree(machines, acknowledged):
    """Waits until all hold the same logs, and looks whether anything is missing."""
    def same():
        heads = [machine.heads() for machine in machines]
        return all(one == heads[0] for one in heads)
    try:
        until(f"{[machine.name for machine in machines]} hold the same logs", same)
    except AssertionError:
        for machine in machines:
            print(f"--- {machine.name}\n{machine.command('peers').stdout}{machine.heads()}\n"
                  f"{machine.say()}", file=sys.stderr)
        raise
    statuses = machines[0].statuses()
    for machine in machines:
        missing = acknowledged - machine.event_ids()
        assert not missing, f"{machine.name} lacks {len(missing)} acknowledged events"
        assert machine.statuses() == statuses, f"{machine.name} tells other statuses"
    return statuses


class Story:
    def __init__(self, program, network, folder):
        self.network = network
        self.phone, self.tablet, self.server, self.twin = (
            Machine(network, name, program, folder)
            for name in ("phone", "tablet", "server", "twin"))
        self.drop = folder / "drop"
        self.drop.mkdir()
        self.acknowledged = set()

    def tell(self):
        for chapter in (self.pair, self.partition, self.kill, self.clone, self.remove):
            chapter()
            print(f"three machines: {chapter.__doc__}", flush=True)

    @property
    def all(self):
        return [self.phone, self.tablet, self.server]

    def called(self, machine):
        return f"{machine.replica}@{machine.address}"

    def pair(self):
        """paired by one string each, and agreed"""
        self.server.command("init")
        self.server.folders = [self.drop]
        self.server.start()
        for device in (self.phone, self.tablet):
            string = self.server.command(
                "invite", "--name", device.name, "--address", self.server.address)
            device.command("join", string.stdout.strip().splitlines()[-1])
            device.peers = [self.called(self.server)]
        self.tablet.peers.append(self.called(self.phone))
        for device in (self.phone, self.tablet):
            device.start()
        for machine in self.all:
            self.acknowledged |= record(machine, "allowed")
        agree(self.all, self.acknowledged)

    def partition(self):
        """recorded apart, in a partition, and agreed; what was withdrawn there counts"""
        self.tablet.cut()
        self.acknowledged |= record(self.tablet, "denied")
        self.acknowledged |= record(self.phone, "allowed")
        self.tablet.cut(False)
        statuses = agree(self.all, self.acknowledged)
        assert all('"denied"' in line for line in statuses), "a withdrawal was overruled"

    def kill(self):
        """killed in the midst of recording, and lost nothing"""
        recorder = Recorder(self.phone, "allowed")
        recorder.start()
        recorder.has_begun.wait()
        self.phone.kill()
        self.acknowledged |= recorder.finish()
        self.phone.start()
        agree(self.all, self.acknowledged)

    def clone(self):
        """cloned, written to on both, met through a folder and a socket, and lost nothing"""
        self.tablet.stop()
        self.tablet.copy_to(self.twin)
        self.twin.folders, self.tablet.folders = [self.drop], [self.drop]
        self.twin.cut()
        self.tablet.start()
        self.twin.start()
        for machine, outcome in ((self.tablet, "allowed"), (self.twin, "denied")):
            self.acknowledged |= record(machine, outcome)
        self.twin.peers = [self.called(self.server)]
        self.twin.stop()
        self.twin.cut(False)
        self.twin.start()
        agree([*self.all, self.twin], self.acknowledged)
        self.acknowledged |= record(self.tablet, "denied") | record(self.twin, "denied")
        statuses = agree([*self.all, self.twin], self.acknowledged)
        assert all('"denied"' in line for line in statuses)
        for machine in (self.twin, self.tablet):
            machine.stop()

    def remove(self):
        """removed, refused, and granted nothing by what was said afterwards"""
        self.tablet.peers = [self.called(self.server)]
        self.tablet.start()
        self.server.command("members", "remove", self.phone.replica)
        until("the removed member is refused", self.is_refused)
        record(self.phone, "allowed")
        secret = record(self.server, "denied")
        self.acknowledged |= secret
        statuses = agree([self.server, self.tablet], self.acknowledged)
        assert all('"denied"' in line for line in statuses), "a removed member granted something"
        assert not secret & self.phone.event_ids(), "a removed member was told something"
        for machine in self.all:
            machine.stop()

    def is_refused(self):
        server = self.server.replica
        peers = self.phone.json("peers")["peers"]
        return any(peer["peer"] == server and peer.get("failure") and peer["phase"] != "connected"
                   for peer in peers)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    apart = "--loopback" not in sys.argv and Namespaces.are_allowed()
    network = Namespaces() if apart else Loopback()
    print(f"three machines: {'network namespaces' if apart else 'loopback'}", flush=True)
    try:
        with tempfile.TemporaryDirectory(prefix="ledgerd-", dir="/tmp") as folder:
            story = Story(program, network, pathlib.Path(folder))
            try:
                story.tell()
            finally:
                for machine in (*story.all, story.twin):
                    if machine.daemon:
                        machine.daemon.kill()
    finally:
        network.close()


if __name__ == "__main__":
    main()
