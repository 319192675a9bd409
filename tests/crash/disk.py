"""A disk that is full, and one that cannot be written: exit code 4 with path and remedy, nothing lost, and the study opens.

usage: disk.py PROGRAMS
Needs the right to mount (root); without it the test is skipped and says so.
"""

import subprocess
import sys

import small_study as small


class Disk:
    """A tmpfs of its own."""

    def __init__(self, folder, size):
        self.folder = folder
        folder.mkdir()
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
        if made.returncode != 0:
            small.skip("may not mount a tmpfs")

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.folder)], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", str(self.folder)], check=False)
        self.folder.rmdir()


def expect_refusal(done, path):
    assert done.returncode == 4, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    last = done.stderr.strip().splitlines()[-1]
    assert str(path) in last, f"the path is not named: {last}"
    assert any(word in last for word in ("--dir", "free some", "another folder")), f"no remedy: {last}"


def full(place, expected, free_kib):
    """A disk of 1 MiB of which a filler leaves `free_kib`; then more space, and the same command again."""
    with Disk(place.folder / "disk", "1m") as disk:
        runs = disk.folder / "runs"
        filler = disk.folder / "filler"
        filler.write_bytes(b"x" * ((1024 - free_kib) * 1024))
        done = place.sweep(runs)
        if done.returncode != 0:
            expect_refusal(done, runs)
            small.check_wreck(place, runs, done.stderr)
            again = place.sweep(runs)
            assert again.returncode in (0, 4), f"the second try: {again.returncode} {again.stderr}"
        filler.unlink()
        disk.remount("size=64m")
        small.check_repaired(place, runs, expected)
        return done.returncode == 4


def read_only(place, expected):
    with Disk(place.folder / "disk", "64m") as disk:
        runs = disk.folder / "runs"
        small.check_repaired(place, runs, expected)
        disk.remount("ro")
        assert place.export(runs) == expected, "a read-only study cannot be read"
        for verb in ("status", "trials", "best", "export"):
            done = place.read(runs, verb)
            assert done.returncode == 0, f"{verb} of a read-only study: {done.stderr}"
        expect_refusal(place.sweep(runs), runs)
        expect_refusal(place.sweep(disk.folder / "other"), disk.folder / "other")


def not_a_folder(place):
    file = place.folder / "file"
    file.write_text("in the way")
    expect_refusal(place.sweep(file), file)
    assert file.read_text() == "in the way"


def main():
    with small.Place(sys.argv[1], widest=256) as place:
        expected = place.reference()
        not_a_folder(place)
        refused = [kib for kib in (0, 4, 16, 40, 64, 100, 150, 250, 1000) if full(place, expected, kib)]
        print(f"refused with {refused} KiB left, and went on with more")
        assert len(refused) >= 4, "the disk was never full"
        read_only(place, expected)
    print("full, read-only and missing folders: exit code 4, nothing lost")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print(error)
        sys.exit(1)
