"""Strangers on another node of the cluster knock at the driver of a study: they are refused, and harm nothing.

usage: knock.py PROGRAMS --stranger STRANGER [--full]
       knock.py ADDRESS KEYS       on the other node: prints what was tried, and after how many seconds it was refused
  STRANGER    the program of tests/crash that writes certificates of several worth
"""

import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import time

import study as studies

import strangers  # that of tests/crash

NODES = 2
ELSEWHERE = "n3"  # has no part in the study
ALLOWED = 2 * strangers.PATIENT  # seconds; the machine has other work


def knock(address, keys):
    keys = pathlib.Path(keys)
    kinds = {
        "TLS without a certificate": strangers.secured(keys),
        "a certificate of another study": strangers.secured(keys, "other"),
        "an expired certificate": strangers.secured(keys, "expired"),
        "HTTP/2 without TLS": strangers.plain(strangers.PREFACE),
        "random bytes": strangers.plain(random.Random(1).randbytes(200)),
        "the beginning of TLS": strangers.plain(strangers.START_OF_TLS),
        "one byte at a time": strangers.drip,
    }
    with concurrent.futures.ThreadPoolExecutor(len(kinds)) as threads:
        results = threads.map(lambda say: strangers.knock(strangers.address_of(address), say), kinds.values())
    for name, (seconds, said) in zip(kinds, results):
        refused = not said or (said[:1] == strangers.ALERT and len(said) < 20)
        print(json.dumps([name, seconds, refused]))


def row(rig, options):
    study = studies.Study(rig, options.programs, "asha", trials=240 if options.full else 120)
    study.reference()
    step = study.step("besieged", NODES)
    step.wait_for_agents(NODES)
    net = study.folder / "besieged/small/net"
    keys = rig.shared / "keys"
    keys.mkdir()
    subprocess.run([options.stranger, "keys", net, keys], check=True)
    address = json.loads((net / "driver.json").read_text())["address"]
    worst, rounds = {}, 0
    while step.news() == ["running"]:
        done = rig.run(ELSEWHERE, sys.executable, "-B", __file__, address, "/srv/keys")
        if step.news() != ["running"]:
            break
        assert done.returncode == 0, done.stderr
        rounds += 1
        for name, seconds, refused in map(json.loads, done.stdout.splitlines()):
            worst[name] = max(worst.get(name, 0), seconds)
            assert refused, f"{name}: the driver answered"
        time.sleep(0.1)
    code = step.wait()
    assert code == 0, f"srun ended with {code}: {step.errors}"
    study.check("besieged")
    assert rounds > 0, "the study was over before all had knocked"
    slowest = max(worst, key=worst.get)
    print(f"{len(worst)} kinds of strangers on {ELSEWHERE}, {rounds} times: refused within {worst[slowest]:.2f} s ({slowest}); "
          "equal")
    assert worst[slowest] < ALLOWED, worst


if __name__ == "__main__":
    if ":" in sys.argv[1]:
        sys.exit(knock(*sys.argv[1:]))
    sys.exit(studies.run_row(__doc__, row, lambda parser: parser.add_argument("--stranger", required=True), count=NODES + 1))
