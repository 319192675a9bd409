"""Studies whose agents run as tasks of an engine: Ray, Dask, Spark and others give the nodes, Trellis searches.

    with trellis.nodes("study.yaml") as run:
        codes = engine.map(trellis.agent, [run.ticket() for _ in range(8)])
        print(run.result().best_trial)
"""
import contextlib
import json
import os
import subprocess
import sys
import threading
import time

from . import program
from .checks import seconds, whole
from .errors import StudyOver, TrellisError
from .reading import StoredStudy

DONE, NOTHING_USABLE, STOPPED = 0, 1, 75  # exit codes of a sweep
LOOK = 0.1  # seconds between two looks for a driver that begins
ENDING = 30.0  # seconds that a driver has to stop


class Nodes:
    """The driver of a study, beside this process. It runs no tasks: agents with tickets do."""

    def __init__(self, file, directory, address, quiet, options):
        self._file = os.fspath(file)
        self._directory = os.path.abspath(os.fspath(directory))
        self._address = address
        self._quiet = quiet
        self._options = options
        self._driver = None
        self._reader = None
        self._refusal = ""

    def __enter__(self):
        words = [program.path(), "sweep", self._file, "--dir", self._directory, "--nodes", "hosted", "--attached"]
        try:
            self._driver = subprocess.Popen([*words, *self._options], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        except OSError as error:
            raise TrellisError(f"cannot start {words[0]}: {error.strerror}") from error
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def _listen(self):
        for line in self._driver.stderr:
            if line.startswith("trellis: ") and not line.startswith("trellis: warning: "):
                self._refusal = line[len("trellis: "):].rstrip("\n")
            if not self._quiet:
                sys.stderr.write(line)

    def ticket(self):
        """What lets one agent join, as a str: the driver's address, the study and a key of its own. It is a secret.
        Waits for the driver to begin. Raises StudyOver where the study is over."""
        words = ["ticket", self._file, "--dir", self._directory]
        if self._address is not None:
            words += ["--address", self._address]
        while True:
            code = self._driver.poll()
            if code in (DONE, NOTHING_USABLE):
                raise StudyOver(f"no agent is needed: the study {self._name()} is over")
            if code is not None:
                raise self._error(code)
            try:
                return program.run(*words).strip()
            except TrellisError as error:
                if str(error).startswith("ticket: "):  # else the driver has not begun yet
                    raise
            time.sleep(LOOK)

    def _name(self):
        return os.path.basename(self._folder())

    def _folder(self):
        said = program.run("keep", self._file, "--dir", self._directory, "--read")
        return os.path.abspath(json.loads(said)["folder"])

    def _error(self, code):
        self._reader.join(LOOK)
        if code == STOPPED:
            return TrellisError(f"the study was stopped; another run of {self._file} continues it")
        return TrellisError(self._refusal or f"the driver of {self._file} ended with exit code {code}")

    def result(self, timeout=None):
        """The finished study, as read_study() returns it. Waits for its end, at most `timeout` seconds. Raises
        TrellisError where the driver ends otherwise, TimeoutError where it does not end in time."""
        try:
            code = self._driver.wait(None if timeout is None else seconds("timeout", timeout))
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"the study has not ended after {timeout} s") from None
        if code not in (DONE, NOTHING_USABLE):
            raise self._error(code)
        return StoredStudy(self._folder())

    def stop(self):
        """Stops the driver if it has not ended; another run of the same file continues the study."""
        with contextlib.suppress(BrokenPipeError):
            self._driver.stdin.close()
        # A process that was forked inside the block holds the pipe open, too.
        if self._driver.poll() is None:
            self._driver.terminate()
        try:
            self._driver.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._driver.kill()
            self._driver.wait()
        self._reader.join()
        self._driver.stderr.close()


def nodes(file, *, directory="runs", address=None, quiet=False, options=()):
    """A study file whose tasks run on agents that others start with tickets: `with trellis.nodes("f.yaml") as run`. At the
    end of the block a study that is not over is stopped. `address` is the name or number by which agents reach this
    machine, its first network if left out; `options` are more words for `trellis sweep`."""
    return Nodes(file, directory, address, quiet, tuple(options))


def agent(ticket, *, workers=None, gpus=None, node=None):
    """Runs an agent here until its study ends, and returns its exit code: 0 when the study is over, 5 where other agents
    have all cores, 75 where there was no driver for two minutes, 2 for a bad ticket or another build. `workers` and `gpus`
    are what this task was given, all of the machine that is free if left out. The agent ends with this process."""
    words = [program.path(), "agent", "--ticket", "-", "--attached"]
    for name, value, least in (("--workers", workers, 1), ("--gpus", gpus, 0)):
        if value is not None:
            words += [name, str(whole(name[2:], value, least))]
    if node is not None:
        words += ["--node", node]
    line = (ticket.encode() if isinstance(ticket, str) else bytes(ticket)).strip() + b"\n"
    try:
        process = subprocess.Popen(words, stdin=subprocess.PIPE)
    except OSError as error:
        raise TrellisError(f"cannot start {words[0]}: {error.strerror}") from error
    try:
        # Standard input stays open: the agent ends when it does.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(line)
            process.stdin.flush()
        return process.wait()
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
