// All trials: the best ones as a table, all of them by the page's script.

#include <algorithm>

#include "base/text.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

constexpr std::size_t kShownTrials = 10;
/// Parameters beyond these have no column in the table.
constexpr std::size_t kParameterColumns = 8;

std::string state_text(const TrialRow& row) {
  if (row.cause == Cause::none) return std::string(name_of(row.state));
  return base::cat(name_of(row.state), ": ", name_of(row.cause));
}

std::string best_table(const Gathered& study) {
  const std::size_t columns = std::min(kParameterColumns, study.parameters.size());
  std::vector<Cell> head{"trial", "state", study.info.metric, study.unit() + "s"};
  for (std::size_t i = 0; i < columns; ++i) head.emplace_back(study.parameters[i].name);
  Table table(std::move(head), 2);
  for (std::size_t i = 0; i < std::min(kShownTrials, study.ranking.size()); ++i) {
    const TrialRow& row = study.trials[study.ranking[i]];
    std::vector<Cell> cells{std::to_string(row.trial), state_text(row),
                            row.value ? score(study.info.metric, *row.value) : std::string("–"),
                            std::to_string(row.epochs)};
    for (std::size_t k = 0; k < columns; ++k) {
      const ParamValue* value = row.params.find(study.parameters[k].name);
      cells.emplace_back(value == nullptr ? std::string("–") : study.label(*value));
    }
    table.row(cells, study.best && row.trial == study.best->trial ? "winner" : "");
  }
  return table.html();
}

std::string trials_heading(const Gathered& study) {
  const std::size_t all = study.trials.size();
  if (all == 1) return "The one trial";
  const std::size_t shown = std::min(kShownTrials, all);
  const TrialRow& first = study.trials[study.ranking.front()];
  if (!first.value || !can_lead(first)) return base::cat("All ", all, " trials");
  double least = *first.value;
  bool some_stopped = false, some_complete = false;
  for (std::size_t i = 0; i < shown; ++i) {
    const TrialRow& row = study.trials[study.ranking[i]];
    if (!row.value || !can_lead(row)) return base::cat("All ", all, " trials");
    if (study.objective.better(least, *row.value)) least = *row.value;
    (row.state == TrialState::complete ? some_complete : some_stopped) = true;
  }
  const std::string best_text = score(study.info.metric, *first.value),
                    least_text = score(study.info.metric, least);
  const bool parted = some_stopped && some_complete;
  return base::cat(parted ? "The first " : "The best ", shown, " of ", all, " trials ",
                   best_text == least_text
                       ? base::cat("all reached ", best_text)
                       : base::cat("range from ", best_text, " to ", least_text),
                   parted ? "; complete ones come before stopped ones." : ".");
}

}  // namespace

std::optional<Section> trials_section(const Gathered& study) {
  if (study.trials.empty()) return std::nullopt;
  Section section{.id = "trials", .title = "Trials", .heading = trials_heading(study)};
  section.body = base::cat("<div id=\"table\">\n", best_table(study), "</div>\n");
  return section;
}

}  // namespace hpo::report
