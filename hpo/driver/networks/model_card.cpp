#include "hpo/driver/networks/model_card.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "base/words.h"
#include "hpo/log/metrics.h"
#include "nn/model/spec.h"

namespace hpo {

namespace {

constexpr std::size_t kMostNames = 100;

std::string figure(double x) { return base::with_digits(x, 4); }

/// A cell of a table: a bar in it would end it.
std::string cell(const std::string& text, std::size_t longest = 80) {
  std::string out;
  for (const char c : base::printable(text, longest))
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string kind_of(const nn::FeatureColumn& column) {
  switch (column.kind()) {
    case nn::ColumnKind::number:
      return "number";
    case nn::ColumnKind::categories:
      return base::cat("texts, ", column.categories.size(), " of them");
    case nn::ColumnKind::hashed:
      return base::cat("texts, hashed into ", column.buckets, " inputs");
    case nn::ColumnKind::date:
      break;
  }
  return "date";
}

std::string split_of(const nn::SplitSpec& split) {
  std::string out = "at random, each class in the same shares";
  if (!split.group.empty())
    out = base::cat("by group: rows of the same `", split.group, "` stay in one part");
  if (!split.time.empty())
    out = base::cat("by time: the latest rows by `", split.time, "` are the test part");
  return base::cat(out, "; seed ", split.seed);
}

std::string names_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    out += base::cat(i == 0 ? "" : ", ", cell(names[i]));
  if (names.size() > kMostNames) out += base::cat(" and ", names.size() - kMostNames, " more");
  return out;
}

std::string calibration_row(const Winner& winner) {
  if (!winner.calibration) return "";
  const nn::Calibration& fitted = *winner.calibration;
  std::string out = base::cat("| calibration | temperature ", figure(fitted.temperature));
  if (fitted.threshold != 0.5)
    out += base::cat(", `", cell(winner.data->value.get().header().class_names[1]),
                     "` from a probability of ", figure(fitted.threshold));
  return out + " |\n";
}

std::string data_section(const StudySpec& study, const Winner& winner) {
  const nn::Dataset::Header& data = winner.data->value.get().header();
  const nn::DataSpec spec = data_spec(study, winner.trial.params);
  std::string out = base::cat(
      "## Data\n\n| | |\n|---|---|\n| file | `",
      std::filesystem::path(spec.path).filename().string(), "` |\n| hash of its bytes | `",
      winner.data->file_content, "` |\n| rows | ", data.train_rows, " to train, ", data.valid_rows,
      " for validation, ", data.test_rows, " to test |\n| split | ", split_of(spec.split),
      " |\n| task | ",
      data.class_names.empty() ? "numbers" : base::cat("classes: ", names_of(data.class_names)),
      " |\n| target | ");
  for (std::size_t i = 0; i < data.targets.size(); ++i)
    out += base::cat(i == 0 ? "" : ", ",
                     cell(data.targets[i].name.empty() ? "label" : data.targets[i].name));
  out += " |\n\n";
  if (data.columns.empty()) return out + base::cat("Inputs: ", data.input.text(), ".\n\n");
  out += "| inputs | |\n|---|---|\n";
  std::vector<std::string> kinds;
  for (const nn::FeatureColumn& column : data.columns) {
    const std::string kind = kind_of(column);
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  for (const std::string& kind : kinds) {
    std::vector<std::string> names;
    for (const nn::FeatureColumn& column : data.columns)
      if (kind_of(column) == kind) names.push_back(column.name);
    out += base::cat("| ", kind, " | ", names_of(names), " |\n");
  }
  return out + "\n";
}

std::string metrics_section(const CardFacts& facts) {
  if (facts.tested.empty()) return "";
  std::string out =
      "## Metrics on rows that nothing has seen\n\n| metric | value | 95% interval "
      "|\n|---|---|---|\n";
  for (const auto& [name, value] : facts.tested) {
    const auto found =
        std::ranges::find(facts.intervals, name, [](const auto& one) { return one.first; });
    const bool known = found != facts.intervals.end();
    out += base::cat(
        "| `", cell(name), "` | ", figure(value), " | ",
        known ? base::cat(figure(found->second.low), " to ", figure(found->second.high)) : "",
        " |\n");
  }
  return out + "\n";
}

std::string baselines_section(const StudySpec& study, const CardFacts& facts) {
  if (facts.baselines.empty()) return "";
  const std::string valid =
      study.metric.name.starts_with("valid.") ? study.metric.name : "valid.loss";
  const std::string test = tested_as(valid);
  std::string out =
      base::cat("## Baselines\n\n| baseline | `", valid, "` | `", test, "` |\n|---|---|---|\n");
  for (const BaselineRow& row : facts.baselines) {
    const double* v = find_metric(row.metrics, valid);
    const double* t = find_metric(row.metrics, test);
    out += base::cat("| ", row.name, " | ", v == nullptr ? "" : figure(*v), " | ",
                     t == nullptr ? "" : figure(*t), " |\n");
  }
  return out + "\n";
}

std::string limits_section(const Winner& winner) {
  const nn::Dataset::Header& data = winner.data->value.get().header();
  std::string out = "## Limits\n\n";
  for (const std::string& doubt : data.doubts) out += base::cat("- ", doubt, ".\n");
  if (data.test_rows == 0)
    out += "- No rows were kept for a test, so its quality on new rows is unknown.\n";
  out +=
      "- The figures hold for rows like those of the file. Whether new rows are like them is not "
      "known here.\n";
  if (!data.class_names.empty())
    out +=
        "- It answers with one of the classes above, also for a row that belongs to none of "
        "them.\n";
  return out + "\n";
}

}  // namespace

std::string card_file(const std::string& model_file) {
  return std::filesystem::path(model_file).stem().string() + ".md";
}

std::string model_card(const StudySpec& study, const Winner& winner, const CardFacts& facts) {
  const std::string run = study.name;
  std::string out = base::cat("# Model of the study ", run, "\n\n");
  if (facts.verdict)
    out += base::cat("Verdict: ", base::printable(facts.verdict->text, std::string::npos), ".\n\n");
  out += base::cat("Predictions: `trellis predict ", facts.model_file, " FILE`.\n\n");
  out +=
      base::cat("## Network\n\n| | |\n|---|---|\n| trial | ", winner.trial.trial, " |\n| shape | ",
                nn::shape_text(winner.model), " |\n| weights | ", nn::weight_count(winner.model),
                " |\n| epochs | ", winner.trial.epochs, " |\n| parameters | ",
                winner.trial.params.empty() ? "none" : cell(text_of(winner.trial.params)),
                " |\n| seed | ", study.seed, " |\n| arithmetic | ",
                cell(facts.arithmetic, std::string::npos), " |\n", calibration_row(winner), "\n");
  out += data_section(study, winner) + metrics_section(facts) + baselines_section(study, facts) +
         limits_section(winner);
  return out + base::cat(
                   "## Repeat\n\nWith the study file and the data, `trellis sweep` gives the same "
                   "model, bit for bit, on this "
                   "arithmetic. `study.yaml` next to this page has every key of the study.\n");
}

}  // namespace hpo
