#!/usr/bin/env python3
"""Policies that let a network find its size, beside fixed networks and the sweep that a person would run.

A method is a policy of `adapt:`, with fields as in race:every=2:price=0.001; command:FILE is a Python program that decides,
plugin:FILE a policy from a shared library (docs/policies-of-your-own.md); none leaves the network as it is; gromo is another
library's growing network, where TRELLIS_RIVALS_PYTHON has it. Standard output: one JSON object, {"cells": [...], "cases": [...]};
progress, and a table for each method, go to standard error. Every finished cell is kept in --cache, so that an interrupted run
goes on.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import time

import drawing
import figures
import methods
import play
import report
import study
import tasks

QUICK = ("line", "waves", "noisy-teacher", "table-numbers", "parity-sparse")
TOLD = 30  # seconds between two lines of progress


def present(suite):
    """The tasks whose data are here; the others are named."""
    for task in suite:
        if not task.there():
            print(f"adapt: {task.name} is left out: its data are neither in $TRELLIS_DATA nor in /usr/share/datasets",
                  file=sys.stderr)
    return [task for task in suite if task.there()]


def data_names(task, seed):
    """(rows, test rows or None)"""
    return (*task.files(seed), None)[:2]


def fixed_cells(task, seeds):
    for seed in range(seeds):
        data = data_names(task, seed)
        for size in study.sizes(task):
            yield play.Cell(task, "fixed", size, seed, study.fixed(task, data, seed, size))
        yield play.Cell(task, "sweep", (), seed, study.sweep(task, data, seed))


def policy_cells(task, method, seeds):
    """What `none` does is what a fixed network of that size does; a rival begins with a size of its own."""
    for seed in range(seeds):
        if method in methods.RIVALS:
            if task.network == "dense" and not task.is_table:
                yield play.Cell(task, method, study.starts(task)[0], seed, study.for_rival(task, seed))
            continue
        for size in study.starts(task):
            policy = methods.policy(method, task, size)
            if policy is None:
                yield play.Cell(task, "fixed", size, seed, study.fixed(task, data_names(task, seed), seed, size))
            else:
                yield play.Cell(task, method, size, seed, study.adaptive(task, data_names(task, seed), seed, size, policy))


def played(player, cells, workers):
    """({cell: result}, [messages of what failed])"""
    results, failed, begun, told = {}, [], time.monotonic(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(player.play, cell): cell for cell in cells}
        try:
            for number, done in enumerate(concurrent.futures.as_completed(running)):
                cell = running[done]
                try:
                    results[cell] = done.result()
                except play.Failed as problem:
                    failed.append(f"{cell.task.name}, {cell.name}: {problem}")
                if time.monotonic() > told + TOLD:
                    told = time.monotonic()
                    print(f"{number + 1} of {len(running)} cells after {told - begun:.0f} s", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {cell: results[cell] for cell in cells if cell in results}, failed


def rows_of(method, suite, seeds, results):
    """figures.row_of for every task and start."""
    rows = []
    for task in suite:
        fixed, sweep, ours = {}, [], {}
        for cell in fixed_cells(task, seeds):
            (fixed.setdefault(cell.size, []) if cell.size else sweep).append(results[cell])
        for cell in policy_cells(task, method, seeds):
            ours.setdefault(cell.size, []).append(results[cell])
        rows += [{"method": method, "task": task.name, "nature": task.nature, "start": start,
                  **figures.row_of(own, fixed, sweep, start)} for start, own in ours.items()]
    return rows


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trellis", required=True, help="the program")
    parser.add_argument("--cache", required=True, help="folder for data and finished cells")
    parser.add_argument("--seeds", type=int, default=0, help="draws of the training rows and trainings (default: 3)")
    parser.add_argument("--problems", default="", help="tasks, with commas between, wildcards too; default: all held-out ones")
    parser.add_argument("--methods", default="auto", help="policies, with commas between them")
    parser.add_argument("--workers", type=int, default=0, help="trainings at once, each on one core (default: one a core)")
    parser.add_argument("--quick", action="store_true", help="one seed of five tasks, unless others are asked for")
    parser.add_argument("--csv", help="file for all cells")
    parser.add_argument("--figure", help="file for a figure (SVG)")
    return parser.parse_args()


def main():
    options = arguments()
    seeds = options.seeds or (1 if options.quick else 3)
    words = [word for word in options.problems.split(",") if word] or list(QUICK if options.quick else ())
    try:
        suite = present(tasks.chosen(words))
    except ValueError as problem:
        sys.exit(f"adapt: {problem}")
    names = [name for name in options.methods.split(",") if name]
    player = play.Player(options.trellis, options.cache)
    try:
        # A misspelt policy should not wait for all fixed networks before it is told.
        for cell in [next(policy_cells(task, name, 1), None) for task in suite[:1] for name in names]:
            if cell:
                player.check(cell)
    except (play.Failed, OSError) as problem:
        sys.exit(f"adapt: {problem}")
    cells = dict.fromkeys(cell for task in suite for name in names for cell in policy_cells(task, name, seeds))
    cells.update(dict.fromkeys(cell for task in suite for cell in fixed_cells(task, seeds)))
    workers = options.workers or len(os.sched_getaffinity(0))
    results, failed = played(player, sorted(cells, key=lambda cell: cell.task.name), workers)
    if options.csv:
        pathlib.Path(options.csv).write_text(report.csv_of(results), encoding="utf-8")
    if failed:
        sys.exit("\n".join(f"adapt: {line}" for line in failed[:10]) + f"\nadapt: {len(failed)} cells failed")
    rows, cases = {}, []
    for name in names:
        rows[name] = rows_of(name, suite, seeds, results)
        print(report.table(name, rows[name]), file=sys.stderr)
        cases += figures.cases(name, rows[name]) if rows[name] else []
    if options.figure:
        pathlib.Path(options.figure).write_text(drawing.figure(suite, rows, results), encoding="utf-8")
    flat = [report.plain(row) for own in rows.values() for row in own]
    print(json.dumps({"cells": flat, "cases": cases}))


if __name__ == "__main__":
    main()
