#!/usr/bin/env python3
"""`doctor --self-test`: all is well with this build, and each of its checks notices a fault in a copy of it.

usage: self_test.py BUILD whole | BUILD broken FAULTS
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
CHECKS = ["executor", "workers", "golden", "equal", "resume"]
PLUGIN = "runtime/starpu/trellis-starpu-cpu.so"
ENGINE = "cli/trellis-engine"
FILES = ["cli/trellis", ENGINE, "runtime/libtrellis-runtime.so.0.1", PLUGIN]
# A coefficient of the exponential of kernels/cpu/vector/math.h, and another one in its place.
COEFFICIENT, CHANGED = struct.pack("<f", 0.166666666817), struct.pack("<f", 0.1875)


def copied(build, folder):
    """The parts of a build that run without the rest of it."""
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / name, folder / name)
    return folder


def self_test(build, check=None, **more):
    """Whether each check passed, and what it found; the exit code says the same."""
    command = [build / "cli/trellis", "doctor", "--json", "--self-test" + (f"={check}" if check else "")]
    for _ in range(3):  # a machine that is busy with other tests may not get through within the minute
        done = subprocess.run(command, env={**os.environ, **more}, capture_output=True, text=True, timeout=90)
        assert done.returncode in (0, 1), f"exit {done.returncode}: {done.stderr}"
        checks = json.loads(done.stdout)["checks"]
        assert (done.returncode == 0) == all(one["passed"] for one in checks), done
        if not any("minute was over" in one["found"] for one in checks):
            break
    return {one["check"]: (one["passed"], one["found"]) for one in checks}, sum(one["seconds"] for one in checks)


def expect_whole(build):
    found, seconds = self_test(build)
    assert list(found) == CHECKS, found
    for check, (passed, text) in found.items():
        assert passed, f"{check}: {text}"
        assert text and "\n" not in text, f"{check}: {text!r}"
    assert seconds < 62, seconds  # the limit, and what it takes to end a program
    print(found)


def expect_noticed(what, check, words, build, **more):
    """The check fails, with these words."""
    found, _ = self_test(build, check, **more)
    passed, text = found[check]
    assert not passed, f"{what}: {check} noticed nothing: {text}"
    assert re.search(words, text), f"{what}: {check} says {text!r}, expected {words!r}"
    print(f"{what}: {check}: {text}")


def spoiled(path, change):
    """Replaces a file, which other copies may share, by what `change` makes of its bytes."""
    data = change(path.read_bytes())
    path.unlink()
    path.write_bytes(data)
    path.chmod(0o755)


def folders_of_starpu(data):
    return set(re.findall(rb"/[^\0:]*starpu-1[^\0:]*/lib(?=[\0:])", data))


def put_elsewhere(data):
    """A plugin that finds no StarPU: its folder has another name of the same length."""
    folders = folders_of_starpu(data)
    for name in folders:
        data = data.replace(name, b"/" + b"-" * (len(name) - 1))
    return data


def change_kernels(data):
    assert COEFFICIENT in data, "the exponential of the kernels has other coefficients now: name one of them here"
    return data.replace(COEFFICIENT, CHANGED)


def expect_broken_parts_noticed(build, folder):
    faults = [
        ("no plugin", PLUGIN, None, "there is no trellis-starpu-cpu.so"),
        ("an empty plugin", PLUGIN, lambda data: b"", "file too short"),
        ("the head of a plugin", PLUGIN, lambda data: data[:16384], "doctor died of signal|trellis-starpu-cpu.so"),
        ("a plugin of noise", PLUGIN, lambda data: bytes(i * 7 % 251 for i in range(len(data))), "invalid ELF header"),
        ("a plugin of another build", PLUGIN, other_build, "built from another runtime"),
        ("no StarPU", PLUGIN, put_elsewhere, "libstarpu"),
    ]
    if not folders_of_starpu((build / PLUGIN).read_bytes()):
        print("skipped: this StarPU is the system's, so a copy cannot miss it")
        faults.pop()
    for number, (what, name, change, words) in enumerate(faults):
        copy = copied(build, folder / str(number))
        if change is None:
            (copy / name).unlink()
        else:
            spoiled(copy / name, change)
        expect_noticed(what, "executor", words, copy)
    if len(os.sched_getaffinity(0)) > 1:
        expect_noticed("no plugin", "workers", "1 worker on", folder / "0")
    expect_noticed("no plugin of this build", "equal", "trellis sweep exited with status 4", folder / "4")


def other_build(data):
    """The stamp is a function that returns 16 hexadecimal digits: those that the runtime expects, turned round."""
    stamps = set(re.findall(rb"(?<=\0)[0-9a-f]{16}(?=\0)", data))
    assert len(stamps) == 1, f"stamps of the plugin: {stamps}"
    stamp = stamps.pop()
    return data.replace(stamp, bytes(reversed(stamp)))


def expect_faults_noticed(build, folder, faults):
    copy = copied(build, folder / "kernels")
    spoiled(copy / ENGINE, change_kernels)
    expect_noticed("a changed kernel", "golden", "is wrong|checksum under", copy)
    environment = {"LD_PRELOAD": str(faults)}
    said = subprocess.run([build / "cli/trellis", "doctor", "--json"], capture_output=True, text=True).stdout
    cores = json.loads(said)["cores"]
    if cores == len(os.sched_getaffinity(0)):
        expect_noticed("more cores than workers", "workers", "expected one for each core", build, SELF_TEST_FAULT="cores",
                       **environment)
    else:
        print("skipped: a control group gives fewer cores than the process may run on, so they cannot be pretended")
    if "avx2" in pathlib.Path("/proc/cpuinfo").read_text():
        expect_noticed("bits that depend on the workers", "equal", "the exports differ, first in trial", build,
                       SELF_TEST_FAULT="unequal", **environment)
    else:
        print("skipped: this processor has one instruction set, so results cannot be made unequal")
    expect_noticed("a study that begins anew", "resume", "had ended and (ran again|is lost)", build,
                   SELF_TEST_FAULT="forgetful", **environment)
    expect_whole(copied(build, folder / "whole"))


def expect_other_checksum_noticed(build, folder):
    """The other side of a changed kernel: the stored value."""
    found, _ = self_test(build, "golden")
    if "as stored" not in found["golden"][1]:
        print(f"skipped: no stored checksum holds for these libraries: {found['golden'][1]}")
        return
    keys = json.loads((pathlib.Path(__file__).parent.parent / "golden" / "keys.json").read_text())["entries"]
    copy = copied(build, folder / "checksum")
    for isa in ("plain", "avx2"):
        stored = keys[f"exports/self-test {isa}"].encode()
        spoiled(copy / ENGINE, lambda data, stored=stored: data.replace(stored, bytes(reversed(stored))))
    expect_noticed("another stored checksum", "golden", "checksum under (plain|avx2) is .*, expected", copy)


def main():
    build, part = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    os.environ.pop("LD_LIBRARY_PATH", None)  # the library beside the copies is meant
    if not (build / PLUGIN).exists():
        print("skipped: this build has no StarPU, which the self-test asks for")
        sys.exit(SKIP)
    if part == "whole":
        expect_whole(build)
        return
    with tempfile.TemporaryDirectory(prefix="trellis-self-test-copies-") as name:
        folder = pathlib.Path(name)
        expect_broken_parts_noticed(build, folder)
        expect_other_checksum_noticed(build, folder)
        expect_faults_noticed(build, folder, pathlib.Path(sys.argv[3]).resolve())


if __name__ == "__main__":
    main()
