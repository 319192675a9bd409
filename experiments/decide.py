"""Decides how a network grows: read by `adapt: {policy: command}`, see commanded-digits.yaml.

One JSON object comes in (the state of the training), one JSON value goes out: null, an operation, a list of operations,
or {"race": [...]}. What is printed to the error stream is shown when the answer is wrong.
"""

import json
import sys

state = json.load(sys.stdin)
overfits = state["valid"]["loss"] > 2 * state["losses"][-1]
grown = [layer["name"] for layer in state["layers"] if layer["resizable"] and layer["units"] < 64]

if overfits or not grown:
    answer = "keep"
elif not state["history"]:
    answer = [{"widen": {"layer": name, "by": 8}} for name in grown]
else:
    # Which layer is worth more units? Try each, and both.
    each = [{"widen": {"layer": name, "by": 8}} for name in grown]
    answer = {"race": [[one] for one in each] + [each], "length": 0.5}
print(json.dumps(answer))
