#!/usr/bin/env python3
"""Scripts: shell that runs in any POSIX sh (dash) and passes shellcheck, Python that compiles and passes
pyflakes, all executable."""
import os
import shutil
import subprocess

import house


def first_line(tree, path):
    text = tree.text(path)
    return text.split("\n", 1)[0] if text else ""


def complaints(command, tree):
    done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else (done.stdout + done.stderr).strip().split("\n")


def check_shell(tree, path, shebang):
    dialect = "bash" if "bash" in shebang else "sh"
    found = complaints([shutil.which("dash") or "sh" if dialect == "sh" else "bash", "-n", path], tree)
    if not found and shutil.which("shellcheck"):
        found = complaints(["shellcheck", "-x", "-P", ".", "-s", dialect, "-f", "gcc", path], tree)
    return [f"{path}: {line}" for line in found]


def check_python(tree, path):
    try:
        compile(tree.text(path), path, "exec")
    except SyntaxError as error:
        return [f"{path}: {error}"]
    return complaints(["pyflakes3", path], tree) if shutil.which("pyflakes3") else []


def check(tree):
    problems = []
    for path in tree.paths:
        shebang = first_line(tree, path)
        runs = shebang.startswith("#!")
        if path.endswith(".sh") or (runs and shebang.split("/")[-1].split()[-1] in ("sh", "bash")):
            problems += check_shell(tree, path, shebang)
        elif path.endswith(".py") or (runs and "python" in shebang):
            problems += check_python(tree, path)
        if runs and not os.access(os.path.join(tree.root, path), os.X_OK) and not path.startswith("tests/meta/"):
            problems.append(f"{path}: starts with #! but is not executable")
    return problems


SAMPLES = [
    ({"tests/meta/a": "#!/bin/sh\nif true; then\n"}, ["tests/meta/a:"]) if not shutil.which("dash") else
    ({"tests/meta/a.sh": "#!/bin/sh\necho $(\n"}, ["a.sh"]),
    ({"tools/a.py": "def f(:\n"}, ["a.py"]),
    ({"tools/a": "#!/bin/sh\necho\n"}, ["not executable"]),
]
if shutil.which("shellcheck"):
    SAMPLES.append(({"tests/meta/a.sh": '#!/bin/sh\nset -eu\nrm -r $1\n'}, ["SC2086"]))
if shutil.which("pyflakes3"):
    SAMPLES.append(({"tools/a.py": "import os\n\n\ndef f():\n    return hashlib\n"}, ["imported but unused", "undefined name"]))

if __name__ == "__main__":
    house.run(check, SAMPLES)
