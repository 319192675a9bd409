"""A dense network on the digits in PyTorch, one trial of command-pytorch.yaml.

After every epoch it reports, then writes a checkpoint into the folder that TRELLIS_CHECKPOINT_DIR names. Whatever ends it,
the next attempt finds the checkpoint there and goes on behind it, with the same numbers.
"""

import argparse
import json
import os

import numpy
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=27)
parser.add_argument("--optimizer", default="adam")
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--momentum", type=float, default=0.0)
parser.add_argument("--width", type=int, default=64)
options = parser.parse_args()

torch.manual_seed(0)
table = torch.tensor(numpy.loadtxt("data/digits.csv.gz", delimiter=",", dtype=numpy.float32))
table = table[torch.randperm(len(table))]
x, y = table[:, :-1] / 16, table[:, -1].long()
valid = len(table) // 4

network = torch.nn.Sequential(
    torch.nn.Linear(x.shape[1], options.width), torch.nn.ReLU(), torch.nn.Linear(options.width, 10))
if options.optimizer == "adam":
    optimizer = torch.optim.Adam(network.parameters(), lr=options.lr)
else:
    optimizer = torch.optim.SGD(network.parameters(), lr=options.lr, momentum=options.momentum)

checkpoint = os.path.join(os.environ.get("TRELLIS_CHECKPOINT_DIR", "."), "digits.pt")
done = 0
if os.path.exists(checkpoint):
    saved = torch.load(checkpoint)
    network.load_state_dict(saved["network"])
    optimizer.load_state_dict(saved["optimizer"])
    done = saved["epochs"]


def save(epochs):
    """All or nothing: a checkpoint that was half written when the program was killed would be worse than none."""
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epochs}
    torch.save(state, checkpoint + ".new")
    os.replace(checkpoint + ".new", checkpoint)


metrics = open(os.environ.get("TRELLIS_METRICS", "/dev/stdout"), "a")
for epoch in range(done + 1, options.epochs + 1):
    order = torch.randperm(len(x) - valid, generator=torch.Generator().manual_seed(epoch)) + valid
    for rows in order.split(32):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        accuracy = (network(x[:valid]).argmax(1) == y[:valid]).float().mean().item()
    print(json.dumps({"step": epoch, "valid.accuracy": accuracy, "train.loss": loss.item()}), file=metrics, flush=True)
    save(epoch)
