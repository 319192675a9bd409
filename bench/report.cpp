// The page of a study in a browser, beside the pages of other tools with the same trials.

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/rival.h"
#include "bench/told.h"
#include "hpo/log/event_log.h"
#include "hpo/log/study_reader.h"

namespace bench {

namespace {

constexpr std::uint64_t kReportTrials = 10'000, kQuickReportTrials = 1'000, kFewTrials = 60;
constexpr std::int64_t kReportSteps = 27;
constexpr int kReportRounds = 5, kQuickReportRounds = 1;

/// Others' pages of the same trials (bench/rivals/report.py).
constexpr std::array kReportRivals{Rival{"hiplot", "HiPlot, last values", false},
                                   Rival{"hiplot-curves", "HiPlot, curves", true},
                                   Rival{"optuna-dashboard", "optuna-dashboard", true}};

/// Eight parameters, one of them conditional.
constexpr const char* kReportParameters =
    "  lr: {type: float, min: 0.0001, max: 0.1, scale: log}\n"
    "  width: {type: int, min: 16, max: 256, scale: log}\n"
    "  batch: {values: [16, 32, 64]}\n"
    "  optimizer: {values: [adam, sgd]}\n"
    "  momentum: {type: float, min: 0.0, max: 0.99, when: {optimizer: sgd}}\n"
    "  dropout: {type: float, min: 0.0, max: 0.5}\n"
    "  depth: {type: int, min: 1, max: 4}\n"
    "  decay: {type: float, min: 0.000001, max: 0.01, scale: log}\n";

/// From 0 to 1, evenly spread over the numbers.
double spread(std::uint64_t number, double by) {
  const double x = static_cast<double>(number) * by;
  return x - std::floor(x);
}

hpo::Params params_of(std::uint64_t trial) {
  const bool sgd = trial % 3 == 0;
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  hpo::Params params{{"lr", 1e-4 * std::pow(1000, spread(trial, 0.618034))},
                     {"width", whole(16 + 240 * spread(trial, 0.414214))},
                     {"batch", std::int64_t{16} << trial % 3},
                     {"optimizer", std::string(sgd ? "sgd" : "adam")}};
  if (sgd) params.append("momentum", 0.99 * spread(trial, 0.732051));
  params.append("dropout", 0.5 * spread(trial, 0.236068));
  params.append("depth", whole(1 + 4 * spread(trial, 0.645751)));
  params.append("decay", 1e-6 * std::pow(1e4, spread(trial, 0.162278)));
  return params;
}

double value_of(const hpo::Params& params, std::uint64_t trial, std::int64_t step) {
  const double off = std::log10(std::get<double>(*params.find("lr")) / 0.005);
  const double learned = 1 - std::exp(-static_cast<double>(step) / 6);
  const double noise = spread(trial * 27 + static_cast<std::uint64_t>(step), 0.754877);
  return 0.5 + 0.47 * std::exp(-off * off) * learned + 0.01 * noise;
}

void write_trial(hpo::EventLog& log, std::uint64_t trial, std::int64_t& second) {
  constexpr std::int64_t kBegin = 1'790'000'000'000'000;
  const auto add = [&](hpo::EventBody body) {
    const std::int64_t at = kBegin + 1'000'000 * ++second;
    log.append({.vtime = static_cast<double>(second),
                .trial = trial,
                .body = std::move(body),
                .real = {.took = 0.5, .at = at, .began = at - 500'000}});
  };
  hpo::Params params = params_of(trial);
  add(hpo::Created{.params = params, .inference_flops = 10'000, .parent = {}});
  for (std::int64_t step = 1; step <= kReportSteps; ++step) {
    hpo::Reported report;
    report.step = report.epochs = step;
    report.value = value_of(params, trial, step);
    report.flops = 1e6 * static_cast<double>(step);
    report.metrics = {{"valid.accuracy", report.value}};
    add(std::move(report));
  }
  add(hpo::Ended{.state = hpo::TrialState::complete, .cause = hpo::Cause::none, .message = ""});
}

/// A study that nobody ran: its log is made up.
void write_study(const base::Path& runs, const std::string& name, std::uint64_t trials) {
  hpo::StudyFacts facts{
      .name = name,
      .metric = "valid.accuracy",
      .objective = {.maximize = true},
      .parameters = {"lr", "width", "batch", "optimizer", "momentum", "dropout", "depth", "decay"},
      .resolved = base::cat("name: ", name, "\nparameters:\n", kReportParameters,
                            "limits:\n  trials: ", trials, "\n")};
  hpo::EventLog log(runs / name);
  log.begin(facts);
  log.replay([](const hpo::Event&) {});
  std::int64_t second = 0;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    write_trial(log, trial, second);
    if (trial % 500 == 499) log.commit();
  }
  log.append({.vtime = static_cast<double>(second),
              .trial = {},
              .body = hpo::Finished{hpo::Finish::trials, base::cat(trials, " trials")}});
  log.commit();
}

struct Written {
  base::Path file;
  std::vector<double> seconds, megabytes;
};

Written write_page(const base::Path& runs, const std::string& name, int rounds) {
  Written written{.file = runs / name / "report.html", .seconds = {}, .megabytes = {}};
  for (int i = 0; i < rounds; ++i) {
    const Finished done =
        run_program({own_program(), "report", name, "--dir", runs.string()}, Watch::yes);
    must_end_well(done, "trellis report");
    written.seconds.push_back(done.seconds);
    written.megabytes.push_back(done.used.peak_megabytes);
  }
  return written;
}

/// The trials as the rivals get them.
nlohmann::json rival_trials(const hpo::StudyReader& study) {
  nlohmann::json trials = nlohmann::json::array();
  for (const hpo::TrialRow& row : study.trials()) {
    nlohmann::json trial{{"trial", row.trial}, {"curve", nlohmann::json::array()}};
    for (const auto& [name, value] : row.params) {
      if (const auto number = hpo::number_of(value)) {
        trial[name] = *number;
      } else {
        trial[name] = hpo::plain_text_of(value);
      }
    }
    trials.push_back(std::move(trial));
  }
  const hpo::ReportColumns reports = study.reports();
  for (std::size_t i = 0; i < reports.size(); ++i)
    trials[reports.trial[i]]["curve"].push_back({reports.step[i], reports.value[i]});
  return trials;
}

std::string journal_of(const base::Path& runs, const std::string& name) {
  const std::string file = (runs / (name + ".log")).string();
  must_end_well(run_program({own_program(), "export", name, "--dir", runs.string(), "--format",
                             "optuna", "--output", file}),
                "trellis export");
  return file;
}

Case memory_case(std::uint64_t trials, const Written& written) {
  const Sample memory = sample_of(written.megabytes);
  return {.name = base::cat(trials, " trials: memory of writing it (PSS)"),
          .ours = memory.median,
          .unit = "MB",
          .spread = memory.spread};
}

}  // namespace

std::vector<Case> run_report(const Options& options) {
  const std::vector<Rival> rivals = chosen_rivals(kReportRivals, options.against);
  const std::string found = rivals_python(), python = found.empty() ? "python3" : found;
  const std::uint64_t trials = options.quick ? kQuickReportTrials : kReportTrials;
  const int rounds = options.quick ? kQuickReportRounds : kReportRounds;
  const base::TemporaryFolder scratch("trellis-report-");
  const base::Path& runs = scratch.path();
  show_progress("report: the studies");
  write_study(runs, "large", trials);
  write_study(runs, "small", kFewTrials);
  const Written large = write_page(runs, "large", rounds),
                small = write_page(runs, "small", rounds);

  nlohmann::json job{{"trials", rival_trials(hpo::StudyReader(runs / "large"))},
                     {"journal", journal_of(runs, "large")},
                     {"program", own_program()},
                     {"large", large.file.string()},
                     {"small", small.file.string()},
                     {"writing", large.seconds},
                     {"writing_small", small.seconds},
                     {"rounds", rounds},
                     {"against", nlohmann::json::array()}};
  for (const Rival& rival : rivals)
    if (!found.empty()) job["against"].push_back(rival.word);
  base::write_file_atomic(runs / "job.json", job.dump());
  show_progress("report: the pages in Chromium");
  const auto done =
      run_rival_program(python, "report", "the pages", {(runs / "job.json").string()});
  show_progress("");
  if (!done)
    throw base::Error(base::Errc::usage,
                      "bench report needs Chromium, and Python with the package playwright");
  std::vector<Case> cases = told_cases(done->output);
  cases.push_back(memory_case(trials, large));
  return cases;
}

}  // namespace bench
