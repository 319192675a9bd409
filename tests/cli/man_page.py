#!/usr/bin/env python3
"""The manual page names every verb and every option that --help names, and is good roff.

usage: man_page.py PROGRAM PAGE ROOT"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FAKE = r"""#!/bin/sh
case "$1" in
  --help)
    printf 'usage: trellis VERB [arguments]\n\n  a FILE    what a does\n  bb        what b-b does\n\nmore. And\n.codes: 0\n' ;;
  a)
    printf 'usage: trellis a FILE [options]\nwhat a does\n\n  FILE       a \\ file\n  -x, --x N  a number\n'
    printf '  --help     this text\n' ;;
  bb) printf 'usage: trellis bb [options]\nwhat b-b does\n\n  --dry[=B]  .first\nand the second line\n  --help     this text\n' ;;
esac
"""
EXPECTED = r""".SH VERBS
.SS a FILE
what a does
.TP
.B FILE
a \e file
.TP
.B \-x, \-\-x N
a number
.TP
.B \-\-help
this text
.SS bb
what b\-b does
.TP
.B \-\-dry[=B]
\&.first
and the second line
.TP
.B \-\-help
this text
.SH EXIT STATUS
more. And
\&.codes: 0
"""


def maker(root):
    spec = importlib.util.spec_from_file_location("man_page_maker", root / "tools" / "man_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_form(make):
    """A page from help texts with everything that roff would take for its own."""
    with tempfile.TemporaryDirectory() as folder:
        fake = pathlib.Path(folder, "fake")
        fake.write_text(FAKE)
        fake.chmod(0o755)
        text = make.page(str(fake), "1.2")
    assert '"Trellis 1.2"' in text, text
    assert EXPECTED in text, text


def check_roff(page):
    if shutil.which("groff") is None:
        print("skipped: groff is not installed, so the form of the page is not checked")
        return
    done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr


def check_complete(program, text):
    plain = text.replace("\\-", "-")
    overview = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    verbs = re.findall(r"^  (\w+)", overview, re.MULTILINE)
    assert len(verbs) > 15, overview
    for verb in verbs:
        if verb == "test":
            continue
        section = re.search(rf"^\.SS {verb}( .*)?\n((?:(?!\.S[SH]).*\n)*)", plain, re.MULTILINE)
        assert section, f"no section of {verb}"
        shown = subprocess.run([program, verb, "--help"], check=True, capture_output=True, text=True).stdout
        labels = re.findall(r"^  (\S.*?)  ", shown, re.MULTILINE)
        options = [option for label in labels for option in re.findall(r"--[\w-]+", label)]
        assert options, shown
        for option in options:
            assert re.search(rf"^\.B .*{option}\b", section[2], re.MULTILINE), f"{verb}: no {option}"
    assert "75 stopped" in plain and "docs/programs.md" in plain, plain


def main():
    program, page, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    check_form(maker(root))
    check_complete(program, page.read_text(encoding="utf-8"))
    check_roff(page)


if __name__ == "__main__":
    main()
