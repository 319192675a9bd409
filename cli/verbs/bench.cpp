#include "bench/bench.h"

#include <cstdio>

#include "base/error.h"
#include "base/text.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

namespace {

constexpr const char* kNodes = "--nodes";
constexpr const char* kPlatform = "--platform";

void read_platform_options(const Arguments& arguments, bench::Options& options) {
  constexpr std::int64_t kMostNodes = 1024;
  options.nodes = static_cast<int>(arguments.integer(kNodes, 1, kMostNodes).value_or(0));
  if (arguments.has(kHosts)) options.hosts = arguments.text(kHosts);
  if (arguments.has(kPlatform)) options.platform = arguments.text(kPlatform);
  const bool named = options.nodes > 0 || arguments.has(kHosts) || arguments.has(kPlatform);
  if (named && (arguments.text("NAME") != "machine" || options.nodes == 0))
    throw base::Error(base::Errc::usage, base::cat(kNodes, ", ", kHosts, " and ", kPlatform,
                                                   " are for trellis bench machine --nodes N"));
}

}  // namespace

void declare_bench(Arguments& arguments) {
  arguments.positional("NAME", "which benchmark; without it they are listed", false);
  declare_json(arguments);
  arguments.flag("--quick", "a tenth of the work: rough figures");
  arguments.option("--workers", "N", "CPU workers (default: one per core)");
  arguments.option(
      "--seeds", "N",
      "quality, digits: searches (of each problem; default: 20); tables: splits (3, "
      "of large ones 1); precision: trainings (5); adapt: trainings (3); fidelity: searches (30)");
  arguments.option(
      "--problems", "LIST",
      "quality, adapt: names, families or wildcards; tables, networks, precision, fidelity: names "
      "(default: all)");
  arguments.option("--methods", "LIST",
                   "quality: samplers, ours and rivals'; tpe@8: 8 trials run; adapt: policies "
                   "(default: the usual)");
  arguments.option(
      "--against", "LIST",
      "networks: torch, loader, jax, vmap; grid: jax, shared, torch, ray; digits: optuna-jax, "
      "optuna-torch, pool, ray; report: hiplot, hiplot-curves, optuna-dashboard (default: all)");
  arguments.option("--rows", "N", "grid: rows of the data (default: 10000)");
  arguments.option(kNodes, "N",
                   "machine: also write a platform file of N nodes like this machine, for plan and "
                   "simulate");
  arguments.option(kHosts, "HOST",
                   "machine --nodes: a node that ssh leads to, to measure the link (default: "
                   "localhost)");
  arguments.option(kPlatform, "FILE", "machine --nodes: the file (default: platform.yaml)");
}

int run_bench(const Arguments& arguments) {
  if (!arguments.has("NAME")) {
    std::string out;
    for (const bench::Benchmark& one : bench::benchmarks())
      out += base::cat(one.name, "  ", one.summary, "\n");
    print_result(out);
    return kDone;
  }
  constexpr std::int64_t kMaxWorkers = 256, kMaxSeeds = 10'000, kMaxRows = 60'000;
  bench::Options options{
      .quick = arguments.has("--quick"),
      .workers = static_cast<int>(arguments.integer("--workers", 1, kMaxWorkers).value_or(0)),
      .seeds = static_cast<int>(arguments.integer("--seeds", 1, kMaxSeeds).value_or(0)),
      .rows = static_cast<int>(arguments.integer("--rows", 100, kMaxRows).value_or(0))};
  if (arguments.has("--problems")) options.problems = arguments.text("--problems");
  if (arguments.has("--against")) options.against = arguments.text("--against");
  if (arguments.has("--methods")) options.methods = arguments.text("--methods");
  read_platform_options(arguments, options);
  std::vector<bench::Case> cases = bench::find_benchmark(arguments.text("NAME")).run(options);
  std::string machine = bench::machine_text();
  print_view(
      arguments, [&] { return bench::json_of(cases, machine); },
      [&] { return bench::table_of(cases, machine); });
  return kDone;
}

}  // namespace cli
