#!/usr/bin/env python3
"""-Dprogram=disabled: configured, built and installed, the runtime is there with its plugin, and nothing of the program is asked
for or installed.

usage: alone.py ROOT WITH_STARPU STARPU_PREFIX"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# What the runtime may ask for. The last three only add plugins.
ALLOWED = {"threads", "dl", "hwloc", "libxxhash", "cuda", "grpc++", "openssl"}


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main():
    root, with_starpu, prefix = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="trellis-alone-") as name:
        build, image = pathlib.Path(name, "build"), pathlib.Path(name, "image")
        environment = dict(os.environ, CCACHE_BASEDIR=root, CCACHE_NOHASHDIR="1")
        if pathlib.Path(prefix).is_absolute():
            # Tests have a cache of their own, without the StarPU that the set-up built.
            environment["XDG_CACHE_HOME"] = str(pathlib.Path(prefix).parents[1])
        run("meson", "setup", build, root, "-Dprogram=disabled", "-Dcuda=disabled", "--prefix=/usr", "--libdir=lib",
            "--unity", "on", "--unity-size", "12", env=environment)
        asked = {one["name"].lower() for one in json.loads(run("meson", "introspect", "--dependencies", build))}
        assert asked <= ALLOWED, f"asks for {sorted(asked - ALLOWED)}"
        run("ninja", "-C", build, env=environment)
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", image)
        files = {str(path.relative_to(image / "usr")) for path in image.rglob("*") if path.is_file() or path.is_symlink()}
        needed = {"include/trellis/runtime.h", "lib/pkgconfig/trellis-runtime.pc", "lib/libtrellis-runtime.so",
                  "lib/cmake/TrellisRuntime/TrellisRuntimeConfig.cmake"}
        if with_starpu == "true":
            needed.add("lib/trellis/trellis-starpu-cpu.so")
        assert needed <= files, f"not installed: {sorted(needed - files)}"
        others = [name for name in files if not name.startswith(("include/trellis/", "lib/"))]
        assert not others, f"installed: {others}"
        print(f"{len(files)} files, asks for {', '.join(sorted(asked))}")


if __name__ == "__main__":
    main()
