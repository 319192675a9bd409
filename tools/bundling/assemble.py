#!/usr/bin/env python3
"""Makes the bundle and the wheel out of a built program, checks both and says what they ask of a system.

usage: assemble.py FOLDER --build BUILD --libraries FOLDER... [--inside ROOT] [--licences FOLDER] [--forbid TEXT...] [--cuda]

FOLDER/trellis-VERSION-x86_64.tar.gz and FOLDER/trellis_hpo-VERSION-….whl appear when everything was found right. With --cuda, an
archive and a wheel of what both need on CUDA devices appear beside them.
"""
import argparse
import gzip
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import check
import elf
import tree as trees
import wheel

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 60_000_000
LICENCES = "share/doc/trellis/licences"


def version():
    return re.search(r"version: '(.*)'", (ROOT / "meson.build").read_text(encoding="utf-8")).group(1)


def licences_of_packages(carried):
    """Texts of the Debian packages that a program of this machine was built from: those with headers, and those of the
    carried libraries."""
    names = re.findall(r"^(?:program|network|serve) +(lib\S+)", (ROOT / "tools/setup/packages.txt").read_text(encoding="utf-8"),
                       re.MULTILINE)
    files = [name for path in carried.values() for name in (str(path), str(path).removeprefix("/usr"))]
    found = subprocess.run(["dpkg", "-S", *files], capture_output=True, text=True, check=False).stdout
    names += re.findall(r"^([^:\s]+)[:,]", found, re.MULTILINE)
    return {name: pathlib.Path("/usr/share/doc", name, "copyright") for name in names}


def take_licences(tree, folder, carried):
    texts = {f"{path.parent.name}/{path.name}": path for path in sorted(folder.rglob("*")) if path.is_file()} if folder else \
        licences_of_packages(carried)
    for name, path in texts.items():
        if path.is_file():
            trees.copy(path, tree / LICENCES / name)


def owned_by_nobody(entry):
    """Tar files of one commit are equal, whoever makes them, and hold nothing that only their maker may read."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def pack(tree, files, archive):
    with open(archive, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as out:
        for path in [tree, *files]:
            out.add(path, str(path.relative_to(tree.parent)), recursive=False, filter=owned_by_nobody)


def parse(words):
    parser = argparse.ArgumentParser(prog="assemble.py")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--inside", default="", help="the folder that is / for the paths in BUILD")
    parser.add_argument("--libraries", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--licences", type=pathlib.Path)
    parser.add_argument("--forbid", nargs="*", default=[])
    parser.add_argument("--cuda", action="store_true")
    return parser.parse_args(words)


def checked(tree, files, archive, forbidden, others=elf.SYSTEM):
    """Packs files of a tree that are found right. Returns the version of the C library that they ask for, and which file does."""
    problems = check.libraries(tree, files, others) + check.names(tree, files, forbidden)
    if not problems:
        pack(tree, files, archive)
        if archive.stat().st_size > MOST_BYTES:
            problems.append(f"{archive} has {archive.stat().st_size} bytes, at most {MOST_BYTES}")
    if problems:
        archive.unlink(missing_ok=True)
        sys.exit("\n".join(f"bundle: {problem}" for problem in problems))
    return check.newest_of_libc(tree, files)


def tell(archive, made, libc, asks):
    for path in (archive, made):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    print(f"asks for a C library of {'.'.join(map(str, libc))} ({asks})")


def main(words):
    options = parse(words)
    name = f"trellis-{version()}-x86_64"
    with tempfile.TemporaryDirectory(prefix="trellis-bundle-") as work:
        tree = pathlib.Path(work, name)
        carried = trees.make(tree, options.build, options.inside, ROOT, options.libraries)
        take_licences(tree, options.licences, carried)
        archive = options.folder / f"{name}.tar.gz"
        libc, asks = checked(tree, sorted(tree.rglob("*")), archive, options.forbid)
        tell(archive, wheel.of_program(tree, ROOT, version(), libc, options.folder), libc, asks)
        print(f"carries {', '.join(sorted(carried))}; needs nothing else of the system")
        if options.cuda:
            added = trees.add_cuda(tree, options.build, options.inside, options.libraries)
            archive = options.folder / f"trellis-cuda-{version()}-x86_64.tar.gz"
            libc, asks = checked(tree, added, archive, options.forbid, elf.NVIDIA)
            release = trees.cuda_release(added)
            tell(archive, wheel.of_cuda(tree, added, release, version(), libc, options.folder), libc, asks)
            print(f"is unpacked over the first; needs NVIDIA's libraries of CUDA {release}")


if __name__ == "__main__":
    main(sys.argv[1:])
