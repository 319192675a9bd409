"""Stands in for the package wandb, as far as its offline files go: the parameters of a sweep come from the file of
WANDB_SWEEP_PARAM_PATH, and a run's file gets a record for each step, written at once."""
import json
import os
import struct
import time
import zlib

BLOCK = 32768


class Config(dict):
    __getattr__ = dict.__getitem__


class Summary(dict):
    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        run.write(3, {name: value})


def message(field, content):
    size, head = len(content), bytearray()
    for number in (field << 3 | 2, size):
        while number > 127:
            head.append(number & 127 | 128)
            number >>= 7
        head.append(number)
    return bytes(head) + content


def items(values, way=()):
    """Items of a record, with the names of nested maps."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from items(value, (*way, name))
        else:
            names = [message(2, part.encode()) for part in (*way, name)] if way else [message(1, name.encode())]
            yield message(1, b"".join(names) + b"\x82\x01" + message(1, json.dumps(value).encode())[1:])


class Run:
    def __init__(self):
        self.id = os.environ["WANDB_RUN_ID"]
        top = os.path.join(os.environ["WANDB_DIR"], "wandb")
        folder = os.path.join(top, f"offline-run-{time.strftime('%Y%m%d_%H%M%S')}-{self.id}")
        os.makedirs(folder, exist_ok=True)
        latest = os.path.join(top, "latest-run")
        if os.path.islink(latest):
            os.remove(latest)
        os.symlink(os.path.basename(folder), latest)
        self.file = open(os.path.join(folder, f"run-{self.id}.wandb"), "wb")
        self.file.write(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
        self.steps = 0

    def write(self, kind, values):
        rest, first = message(kind, b"".join(items(values))), True
        while first or rest:
            room = BLOCK - self.file.tell() % BLOCK
            if room < 7:
                self.file.write(bytes(room))
                room = BLOCK
            part, rest = rest[:room - 7], rest[room - 7:]
            typed = bytes([(2 if rest else 1) if first else (3 if rest else 4)]) + part
            self.file.write(struct.pack("<IH", zlib.crc32(typed), len(part)) + typed)
            first = False
        self.file.flush()

    def log(self, values):
        self.write(2, {**values, "_step": self.steps})
        self.steps += 1


def init(config=None, **_):
    global run
    assert os.environ["WANDB_MODE"] == "offline", os.environ["WANDB_MODE"]
    config = Config() if config is None else Config(vars(config) if not isinstance(config, dict) else config)
    with open(os.environ["WANDB_SWEEP_PARAM_PATH"], encoding="utf-8") as file:
        assert file.readline() == "wandb_version: 1\n"
        for line in file:
            for name, value in json.loads("{" + line + "}").items():
                config[name] = value["value"]
    globals()["config"] = config
    run = Run()
    run.config, run.summary = config, Summary()
    return run


def log(values):
    run.log(values)


run = None
