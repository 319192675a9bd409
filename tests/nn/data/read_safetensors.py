"""Prints a safetensors file as JSON, read without any code of ours.

With Python's own `safetensors` where it is installed, and always with the few lines below, written
from the format's description; both must agree.
"""

import importlib.util
import json
import struct
import sys


def read_by_hand(path):
    with open(path, "rb") as f:
        content = f.read()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    data = content[8 + length :]
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        code = {"F32": "f", "I32": "i", "U8": "B"}[entry["dtype"]]
        size = struct.calcsize(code)
        values = struct.unpack("<%d%s" % ((end - begin) // size, code), data[begin:end])
        tensors[name] = {"shape": entry["shape"], "values": list(values)}
    return {"metadata": metadata, "tensors": tensors}


def read_by_library(path):
    import safetensors

    with safetensors.safe_open(path, framework="numpy") as f:
        tensors = {}
        for name in f.keys():
            array = f.get_tensor(name)
            tensors[name] = {"shape": list(array.shape), "values": array.ravel().tolist()}
        return {"metadata": f.metadata() or {}, "tensors": tensors}


def main():
    content = read_by_hand(sys.argv[1])
    if None in (importlib.util.find_spec("numpy"), importlib.util.find_spec("safetensors")):
        print("read by hand only: the module safetensors is not installed", file=sys.stderr)
    else:
        assert read_by_library(sys.argv[1]) == content
    print(json.dumps(content, sort_keys=True))


main()
