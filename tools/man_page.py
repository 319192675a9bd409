#!/usr/bin/env python3
"""Writes the manual page trellis.1 from what `trellis --help` and `trellis VERB --help` print.

usage: man_page.py TRELLIS VERSION OUTPUT
"""
import re
import subprocess
import sys
from pathlib import Path

VERB = re.compile(r"  (\S+)(?: (\S.*?))?  +(\S.*)")
ITEM = re.compile(r"  (\S.*?)  +(\S.*)")
HEAD = """\
.\\" Made from --help by tools/man_page.py.
.TH TRELLIS 1 "" "Trellis {version}" "User Commands"
.SH NAME
trellis \\- search hyperparameters and train networks
.SH SYNOPSIS
.B trellis
.I VERB
.RI [ arguments ]
.SH DESCRIPTION
Trellis reads a study file (YAML), checks it, runs its tasks on all cores and GPUs, and writes the best network and a report.
The pages in docs/ have guides and the reference of the study file.
"""
FILES = """\
.SH FILES
.TP
.I runs/NAME/
The study NAME: its resolved file, its log study.db, its best network.
.TP
.I runs/store/
Results that all studies under that folder share.
.TP
.I ~/.cache/trellis/
What was built and measured once. XDG_CACHE_HOME names another folder.
.SH ENVIRONMENT
.TP
.B TRELLIS_DATA
A folder in which data files are looked for, too.
.TP
.B TRELLIS_ISA
The vectors of our own code: plain, avx2 or avx512, at most those of the processor.
"""


def help_of(program, *words):
    """The lines of a help text. Throws subprocess.CalledProcessError."""
    done = subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.rstrip("\n").split("\n")


def escaped(text):
    """Text as roff takes it: a minus for each hyphen, no line that begins with a control character."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def verbs_of(lines):
    """(verb, arguments, summary) of each line of the overview, and the lines behind them."""
    found, rest = [], []
    for line in lines[2:]:
        match = VERB.fullmatch(line)
        if match and not rest:
            found.append((match[1], match[2] or "", match[3]))
        elif line or rest:
            rest.append(line)
    return found, rest


def verb_section(verb, arguments, lines):
    """A verb, what it does, and each of its arguments and options."""
    text = [f".SS {escaped(verb)} {escaped(arguments)}".rstrip(), escaped(lines[1])]
    for line in lines[3:]:
        match = ITEM.fullmatch(line)
        text += [".TP", f".B {escaped(match[1])}", escaped(match[2])] if match else [escaped(line.strip())]
    return text


def page(program, version):
    verbs, rest = verbs_of(help_of(program))
    assert verbs, "trellis --help names no verbs"
    text = [HEAD.format(version=version).rstrip("\n"), ".SH VERBS"]
    for verb, arguments, _ in verbs:
        if verb != "test":  # of the source folder
            text += verb_section(verb, arguments, help_of(program, verb))
    text += [".SH EXIT STATUS", *(escaped(line) for line in rest if line), FILES.rstrip("\n")]
    return "\n".join(text) + "\n"


def main():
    program, version, output = sys.argv[1:]
    Path(output).write_text(page(program, version), encoding="utf-8")


if __name__ == "__main__":
    main()
