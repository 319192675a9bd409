#!/usr/bin/env python3
"""Pages: each path of the project that a page names is there; each test that `docs/features.md` shows a feature by, too; each
study of `experiments/` is one that the suite runs."""
import fnmatch
import posixpath
import re

import house

FOLDERS = house.CODE + ("docs", "experiments", "tools", "python")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)*/?")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
GTEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)")
# A part of several files is named without their ending: `tasks/supervised`.
ENDINGS = ("", ".h", ".cpp", ".cu", ".py")


class Places:
    """Which paths are there, folders included."""

    def __init__(self, tree):
        self._all = set(tree.paths)
        for path in tree.paths:
            while path := posixpath.dirname(path):
                self._all.add(path)

    def has(self, path):
        path = posixpath.normpath(path)
        if "*" in path:
            return any(fnmatch.fnmatchcase(known, path) for known in self._all)
        return any(path + ending in self._all for ending in ENDINGS)


def missing_paths(tree, places):
    """Of the project or of the page's own folder; the changelog tells of what was, too."""
    for page in tree.paths:
        if not page.endswith(".md") or page == "CHANGELOG.md":
            continue
        for span in CODE_SPAN.findall(BLOCK.sub("", tree.text(page))):
            for word in span.split():
                ours = word.split("/")[0] in FOLDERS and "/" in word and PATH.fullmatch(word)
                there = places.has(word) or places.has(posixpath.join(posixpath.dirname(page), word))
                if ours and not re.search(r"\b[A-Z]{4,}\b(?!\.md)", word) and not there:
                    yield f"{page}: there is no {word}"


def features(text):
    """(feature, what Trellis has, the names of what shows it, whether it points to the row above) of each row."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 4 and "**" in cells[2]:
            yield cells[1], cells[2], CODE_SPAN.findall(cells[3]), "the same" in cells[3]


def missing_tests(tree, places, page="docs/features.md"):
    """What is named as showing a feature and is not there; features that nothing shows."""
    if page not in tree.paths:
        return
    tests = {".".join(test) for path in tree.cpp(("tests",)) for test in GTEST.findall(tree.text(path))}
    commands = tree.text("tests/cli/meson.build") if "tests/cli/meson.build" in tree.paths else ""
    for feature, state, names, as_above in features(tree.text(page)):
        shown, folder = as_above, ""
        for name in names:
            if name.startswith("tests/"):  # whether it is there is asked of all pages
                shown, folder = True, name if name.endswith("/") else posixpath.dirname(name)
            elif re.fullmatch(r"\w+_test\.cpp|\w+\.(transcript|h|py)", name):
                shown = True
                if not places.has(posixpath.join(folder, name)):
                    yield f"{page}, {feature}: there is no {name} in {folder or 'any folder that it names'}"
            elif re.fullmatch(r"[A-Z]\w*\.[A-Z]\w*", name):
                shown = True
                if name not in tests:
                    yield f"{page}, {feature}: there is no test {name}"
            elif name.startswith("cli-"):
                shown = True
                if f"'{name}'" not in commands and not places.has(f"tests/cli/transcripts/{name[4:]}.transcript"):
                    yield f"{page}, {feature}: there is no test {name}"
        if "Y" in state and not shown:
            yield f"{page}, {feature}: {state} without a test that shows it"


def missing_experiments(tree):
    """Studies that the suite leaves out."""
    for path in tree.paths:
        if not re.fullmatch(r"experiments/[^/]+\.yaml", path):
            continue
        name = posixpath.basename(path)[:-len(".yaml")]
        for list_of, word in (("tests/experiments/meson.build", f"'{name}'"), ("tests/experiments/short.py", f'"{name}": ')):
            if list_of not in tree.paths or word not in tree.text(list_of):
                yield f"{path}: {list_of} has no {word.rstrip(': ')}, so no test runs it"


def check(tree):
    places = Places(tree)
    return [*missing_paths(tree, places), *missing_tests(tree, places), *missing_experiments(tree)]


def page_of_features(shown, state="**Y**"):
    head = "| feature | Trellis | shown by | Opt |\n|---|---|---|---|\n"
    return {"docs/features.md": f"{head}| grid | {state} | {shown} | Y |\n"}


TESTS = {"tests/nn/a_test.cpp": "TEST_F(Grid,\n       Ends) {}\n", "tests/nn/b_test.cpp": "",
         "tests/cli/meson.build": "test('cli-x')", "tests/cli/transcripts/y.transcript": ""}
SAMPLES = [
    ({"README.md": "`nn/a.h`, `nn/a`, `nn/`, `nn/*.h`, `nn/NAME.cpp`, `runs/x`, `a/b`\n```\nnn/b.h `nn/b.h`\n```\n",
      "nn/a.h": "", "tests/README.md": "`nn/c.py`", "tests/nn/c.py": ""}, []),
    ({"nn/README.md": "`nn/b.h` `python3 tests/c.py`\n", "nn/a.h": "", "CHANGELOG.md": "`nn/b.h`\n"},
     ["no nn/b.h", "no tests/c.py"]),
    ({**page_of_features("`tests/nn/a_test.cpp`, `b_test.cpp`, `Grid.Ends`, `cli-x`, `cli-y`"), **TESTS}, []),
    ({**page_of_features("`tests/nn/c_test.cpp`, `d_test.cpp`"), **TESTS},
     ["no tests/nn/c_test.cpp", "no d_test.cpp"]),
    ({**page_of_features("`Grid.Begins`, `cli-z`"), **TESTS}, ["no test Grid.Begins", "no test cli-z"]),
    (page_of_features("`method: grid`"), ["without a test"]),
    (page_of_features("not yet", "**-**"), []),
    ({"experiments/a-b.yaml": "", "tests/experiments/meson.build": "'a-b'", "tests/experiments/short.py": '"a-b": f'}, []),
    ({"experiments/a-b.yaml": "", "tests/experiments/meson.build": "'a'", "tests/experiments/short.py": '"a-b-c": f'},
     ["meson.build has no 'a-b'", 'short.py has no "a-b"']),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
