// What won, and whether it can be trusted.

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "hpo/log/metrics.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// The clauses of a judgement, which semicolons part.
std::vector<std::string> clauses(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("; "), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

/// "10 diverged, 2 error"
std::string causes_text(const Gathered& study) {
  return base::listed(study.causes(), [](const Failures& one) {
    return base::cat(one.trials, " ", name_of(one.cause));
  });
}

std::string without_best(const Gathered& study) {
  const std::int64_t all = study.counts.all();
  if (all == 0) return "No trial has begun yet.";
  if (study.counts.failed == all)
    return base::cat(
        all == 1 ? "The only trial failed: " : base::cat("All ", all, " trials failed: "),
        causes_text(study), ".");
  const bool reported =
      std::ranges::any_of(study.trials, [](const TrialRow& row) { return row.value.has_value(); });
  return reported
             ? base::cat("No trial has a number as ", visible(study.info.metric, kLongName), ".")
             : "No trial has a value yet.";
}

std::string winner_value(const Gathered& study) {
  return base::cat(visible(study.info.metric, kLongName), " = ",
                   score(study.info.metric, study.best->value.value_or(0)));
}

/// The same where nobody judged it.
std::string leading(const Gathered& study) {
  const TrialRow& best = *study.best;
  const std::string trial = base::cat("trial ", best.trial);
  const std::string value = winner_value(study);
  if (const std::string broken = study.objective.broken(best.metrics); !broken.empty())
    return base::cat("Every trial breaks a bound; ", trial,
                     " breaks them least: ", visible(broken, 2 * kLongName), ".");
  if (best.state == TrialState::stopped)
    return base::cat("No trial is complete; ", trial, ", stopped at ", study.unit(), " ", best.step,
                     ", is the best: ", value, ".");
  const std::string all = base::counted(study.counts.all(), "trial");
  if (study.info.state == StudyState::finished || study.info.state == StudyState::failed)
    return base::cat(capital(trial), " is the best of ", all, ": ", value, ".");
  return base::cat(capital(trial), " leads after ", study.ended(), " of ", all, ": ", value, ".");
}

std::string result_heading(const Gathered& study) {
  if (!study.best) return without_best(study);
  if (!study.verdict) return leading(study);
  const std::vector<std::string> parts = clauses(study.verdict->text);
  if (parts.empty()) return leading(study);
  return base::cat("Trial ", study.best->trial, " is ", visible(study.hidden(parts.front())), ".");
}

/// "It scores 98.6% (test.accuracy) on 359 unseen rows, between 96.8% and 99.4% (95%)."
std::string tested(const Gathered& study) {
  const std::string metric = tested_as(study.info.metric);
  const double* value = find_metric(study.best->metrics, metric);
  if (metric == study.info.metric || value == nullptr) return "";
  std::string out =
      base::cat("It scores ", score(metric, *value), " (", visible(metric, kLongName), ") on ");
  const bool counted = study.verdict && study.verdict->rows > 0;
  out += counted ? base::counted(study.verdict->rows, "unseen row") : "unseen rows";
  for (const ScoreInterval& one : study.intervals) {
    const bool known = one.metric == metric && one.low <= one.high;
    if (known)
      out += base::cat(", between ", score(metric, one.low), " and ", score(metric, one.high),
                       " (95%)");
  }
  return out + ". ";
}

std::string result_lead(const Gathered& study) {
  if (!study.best) return study.hidden(study.info.reason);
  const TrialRow& best = *study.best;
  std::string out = tested(study);
  if (study.verdict || best.state == TrialState::complete)
    out += base::cat("The search saw ", winner_value(study), " after ",
                     base::counted(best.epochs, study.unit()), ".");
  if (!study.verdict && study.info.programs)
    out +=
        base::cat(out.empty() ? "" : " ",
                  "Its program reported this value. It was not checked on data that the search did "
                  "not see.");
  return out;
}

std::string winner_parameters(const Gathered& study) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : study.best->params) pairs.emplace_back(name, study.label(value));
  if (pairs.empty()) return "";
  return base::cat("<h2 class=\"sub\">Its parameters</h2>\n", facts(pairs));
}

/// The winner and the simplest predictors by the same metric.
std::string baselines_table(const Gathered& study) {
  const std::string metric = study.info.metric, test = tested_as(metric);
  const auto cell = [](const Metrics& metrics, const std::string& name) {
    const double* value = find_metric(metrics, name);
    return value == nullptr ? std::string("–") : score(name, *value);
  };
  Table table({"on the same rows", metric, test}, 1);
  std::size_t rows = 0;
  for (const BaselineRow& row : study.baselines) {
    if (find_metric(row.metrics, metric) == nullptr && find_metric(row.metrics, test) == nullptr)
      continue;
    if (rows++ == 0)
      table.row({base::cat("trial ", study.best->trial), cell(study.best->metrics, metric),
                 cell(study.best->metrics, test)},
                "winner");
    table.row({row.name, cell(row.metrics, metric), cell(row.metrics, test)});
  }
  return rows == 0 ? ""
                   : base::cat("<h2 class=\"sub\">Beside simpler predictors</h2>\n", table.html());
}

/// What is known of the winner's lead where nothing but its program judged it.
std::string lead_text(const Gathered& study) {
  if (!study.best || study.verdict || !study.info.programs || study.info.asked) return "";
  const auto next = std::ranges::find_if(study.ranking, [&](std::size_t place) {
    const TrialRow& row = study.trials[place];
    return row.trial != study.best->trial && row.state == TrialState::complete && row.value;
  });
  if (next == study.ranking.end()) return "";
  const TrialRow& second = study.trials[*next];
  return base::cat("Trial ", second.trial, " is second: ", visible(study.info.metric, kLongName),
                   " = ", score(study.info.metric, *second.value),
                   ". Each trial ran once, so how much of the difference is noise is not known. "
                   "The command under Repeat that runs the winner again tells.");
}

/// The counts, or of many classes the most frequent mistakes.
std::string confusion_html(const Gathered& study) {
  constexpr std::size_t kWidest = 12, kMistakes = 10;
  const ConfusionTable& table = study.confusion;
  const std::size_t classes = table.classes.size();
  if (classes == 0) return "";
  std::string title =
      base::cat("<h2 class=\"sub\">Rows of the ", table.part == "test" ? "test" : "validation",
                " part: true class by answer</h2>\n");
  if (classes <= kWidest) {
    std::vector<Cell> head{"true \\ answer"};
    for (const std::string& name : table.classes) head.emplace_back(name);
    Table out(std::move(head), 1);
    for (std::size_t truth = 0; truth < classes; ++truth) {
      std::vector<Cell> cells{table.classes[truth]};
      for (std::size_t given = 0; given < classes; ++given) {
        const std::int64_t rows = table.counts[truth][given];
        // Among many cells those with rows are to stand out.
        cells.push_back(Cell::of_html(rows == 0 ? "·"
                                      : given == truth
                                          ? std::to_string(rows)
                                          : base::cat("<b class=\"wrong\">", rows, "</b>")));
      }
      out.row(cells);
    }
    return title + out.html();
  }
  std::vector<std::pair<std::int64_t, std::string>> mistakes;
  for (std::size_t truth = 0; truth < classes; ++truth) {
    for (std::size_t given = 0; given < classes; ++given) {
      const std::int64_t rows = table.counts[truth][given];
      if (truth == given || rows == 0) continue;
      mistakes.emplace_back(
          rows,
          base::cat(base::counted(rows, "row"), " of ", visible(table.classes[truth], kLongName),
                    " predicted as ", visible(table.classes[given], kLongName)));
    }
  }
  std::ranges::stable_sort(mistakes, std::ranges::greater{},
                           &std::pair<std::int64_t, std::string>::first);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(kMistakes, mistakes.size()); ++i)
    lines.push_back(mistakes[i].second);
  if (lines.empty()) lines.emplace_back("no mistakes");
  return title + list(lines);
}

std::string study_facts(const Gathered& study) {
  std::vector<std::pair<std::string, std::string>> pairs{
      {"trials", std::to_string(study.counts.all())},
      {"complete", std::to_string(study.counts.complete)},
      {"stopped early", std::to_string(study.counts.stopped)},
      {"failed", std::to_string(study.counts.failed)}};
  const std::int64_t open = study.counts.running + study.counts.waiting;
  if (open > 0) pairs.emplace_back("not ended", std::to_string(open));
  if (study.has_times && study.info.active_seconds > 0)
    pairs.emplace_back("running time", base::format_seconds(study.info.active_seconds));
  std::int64_t epochs = 0;
  for (const TrialRow& row : study.trials) epochs += row.epochs;
  pairs.emplace_back(study.unit() + "s", std::to_string(epochs));
  if (study.best && study.best->inference_flops > 0)
    pairs.emplace_back("winner, one row", flops(study.best->inference_flops));
  return facts(pairs);
}

}  // namespace

Section result_section(const Gathered& study) {
  Section section{.id = "result",
                  .title = "Result",
                  .heading = result_heading(study),
                  .lead = result_lead(study),
                  .is_headline = true};
  std::vector<std::string> doubts;
  if (study.verdict) {
    const std::vector<std::string> parts = clauses(study.verdict->text);
    for (std::size_t i = 1; i < parts.size(); ++i)
      doubts.push_back(capital(study.hidden(parts[i])) + ".");
  }
  if (const std::string lead = lead_text(study); !lead.empty()) doubts.push_back(lead);
  section.body = list(doubts) + study_facts(study);
  std::string beside;
  const auto put = [&](const std::string& html) {
    if (!html.empty()) beside += base::cat("<div>", html, "</div>\n");
  };
  if (study.best) put(winner_parameters(study) + baselines_table(study));
  put(confusion_html(study));
  if (!beside.empty()) section.body += base::cat("<div class=\"beside\">\n", beside, "</div>\n");
  return section;
}

}  // namespace hpo::report
