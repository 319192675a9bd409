#!/usr/bin/env python3
"""The binary interface of libtrellis-runtime is the stored one: a program that was built against it still runs.

usage: abi.py ROOT

Builds the runtime alone with whole debug information and compares it by abidiff with abi.xml.xz. The names in abi.suppressions
do not count. After an intended change, docs/runtime.md ("Versions") says which number to raise;
TRELLIS_REWRITE=1 writes the new interface.
"""
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SUPPRESSIONS = HERE / "abi.suppressions"
STORED = HERE / "abi.xml.xz"
# abidiff's exit status is a sum: 1 and 2 are errors of its own, 4 a change, 8 one that breaks programs.
ERRORS, CHANGE = 3, 4

# Of a program that would break: a member that moves. Of one that would not: a name that does not count.
SAMPLES = [
    ("struct Made { int a, b; }; int sum(const Made& m) { return m.b; }",
     "struct Made { long a, b; }; int sum(const Made& m) { return m.b; }", True),
    ("namespace detail { int hidden(int x) { return x; } } int sum(int x) { return detail::hidden(x); }",
     "int sum(int x) { return x; }", False),
]


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def interface(library, output):
    run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--suppressions", SUPPRESSIONS,
        "--out-file", output, library)


def difference(before, after):
    """What abidiff says of a change, or nothing. What does not count is in neither file, and what is new breaks nobody."""
    done = subprocess.run(["abidiff", "--no-added-syms", before, after], capture_output=True, text=True, check=False)
    if done.returncode & ERRORS:
        sys.exit(f"abidiff ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout if done.returncode & CHANGE else ""


def check_itself(folder):
    for number, (before, after, breaks) in enumerate(SAMPLES):
        interfaces = []
        for name, text in (("before", before), ("after", after)):
            source = folder / f"{name}{number}.cpp"
            source.write_text(f"namespace rt::inline v0 {{ {text} }}\n")
            library = source.with_suffix(".so")
            run("c++", "-std=c++20", "-g", "-shared", "-fPIC", "-Wl,-soname,libsample.so", source, "-o", library)
            interfaces.append(source.with_suffix(".xml"))
            interface(library, interfaces[-1])
        assert bool(difference(*interfaces)) == breaks, f"sample {number}: {difference(*interfaces)}"


def built(root, folder):
    build = folder / "build"
    environment = dict(os.environ, CCACHE_BASEDIR=root, CCACHE_NOHASHDIR="1")
    run("meson", "setup", build, root, "-Dprogram=disabled", "-Dcuda=disabled", "--buildtype=debug", "--prefix=/usr",
        "--libdir=lib", "--unity", "on", "--unity-size", "12", env=environment)
    run("meson", "compile", "-C", build, "trellis-runtime", env=environment)
    return build / "runtime" / "libtrellis-runtime.so"


def main():
    root, = sys.argv[1:]
    if shutil.which("abidiff") is None or shutil.which("abidw") is None:
        print("skipped: abidiff (abigail-tools) is not installed, so nothing is known of the binary interface")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="trellis-abi-") as name:
        folder = pathlib.Path(name)
        check_itself(folder)
        now, stored = folder / "now.xml", folder / "stored.xml"
        interface(built(root, folder), now)
        if os.environ.get("TRELLIS_REWRITE"):
            STORED.write_bytes(lzma.compress(now.read_bytes(), preset=9))
            print(f"wrote {STORED.name}, {STORED.stat().st_size} bytes")
            return
        stored.write_bytes(lzma.decompress(STORED.read_bytes()))
        changes = difference(stored, now)
        if changes:
            sys.exit(f"{changes}\nThe binary interface changed. If that is intended, raise the number that docs/runtime.md "
                     "(\"Versions\") names, and write it with TRELLIS_REWRITE=1.")
        print("the binary interface is the stored one")


if __name__ == "__main__":
    main()
