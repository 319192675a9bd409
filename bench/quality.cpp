// How good searches are: plays our samplers and others' on the problems of bench/quality.
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/process.h"
#include "bench/told.h"

namespace bench {

namespace {

constexpr int kQualitySeeds = 20;
constexpr int kQuickQualitySeeds = 2;
constexpr const char* kOurs = "random,sobol,tpe,gp,auto,tpe@8,gp@8,auto@8";
constexpr const char* kQuick = "random,tpe";

}  // namespace

std::vector<Case> run_quality(const Options& options) {
  const std::string python = rivals_python();
  std::string methods = options.methods;
  if (methods.empty() && options.quick) methods = kQuick;
  if (methods.empty() && python.empty()) methods = kOurs;
  const int seeds = options.seeds > 0 ? options.seeds
                    : options.quick   ? kQuickQualitySeeds
                                      : kQualitySeeds;
  std::vector<std::string> words{python.empty() ? "python3" : python,
                                 "-B",
                                 rivals_folder() + "/../quality/quality.py",
                                 "--trellis",
                                 own_program(),
                                 "--cache",
                                 (base::cache_folder() / "quality").string(),
                                 "--seeds",
                                 base::cat(seeds),
                                 "--problems",
                                 options.problems};
  if (!methods.empty()) words.insert(words.end(), {"--methods", methods});
  const Finished done = run_program(words);
  must_end_well(done, "the quality suite");
  return told_cases(done.output);
}

}  // namespace bench
