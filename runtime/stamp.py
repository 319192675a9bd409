"""Names what the runtime and its plugins share: the bytes of every header of this folder, and how they are compiled.

usage: stamp.py RUNTIME_CPP PLUGIN_CPP DEPFILE [WORD...]

Each of the two sources defines a function that returns the name. A plugin whose name is another one was built from other
headers: what it believes to be an object's layout is not.
"""

import hashlib
import sys
from pathlib import Path

SOURCE = """\
extern "C" __attribute__((visibility("default"))) const char* {function}() {{ return "{stamp}"; }}
"""


def main():
    for_runtime, for_plugin, depfile, *words = sys.argv[1:]
    folder = Path(__file__).resolve().parent
    headers = sorted(path for path in folder.rglob("*.h") if path.parent.name != "starpu")
    digest = hashlib.sha256(" ".join(words).encode())
    for header in headers:
        digest.update(header.relative_to(folder).as_posix().encode() + b"\0" + header.read_bytes() + b"\0")
    for path, function in ((for_runtime, "trellis_runtime_stamp"), (for_plugin, "trellis_plugin_stamp")):
        Path(path).write_text(SOURCE.format(function=function, stamp=digest.hexdigest()[:16]))
    names = " ".join(str(header).replace(" ", "\\ ") for header in headers)
    Path(depfile).write_text(f"{for_runtime} {for_plugin}: {names}\n")


if __name__ == "__main__":
    main()
