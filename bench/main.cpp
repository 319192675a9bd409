// The benchmarks without the rest of the program: trellis-bench NAME [--json] [--quick] [--workers
// N].
#include <cstdio>
#include <string_view>

#include "bench/bench.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace {

int run(int argc, char** argv) {
  bench::Options options;
  std::string_view name;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json") {
      json = true;
    } else if (word == "--quick") {
      options.quick = true;
    } else if (word == "--workers" && i + 1 < argc) {
      options.workers = static_cast<int>(rt::parse_int(argv[++i]).value_or(0));
    } else {
      name = word;
    }
  }
  if (name.empty()) {
    std::puts("usage: trellis-bench NAME [--json] [--quick] [--workers N], where NAME is");
    for (const bench::Benchmark& b : bench::benchmarks())
      std::puts(rt::cat("  ", b.name, "  ", b.summary).c_str());
    return 2;
  }
  const auto cases = bench::find_benchmark(name).run(options);
  const std::string machine = bench::machine_text();
  std::fputs((json ? bench::json_of(cases, machine) : bench::table_of(cases, machine)).c_str(),
             stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const rt::Error& e) {
    std::fprintf(stderr, "trellis-bench: %s\n", e.what());
    return rt::exit_code(e.kind());
  }
}
