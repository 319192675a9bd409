"""Processes that others have started."""
import pathlib


def children_of(process):
    """The process ids of the children of `process`, in ascending order."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            stat = (entry / "stat").read_text(encoding="utf-8") if entry.name.isdigit() else ""
        except OSError:  # it has ended meanwhile
            continue
        # Field 4 of proc_pid_stat(5), behind a name that may have spaces and brackets.
        if stat and int(stat.rsplit(")", 1)[1].split()[1]) == process:
            found.append(int(entry.name))
    return sorted(found)
