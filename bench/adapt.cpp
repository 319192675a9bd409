// Policies that let a network find its size: plays the tasks of bench/adapt, beside fixed networks
// and the sweep that a person would run.
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/process.h"
#include "bench/told.h"

namespace bench {

std::vector<Case> run_adapt(const Options& options) {
  const base::Path cache = base::cache_folder() / "adapt";
  // The tables and the figure lie beside the cells that they are made of.
  std::filesystem::create_directories(cache);
  std::vector<std::string> words{"python3",
                                 "-B",
                                 rivals_folder() + "/../adapt/adapt.py",
                                 "--trellis",
                                 own_program(),
                                 "--cache",
                                 cache.string(),
                                 "--csv",
                                 (cache / "cells.csv").string(),
                                 "--figure",
                                 (cache / "figure.svg").string(),
                                 "--problems",
                                 options.problems};
  if (options.quick) words.emplace_back("--quick");
  if (!options.methods.empty()) words.insert(words.end(), {"--methods", options.methods});
  if (options.seeds > 0) words.insert(words.end(), {"--seeds", base::cat(options.seeds)});
  if (options.workers > 0) words.insert(words.end(), {"--workers", base::cat(options.workers)});
  const Finished done = run_program(words);
  must_end_well(done, "the measure of policies");
  return told_cases(done.output);
}

}  // namespace bench
