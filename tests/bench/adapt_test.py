#!/usr/bin/env python3
"""The tasks of bench/adapt are the same at every run, its figures are what they say, and an interrupted run goes on.

usage: adapt_test.py [TRELLIS]
"""
import json
import math
import os
import random
import struct
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "adapt"))

import adapt
import drawing
import figures
import files
import methods
import play
import points
import report
import study
import tasks

TRELLIS = sys.argv.pop() if len(sys.argv) > 1 else None


def here():
    return [task for task in tasks.TASKS.values() if task.there()]


class Generators(unittest.TestCase):
    def test_every_task_has_a_twin_with_other_rows(self):
        held = [name for name in tasks.TASKS if not name.startswith("dev-")]
        self.assertGreaterEqual(len(held), 14)
        self.assertEqual({"dev-" + name for name in held}, set(tasks.TASKS) - set(held))
        for task in here():
            twin = tasks.TASKS.get("dev-" + task.name)
            if twin:
                self.assertEqual((twin.nature, twin.network, twin.classes), (task.nature, task.network, task.classes))
                self.assertNotEqual(twin.drawn("test", 5), task.drawn("test", 5), task.name)

    def test_rows_follow_from_name_and_part(self):
        again = {task.name: task for task in tasks.all_tasks()}
        for task in here():
            self.assertEqual(task.drawn(1, 5), again[task.name].drawn(1, 5), task.name)
            self.assertNotEqual(task.drawn(1, 5), task.drawn(2, 5), task.name)
            self.assertEqual(task.fingerprint, again[task.name].fingerprint, task.name)

    def test_answers_fit_the_task(self):
        for task in here():
            answers = {answer for _, answer in task.drawn("answers", 200)}
            self.assertEqual(len(answers) <= 10, task.classes, task.name)
            self.assertGreater(len(answers), 1, task.name)

    def test_default_are_the_held_out_ones_and_wildcards_work(self):
        self.assertFalse(any(task.name.startswith("dev-") for task in tasks.chosen([])))
        self.assertEqual([task.name for task in tasks.chosen(["dev-spir*"])], ["dev-spirals"])
        with self.assertRaises(ValueError):
            tasks.chosen(["no-such-task"])

    def test_formulas(self):
        row, answer = points.parity(5, 3, 0.0, True)(random.Random(1))
        self.assertEqual(answer, int(row[0] * row[1] * row[2] > 0))
        row, answer = points.folds(1, 2, 0.0)(random.Random(1))
        self.assertAlmostEqual(answer, abs(2 * abs(2 * row[0] - 1) - 1))


class Files(unittest.TestCase):
    def test_tensors_lie_where_the_head_says(self):
        content = files.arrays({"": [([1.0, 2.0], 0), ([3.0, 4.0], 1)]}, (), True)
        size = struct.unpack("<Q", content[:8])[0]
        head = json.loads(content[8:8 + size])
        begin, end = head["x"]["data_offsets"]
        self.assertEqual(head["x"]["shape"], [2, 2])
        self.assertEqual(struct.unpack("<4f", content[8 + size:][begin:end]), (1.0, 2.0, 3.0, 4.0))
        begin, end = head["y"]["data_offsets"]
        self.assertEqual(content[8 + size:][begin:end], b"\0\1")

    def test_a_missing_field_is_empty(self):
        self.assertEqual(files.table(["a", "b", "answer"], [([1.5, None], "yes")]), b"a,b,answer\n1.5,,yes\n")


class Methods(unittest.TestCase):
    def test_fields(self):
        task = tasks.TASKS["line"]
        self.assertEqual(methods.policy("race:every=2:price=0.001", task, (8, 2)), "{policy: race, every: 2, price: 0.001}")
        self.assertIsNone(methods.policy("none", task, (8, 2)))

    def test_a_rival_plays_where_it_can_from_a_size_of_its_own(self):
        self.assertEqual([cell.size for cell in adapt.policy_cells(tasks.TASKS["line"], "gromo", 2)], [(8, 2)] * 2)
        for name in ("folds", "shapes", "table-numbers"):
            self.assertEqual(list(adapt.policy_cells(tasks.TASKS[name], "gromo", 2)), [])

    def test_schedule_ends_at_its_width(self):
        for width in study.STARTS:
            self.assertTrue(methods.policy("schedule", tasks.TASKS["line"], (width, 2)).endswith("to: 128}}]}}"))


def result(score, train, row):
    return {"score": score, "valid": score, "train": train, "row": row, "shape": "", "seconds": 0}


def results(scores, train, row):
    return [result(score, train, row) for score in scores]


class Figures(unittest.TestCase):
    FIXED = {(8, 2): results([80.0, 82.0], 10, 1), (64, 2): results([90.0, 91.6], 100, 10),
             (512, 2): results([91.0, 91.4], 1000, 100)}

    def row(self, ours, sweep, start=(8, 2)):
        return {"task": "t", "method": "m", "nature": "", "start": start, **figures.row_of(ours, self.FIXED, sweep, start)}

    def test_a_row(self):
        row = self.row(results([90.0, 91.0], 60, 20), results([91.0, 91.0], 200, 100))
        self.assertEqual((row["best"], row["small"]), ((512, 2), (64, 2)))
        self.assertAlmostEqual(row["lost"], 0.7)
        self.assertAlmostEqual(row["error"], 0.3)
        self.assertAlmostEqual(row["alone"], -9.5)
        self.assertAlmostEqual(row["cost"], 0.3)
        self.assertAlmostEqual(row["fair_cost"], 0.3)
        self.assertAlmostEqual(row["row_ratio"], 2)

    def test_a_sweep_that_fails_is_no_price(self):
        row = self.row(results([90.0, 91.0], 60, 20), results([80.0, 80.0], 20, 1))
        self.assertAlmostEqual(row["cost"], 3)
        self.assertAlmostEqual(row["fair_cost"], 0.06)

    def test_bars(self):
        sweep = results([91.0, 91.0], 200, 100)
        rows = [self.row(results([92.0, 92.0], 40, 10), sweep), self.row(results([89.0, 90.4], 40, 10), sweep, (64, 2))]
        found = {name: value for name, value, *_ in figures.bars(rows)}
        self.assertAlmostEqual(found["lost, mean"], 0.35)
        self.assertAlmostEqual(found["lost, gains counted as 0"], 0.75)
        self.assertAlmostEqual(found["lost, worst"], 1.5)
        self.assertAlmostEqual(found["starts apart, worst"], 2.3)
        self.assertAlmostEqual(found["training over the sweep's, mean"], 0.2)
        self.assertAlmostEqual(found["below the start left alone, worst"], 1.1)
        # Losses of -1.0 and -0.6, of 2.0 and 1.0: variances of .08 and .5, two seeds.
        self.assertAlmostEqual(found["lost, worst less two standard errors"], 1.5 - 2 * math.sqrt(0.29 / 2))

    def test_one_seed_has_no_error_and_allows_nothing(self):
        fixed = {size: own[:1] for size, own in self.FIXED.items()}
        row = {"task": "t", "method": "m", "start": (8, 2),
               **figures.row_of(results([90.0], 60, 20), fixed, results([91.0], 200, 100), (8, 2))}
        self.assertTrue(math.isnan(row["error"]))
        self.assertIsNone(report.plain(row)["error"])
        found = {name: value for name, value, *_ in figures.bars([row])}
        self.assertEqual(found["lost, worst less two standard errors"], row["lost"])

    def test_cases_are_json(self):
        rows = [self.row(results([90.0, 91.0], 60, 20), results([91.0, 91.0], 200, 100))]
        json.dumps(figures.cases("m", rows), allow_nan=False)
        self.assertIn("512x2", report.table("m", rows))


def made_up(task, seeds):
    """A result for every cell of the task."""
    cells = [*adapt.fixed_cells(task, seeds), *adapt.policy_cells(task, "race", seeds)]
    return {cell: result(80 + 2 * i % 7, 100 + i, 10 + i) for i, cell in enumerate(cells)}


class Cells(unittest.TestCase):
    def test_a_task_has_all_of_them(self):
        self.assertEqual(len(list(adapt.fixed_cells(tasks.TASKS["line"], 2))), 2 * 8)
        self.assertEqual(len(list(adapt.fixed_cells(tasks.TASKS["folds"], 1))), 29)
        cells = list(adapt.policy_cells(tasks.TASKS["line"], "none", 1))
        self.assertEqual({cell.kind for cell in cells}, {"fixed"})
        self.assertTrue(set(cells) <= set(adapt.fixed_cells(tasks.TASKS["line"], 1)))

    def test_reports_of_made_up_results(self):
        suite = [tasks.TASKS["line"], tasks.TASKS["folds"]]
        found = {**made_up(suite[0], 2), **made_up(suite[1], 2)}
        self.assertEqual(len(adapt.rows_of("race", suite, 2, found)), 6)
        self.assertEqual(report.csv_of(found).count("\n"), len(found) + 1)
        xml.etree.ElementTree.fromstring(drawing.figure(suite, ["race"], found))

    @unittest.skipUnless(TRELLIS, "needs the program")
    def test_a_second_run_reads_what_the_first_one_left(self):
        with tempfile.TemporaryDirectory() as folder:
            task = tasks.TASKS["table-numbers"]
            cells = [next(adapt.fixed_cells(task, 1)), *list(adapt.policy_cells(task, "race", 1))[:1]]
            player = play.Player(TRELLIS, folder)
            self.assertIsNone(player.known(cells[0]))
            first, failed = adapt.played(player, cells, 2)
            self.assertEqual((failed, len(first)), ([], 2))
            for one in first.values():
                self.assertGreater(one["train"], 0)
            again = play.Player(TRELLIS, folder)
            again.run = self.fail
            self.assertEqual(adapt.played(again, cells, 1)[0], first)
            again.program = "another build"
            self.assertIsNotNone(again.known(cells[0]))
            self.assertIsNone(again.known(cells[1]))

    @unittest.skipUnless(TRELLIS, "needs the program")
    def test_a_policy_that_is_none_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            cell = next(adapt.policy_cells(tasks.TASKS["table-numbers"], "nonesuch", 1))
            with self.assertRaisesRegex(play.Failed, "nonesuch"):
                play.Player(TRELLIS, folder).check(cell)

    @unittest.skipUnless(TRELLIS, "needs the program")
    def test_sweeps_count_the_trials_that_were_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            task = tasks.TASKS["table-numbers"]
            fixed = {cell.size[0]: cell for cell in adapt.fixed_cells(task, 1) if cell.size}
            sweep = [cell for cell in adapt.fixed_cells(task, 1) if not cell.size]
            found, failed = adapt.played(play.Player(TRELLIS, folder), [fixed[8], fixed[512], *sweep], 2)
            self.assertEqual(failed, [])
            # Each of seven widths trains one epoch of forty at least, and not all of them to the end.
            swept = found[sweep[0]]["train"]
            self.assertGreater(swept, found[fixed[512]]["train"] / 50)
            self.assertLess(swept, 2 * found[fixed[512]]["train"])


if __name__ == "__main__":
    unittest.main()
