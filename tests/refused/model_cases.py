"""Model files that must be refused: NAME: a function from the bytes of a good one to those of a bad one."""
import json
import struct


def parts(good):
    length = struct.unpack("<Q", good[:8])[0]
    return json.loads(good[8:8 + length]), good[8 + length:]


def file_of(header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def header(change):
    """A file whose header was changed."""
    def bad(good):
        head, data = parts(good)
        change(head)
        return file_of(head, data)
    return bad


def first(head):
    return next(name for name in head if name != "__metadata__")


def metadata(name, text):
    return header(lambda head: head["__metadata__"].__setitem__(name, text))


def tensor(**changed):
    return header(lambda head: head[first(head)].update(changed))


def spec(change):
    def edit(head):
        network = json.loads(head["__metadata__"]["spec"])
        change(network)
        head["__metadata__"]["spec"] = json.dumps(network)
    return header(edit)


def moved(head, by):
    begin, end = head[first(head)]["data_offsets"]
    head[first(head)]["data_offsets"] = [begin + by, end + by]


CASES = {
    "empty": lambda good: b"",
    "seven-bytes": lambda good: good[:7],
    "cut": lambda good: good[:-1],
    "left-over": lambda good: good + b"x",
    "header-cut": lambda good: struct.pack("<Q", 1016) + good[8:40],
    "header-claims-all": lambda good: struct.pack("<Q", 1 << 63) + good[8:],
    "header-claims-more": lambda good: struct.pack("<Q", 1 << 20) + good[8:],
    "header-no-json": lambda good: file_of(b"{" * 10, b""),
    "header-a-list": lambda good: file_of(b"[]", b""),
    "header-deep": lambda good: file_of(b'{"a":' + b"[" * 100000 + b"]" * 100000 + b"}", b""),
    "header-not-utf8": lambda good: file_of(b'{"\xff": 1}', b""),
    "pickle": lambda good: b"\x80\x04\x95\x20\0\0\0\0\0\0\0\x8c\x05posix"
                           b"\x94\x8c\x06system\x94\x93\x94\x8c\x04true\x94\x85\x94R\x94.",
    "zip-of-torch": lambda good: b"PK\3\4" + bytes(100),
    "names-twice": lambda good: file_of(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
                                        b'"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}', b""),
    "tensor-hole": header(lambda head: moved(head, 4)),
    "tensor-negative": tensor(shape=[-1]),
    "tensor-overflow": tensor(shape=[1 << 62, 1 << 62]),
    "tensor-dtype": tensor(dtype="F8_E4M3"),
    "tensor-other-dtype": lambda good: header(lambda head: head[first(head)].update(dtype="I32"))(good),
    "tensor-no-offsets": header(lambda head: head[first(head)].pop("data_offsets")),
    "tensor-renamed": header(lambda head: head.__setitem__("x", head.pop(first(head)))),
    "metadata-number": metadata("format", 1),
    "other-program": metadata("format", "pt"),
    "later-version": metadata("version", "99"),
    "version-of-lines": metadata("version", "1\n2\x1b[31m"),
    "no-spec": header(lambda head: head["__metadata__"].pop("spec")),
    "spec-no-json": metadata("spec", "{"),
    "spec-deep": metadata("spec", "[" * 100000),
    "spec-unknown-layer": spec(lambda network: network["layers"][0].update(kind="lstm\x1b[31m")),
    "spec-huge": spec(lambda network: network["layers"][0].update(units=1 << 60)),
    "spec-other-size": spec(lambda network: network["layers"][0].update(units=5)),
    "spec-huge-input": spec(lambda network: network.update(input=[1 << 62])),
    "no-preprocessing": header(lambda head: head["__metadata__"].pop("preprocessing")),
    "preprocessing-no-json": metadata("preprocessing", "["),
    "preprocessing-empty": metadata("preprocessing", "{}"),
}
