"""The tree of a bundle, out of a built program and the libraries that it loads."""
import json
import os
import pathlib
import re
import shutil

import elf

# Meson's tags of what is installed and not for those who compile against it.
PARTS = ("runtime", "library", "man")
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


def take_built(build, root, tree, cuda):
    """What `meson install` would install of a build folder whose paths are those inside of `root`: what is for CUDA devices, or
    the rest. It is taken from there and not installed, since Meson changes where libraries are looked for in a way that can cut
    the name of a symbol short (elf.py). What asks for SimGrid stays out. A library is there once, under the name that programs
    ask for: wheels have no links."""
    plan = json.loads((build / "meson-info/intro-install_plan.json").read_text(encoding="utf-8"))
    for kind in ("targets", "data"):
        for source, entry in plan.get(kind, {}).items():
            target = re.sub(r"^\{(lib|bin)\w*\}", r"\1", entry["destination"]).replace("{mandir}", "share/man")
            if entry["tag"] not in PARTS or "simgrid" in target or ("cuda" in target) != cuda:
                continue
            found = pathlib.Path(root + source)
            if target.startswith("lib/libtrellis-runtime"):
                target = "lib/" + elf.soname(found)
            copy(found, tree / target)


def carry(tree, folders, others=elf.SYSTEM):
    """Adds every library that something in the tree asks for and `others` do not bring, of the first folder that has it. Returns
    where each came from."""
    carried = {}
    wanted = [(name, "trellis") for name in LOADED_LATER if find(name, folders)][:1]
    for path in sorted(tree.rglob("*")):
        if elf.is_elf(path):
            wanted += [(name, path.name) for name in elf.needed(path)]
    while wanted:
        name, who = wanted.pop()
        if elf.SYSTEM.fullmatch(name) or others.fullmatch(name) or name in carried or list((tree / "lib").rglob(name)):
            continue
        source = find(name, folders)
        if source is None:
            raise SystemExit(f"bundle: {who} needs {name}, which is in none of {', '.join(map(str, folders))}")
        carried[name] = source
        copy(source, tree / "lib" / name)
        wanted += [(other, name) for other in elf.needed(source)]
    return carried


def make_movable(tree, files, more=()):
    """Each file looks for its libraries relative to itself, and then in the folders `more`."""
    for path in files:
        if elf.is_elf(path) and elf.needed(path):
            up = os.path.relpath(tree / "lib", path.parent)
            folders = ["$ORIGIN/" + up] if up != "." else ["$ORIGIN"]
            folders += ["$ORIGIN/" + os.path.relpath(folder, path.parent) for folder in more]
            flavour = path.stem.removeprefix("trellis-")
            if (path.parent / flavour).is_dir():
                folders.insert(0, "$ORIGIN/" + flavour)
            if path.name == "trellis-bench-starpu.so":
                folders.insert(0, "$ORIGIN/starpu-cpu")
            elf.set_folders(path, ":".join(folders))


def make(tree, build, inside, sources, folders):
    """Returns the carried libraries: name to file."""
    take_built(build, inside, tree, cuda=False)
    for name in SOURCE_FILES:
        if (sources / name).exists():
            copy(sources / name, tree / name)
    copy(sources / "python" / "trellis", tree / "python" / "trellis")
    carried = carry(tree, folders)
    make_movable(tree, sorted(tree.rglob("*")))
    return carried


def add_cuda(tree, build, inside, folders):
    """Adds what runs on CUDA devices, and returns its files. NVIDIA's libraries are the system's, or those of NVIDIA's wheels
    beside the program's own."""
    before = set(tree.rglob("*"))
    take_built(build, inside, tree, cuda=True)
    carry(tree, folders, elf.NVIDIA)
    added = sorted(set(tree.rglob("*")) - before)
    packages = tree.parent.parent / "nvidia"
    make_movable(tree, added, [packages / f"cu{cuda_release(added)}" / "lib", packages / "cudnn" / "lib"])
    return added


def cuda_release(files):
    """The CUDA release that files were built with, 13 for example."""
    asked = [name for path in files if elf.is_elf(path) for name in elf.needed(path)]
    return max((int(name.rpartition(".")[2]) for name in asked if name.startswith("libcublas.so.")), default=0)
