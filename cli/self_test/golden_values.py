#!/usr/bin/env python3
"""Writes the checksums of the self-test that tests/golden/keys.json keeps as a C++ source.

usage: golden_values.py KEYS_JSON OUTPUT
"""
import json
import sys
from pathlib import Path

SOURCE = """\
#include "cli/self_test/golden.h"

namespace cli {{

std::span<const GoldenValue> golden_values() {{
  {values}
}}

}}  // namespace cli
"""
PART = "exports/self-test "


def main():
    keys, output = sys.argv[1:]
    entries = json.loads(Path(keys).read_text(encoding="utf-8"))["entries"]
    rows = [(name.removeprefix(PART), value) for name, value in entries.items() if name.startswith(PART)]
    values = "".join(f"{{{json.dumps(isa)}, {json.dumps(entries['arithmetic/' + isa])}, {json.dumps(checksum)}}}, "
                     for isa, checksum in rows)
    body = f"static constexpr GoldenValue kValues[] = {{{values}}};\n  return kValues;" if rows else "return {};"
    Path(output).write_text(SOURCE.format(values=body), encoding="utf-8")


if __name__ == "__main__":
    main()
