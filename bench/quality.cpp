// How good searches are: plays our samplers and others' on the problems of bench/quality.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "bench/process.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace bench {

namespace {

constexpr int kQualitySeeds = 20;
constexpr int kQuickQualitySeeds = 2;
constexpr const char* kOurs = "random,sobol,tpe,gp,auto,tpe@8,gp@8,auto@8";
constexpr const char* kQuick = "random,tpe";

double number_of(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : NAN;
}

Case case_of(const nlohmann::json& json) {
  Case one{.name = json["case"],
           .ours = json["ours"],
           .unit = json["unit"],
           .rival = json["rival"],
           .rival_value = json["rival_value"],
           .ratio = number_of(json, "ratio")};
  const double half = number_of(json, "half");
  one.spread = std::isfinite(half) && one.ours > 0 ? 2 * half / one.ours : 0;
  return one;
}

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
                                 (rt::cache_folder() / "quality").string(),
                                 "--seeds",
                                 rt::cat(seeds),
                                 "--problems",
                                 options.problems};
  if (!methods.empty()) words.insert(words.end(), {"--methods", methods});
  const Finished done = run_program(words);
  must_end_well(done, "the quality suite");
  std::vector<Case> cases;
  const nlohmann::json answer = nlohmann::json::parse(done.output);
  for (const nlohmann::json& one : answer["cases"]) cases.push_back(case_of(one));
  return cases;
}

}  // namespace bench
