"""The file of golden values: reading, comparing, rewriting, and the list of changes that explains every later value."""
import fcntl
import hashlib
import json
import os

# Checksum of the entries as they were at commit 525637c. Undoing the changes, the last one first, must lead back to them.
BASE = "e98354c8334b4940ce7166a2d44779b2"


def checksum(text):
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def table_text(entries):
    """One line an entry, sorted, so that a diff shows what changed."""
    return ",\n".join(f"{json.dumps(name)}: {json.dumps(entries[name])}" for name in sorted(entries))


def put(entries, name, value):
    """Sets an entry; null removes it."""
    if value is None:
        entries.pop(name, None)
    else:
        entries[name] = value


def is_sentence(text):
    return len(text.split()) >= 4


class Book:
    """`rewrite`: empty compares; "1" writes the entries that differ; "arithmetic" writes those of other libraries, too."""

    def __init__(self, path, rewrite="", why="", base=BASE):
        self.path, self.rewrite, self.why, self.base = path, rewrite, why, base
        self.read()

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            kept = json.load(file)
        self.changes, self.entries = kept["changes"], kept["entries"]

    def save(self):
        changes = [f'\n{{"why": {json.dumps(change["why"])}, "was": {{\n{table_text(change["was"])}}}}}'
                   for change in self.changes]
        whole = f"{self.path}.new"
        with open(whole, "w", encoding="utf-8") as file:
            file.write(f'{{"changes": [{",".join(changes)}],\n"entries": {{\n{table_text(self.entries)}\n}}}}\n')
        os.replace(whole, self.path)

    def faults(self):
        """Problems of the list of changes."""
        wrong, entries = [], dict(self.entries)
        for number, change in reversed(list(enumerate(self.changes, 1))):
            where = f"keys.json, change {number}"
            if set(change) != {"was", "why"} or not change["was"]:
                return [f'{where}: expected "why" and "was", the former values of the entries that it changed']
            if not is_sentence(change["why"]):
                wrong.append(f"{where}: the reason is '{change['why']}', expected a sentence")
            after = {name: entries.get(name) for name in change["was"]}
            wrong += [f"{where}: {name} has the same value before and after" for name, value in after.items()
                      if value == change["was"][name]]
            wrong += unversioned(where, change["was"], after)
            for name, value in change["was"].items():
                put(entries, name, value)
        if checksum(table_text(entries)) != self.base:
            wrong.append("keys.json: an entry changed since commit 525637c and no change names it; restore the file and write "
                         "the entry with TRELLIS_REWRITE=1")
        return wrong

    def check_arithmetic(self, isa, fingerprint):
        """(why values of `isa` cannot be compared here, problems). The kernels' own number never prevents comparing."""
        number, rest = fingerprint.removeprefix("kern ").split("; ", 1)
        if self.rewrite == "arithmetic":
            self.write({f"arithmetic/{isa}": rest})
        stored, here = self.entries.get(f"arithmetic/{isa}", "nothing").split("; "), rest.split("; ")
        gone, new = [part for part in stored if part not in here], [part for part in here if part not in stored]
        if gone or new:
            return f"values for {isa} are stored with {'; '.join(gone) or 'nothing else'}, here is {'; '.join(new) or 'none'}", []
        return "", self.compare("arithmetic/kernels", "", {"arithmetic/kernels": number})

    def compare(self, part, end, found, absent=()):
        """Problems of the entries that begin with `part` and end with `end`; those in `absent` cannot be computed here."""
        names = {name for name in self.entries if name.startswith(part) and name.endswith(end)} | found.keys()
        wrong = [name for name in sorted(names - set(absent)) if self.entries.get(name) != found.get(name)]
        if self.rewrite and wrong:
            self.write({name: found.get(name) for name in wrong})
        if self.rewrite:
            return []
        return [difference(name, self.entries.get(name), found.get(name)) for name in wrong]

    def write(self, values):
        """Takes over `values`, null for an entry that goes, under the change whose reason is `why`."""
        if not is_sentence(self.why):
            raise SystemExit("TRELLIS_REWRITE writes golden values: say in TRELLIS_WHY, in a sentence, why they are others now")
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)  # another test may write at the same time
            self.read()
            if not self.changes or self.changes[-1]["why"] != self.why:
                self.changes.append({"why": self.why, "was": {}})
            was = self.changes[-1]["was"]
            for name, value in values.items():
                if value != self.entries.get(name):
                    was.setdefault(name, self.entries.get(name))
                    put(self.entries, name, value)
                if name in was and was[name] == value:
                    del was[name]
            if not was:
                self.changes.pop()
            self.save()
        finally:
            os.close(folder)


def unversioned(where, before, after):
    """Changes without the number that they need: other constants under the same version, other weights with no new number."""
    wrong, numbers = [], []
    for name, new in after.items():
        old = before[name]
        if name.startswith("arithmetic/"):
            numbers.append(name)
        if not name.startswith("keys/") or None in (old, new):
            continue
        if new[1] > old[1]:
            numbers.append(name)
        elif new[:3] != old[:3]:
            wrong.append(f"{where}: {name} has another canonical form and version {new[1]}, as before; raise the version of "
                         f"the task '{new[0]}'")
    weights = [name for name in after if name.startswith("weights/") and None not in (before[name], after[name])]
    if weights and not numbers:
        wrong.append(f"{where}: {weights[0]} changed and no number did; raise the version of the task whose result is another "
                     "one or, where the arithmetic changed, kArithmetic in kernels/cpu/report.cpp")
    return wrong


def difference(name, stored, here):
    if stored is None:
        return f"{name}: no golden value is stored; here it is {here}"
    if here is None:
        return f"{name}: a golden value is stored, and nothing computes it any more"
    if not isinstance(stored, list):
        return f"{name}: the golden value is {stored}, here it is {here}"
    words = zip(("task", "version", "constants", "key"), stored, here)
    parts = [other_bytes(old, new) if word == "constants" else f"{word} was {old} and is {new}"
             for word, old, new in words if old != new]
    return f"{name}: {'; '.join(parts)}"


def other_bytes(stored, here):
    """Where canonical bytes begin to differ, in hexadecimal digits, and the names that stand before."""
    old, new = bytes.fromhex(stored), bytes.fromhex(here)
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    before = "".join(chr(byte) if 32 < byte < 127 else " " for byte in old[max(0, at - 32):at]).split()
    return (f"constants differ from byte {at} on, after '{' '.join(before)}': there were {old[at:at + 16].hex() or 'none'} "
            f"and are {new[at:at + 16].hex() or 'none'}")
