"""Joins the scripts and the styles of the report's pages into a C++ source.

usage: join_page.py OUTPUT FILE.css... VARIANT=FILE,FILE...

Each variant is the script of one kind of page, or the style where its files are styles. Every page carries the text,
so remarks and blanks that mean nothing are left out, names of functions, of constants and of what the browser offers
become short, and declarations in a row become one. The hashes are those of the page's Content-Security-Policy.
"""

import base64
import collections
import hashlib
import itertools
import re
import string
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
KEYWORDS = {"do", "if", "in", "of", "as", "is"}
OPENS, CLOSES = "{[(,;=&|?:<*%", "})],;.?:&|"
PAIRS = {")": "(", "]": "[", "}": "{"}
# Behind these a brace begins an object or a pattern; behind others a block.
BEFORE_OBJECT = {"(", ",", "=", ":", "[", "?", "&", "|", "...", "return", "const", "let"}
LETTERS = string.ascii_letters + "_$"


class Token:
    """What has a meaning. `place`: "(", "[", "block", "object" or "class", in which it stands."""

    def __init__(self, match, place):
        self.kind, self.text, self.begin = match.lastgroup, match.group(), match.start()
        self.place = place

    def head(self):
        return self.text.split(".")[0] if self.kind == "word" else ""


def tokens_of(text):
    tokens, places = [], ["block"]
    for match in TOKEN.finditer(text):
        if match.lastgroup in ("remark", "blank"):
            continue
        token = Token(match, places[-1])
        if token.text == "{":
            places.append(place_of_brace(tokens))
        elif token.text in ("(", "["):
            places.append(token.text)
        elif token.kind == "sign" and token.text in PAIRS:
            places.pop()
            token.place = places[-1]
        tokens.append(token)
    return tokens


def place_of_brace(before):
    texts = [token.text for token in before[-2:]]
    if texts[:1] == ["class"]:
        return "class"
    return "object" if texts and texts[-1] in BEFORE_OBJECT else "block"


def closing(tokens, i):
    """Where the bracket at `i` ends."""
    depth = 0
    for k in range(i, len(tokens)):
        depth += (tokens[k].text in ("(", "[", "{")) - (tokens[k].kind == "sign" and tokens[k].text in PAIRS)
        if depth == 0:
            return k
    raise SystemExit(f"join_page.py: a bracket without an end: {tokens[i].text}")


def behind_value(tokens, i, last):
    """Where a value ends: at a comma, at the end of the statement or at `last`."""
    while i < last and tokens[i].text not in (",", ";"):
        i = closing(tokens, i) + 1 if tokens[i].text in ("(", "[", "{") else i + 1
    return i


def bound(tokens, i, last, names):
    """Adds the names that a list of patterns binds, from `i` to `last`."""
    while i < last:
        if tokens[i].text in ("{", "["):
            end = closing(tokens, i)
            bound(tokens, i + 1, end, names)
            i = end + 1
        elif tokens[i].place == "object" and tokens[i + 1].text == ":":
            i += 2
            continue
        elif tokens[i].kind == "word":
            names.add(tokens[i].text)
            i += 1
        else:
            i += 1
            continue
        if i < last and tokens[i].text in ("of", "in", ";"):
            return
        if i < last and tokens[i].text == "=":
            i = behind_value(tokens, i, last)
            if i < last and tokens[i].text == ";":
                return


def declared_names(tokens):
    """Of functions, classes, variables and parameters."""
    names = set()
    for i, token in enumerate(tokens):
        texts = [one.text for one in tokens[i + 1:i + 3]]
        if token.text in ("function", "class"):
            names.add(texts[0] if texts[0] != "*" else texts[1])
        elif token.text in ("const", "let"):
            bound(tokens, i + 1, len(tokens), names)
        elif token.text == ")" and texts[:2] == ["=", ">"]:
            bound(tokens, opening(tokens, i) + 1, i, names)
        elif token.text == ")" and texts[:1] == ["{"] and takes_parameters(tokens, opening(tokens, i)):
            bound(tokens, opening(tokens, i) + 1, i, names)
    return names


def opening(tokens, i):
    depth = 0
    for k in range(i, -1, -1):
        depth += (tokens[k].kind == "sign" and tokens[k].text in PAIRS) - (tokens[k].text in ("(", "[", "{"))
        if depth == 0:
            return k
    raise SystemExit("join_page.py: a bracket without a beginning")


def takes_parameters(tokens, i):
    """True for the bracket of a function's or a method's parameters."""
    return tokens[i - 1].place == "class" or any(token.text == "function" for token in tokens[max(0, i - 3):i])


def is_property(tokens, i):
    """A key of an object or the name of a method: it stays."""
    before, after = tokens[i - 1].text, tokens[i + 1].text
    if tokens[i].place == "class":
        return after in ("(", "=")
    return tokens[i].place == "object" and before in ("{", ",") and after in (":", "(")


def is_shorthand(tokens, i):
    """`{name}` is a key and a variable: the key stays."""
    before, after = tokens[i - 1].text, tokens[i + 1].text
    return tokens[i].place == "object" and before in ("{", ",") and after in (",", "}", "=")


def in_templates(token):
    return re.findall(r"\$\{([^{}]*)\}", token.text) if token.text.startswith("`") else []


def short_names(text):
    """A short name for each declared one, and for the browser's that stand often: the same everywhere."""
    tokens = tokens_of(text)
    names = declared_names(tokens) - KEYWORDS
    counts = collections.Counter()
    for i, token in enumerate(tokens):
        if token.head() and not (0 < i < len(tokens) - 1 and is_property(tokens, i)):
            counts[token.head()] += 1
        for inner in in_templates(token):
            counts.update(one.head() for one in tokens_of(inner))
    wanted = names | {name for name in BROWSER if counts[name] > 2}
    kept = set(counts) - wanted | KEYWORDS
    pairs = (a + b for a in LETTERS for b in LETTERS + string.digits)
    free = (name for name in itertools.chain(LETTERS, pairs) if name not in kept)
    return dict(zip(sorted(sorted(wanted), key=lambda name: -counts[name]), free))


def renamed(text):
    names = short_names(text)
    tokens = tokens_of(text)
    out, at = "", 0
    for i, token in enumerate(tokens):
        out += text[at:token.begin]
        at = token.begin + len(token.text)
        out += renamed_token(tokens, i, names)
    browser = ",".join(f"{names[name]}={name}" for name in BROWSER if name in names)
    return (f"let {browser};" if browser else "") + out + text[at:]


def renamed_token(tokens, i, names):
    token = tokens[i]
    if token.text.startswith("`"):
        def expression(match):
            inner = tokens_of(match.group(1))
            return "${" + "".join(renamed_token(inner, k, names) for k in range(len(inner))) + "}"
        return re.sub(r"\$\{([^{}]*)\}", expression, token.text)
    head = token.head()
    if head not in names:
        return token.text
    if 0 < i < len(tokens) - 1:
        if is_property(tokens, i):
            return token.text
        if is_shorthand(tokens, i):
            return f"{head}:{names[head]}"
    return names[head] + token.text[len(head):]


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
    text = joined_declarations(renamed(text))
    out = ""
    gap = ""
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind in ("remark", "blank"):
            gap = "\n" if "\n" in token or gap == "\n" else " "
            continue
        token = token.strip() if kind == "regex" else token
        if gap and out:
            words = re.match(r"[\w$]", token) and re.search(r"[\w$]$", out)
            signs = token[0] in "+-" and out[-1] == token[0]
            if gap == "\n" and out[-1] not in OPENS and token[0] not in CLOSES:
                out += "\n"
            elif words or signs:
                out += " "
        gap = ""
        out += token
    return '"use strict";(()=>{' + out + "})();"


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
