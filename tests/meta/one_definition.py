#!/usr/bin/env python3
"""No two headers define a type of the same name in the same namespace: each source may see its own one, and the linker keeps
the functions of either for both."""
import re

import house

NAMESPACE = re.compile(r"^namespace ([\w: ]+) \{")
TYPE = re.compile(r"^(?:class|struct|union|enum(?: class)?) (?:\[\[\w+\]\] |alignas\(\w+\) )?(\w+)[^;]*(?:\{|$)")


def types(text):
    """(namespace, name) of each type that a header defines outside of other types."""
    inside = ""
    for line in text.splitlines():
        if found := NAMESPACE.match(line):
            inside = found[1]
        elif found := TYPE.match(line):
            yield inside, found[1]


def check(tree):
    places, problems = {}, []
    for path in tree.cpp(house.PRODUCT):
        if not path.endswith(".h"):
            continue
        for name in types(tree.text(path)):
            if places.setdefault(name, path) != path:
                problems.append(f"{path}: {'::'.join(name)} is defined in {places[name]}, too")
    return problems


SAMPLES = [
    ({"hpo/a.h": "namespace hpo {\nstruct Tried {\n};\n}\n",
      "hpo/b.h": "namespace hpo {\nclass Tried final : public X {\n};\n}\n"},
     ["hpo/b.h: hpo::Tried is defined in hpo/a.h"]),
    ({"runtime/a.h": "namespace rt::inline v0 {\nclass Group {\n};\n}\n",
      "runtime/b.h": "namespace rt::inline v0 {\nclass Group {\n};\n}\n"}, ["runtime/b.h: rt::inline v0::Group is defined"]),
    ({"hpo/a.h": "namespace hpo {\nstruct Tried;\nstruct Other {\n  struct Tried {};\n};\n}\n",
      "nn/b.h": "namespace nn {\nstruct Tried {\n};\n}\n", "hpo/c.h": "namespace hpo {\nclass Tried {\n};\n}\n"}, []),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
