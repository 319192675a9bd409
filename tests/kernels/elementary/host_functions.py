#!/usr/bin/env python3
"""No program or library of ours takes an elementary function from the host's libm, and the program that trains exports ours for
the libraries that it loads.

usage: host_functions.py ENGINE BINARY...
"""
import pathlib
import re
import subprocess
import sys

# Functions whose results depend on who wrote them. Exact ones (sqrt, fmod, ldexp, rint and others) may be the host's.
INEXACT = re.compile(
    r"c?(?:exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|asinh|acosh|atanh)[fl]?"
    r"|(?:sincos|atan2|erf|erfc|[lt]?gamma|lgamma_r|cbrt|hypot|[jy][01n]|cabs|carg|csqrt)[fl]?|__\w+_finite")
# What XGBoost, which the program loads to fit trees, asks for most.
EXPORTED = {"exp", "expf", "log", "logf", "log1pf", "log2", "pow", "powf", "tanhf"}


def taken(lines):
    """The inexact functions among lines of `nm -D --undefined-only`."""
    names = (line.split()[-1].split("@")[0] for line in lines if line.strip())
    return sorted(name for name in names if INEXACT.fullmatch(name))


def nm(which, binary):
    done = subprocess.run(["nm", "-D", which, binary], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def defined(binary):
    return {line.split()[-1].split("@")[0] for line in nm("--defined-only", binary)}


def check_itself():
    assert taken(["  U expf@GLIBC_2.27", "  U powl@GLIBC_2.2.5", "  U __exp_finite@GLIBC_2.15", "  U sincos"]) == [
        "__exp_finite", "expf", "powl", "sincos"]
    assert not taken(["  U sqrt@GLIBC_2.2.5", "  U fmod@GLIBC_2.2.5", "  U expand", "  U logging", "  U ilogb@GLIBC_2.2.5", ""])


def main():
    check_itself()
    engine, *binaries = sys.argv[1:]
    problems = []
    for binary in binaries:
        problems += [f"{pathlib.Path(binary).name} takes {name} from the host: kernels/elementary needs it"
                     for name in taken(nm("--undefined-only", binary))]
        if pathlib.Path(binary).name.startswith("libtrellis-runtime"):
            problems += [f"{pathlib.Path(binary).name} exports {name} to the programs of others"
                         for name in sorted(defined(binary)) if INEXACT.fullmatch(name)]
    missing = EXPORTED - defined(engine)
    if missing:
        problems.append(f"{pathlib.Path(engine).name} does not export {', '.join(sorted(missing))}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(binaries)} binaries")


if __name__ == "__main__":
    main()
