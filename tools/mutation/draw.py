"""Draws edits by a seed: a folder's share of them, a file by its length, a line, and one way to change it."""
import random
import re

from mutation import edits, scratch

# How many of 40 edits each folder gets, and the tests that own its code; the longest prefix of a path counts.
SHARES = {"base": 2, "kernels": 6, "runtime": 6, "nn": 9, "tasks": 4, "hpo": 10, "cli": 3}
CORE = ["runtime base", "runtime core sequential", "runtime core starpu_2"]
TESTS = {
    "bench": ["bench"],
    "kernels": ["kernels"],
    "runtime": CORE,
    "base": ["base", "runtime core sequential", "nn-data"],
    "base/process": ["base-process", "tasks", "hpo-command-work"],
    "runtime/codec": ["runtime base", "runtime core sequential"],
    "runtime/starpu": ["runtime core starpu_1", "runtime core starpu_2", "runtime core starpu_4", "runtime-place"],
    "runtime/net/sums": ["runtime net sums"],
    "runtime/net/tls": ["runtime net sums tls"],
    "runtime/place": ["runtime-place", *CORE],
    "nn": ["nn", "nn-torch", "nn-golden-short", "nn-device"],
    "nn/data": ["nn-data", "nn"],
    "tasks": ["tasks", "nn-device", "hpo-driver", "hpo-folds", "hpo-command-work"],
    "tasks/supervise": ["tasks", "hpo-command-work"],
    "hpo/ask": ["hpo-ask"],
    "hpo/driver": ["hpo-driver", "hpo-rules", "hpo-population", "hpo-folds", "hpo-command-work", "hpo-simulate"],
    "hpo/export": ["hpo-export"],
    "hpo/import": ["hpo-import"],
    "hpo/importance": ["hpo-importance"],
    "hpo/log": ["hpo-log"],
    "hpo/place": ["hpo-place"],
    "hpo/report": ["hpo-report"],
    "hpo/samplers": ["hpo-samplers"],
    "hpo/search": ["hpo-search", "hpo-rules", "hpo-ask", "hpo-solver"],
    "hpo/solver": ["hpo-solver"],
    "hpo/space": ["hpo-space"],
    "hpo/stopping": ["hpo-stopping"],
    "hpo/study": ["hpo-study"],
    "cli": ["cli-parts", "cli-usage", "cli-plan", "cli-sweep", "cli-train", "cli-predict", "cli-json", "cli-hostile",
            "cli-output", "cli-hostile-values", "cli-programs", "cli-spaces", "cli-several", "cli-ask", "cli-import"],
}
NOT_BUILT = re.compile(r"kernels/cuda/|runtime/install/|runtime/starpu/.*(cuda|simgrid)")

COMPARED = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "}
REPLACED = [*COMPARED.items(), (" && ", " || "), (" || ", " && "), (" + 1", ""), (" - 1", ""), (" + ", " - "),
            (" - ", " + "), ("std::min(", "std::max("), ("std::max(", "std::min("), ("true", "false"),
            ("false", "true"), (" += ", " -= ")]
STATEMENT = re.compile(r"[\w.\->:]+\([^{}]*\);")
KEYWORD = re.compile(r"(return|throw|co_return|co_await|delete|static_assert|using|if|for|while)\b")
CONDITION = re.compile(r"if \((?!constexpr)(.*)\)( .*;| \{)")
NEGATED = re.compile(r"!(?=[\w(])")
SWAPPED = re.compile(r"(\w)\((\w+), (\w+)\)")
NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
SKIPPED = re.compile(r"//|#|\*|static_assert|template|using |namespace|assert|TRELLIS_|\"|'|R\"|typename|operator|enum ")


def ways(line):
    """The replacements of one line, each with the word for its kind."""
    found = [("replaced", line[:i] + new + line[i + len(old):])
             for old, new in REPLACED for i in [m.start() for m in re.finditer(re.escape(old), line)]]
    if STATEMENT.fullmatch(line) and not KEYWORD.match(line) and line.count("(") == line.count(")"):
        found.append(("dropped", ";"))
    condition = CONDITION.fullmatch(line)
    if condition and condition[1].count("(") == condition[1].count(")") and ";" not in condition[1]:
        found.append(("negated", f"if (!({condition[1]})){condition[2]}"))
    found += [("negation removed", line[:m.start()] + line[m.end():]) for m in NEGATED.finditer(line)]
    found += [("swapped", line[:m.start()] + f"{m[1]}({m[3]}, {m[2]})" + line[m.end():])
              for m in SWAPPED.finditer(line) if m[2] != m[3]]
    found += [("number", line[:m.start()] + str(int(m[1]) + 1) + line[m.end():])
              for m in NUMBER.finditer(line) if int(m[1]) < 10000]
    return found


def tests_of(path):
    return TESTS[max((prefix for prefix in TESTS if path.startswith(prefix + "/")), key=len)]


def candidates(text):
    """(index, kind, replacement) of each line of a function's body."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line.startswith("  ") and not SKIPPED.search(line):
            for kind, replacement in ways(line.strip()):
                yield at, kind, replacement


class Drawing:
    def __init__(self, root, seed, compiles, rejected):
        self.root = root
        self.seed = seed
        self.rng = random.Random(seed)
        self.compiles = compiles
        self.rejected = {(edit["file"], edit["text"], edit["replace"]) for edit in rejected}
        self.sources = [path for path in scratch.files_of(root)
                        if path.endswith(".cpp") and not NOT_BUILT.search(path)]

    def any_edit(self, files):
        """An edit of one of the files; its kind is drawn before the line, so that rare kinds come as well."""
        while True:
            path = self.rng.choices(files, weights=[(self.root / file).stat().st_size for file in files])[0]
            text = (self.root / path).read_text(encoding="utf-8")
            found = list(candidates(text))
            if found:
                break
        kind = self.rng.choice(sorted({kind for _, kind, _ in found}))
        at, _, replacement = self.rng.choice([one for one in found if one[1] == kind])
        return {"file": path, **edits.locate(text.split("\n"), at), "replace": replacement,
                "tests": tests_of(path), "kind": kind}

    def edit_in(self, number, folder, used):
        """An edit in that folder, in a file without one, that compiles and is not known to change nothing. Each
        number has a random stream of its own, so that a rejected edit changes no other."""
        self.rng = random.Random(f"{self.seed} {number}")
        files = [path for path in self.sources if path.startswith(folder + "/") and path not in used]
        while True:
            edit = self.any_edit(files)
            same = (edit["file"], edit["text"], edit["replace"])
            if same not in self.rejected and self.compiles(edit):
                return edit


def folders_of(count):
    """The folder of each of `count` edits, by the shares."""
    shares = [folder for folder, share in SHARES.items() for _ in range(share)]
    return [shares[i * len(shares) // count] if count < len(shares) else shares[i % len(shares)] for i in range(count)]


def draw(root, seed, count, compiles, rejected):
    drawing = Drawing(root, seed, compiles, rejected)
    picked, used = [], set()
    for number, folder in enumerate(folders_of(count), 1):
        edit = drawing.edit_in(number, folder, used)
        used.add(edit["file"])
        picked.append({"number": number, **edit})
    return picked
