"""A schema in plain Python, written from docs/schema.md and not from the library. Slow and short."""

import math
import re


def text_hash(text):
    """FNV-1a of the bytes in UTF-8, then the final mix of MurmurHash3."""
    value = 0xCBF29CE484222325
    for byte in text if isinstance(text, bytes) else text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor % 2**64
    return value ^ value >> 33


def is_missing(value):
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def as_text(value):
    if isinstance(value, float):
        return "0" if value == 0 else re.sub(r"\.0$", "", repr(value))
    return str(value)


class Number:
    def __init__(self, scale="online", clip=10.0, missing=0):
        self.scale, self.clip, self.missing = scale, clip, missing
        self.n, self.mean, self.squares = 0, 0.0, 0.0

    def observe(self, x):
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.squares += delta * (x - self.mean)

    def encode(self, x):
        if self.scale == "none":
            return [float(x)]
        spread = math.sqrt(self.squares / self.n) if self.n else 0.0
        return [0.0 if spread == 0 else max(-self.clip, min(self.clip, (x - self.mean) / spread))]

    def names(self, name):
        return [name]


class Bool:
    def __init__(self, missing=0):
        self.missing = missing

    def observe(self, x):
        pass

    def encode(self, x):
        return [1.0 if x else -1.0]

    def names(self, name):
        return [name]


class Category:
    def __init__(self, most=None, buckets=None, of=(), missing=0):
        self.known = list(of)
        self.most = most if most is not None else len(self.known) or 32
        self.buckets = buckets if buckets is not None else (1 if self.known else 4)
        self.missing = missing

    def observe(self, x):
        x = as_text(x)
        if x not in self.known and len(self.known) < self.most and len(x.encode()) <= 64:
            self.known.append(x)

    def encode(self, x):
        x, out = as_text(x), [0.0] * (self.most + self.buckets)
        if x in self.known:
            out[self.known.index(x)] = 1.0
        elif self.buckets:
            out[self.most + (text_hash(x) >> 1) % self.buckets] = 1.0
        return out

    def names(self, name):
        free = [f"{name}[{i}]" for i in range(len(self.known), self.most)]
        return [f"{name}={x}" for x in self.known] + free + [f"{name}#{i}" for i in range(self.buckets)]


class Text:
    def __init__(self, buckets=64, signed=1, missing=0):
        self.buckets, self.signed, self.missing = buckets, signed, missing

    def observe(self, x):
        pass

    def encode(self, x):
        words = re.findall(rb"[0-9a-z\x80-\xff]+", as_text(x).encode().lower())
        out = [0.0] * self.buckets
        for word in words:
            code = text_hash(word)
            out[(code >> 1) % self.buckets] += 1.0 if code % 2 or not self.signed else -1.0
        return [x / math.sqrt(len(words)) for x in out] if words else out

    def names(self, name):
        return [f"{name}#{i}" for i in range(self.buckets)]


class PlainSchema:
    KINDS = {"number": Number, "bool": Bool, "category": Category, "text": Text}

    def __init__(self, columns):
        """`columns` has for every name a kind and its options."""
        self.columns = {name: self.KINDS[kind](**options) for name, (kind, options) in columns.items()}

    def observe(self, row):
        for name, column in self.columns.items():
            if not is_missing(row[name]):
                column.observe(row[name])

    def encode(self, row):
        out = []
        for name, column in self.columns.items():
            gone = is_missing(row[name])
            out += [0.0] * len(column.names(name)) if gone else column.encode(row[name])
            out += [float(gone)] * column.missing
        return out

    def take(self, row):
        self.observe(row)
        return self.encode(row)

    def names(self):
        return [each for name, column in self.columns.items()
                for each in column.names(name) + [f"{name} missing"] * column.missing]
