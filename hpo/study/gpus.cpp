#include "hpo/study/gpus.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "hpo/study/document.h"
#include "hpo/study/substitute.h"

namespace hpo {

StudySpec with_gpus_by_size(const StudySpec& study, double gpu_from) {
  study::Document document = *study.document;
  study::Node& resources = *document.root.find("resources");
  std::erase_if(resources.entries, [](const study::Entry& entry) {
    return entry.key == "gpus" || entry.key == "gpu_from";
  });
  const std::string border = base::format_double(std::min(gpu_from, kNoGpu));
  const auto behind = std::ranges::find(resources.entries, "cpus", &study::Entry::key) + 1;
  const study::Position at = resources.at;
  resources.entries.insert(behind, {{"gpus", at, study::plain_node("auto", at)},
                                    {"gpu_from", at, study::plain_node(border, at)}});
  StudySpec placed = study;
  placed.document = std::make_shared<const study::Document>(std::move(document));
  return placed;
}

namespace {

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

bool asks_for_gpus(const study::Node& gpus) {
  return gpus.text == "auto" || base::parse_double(gpus.text).value_or(0) > 0;
}

bool asks_for_cores(const study::Node& gpus) { return !asks_for_gpus(gpus); }

/// What `gpus` may be in a trial.
std::vector<study::Node> written_values(const study::Node& gpus, const Space& space) {
  std::set<std::string, std::less<>> names;
  study::collect_names(gpus, names);
  if (names.empty()) return {gpus};
  std::vector<study::Node> values;
  for (const std::string& name : names) {
    for (const ParamValue& value : telling_values(space.find(name)->domain)) {
      Params params;
      params.set(name, value);
      if (auto written = study::substitute(gpus, params)) values.push_back(std::move(*written));
    }
  }
  return values;
}

/// Trials that fit on one GPU beside each other with the parts that trials may ask for.
std::set<int> numbers_of_sharers(const study::Node& gpus, const Space& space) {
  std::set<int> numbers;
  for (const study::Node& written : written_values(gpus, space)) {
    if (!asks_for_gpus(written)) continue;
    const double part = std::min(1.0, base::parse_double(written.text).value_or(1));
    numbers.insert(static_cast<int>(std::min<double>(kMostPerGpu, std::floor(1 / part))));
  }
  return numbers;
}

const study::Node& gpus_of(const StudySpec& study) {
  return *study.document->root.find_path({"resources", "gpus"});
}

}  // namespace

bool may_use_gpus(const StudySpec& study) {
  return std::ranges::any_of(written_values(gpus_of(study), study.space), asks_for_gpus);
}

bool parts_differ(const study::Node& gpus, const Space& space) {
  return numbers_of_sharers(gpus, space).size() > 1;
}

int trials_per_gpu(const StudySpec& study) {
  const std::set<int> numbers = numbers_of_sharers(gpus_of(study), study.space);
  return numbers.empty() ? 1 : *numbers.rbegin();
}

bool may_ask_for_cores(const study::Node& gpus, const Space& space) {
  return std::ranges::any_of(written_values(gpus, space), asks_for_cores);
}

}  // namespace hpo
