"""The wheels: the Python package with the bundle's program in it, and what that needs on CUDA devices."""
import base64
import hashlib
import os
import re
import zipfile

# What the package has no use for.
LEFT_OUT = ("python/", "README.md", "CHANGELOG.md", "LICENSE", "docs/")

START = """#!python
\"\"\"Becomes the program of the package; the package itself is not imported, which would take as long as a short call.\"\"\"
import importlib.util
import os
import sys

program = os.path.join(importlib.util.find_spec("trellis").submodule_search_locations[0], "_program", "bin", "trellis")
os.execv(program, [program, *sys.argv[1:]])
"""


def field(project, name):
    return re.search(rf'^{name} = "(.*)"', project, re.MULTILINE).group(1)


def of_program(tree, root, version, libc, folder):
    """Writes FOLDER/trellis_hpo-VERSION-….whl and returns its path."""
    files = {}
    for path in sorted(tree.rglob("*")):
        relative = str(path.relative_to(tree))
        if path.is_file():
            if relative.startswith("python/trellis/"):
                files[relative.removeprefix("python/")] = path
            elif not relative.startswith(LEFT_OUT):
                files[f"trellis/_program/{relative}"] = path
    project = (root / "python/pyproject.toml").read_text(encoding="utf-8")
    metadata = [f"Summary: {field(project, 'description')}", f"Requires-Python: {field(project, 'requires-python')}",
                "Description-Content-Type: text/markdown"]
    return write(folder, field(project, "name"), version, libc, metadata, files,
                 {"data/scripts/trellis": START, "dist-info/LICENSE": (root / "LICENSE").read_text(encoding="utf-8")},
                 (root / "python/README.md").read_text(encoding="utf-8"))


def of_cuda(tree, files, release, version, libc, folder):
    """Writes FOLDER/trellis_hpo_cuda-VERSION-….whl and returns its path: files that go beside those of the other wheel."""
    metadata = ["Summary: What trellis-hpo needs on CUDA devices", f"Requires-Dist: trellis-hpo=={version}"]
    metadata += [f"Requires-Dist: {name}" for name in packages_of_nvidia(release)]
    return write(folder, "trellis-hpo-cuda", version, libc, metadata,
                 {f"trellis/_program/{path.relative_to(tree)}": path for path in files if path.is_file()}, {})


def packages_of_nvidia(release):
    """Wheels that bring NVIDIA's libraries of a CUDA release, 13 or newer: those before it lie in other folders."""
    return [f"cuda-toolkit[cublas,cudart,cusolver,cusparse]>={release},<{release + 1}", f"nvidia-cudnn-cu{release}"]


def write(folder, project, version, libc, metadata, files, texts, description=""):
    name = f"{project.replace('-', '_')}-{version}"
    tag = f"py3-none-manylinux_{libc[0]}_{libc[1]}_x86_64"
    wheel = folder / f"{name}-{tag}.whl"
    metadata = ["Metadata-Version: 2.1", f"Name: {project}", f"Version: {version}", "License: MIT", *metadata, "", ""]
    texts = {**texts, "dist-info/METADATA": "\n".join(metadata) + description,
             "dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: trellis\nRoot-Is-Purelib: false\nTag: {tag}\n"}
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def add(inside, content, mode):
            entry = zipfile.ZipInfo(inside, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{inside},sha256={digest},{len(content)}")
        for inside, path in files.items():
            add(inside, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        for inside, text in texts.items():
            add(f"{name}.{inside}", text.encode(), 0o755 if "scripts" in inside else 0o644)
        record.append(f"{name}.dist-info/RECORD,,")
        archive.writestr(zipfile.ZipInfo(f"{name}.dist-info/RECORD", (2020, 1, 1, 0, 0, 0)), "\n".join(record) + "\n")
    return wheel
