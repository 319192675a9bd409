"""A copy of the tree with a build folder of its own, in which edits are tried one after another.

The build folder lies in the copy as build/ lies in a clone, so that a compiler cache knows both as the same."""
import json
import os
import pathlib
import shutil
import subprocess
import time

from mutation import edits
from process_group import end

# As the launcher's build, whose objects are then found in the compiler cache.
OPTIONS = ["--unity", "on", "--unity-size", "12", "-Dcuda=disabled"]
BUILD_LIMIT = 900  # seconds; an edit of a header may compile hundreds of files


def files_of(root):
    """The files of the project, as they are now."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "-c", "-o", "--exclude-standard"],
                            capture_output=True, text=True, check=True)
    return sorted({path for path in listed.stdout.split("\0") if path and (root / path).is_file()})


def copy_tree(root, tree):
    """Makes `tree` hold the project's files; files that are equal keep their times, so that nothing is rebuilt."""
    wanted = files_of(root)
    for path in wanted:
        source, target = root / path, tree / path
        data = source.read_bytes()
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            shutil.copymode(source, target)
    known = tree / ".files"
    before = known.read_text(encoding="utf-8").split("\n") if known.exists() else []
    for path in set(before) - set(wanted):
        (tree / path).unlink(missing_ok=True)
    known.write_text("\n".join(wanted), encoding="utf-8")


class Scratch:
    def __init__(self, root, folder):
        self.tree = folder / "tree"
        self.build = self.tree / "build"
        self.jobs = os.environ.get("TRELLIS_JOBS") or str(os.cpu_count() or 1)
        self.seconds = {}  # of the unedited tests, by their names
        os.environ.setdefault("CCACHE_BASEDIR", str(self.tree))
        os.environ.setdefault("CCACHE_NOHASHDIR", "true")
        self.tree.mkdir(parents=True, exist_ok=True)
        copy_tree(root, self.tree)
        self.log = open(folder / "log", "w", encoding="utf-8")  # pylint: disable=consider-using-with
        if not (self.build / "build.ninja").exists():
            self.run(["meson", "setup", str(self.build), str(self.tree), *OPTIONS], BUILD_LIMIT, check=True)
        self.known = self.introspect()

    def introspect(self):
        """The names of all tests."""
        self.run(["ninja", "-C", str(self.build), "build.ninja"], BUILD_LIMIT, check=True)
        said = subprocess.run(["meson", "introspect", "--tests", str(self.build)], capture_output=True, text=True,
                              check=True)
        return {test["name"] for test in json.loads(said.stdout)}

    def run(self, command, limit, check=False):
        """The exit status, or None past the limit. meson ends the tests it started when it is told to end."""
        self.log.write(f"\n== {' '.join(map(str, command))}\n")
        self.log.flush()
        with subprocess.Popen(command, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
                              start_new_session=True) as process:
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                if process.poll() is None:
                    end(process)
        if check and status != 0:
            raise SystemExit(f"mutate: {command[0]} ended with {status}; see {self.log.name}")
        return status

    def command_of(self, file):
        """The compile command that reads this file, alone or in a unity source; None where nothing compiles it."""
        for entry in json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8")):
            source = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            if source == (self.tree / file).resolve():
                return entry
            if "-unity" in source.name and f"{file}>" in source.read_text(encoding="utf-8"):
                return entry
        return None

    def compiles(self, edit):
        """True if the compiler takes the edited file."""
        entry = self.command_of(edit["file"])
        if entry is None:
            return False
        path = self.tree / edit["file"]
        original = path.read_bytes()
        try:
            path.write_text(edits.apply(self.tree, edit), encoding="utf-8")
            command = f"cd '{entry['directory']}' && {entry['command']} -fsyntax-only"
            return self.run(["sh", "-c", command], BUILD_LIMIT) == 0
        finally:
            path.write_bytes(original)

    def make(self, names):
        """Builds what these tests need; the exit status of ninja."""
        said = subprocess.run([str(self.tree / "tools" / "test-targets"), str(self.build), *names],
                              capture_output=True, text=True, check=True)
        return self.run(["ninja", "-C", str(self.build), "-j", self.jobs, *said.stdout.split()], BUILD_LIMIT)

    def test(self, names, limit):
        """(status, seconds, tests that failed) of these tests; stops at the first failure."""
        for old in (self.build / "meson-logs").glob("testlog*.json"):
            old.unlink()
        begin = time.monotonic()
        status = self.run(["meson", "test", "-C", str(self.build), "--no-rebuild", "--maxfail", "1", *names], limit)
        failed = []
        for log in (self.build / "meson-logs").glob("testlog*.json"):
            entries = map(json.loads, log.read_text(encoding="utf-8").splitlines())
            failed += [entry["name"].split(" / ")[-1] for entry in entries
                       if entry["result"] in ("FAIL", "ERROR", "TIMEOUT")]
        return status, time.monotonic() - begin, failed

    def is_green(self, names, limit):
        """Whether the tests pass without any edit, well within the limit; tried once for the same tests."""
        key = tuple(names)
        if key not in self.seconds:
            status = self.make(names)
            if status == 0:
                status, seconds, _ = self.test(names, limit)
            self.seconds[key] = seconds if status == 0 else None
        return self.seconds[key] is not None

    def attempt(self, edit, limit):
        names = [name for name in edit["tests"] if name in self.known]
        text = edits.apply(self.tree, edit)
        begin = time.monotonic()
        if text is None or not names:
            verdict, failed = "stale", []
        elif not self.is_green(names, limit):
            verdict, failed = "red", []
        else:
            begin = time.monotonic()
            verdict, failed = self.verdict(pathlib.Path(edit["file"]), text, names, limit)
        return {"verdict": verdict, "by": failed, "seconds": round(time.monotonic() - begin, 1)}

    def verdict(self, file, text, names, limit):
        path = self.tree / file
        original = path.read_bytes()
        try:
            path.write_text(text, encoding="utf-8")
            if self.make(names) != 0:
                return "no build", []
            status, _, failed = self.test(names, limit)
        finally:
            path.write_bytes(original)
        if status is None:
            return "timeout", failed
        return ("survived", []) if status == 0 else ("caught", failed)
