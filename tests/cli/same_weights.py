#!/usr/bin/env python3
"""Two models have the same tensors, and texts that differ in their verdicts alone: what a network is compared with is no part
of it.

usage: same_weights.py MODEL MODEL"""
import json
import pathlib
import struct
import sys


def parts(path):
    content = pathlib.Path(path).read_bytes()
    length, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    header["__metadata__"].pop("verdict", None)
    return header, content[8 + length:]


if __name__ == "__main__":
    sys.exit(0 if parts(sys.argv[1]) == parts(sys.argv[2]) else f"{sys.argv[1]} and {sys.argv[2]} differ")
