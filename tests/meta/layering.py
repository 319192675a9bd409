#!/usr/bin/env python3
"""Who may include whom: the design's directions for our folders, and the few places that may see each library."""
import posixpath
import re

import house

# The longest prefix of a file's path that is listed here says which of our folders (or files) it may include.
MAY_INCLUDE = {
    "base": ["base"],
    "kernels": ["kernels"],
    "runtime": ["base", "runtime"],
    "nn": ["base", "nn", "kernels/kernels.h", "kernels/precision.h", "kernels/feed.h", "kernels/step_buffer.h",
           "kernels/product.h", "kernels/reserve.h"],
    "tasks": ["tasks", "base", "runtime", "nn", "kernels"],
    "hpo": ["hpo", "base", "runtime", "tasks", "nn"],
    "hpo/search": ["hpo/search", "hpo/log", "hpo/samplers", "hpo/stopping", "hpo/space", "hpo/study/spec.h", "base"],
    "hpo/report": ["hpo/report", "hpo/log", "hpo/export", "hpo/importance", "hpo/space", "hpo/study/spec.h", "base"],
    "hpo/mlflow": ["hpo/mlflow", "hpo/log", "hpo/export", "hpo/space", "base"],
    "hpo/serve": ["hpo/serve", "hpo/report", "hpo/log", "base"],
    "hpo/space": ["hpo/space", "base"],
    "hpo/wandb": ["hpo/wandb", "hpo/space", "base"],
    "hpo/samplers": ["hpo/samplers", "hpo/space", "base"],
    "hpo/stopping": ["hpo/stopping", "hpo/space", "base"],
    "cli": list(house.PRODUCT) + ["bench"],
    "examples": ["base", "runtime"],
    "examples/policies": ["examples/policies", "nn"],
    "bench": ["bench"] + list(house.PRODUCT),
    "tests": ["tests", "bench"] + list(house.PRODUCT),
}

# (library, its headers, the only places that may include them)
LIBRARIES = [
    ("StarPU", r"starpu.*\.h", ["runtime/starpu", "bench/raw_starpu.cpp"]),
    ("oneTBB", r"(oneapi/)?tbb/.*", ["bench/raw_tbb.cpp"]),
    ("MPI", r"mpi\.h", []),
    ("SimGrid", r"simgrid/.*", ["tests/runtime/net/sums"]),
    ("gRPC", r"(grpc|grpcpp)/.*", ["runtime/net/grpc", "tests"]),
    ("OpenSSL", r"openssl/.*", ["runtime/net/tls", "tests"]),
    ("CUDA", r"(cuda|cublas|cudnn|nccl|curand|nvml).*\.h|.*\.cuh", ["kernels/cuda", "runtime/starpu", "tests"]),
    ("yaml-cpp", r"yaml-cpp/.*", ["hpo/study"]),
    ("RE2", r"re2/.*", ["hpo/study"]),
    ("SQLite", r"sqlite3.*\.h", ["hpo/log", "tests", "bench"]),
    ("BLAS", r"(cblas|lapacke?|openblas.*)\.h", ["kernels", "examples", "bench", "tests"]),
    ("Boost", r"boost/.*", ["hpo/samplers", "nn/data", "nn/evaluation"]),
    ("XGBoost", r"xgboost/.*", ["nn/evaluation"]),
    ("oneDNN", r"(oneapi/dnnl/)?dnnl.*", ["kernels/cpu", "bench"]),
    ("GoogleTest", r"gtest/.*", ["tests"]),
    ("xxHash", r"xxhash.*", ["base"]),
    ("Random123", r"Random123/.*", ["base"]),
    ("cpp-httplib", r"httplib\.h", ["hpo/mlflow", "hpo/serve"]),
    ("zlib", r"zlib\.h", ["nn/data", "hpo/report", "hpo/wandb", "tests"]),
    ("CLI11", r"CLI/.*", ["cli", "bench"]),
    ("nlohmann", r"nlohmann/.*", ["bench", "tests"]),
]

# Seconds of compile time each: only .cpp files may include these (a folder's private headers are named here).
HEAVY = re.compile(
    r"boost/|yaml-cpp/|nlohmann/|Eigen/|CLI/|gtest/|httplib|sqlite3|(oneapi/dnnl/)?dnnl|starpu|Random123/|xxhash|re2/")
PRIVATE_HEADERS = ("runtime/starpu/", "tests/", "bench/")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def under(path, places):
    return any(path == place or path.startswith(place + "/") for place in places)


def rule_for(path):
    return max((prefix for prefix in MAY_INCLUDE if under(path, [prefix])), key=len)


def own_include(tree, path, target):
    if target.startswith(".") or target not in tree.paths:
        return f'{path}: includes "{target}", which is no file; own headers are written from the root of the repository'
    rule = rule_for(path)
    if not under(target, MAY_INCLUDE[rule]) and posixpath.dirname(path) != posixpath.dirname(target):
        return f'{path}: includes "{target}"; {rule} may include only {", ".join(MAY_INCLUDE[rule])}'
    return None


def library_include(path, target):
    problems = []
    for library, headers, places in LIBRARIES:
        if re.fullmatch(headers, target) and not under(path, places):
            problems.append(f"{path}: includes <{target}>; only {', '.join(places)} may see {library}")
    if path.endswith(".h") and HEAVY.match(target) and not path.startswith(PRIVATE_HEADERS):
        problems.append(f"{path}: a header includes the heavy <{target}>; include it in the .cpp")
    return problems


def check(tree):
    problems = []
    for path in tree.cpp():
        for quote, target in INCLUDE.findall(tree.text(path)):
            own = target.split("/")[0] in house.CODE
            if quote == '"':
                problems.append(own_include(tree, path, target))
            elif own and target in tree.paths:
                problems.append(f"{path}: includes our own <{target}> with angle brackets")
            else:
                problems += library_include(path, target)
    return [problem for problem in problems if problem]


SAMPLES = [
    ({"kernels/a.cpp": '#include "nn/b.h"\n', "nn/b.h": ""}, ["kernels may include only"]),
    ({"base/a.cpp": '#include "runtime/b.h"\n', "runtime/b.h": ""}, ["base may include only"]),
    ({"runtime/a.cpp": '#include "base/b.h"\n', "nn/a.cpp": '#include "base/b.h"\n', "base/b.h": ""}, []),
    ({"kernels/a.cpp": '#include "base/b.h"\n', "base/b.h": ""}, ["kernels may include only"]),
    ({"nn/a.cpp": "#include <xxhash.h>\n"}, ["may see xxHash"]),
    ({"nn/a.cpp": '#include "kernels/cpu/b.h"\n', "kernels/cpu/b.h": ""}, ["nn may include only"]),
    ({"hpo/samplers/a.cpp": '#include "hpo/log/b.h"\n#include "hpo/space/c.h"\n', "hpo/log/b.h": "", "hpo/space/c.h": ""},
     ["hpo/samplers may include only"]),
    ({"cli/a.cpp": '#include "b.h"\n', "cli/b.h": ""}, ["is no file"]),
    ({"cli/a.cpp": "#include <cli/b.h>\n", "cli/b.h": ""}, ["angle brackets"]),
    ({"cli/a.cpp": "#include <starpu.h>\n"}, ["may see StarPU"]),
    ({"runtime/a.cpp": "#include <cuda_runtime.h>\n"}, ["may see CUDA"]),
    ({"kernels/cpu/a.h": "#include <dnnl.h>\n", "kernels/cpu/a.cpp": "#include <dnnl.h>\n"}, ["heavy"]),
    ({"nn/a.cpp": "#include <nlohmann/json.hpp>\n", "tests/a.cpp": "#include <nlohmann/json.hpp>\n"}, ["may see nlohmann"]),
    ({"hpo/driver/a.cpp": "#include <sqlite3.h>\n", "hpo/log/b.cpp": "#include <sqlite3.h>\n"}, ["may see SQLite"]),
    ({"cli/a.cpp": "  #  include <yaml-cpp/yaml.h>\n"}, ["may see yaml-cpp"]),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
