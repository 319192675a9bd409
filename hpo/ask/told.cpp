#include "hpo/ask/told.h"

#include <algorithm>

#include "base/text.h"
#include "hpo/ask/refusal.h"
#include "hpo/log/metrics.h"

namespace hpo {

bool ToldRules::decides(std::string_view metric) const {
  return std::ranges::find(deciding_, metric) != deciding_.end();
}

bool ToldRules::repeats(const Latest& known, const Told& told) const {
  (void)value_of(told);
  return std::ranges::all_of(told.metrics, [&](const auto& metric) {
    const auto before = known.find(metric.first);
    return before != known.end() && same_number(before->second, metric.second);
  });
}

void ToldRules::require_deciding(std::uint64_t trial, const Latest& known, const Told& told) const {
  for (const std::string& name : deciding_) {
    if (name == study_.metric.name || known.contains(name) || find_metric(told.metrics, name))
      continue;
    const bool searched =
        std::ranges::find(study_.others, name, &Metric::name) != study_.others.end();
    throw refusal(base::cat("trial ", trial, " has no value of ", name, " yet, which ",
                            searched ? "is searched for" : "subject_to bounds",
                            "; report or tell it"));
  }
}

void ToldRules::require_what_the_rule_sees(const Latest& known, const Told& told) const {
  if (study_.early_stop_metric == 0) return;
  const std::string& name = study_.others.at(study_.early_stop_metric - 1).name;
  if (!known.contains(name) && !find_metric(told.metrics, name))
    throw refusal(base::cat("a report without a value of ", name, ", which early_stop looks at"));
}

std::optional<double> ToldRules::value_of(const Told& told) const {
  if (const double* named = find_metric(told.metrics, study_.metric.name)) return *named;
  if (told.metrics.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, value] : told.metrics) names.push_back(name);
  const std::string near = base::nearest(study_.metric.name, names);
  throw refusal(base::cat("the metric ", study_.metric.name, " is missing",
                          near.empty() ? "" : base::cat(", but there is ", base::printable(near))));
}

}  // namespace hpo
