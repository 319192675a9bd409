"""Small studies that are run with the real program; their exports hold what was proposed, decided and computed."""
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

DATA = "data: {csv: ROOT/experiments/data/digits.csv.gz, rows: 240}\n"
NETWORK = "network: [dense: {name: fc1, units: $width, activation: relu}]\n"
PARAMETERS = "parameters: {lr: {min: 1e-3, max: 1e-1, scale: log}, width: {type: int, min: 4, max: 24}}\n"


def network(epochs, rest, lr="$lr"):
    train = f"train: {{optimizer: {{adam: {{lr: {lr}}}}}, batch: 32, epochs: {epochs}}}\n"
    return "seed: 5\n" + DATA + NETWORK + train + rest


# Each is called as its key. `ask` has nothing to run: ask_and_tell() does.
STUDIES = {
    "adapt": "seed: 5\n" + DATA + "network: [dense: {name: fc1, units: 8}]\n"
             "train: {optimizer: {adam: {lr: 0.01}}, batch: 32, epochs: 4}\n"
             "adapt: {policy: race, length: 0.5}\n",
    "ask": "seed: 5\nmetric: {name: loss, goal: minimize}\nmethod: tpe\nlimits: {trials: 5}\n"
           "early_stop: {any_of: [{threshold: {worst: 3.0}},"
           " {all_of: [{threshold: {worst: 1.0}}, {type: median, min: 1, startup: 2}]}]}\n"
           "parameters: {x: {min: 0.0, max: 1.0}, n: {type: int, min: 1, max: 8}}\n",
    "asha": network(9, "method: sobol\nearly_stop: {type: asha, min: 1, eta: 3}\nparallel: 4\nlimits: {trials: 12}\n"
                    + PARAMETERS),
    "folds": "seed: 5\ndata: {csv: cats.csv, target: kind, folds: 4, split: {test: 0.2}}\n" + NETWORK +
             "train: {optimizer: {adam: {lr: $lr}}, epochs: 4}\nmethod: halton\nlimits: {trials: 4}\n" + PARAMETERS,
    "grid": network(2, "method: grid\nparameters: {lr: {values: [0.1, 0.01]}, width: {values: [4, 16, 8]}}\n"),
    "hyperband": network(9, "method: bohb\nearly_stop: {type: hyperband, promote: true}\nparallel: 4\nlimits: {trials: 16}\n"
                         + PARAMETERS),
    "pbt": network(4, "method: {type: pbt, members: 6, reshape: [{widen: {layer: fc1, by: 8}}, {shrink: {layer: fc1, by: 3}}]}\n"
                   "parallel: 4\n" + PARAMETERS),
    "program": "seed: 5\ncommand: [python3, -B, ROOT/tests/golden/program.py, $x, $kind, $args]\n"
               "metric: {name: loss, goal: minimize}\nmethod: gp\nearly_stop: {type: asha, min: 1, eta: 2}\n"
               "order: virtual\nparallel: 2\nlimits: {trials: 8}\n"
               "parameters: {x: {min: 0.0, max: 1.0}, kind: {values: [square, cube]},"
               " y: {min: 0.5, max: 2.0, when: {kind: cube}}}\n",
    "random": network(3, "method: random\nearly_stop: none\nlimits: {trials: 6}\n" + PARAMETERS),
    "tpe": network(2, "method: tpe\nearly_stop: none\nparallel: 2\nlimits: {trials: 20}\n" + PARAMETERS),
}


class Place:
    """A folder in which studies run, removed at the end."""

    def __init__(self, trellis, root, env):
        self.folder = Path(tempfile.mkdtemp(prefix="trellis-golden-"))
        self.trellis, self.root = Path(trellis).absolute(), Path(root).absolute()
        self.env = {**env, "HOME": str(self.folder)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, *arguments, told=None):
        """What `trellis` prints."""
        done = subprocess.run([self.trellis, *arguments], cwd=self.folder, env=self.env, input=told, capture_output=True,
                              text=True, timeout=120)
        if done.returncode != 0:
            raise SystemExit(f"trellis {' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def model(self, name):
        return self.folder / "runs" / name / "best.safetensors"


def ask_and_tell(place):
    """Trials of the study `ask`, one after another, each with reports until its rule or its end stops it."""
    for trial in range(5):
        asked = json.loads(place.call("ask", "ask.yaml", "--json"))
        assert asked["trial"] == trial, asked
        x, n = asked["params"]["x"], asked["params"]["n"]
        word = "go"
        for step in range(1, 4):
            if word == "go":
                word = place.call("tell", "ask", str(trial), repr(n * (x - 0.25) * (x - 0.25) + 1 / step), "--step", str(step))
                word = word.strip()
        if word == "go":
            place.call("tell", "ask", str(trial), repr(n * (x - 0.25) * (x - 0.25)))
    place.call("stop", "ask")


def run(place, name):
    """The export of a study."""
    text = f"name: {name}\n" + STUDIES[name].replace("ROOT", str(place.root))
    (place.folder / f"{name}.yaml").write_text(text)
    kinds = ["no" if i * 7 % 60 < 25 or i % 2 else "yes" for i in range(160)]
    rows = [f"{i * 7 % 60},{('red', 'blue')[i % 2]},{kind}" for i, kind in enumerate(kinds)]
    (place.folder / "cats.csv").write_text("\n".join(["age,colour,kind", *rows]) + "\n")
    if name == "ask":
        ask_and_tell(place)
    else:
        place.call("sweep", f"{name}.yaml", "--workers", "2", "--quiet")
    return place.call("export", name, "--format", "csv")


def problem(method):
    """Two floats and an int; for a grid, which needs a step, ints alone."""
    kind, distribution, low = ("DISCRETE", "UNIFORM", 1) if method == "grid" else ("CONTINUOUS", "LOG_UNIFORM", 1e-4)
    ranges = [("x", kind, 0, 3, "UNIFORM"), ("rate", kind, low, 3, distribution), ("n", "DISCRETE", 1, 9, "UNIFORM")]
    params = [{"name": name, "range": {"type": kind, "low": low, "high": high}, "distribution": distribution}
              for name, kind, low, high, distribution in ranges]
    return {"params_domain": params, "values_domain": [{}], "steps": 9}


def loss(params, step):
    """By sums and products alone: the same bits on every machine."""
    x, rate, n = params
    return (x - 0.3) * (x - 0.3) + (rate - 0.1) * (rate - 0.1) + 0.01 * n + 1.0 / step


REFUSED = "refused"  # by the solver; a study has to hold it
ROUNDS = {"nsga2": 70}  # its first children come after 50 trials


def solved(place, method, rule="none"):
    """What `trellis solver` answers in some rounds of ask and tell, or REFUSED."""
    command = [place.trellis, "solver", "--method", method, "--early-stop", rule]
    with subprocess.Popen(command, cwd=place.folder, env=place.env, text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as solver:
        def say(**message):
            print(json.dumps({"solver_id": 0, **message}), file=solver.stdin, flush=True)

        said = [solver.stdout.readline()]
        if not said[0]:
            return REFUSED
        say(type="CREATE_SOLVER_CAST", random_seed=5, problem=problem(method))
        trials, fresh = {}, 0
        for _ in range(ROUNDS.get(method, 24)):
            say(type="ASK_CALL", next_trial_id=fresh)
            said.append(solver.stdout.readline())
            answer = json.loads(said[-1])
            assert answer["type"] == "ASK_REPLY", said[-1]
            fresh, trial = answer["next_trial_id"], answer["trial"]
            params = trials.setdefault(trial["id"], trial.get("params"))
            step = trial["next_step"]
            if step is None:
                continue
            say(type="TELL_CALL", trial={"id": trial["id"], "values": [loss(params, step)], "current_step": step})
            said.append(solver.stdout.readline())
            assert json.loads(said[-1])["type"] == "TELL_REPLY", said[-1]
        solver.stdin.close()
    return "".join(said)


def offered(place, option):
    """The words that `trellis solver` takes for an option, as its refusal of another one lists them."""
    done = subprocess.run([place.trellis, "solver", option, "?"], cwd=place.folder, env=place.env, capture_output=True, text=True)
    words = re.search(r"expected one of ([\w, ]+)", done.stderr)
    assert words, done.stderr
    return words.group(1).replace(" or ", ", ").split(", ")


def solvers(place):
    """(name, answers) of each method, and of each rule beside random points."""
    for method in offered(place, "--method"):
        yield f"method {method}", solved(place, method)
    for rule in offered(place, "--early-stop"):
        yield f"rule {rule}", solved(place, "random", rule)
