#!/usr/bin/env python3
"""The launcher and the set-up scripts, each in a small copy of the clone with fake tools around it."""
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.abspath(sys.argv.pop(1))
FOLDERS = ("base", "kernels", "runtime", "nn", "tasks", "hpo", "cli", "bench", "build/cli")
PROGRAM = '#!/bin/sh\necho "program:$*"\n'
SETUP = '#!/bin/sh\necho set-up >&2\necho system >"${0%/tools/*}/build/.ready"\n'


def write(path, text, mode=0o755):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


class Clone(unittest.TestCase):
    """A folder with the real scripts in it, an empty cache, and a PATH whose first folder holds fake tools."""

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="trellis launcher ")
        self.addCleanup(shutil.rmtree, self.root)
        for folder in FOLDERS:
            os.makedirs(os.path.join(self.root, folder))
        for name in ("meson.build", "meson_options.txt"):
            write(self.path(name), "")
        shutil.copy(os.path.join(ROOT, "trellis"), self.root)
        shutil.copytree(os.path.join(ROOT, "tools"), self.path("tools"))
        self.fake = self.path("fake")
        os.makedirs(self.fake)
        self.home = tempfile.mkdtemp(prefix="trellis-home-")
        self.addCleanup(shutil.rmtree, self.home)
        self.env = {"PATH": self.fake + ":/usr/bin:/bin", "HOME": self.home, "LC_ALL": "C"}

    def path(self, *names):
        return os.path.join(self.root, *names)

    def tool(self, name, body):
        write(os.path.join(self.fake, name), "#!/bin/sh\n" + body)

    def call(self, *command, cwd=None):
        return subprocess.run(command, cwd=cwd or self.root, env=self.env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=60)


class Launcher(Clone):
    def setUp(self):
        super().setUp()
        write(self.path("tools/setup/setup"), SETUP)
        write(self.path("build/cli/trellis"), PROGRAM)
        past = time.time() - 3600
        for folder, _, names in os.walk(self.root):
            for name in names + [""]:
                os.utime(os.path.join(folder, name), (past, past))

    def test_first_use_sets_up_then_passes_arguments_on(self):
        done = self.call("./trellis", "sweep", "a b", "*")
        self.assertEqual((done.stdout, done.stderr), ("program:sweep a b *\n", "set-up\n"))

    def test_later_uses_do_not_set_up_from_any_folder_and_through_a_link(self):
        self.call("./trellis")
        os.symlink(self.path("trellis"), self.path("fake/link"))
        for command, cwd in [("./trellis", None), (self.path("trellis"), "/"), (self.path("fake/link"), "/"),
                             ("../trellis", self.path("nn"))]:
            done = self.call(command, "x", cwd=cwd)
            self.assertEqual((done.stdout, done.stderr, done.returncode), ("program:x\n", "", 0), command)

    def test_a_newer_source_or_a_lost_starpu_sets_up_again(self):
        self.call("./trellis")
        write(self.path("nn/new.cpp"), "")
        os.utime(self.path("nn/new.cpp"), (time.time() + 60, time.time() + 60))
        self.assertEqual(self.call("./trellis").stderr, "set-up\n")
        os.remove(self.path("nn/new.cpp"))
        os.utime(self.path("nn"), (1, 1))
        self.assertEqual(self.call("./trellis").stderr, "")
        for line in ("/nowhere/starpu-1.4\n", "\n", ""):
            write(self.path("build/.ready"), line)
            self.assertEqual(self.call("./trellis").stderr, "set-up\n", repr(line))

    def test_benchmarks_are_built_at_their_first_use_and_after_a_change(self):
        self.call("./trellis")
        write(self.path("tools/setup/setup"), SETUP + 'echo "$*" >&2; sleep .02; : >"${0%/tools/*}/build/cli/trellis-bench"\n')
        past = time.time() - 1800
        os.utime(self.path("tools/setup/setup"), (past, past))
        os.utime(self.path("tools/setup"), (past, past))
        first, second = self.call("./trellis", "bench", "x"), self.call("./trellis", "bench", "x")
        self.assertEqual((first.stdout, first.stderr), ("program:bench x\n", "set-up\nprogram  benchmarks\n"))
        self.assertEqual((second.stdout, second.stderr), ("program:bench x\n", ""))
        os.utime(self.path("build/cli/trellis-bench"), (past, past))
        self.assertIn("program  benchmarks", self.call("./trellis", "bench", "x").stderr)

    def test_what_the_server_needs_is_installed_at_its_first_use(self):
        self.call("./trellis")
        write(self.path("tools/setup/setup"), SETUP + 'echo "$*" >&2; : >"${0%/tools/*}/fake/there"\n')
        past = time.time() - 1800
        os.utime(self.path("tools/setup/setup"), (past, past))
        os.utime(self.path("tools/setup"), (past, past))
        self.tool("pkg-config", f'[ "$*" = "--exists cpp-httplib" ] && [ -e "{self.path("fake/there")}" ]\n')
        first, second = self.call("./trellis", "serve"), self.call("./trellis", "serve")
        self.assertEqual((first.stdout, first.stderr), ("program:serve\n", "set-up\nserve\n"))
        self.assertEqual((second.stdout, second.stderr), ("program:serve\n", ""))

    def test_a_failed_set_up_stops_with_its_status(self):
        write(self.path("tools/setup/setup"), "#!/bin/sh\nexit 69\n")
        done = self.call("./trellis")
        self.assertEqual((done.stdout, done.returncode), ("", 69))

    def test_help_of_tests_sets_nothing_up(self):
        done = self.call("./trellis", "test", "--help")
        self.assertIn("run-tests [--all]", done.stdout)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        wrong = self.call("./trellis", "test", "--hlep")
        self.assertEqual((wrong.stdout, wrong.stderr, wrong.returncode), ("", done.stdout, 2))

    def test_warm_use_is_quick(self):
        for number in range(400):
            write(self.path("hpo", f"{number}.cpp"), "")
        write(self.path("build/cli/trellis"), PROGRAM)
        self.call("./trellis")
        times = []
        for _ in range(21):
            before = os.times()
            self.call("./trellis")
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
        # Ten milliseconds of processor time; only a launcher that does real work is to be caught.
        self.assertLess(statistics.median(times), 0.05)


class SetUp(Clone):
    def test_without_apt_missing_packages_are_named_with_versions(self):
        for name in ("meson", "pkg-config", "c++", "ninja"):
            self.tool(name, "exit 1\n")
        self.env["PATH"] = self.fake + ":" + self.path("bin")
        os.makedirs(self.path("bin"))
        for name in ("sh", "sed", "date", "mkdir", "find", "sort", "tail", "rm", "tr", "cat"):
            os.symlink(shutil.which(name), self.path("bin", name))
        done = self.call("tools/setup/packages.sh", "program")
        self.assertEqual(done.returncode, 69)
        self.assertIn("there is no apt here", done.stderr)
        self.assertIn("libhwloc-dev (hwloc >= 2.0)", done.stderr)
        self.assertNotIn("    meson (", done.stderr)
        self.assertIn("remedy:", done.stderr)

    def test_without_rights_meson_and_ninja_come_from_pypi(self):
        count = self.path("count")
        for name in ("apt-get", "dpkg-query", "sudo", "meson", "ninja"):
            self.tool(name, "exit 1\n")
        self.tool("id", "echo 1000\n")
        for name in ("pkg-config", "c++", "make"):
            self.tool(name, "exit 0\n")
        # A venv whose pip writes what it was asked for, and the tools.
        self.tool("python3", 'mkdir -p "$3/bin"\ncat >"$3/bin/python3" <<\'X\'\n#!/bin/sh\n'
                  f'echo "$*" >>"{count}"\nfor tool in meson ninja; do printf "#!/bin/sh\\n" >"${{0%/*}}/$tool"; '
                  'chmod +x "${0%/*}/$tool"; done\nX\nchmod +x "$3/bin/python3"\n')
        for name in ("meson", "ninja"):
            os.remove(os.path.join(self.fake, name))
        self.env["PATH"] = self.fake + ":" + self.path("bin")
        os.makedirs(self.path("bin"))
        for name in ("sh", "sed", "date", "mkdir", "find", "sort", "tail", "rm", "tr", "cat", "chmod"):
            os.symlink(shutil.which(name), self.path("bin", name))
        for _ in range(2):  # the second time they are there
            done = self.call("tools/setup/packages.sh", "program")
            self.assertEqual(done.returncode, 0, done.stderr)
        with open(count, encoding="utf-8") as file:
            self.assertRegex(file.read(), r"\A-m pip install meson==\S+ ninja==\S+\n\Z")
        self.assertTrue(os.path.exists(os.path.join(self.home, ".cache/trellis/build-tools/bin/meson")))
        shutil.rmtree(os.path.join(self.home, ".cache/trellis/build-tools"))
        self.tool("python3", "exit 1\n")
        done = self.call("tools/setup/packages.sh", "program")
        self.assertEqual(done.returncode, 69)
        self.assertIn("could not install: meson (meson >= 1.0) ninja-build (ninja >= 1.10)", done.stderr)

    def test_without_rights_the_command_for_root_is_named(self):
        self.tool("dpkg-query", "echo not-installed\n")
        self.tool("id", "echo 1000\n")
        self.tool("sudo", "exit 1\n")
        self.tool("pkg-config", "exit 1\n")
        done = self.call("tools/setup/packages.sh", "program")
        self.assertEqual(done.returncode, 69)
        self.assertIn("set-up failed at: packages", done.stderr)
        self.assertIn("as root: apt-get install --no-install-recommends meson ninja-build", done.stderr)

    def test_nothing_missing_is_silent_and_writes_nothing(self):
        self.tool("dpkg-query", "echo installed\n")
        done = self.call("tools/setup/packages.sh", "tests")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(os.listdir(self.home), [])

    def test_a_failed_starpu_names_step_log_and_remedy_and_can_be_repeated(self):
        self.tool("pkg-config", "exit 1\n")
        self.tool("apt-get", "echo cannot resolve the mirror; exit 100\n")
        for _ in range(2):
            done = self.call("tools/setup/starpu.sh", "cpu")
            self.assertEqual(done.returncode, 69)
            self.assertIn("set-up failed at: StarPU (cpu)", done.stderr)
            self.assertIn("| cannot resolve the mirror", done.stderr)
            self.assertIn("remedy:", done.stderr)
            log = done.stderr.split("log: ")[1].split("\n")[0]
            self.assertTrue(os.path.exists(log), log)

    def without_apt(self, content):
        """A machine with neither apt nor dpkg, whose curl gets a tarball with this content; its address is kept."""
        self.fake_starpu_source()
        shutil.rmtree(os.path.join(self.home, ".cache/trellis/starpu-source"))
        os.remove(os.path.join(self.fake, "dpkg-source"))
        self.env["PATH"] = self.fake + ":" + self.path("bin")
        os.makedirs(self.path("bin"))
        for name in ("sh", "sed", "date", "mkdir", "find", "sort", "tail", "rm", "tr", "cat", "chmod", "mv", "head", "cut",
                     "sha256sum", "uname", "flock", "nproc", "awk", "sleep", "tar", "gzip"):
            os.symlink(shutil.which(name), self.path("bin", name))
        tree = self.path("upstream/starpu-1.4.10+dfsg")
        write(os.path.join(tree, "configure"), "#!/bin/sh\n" 'echo "${1#--prefix=}" >prefix\n')
        write(os.path.join(tree, "content"), content)
        tarball = self.path("tarball")
        subprocess.run(["tar", "-czf", tarball, "-C", self.path("upstream"), "starpu-1.4.10+dfsg"], check=True)
        self.tool("curl", f'for last; do :; done\necho "$last" >"{self.path("address")}"\n'
                  f'while [ "$1" != -o ]; do shift; done\ncat "{tarball}" >"$2"\n')
        return tarball

    def test_without_apt_starpu_comes_from_the_archive_by_its_sum(self):
        tarball = self.without_apt("as published")
        done = self.call("tools/setup/starpu.sh", "cpu")
        self.assertEqual(done.returncode, 69)
        self.assertIn("is not the file that was published", done.stderr)
        self.assertEqual(self.call("tools/setup/find-starpu", "cpu").stdout, "")
        with open(tarball, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        script = self.path("tools/setup/starpu.sh")
        with open(script, encoding="utf-8") as file:
            text = re.sub(r"(?m)^known_sha256=.*", "known_sha256=" + digest, file.read())
        write(script, text)
        done = self.call("tools/setup/starpu.sh", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("starpu-1.4.10-cpu-", self.call("tools/setup/find-starpu", "cpu").stdout)
        with open(self.path("address"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"\Ahttps?://\S+/pool/main/s/starpu/starpu_1\.4\.10\+dfsg\.orig\.tar\.gz\n\Z")

    def test_without_apt_and_network_only_the_sequential_executor_is_left(self):
        self.without_apt("")
        self.tool("curl", "exit 6\n")
        done = self.call("tools/setup/starpu.sh", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cannot be downloaded: only the sequential executor", done.stderr)

    def test_a_starpu_that_the_system_has_is_used(self):
        self.tool("pkg-config", "exit 0\n")
        self.assertEqual(self.call("tools/setup/find-starpu", "cpu").stdout, "system\n")
        self.assertEqual(self.call("tools/setup/starpu.sh", "cpu").returncode, 0)
        self.assertEqual(os.listdir(self.home), [])

    def test_a_space_in_the_path_of_the_cache_is_refused_with_the_remedy(self):
        self.tool("pkg-config", "exit 1\n")
        self.tool("apt-get", "exit 100\n")
        for name, value in (("HOME", self.path("home")), ("XDG_CACHE_HOME", self.home + "/a\tb")):
            self.env[name] = value
            done = self.call("tools/setup/starpu.sh", "cpu")
            self.assertEqual((done.returncode, done.stdout), (69, ""))
            self.assertIn("stands a space in a path\n", done.stderr)
            self.assertIn("remedy: set XDG_CACHE_HOME to a folder", done.stderr)
            self.assertFalse(os.path.exists(value))
        self.env["XDG_CACHE_HOME"] = os.path.join(self.home, "cache")
        self.assertNotIn("space", self.call("tools/setup/starpu.sh", "cpu").stderr)

    def test_a_starpu_of_the_system_needs_no_cache(self):
        self.tool("pkg-config", "exit 0\n")
        self.env["HOME"] = self.path("home")
        self.assertEqual(self.call("tools/setup/starpu.sh", "cpu").returncode, 0)

    def fake_starpu_source(self):
        """A source package whose configure, make and install take their time and count themselves."""
        self.tool("pkg-config", "exit 1\n")
        source = os.path.join(self.home, ".cache/trellis/starpu-source")
        write(os.path.join(source, "starpu_1.4.10+dfsg-2.dsc"), "")
        count = self.path("count")
        self.tool("dpkg-source", 'for last; do :; done\nmkdir -p "$last"\ncat >"$last/configure" <<\'X\'\n#!/bin/sh\n'
                  'sleep "${SLOW:-0.3}"\necho "${1#--prefix=}" >prefix\nX\nchmod +x "$last/configure"\n')
        self.tool("make", f'case "$*" in "-C src -j"*) echo x >>"{count}" ;; esac\n[ "$1" = install-am ] || exit 0\n'
                  'folder="${2#DESTDIR=}$(cat prefix)/lib/pkgconfig"\nmkdir -p "$folder"\n: >"$folder/starpu-1.4.pc"\n')
        return count

    def test_two_set_ups_at_once_build_starpu_once(self):
        count = self.fake_starpu_source()
        several = [subprocess.Popen(["tools/setup/starpu.sh", "cpu"], cwd=self.root, env=self.env, stderr=subprocess.DEVNULL)
                   for _ in range(3)]
        self.assertEqual([one.wait(60) for one in several], [0, 0, 0])
        with open(count, encoding="utf-8") as file:
            self.assertEqual(file.read(), "x\n")
        self.assertIn("starpu-1.4.10-cpu-", self.call("tools/setup/find-starpu", "cpu").stdout)

    def test_a_killed_set_up_is_repeated_whole(self):
        self.fake_starpu_source()
        self.env["SLOW"] = "30"
        first = subprocess.Popen(["tools/setup/starpu.sh", "cpu"], cwd=self.root, env=self.env,
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(0.5)
        os.killpg(first.pid, 9)
        first.wait()
        self.assertEqual(self.call("tools/setup/find-starpu", "cpu").stdout, "")
        self.env["SLOW"] = "0"
        self.assertEqual(self.call("tools/setup/starpu.sh", "cpu").returncode, 0)
        self.assertIn("starpu-1.4.10-cpu-", self.call("tools/setup/find-starpu", "cpu").stdout)


class Build(Clone):
    """build.sh with a fake meson that counts its calls."""

    def setUp(self):
        super().setUp()
        self.tool("nvcc", "exit 1\n")
        self.tool("pkg-config", "exit 0\n")
        self.tool("ninja", "exit 0\n")
        self.calls = self.path("calls")
        self.tool("meson", f'echo "$* $CXX" >>"{self.calls}"\n'
                  'for word; do case $word in "$PWD"/b*) mkdir -p "$word"; : >"$word/build.ninja" ;; esac; done\n')

    def build(self, *options):
        done = self.call("tools/setup/build.sh", self.path("b"), "program", *options)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        text = ""
        if os.path.exists(self.calls):
            with open(self.calls, encoding="utf-8") as file:
                text = file.read()
            os.remove(self.calls)
        return text.replace(self.root, "ROOT")

    def test_a_folder_is_configured_again_only_where_its_options_or_compilers_change(self):
        self.assertEqual(self.build("--unity", "on"), "setup --unity on ROOT/b ROOT \n")
        self.assertEqual(self.build("--unity", "on"), "")
        self.assertEqual(self.build(), "setup ROOT/b ROOT \n")
        self.env["CXX"] = "clang++"
        self.assertEqual(self.build(), "setup ROOT/b ROOT clang++\n")

    def test_other_libraries_reconfigure_with_the_same_options(self):
        self.build("--unity", "on")
        self.tool("pkg-config", "exit 1\n")
        self.assertEqual(self.build("--unity", "on"), "setup --reconfigure --unity on ROOT/b ROOT \n")

    def test_a_folder_that_was_configured_by_hand_keeps_its_options(self):
        write(self.path("b/build.ninja"), "")
        write(self.path("b/mine"), "")
        self.assertEqual(self.build("--unity", "on"), "")
        self.tool("pkg-config", "exit 1\n")
        self.assertEqual(self.build("--unity", "on"), "setup --reconfigure ROOT/b ROOT \n")
        self.assertEqual(self.build("--unity", "on"), "")
        self.assertTrue(os.path.exists(self.path("b/mine")))
        self.assertTrue(os.path.exists(self.path("b/.ready")))

    def test_phases_say_how_long_they_took(self):
        self.tool("ninja", "sleep 1.2\n")
        done = self.call("tools/setup/build.sh", self.path("b"), "program")
        self.assertRegex(done.stderr, r"trellis: configuration: \d s\n(.*\n)*trellis: program: [1-9] s\n")

    def test_the_list_of_targets_is_todays(self):
        self.tool("ninja", f'echo "$*" >>"{self.calls}"\n')
        self.build()
        done = self.call("tools/setup/build.sh", self.path("b"), "build.ninja")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.calls, encoding="utf-8") as file:
            self.assertEqual(file.read().replace(self.root, "ROOT"), "-C ROOT/b build.ninja\n")
        self.assertFalse(os.path.exists(self.path("b/.begun")))

    def test_only_a_whole_build_is_ready(self):
        done = self.call("tools/setup/build.sh", self.path("b"), "nn-tests replay-csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(self.path("b/.ready")))


class Needs(Clone):
    """setup with the scripts that it calls replaced by ones that write down their words."""

    def setUp(self):
        super().setUp()
        self.calls = self.path("calls")
        for name in ("packages.sh", "starpu.sh", "build.sh"):
            write(self.path("tools/setup", name), f'#!/bin/sh\necho "${{0##*/}} $*" >>"{self.calls}"\n')

    def set_up(self, *words):
        self.assertEqual(self.call("tools/setup/setup", *words).returncode, 0)
        with open(self.calls, encoding="utf-8") as file:
            called = file.read()
        os.remove(self.calls)
        return called

    def test_starpu_for_cuda_is_built_for_a_gpu_or_for_the_tests_of_gpus(self):
        if any(os.path.exists(path) for path in ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")):
            self.skipTest("there is a GPU here")
        for words, wanted in ((["program"], False), (["simulation"], False), (["tests"], True), (["tests", "asan"], False),
                              (["tests", "", "nn-tests"], False), (["gpu", "", "nn-tests"], True)):
            self.assertEqual("starpu.sh cuda" in self.set_up(*words), wanted, words)

    def test_sanitizers_have_folders_and_options_of_their_own(self):
        self.assertIn("/build program --unity on", self.set_up("program"))
        self.assertIn("/build all --unity on", self.set_up("tests"))
        asked = self.set_up("tests", "sanitizers", "a b")
        self.assertIn("/build-sanitizers a b --unity on", asked)
        self.assertIn("-Db_sanitize=address,undefined", asked)


class RunTests(Clone):
    def run_tests(self, meson, *words):
        write(self.path("tools/setup/setup"), SETUP)
        self.tool("meson", meson)
        done = self.call("tools/run-tests", *words)
        return done.stdout.strip().split("\n")[-1], done.returncode

    def test_a_meson_that_dies_on_the_way_has_not_passed(self):
        one = ('mkdir -p meson-logs\necho \'{"name": "trellis:unit / a", "result": "OK"}\' '
               '>meson-logs/testlog-default.json\n')
        self.assertEqual(self.run_tests(one), ("1 passed, 0 failed, 0 skipped", 0))
        self.assertEqual(self.run_tests(one + "kill -9 $$\n"), ("1 passed, 0 failed, 0 skipped", 1))
        self.assertEqual(self.run_tests(one + "exit 2\n"), ("1 passed, 0 failed, 0 skipped", 1))
        self.assertEqual(self.run_tests("echo a\n", "--list"), ("a", 0))


class Counting(Clone):
    def count(self, tests, reports):
        """tests: name -> meson's word; reports: name -> GoogleTest's testcase elements."""
        log = "".join(f'{{"name": "trellis:unit / {name}", "result": "{result}"}}\n' for name, result in tests)
        write(self.path("b/meson-logs/testlog-default.json"), log)
        for name, cases in reports.items():
            write(self.path("b", name + ".xml"), f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        done = self.call("python3", self.path("tools/count-tests"), self.path("b"))
        return done.stdout.strip().split("\n")[-1], done.returncode

    def test_cases_are_counted_where_reported(self):
        cases = '<testcase status="run"/><testcase status="run"><skipped/></testcase><testcase status="notrun"/>'
        self.assertEqual(self.count([("a", "OK"), ("b", "OK"), ("c", "SKIP")], {"a": cases}),
                         ("2 passed, 0 failed, 3 skipped", 0))

    def test_failures_crashes_and_time_outs_count(self):
        bad = '<testcase status="run"/><testcase status="run"><failure/></testcase>'
        self.assertEqual(self.count([("a", "FAIL"), ("b", "TIMEOUT")], {"a": bad}), ("1 passed, 2 failed, 0 skipped", 1))
        self.assertEqual(self.count([("d", "ERROR")], {"d": '<testcase status="run"/>'}), ("1 passed, 1 failed, 0 skipped", 1))

    def test_nothing_run_and_equal_names_are_failures(self):
        self.assertEqual(self.count([], {}), ("0 passed, 0 failed, 0 skipped", 1))
        self.assertEqual(self.count([("a", "OK"), ("a", "OK")], {}), ("2 passed, 1 failed, 0 skipped", 1))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
