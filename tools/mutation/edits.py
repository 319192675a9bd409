"""Edits of single lines: how they are kept, and how one is found again in sources that have moved on.

An edit names its file, the function it is in (the nearest line above that begins in the first column), the line
without its indentation, and `nth`: 0 for the first such line of that function."""
import json
import re

HEAD = re.compile(r"[A-Za-z_\[~]")


def head_of(lines, at):
    """The nearest line at or above `at` that begins a declaration: the function it belongs to, in this layout."""
    for number in range(at, -1, -1):
        if HEAD.match(lines[number]) and not lines[number].startswith(("namespace", "public:", "private:")):
            return lines[number].strip()
    return ""


def places(lines, edit):
    """The indices of the lines that read as the edit's does."""
    return [i for i, line in enumerate(lines) if line.strip() == edit["text"]]


def find(lines, edit):
    """The index of the edit's line, or None. A function that was renamed is forgiven where the line is unique."""
    found = places(lines, edit)
    inside = [i for i in found if head_of(lines, i) == edit["function"]]
    if edit["nth"] < len(inside):
        return inside[edit["nth"]]
    return found[0] if len(found) == 1 else None


def locate(lines, at):
    """The fields that find line `at` again."""
    text, head = lines[at].strip(), head_of(lines, at)
    before = [i for i in range(at) if lines[i].strip() == text and head_of(lines, i) == head]
    return {"function": head, "text": text, "nth": len(before)}


def apply(root, edit):
    """The text of the edited file, or None where its line is not there any more."""
    path = root / edit["file"]
    if not path.exists():
        return None
    lines = path.read_text(encoding="utf-8").split("\n")
    at = find(lines, edit)
    if at is None:
        return None
    indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
    lines[at] = indent + edit["replace"]
    return "\n".join(lines)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def to_text(all_edits):
    return "[\n" + ",\n".join(" " + json.dumps(edit, ensure_ascii=False) for edit in all_edits) + "\n]\n"
