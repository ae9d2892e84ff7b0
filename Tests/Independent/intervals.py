"""Decodes intervals as docs/SYNC.md, "Interval", specifies them; shares no code with the ledger."""

import hashlib
import struct
import zlib

from cbor_strict import Malformed

CONTENT_MAX = 16 << 20
WHOLE, SHAPE, NEW_SHAPE, TIME, COUNTER, REFERENCE, REPLACED, HOLE_LENGTH, TAG = 64, *range(8)


class Bytes:
    """A cursor over bytes."""

    def __init__(self, data=b""):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Malformed("cut off")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                if (byte == 0 and shift) or value >> 64:
                    raise Malformed("not the shortest number")
                return value
            shift += 7

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def rest(self):
        return self.take(len(self.data) - self.at)


def subject_tag(subject):
    """The vectors' ledger has no key: its tags are hashes of the subjects."""
    return hashlib.sha256(subject.encode()).digest()[:16]


def text_of(value):
    """The text that a CBOR value holds; None for another type."""
    if not value or value[0] >> 5 != 3:
        return None
    detail = value[0] & 31
    size = 0 if detail < 24 else 1 << (detail - 24)
    length = detail if detail < 24 else int.from_bytes(value[1:1 + size], "big")
    text = value[1 + size:]
    return text.decode() if len(text) == length else None


class Stream:
    """What was said in the intervals so far."""

    def __init__(self, log):
        self.log, self.ids, self.time, self.count = log, {}, 0, 0
        self.forget()

    def forget(self):
        self.shapes, self.tags, self.values, self.last = [], [], {}, {}
        self.value_count = self.value_bytes = 0

    def decode(self, data):
        head = Bytes(data)
        first, count = head.number(), head.number()
        root, signature = head.take(32), head.take(64)
        self.raw = Bytes(head.take(head.number()))
        length = head.number()
        content = head.rest()
        if length >> 1 > CONTENT_MAX:
            raise Malformed("too much content")
        if length & 1:
            inflater = zlib.decompressobj(-15)
            content = inflater.decompress(content, (length >> 1) + 1)
            if not inflater.eof or inflater.unused_data or inflater.unconsumed_tail:
                raise Malformed("not one deflate stream")
        if len(content) != length >> 1:
            raise Malformed("another length")
        self.read_columns(Bytes(content))
        self.end = first + count
        events = [self.event(first + index) for index in range(count)]
        if any(c.at < len(c.data) for c in (self.raw, *self.columns.values())):
            raise Malformed("bytes left over")
        if len(self.shapes) + len(self.tags) + self.value_count > 32768 or self.value_bytes > 1048576:
            self.forget()
        return first, root, signature, events

    def read_columns(self, content):
        directory = [(content.number(), content.number()) for _ in range(content.number())]
        if directory != sorted(set(directory)):
            raise Malformed("columns out of order")
        self.columns = {number: Bytes(content.take(length)) for number, length in directory}
        if content.rest():
            raise Malformed("bytes after the columns")

    def column(self, number):
        return self.columns.setdefault(number, Bytes())

    def event(self, sequence):
        kind, flags, keys = self.shape()
        hole, tag_mode = flags >> 1 & 3, flags >> 3 & 3
        salt = b"" if hole else self.raw.take(16)
        commitment = self.raw.take(32) if hole else None
        timestamp = self.timestamp()
        tag = self.tag() if tag_mode == 2 else bytes(16)
        replaced = []
        if flags & 32:
            replaced = [self.event_id() for _ in range(self.column(REPLACED).number())]
        payload = None
        if hole:
            length = self.column(HOLE_LENGTH).number()
        else:
            payload, subject = self.payload(keys)
            length = len(payload)
            commitment = hashlib.sha256(salt + payload).digest()
            if tag_mode == 1:
                tag = subject_tag(subject)
        header = struct.pack(">4s16sQQHHH16sI32s", b"CLE1", self.log, sequence, timestamp, kind,
                             flags & 1, len(replaced), tag, length, commitment)
        header += b"".join(replaced)
        self.ids[sequence] = hashlib.sha256(b"\0" + header).digest()
        return header, hole, salt, payload

    def shape(self):
        token = self.column(SHAPE).number()
        if token:
            return self.shapes[token - 1]
        column = self.column(NEW_SHAPE)
        kind, flags = struct.unpack(">HB", column.take(3))
        keys = column.take(column.take(1)[0]) if flags & 64 else None
        self.shapes.append((kind, flags, keys))
        return self.shapes[-1]

    def timestamp(self):
        step = self.column(TIME).signed()
        self.count = (self.count + 1 if step == 0 else 0) + self.column(COUNTER).signed()
        self.time += step
        return self.time << 16 | self.count

    def tag(self):
        token = self.column(TAG).number()
        if not token:
            self.tags.append(self.raw.take(16))
        return self.tags[token - 1]

    def event_id(self):
        distance = self.column(REFERENCE).number()
        return self.ids[self.end - distance] if distance else self.raw.take(32)

    def payload(self, keys):
        if keys is None:
            return self.value(WHOLE), None
        payload = bytes([0xA0 | len(keys)] if len(keys) < 24 else [0xB8, len(keys)])
        subject = None
        for key in keys:
            value = self.value(key)
            payload += (bytes([key]) if key < 24 else bytes([0x18, key])) + value
            if key == 1:
                subject = text_of(value)
        return payload, subject

    def value(self, key):
        token = self.column(16 + 2 * key).number()
        if token:
            return self.values[key][token - 1]
        column = self.column(17 + 2 * key)
        shared, word = column.number(), column.number()
        form, count = word & 3, word >> 2
        value = self.last.get(key, b"")[:shared]
        if form == 0:
            value += column.take(count)
        elif form == 1:
            value += column.take(count).hex().encode()
        elif form == 2:
            value = b"\x58\x20" + self.event_id()
        else:
            raise Malformed("an unknown spelling of a value")
        if len(value) <= 256:
            self.values.setdefault(key, []).append(value)
            self.last[key] = value
            self.value_count += 1
            self.value_bytes += len(value)
        return value


def check(streams, agree):
    """Decodes all vectors; `agree(what, ours, theirs)` raises where something differs."""
    count = 0
    for stream in streams:
        state = Stream(bytes.fromhex(stream["log"]))
        for vector in stream["intervals"]:
            first, root, signature, events = state.decode(bytes.fromhex(vector["encoded"]))
            agree("first", first, vector["first"])
            agree("root", root.hex(), vector["root"])
            agree("signature", signature.hex(), vector["signature"])
            agree("number of events", len(events), len(vector["events"]))
            for (header, hole, salt, payload), wanted in zip(events, vector["events"]):
                agree("header", header.hex(), wanted["header"])
                agree("hole", hole, wanted.get("hole", 0))
                agree("salt", salt.hex(), wanted.get("salt", ""))
                agree("payload", (payload or b"").hex(), wanted.get("payload", ""))
                count += 1
    return count
