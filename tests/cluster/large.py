"""Large networks and a large data set over slow links, to agents that do not see the study's folder.

usage: large.py PROGRAMS [--rate RATE] [--megabytes N] [--weights MILLIONS] [--trials N]
"""

import sys
import time

import study as studies

NODES = 4
BUSY = 0.8  # of the time from the first task of each agent to the last one of the study
ROWS = 400
STUDY = """\
name: small
seed: 1
data: {{npy: {{x: x.npy, y: y.npy}}, split: {{valid: 0.2, test: 0.1}}}}
network: [dense: {{units: {units}}}]
train: {{epochs: 9, batch: 64, optimizer: {{sgd: {{lr: $lr}}}}}}
metric: {{name: valid.accuracy, goal: maximize}}
method: random
parameters: {{lr: {{min: 1e-4, max: 1e-2, scale: log}}}}
early_stop: {{type: asha, min: 1, eta: 3}}
parallel: 8
limits: {{trials: {trials}}}
"""


def write_array(path, shape, kind, content):
    """A NumPy file (format 1.0)."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + content)


def write_data(folder, megabytes):
    """Noise with a trace of the class in each value; returns how many values a row has."""
    import array
    import random
    columns = megabytes * 250_000 // ROWS
    chance = random.Random(1)
    noise = array.array("f", (chance.gauss(0, 1) for _ in range(100_003)))
    labels = [chance.randrange(2) for _ in range(ROWS)]
    values = bytearray()
    for label in labels:
        start = chance.randrange(len(noise))
        shifted = array.array("f", (value + (0.02 if label else -0.02) for value in noise[start:] + noise[:start]))
        values += (shifted.tobytes() * (columns // len(shifted) + 1))[:4 * columns]
    write_array(folder / "x.npy", (ROWS, columns), "<f4", bytes(values))
    write_array(folder / "y.npy", (ROWS,), "<i4", array.array("i", labels).tobytes())
    return columns


def row(rig, options):
    study = studies.Study(rig, options.programs, name="large")
    columns = write_data(study.folder, options.megabytes)
    units = max(1, int(options.weights * 1e6) // columns)
    (study.folder / "small.yaml").write_text(STUDY.format(units=units, trials=options.trials))
    size = (study.folder / "x.npy").stat().st_size
    study.reference()
    for node in rig.nodes:
        # The nodes see neither the study nor its data.
        done = rig.run(node, "mount", "-t", "tmpfs", "none", study.home)
        assert done.returncode == 0, done.stderr
        rig.slow(node, 1, options.rate)
    begun = time.monotonic()
    done = rig.run("head", *study.command("far", "--hosts", ",".join(rig.nodes), "--workers", "1"), timeout=1500)
    took = time.monotonic() - begun
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    study.check("far")
    status = study.status("far")
    for node in status["nodes"]:
        print(f"  {node['node']}: {node['done']} tasks, busy {node['busy']:.1f} of {node['there']:.1f} s, "
              f"{node['bytes_out'] / 1e6:.0f} MB to it, {node['bytes_in'] / 1e6:.0f} MB from it", flush=True)
    print(done.stderr, flush=True)
    loaded = status["work"]["datasets_loaded"]
    print(f"{size / 1e6:.0f} MB of data, networks of {4e-6 * units * columns:.0f} MB: {took:.1f} s (alone {study.alone:.1f} s), "
          f"{loaded} data sets loaded", flush=True)
    assert "was lost" not in done.stderr, "a slow link was taken for a death"
    for node in status["nodes"]:
        assert node["bytes_out"] < 2 * size, f"the data travelled more than once to {node['node']}"


def arguments(parser):
    parser.add_argument("--rate", default="100mbit")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--weights", type=float, default=12.5, help="millions of a network")
    parser.add_argument("--trials", type=int, default=16)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, arguments, count=NODES))
