#!/usr/bin/env python3
"""Makes a Debian package out of a bundle: trellis_VERSION_amd64.deb, which needs nothing but the C library.

usage: deb.py BUNDLE.tar.gz FOLDER
"""
import gzip
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import check  # noqa: E402  the folder is known only now

ROOT = pathlib.Path(__file__).resolve().parents[3]
MAINTAINER = "The Trellis authors <trellis@example.org>"
REVISION = "0trellis1"
# Of all files, so that packages of one commit are equal.
DATE = 1577836800
# What serves an unpacked bundle alone.
LEFT_OUT = ("LICENSE", "README.md", "CHANGELOG.md", "docs", "share")

CONTROL = """Package: trellis
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Installed-Size: {size}
Depends: libc6 (>= {libc})
Recommends: python3
Section: science
Priority: optional
Description: search for hyperparameters and networks
 From one YAML file, Trellis finds the best network and reports its score on
 data that the search never saw. It searches hyperparameters and trains
 networks as one graph of tasks on every core of a machine, and resumes after
 a crash.
 .
 The package carries the numerical libraries that its results depend on, so
 that they are the same on every system.
"""

OVERRIDES = """# The bits of the results depend on the libraries, so they are carried.
trellis: embedded-library
# Small parts of carried libraries call nothing of the C library.
trellis: shared-library-lacks-prerequisites
trellis: library-not-linked-against-libc
# It is small, and one is started for each trial.
trellis: statically-linked-binary [usr/lib/trellis/bin/trellis-supervise]
# A data set as it is in the sources.
trellis: package-contains-timestamped-gzip
"""


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(0o644)


def packed(text):
    return gzip.compress(text if isinstance(text, bytes) else text.encode(), 9, mtime=0)


def copyright_of(tree):
    """Ours, then which texts go with which carried library."""
    text = "Trellis:\n\n" + (tree / "LICENSE").read_text(encoding="utf-8")
    folder = tree / "share/doc/trellis/licences"
    if folder.is_dir():
        text += "\nIn /usr/lib/trellis/licences are the licences of the libraries that are carried in /usr/lib/trellis/lib:\n\n"
        text += "".join(f"  {name.relative_to(folder)}\n" for name in sorted(folder.rglob("*")) if name.is_file())
    return text


def lay_out(tree, image, version):
    """The tree in /usr/lib, a program in PATH, the page of the manual and Debian's own files."""
    home = image / "usr/lib/trellis"
    home.parent.mkdir(parents=True)
    licences = tree / "share/doc/trellis/licences"
    texts = copyright_of(tree)
    manual = (tree / "share/man/man1/trellis.1").read_bytes()
    news = (tree / "CHANGELOG.md").read_bytes()
    keep = [path for path in sorted(tree.iterdir()) if path.name not in LEFT_OUT]
    home.mkdir()
    for path in keep:
        path.rename(home / path.name)
    if licences.is_dir():
        licences.rename(home / "licences")
    documents = image / "usr/share/doc/trellis"
    write(documents / "copyright", texts)
    write(documents / "changelog.gz", packed(news))
    entry = f"trellis ({version}) unstable; urgency=medium\n\n  * The bundle of this version.\n\n"
    date = subprocess.run(["date", "-R", "-u", "-d", f"@{DATE}"], check=True, capture_output=True, text=True).stdout
    write(documents / "changelog.Debian.gz", packed(entry + f" -- {MAINTAINER}  {date}"))
    write(image / "usr/share/man/man1/trellis.1.gz", packed(manual))
    write(image / "usr/share/lintian/overrides/trellis", OVERRIDES)
    (image / "usr/bin").mkdir(parents=True)
    (image / "usr/bin/trellis").symlink_to("../lib/trellis/bin/trellis")


def make(archive, folder):
    with tempfile.TemporaryDirectory(prefix="trellis-deb-") as work:
        with tarfile.open(archive) as packed_tree:
            packed_tree.extractall(work)
        tree = next(path for path in pathlib.Path(work).iterdir() if path.is_dir())
        version = re.fullmatch(r"trellis-(.+)-x86_64", tree.name).group(1) + "-" + REVISION
        libc = ".".join(map(str, check.newest_of_libc(tree)[0]))
        image = pathlib.Path(work, "image")
        lay_out(tree, image, version)
        files = [path for path in sorted(image.rglob("*")) if path.is_file() and not path.is_symlink()]
        sums = subprocess.run(["md5sum", *[str(path.relative_to(image)) for path in files]], cwd=image, check=True,
                              capture_output=True, text=True).stdout
        size = sum(path.stat().st_size for path in files) // 1024 + 1
        write(image / "DEBIAN/md5sums", sums)
        write(image / "DEBIAN/control", CONTROL.format(version=version, maintainer=MAINTAINER, size=size, libc=libc))
        for path in image.rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
            elif ".so" in path.name:
                path.chmod(0o644)
            os.utime(path, (DATE, DATE), follow_symlinks=False)
        made = folder / f"trellis_{version}_amd64.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(image), str(made)], check=True,
                       stdout=subprocess.DEVNULL)
    return made


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
