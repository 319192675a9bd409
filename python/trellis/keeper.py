"""The keeper of a study at the other end of a local socket: one JSON object a line, both ways."""
import contextlib
import json
import math
import os
import socket
import time

from . import program
from .errors import TrellisError

PROTOCOL = 1
LONGEST = 1 << 20  # bytes of a call
PATIENCE = 60.0  # seconds in which keepers may die over one call
STARTS = 5  # tries to find a keeper for a study that is opened


def to_json(value):
    """What JSON has no number for is a text: "nan", "inf", "-inf"."""
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def from_json(value):
    return float(value) if isinstance(value, str) else value


class Keeper:
    """One connection, for one thread. It starts a keeper where none lives, and says a call again where one died over
    it: each call counts once however often it is said."""

    def __init__(self, folder, start):
        self._folder = folder
        self._start = start
        self._file = None
        self.greeting = None

    def close(self):
        file, self._file = self._file, None
        if file:
            # What was not sent yet has nobody to go to.
            with contextlib.suppress(ConnectionError):
                file.close()

    def connect(self):
        """Hears the greeting, if it was not heard yet."""
        if not self.greeting:
            self._until_answered(None)

    def call(self, **message):
        """The answer to a message. Raises TrellisError where it is a refusal."""
        line = json.dumps(message).encode()
        if len(line) > LONGEST:
            raise TrellisError(f"a call of {len(line)} bytes, expected at most {LONGEST}")
        said = json.loads(self._until_answered(line + b"\n"))
        if "error" in said:
            raise TrellisError(said["error"])
        return said

    def _until_answered(self, line):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._exchange(line)
            except (ConnectionError, FileNotFoundError):
                self.close()
            except BaseException:
                self.close()  # an answer that nobody waited for must not be taken for the next one
                raise
            if time.monotonic() > deadline:
                raise TrellisError(f"nobody keeps {self._folder} for long, see keeper.log there")
            with contextlib.suppress(ConnectionError):  # it died before it could answer
                self._start()

    def _exchange(self, line):
        if not self._file:
            self._connect()
        if line is None:
            return None
        self._file.write(line)
        self._file.flush()
        answer = self._file.readline()
        if not answer.endswith(b"\n"):
            raise ConnectionResetError
        return answer

    def _connect(self):
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                # Through the folder's descriptor: an address holds only 107 bytes, a path may be longer.
                link.connect(f"/proc/self/fd/{folder}/ask.sock")
                self._file = link.makefile("rwb")
            finally:
                link.close()
        finally:
            os.close(folder)
        greeting = self._file.readline()
        if not greeting.endswith(b"\n"):
            self.close()
            raise ConnectionResetError
        self.greeting = json.loads(greeting)
        if self.greeting["protocol"] != PROTOCOL:
            raise TrellisError(f"{self._folder} is kept by a Trellis that speaks version {self.greeting['protocol']} of "
                               f"the protocol, expected {PROTOCOL}: end it with trellis stop")


def start(*words):
    """Sees to it that a study has a keeper; returns its folder. Raises ConnectionResetError where that one died at once."""
    try:
        return program.run("keep", *words).rstrip("\n")
    except TrellisError as error:
        if str(error).endswith(" has died"):
            raise ConnectionResetError(str(error)) from error
        raise


def start_again(*words):
    """start(), a few times over where a keeper died at once: somebody may be killing them. Raises TrellisError."""
    for _ in range(STARTS - 1):
        with contextlib.suppress(ConnectionResetError):
            return start(*words)
    try:
        return start(*words)
    except ConnectionResetError as error:
        raise TrellisError(str(error)) from error
