"""Values, names and files that try to become something else: nothing is executed, nothing lies outside the run folder.

usage: hostile_values.py BUILD_CLI_FOLDER
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOUCH = "touch canary"
VALUES = [
    f"$({TOUCH})", f"`{TOUCH}`", f"; {TOUCH}", f"&& {TOUCH}", f"|| {TOUCH}", f"| {TOUCH}", f"& {TOUCH} &", f"\n{TOUCH}\n",
    f"\r\n{TOUCH}\r\n", f"'; {TOUCH}; '", f'"; {TOUCH}; "', f"\\'; {TOUCH} #", f"${{IFS}}{TOUCH}", f"$(({TOUCH}))", f"<({TOUCH})",
    f">({TOUCH})", "> canary", ">> canary", "< /etc/passwd", "2>&1 > canary", f"x=$({TOUCH}) y", f"{{{TOUCH},x}}", "~", "~root",
    "*", "?", "[a-z]*", "!!", "!-1", "^x^y", "#", "# comment", "%s%s%n", "%d", "\\", "\\\\", "\\x41", "'", '"', "'\"'", "''",
    " ", "  leading", "trailing  ", "\t", "a\tb", "a b c", "-rf", "--", "-", "-o canary", "--output=canary", "=", "a=b", "$HOME",
    "${HOME}", "$$", "$", "$1", "$@", "../../canary", "/etc/passwd", "..", ".", "/", "//", "a/b", "file:///etc/passwd",
    "\x01\x02\x1b[2J",
    "\x7f", "é", "☃", "\u202e", "𝕏", "\ufeff", "null", "true", "1e-5", "0x10", "{}", "[]", "{\"a\": 1}",
    "<script>alert(1)</script>",
    "'; DROP TABLE trials; --", "&x", "*x", "!!python/object:os.system", "x" * 100_000,
]
NAMES = ["../canary", "/tmp/canary", "a/b", "..", ".", "-rf", f"$({TOUCH})", "a b", "a\nb", "é", "x" * 65, ""]
PROGRAM = 'printf \'%s\\0\' "$@" > "$TRELLIS_TRIAL_DIR/words"\necho \'{"loss": 1}\' >> "$TRELLIS_METRICS"\n'


def quoted(text):
    """A text as YAML: JSON's escapes, and doubled dollars."""
    return json.dumps(text.replace("$", "$$"), ensure_ascii=not text.isprintable())


class Place:
    def __init__(self, programs, folder):
        self.trellis = str(Path(programs).resolve() / "trellis")
        self.folder = Path(folder) / "inside"
        self.folder.mkdir()
        (self.folder / "prog.sh").write_text(PROGRAM)
        self.files = {"prog.sh"}

    def study(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        self.files.add(name)
        return "./" + name

    def run(self, *words):
        done = subprocess.run([self.trellis, *words], cwd=self.folder, capture_output=True, timeout=120)
        assert done.returncode >= 0, f"{words}: killed by signal {-done.returncode}"
        return done

    def check_nothing_outside(self, what):
        there = {path.name for path in self.folder.iterdir()} - {"runs"}
        assert there == self.files, f"{what}: files outside the run folder: {sorted(there - self.files)}"
        assert [path.name for path in self.folder.parent.iterdir()] == ["inside"], f"{what}: files above the folder"
        canaries = list(self.folder.rglob("canary"))
        assert not canaries, f"{what}: executed: {canaries}"


def values(place):
    text = ("name: values\ncommand: [sh, prog.sh, $v, '--flag=$v', '${v}${v}', $args]\nmetric: {name: loss, goal: minimize}\n"
            f"method: grid\nparameters:\n  v: {{values: [{', '.join(quoted(value) for value in VALUES)}]}}\n  w: {{value: 1}}\n")
    # Twice 100,000 bytes are more than a word can have.
    text = text.replace("'${v}${v}', ", "")
    done = place.run("sweep", place.study("values.yaml", text), "--quiet")
    assert done.returncode == 0, done.stderr
    rows = json.loads(place.run("trials", "values", "--json").stdout)
    assert len(rows) == len(VALUES), f"{len(rows)} trials of {len(VALUES)} values"
    for row in rows:
        value = row["params"]["v"]
        assert row["state"] == "complete", (row["state"], row["cause"], value[:80])
        words = (place.folder / f"runs/values/trials/{row['trial']:04}/words").read_bytes().split(b"\0")
        wanted = [value, "--flag=" + value, "--w=1", ""]
        assert words == [word.encode() for word in wanted], f"{value[:80]!r} arrived as {words[0][:80]!r}"
    assert {row["params"]["v"] for row in rows} == set(VALUES)
    place.check_nothing_outside("values")


def refused(place, name, text, why):
    done = place.run("sweep", place.study(name, text))
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    assert done.returncode == 3 and len(lines) == 1, f"{why}: exit code {done.returncode}, {lines[:3]}"
    place.check_nothing_outside(why)


def refusals(place):
    head = "command: [sh, prog.sh, $v]\nmetric: {name: loss, goal: minimize}\n"
    refused(place, "nul.yaml", head + 'parameters: {v: {value: "a\\0b"}}\n', "NUL")
    refused(place, "long.yaml", head + f"parameters: {{v: {{value: \"{'x' * 500_000}\"}}}}\n", "half a megabyte")
    refused(place, "megabyte.yaml", head + f"parameters: {{v: {{value: \"{'x' * 1_100_000}\"}}}}\n", "a megabyte")
    refused(place, "utf8.yaml", (head + 'parameters: {v: {value: "').encode() + b"\xff\xfe" + b'"}}\n', "invalid UTF-8")
    for number, name in enumerate(NAMES):
        refused(place, f"name{number}.yaml", f"name: {quoted(name)}\n{head}parameters: {{v: {{value: 1}}}}\n", f"name {name!r}")
        done = place.run("sweep", "./values.yaml", f"--name={name}")
        assert done.returncode == 2, f"--name={name!r}: exit code {done.returncode}"
        place.check_nothing_outside(f"--name {name!r}")
    for number, name in enumerate([f"$({TOUCH})", "a b", "a;b", "../a", "-v", "ü"]):
        refused(place, f"parameter{number}.yaml", f"{head}parameters: {{{quoted(name)}: {{value: 1}}}}\n", f"parameter {name!r}")


def files(place):
    text = "name: files\ncommand: [sh, prog.sh]\nmetric: {name: loss, goal: minimize}\n"
    for name in [f"$({TOUCH}).yaml", f"a; {TOUCH}.yaml", "a b.yaml", "-rf.yaml", "a\nb.yaml", "'.yaml", "%s%n.yaml"]:
        done = place.run("sweep", place.study(name, text), "--quiet")
        assert done.returncode == 0, (name, done.stderr)
        # Without a name of its own it would be called as its file is: no study can be.
        if name != "-rf.yaml":
            refused(place, "x" + name, text.replace("name: files\n", ""), f"file {name!r}")
        place.check_nothing_outside(f"file {name!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(sys.argv[1], os.path.realpath(folder))
        try:
            values(place)
            refusals(place)
            files(place)
        except AssertionError as error:
            print(error)
            return 1
    print(f"{len(VALUES)} values, {len(NAMES)} names: nothing executed, nothing outside the run folder")
    return 0


if __name__ == "__main__":
    sys.exit(main())
