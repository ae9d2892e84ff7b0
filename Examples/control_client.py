#!/usr/bin/env python3
"""Records and asks through the daemon's control socket; docs/CONTROL.md describes the protocol.

usage: control_client.py SOCKET SUBJECT
"""
import json
import socket
import sys


class Ledger:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def ask(self, op, **members):
        self.socket.sendall(json.dumps({"op": op, **members}).encode() + b"\n")
        for answer in map(json.loads, self.lines):
            if "error" in answer:
                raise RuntimeError(answer["error"]["message"])
            if "result" in answer:
                return answer["result"]
        raise ConnectionError("the daemon went away")


if __name__ == "__main__":
    ledger, person = Ledger(sys.argv[1]), sys.argv[2]
    key = {"subject": person, "resource": "newsletter"}
    form = {**key, "scope": "person", "kind": "answer"}
    print("before:", ledger.ask("status", **key)["status"])
    ledger.ask("append", event={**form, "outcome": "allowed", "surface": "sign-up page"})
    print("after yes:", ledger.ask("status", **key)["status"])
    ledger.ask("append", event={**form, "outcome": "denied", "surface": "unsubscribe link"})
    print("after no:", ledger.ask("status", **key)["status"])
