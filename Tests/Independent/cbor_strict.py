"""Deterministic CBOR (RFC 8949 section 4.2.1) read strictly; cbor2 must then see the same value."""

import struct

import cbor2

DEPTH_MAX = 16


class Malformed(Exception):
    """The bytes are not what the format allows."""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Malformed(f"byte {self.at}: cut off")
        self.at += count
        return self.data[self.at - count : self.at]

    def head(self):
        start = self.at
        first = self.take(1)[0]
        major, low = first >> 5, first & 31
        if low < 24:
            return major, low
        if low > 27 or major == 7:
            raise Malformed(f"byte {start}: float, simple value, indefinite or reserved")
        size = 1 << (low - 24)
        value = int.from_bytes(self.take(size), "big")
        if value < (24, 1 << 8, 1 << 16, 1 << 32)[low - 24]:
            raise Malformed(f"byte {start}: not the shortest")
        return major, value

    def value(self, depth=0):
        if depth >= DEPTH_MAX:
            raise Malformed(f"byte {self.at}: nested too deep")
        start = self.at
        major, count = self.head()
        if major == 0:
            return count
        if major == 1:
            if count >= 1 << 63:
                raise Malformed(f"byte {start}: below -2^63")
            return -1 - count
        if major == 2:
            return bytes(self.take(count))
        if major == 3:
            return self.text(count)
        if major == 4:
            self.promise(count)
            return tuple(self.value(depth + 1) for _ in range(count))
        if major == 5:
            return Map(self.pairs(count, depth))
        if major == 7 and count in (20, 21, 22):
            return (False, True, None)[count - 20]
        raise Malformed(f"byte {start}: a tag or an unknown simple value")

    def text(self, count):
        try:
            return bytes(self.take(count)).decode("utf-8", "strict")
        except UnicodeDecodeError as error:
            raise Malformed(f"byte {self.at}: not UTF-8") from error

    def promise(self, count):
        if count > len(self.data) - self.at:
            raise Malformed(f"byte {self.at}: more items promised than there are bytes")

    def pairs(self, count, depth):
        self.promise(count)
        pairs, last = [], b""
        for _ in range(count):
            start = self.at
            key = self.value(depth + 1)
            encoded = self.data[start : self.at]
            if encoded <= last:
                raise Malformed(f"byte {start}: keys unsorted or doubled")
            last = encoded
            pairs.append((key, self.value(depth + 1)))
        return pairs

    def end(self):
        if self.at != len(self.data):
            raise Malformed(f"byte {self.at}: bytes after the end")


class Map:
    """Pairs in the order of the bytes."""

    def __init__(self, pairs):
        self.pairs = pairs


def payload_map(data):
    """The outer map of a payload as a dict; its values may nest DEPTH_MAX deep."""
    reader = Reader(data)
    major, count = reader.head()
    if major != 5:
        raise Malformed("byte 0: not a map")
    fields = dict(reader.pairs(count, depth=-1))
    reader.end()
    if any(type(key) is not int or key < 0 for key in fields):
        raise Malformed("a key that is not an unsigned number")
    if plain(cbor2.loads(data)) != plain(fields):
        raise Malformed("cbor2 sees another value")
    return fields


def plain(value):
    """Both decoders' values in one comparable shape; True and 1 stay apart."""
    if isinstance(value, Map):
        return ("map", tuple((plain(k), plain(v)) for k, v in value.pairs))
    if isinstance(value, dict):
        return ("map", tuple((plain(k), plain(v)) for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return ("array", tuple(plain(item) for item in value))
    return (type(value).__name__, value)


def encode(fields):
    """The deterministic encoding of a map with unsigned keys, by cbor2."""
    return cbor2.dumps(fields, canonical=True)


def u64(value):
    return struct.pack(">Q", value)
