"""What all checks share: the tree of files that belong to the project, and the way a check is run."""
import os
import shutil
import subprocess
import sys
import tempfile

PRODUCT = ("base", "kernels", "runtime", "nn", "tasks", "hpo", "cli")
CODE = PRODUCT + ("bench", "examples", "tests")
CPP = (".h", ".cpp", ".cu", ".cuh")


class Tree:
    """The project's files: what git tracks, and in the house's own folders also what it would track, so that a user's
    files at the root are nobody's business. All files where there is no git."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(path for path in self._list() if os.path.isfile(os.path.join(root, path)))

    def _list(self):
        tracked = self._git("-c") if os.path.exists(os.path.join(self.root, ".git")) else set()
        if tracked:
            return tracked | {path for path in self._git("-o") if path.split("/")[0] in CODE + ("tools",)}
        return {os.path.relpath(os.path.join(folder, name), self.root)
                for folder, _, names in os.walk(self.root) for name in names
                if not os.path.relpath(folder, self.root).startswith(("build", ".git", "runs"))}

    def _git(self, which):
        if not shutil.which("git"):
            return set()
        listed = subprocess.run(["git", "-C", self.root, "ls-files", "-z", which, "--exclude-standard"],
                                capture_output=True, text=True, check=False)
        return {path for path in listed.stdout.split("\0") if path}

    def cpp(self, folders=CODE):
        return [path for path in self.paths if path.endswith(CPP) and path.split("/")[0] in folders]

    def text(self, path):
        """A file's text, or None for what is not text."""
        with open(os.path.join(self.root, path), "rb") as file:
            data = file.read()
        if b"\0" in data:
            return None
        return data.decode("utf-8", errors="replace")


def sample_tree(files):
    """A temporary folder with these files (path -> text); a context manager that gives its path."""
    folder = tempfile.TemporaryDirectory(prefix="trellis-meta-")
    for path, text in files.items():
        full = os.path.join(folder.name, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    return folder


def self_test(check, samples):
    """Each sample is (files, words): the check must find exactly one problem for each of the words, in any order."""
    for files, words in samples:
        with sample_tree(files) as root:
            found = check(Tree(root))
        unexplained = [problem for problem in found if not any(word in problem for word in words)]
        unseen = [word for word in words if not any(word in problem for problem in found)]
        if unexplained or unseen or len(found) != len(words):
            print(f"the check is broken: on {sorted(files)} it should name {words}, it said {found}")
            return False
    return True


def run(check, samples):
    """Runs the check on its own samples, then on the tree given on the command line; the exit status says whether all is well."""
    if not self_test(check, samples):
        sys.exit(1)
    problems = check(Tree(os.path.abspath(sys.argv[1])))
    for problem in problems:
        print(problem)
    print(f"{len(samples)} samples, {len(problems)} problems")
    sys.exit(1 if problems else 0)
