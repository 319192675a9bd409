#!/usr/bin/env python3
"""Installs the runtime into a temporary prefix and builds a program with it as a stranger would: by pkg-config."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <trellis/runtime.h>
#include <cstdio>

const auto add = rt::task("add").cpu([](rt::in<double> a, double b) { return *a + b; });

int main(int argc, char** argv) {
  rt::Config config;
  config.workers = 1;
  config.executor = argc > 1 ? rt::Executor::starpu_cpu : rt::Executor::sequential;
  rt::Runtime runtime(config);
  std::printf("%s %g\\n", rt::executor_name(runtime.executor()), add(add(rt::value(1.0), 2), 3).get());
  (void)argv;
}
"""


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def main():
    build, prefix, compiler, with_starpu = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        run("meson", "install", "-C", build, "--destdir", folder, "--no-rebuild", "--tags", "library,devel")
        root = pathlib.Path(folder + prefix)
        package = next(root.rglob("trellis-runtime.pc"))
        libraries = package.parent.parent
        environment = dict(os.environ, PKG_CONFIG_PATH=str(package.parent),
                           LD_LIBRARY_PATH=str(libraries))
        environment.pop("TRELLIS_PLUGIN_DIR", None)
        flags = run("pkg-config", "--cflags", "--libs", "trellis-runtime", env=environment).split()
        for heavy in ("sqlite", "yaml", "dnnl", "starpu"):
            assert not any(heavy in flag for flag in flags), flags
        source = pathlib.Path(folder, "program.cpp")
        source.write_text(PROGRAM)
        program = str(pathlib.Path(folder, "program"))
        run(compiler, str(source), "-o", program, "-I", str(own_headers(pathlib.Path(folder))), *flags)
        needed = run("ldd", str(next(libraries.glob("libtrellis-runtime.so*"))))
        for heavy in ("sqlite", "yaml", "dnnl", "libstarpu"):
            assert heavy not in needed, needed
        assert run(program, env=environment) == "sequential 6\n"
        if with_starpu == "true":
            assert run(program, "starpu", env=environment) == "starpu_cpu 6\n"
        expect_stale_plugin_refused(pathlib.Path(folder), program, compiler, environment)
        assert next(root.rglob("TrellisRuntimeConfig.cmake")).read_text().count("Trellis::runtime") > 2
        if shutil.which("cmake"):
            build_with_cmake(folder, root, environment)


def own_headers(folder):
    """A program's own headers, which have names of ours."""
    include = folder / "include"
    for name in ("base/error.h", "base/text.h", "runtime/task.h"):
        (include / name).parent.mkdir(parents=True, exist_ok=True)
        (include / name).write_text("#error not this one\n")
    return include


def expect_stale_plugin_refused(folder, program, compiler, environment):
    """A plugin of other headers is one clear error, whether it was asked for or found."""
    stale = folder / "stale"
    stale.mkdir()
    source = folder / "stale.cpp"
    source.write_text('extern "C" const char* trellis_plugin_stamp() { return "0123456789abcdef"; }\n'
                      'extern "C" void* trellis_make_backend(void*) { for (;;) {} }\n')
    plugin = stale / "trellis-starpu-cpu.so"
    run(compiler, "-shared", "-fPIC", str(source), "-o", str(plugin))
    done = subprocess.run([program, "starpu"], env=dict(environment, TRELLIS_PLUGIN_DIR=str(stale)), capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode != 0
    expected = f"{plugin} was built from another runtime than this one (0123456789abcdef, expected "
    assert expected in done.stderr, done.stderr


def build_with_cmake(folder, root, environment):
    project = pathlib.Path(folder, "cmake")
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(program CXX)\nfind_package(TrellisRuntime REQUIRED)\n"
        "add_executable(program ../program.cpp)\ntarget_link_libraries(program Trellis::runtime)\n")
    run("cmake", "-S", str(project), "-B", str(project / "build"), f"-DCMAKE_PREFIX_PATH={root}")
    run("cmake", "--build", str(project / "build"))
    assert run(str(project / "build/program"), env=environment) == "sequential 6\n"


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd)}\n{error.stdout}{error.stderr}")
