"""How a command is ended together with all that it started, for the scripts beside this file."""
import os
import signal
import time

PATIENCE = 20  # seconds in which a group may end by itself


def signalled(group, number):
    """Sends the group a signal; False if nothing is left of it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def end(process):
    """Ends a process that leads a session of its own, and its group: asks first, since meson then ends the tests that
    it started in other sessions."""
    signalled(process.pid, signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while process.poll() is None or signalled(process.pid, 0):
        if time.monotonic() > until:
            signalled(process.pid, signal.SIGKILL)
            break
        time.sleep(0.05)
    process.wait()
