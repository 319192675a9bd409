"""What a program starts and what it opens to write, read from a log of strace."""
import os
import re
import shutil
import subprocess
import tempfile

# OpenBLAS reads its core from this variable when it is loaded. Where the variable is not set and OpenBLAS does not know the
# processor, the engine sets it and starts itself once more (cli/engine_main.cpp).
CORE = "OPENBLAS_CORETYPE"
ITSELF = "/proc/self/exe"
# A core that every build of OpenBLAS for the machine has.
OLD_CORES = {"x86_64": "Prescott", "aarch64": "ARMV8"}


def can_trace():
    tried = ["strace", "-o", "/dev/null", "true"]
    return shutil.which("strace") and subprocess.run(tried, capture_output=True, check=False).returncode == 0


def tracer(log):
    """The words before a command that write the log."""
    return ["strace", "-f", "-qq", "-s", "300", "-e", "trace=execve,execveat,openat,open,creat", "-o", str(log)]


def calls_in(text):
    """(process, call) in the order in which the calls ended. With another call between, strace writes one in two halves."""
    begun, calls = {}, []
    for line in text.splitlines():
        process, call = line.split(maxsplit=1)
        if call.endswith("<unfinished ...>"):
            begun[process] = call.removesuffix("<unfinished ...>").rstrip()
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>", call)
        if resumed:
            call = begun.pop(process, "") + call[resumed.end():]
        calls.append((process, call))
    # A program that takes another one's place never returns to the call.
    return calls + [(process, call + " = 0") for process, call in begun.items()]


def wrong_start(calls, program, core_is_set):
    """What was started against the rule, or nothing. The rule: one process becomes `program`, then the engine beside it. Where
    the core is not set it may then start itself once, with the same arguments. Nothing else is started."""
    started = []
    for process, call in calls:
        if not call.startswith("exec") or re.search(r" = -1 E\w+ \(.*\)$", call):
            continue
        begun = re.match(r'execve\("([^"]*)", (\[.*\]), ', call)
        started.append((process, begun[1], begun[2]) if begun else (process, call, ""))
    engine = os.path.join(os.path.dirname(program), "trellis-engine")
    process, _, arguments = started[0] if started else ("", "", "")
    allowed = [(process, path, arguments) for path in (program, engine, ITSELF)]
    if started == allowed[:2] or (started == allowed and not core_is_set):
        return None
    return f"started: {started}, expected {allowed[:2] if core_is_set else allowed}"


def wrong_write(calls, folder):
    """What was opened to be written outside of the folder's runs, or nothing."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    allowed = (str(folder / "runs"), "/dev/", "/proc/", "/sys/", "/run/", tempfile.gettempdir() + "/starpu", "/tmp/trellis",
               "/tmp/tsan.rodata.",  # ThreadSanitizer's own
               cache + "/trellis")
    for _, call in calls:
        opened = re.match(r'(?:openat\([^,]*, |open\(|creat\()"([^"]*)"(?:, ([A-Z_|]+))?.* = \d+', call)
        writes = opened and (call.startswith("creat") or re.search("O_WRONLY|O_RDWR|O_CREAT", opened[2] or ""))
        if writes and not os.path.join(folder, opened[1]).startswith(allowed):
            return f"written: {call}"
    return None


def check_itself():
    """The rules refuse what they are there to refuse."""
    words = '["trellis", "sweep", "s.yaml"], 0x7ffd /* 20 vars */)'
    good = f'7 execve("/b/trellis", {words} = 0\n7 execve("/b/trellis-engine", {words} = 0\n'
    again = f'7 execve("/proc/self/exe", {words} = 0\n'
    shell = 'execve("/bin/sh", ["sh", "-c", "touch CANARY"], 0x7ffd /* 20 vars */'

    def refused(log, core_is_set=False):
        return wrong_start(calls_in(log), "/b/trellis", core_is_set) is not None

    assert not refused(good) and not refused(good, True) and not refused(good + again)
    assert not refused(good + "8 " + shell + ") = -1 ENOENT (No such file or directory)\n"), "nothing was started"
    for log in ("", good + again + again, again + good, good + again.replace("7", "8", 1),
                good + again.replace("s.yaml", "t.yaml"),
                good + "8 " + shell + ") = 0\n", good + "7 " + shell + ") = 0\n", good.replace("/b/", "/c/"),
                good + "8 " + shell + " <unfinished ...>\n7 openat(3, \"a\", O_RDONLY) = 4\n8 <... execve resumed>) = 0\n",
                good + "8 " + shell + " <unfinished ...>\n", good + '8 execveat(3, "sh", ["sh"], 0x7ffd, 0) = 0\n'):
        assert refused(log), f"not refused: {log}"
    assert refused(good + again, True), "with a core that is set nothing starts again"
