#!/usr/bin/env python3
"""A second implementation of docs/FORMAT.md and of the intervals of docs/SYNC.md.

It must agree with the golden vectors.

    decode.py [FOLDER]      exit 0 when everything agrees; else 1, and the first disagreement named

It shares no code with the ledger: hashes by hashlib, CBOR by cbor2 behind a strict reader of its
own, keys and signatures by the `openssl` command.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unicodedata

import fields
import intervals
from cbor_strict import Malformed, encode

ORIGIN = "consent-ledger/1/"
HEADER = struct.Struct(">4s16sQQHHH16sI32s")


class Disagreement(Exception):
    """A vector says something else than this decoder."""


def agree(what, ours, theirs):
    if ours != theirs:
        raise Disagreement(f"{what}: {ours!r} computed, {theirs!r} in the vector")


def refuse(what, function, *arguments):
    try:
        function(*arguments)
    except Malformed:
        return
    raise Disagreement(f"{what}: accepted, and must be refused")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf(secret, label):
    """RFC 5869 with SHA-256, no salt, one block."""
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, label.encode() + b"\1", "sha256")


def base32(data):
    return base64.b32encode(data).decode().rstrip("=").lower()


def unbase32(text):
    if not re.fullmatch("[a-zA-Z2-7]*", text):
        raise Malformed("not base32")
    padded = text.upper() + "=" * (-len(text) % 8)
    try:
        data = base64.b32decode(padded)
    except ValueError as error:
        raise Malformed("not base32") from error
    if base32(data) != text.lower():
        raise Malformed("bits left over")
    return data


def unbase64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Malformed("not base64") from error
    if base64.b64encode(data).decode() != text:
        raise Malformed("not canonical base64")
    return data


def openssl(*arguments, data=b""):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=False)


def public_key(oid, secret):
    """The raw public half of an Ed25519 (oid 112) or X25519 (oid 110) key."""
    der = bytes.fromhex("302e020100300506032b65") + bytes([oid]) + b"\x04\x22\x04\x20" + secret
    result = openssl("pkey", "-inform", "DER", "-pubout", "-outform", "DER", data=der)
    return result.stdout[-32:]


def is_signed(key, message, signature):
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("key", "message", "signature")]
        der = bytes.fromhex("302a300506032b6570032100") + key
        for path, content in zip(paths, (der, message, signature)):
            path.write_bytes(content)
        result = openssl("pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER",
                         "-inkey", paths[0], "-in", paths[1], "-sigfile", paths[2])
        return result.returncode == 0


def check_name(text):
    """What a subject, device, install, resource, feature or primer may be called."""
    if not text or len(text.encode()) > 512:
        raise Malformed("empty or over 512 bytes")
    if any(unicodedata.category(character) in ("Cc", "Cn") for character in text):
        raise Malformed("a control character or an unassigned code point")


def check_identity(vector):
    raw = {key: bytes.fromhex(value) for key, value in vector.items()
           if isinstance(value, str) and not key.endswith("Text")}
    agree("founder", public_key(112, raw["founderSeed"]), raw["founder"])
    agree("recoveryKey", public_key(112, raw["recoverySeed"]), raw["recoveryKey"])
    agree("sealingKey", public_key(110, raw["sealingSecret"]), raw["sealingKey"])
    ledger = sha256(b"consent-ledger/ledger/1", raw["founder"], raw["recoveryKey"],
                    raw["nonce"])[:16]
    agree("ledger", ledger, raw["ledger"])
    agree("founderText", base32(raw["founder"]), vector["founderText"])
    agree("ledgerText", base32(ledger), vector["ledgerText"])
    for entry in vector["logs"]:
        log = sha256(b"consent-ledger/log/1", ledger, raw["founder"],
                     bytes.fromhex(entry["epoch"]))[:16]
        agree("log", log.hex(), entry["log"])
        agree("logText", base32(log), entry["logText"])
        agree("logText", unbase32(entry["logText"].upper()), log)
    tag_key = hkdf(raw["ledgerKey"], "consent-ledger/tag/1")
    agree("tagKey", tag_key, raw["tagKey"])
    for entry in vector["folderKeys"]:
        label = f"consent-ledger/folder/1/{entry['generation']}"
        agree(label, hkdf(raw["ledgerKey"], label).hex(), entry["key"])
    for entry in vector["subjects"]:
        agree("subject tag", subject_tag(tag_key, entry["subject"]).hex(), entry["tag"])
    for entry in vector["units"]:
        digest = sha256(b"consent-ledger/unit/1", bytes.fromhex(entry["content"]))
        agree("unit digest", digest.hex(), entry["digest"])
    return tag_key, raw["founder"]


def subject_tag(key, subject):
    check_name(subject)
    return hmac.digest(key, unicodedata.normalize("NFC", subject).encode(), "sha256")[:16]


def decode_header(data):
    if len(data) < HEADER.size:
        raise Malformed("cut off")
    magic, log, sequence, time, kind, flags, count, tag, length, commitment = HEADER.unpack_from(
        data)
    if magic != b"CLE1":
        raise Malformed("magic")
    if sequence >= 1 << 53 or flags & 0xFFFE or count > 1024 or length > 65536:
        raise Malformed("a field out of range")
    if len(data) != HEADER.size + 32 * count:
        raise Malformed("length")
    ids = [data[HEADER.size + 32 * i : HEADER.size + 32 * (i + 1)] for i in range(count)]
    if any(left >= right for left, right in zip(ids, ids[1:])):
        raise Malformed("replaced ids unsorted or doubled")
    return {"log": log.hex(), "sequence": sequence, "milliseconds": time >> 16,
            "counter": time & 0xFFFF, "kind": kind, "critical": flags == 1,
            "replaces": [i.hex() for i in ids], "subjectTag": tag.hex(), "length": length,
            "commitment": commitment.hex()}


def encode_header(event, length, commitment):
    ids = [bytes.fromhex(text) for text in event["replaces"]]
    return HEADER.pack(
        b"CLE1", bytes.fromhex(event["log"]), event["sequence"],
        event["milliseconds"] << 16 | event["counter"], event["kind"], int(event["critical"]),
        len(ids), bytes.fromhex(event["subjectTag"]), length, commitment) + b"".join(ids)


def check_event(event, tag_key):
    what, kind = event["name"], event["kind"]
    salt, payload = bytes.fromhex(event["salt"]), bytes.fromhex(event["payload"])
    agree(f"{what}: salt length", len(salt), 16)
    shown, has_unknown = fields.decode(kind, payload)
    agree(f"{what}: unknown fields", has_unknown, "fields" not in event)
    if "fields" in event:
        agree(f"{what}: fields", shown, event["fields"])
        agree(f"{what}: payload", encode(fields.numbered(kind, event["fields"])), payload)
    commitment = sha256(salt, payload)
    agree(f"{what}: commitment", commitment.hex(), event["commitment"])
    header = encode_header(event, len(payload), commitment)
    agree(f"{what}: header", header.hex(), event["header"])
    decoded = decode_header(bytes.fromhex(event["header"]))
    for name, value in decoded.items():
        if name != "length":
            agree(f"{what}: {name}", value, event[name])
    agree(f"{what}: length", decoded["length"], len(payload))
    name = fields.KINDS[kind - 1] if 1 <= kind <= 9 else f"unknown-{kind}"
    agree(f"{what}: kind name", name, event["kindName"])
    if "subject" in shown:
        agree(f"{what}: tag", subject_tag(tag_key, shown["subject"]).hex(), event["subjectTag"])
    agree(f"{what}: id", sha256(b"\0", header).hex(), event["id"])
    agree(f"{what}: id text", base32(bytes.fromhex(event["id"])), event["idText"])


def root(leaves):
    """MTH of RFC 6962 section 2.1, as it is written there."""
    if not leaves:
        return sha256()
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1", root(leaves[:split]), root(leaves[split:]))


def path(index, leaves):
    """PATH of RFC 6962 section 2.1.1."""
    if len(leaves) <= 1:
        return []
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if index < split:
        return path(index, leaves[:split]) + [root(leaves[split:])]
    return path(index - split, leaves[split:]) + [root(leaves[:split])]


def proof(old, leaves, is_whole=True):
    """SUBPROOF of RFC 6962 section 2.1.2."""
    if old == len(leaves):
        return [] if is_whole else [root(leaves)]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if old <= split:
        return proof(old, leaves[:split], is_whole) + [root(leaves[split:])]
    return proof(old - split, leaves[split:], False) + [root(leaves[:split])]


def check_tree(vector):
    template = bytes.fromhex(vector["template"])
    headers = [template[:20] + struct.pack(">Q", i) + template[28:] for i in range(1000)]
    leaves = [sha256(b"\0", header) for header in headers]
    for entry in vector["roots"]:
        agree(f"root of {entry['size']}", root(leaves[: entry["size"]]).hex(), entry["root"])
    for entry in vector["inclusions"]:
        ours = path(entry["index"], leaves[: entry["size"]])
        agree(f"inclusion of {entry['index']} in {entry['size']}", [h.hex() for h in ours],
              entry["proof"])
    for entry in vector["consistencies"]:
        ours = proof(entry["old"], leaves[: entry["size"]])
        agree(f"consistency of {entry['old']} with {entry['size']}", [h.hex() for h in ours],
              entry["proof"])


def signature_of(line, name):
    """Key id and signature of a line under this name; empty for any other line."""
    parts = line.split(" ")
    if len(parts) != 3 or parts[:2] != ["\u2014", name]:
        return b""
    try:
        return unbase64(parts[2])
    except Malformed:
        return b""


def decode_note(note, author):
    """(log, size, root) of a checkpoint that the author signed."""
    if len(note.encode()) > 4096 or not note.endswith("\n") or "\n\n" not in note:
        raise Malformed("not a signed note")
    text, signatures = note.split("\n\n", 1)
    lines = text.split("\n")
    if len(lines) != 3 or not lines[0].startswith(ORIGIN):
        raise Malformed("not a checkpoint of a consent ledger")
    log = unbase32(lines[0][len(ORIGIN):])
    if len(log) != 16 or not re.fullmatch("0|[1-9][0-9]*", lines[1]):
        raise Malformed("log or size")
    size, tree_root = int(lines[1]), unbase64(lines[2])
    if size >= 1 << 64 or len(tree_root) != 32:
        raise Malformed("size or root")
    name = ORIGIN + base32(log)
    key_id = sha256(name.encode(), b"\n\1", author)[:4]
    message = f"{name}\n{size}\n{lines[2]}\n".encode()
    for line in signatures.split("\n"):
        signature = signature_of(line, name)
        if len(signature) == 68 and signature[:4] == key_id:
            if is_signed(author, message, signature[4:]):
                return log, size, tree_root
            break
    raise Malformed("no valid signature of the author")


def check_checkpoints(vector, events, author):
    for entry in vector:
        log, size, tree_root = decode_note(entry["note"], author)
        what = f"checkpoint of {size}"
        agree(f"{what}: log", log.hex(), entry["log"])
        agree(f"{what}: size", size, entry["size"])
        agree(f"{what}: root", tree_root.hex(), entry["root"])
        ids = [bytes.fromhex(e["id"]) for e in events if e["log"] == entry["log"]]
        agree(f"{what}: root of its events", root(ids[:size]).hex(), entry["root"])
        name = ORIGIN + base32(log)
        key_id = sha256(name.encode(), b"\n\1", author)[:4]
        line = base64.b64encode(key_id + bytes.fromhex(entry["signature"])).decode()
        text = f"{name}\n{size}\n{base64.b64encode(tree_root).decode()}\n"
        agree(f"{what}: note", f"{text}\n\u2014 {name} {line}\n", entry["note"])


def whole_header(entry):
    ids = b"".join((i + 1).to_bytes(32, "big") for i in range(entry["ascending"]))
    return bytes.fromhex(entry["header"]) + ids


def check_limits(accepted, rejected, author):
    for entry in accepted["headers"]:
        decode_header(whole_header(entry))
    for entry in accepted["payloads"]:
        fields.decode(4, bytes.fromhex(entry["payload"]))
    for entry in rejected["headers"]:
        refuse(f"header, {entry['name']}", decode_header, whole_header(entry))
    for kind, part in ((4, "payloads"), (1, "openings")):
        for entry in rejected[part]:
            refuse(f"{part}, {entry['name']}", fields.decode, kind,
                   bytes.fromhex(entry["payload"]))
    for entry in rejected["notes"]:
        refuse(f"note, {entry['name']}", decode_note, entry["text"], author)
    for entry in rejected["names"]:
        refuse(f"name, {entry['name']}", check_name, entry["text"])
    for entry in rejected["base32"]:
        refuse(f"base32, {entry['name']}", unbase32, entry["text"])


def main():
    here = pathlib.Path(__file__).resolve().parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "../LedgerTests/Vectors"
    names = ("identity", "events", "tree", "checkpoints", "accepted", "rejected", "intervals")
    vectors = {name: json.loads((folder / f"{name}.json").read_text()) for name in names}
    try:
        tag_key, author = check_identity(vectors["identity"])
        for event in vectors["events"]:
            check_event(event, tag_key)
        check_tree(vectors["tree"])
        check_checkpoints(vectors["checkpoints"], vectors["events"], author)
        check_limits(vectors["accepted"], vectors["rejected"], author)
        travelling = intervals.check(vectors["intervals"], agree)
    except (Disagreement, Malformed) as error:
        print(f"disagreement: {error}", file=sys.stderr)
        return 1
    counts = ", ".join(f"{name} {len(vectors[name])}" for name in ("events", "checkpoints"))
    refused = sum(len(part) for part in vectors["rejected"].values())
    print(f"the independent decoder agrees: {counts}, refused {refused}, "
          f"events in intervals {travelling}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
