#!/usr/bin/env python3
"""The bundle and the wheel of this build: unpacked, moved and alone, they search, test themselves and start programs; and what
makes them refuses a tree that would not.

usage: bundle.py ROOT BUILD
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

SKIP = 77
COMMAND = """name: told
command: [sh, -c, 'echo "{\\"step\\": 1, \\"valid.loss\\": $$0}" >>"$$TRELLIS_METRICS"', $x]
metric: {name: valid.loss, goal: minimize}
parameters: {x: {min: 1.0, max: 2.0}}
method: random
limits: {trials: 3}
"""


def run(*command, may_fail=False, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1200, check=False, **more)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


def expect_searches(program, folder, experiments):
    """A sweep of networks, one of programs, and the program's own test of itself, without anything of the environment."""
    home = folder / "home"
    home.mkdir()
    alone = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    run(program, "sweep", experiments / "digits.yaml", "--dir", folder / "runs", "--quiet", env=alone)
    best = json.loads(run(program, "best", "digits", "--dir", folder / "runs", "--json", env=alone).stdout)
    assert best["metrics"]["test.accuracy"] > 0.95, best
    (folder / "told.yaml").write_text(COMMAND)
    run(program, "sweep", folder / "told.yaml", "--dir", folder / "runs", "--quiet", env=alone)
    trials = json.loads(run(program, "trials", "told", "--dir", folder / "runs", "--json", env=alone).stdout)
    assert [one["state"] for one in trials] == ["complete"] * 3, trials
    checks = json.loads(run(program, "doctor", "--self-test=executor", "--json", env=alone).stdout)["checks"]
    assert all(one["passed"] for one in checks), checks


def expect_bundle(archive, folder, forbidden):
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "first")
    unpacked = next((folder / "first").iterdir())
    moved = folder / "elsewhere" / "trellis"
    moved.parent.mkdir()
    unpacked.rename(moved)
    for path in moved.rglob("*"):
        assert not path.is_symlink(), path
        if path.is_file():
            content = path.read_bytes()
            assert not any(text.encode() in content for text in forbidden), f"{path} names a folder of the build"
    assert (moved / "share/doc/trellis/licences").is_dir()
    expect_searches(moved / "bin/trellis", folder, moved / "experiments")
    return moved


def expect_wheel(wheel, folder, experiments):
    """Installed, it uses its own program, not the one in PATH."""
    target = folder / "site"
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target, wheel)
    decoy = folder / "decoy"
    decoy.mkdir()
    (decoy / "trellis").write_text("#!/bin/sh\nexit 9\n")
    (decoy / "trellis").chmod(0o755)
    environment = {"PATH": f"{decoy}:/usr/bin:/bin", "PYTHONPATH": str(target), "HOME": str(folder)}
    used = run(sys.executable, "-c", "import trellis.program; print(trellis.program.path())", env=environment, cwd=folder).stdout
    assert used == f"{target}/trellis/_program/bin/trellis\n", used
    told = run(sys.executable, target / "bin/trellis", "--version", env=environment, cwd=folder).stdout
    assert told.startswith("trellis "), told
    room = folder / "of wheel"
    room.mkdir()
    expect_searches(pathlib.Path(used.strip()), room, experiments)


def expect_cuda(archive, tree, folder, toolkit):
    """Unpacked over the first bundle, it adds nothing but parts for CUDA devices, which find NVIDIA's libraries in the
    system's folders and beside the wheel."""
    with tarfile.open(archive) as packed:
        files = [one.name.partition("/")[2] for one in packed.getmembers() if one.isfile()]
        packed.extractall(folder / "cuda")
    assert files and all(name.startswith("lib/trellis/") and "cuda" in name for name in files), files
    site = folder / "site of cuda"
    program = site / "trellis/_program"
    shutil.copytree(tree, program)
    shutil.copytree(next((folder / "cuda").iterdir()), program, dirs_exist_ok=True)

    def missing(**environment):
        asked = run("ldd", program / "lib/trellis/trellis-starpu-cuda.so", program / "lib/trellis/trellis-kernels-cuda.so",
                    env={"PATH": os.environ["PATH"], **environment}).stdout
        return {line.split()[0] for line in asked.splitlines() if "not found" in line} - {"libcuda.so.1"}

    assert missing(LD_LIBRARY_PATH=str(toolkit)) == set(), missing(LD_LIBRARY_PATH=str(toolkit))
    beside = site / "nvidia" / f"cu{release_of(toolkit)}"
    beside.mkdir(parents=True)
    (beside / "lib").symlink_to(toolkit)
    assert missing() == set(), missing()


def release_of(toolkit):
    return next(toolkit.glob("libcublas.so.[0-9][0-9]")).name.rpartition(".")[2]


def expect_refused(root, tree, folder):
    """Each check notices its fault."""
    sys.path.insert(0, str(root / "tools/bundling"))
    import check  # the folder is known only now
    import elf
    copy = folder / "copy"
    shutil.copytree(tree, copy)
    files = sorted(copy.rglob("*"))
    assert check.libraries(copy, files) == [] and check.names(copy, files, ["/nowhere/at/all"]) == []
    (copy / "experiments/digits.yaml").write_text("# made in /nowhere/at/all\n")
    assert check.names(copy, files, ["/nowhere/at/all"]) == ["experiments/digits.yaml: names /nowhere/at/all"]
    gone = next((copy / "lib").glob("libhwloc.so.*"))
    gone.unlink()
    problems = check.libraries(copy, files)
    assert problems and all(gone.name in one for one in problems), problems
    elf.set_folders(copy / "bin/trellis", "/opt/lib")
    assert "bin/trellis: looks in /opt/lib" in check.libraries(copy, files)
    newest, who = check.newest_of_libc(copy, files)
    assert newest >= (2, 14) and (copy / who).is_file(), (newest, who)


def toolkit_of(build):
    """The folder of NVIDIA's libraries that a build was linked with, or nothing where it has no parts for CUDA devices."""
    kernels = build / "kernels/cuda/trellis-kernels-cuda.so"
    if not kernels.exists():
        return None
    found = run("ldd", kernels).stdout
    return pathlib.Path(re.search(r"libcublas\.so\.\d+ => (\S+)", found).group(1)).parent


def main():
    root, build = (pathlib.Path(word) for word in sys.argv[1:])
    missing = [tool for tool in ("patchelf", "readelf", "strip") if shutil.which(tool) is None]
    if missing:
        print(f"there is no {missing[0]}")
        return SKIP
    with tempfile.TemporaryDirectory(prefix="trellis-bundle-") as name:
        folder = pathlib.Path(name)
        out = folder / "out"
        toolkit = toolkit_of(build)
        print(run(root / "tools/bundle", *(["--cuda"] if toolkit else []), "--here", out, build).stdout)
        moved = expect_bundle(next(out.glob("trellis-[0-9]*.tar.gz")), folder, [str(root), str(build), name])
        expect_refused(root, moved, folder)
        expect_wheel(next(out.glob("trellis_hpo-*.whl")), folder, moved / "experiments")
        if toolkit:
            expect_cuda(next(out.glob("trellis-cuda-*.tar.gz")), moved, folder, toolkit)
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
