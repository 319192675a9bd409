#!/usr/bin/env python3
"""The problems of bench/quality have the optima they claim, searches play in virtual time, figures are what they say.

usage: quality_test.py TRELLIS
"""
import itertools
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "quality"))

import figures
import functions
import mixed
import play
import problems
import solver
import tables

TRELLIS = sys.argv.pop() if len(sys.argv) > 1 else None
BRANIN = [((math.pi + 5) / 15, 2.275 / 15), ((5 - math.pi) / 15, 12.275 / 15), ((9.42478 + 5) / 15, 2.475 / 15)]
HARTMANN = (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573)
MICHALEWICZ = (2.202906 / math.pi, 1.570796 / math.pi, 1.284992 / math.pi, 1.923058 / math.pi, 1.720470 / math.pi)


def as_params(x):
    return {f"x{i}": value for i, value in enumerate(x)}


def problem(name):
    return problems.chosen([name])[0]


class Optima(unittest.TestCase):
    def test_turned_functions_are_zero_at_their_minimum_and_above_elsewhere(self):
        for name, how in functions.TURNED.items():
            turned = functions.Turned(name, *how)
            self.assertAlmostEqual(turned(turned.minimum()), 0, places=9, msg=name)
            stream = random.Random(name)
            for _ in range(50):
                near = [x + stream.gauss(0, 0.05) for x in turned.minimum()]
                self.assertGreater(turned(near), 0, name)

    def test_rotations_keep_lengths(self):
        rows = functions.rotation(7, random.Random(1))
        for a, b in itertools.product(range(7), range(7)):
            self.assertAlmostEqual(sum(x * y for x, y in zip(rows[a], rows[b])), float(a == b), places=12)

    def test_published_optima(self):
        for point in BRANIN:
            self.assertAlmostEqual(problem("branin-2").loss(as_params(point)), problem("branin-2").best, places=5)
        self.assertAlmostEqual(problem("hartmann-6").loss(as_params(HARTMANN)), problem("hartmann-6").best, places=5)
        self.assertAlmostEqual(problem("michalewicz-5").loss(as_params(MICHALEWICZ)), problem("michalewicz-5").best, places=3)
        lowest = [(-2.903534 + 5) / 10] * 7
        self.assertAlmostEqual(problem("styblinski-7").loss(as_params(lowest)), problem("styblinski-7").best, places=4)

    def test_words_by_trying_all(self):
        words = mixed.words()
        pairs = [p.choices for p in words.parameters]
        rest = {p.name: p.choices[0] for p in words.parameters}
        # The pairs are independent, so each can be tried with the others held.
        best = {}
        for i in range(0, 8, 2):
            two = min(itertools.product(pairs[i], pairs[i + 1]),
                      key=lambda ab: words.loss({**rest, f"w{i}": ab[0], f"w{i + 1}": ab[1]}))
            best.update({f"w{i}": two[0], f"w{i + 1}": two[1]})
        self.assertAlmostEqual(words.loss(best), words.best, places=12)

    def test_nothing_is_below_the_best(self):
        for one in problems.chosen([]):
            stream = random.Random(one.name)
            for _ in range(200):
                self.assertGreaterEqual(one.loss(one.drawn(stream)), one.best - 1e-9, one.name)
            self.assertGreater(one.middling, one.best, one.name)

    def test_a_search_near_by_comes_close_to_the_best(self):
        for one in (mixed.training(), mixed.steps(), mixed.branches(), mixed.nested()):
            stream, best, loss = random.Random(3), None, math.inf
            for i in range(30000):
                params = one.drawn(stream)
                if best and i > 3000:
                    params = moved(one, best, stream)
                if one.loss(params) < loss:
                    best, loss = params, one.loss(params)
            self.assertLess(one.regret(loss), 0.02, one.name)


def moved(one, params, stream):
    """One or two parameters drawn anew, what hangs on them too."""
    names = stream.sample([p.name for p in one.parameters], 2)
    out = {}
    for parameter in one.parameters:
        if not parameter.exists(out):
            continue
        known = parameter.name in params and parameter.name not in names
        out[parameter.name] = params[parameter.name] if known else parameter.drawn(stream)
        if known and parameter.kind == "float" and stream.random() < 0.3:
            step = stream.gauss(0, 0.03) * (parameter.high - parameter.low)
            out[parameter.name] = min(max(out[parameter.name] + step, parameter.low), parameter.high)
    return out


class Tables(unittest.TestCase):
    def test_lines_of_the_grid_are_met_and_between_them_is_between(self):
        one = tables.Table({"axes": [{"name": "a", "kind": "float", "values": [1.0, 10.0, 100.0], "log": True},
                                     {"name": "w", "kind": "choice", "values": ["p", "q"], "log": False}],
                            "losses": [0.0, 1.0, 2.0, 3.0, 6.0, 5.0]})
        self.assertEqual(one.at({"a": 10.0, "w": "q"}), 3.0)
        self.assertAlmostEqual(one.at({"a": math.sqrt(10), "w": "p"}), 1.0)
        self.assertEqual(one.at({"a": 100.0, "w": "p"}), 6.0)

    def test_depth_takes_no_more_widths_than_layers(self):
        one, stream = problem("depth-digits"), random.Random(2)
        for _ in range(100):
            params = one.drawn(stream)
            self.assertEqual(sum(name.startswith("width") for name in params), params["depth"])


class Counting:
    """Notes how many trials are open."""

    def __init__(self, one):
        self.one, self.open, self.most, self.stream = one, 0, 0, random.Random(0)

    def ask(self):
        self.open += 1
        self.most = max(self.most, self.open)
        return None, self.one.drawn(self.stream)

    def tell(self, _, loss):
        self.open -= 1


class Playing(unittest.TestCase):
    def test_slots_are_filled_and_every_trial_is_told(self):
        one = problem("branin-2")
        for slots in (1, 8):
            search = Counting(one)
            self.assertEqual(len(play.losses(one, search, 1, slots, 30)), 30)
            self.assertEqual((search.open, search.most), (0, slots))

    def test_regrets_fall(self):
        one = problem("sphere-5")
        regrets = play.regrets(one, play.losses(one, Counting(one), 1, 1))
        falling = [value for value, trials in zip(regrets, play.CHECKPOINTS) if trials <= play.TRIALS]
        self.assertEqual(regrets, falling + [None] * (len(regrets) - len(falling)))
        self.assertEqual(falling, sorted(falling, reverse=True))
        self.assertTrue(all(0 <= value <= 1 for value in falling))

    @unittest.skipUnless(TRELLIS, "needs the program")
    def test_the_program_plays_every_problem_the_same_twice(self):
        programs = [solver.Program(TRELLIS, "tpe") for _ in range(2)]
        for one in problems.chosen([]):
            first, second = (play.losses(one, program.search(one, 5), 5, 8, 25) for program in programs)
            self.assertEqual(first, second, one.name)
            self.assertGreater(len(set(first)), 3, one.name)
        for program in programs:
            program.close()


class Figures(unittest.TestCase):
    A = {"p": [[0.1], [0.3]], "q": [[0.4], [0.4]]}
    B = {"p": [[0.2], [0.2]], "q": [[0.8], [0.4]], "r": [[1.0], [1.0]]}

    def test_means(self):
        self.assertAlmostEqual(figures.mean(self.A, 0), 0.3)
        self.assertAlmostEqual(figures.geometric(self.A, 0), math.sqrt(0.2 * 0.4))

    def test_only_shared_problems_are_compared(self):
        case = figures.compared("a", self.A, "b", self.B, 0, 50)[0]
        self.assertAlmostEqual(case["rival_value"], 0.4)
        self.assertAlmostEqual(case["ratio"], 0.4 / 0.3)
        self.assertAlmostEqual(case["gap"], -0.1)
        self.assertAlmostEqual(case["half"], 12.71 * 0.15 * math.sqrt(2) / math.sqrt(2), places=2)


if __name__ == "__main__":
    unittest.main()
