// Several studies beside each other.

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "base/words.h"
#include "hpo/log/metrics.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"
#include "hpo/report/study_keys.h"

namespace hpo::report {

namespace {

/// Rows of the table of different keys.
constexpr std::size_t kKeyRows = 60;

bool same_metric(const std::vector<Gathered>& studies) {
  return std::ranges::all_of(studies, [&](const Gathered& one) {
    return one.info.metric == studies.front().info.metric &&
           one.info.maximize == studies.front().info.maximize;
  });
}

std::vector<DifferentKey> differences_of(const std::vector<Gathered>& studies) {
  std::vector<std::string_view> files;
  for (const Gathered& one : studies) files.push_back(one.resolved);
  return different_keys(files);
}

/// Studies of one file with several seeds say how much chance there is.
bool are_seeds(const std::vector<DifferentKey>& keys) {
  return keys.size() == 1 && keys.front().key == "seed";
}

/// The studies that have a best trial, the best of these first.
std::vector<const Gathered*> by_value(const std::vector<Gathered>& studies) {
  std::vector<const Gathered*> order;
  for (const Gathered& one : studies)
    if (one.best && one.best->value && !std::isnan(*one.best->value)) order.push_back(&one);
  std::ranges::stable_sort(order, [](const Gathered* a, const Gathered* b) {
    return a->objective.better(*a->best->value, *b->best->value);
  });
  return order;
}

std::string comparison_heading(const std::vector<Gathered>& studies, bool seeds) {
  const std::string& metric = studies.front().info.metric;
  const std::string name = visible(metric, kLongName);
  if (!same_metric(studies))
    return base::cat(studies.size(), " studies search for different metrics.");
  const std::vector<const Gathered*> order = by_value(studies);
  if (order.empty()) return base::cat("None of ", studies.size(), " studies has a best trial yet.");
  const auto value = [&](const Gathered* one) { return score(metric, *one->best->value); };
  if (seeds && order.size() > 1) {
    double mean = 0;
    for (const Gathered* one : order) mean += *one->best->value / static_cast<double>(order.size());
    return base::cat("Over ", order.size(), " seeds the best ", name, " is ", score(metric, mean),
                     " in the mean, from ", value(order.back()), " to ", value(order.front()), ".");
  }
  std::string out = base::cat(visible(order.front()->info.name, kLongName), " found the best ",
                              name, ": ", value(order.front()));
  if (order.size() > 1)
    out +=
        base::cat(", before ", visible(order[1]->info.name, kLongName), " with ", value(order[1]));
  return out + ".";
}

std::string studies_table(const std::vector<Gathered>& studies) {
  std::vector<Cell> head{"study",          "state", "metric", "best",
                         "on unseen rows", "trial", "trials", "complete"};
  const bool times = studies.front().has_times;
  if (times) head.emplace_back("time");
  Table table(std::move(head), 3);
  const std::vector<const Gathered*> order = by_value(studies);
  for (const Gathered& one : studies) {
    const double* tested =
        one.best ? find_metric(one.best->metrics, tested_as(one.info.metric)) : nullptr;
    const bool is_other = tested_as(one.info.metric) != one.info.metric;
    const bool has_value = one.best && one.best->value;
    std::vector<Cell> cells{
        one.info.name,
        std::string(name_of(one.info.state)),
        one.info.metric,
        has_value ? score(one.info.metric, *one.best->value) : std::string("–"),
        tested != nullptr && is_other ? score(one.info.metric, *tested) : std::string("–"),
        one.best ? std::to_string(one.best->trial) : std::string("–"),
        std::to_string(one.counts.all()),
        std::to_string(one.counts.complete)};
    if (times)
      cells.emplace_back(one.info.active_seconds > 0 ? base::format_seconds(one.info.active_seconds)
                                                     : std::string("–"));
    const bool first = same_metric(studies) && !order.empty() && order.front() == &one;
    table.row(cells, first ? "winner" : "");
  }
  return table.html();
}

std::string verdicts(const std::vector<Gathered>& studies) {
  std::vector<std::string> lines;
  for (const Gathered& one : studies)
    if (one.verdict)
      lines.push_back(base::cat(one.info.name, ", trial ", one.best->trial, ": ",
                                one.hidden(one.verdict->text), "."));
  return list(lines);
}

Section keys_section(const std::vector<Gathered>& studies, const std::vector<DifferentKey>& keys) {
  Section section{.id = "keys", .title = "Files"};
  section.heading = keys.empty() ? "The study files say the same."
                                 : base::cat("The study files differ in ",
                                             base::counted(keys.size(), "key"), ".");
  if (keys.empty()) return section;
  std::vector<Cell> head{"key"};
  for (const Gathered& one : studies) head.emplace_back(one.info.name);
  Table table(std::move(head), studies.size() + 1);
  for (std::size_t i = 0; i < std::min(kKeyRows, keys.size()); ++i) {
    std::vector<Cell> cells{keys[i].key};
    for (std::size_t k = 0; k < studies.size(); ++k)
      cells.push_back(Cell::whole(visible(studies[k].hidden(keys[i].values[k]), 200)));
    table.row(cells);
  }
  section.body = table.html();
  if (keys.size() > kKeyRows)
    section.body += paragraph(base::cat("and ", keys.size() - kKeyRows, " more"));
  return section;
}

Section winners_section(const std::vector<Gathered>& studies) {
  Section section{.id = "winners", .title = "Winners"};
  std::vector<std::string> names;
  for (const Gathered& one : studies) {
    if (!one.best) continue;
    for (const auto& [name, value] : one.best->params)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::vector<Cell> head{"parameter"};
  for (const Gathered& one : studies) head.emplace_back(one.info.name);
  Table table(std::move(head), 1);
  std::size_t different = 0;
  for (const std::string& name : names) {
    std::vector<Cell> cells{name};
    std::set<std::string> values;
    for (const Gathered& one : studies) {
      const ParamValue* value = one.best ? one.best->params.find(name) : nullptr;
      const std::string text = value == nullptr ? "–" : one.label(*value);
      values.insert(text);
      cells.emplace_back(text);
    }
    const bool differs = values.size() > 1;
    different += differs ? 1 : 0;
    table.row(cells, differs ? "different" : "");
  }
  section.heading = base::cat("The winners differ in ", different, " of ",
                              base::counted(names.size(), "parameter"), ".");
  section.body = table.html();
  return section;
}

}  // namespace

std::vector<Section> comparison_sections(const std::vector<Gathered>& studies) {
  const std::vector<DifferentKey> keys = differences_of(studies);
  Section result{.id = "result", .title = "Result", .is_headline = true};
  result.heading = comparison_heading(studies, are_seeds(keys));
  result.body = studies_table(studies) + verdicts(studies);
  std::vector<Section> sections{std::move(result)};
  if (same_metric(studies)) {
    Section progress{
        .id = "progress", .title = "Progress", .heading = "How fast each one got there"};
    progress.body = picture("bests", "The best so far of each study.") +
                    picture("edf", "The share of each study's trials at or below each value.");
    sections.push_back(std::move(progress));
  }
  sections.push_back(keys_section(studies, keys));
  sections.push_back(winners_section(studies));
  return sections;
}

}  // namespace hpo::report
