#!/usr/bin/env python3
"""The checks of the golden values on small books and sources that are right or wrong in one way each."""
import json
import tempfile
import unittest
from pathlib import Path

import book
import pure_tasks

WHY = "the sum has another order"
ENTRIES = {"arithmetic/kernels": "4", "arithmetic/plain": "cpu a; gcc 12", "exports/tpe plain": "e1",
           "keys/train": ["train", 3, "aa", "k1"], "keys/train: sgd": ["train", 3, "bb", "k2"], "weights/dense plain": "w1"}
BASE = book.checksum(book.table_text(ENTRIES))


class Books(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "keys.json")
        self.path.write_text(json.dumps({"changes": [], "entries": ENTRIES}))

    def open(self, rewrite="", why=WHY):
        return book.Book(self.path, rewrite, why, BASE)

    def rewrite(self, why=WHY, **found):
        """Writes entries, given with their part as the keyword; returns the faults afterwards."""
        golden = self.open("1", why)
        for part, entries in found.items():
            golden.compare(part + "/", "", entries)
        return self.open().faults()

    def expect(self, faults, *words):
        self.assertEqual(len(faults), len(words), faults)
        for fault, word in zip(faults, words):
            self.assertIn(word, fault)

    def test_a_book_that_nobody_changed_is_right(self):
        self.assertEqual(self.open().faults(), [])

    def test_values_that_differ_lack_or_are_new_are_named(self):
        found = {"keys/train": ["train", 4, "aa", "k9"], "keys/new": ["new", 1, "", "k3"]}
        self.expect(self.open().compare("keys/", "", found), "no golden value is stored",
                    "version was 3 and is 4; key was k1 and is k9", "nothing computes it any more")
        self.assertEqual(self.open().compare("weights/", " plain", {"weights/dense plain": "w1"}), [])
        self.assertEqual(self.open().compare("weights/", " plain", {}, ["weights/dense plain"]), [])

    def test_the_first_byte_that_differs_is_named_with_what_stands_before(self):
        words = book.other_bytes(b"\x02lr\x00\x01".hex(), b"\x02lr\x00\x02\x03".hex())
        self.assertEqual(words, "constants differ from byte 4 on, after 'lr': there were 01 and are 0203")
        self.assertIn("and are none", book.other_bytes("0102", "01"))

    def test_a_new_version_takes_its_keys_and_weights_along(self):
        keys = {"keys/train": ["train", 4, "ac", "k3"], "keys/train: sgd": ["train", 4, "bb", "k4"]}
        self.assertEqual(self.rewrite(keys=keys, weights={"weights/dense plain": "w2"}), [])
        self.assertEqual(self.open().compare("keys/", "", keys), [])
        self.assertEqual(len(self.open().changes), 1)

    def test_other_constants_need_a_new_version(self):
        keys = {**{name: ENTRIES[name] for name in ENTRIES if name.startswith("keys/")}, "keys/train": ["train", 3, "ac", "k3"]}
        self.expect(self.rewrite(keys=keys), "raise the version of the task 'train'")

    def test_a_key_may_follow_its_inputs(self):
        keys = {"keys/train": ["train", 3, "aa", "k3"], "keys/train: sgd": ["train", 3, "bb", "k4"]}
        self.assertEqual(self.rewrite(keys=keys), [])

    def test_other_weights_need_a_new_number(self):
        self.expect(self.rewrite(weights={"weights/dense plain": "w2"}), "no number did")
        self.assertEqual(self.rewrite(arithmetic={**{name: ENTRIES[name] for name in ("arithmetic/plain",)},
                                                  "arithmetic/kernels": "5"}), [])

    def test_exports_need_a_reason_alone(self):
        self.assertEqual(self.rewrite(exports={"exports/tpe plain": "e2"}), [])
        with self.assertRaises(SystemExit):
            self.rewrite("tpe", exports={"exports/tpe plain": "e3"})

    def test_what_is_taken_back_leaves_no_change(self):
        self.rewrite(exports={"exports/tpe plain": "e2"})
        self.rewrite(exports={"exports/tpe plain": "e1"})
        self.assertEqual(self.open().changes, [])

    def test_an_entry_changed_by_hand_is_found(self):
        for hand in ({"weights/dense plain": "w2"}, {"weights/new plain": "w3"}):
            self.path.write_text(json.dumps({"changes": [], "entries": {**ENTRIES, **hand}}))
            self.expect(self.open().faults(), "no change names it")
        change = {"why": WHY, "was": {"exports/tpe plain": "e1"}}
        self.path.write_text(json.dumps({"changes": [change], "entries": ENTRIES}))
        self.expect(self.open().faults(), "the same value before and after")
        self.path.write_text(json.dumps({"changes": [{"why": WHY}], "entries": ENTRIES}))
        self.expect(self.open().faults(), 'expected "why" and "was"')

    def test_another_arithmetic_is_named_and_written_on_request_alone(self):
        for rewrite in ("", "1"):
            other, problems = self.open(rewrite).check_arithmetic("plain", "kern 4; cpu a; gcc 13")
            self.assertEqual((other, problems), ("values for plain are stored with gcc 12, here is gcc 13", []))
        self.assertEqual(self.open().check_arithmetic("plain", "kern 4; cpu a; gcc 12"), ("", []))
        self.expect(self.open().check_arithmetic("plain", "kern 5; cpu a; gcc 12")[1], "golden value is 4, here it is 5")
        self.assertEqual(self.open("arithmetic").check_arithmetic("plain", "kern 4; cpu a; gcc 13"), ("", []))
        self.assertEqual(self.open().entries["arithmetic/plain"], "cpu a; gcc 13")


class PureTasks(unittest.TestCase):
    def expect(self, text, names, *problems):
        found, wrong = pure_tasks.names_in("tasks/a.cpp", text)
        self.assertEqual(found, names)
        self.assertEqual(len(wrong), len(problems), wrong)
        for problem, words in zip(wrong, problems):
            self.assertIn(words, problem)

    def test_names_are_found_wherever_a_task_is_made(self):
        self.expect('rt::task("a", 1).cpu(f).pure(); rt::task("b", 2).cpu(f);', {"a"})
        self.expect('rt::task("b", 2).cpu(f); x = rt::task("c d", kVersions.c)\n  .cpu(f)\n  .pure()\n;', {"c d"})
        helper = "auto scoring(const char* name, int version) {\n  return rt::task(name, version).cpu(f).pure();\n}\n"
        self.expect(helper + 'scoring<[](auto x) { return x; }>("e", 4); scoring<&f>("g", 1);', {"e", "g"})

    def test_a_name_that_cannot_be_told_is_a_problem(self):
        self.expect("auto make(const char* name) {\n  return rt::task(name, 1).cpu(f).pure();\n}\n", set(), "cannot tell")
        self.expect("task.pure();\n", set(), "no rt::task")


if __name__ == "__main__":
    unittest.main()
