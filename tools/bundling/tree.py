"""The tree of a bundle, out of an installed program and the libraries that it loads."""
import os
import pathlib
import shutil

import elf

# Loaded by name when something first needs it.
LOADED_LATER = ["libxgboost.so", "libxgboost.so.0"]
# Of the source tree: what `trellis` and people read. The benchmarks look for their files beside lib/ (base/executable.h).
SOURCE_FILES = ["LICENSE", "README.md", "CHANGELOG.md", "docs/install.md", "experiments", "bench/rivals", "bench/adapt",
                "bench/quality", "bench/curves", "bench/nodes.py"]


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    elif elf.is_elf(source):
        elf.strip(source, target)
        target.chmod(0o755)
    else:
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def find(name, folders):
    for folder in folders:
        if (folder / name).exists():
            return (folder / name).resolve()
    return None


def take_installed(image, tree):
    """What Meson installed below /usr. A library is there once, under the name that programs ask for: wheels have no links."""
    libraries = next(image.glob("usr/**/libtrellis-runtime.so")).parent
    for source, target in ((image / "usr/bin", tree / "bin"), (libraries / "trellis", tree / "lib/trellis"),
                           (image / "usr/share/man", tree / "share/man")):
        for path in sorted(source.rglob("*")):
            if path.is_file():
                copy(path, target / path.relative_to(source))
    runtime = (libraries / "libtrellis-runtime.so").resolve()
    copy(runtime, tree / "lib" / elf.soname(runtime))


def carry(tree, folders):
    """Adds every library that something in the tree asks for, of the first folder that has it. Returns where each came from."""
    carried = {}
    wanted = [(name, "trellis") for name in LOADED_LATER if find(name, folders)][:1]
    for path in sorted(tree.rglob("*")):
        if elf.is_elf(path):
            wanted += [(name, path.name) for name in elf.needed(path)]
    while wanted:
        name, who = wanted.pop()
        if elf.SYSTEM.fullmatch(name) or name in carried or list((tree / "lib").rglob(name)):
            continue
        source = find(name, folders)
        if source is None:
            raise SystemExit(f"bundle: {who} needs {name}, which is in none of {', '.join(map(str, folders))}")
        carried[name] = source
        copy(source, tree / "lib" / name)
        wanted += [(other, name) for other in elf.needed(source)]
    return carried


def make_movable(tree):
    """Everything looks for its libraries relative to itself."""
    for path in sorted(tree.rglob("*")):
        if elf.is_elf(path) and elf.needed(path):
            up = os.path.relpath(tree / "lib", path.parent)
            folders = ["$ORIGIN/" + up] if up != "." else ["$ORIGIN"]
            flavour = path.stem.removeprefix("trellis-")
            if (path.parent / flavour).is_dir():
                folders.insert(0, "$ORIGIN/" + flavour)
            if path.name == "trellis-bench-starpu.so":
                folders.insert(0, "$ORIGIN/starpu-cpu")
            elf.set_folders(path, ":".join(folders))


def make(tree, image, root, folders):
    """Returns the carried libraries: name to file."""
    take_installed(image, tree)
    for name in SOURCE_FILES:
        if (root / name).exists():
            copy(root / name, tree / name)
    copy(root / "python" / "trellis", tree / "python" / "trellis")
    carried = carry(tree, [pathlib.Path(folder) for folder in folders])
    make_movable(tree)
    return carried
