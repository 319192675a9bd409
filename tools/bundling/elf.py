"""What programs and shared libraries ask for: read and changed with binutils and patchelf."""
import re
import subprocess

# Of the C library, which every system has: never carried.
SYSTEM = re.compile(r"lib(c|m|dl|pthread|rt|util|resolv)\.so\.\d+|ld-linux-x86-64\.so\.2|linux-vdso\.so\.1")
# NVIDIA's, which nobody else may carry.
NVIDIA = re.compile(r"lib(cuda|cudart|cublas|cublasLt|cusparse|cusolver|nvidia-ml|cudnn)\.so\.\d+")


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def is_elf(path):
    if not path.is_file() or path.is_symlink():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def dynamic(path, tag):
    """The values of one tag of the dynamic section; none in a static program."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", output_of("readelf", "-dW", path))


def needed(path):
    return dynamic(path, "NEEDED")


def soname(path):
    """The name that programs ask for."""
    return (dynamic(path, "SONAME") or [path.name])[0]


def folders(path):
    """Where its libraries are looked for, before the system's folders."""
    return ":".join(dynamic(path, "RUNPATH") + dynamic(path, "RPATH")).split(":")


def versions(path, kind="GLIBC"):
    """The versions of the C library, newest last, that its symbols ask for: tuples of numbers."""
    found = set(re.findall(rf"Name: {kind}_([0-9.]+) ", output_of("readelf", "-VW", path)))
    return sorted(tuple(int(part) for part in one.split(".")) for one in found)


def strip(source, target):
    subprocess.run(["strip", "--strip-unneeded", "-o", str(target), str(source)], check=True)


def symbols(path):
    """The names of its dynamic symbols, with versions."""
    return re.findall(r"^ *\d+: (?:\S+ +){6}(.*)$", output_of("readelf", "--dyn-syms", "-W", path), re.MULTILINE)


def set_folders(path, value):
    """Where its libraries are looked for from now on. A linker lets the name of a symbol be the end of the old value where it can
    (`read` of `…/openblas-pthread`), so the old text is left in its place, but for the folders that lead to that end."""
    old = folders(path)
    if old == value.split(":"):
        return
    before = symbols(path)
    for change in (["--remove-rpath"], ["--set-rpath", value]):
        subprocess.run(["patchelf", *change, str(path)], check=True)
    text = ":".join(old).encode()
    end = re.search(rb"[^/:$]*$", text).group()
    if b"/" in text.replace(b"$ORIGIN/", b""):
        hidden = b"X" * (len(text) - len(end)) + end
        path.write_bytes(path.read_bytes().replace(text + b"\0", hidden + b"\0"))
    if symbols(path) != before:
        raise SystemExit(f"bundle: {path.name}: a symbol lost its name when the folders were changed")
