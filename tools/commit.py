#!/usr/bin/env python3
"""Prints the commit of this source tree: what git says of it (with -dirty where files differ), or in an archive that
`git archive` made what it wrote into commit.txt. Fails where nobody knows.
"""
import subprocess
import sys
from pathlib import Path


def of_repository(root):
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def of_archive(text):
    return "" if text.startswith("$") else text.strip()


def commit(root):
    """The commit of the tree in `root`, or an empty text. A repository around an unpacked archive is another one."""
    if (root / ".git").exists():
        try:
            return of_repository(root)
        except (OSError, subprocess.CalledProcessError):
            return ""
    return of_archive((root / "tools" / "commit.txt").read_text(encoding="utf-8"))


if __name__ == "__main__":
    found = commit(Path(__file__).resolve().parent.parent)
    print(found)
    sys.exit(0 if found else 1)
