#!/usr/bin/env python3
"""Sizes that keep the code readable: lines a file (median, nine in ten, cap) and lines a function (median, p99, cap)."""
import re

import house

FILE_MEDIAN, FILE_P90, FILE_CAP = 120, 350, 500
CAPS = [("tests/", 600), ("kernels/", 700)]  # a kernel file holds one family
FUNCTION_MEDIAN, FUNCTION_P99, FUNCTION_CAP = 8, 70, 100

STRINGS = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*(?:.|\n)*?\*/')
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
TYPE = re.compile(r"^(inline\s+)?(namespace|class|struct|union|enum|extern)\b")
TEMPLATE = re.compile(r"^template\s*<")


def blank(text):
    """The text with strings, comments and preprocessor lines emptied; line numbers stay."""
    def newlines(match):
        return "\n" * match.group().count("\n")
    return PREPROCESSOR.sub(newlines, STRINGS.sub(newlines, text))


def without_template(head):
    """A declaration without its `template <...>` prefix."""
    head = head.strip()
    while TEMPLATE.match(head):
        depth = 0
        for position, char in enumerate(head):
            depth += {"<": 1, ">": -1}.get(char, 0)
            if char == ">" and depth == 0:
                break
        head = head[position + 1:].strip()
    return head


def kind_of(head, inside_function):
    head = without_template(head)
    if inside_function:
        return "block"
    if TYPE.match(head):
        return "scope"
    return "function" if "(" in head else "block"


def functions(text):
    """(first line, lines) of each function body; what is nested in a function belongs to it."""
    found, stack, head, head_line, line = [], [], "", 1, 1
    for char in blank(text):
        if char == "\n":
            line += 1
        if not head.strip():
            head_line = line
        if char == "{":
            inside = any(kind == "function" for kind, _ in stack)
            stack.append((kind_of(head, inside), head_line))
            head = ""
        elif char == "}":
            kind, first = stack.pop() if stack else ("scope", line)
            if kind == "function":
                found.append((first, line - first + 1))
            head = ""
        elif char == ";" and head.count("(") <= head.count(")"):
            head = ""
        else:
            head += char
    return found


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def cap_of(path):
    return next((cap for prefix, cap in CAPS if path.startswith(prefix)), FILE_CAP)


def check(tree):
    problems, file_lines, function_lines = [], [], []
    for path in tree.cpp():
        text = tree.text(path)
        lines = text.count("\n")
        if lines > cap_of(path):
            problems.append(f"{path}: {lines} lines, at most {cap_of(path)}; split it by concern")
        for first, length in functions(text):
            if not path.startswith("tests/"):
                function_lines.append(length)
            if length > FUNCTION_CAP:
                problems.append(f"{path}:{first}: a function of {length} lines, at most {FUNCTION_CAP}")
        if not path.startswith("tests/"):
            file_lines.append(lines)
    for values, share, limit, what in [(file_lines, 0.5, FILE_MEDIAN, "the median file"),
                                       (file_lines, 0.9, FILE_P90, "one file in ten"),
                                       (function_lines, 0.5, FUNCTION_MEDIAN, "the median function"),
                                       (function_lines, 0.99, FUNCTION_P99, "one function in a hundred")]:
        if values and quantile(values, share) > limit:
            problems.append(f"{what} has {quantile(values, share)} lines, at most {limit}")
    return problems


def body(lines):
    return "".join("  f();\n" for _ in range(lines))


SHORT = {f"nn/{i}.cpp": "int f() { return 1; }\nint g() { return 2; }\nint h() { return 3; }\n" for i in range(60)}
SAMPLES = [
    ({**SHORT, "nn/a.cpp": f"void big(int a,\n         int b) {{\n{body(100)}}}\n"}, ["a function of 103 lines"]),
    ({**SHORT,
      "nn/a.cpp": "namespace a {\nstruct B {\n  template <class T>\n  auto big(T t) -> int {\n" + body(99) + "  }\n};\n}\n"},
     ["nn/a.cpp:3: a function of 102 lines"]),
    ({**SHORT, "nn/a.h": 'const char* kText = R"({\n' + "(\n" * 200 + ')";\n'}, []),
    ({**SHORT, "nn/a.h": "int a;\n" * 501}, ["501 lines"]),
    ({**SHORT, "tests/nn/a.cpp": "int a;\n" * 501}, []),
    ({"nn/a.cpp": "int a;\n" * 130}, ["the median file"]),
    ({**{f"nn/x{i}.cpp": "int a;\n" * 400 for i in range(9)}, **SHORT}, ["one file in ten"]),
    ({"nn/a.cpp": f"int f() {{\n{body(9)}}}\n"}, ["the median function"]),
    ({"nn/a.cpp": "int g() { return 1; }\n" * 50 + f"int f() {{\n{body(80)}}}\n"},
     ["the median file", "one function in a hundred"]),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
