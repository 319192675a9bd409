"""The programs of others that read what we write: Python packages at fixed versions, each list of them in a virtual environment
of its own in the cache folder, made when it is first asked for."""
import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys

INSTALL_SECONDS = 420


def skip(why):
    print(f"SKIPPED, NOTHING WAS READ BACK: {why}")
    sys.exit(77)


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "trellis" / "readers"


def install(folder, packages):
    """Installs the packages, or says why they cannot be had."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True, capture_output=True, text=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "--retries", "1", *packages], check=True,
                   capture_output=True, text=True, timeout=INSTALL_SECONDS)
    (folder / "complete").touch()


def environment(packages):
    """The interpreter of an environment with these packages; where they cannot be had, why."""
    name = packages[0].split("=")[0] + "-" + hashlib.sha256(" ".join([sys.version, *packages]).encode()).hexdigest()[:12]
    folder = cache() / name
    try:
        cache().mkdir(parents=True, exist_ok=True)
        with open(cache() / (name + ".lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "complete").exists():
                install(folder, packages)
    except subprocess.CalledProcessError as error:
        return None, str((error.stderr or error.stdout).strip().splitlines()[-1:])
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    return str(folder / "bin" / "python"), ""


def python_with(*packages):
    """The interpreter of an environment with these packages ("tensorboard==2.21.0"); skips the test where they cannot be had."""
    python, why = environment(packages)
    return python or skip(f"{' '.join(packages)}: {why}")


def python_or_none(*packages):
    return environment(packages)[0]
