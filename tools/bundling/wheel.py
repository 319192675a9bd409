"""The wheel: the Python package with the bundle's program in it."""
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


def metadata(root, version):
    project = (root / "python/pyproject.toml").read_text(encoding="utf-8")
    lines = ["Metadata-Version: 2.1", f"Name: {field(project, 'name')}", f"Version: {version}",
             f"Summary: {field(project, 'description')}", f"Requires-Python: {field(project, 'requires-python')}",
             "License: MIT", "Description-Content-Type: text/markdown", "", ""]
    return "\n".join(lines) + (root / "python/README.md").read_text(encoding="utf-8")


def make(tree, root, version, libc, folder):
    """Writes FOLDER/trellis_hpo-VERSION-….whl and returns its path."""
    name = f"trellis_hpo-{version}"
    tag = f"py3-none-manylinux_{libc[0]}_{libc[1]}_x86_64"
    wheel = folder / f"{name}-{tag}.whl"
    files = {}
    for path in sorted(tree.rglob("*")):
        relative = str(path.relative_to(tree))
        if path.is_file():
            if relative.startswith("python/trellis/"):
                files[relative.removeprefix("python/")] = path
            elif not relative.startswith(LEFT_OUT):
                files[f"trellis/_program/{relative}"] = path
    texts = {f"{name}.data/scripts/trellis": START,
             f"{name}.dist-info/METADATA": metadata(root, version),
             f"{name}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: trellis\nRoot-Is-Purelib: false\nTag: {tag}\n",
             f"{name}.dist-info/LICENSE": (root / "LICENSE").read_text(encoding="utf-8")}
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
            add(inside, text.encode(), 0o755 if "scripts" in inside else 0o644)
        record.append(f"{name}.dist-info/RECORD,,")
        archive.writestr(zipfile.ZipInfo(f"{name}.dist-info/RECORD", (2020, 1, 1, 0, 0, 0)), "\n".join(record) + "\n")
    return wheel
