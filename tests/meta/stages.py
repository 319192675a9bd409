#!/usr/bin/env python3
"""What continuous integration runs (tools/run-stages) adds up its stages and is red where one of them is; a part of
the tests builds only its own targets (tools/test-targets); an edit of tools/mutate finds its line again."""
import json
import os
import re
import sys
import unittest

import launcher

RUN_TESTS = """#!/bin/sh
[ -z "${CI-}" ] || exit 9
echo "ran $* isa=${TRELLIS_ISA-} core=${OPENBLAS_CORETYPE-}" >>"$RECORD"
case $* in
  *sanitizers*) %s ;;
  *bits*) echo "1 passed, 0 failed, 2 skipped" ;;
  *tsan* | *slow* | *cluster* | *engines*) echo "1 passed, 0 failed, 0 skipped" ;;
  *) printf 'failed: x\\n%s\\n' ;;
esac
"""
GREEN = "10 passed, 0 failed, 1 skipped"


class Stages(launcher.Clone):
    def stages(self, sanitizers="true", gcc=GREEN, tidy="exit 0", seconds="600"):
        launcher.write(self.path("tools/run-tests"), RUN_TESTS % (sanitizers, gcc))
        launcher.write(self.path("tools/tidy"), f"#!/bin/sh\n{tidy}\n")
        launcher.write(self.path("tools/mutate"), "#!/bin/sh\n")
        self.env.update(RECORD=self.path("record"), CI="true", TRELLIS_CI_SECONDS=seconds)
        done = self.call("tools/run-stages", "--all")
        return done.stdout.strip().split("\n")[-2:], done.returncode, done.stdout

    def test_counts_add_up_and_the_line_before_names_the_cache(self):
        last, status, _ = self.stages()
        with open(self.path("record"), encoding="utf-8") as file:
            bits = file.read().count("--suite bits isa=")
        self.assertEqual(last[1], f"{10 + bits + 7} passed, 0 failed, {1 + 2 * bits} skipped")
        self.assertRegex(last[0], r"^ci: .*, \d+ s$")
        self.assertEqual(status, 0)

    def test_each_stage_can_make_it_red_and_stops_no_other(self):
        for broken in ({"sanitizers": "exit 1"}, {"sanitizers": f"echo {GREEN}; exit 3"}, {"tidy": "exit 1"},
                       {"gcc": "9 passed, 1 failed, 0 skipped"}):
            last, status, whole = self.stages(**broken)
            self.assertRegex(last[1], r"^\d+ passed, 1 failed, \d+ skipped$", broken)
            self.assertEqual((status, len(re.findall(r"^== tidy:", whole, re.MULTILINE))), (1, 1), broken)

    def test_a_skipped_stage_is_counted_as_such(self):
        before = self.stages()[0][1]
        after = self.stages(tidy="exit 77")[0][1]
        self.assertEqual(int(after.split()[4]), int(before.split()[4]) + 1)

    def test_a_stage_that_takes_too_long_fails(self):
        last, status, whole = self.stages(sanitizers="sleep 60", seconds="3")
        self.assertRegex(last[1], r", 7 failed,")  # the next six find no time left
        self.assertEqual((status, whole.count("out of time")), (1, 14))

    def test_the_cache_line_tells_warm_from_cold(self):
        for hits, misses, word in ((9, 1, "warm (90% hits)"), (1, 9, "cold (10% hits)")):
            results = "\\n".join(["# a.cpp", "direct_cache_hit"] * hits + ["# b.cpp", "cache_miss"] * misses)
            last, _, _ = self.stages(tidy=f'printf "{results}\\n" >>"$CCACHE_STATSLOG"')
            self.assertIn(f"ci: compiler cache {word}, ", last[0])


class Targets(launcher.Clone):
    def targets(self, *words):
        build = os.path.realpath(self.path("build"))
        os.makedirs(build, exist_ok=True)
        tests = [{"name": "a", "suite": ["trellis:unit"], "depends": ["1"]},
                 {"name": "b c", "suite": ["trellis:unit", "trellis:bits"], "depends": ["1", "2"]},
                 {"name": "d", "suite": ["trellis:meta"], "depends": []}]
        targets = [{"id": "1", "filename": [f"{build}/x/one"]}, {"id": "2", "filename": [f"{build}/x/two.so"]}]
        launcher.write(self.path("--tests"), json.dumps(tests))
        launcher.write(self.path("--targets"), json.dumps(targets))
        self.tool("meson", f'cat "{self.root}/$2"\n')
        done = self.call("python3", self.path("tools/test-targets"), build, *words)
        return done.stdout.split() if done.returncode == 0 else done.stderr

    def test_only_what_is_needed(self):
        self.assertEqual(self.targets("a"), ["x/one"])
        self.assertEqual(self.targets("--suite", "bits"), ["x/one", "x/two.so"])
        self.assertEqual(self.targets("--suite", "bits", "a"), [])
        self.assertEqual(self.targets("d"), [])

    def test_a_wrong_name_is_an_error(self):
        self.assertIn("there is no test 'b d', did you mean b c?", self.targets("b d"))
        self.assertIn("there is no suite 'unti', did you mean unit?", self.targets("--suite", "unti"))


class Edits(launcher.Clone):
    SOURCE = "namespace a {\nint f() {\n  x = 1;\n  x = 1;\n}\nint g() {\n  x = 1;\n  y = 2;\n}\n}\n"

    def check(self, source, **edit):
        launcher.write(self.path("nn/a.cpp"), source)
        edit = {"number": 1, "file": "nn/a.cpp", "replace": ";", "tests": ["nn"], **edit}
        launcher.write(self.path("list"), json.dumps([edit]))
        return self.call("python3", self.path("tools/mutate"), "--check", "--list", self.path("list")).returncode

    def test_a_line_is_found_by_its_function(self):
        for function, text, nth, status in [("int f() {", "x = 1;", 1, 0), ("int f() {", "x = 1;", 2, 1),
                                            ("int g() {", "x = 1;", 0, 0), ("int h() {", "x = 1;", 0, 1),
                                            ("int h() {", "y = 2;", 0, 0), ("int g() {", "y = 3;", 0, 1)]:
            self.assertEqual(self.check(self.SOURCE, function=function, text=text, nth=nth), status, (function, text))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
