"""Finds every pure task in the sources, so that a new one without a golden key is a failure."""
import re
from pathlib import Path

FOLDERS = ("base", "cli", "hpo", "kernels", "nn", "runtime", "tasks")
# These two files define what `.pure()` is. folds.h makes a pure task for each redux argument; no task of the program has one.
DEFINE_PURE = ("runtime/core/folds.h", "runtime/task.h")
# No two calls of these are equal, so that no stored answer has their keys.
NEVER_STORED = {"trellis.program"}
PURE = re.compile(r"\.pure\(\)")
TASK = re.compile(r'rt::task\(\s*("(?:[^"\\]|\\.)*"|\w+)\s*,')
HELPER = re.compile(r"\bauto\s+(\w+)\([^)]*\)\s*\{\s*$", re.MULTILINE)
REDUX = re.compile(r"\brt::redux<")


def names_in(path, text):
    """(names of the pure tasks in a file, problems). A task that a function makes is known by the calls of the function."""
    names, problems = set(), []
    for pure in PURE.finditer(text):
        where = f"{path}:{text.count(chr(10), 0, pure.start()) + 1}"
        definitions = list(TASK.finditer(text, 0, pure.start()))
        if not definitions:
            problems.append(f"{where}: a pure task, but no rt::task(NAME, VERSION) before it")
            continue
        name = definitions[-1].group(1)
        if name.startswith('"'):
            names.add(name[1:-1])
            continue
        helpers = list(HELPER.finditer(text, 0, definitions[-1].start()))
        helper = helpers[-1].group(1) if helpers else "(none)"
        calls = re.findall(rf'\b{helper}(?:<.{{0,300}}?>)?\(\s*"([^"]+)"', text, re.DOTALL)
        if not calls:
            problems.append(f"{where}: cannot tell the name of this pure task; write rt::task(\"name\", version)")
        names.update(calls)
    return names, problems


def problems(root, golden):
    """What is wrong when the sources define other pure tasks than `golden`, the tasks that have a key."""
    found, wrong = set(), []
    paths = [path for folder in FOLDERS for path in Path(root, folder).rglob("*") if path.suffix in (".cpp", ".h")]
    for path in sorted(paths):
        name = path.relative_to(root).as_posix()
        if name in DEFINE_PURE:
            continue
        text = path.read_text(encoding="utf-8")
        names, more = names_in(name, text)
        found |= names
        wrong += more
        if not name.startswith("runtime/") and REDUX.search(text):
            wrong.append(f"{name}: a redux argument makes pure tasks (runtime/core/folds.h) that have no golden key")
    wrong += [f"the pure task '{task}' has no golden key: call it in tests/golden/calls.cpp"
              for task in sorted(found - golden - NEVER_STORED)]
    wrong += [f"tests/golden/calls.cpp calls '{task}', which no source defines as pure" for task in sorted(golden - found)]
    return wrong
