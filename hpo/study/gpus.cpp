#include "hpo/study/gpus.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/text.h"
#include "hpo/study/node.h"
#include "hpo/study/places.h"
#include "hpo/study/substitute.h"

namespace hpo {

StudySpec with_gpus_by_size(const StudySpec& study, double gpu_from) {
  StudySpec placed = study;
  placed.resources.gpus = study::GpuShare{.is_auto = true};
  placed.resources.gpu_from = std::min(gpu_from, kNoGpu);
  return placed;
}

namespace {

using study::GpuShare;

/// Values of a domain among which there is one for GPUs, where it has any, one for cores, and,
/// where its values are different parts of a GPU, two such: all of a list, the ends of a range and
/// many between them.
std::vector<ParamValue> telling_values(const Domain& domain) {
  if (const auto* choice = std::get_if<Choice>(&domain)) return choice->values;
  constexpr int kSteps = 64;
  std::vector<ParamValue> values;
  for (int i = 0; i <= kSteps; ++i)
    values.push_back(from_unit(domain, static_cast<double>(i) / kSteps));
  return values;
}

bool asks_for_gpus(const GpuShare& gpus) { return gpus.is_auto || gpus.share > 0; }

/// The values that `gpus` may have in a trial.
std::vector<GpuShare> possible_values(const StudySpec& study) {
  const study::Expr<GpuShare>& gpus = study.resources.gpus;
  if (!gpus.varies()) return {gpus.value()};
  std::set<std::string, std::less<>> names;
  study::collect_names(gpus.tree().node(), names);
  std::vector<GpuShare> values;
  for (const std::string& name : names) {
    for (const ParamValue& value : telling_values(study.space.find(name)->domain)) {
      Params params;
      params.set(name, value);
      const auto written = study::substitute(gpus.tree().node(), params);
      if (!written) continue;
      values.push_back({.share = base::parse_double(written->text).value_or(0),
                        .is_auto = written->text == "auto"});
    }
  }
  return values;
}

/// Trials that fit on one GPU beside each other with the parts that trials may ask for.
std::set<int> numbers_of_sharers(const StudySpec& study) {
  std::set<int> numbers;
  for (const GpuShare& gpus : possible_values(study)) {
    if (!asks_for_gpus(gpus)) continue;
    const double part = gpus.is_auto ? 1 : std::min(1.0, gpus.share);
    numbers.insert(static_cast<int>(std::min<double>(kMostPerGpu, std::floor(1 / part))));
  }
  return numbers;
}

/// The value of `gpus` as the file has it.
std::string described(const StudySpec& study) {
  const study::Expr<GpuShare>& gpus = study.resources.gpus;
  if (gpus.varies()) return study::describe(gpus.tree().node());
  return gpus.value().is_auto ? "auto" : text_of(ParamValue(gpus.value().share));
}

}  // namespace

bool may_use_gpus(const StudySpec& study) {
  return std::ranges::any_of(possible_values(study), asks_for_gpus);
}

int trials_per_gpu(const StudySpec& study) {
  const std::set<int> numbers = numbers_of_sharers(study);
  return numbers.empty() ? 1 : *numbers.rbegin();
}

namespace study {

void check_parts(const StudySpec& study) {
  if (numbers_of_sharers(study).size() <= 1) return;
  throw StudyError(
      study.places->at("resources.gpus"),
      base::cat(
          "resources.gpus is ", described(study),
          ", which can be different fractions of a GPU, but networks that share a GPU all "
          "get equal parts, expected a single fraction (0, for no GPU, may be another value)"));
}

void check_precision(const StudySpec& study) {
  if (study.precision != kern::Precision::tf32) return;  // some cores have each other one
  // Where all trials have the same `gpus` the machine's GPUs decide, and the study is read on every
  // machine.
  if (!study.resources.gpus.varies()) return;
  if (std::ranges::all_of(possible_values(study), asks_for_gpus)) return;
  throw StudyError(study.places->at("resources.gpus"),
                   base::cat("resources.gpus is ", described(study),
                             ", which can be 0, but no CPU computes in precision ",
                             kern::precision_name(study.precision), "; give every trial a GPU"));
}

void check_threshold(const StudySpec& study) {
  const Expr<GpuShare>& gpus = study.resources.gpus;
  if (!study.resources.gpu_from || (!gpus.varies() && gpus.value().is_auto)) return;
  throw StudyError(study.places->at("resources.gpu_from"),
                   base::cat("resources.gpu_from needs gpus: auto, but gpus is ",
                             gpus.varies() ? gpus.tree().node().text : described(study)));
}

}  // namespace study

}  // namespace hpo
