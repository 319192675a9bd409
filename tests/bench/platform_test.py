"""`trellis bench machine --nodes` writes a platform file that plan and simulate read.

usage: platform_test.py TRELLIS
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

NAPS = """\
name: naps
command: [sleep, $nap]
metric: {name: exit, goal: minimize}
method: random
parallel: 16
limits: {trials: 32}
parameters: {nap: {min: 1.0, max: 2.0}}
"""


def main():
    trellis = str(pathlib.Path(sys.argv[1]).resolve())
    plugin = pathlib.Path(trellis).parents[1] / "runtime/net/grpc/trellis-net.so"
    if not plugin.exists():
        print("skipped: built without gRPC (tools/setup/setup network)")
        return 77
    with tempfile.TemporaryDirectory(prefix="trellis-platform-") as folder:
        def run(*words):
            done = subprocess.run([trellis, *words], cwd=folder, capture_output=True, text=True, timeout=100, check=False)
            assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
            return json.loads(done.stdout)

        stand_in = pathlib.Path(folder, "ssh")
        stand_in.write_text("#!/bin/sh\nexit 255\n", encoding="utf-8")
        stand_in.chmod(0o755)
        away = subprocess.run([trellis, "bench", "machine", "--nodes", "2", "--quick", "--workers", "1", "--hosts", "away"],
                              cwd=folder, capture_output=True, text=True, timeout=100, check=False,
                              env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
        assert away.returncode == 6, away
        assert away.stderr.count("--hosts: no agent came from 'away', expected a machine that `ssh away true`") == 1, away
        assert not pathlib.Path(folder, "platform.yaml").exists()

        cases = {case["case"]: case for case in run("bench", "machine", "--nodes", "2", "--quick", "--json", "--workers", "1")}
        assert cases["latency, with an empty task on localhost"]["ours"] < 1e6, cases
        assert cases["bandwidth from localhost"]["ours"] > 1, cases
        pathlib.Path(folder, "naps.yaml").write_text(NAPS, encoding="utf-8")
        found = run("simulate", "naps.yaml", "--platform", "platform.yaml", "--trial-seconds", "3", "--json")
        seconds = {one["count"]: one["seconds"] for one in found["nodes"]}
        # 32 programs of 3 s, one worker a node.
        assert 96 < seconds[1] < 105 and 48 < seconds[2] < 53, seconds
    return 0


if __name__ == "__main__":
    sys.exit(main())
