// The search of the least study file on ten tables that nobody prepared, against random search over
// scikit-learn's networks on the same rows.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "hpo/log/event.h"
#include "hpo/log/study_reader.h"
#include "nn/data/load.h"

namespace bench {

namespace {

/// A table of bench/rivals/tables_fetch.py and its target. Large ones get fewer trials, both here
/// and there.
struct TableName {
  const char* name;
  const char* target;
  bool large = false;
};
constexpr std::array kTables{TableName{"votes", "Class"},
                             TableName{"housing", "medv"},
                             TableName{"ozone", "V4"},
                             TableName{"soybean", "Class"},
                             TableName{"credit", "class"},
                             TableName{"segment", "class"},
                             TableName{"spam", "type"},
                             TableName{"letters", "lettr", true},
                             TableName{"earnings", "earnings", true},
                             TableName{"shuttle", "Class", true}};
constexpr int kTableTrials = 60, kFewTableTrials = 6;
constexpr int kTableSeeds = 3, kLargeTableSeeds = 1;

/// Accuracies, or root mean squared errors, of one program over all splits of the rows; a
/// seed of its own for each.
struct Scores {
  std::vector<double> seconds, test, linear, constant;
};

base::Path tables_folder() {
  const char* data = std::getenv("TRELLIS_DATA");
  return (data == nullptr ? base::Path(".") : base::Path(data)) / "tables";
}

base::Path file_of(const TableName& table) {
  base::Path file = tables_folder() / base::cat(table.name, ".csv");
  if (!std::filesystem::exists(file)) {
    throw base::Error(base::Errc::data,
                      base::cat(file.string(), ": no such table; ", rivals_folder(),
                                "/tables_fetch.py makes them in a folder \"tables\" under "
                                "$TRELLIS_DATA"));
  }
  return std::filesystem::absolute(file);
}

/// The tables asked for by name, or all.
std::vector<TableName> chosen_tables(const std::string& list) {
  std::vector<std::string> known;
  for (const TableName& table : kTables) known.emplace_back(table.name);
  std::vector<TableName> chosen;
  for (const std::size_t at : places_of(list, known, "--problems: there is no table "))
    chosen.push_back(kTables[at]);
  return chosen;
}

/// The rows of each part, as our own trials see them.
bool write_split(const TableName& table, int seed, const base::Path& to) {
  nn::DataSpec spec{.path = file_of(table).string(), .targets = {table.target}};
  spec.split.seed = static_cast<std::uint64_t>(seed);
  const nn::Dataset data = nn::load_dataset(spec);
  nlohmann::json split{{"csv", spec.path}, {"target", table.target}};
  split["task"] = data.is_classification() ? "classification" : "regression";
  for (auto [name, part] :
       {std::pair{"train", nn::Part::train}, {"valid", nn::Part::valid}, {"test", nn::Part::test}})
    split[name] = std::vector<unsigned>(data.part(part).begin(), data.part(part).end());
  base::write_file_atomic(to, split.dump());
  return data.is_classification();
}

/// The test score in the metrics of a trial or of a baseline.
double test_score(const nlohmann::json& metrics) {
  return metrics.contains("test.accuracy") ? metrics["test.accuracy"].get<double>()
                                           : std::sqrt(metrics["test.mse"].get<double>());
}

int trials_of(const TableName& table, const Options& options) {
  const int trials = table.large ? kFewTableTrials : kTableTrials;
  return options.quick ? std::max(1, trials / 10) : trials;
}

void run_ours(const TableName& table, const base::Path& folder, int seed, const Options& options,
              Scores& to) {
  const base::Path file = folder / base::cat(table.name, ".yaml");
  // The first is the least file; others are dealt out anew.
  const std::string split = seed == 0 ? "" : base::cat(", split: {seed: ", seed, "}");
  std::string text = base::cat("data: {csv: \"", file_of(table).string(),
                               "\", target: ", table.target, split, "}\n");
  if (trials_of(table, options) != kTableTrials)
    text += base::cat("limits: {trials: ", trials_of(table, options), "}\n");
  base::write_file_atomic(file, text);
  const base::Path runs = folder / base::cat(table.name, "-", seed);
  std::vector<std::string> words{own_program(), "sweep",  file.string(),        "--dir",
                                 runs.string(), "--seed", std::to_string(seed), "--quiet"};
  if (options.workers > 0)
    words.insert(words.end(), {"--workers", std::to_string(options.workers)});
  const Finished done = run_program(words);
  must_end_well(done, "trellis sweep");
  const Finished best =
      run_program({own_program(), "best", table.name, "--dir", runs.string(), "--json"});
  must_end_well(best, "trellis best");
  to.seconds.push_back(done.seconds);
  to.test.push_back(test_score(nlohmann::json::parse(best.output)["metrics"]));
  const hpo::StudyReader study(runs / table.name);
  for (const hpo::BaselineRow& row : study.baselines()) {
    const double score = test_score(nlohmann::json::parse(hpo::json_of(row.metrics)));
    const bool constant = row.name == "majority class" || row.name == "mean";
    (constant ? to.constant : to.linear).push_back(score);
  }
  std::filesystem::remove_all(runs);
}

void run_rival(const std::string& python, const base::Path& split, int seed, int trials,
               Scores& to) {
  const Finished done =
      run_program({python, "-B", rivals_folder() + "/tables_sklearn.py", split.string(), "--seed",
                   std::to_string(seed), "--trials", std::to_string(trials)});
  must_end_well(done, "scikit-learn");
  const auto figures = nlohmann::json::parse(done.output);
  to.seconds.push_back(done.seconds);
  to.test.push_back(figures["test"].get<double>());
  to.linear.push_back(figures["linear_test"].get<double>());
}

double mean_of_scores(const std::vector<double>& values) { return mean_error(values).mean; }

std::vector<Case> cases_of(const TableName& table, bool classes, const Scores& ours,
                           const Scores& theirs) {
  const std::string what =
      base::cat(table.name, ", test ", classes ? "accuracy" : "root mean squared error");
  const auto ratio = [&](double mine, double other) {
    return classes ? mine / other : other / mine;
  };
  Case net{.name = what, .ours = mean_of_scores(ours.test), .spread = sample_of(ours.test).spread};
  Case linear = net, constant = net;
  if (!theirs.test.empty()) {
    net.rival = "random search over scikit-learn's networks";
    net.rival_value = mean_of_scores(theirs.test);
    net.ratio = ratio(net.ours, net.rival_value);
  }
  linear.rival = "the linear baseline";
  linear.rival_value = mean_of_scores(ours.linear);
  linear.ratio = ratio(linear.ours, linear.rival_value);
  constant.rival = "the constant baseline";
  constant.rival_value = mean_of_scores(ours.constant);
  constant.ratio = ratio(constant.ours, constant.rival_value);
  const Sample seconds = sample_of(ours.seconds);
  Case time{.name = base::cat(table.name, ", the whole search"),
            .ours = seconds.median,
            .unit = "s",
            .spread = seconds.spread};
  if (!theirs.seconds.empty()) {
    time.rival = net.rival;
    time.rival_value = sample_of(theirs.seconds).median;
    time.ratio = time.rival_value / time.ours;
  }
  return {net, linear, constant, time};
}

}  // namespace

std::vector<Case> run_tables(const Options& options) {
  const std::string python = rivals_python();
  const base::TemporaryFolder scratch("trellis-bench-");
  const base::Path& folder = scratch.path();
  std::vector<Case> cases;
  for (const TableName& table : chosen_tables(options.problems)) {
    const base::Path split = folder / "split.json";
    bool classes = true;
    Scores ours, theirs;
    const int usual = options.quick || table.large ? kLargeTableSeeds : kTableSeeds;
    const int seeds = options.seeds > 0 ? options.seeds : usual;
    for (int seed = 0; seed < seeds; ++seed) {
      show_progress(base::cat(table.name, ": split ", seed + 1, " of ", seeds));
      classes = write_split(table, seed, split);
      run_ours(table, folder, seed, options, ours);
      if (!python.empty()) run_rival(python, split, seed, trials_of(table, options), theirs);
    }
    for (Case& one : cases_of(table, classes, ours, theirs)) cases.push_back(std::move(one));
  }
  show_progress("");
  return cases;
}

}  // namespace bench
