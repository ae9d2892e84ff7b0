"""The field tables of docs/FORMAT.md, written down a second time."""

from cbor_strict import Malformed, Map, payload_map

SCOPE = ["device", "person"]
OUTCOME = ["continued", "declined", "closed", "allowed", "denied", "dismissed", "timedOut",
           "notShown", "interrupted"]
STATUS = ["restricted", "denied", "notDetermined", "provisional", "ephemeral", "limited",
          "authorized"]
AUTHORITY = ["person", "guardian", "policy", "system", "default", "unknown"]
UNIT_KIND = ["resource", "primer", "features"]
REASON = ["new", "restored", "moved", "behindPeer"]
EXTENT = [["whenInUse", "always"], ["reduced", "precise"], ["selected", "all"]]
KINDS = ["logOpened", "primerShown", "promptAsked", "answerGiven", "settingsChanged",
         "catalogPublished", "memberAdmitted", "memberRemoved", "erased"]
BUTTONS_MAX = 16


class Text:
    def read(self, value):
        if type(value) is not str:
            raise Malformed("not text")
        return value

    write = staticmethod(lambda shown: shown)


class Word:
    def __init__(self, words):
        self.words = words

    def read(self, value):
        if type(value) is not int or not 0 <= value < len(self.words):
            raise Malformed("a word this version does not know")
        return self.words[value]

    def write(self, shown):
        return self.words.index(shown)


class ExtentCode:
    def read(self, value):
        if type(value) is not int or not 0 <= value < 64:
            raise Malformed("not an extent")
        parts = [value & 3, value >> 2 & 3, value >> 4]
        if max(parts) > 2:
            raise Malformed("an extent this version does not know")
        words = [EXTENT[i][part - 1] for i, part in enumerate(parts) if part]
        return "+".join(words) or "full"

    def write(self, shown):
        words = shown.split("+")
        return sum((EXTENT[i].index(word) + 1) << (2 * i) for word in words for i in range(3)
                   if word in EXTENT[i])


class Bytes:
    def __init__(self, count=None):
        self.count = count

    def read(self, value):
        if type(value) is not bytes or self.count not in (None, len(value)):
            raise Malformed("not so many bytes")
        return value.hex()

    write = staticmethod(bytes.fromhex)


class Number:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def read(self, value):
        if type(value) is not int or not self.low <= value < self.high:
            raise Malformed("not a number in range")
        return value

    write = staticmethod(lambda shown: shown)


class RevisionText(Text):
    def read(self, value):
        numbers = Text.read(self, value).split(".")
        good = all(n.isascii() and n.isdigit() and str(int(n)) == n and int(n) < 1 << 32
                   for n in numbers)
        if not good or len(numbers) > 8 or (len(numbers) > 1 and numbers[-1] == "0"):
            raise Malformed("not a revision in its shortest form")
        return value


class Array:
    def __init__(self, *parts, limit=None):
        self.parts, self.limit = parts, limit

    def read(self, value):
        if type(value) is not tuple or (self.limit and len(value) > self.limit):
            raise Malformed("not an array, or too long")
        return [self.element(item) for item in value]

    def element(self, item):
        if len(self.parts) == 1:
            return self.parts[0].read(item)
        if type(item) is not tuple or len(item) != len(self.parts):
            raise Malformed("not an element")
        return [part.read(value) for part, value in zip(self.parts, item)]

    def write(self, shown):
        if len(self.parts) == 1:
            return [self.parts[0].write(item) for item in shown]
        return [[p.write(v) for p, v in zip(self.parts, item)] for item in shown]


TIME = Number(-(1 << 63), 1 << 63)
COUNT = Number(0, 1 << 64)

PAYLOAD = {
    1: ("subject", Text()), 2: ("device", Text()), 3: ("install", Text()),
    4: ("resource", Text()), 5: ("scope", Word(SCOPE)), 6: ("outcome", Word(OUTCOME)),
    7: ("status", Word(STATUS)), 8: ("extent", ExtentCode()),
    9: ("authority", Word(AUTHORITY)), 10: ("answers", Bytes(32)), 11: ("unit", Bytes(32)),
    12: ("revision", RevisionText()), 13: ("locale", Text()), 14: ("feature", Text()),
    15: ("primer", Text()), 16: ("askedExtent", ExtentCode()), 17: ("application", Text()),
    18: ("applicationVersion", Text()), 19: ("wall", TIME), 20: ("oldStatus", Word(STATUS)),
    21: ("oldExtent", ExtentCode()), 22: ("windowStart", TIME), 23: ("windowEnd", TIME),
    24: ("occurredAt", TIME), 25: ("end", TIME), 26: ("signingIdentity", Text()),
    27: ("surface", Text()), 28: ("buttons", Array(Text(), limit=BUTTONS_MAX)),
    29: ("idempotencyKey", Text()), 30: ("source", Text()), 31: ("note", Text()),
    32: ("unitKind", Word(UNIT_KIND)), 33: ("unitContent", Bytes()),
}
OPENING = {
    40: ("replica", Bytes(32)), 41: ("epoch", Bytes(16)), 42: ("sealingKey", Bytes(32)),
    43: ("recoveryKey", Bytes(32)), 44: ("nonce", Bytes(16)), 45: ("continuesLog", Bytes(16)),
    46: ("continuesSize", COUNT), 47: ("continuesRoot", Bytes(32)), 48: ("reason", Word(REASON)),
}
ADMISSION = {
    40: ("replica", Bytes(32)), 50: ("name", Text()), 51: ("overrules", Array(Bytes(32))),
    55: ("folderKeys", Array(COUNT, Bytes(32), Bytes())),
}
REMOVAL = {
    40: ("replica", Bytes(32)), 52: ("points", Array(Bytes(16), COUNT, Bytes(32))),
    53: ("generation", COUNT), 54: ("sealedKeys", Array(Bytes(32), Bytes())),
}
TABLES = {1: OPENING, 7: ADMISSION, 8: REMOVAL}
REQUIRED = {1: {40, 41, 42, 48}, 7: {40}, 8: {40, 53}}
TOGETHER = {1: [{43, 44}, {45, 46, 47}]}


def table(kind):
    return TABLES.get(kind, PAYLOAD)


def decode(kind, data):
    """(fields by name, whether there were unknown ones)."""
    fields = payload_map(data)
    if not REQUIRED.get(kind, set()) <= fields.keys():
        raise Malformed("a field is missing")
    for group in TOGETHER.get(kind, []):
        if group & fields.keys() not in (set(), group):
            raise Malformed("fields that belong together are not together")
    known = table(kind)
    shown = {known[key][0]: known[key][1].read(value) for key, value in fields.items()
             if key in known}
    return shown, any(key not in known for key in fields)


def numbered(kind, shown):
    """The map that the names stand for, ready to be encoded."""
    keys = {name: (key, field) for key, (name, field) in table(kind).items()}
    return {keys[name][0]: keys[name][1].write(value) for name, value in shown.items()}
