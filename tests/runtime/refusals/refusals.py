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
    "a body that would change a constant": (
        'const auto t = rt::task("t").cpu([](double& x) { x = 1; });',
        "rt: a body gets a copy of a constant: for an argument that it changes, let it take rt::inout<T>"),
    "a body that takes an rt::Value": (
        'const auto t = rt::task("t").cpu([](rt::Value<double>) {});',
        "rt: a body takes the content of an rt::Value, not the rt::Value: let it take rt::in<T>"),
    "a body that takes a pointer to a text": (
        'const auto t = rt::task("t").cpu([](const char*) {});',
        "rt: a task keeps its constants: let the body take std::string in place of a pointer or a view"),
    "a body that takes a view": (
        'const auto t = rt::task("t").cpu([](std::string_view) {});',
        "rt: a task keeps its constants: let the body take std::string in place of a pointer or a view"),
    "a body whose context is not its first parameter": (
        'const auto t = rt::task("t").cpu([](int, rt::Context&) {});',
        "rt: a body that takes an rt::Context& takes it first, and once"),
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
    "ignore with a default of another type": (
        'const auto t = rt::task("t").cpu([](int) { return 1.0; }).on_failure(rt::ignore("none"));',
        "rt: a default of ignore is not a value of its out argument or result"),
    "ignore with too many defaults": (
        'const auto t = rt::task("t").cpu([](int) {}).on_failure(rt::ignore(1));',
        "rt: ignore needs a default for each out argument, in order, then for the result"),
    "a value of another type": (
        'const auto t = rt::task("t").cpu([](rt::in<double>) {});\nvoid f() { t(rt::value(1)); }',
        "rt: this rt::Value holds another type than the body's parameter"),
    "a value of another type, to be written": (
        'const auto t = rt::task("t").cpu([](int, rt::inout<double>) {});\nvoid f() { auto v = rt::value(1); t(1, v); }',
        "rt: this rt::Value holds another type than the body's parameter"),
    "a number where a value is needed": (
        'const auto t = rt::task("t").cpu([](rt::in<double>) {});\nvoid f() { t(1.0); }',
        "rt: the body takes this argument as in, inout, out, commutative or redux: pass an rt::Value, such as rt::value(x)"),
    "a temporary that would be written": (
        'const auto t = rt::task("t").cpu([](rt::inout<double>) {});\nvoid f() { t(rt::value(1.0)); }',
        "rt: the body writes this argument: pass a variable of type rt::Value, neither a temporary nor a const one"),
    "a const value that would be written": (
        'const auto t = rt::task("t").cpu([](rt::out<double>) {});\nvoid f(const rt::Value<double>& v) { t(v); }',
        "rt: the body writes this argument"),
    "a value where a constant is needed": (
        'const auto t = rt::task("t").cpu([](double x) { return x; });\nvoid f() { (void)t(t(1.0)); }',
        "rt: the body takes this argument as a constant, and the call passes an rt::Value: let the body take rt::in<T>"),
    "a text where a number is needed": (
        'const auto t = rt::task("t").cpu([](int) {});\nvoid f() { t("one"); }',
        "rt: this constant does not convert to the type of the body's parameter"),
    "a number where a path is needed": (
        'const auto t = rt::task("t").cpu([](rt::file_in) {});\nvoid f() { t(3.5); }',
        "rt: the body takes a file here: pass its path"),
    "too few arguments": (
        'const auto t = rt::task("t").cpu([](rt::Context&, int, int) {});\nvoid f() { t(1); }',
        "rt: a call passes one argument for each parameter of the body, its Context not counted"),
    "too many arguments": (
        'const auto t = rt::task("t").cpu([](int) { return 1; });\nvoid f() { auto v = t(1, 2); }',
        "rt: a call passes one argument for each parameter of the body"),
    "no arguments": (
        'const auto t = rt::task("t").cpu([](int) {});\nvoid f() { t(); }',
        "rt: a call passes one argument for each parameter of the body"),
    "arguments that convert": (
        "struct Point { int x = 0; double y = 0; };\n"
        'const auto t = rt::task("t").cpu([](rt::Context&, double, std::string, Point, rt::file_in, rt::in<int>) {});\n'
        'const auto none = rt::task("none").cpu([] {});\n'
        "void f(const rt::Value<int>& v, std::source_location here) {\n"
        '  t(1, "text", {.x = 1}, "file", v);\n  t(1.5F, std::string("text"), Point{}, std::filesystem::path("file"), v, here);\n'
        "  none();\n  none(here);\n}",
        None),
    "nothing wrong": (
        "struct Good { int n; double x; };\n"
        'const auto t = rt::task("t").cpu([](rt::in<Good> g, Good h) { return g->n + h.x; }).pure();',
        None),
}

# Types and bodies that are wrong in themselves are met in several places. All else is one error.
SEVERAL = {"a struct that cannot be hashed, as a constant", "a struct that cannot be hashed, as a result",
           "a struct that cannot be hashed, as a value", "a struct that cannot be moved", "a body that captures",
           "a body with auto parameters"}


def check(compiler, root, name):
    text, expected = CASES[name]
    done = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", "-I", root, "-x", "c++", "-"], input=HEAD + text,
                          capture_output=True, text=True)
    if expected is None:
        return None if done.returncode == 0 else f"{name}: must compile\n{done.stderr}"
    if done.returncode == 0:
        return f"{name}: compiles, which it must not"
    first = next((line for line in done.stderr.splitlines() if "error:" in line), "")
    if expected not in done.stderr:
        return f"{name}: not said: {expected}\n{first}"
    errors = sum("error:" in line for line in done.stderr.splitlines())
    if errors > 1 and name not in SEVERAL:
        return f"{name}: {errors} errors, expected one\n{done.stderr}"
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
