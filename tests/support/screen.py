"""A terminal as its user sees it: what a program that runs on a pseudo terminal has written to it."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


class Screen:
    """The few controls that our programs use; any other one is an error."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [""] * rows
        self.row = self.column = 0
        self.has_colors = False
        self._pending = ""

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = (self.lines + [""] * rows)[:rows]
        self.row = min(self.row, rows - 1)

    def feed(self, text):
        text = self._pending + text
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = ESCAPE.match(text, at)
                if not match:
                    break
                self._control(match.group(1), match.group(2))
                at = match.end()
                continue
            self._put(text[at])
            at += 1
        self._pending = text[at:]

    def _put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self._down()
        elif char == "\x07":
            pass
        else:
            if self.column >= self.columns:
                self.column = 0
                self._down()
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
            self.column += 1

    def _down(self):
        if self.row + 1 < self.rows:
            self.row += 1
        else:
            self.lines = self.lines[1:] + [""]

    def _control(self, words, kind):
        if kind == "m":
            self.has_colors = True
        elif kind == "A":
            self.row = max(0, self.row - int(words or 1))
        elif kind == "K" and not words:
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif kind == "J" and not words:
            self.lines[self.row] = self.lines[self.row][:self.column]
            self.lines[self.row + 1:] = [""] * (self.rows - self.row - 1)
        elif kind == "J" and words == "2":
            self.lines = [""] * self.rows
        elif kind == "H" and not words:
            self.row = self.column = 0
        else:
            raise AssertionError(f"an escape sequence that no terminal was told of: {words}{kind}")

    def shown(self):
        """The lines that are not empty, without blanks at their ends."""
        return [line.rstrip() for line in self.lines if line.strip()]


class OnTerminal:
    """A program on a pseudo terminal of its own, started by a shell of a few lines (`shell` below) that knows Ctrl-Z."""

    def __init__(self, words, folder, rows=24, columns=100, **environment):
        self.screen = Screen(rows, columns)
        self.raw = b""
        self.master, self.terminal = pty.openpty()
        self.resize(rows, columns)
        unwanted = ("NO_COLOR", "DISPLAY", "WAYLAND_DISPLAY")
        env = {name: value for name, value in os.environ.items() if name not in unwanted}
        told, tells = os.pipe()
        self.shell = subprocess.Popen([sys.executable, "-B", __file__, str(tells), *words], cwd=folder, stdin=self.terminal,
                                      stdout=self.terminal, stderr=self.terminal, pass_fds=[tells],
                                      env=env | {"TERM": "xterm"} | environment, preexec_fn=self._lead)
        os.close(tells)
        with os.fdopen(told, encoding="utf-8") as file:
            self.pid = int(file.readline())

    def _lead(self):
        os.setsid()
        fcntl.ioctl(self.terminal, termios.TIOCSCTTY, 0)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def is_usual(self):
        """Whether the terminal gives whole lines and shows what is typed, as it did at first."""
        flags = termios.tcgetattr(self.terminal)[3]
        return bool(flags & termios.ICANON) and bool(flags & termios.ECHO)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def send(self, number):
        os.kill(self.pid, number)

    def foreground(self):
        self.shell.send_signal(signal.SIGUSR1)

    def background(self):
        self.shell.send_signal(signal.SIGUSR2)

    def read(self, seconds=0.05):
        while select.select([self.master], [], [], seconds)[0]:
            try:
                read = os.read(self.master, 65536)
            except OSError:
                return
            if not read:
                return
            self.raw += read
            self.screen.feed(read.decode("utf-8", "ignore"))
            seconds = 0

    def wait_for(self, what, seconds=60):
        """Until `what()` is true; what the screen had then is the message otherwise."""
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, "waited in vain; the screen has:\n" + "\n".join(self.screen.shown())
            self.read()

    def shows(self, text):
        return any(text in line for line in self.screen.shown())

    def is_stopped(self):
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "T"

    def end(self, seconds=60):
        """Waits for the end; returns the exit code, of a signal 128 and its number."""
        deadline = time.monotonic() + seconds
        while self.shell.poll() is None:
            assert time.monotonic() < deadline, "it did not end; the screen has:\n" + "\n".join(self.screen.shown())
            self.read()
        self.read(0.2)
        return self.shell.returncode

    def close(self):
        if self.shell.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.shell.wait()
        os.close(self.master)
        os.close(self.terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def shell(tells, words):
    """Runs a program in the foreground of the terminal. SIGUSR1 brings it there again after a stop, SIGUSR2 lets it go on
    in the background."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        # Whoever started the tests may ignore some, in the background for example.
        for number in (signal.SIGTTOU, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.close(tells)
        os.execvp(words[0], words)
    with os.fdopen(tells, "w", encoding="utf-8") as file:
        file.write(f"{child}\n")

    def goes_on(in_front):
        if in_front:
            os.tcsetpgrp(0, child)
        os.killpg(child, signal.SIGCONT)

    signal.signal(signal.SIGUSR1, lambda *_: goes_on(True))
    signal.signal(signal.SIGUSR2, lambda *_: goes_on(False))
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            os.tcsetpgrp(0, os.getpid())
            return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        # It may have been let go on before this was read.
        with open(f"/proc/{child}/stat", encoding="ascii", errors="replace") as file:
            still = file.read().rpartition(") ")[2].startswith("T")
        if still:
            os.tcsetpgrp(0, os.getpid())


if __name__ == "__main__":
    sys.exit(shell(int(sys.argv[1]), sys.argv[2:]))
