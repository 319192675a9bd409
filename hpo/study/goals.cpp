#include "hpo/study/goals.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/words.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/field.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/places.h"

namespace hpo {

namespace study {

namespace {

void check_several(const StudySpec& study, const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const std::string& name = metrics[i].name;
    if (metrics[i].take == Take::best)
      throw StudyError(
          place_of_metric(study, i, "take"),
          "\"take: best\" cannot be used with several metrics, because each may be best at a "
          "different step; use \"take: last\"");
    if (name.empty())
      throw StudyError(place_of_metric(study, i, "name"),
                       "metric.name is missing, expected a name for each of several metrics");
    if (std::ranges::find(names, name) != names.end())
      throw StudyError(place_of_metric(study, i, "name"),
                       base::cat("metric lists ", name, " twice"));
    names.push_back(name);
  }
  for (const char* end : {"limits.target", "limits.patience"}) {
    if (study.places->has(end))
      throw StudyError(study.places->at(end),
                       base::cat(end, " needs a single metric, this study has ", metrics.size(),
                                 "; use limits.trials"));
  }
  const std::string& kind = study.method_tree.node().find("type")->text;
  if (searches_several(kind)) return;
  throw StudyError(study.places->at("method"),
                   base::cat("method ", kind, " needs a single metric, this study has ",
                             metrics.size(), "; use ", base::either(kinds_for_several())));
}

}  // namespace

std::vector<Metric> metrics_of(const StudySpec& study) {
  std::vector<Metric> metrics{study.metric};
  metrics.insert(metrics.end(), study.others.begin(), study.others.end());
  return metrics;
}

Position place_of_metric(const StudySpec& study, std::size_t i, std::string_view key) {
  const bool list = study.places->has("metric.0");
  return study.places->at(list ? base::cat("metric.", i, ".", key) : base::cat("metric.", key));
}

void check_goals(const StudySpec& study) {
  if (!study.others.empty()) return check_several(study, metrics_of(study));
  if (study.metric.reference)
    throw StudyError(
        place_of_metric(study, 0, "reference"),
        "metric.reference needs several metrics, because a single one has no hypervolume; "
        "remove it");
}

}  // namespace study

std::vector<std::string> deciding_metrics(const StudySpec& study) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Metric& metric : study::metrics_of(study)) add(metric.name);
  for (const Bound& bound : study.subject_to) add(bound.metric);
  return names;
}

bool measures_latency(const StudySpec& study) {
  return !study.numbers_steps() && std::ranges::count(deciding_metrics(study), study::kLatency) > 0;
}

}  // namespace hpo
