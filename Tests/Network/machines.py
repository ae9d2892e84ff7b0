"""Machines for a test: daemons in network namespaces, or on loopback where those are not allowed."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Examples"))

from control_client import Ledger  # noqa: E402

# How long anything may take before the test gives up; nothing waits that long when all is well.
DEADLINE = 90
PORT = 7777


def run(*words, check=True, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=DEADLINE, **options)
    if check and done.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}")
    return done


def until(what, condition):
    """Asks again and again until the condition holds, and returns what it returned."""
    end = time.monotonic() + DEADLINE
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {DEADLINE} s: {what}")
        time.sleep(0.1)


class Namespaces:
    """A bridge in a namespace of its own, and a namespace for each machine."""

    def __init__(self):
        self.prefix = f"cl{os.getpid()}"
        self.made, self.count = [], 0
        self._make(f"{self.prefix}-net")
        self._ip("-n", self.made[0], "link", "add", "bridge", "type", "bridge")
        self._ip("-n", self.made[0], "link", "set", "bridge", "up")

    @staticmethod
    def are_allowed():
        if os.geteuid() != 0 or not shutil.which("ip"):
            return False
        name = f"cl{os.getpid()}-try"
        if run("ip", "netns", "add", name, check=False).returncode:
            return False
        allowed = run("ip", "-n", name, "link", "add", "bridge", "type", "bridge", check=False)
        run("ip", "netns", "del", name, check=False)
        return allowed.returncode == 0

    @staticmethod
    def _ip(*words):
        run("ip", *words)

    def _make(self, name):
        self._ip("netns", "add", name)
        self.made.append(name)

    def add(self, name):
        """Returns the words that run a program there, where it listens, and where it is called."""
        self.count += 1
        space, port, net = f"{self.prefix}-{name}", f"port{self.count}", self.made[0]
        self._make(space)
        self._ip("-n", net, "link", "add", port, "type", "veth", "peer", "name", "eth0",
                 "netns", space)
        self._ip("-n", net, "link", "set", port, "master", "bridge", "up")
        address = f"10.99.0.{self.count}"
        self._ip("-n", space, "address", "add", f"{address}/24", "dev", "eth0")
        self._ip("-n", space, "link", "set", "eth0", "up")
        self._ip("-n", space, "link", "set", "lo", "up")
        return ["ip", "netns", "exec", space], f"{address}:{PORT}", f"{address}:{PORT}"

    def cut(self, name, is_cut):
        self._ip("-n", f"{self.prefix}-{name}", "link", "set", "eth0", "down" if is_cut else "up")

    def close(self):
        for name in self.made:
            run("ip", "netns", "del", name, check=False)


class Loopback:
    """Every machine is reached through a forwarder on 127.0.0.1 that can be cut."""

    def __init__(self):
        self.forwarders = {}

    def add(self, name):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.forwarders[name] = Forwarder(port)
        return [], f"127.0.0.1:{port}", f"127.0.0.1:{self.forwarders[name].port}"

    def cut(self, name, is_cut):
        self.forwarders[name].cut(is_cut)

    def close(self):
        for forwarder in self.forwarders.values():
            forwarder.listener.close()


class Forwarder:
    """Carries connections to a port; those that cross a cut are reset."""

    def __init__(self, target):
        self.target, self.is_cut, self.open = target, False, set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = None if self.is_cut else socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                far = None
            if far is None:
                near.close()
                continue
            with self.lock:
                self.open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            self._end(end)

    def _end(self, connection):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        with self.lock:
            self.open.discard(connection)
        connection.close()

    def cut(self, is_cut):
        self.is_cut = is_cut
        if is_cut:
            for connection in list(self.open):
                self._end(connection)


class Control(Ledger):
    """The client that programs are shown, with an end to its waiting."""

    def __init__(self, path):
        super().__init__(str(path))
        self.socket.settimeout(DEADLINE)


class Machine:
    """One state directory, in a place of its own in the network, with a daemon now and then."""

    def __init__(self, network, name, program, folder):
        self.name, self.program, self.network = name, program, network
        self.state = folder / name
        self.log = folder / f"{name}.log"
        self.inside, self.listens, self.address = network.add(name)
        self.daemon, self.peers, self.folders = None, [], []

    def command(self, *words, **options):
        return run(*self.inside, self.program, *words, "--dir", self.state, **options)

    def json(self, *words):
        return json.loads(self.command(*words, "--json").stdout)

    @property
    def replica(self):
        return self.json("id")["replica"]

    def start(self):
        words = [*self.inside, self.program, "run", "--dir", self.state,
                 "--listen", f"tcp://{self.listens}"]
        for peer in self.peers:
            words += ["--peer", peer]
        for folder in self.folders:
            words += ["--folder", folder]
        with open(self.log, "a") as log:
            self.daemon = subprocess.Popen([str(word) for word in words], stderr=log)
        until(f"{self.name} answers", self._answers)

    def _answers(self):
        if self.daemon.poll() is not None:
            raise AssertionError(f"{self.name} ended: {self.log.read_text()[-2000:]}")
        try:
            return self.control().ask("health") or True
        except OSError:
            return False

    def control(self):
        return Control(self.state / "control.sock")

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        code = self.daemon.wait(DEADLINE)
        assert code == 0, f"{self.name} ended with {code}: {self.log.read_text()[-2000:]}"
        self.daemon = None

    def kill(self):
        # Also what runs inside a namespace: `ip netns exec` becomes the program itself.
        self.daemon.kill()
        self.daemon.wait()
        self.daemon = None

    def cut(self, is_cut=True):
        self.network.cut(self.name, is_cut)

    def copy_to(self, other):
        shutil.copytree(self.state, other.state, ignore=lambda _, names: {
            name for name in names if name.endswith((".sock", ".lock"))})

    def heads(self):
        """What is held: size and root of every log."""
        report = self.json("verify")
        assert report["sound"], f"{self.name}: {report['findings']}"
        return {(log["log"], log["size"], log["root"]) for log in report["logs"]}

    def event_ids(self):
        lines = self.command("history", "--json").stdout.splitlines()
        return {json.loads(line)["id"] for line in lines}

    def statuses(self):
        return sorted(self.command("status", "--json").stdout.splitlines())

    def say(self):
        return pathlib.Path(self.log).read_text()[-3000:] if self.log.exists() else ""
