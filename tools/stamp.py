"""Names what a program and its plugins share: the bytes of the headers of some folders, and how they are compiled.

usage: stamp.py FOLDER... -- PROGRAM_CPP PLUGIN_CPP DEPFILE NAME [WORD...]

The one source defines trellis_NAME_stamp(), the other trellis_plugin_stamp(): both return the same text, where both were built
from the same headers. What a plugin with another one believes to be an object's layout is not.
"""

import hashlib
import sys
from pathlib import Path

SOURCE = """\
extern "C" __attribute__((visibility("default"))) const char* trellis_{function}_stamp() {{ return "{stamp}"; }}
"""
WITHIN = ("cpu", "cuda", "ref", "starpu", "vector")  # folders whose headers are their own affair


def main():
    end = sys.argv.index("--")
    folders, (for_program, for_plugin, depfile, name, *words) = sys.argv[1:end], sys.argv[end + 1:]
    digest = hashlib.sha256(" ".join(words).encode())
    headers = []
    for folder in (Path(folder).resolve() for folder in folders):
        for header in sorted(path for path in folder.rglob("*.h") if path.parent.name not in WITHIN):
            name_in_tree = header.relative_to(folder.parent).as_posix()
            digest.update(name_in_tree.encode() + b"\0" + header.read_bytes() + b"\0")
            headers.append(header)
    for path, function in ((for_program, name), (for_plugin, "plugin")):
        Path(path).write_text(SOURCE.format(function=function, stamp=digest.hexdigest()[:16]))
    names = " ".join(str(header).replace(" ", "\\ ") for header in headers)
    Path(depfile).write_text(f"{for_program} {for_plugin}: {names}\n")


if __name__ == "__main__":
    main()
