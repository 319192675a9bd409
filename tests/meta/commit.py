#!/usr/bin/env python3
"""tools/commit.py names the commit of a clone, and of an archive wherever it is unpacked; none that is another tree's."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
AUTHOR = ["-c", "user.name=n", "-c", "user.email=e@e"]


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trellis commit ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        (self.tree / "tools").mkdir(parents=True)
        for name in ("tools/commit.py", "tools/commit.txt", ".gitattributes"):
            shutil.copy(ROOT / name, self.tree / name)

    def git(self, *words, cwd=None):
        done = subprocess.run(["git", *AUTHOR, *words], cwd=cwd or self.tree, check=True, capture_output=True)
        return done.stdout

    def commit(self, cwd=None):
        self.git("init", "-q", cwd=cwd)
        self.git("add", "-A", cwd=cwd)
        self.git("commit", "-qm", "one", cwd=cwd)

    def said(self, tree=None):
        """What the script prints and how it ends, called from a folder of somebody else's."""
        done = subprocess.run([sys.executable, "-B", (tree or self.tree) / "tools" / "commit.py"], cwd="/", capture_output=True,
                              text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.strip(), done.returncode

    def test_a_clone(self):
        self.commit()
        full = self.git("rev-parse", "HEAD").decode().strip()
        found, status = self.said()
        self.assertEqual((full.startswith(found), len(found) >= 12, status), (True, True, 0), found)
        self.git("tag", "v1")  # a name is no commit
        self.assertEqual(self.said()[0], found)
        (self.tree / ".gitattributes").write_text("")
        self.assertEqual(self.said(), (found + "-dirty", 0))

    def test_an_archive_also_inside_another_repository(self):
        self.commit()
        full = self.git("rev-parse", "HEAD").decode().strip()
        archive = self.folder / "archive.tar"
        archive.write_bytes(self.git("archive", "--prefix=other/", "HEAD"))
        shutil.unpack_archive(archive, self.folder)
        self.commit(cwd=self.folder)
        found, status = self.said(self.folder / "other")
        self.assertEqual((full.startswith(found), len(found) >= 7, status), (True, True, 0), found)

    def test_a_copy_without_git_names_none(self):
        self.assertEqual(self.said(), ("", 1))

    def test_a_repository_that_git_does_not_read_names_none(self):
        os.mkdir(self.tree / ".git")
        self.assertEqual(self.said(), ("", 1))

    def test_a_repository_without_a_commit_names_none(self):
        self.git("init", "-q")
        self.assertEqual(self.said(), ("", 1))


unittest.main()
