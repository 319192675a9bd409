#!/usr/bin/env python3
"""Installs the headers that <trellis/runtime.h> needs into INCLUDE/trellis, with whole paths from there in their includes: so one
folder is searched, and a program may have a base/error.h of its own.

usage: install_headers.py SOURCE INCLUDE FIRST HEADER...     FIRST: the one to include, which becomes trellis/runtime.h"""
import os
import pathlib
import re
import sys

OURS = re.compile(r'^(#include )"((?:base|runtime)/[^"]+)"', re.MULTILINE)


def main():
    source, include, first, *headers = sys.argv[1:]
    target = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], include, "trellis")
    for header, place in [(first, target / "runtime.h"), *((header, target / header) for header in headers)]:
        text = OURS.sub(r'\1"trellis/\2"', pathlib.Path(source, header).read_text(encoding="utf-8"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
