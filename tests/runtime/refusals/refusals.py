#!/usr/bin/env python3
"""Programs that must not compile, and the words with which the compiler must say why."""
import concurrent.futures
import subprocess
import sys

HEAD = '#include "runtime/runtime.h"\n'

CASES = {
    "a struct that cannot be hashed, as a constant": (
        "struct Bad { int* where; };\n"
        'const auto t = rt::task("t").cpu([](Bad) {});',
        "this type cannot be hashed, stored or sent: give it `template <class A> void fields(A& a)"),
    "a struct that cannot be hashed, as a result": (
        "struct Bad { int* where; };\n"
        'const auto t = rt::task("t").cpu([]() -> Bad { return {}; });',
        "this type cannot be hashed, stored or sent"),
    "a struct that cannot be hashed, as a value": (
        "struct Bad { int* where; };\nauto v = rt::value(Bad{});",
        "this type cannot be hashed, stored or sent"),
    "a struct that cannot be moved": (
        "struct Fixed { int n = 0; Fixed() = default; Fixed(const Fixed&) = delete; "
        "template <class A> void fields(A& a) { a(n); } };\n"
        'const auto t = rt::task("t").cpu([](rt::in<Fixed>) {});',
        "rt: a value must be movable"),
    "a body that captures": (
        'int x = 0;\nvoid f() { int y = x; (void)rt::task("t").cpu([y] { return y; }); }',
        "rt: a task's body must capture nothing: pass what it needs as arguments"),
    "a body with auto parameters": (
        'const auto t = rt::task("t").cpu([](auto x) { return x; });',
        "rt: a task's body must name its parameter types"),
    "bodies that differ": (
        'const auto t = rt::task("t").cpu([](int) {}).cuda([](double) {});',
        "rt: all bodies of a task must have the same parameters and the same result"),
    "a pure commutative task": (
        'const auto t = rt::task("t").cpu([](rt::commutative<int>) {}).pure();',
        "rt: a pure task can't have a commutative argument"),
    "a pure task that makes a file": (
        'const auto t = rt::task("t").cpu([](rt::file_out) {}).pure();',
        "rt: a pure task can't have a file_out argument"),
    "ignore without a default": (
        'const auto t = rt::task("t").cpu([](int) { return 1.0; }).on_failure(rt::ignore());',
        "rt: ignore needs a default for each out argument, in order, then for the result"),
    "a value of another type": (
        'const auto t = rt::task("t").cpu([](rt::in<double>) {});\nvoid f() { t(rt::value(1)); }',
        ("no match for call to", "no matching function for call to")),
    "nothing wrong": (
        "struct Good { int n; double x; };\n"
        'const auto t = rt::task("t").cpu([](rt::in<Good> g, Good h) { return g->n + h.x; }).pure();',
        None),
}


def check(compiler, root, name):
    text, expected = CASES[name]
    done = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", "-I", root, "-x", "c++", "-"], input=HEAD + text,
                          capture_output=True, text=True)
    if expected is None:
        return None if done.returncode == 0 else f"{name}: must compile\n{done.stderr}"
    if done.returncode == 0:
        return f"{name}: compiles, which it must not"
    first = next((line for line in done.stderr.splitlines() if "error:" in line), "")
    words = (expected,) if isinstance(expected, str) else expected  # the compilers' own differ
    if not any(one in done.stderr for one in words):
        return f"{name}: not said: {' or '.join(words)}\n{first}"
    return None


def main():
    root, *compiler = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [p for p in pool.map(lambda name: check(compiler, root, name), CASES) if p]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(CASES)} programs")


if __name__ == "__main__":
    main()
