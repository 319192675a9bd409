"""Joins the scripts and the styles of the report's pages into a C++ source.

usage: join_page.py OUTPUT FILE.css... VARIANT=FILE,FILE...

Each variant is the script of one kind of page, or the style where its files are styles. Every page carries the text,
so remarks and blanks that mean nothing are left out, names of functions, of constants and of what the browser offers
become short, and declarations in a row become one. The hashes are those of the page's Content-Security-Policy.
"""

import base64
import hashlib
import re
import sys
from pathlib import Path

HEAD = '#include "hpo/report/page_files.h"\n\nnamespace hpo::report {\n\n'
ENTRY = 'const PageFile k{name}{{R"page~({text})page~", "{hash}"}};\n'
TAIL = "\n}  // namespace hpo::report\n"

# What stands whole: texts, regular expressions (behind what no value can end with), and words.
TOKEN = re.compile(r"""
  (?P<remark>//[^\n]*|/\*.*?\*/)
| (?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)
| (?P<regex>(?<=[(,=:\[!&|?{};])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
| (?P<blank>\s+)
| (?P<spread>\.{3})
| (?P<word>\.?[\w$][\w$.]*)
| (?P<sign>.)
""", re.VERBOSE | re.DOTALL)
BROWSER = ("Math", "Number", "document", "window", "Infinity", "performance")
OPENS, CLOSES = "{[(,;=&|?:<*%", "})],;.?:&|"


def tokens_of(text):
    """(kind, token) of what has a meaning, with the brackets that each stands in."""
    open_brackets = []
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind in ("remark", "blank"):
            continue
        if token in "{([":
            open_brackets.append(token)
        elif token in "})]" and open_brackets:
            open_brackets.pop()
        yield kind, token, open_brackets[-1] if open_brackets else ""


def is_property(before, after, bracket):
    """A name in an object, or taken out of one, cannot have another one."""
    in_list = before in ("{", ",") and after in (":", ",", "}")
    is_method = before in ("{", "}") and after == "("
    return bracket == "{" and (in_list or is_method)


def declared_names(text):
    """Of functions, classes, constants, variables and parameters: never those of the browser."""
    names = set(re.findall(r"\b(?:function|const|let|class) (\w{3,})", text))
    lists = [r"\(([\w, ]+)\) =>", r"\bfunction \w+\(([^)]*)\)", r"^  (?!for|if|while)\w+\(([^)]*)\) \{", r"\bconst \[([\w, ]+)\]"]
    for pattern in lists:
        for found in re.findall(pattern, text, re.MULTILINE):
            names |= {part.split("=")[0].strip() for part in found.split(",") if re.match(r"\s*\w{3,}\s*(=|$)", part)}
    return names


def short(i, free):
    digits = "abcdefghijklmnopqrstuvwxyz"
    if i < len(free):
        return free[i]
    i -= len(free)
    return "$" + (digits[i] if i < 26 else digits[i // 26 - 1] + digits[i % 26])


def short_names(text):
    """Another name for each declared one that is nowhere a property or part of a text, and for the browser's that stand often."""
    tokens = list(tokens_of(text))
    words = [token.split(".")[0] for _, token, _ in tokens]
    free = [letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in words]
    fixed = set(re.findall(r"\w+", " ".join(token for kind, token, _ in tokens if kind == "text")))
    for i, (kind, _, bracket) in enumerate(tokens[1:-1], 1):
        before, after = tokens[i - 1][1], tokens[i + 1][1]
        if kind == "word" and is_property(before, after, bracket):
            fixed.add(words[i])
    fixed |= {word for _, token, _ in tokens for word in token.split(".")[1:]}
    known = {name for name in declared_names(text) - fixed if words.count(name) > 1}
    known |= {name for name in BROWSER if words.count(name) > 2 and name not in declared_names(text)}
    often = sorted(sorted(known), key=lambda name: -words.count(name))
    return {name: short(i, free) for i, name in enumerate(often)}


def joined_declarations(text):
    """`const a = 1; const b = 2;` as `let a = 1, b = 2;`: what is assigned twice was found before."""
    tokens = [match for match in TOKEN.finditer(text) if match.lastgroup not in ("remark", "blank")]
    out, at, open_brackets, declares = "", 0, [], [False]
    for i, match in enumerate(tokens):
        token = match.group()
        follows = tokens[i + 1].group() if i + 1 < len(tokens) else ""
        in_block = not open_brackets or open_brackets[-1] == "{"
        out += text[at:match.start()]
        at = match.end()
        if token in ("const", "let"):
            out += "" if declares[-1] and in_block else "let"
            declares[-1] = declares[-1] or in_block
            continue
        if token == ";" and in_block and declares[-1]:
            declares[-1] = follows in ("const", "let")
            out += "," if declares[-1] else ";"
            continue
        out += token
        if token in "{([":
            open_brackets.append(token)
            declares.append(False)
        elif token in "})]" and open_brackets:
            open_brackets.pop()
            declares.pop()
    return out + text[at:]


def script_of(text):
    names = short_names(text)
    text = joined_declarations(text)
    out = ""
    gap = ""
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind in ("remark", "blank"):
            gap = "\n" if "\n" in token or gap == "\n" else " "
            continue
        token = token.strip() if kind == "regex" else token
        if kind == "word":
            head, dot, rest = token.partition(".")
            token = names.get(head, head) + dot + rest
        if gap and out:
            words = re.match(r"[\w$]", token) and re.search(r"[\w$]$", out)
            signs = token[0] in "+-" and out[-1] == token[0]
            if gap == "\n" and out[-1] not in OPENS and token[0] not in CLOSES:
                out += "\n"
            elif words or signs:
                out += " "
        gap = ""
        out += token
    browser = ",".join(f"{names[name]}={name}" for name in BROWSER if name in names)
    return '"use strict";(()=>{' + (f"let {browser};" if browser else "") + out + "})();"


def style_of(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([{};,]) ?", r"\1", text).replace(";}", "}").strip()


def entry(name, text):
    for word in ("</script", "</style", "<!--", ')page~"'):
        if word in text.lower():
            raise SystemExit(f"join_page.py: {word!r} in a file of the page would end its element")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return ENTRY.format(name=name, text=text, hash="sha256-" + digest)


def read(paths):
    return "\n".join(Path(path).read_text(encoding="utf-8") for path in paths)


def main():
    output, *words = sys.argv[1:]
    styles = [word for word in words if "=" not in word]
    variants = dict(word.split("=", 1) for word in words if "=" in word)
    entries = []
    for name, files in variants.items():
        joined = style_of if files.endswith(".css") else script_of
        entries.append(entry(name, joined(read(files.split(",")))))
    Path(output).write_text(HEAD + "".join([*entries, entry("Style", style_of(read(styles)))]) + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
