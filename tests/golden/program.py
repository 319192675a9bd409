"""A trial of the study `program`: reports a loss at four steps, computed by sums and products alone."""
import json
import os
import sys

x, kind = float(sys.argv[1]), sys.argv[2]
y = float(next((word.removeprefix("--y=") for word in sys.argv if word.startswith("--y=")), "1"))
loss = (x - 0.3) * (x - 0.3) * (y if kind == "cube" else 1.5)
with open(os.environ["TRELLIS_METRICS"], "a", encoding="utf-8") as metrics:
    for step in range(1, 5):
        metrics.write(json.dumps({"step": step, "loss": loss + 1.0 / step}) + "\n")
