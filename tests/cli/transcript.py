#!/usr/bin/env python3
"""Runs a transcript: commands of the real program with what they must print and how they must end.

usage: transcript.py BUILD_CLI_FOLDER ROOT FILE...

Lines of a transcript:
  # text        a remark
  $ command     run by sh in a fresh folder of the transcript's own; `trellis` is the program, $ROOT the source tree,
                $POLICIES the folder of those that are built from examples/policies
  > text        the next line of stdout is exactly this
  >~ regex      the next line of stdout matches this (the whole line)
  >...          any number of lines of stdout
  2> 2>~ 2>...  the same for stderr; a stream that no line names may hold anything
  ! code        the exit code (0 when not given)
"""
import os
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"(2?>)(~|\.\.\.)? ?(.*)")


def parse(path):
    steps = []
    with open(path, encoding="utf-8") as f:
        for number, text in enumerate(f.read().splitlines(), 1):
            if not text.strip() or text.startswith("#"):
                continue
            if text.startswith("$ "):
                steps.append({"line": number, "command": text[2:], "exit": 0, ">": [], "2>": []})
                continue
            if not steps:
                raise SystemExit(f"{path}:{number}: expected a command first")
            if text.startswith("! "):
                steps[-1]["exit"] = int(text[2:])
                continue
            match = LINE.fullmatch(text)
            if not match:
                raise SystemExit(f"{path}:{number}: neither $, !, >, 2> nor #: {text}")
            steps[-1][match[1]].append((match[2] or "=", match[3]))
    return steps


def matches(expected, lines):
    """Whether `lines` are what was expected; `...` stands for any number of lines."""
    if not expected:
        return not lines
    kind, text = expected[0]
    if kind == "...":
        return any(matches(expected[1:], lines[i:]) for i in range(len(lines) + 1))
    if not lines:
        return False
    fits = re.fullmatch(text, lines[0]) if kind == "~" else text == lines[0]
    return bool(fits) and matches(expected[1:], lines[1:])


def run_step(step, folder, env):
    done = subprocess.run(
        ["sh", "-c", step["command"]], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300
    )
    problems = []
    if done.returncode != step["exit"]:
        problems.append(f"exit code {done.returncode}, expected {step['exit']}")
    for stream, data in ((">", done.stdout), ("2>", done.stderr)):
        lines = data.decode("utf-8", "replace").splitlines()
        if step[stream] and not matches(step[stream], lines):
            wanted = "\n".join(f"  {stream}{'' if k == '=' else k} {t}" for k, t in step[stream])
            problems.append(f"expected\n{wanted}\n but {'stdout' if stream == '>' else 'stderr'} was")
    if problems:
        problems.append("stdout:\n" + done.stdout.decode("utf-8", "replace"))
        problems.append("stderr:\n" + done.stderr.decode("utf-8", "replace"))
    return problems


def main():
    programs, root, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    policies = os.path.abspath(os.path.join(programs, "..", "examples", "policies"))
    env = dict(os.environ, PATH=programs + ":" + os.environ["PATH"], ROOT=os.path.abspath(root), POLICIES=policies,
               LC_ALL="C.UTF-8", TERM="dumb")
    failed = 0
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            env["HOME"] = folder
            env.pop("XDG_CACHE_HOME", None)
            for step in parse(path):
                problems = run_step(step, folder, env)
                if problems:
                    failed += 1
                    print(f"{path}:{step['line']}: $ {step['command']}\n" + "\n".join(problems))
                    break
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
