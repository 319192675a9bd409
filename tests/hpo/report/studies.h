// Studies that nobody ran, for tests of the report: their logs are made up event by event.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hpo/log/baseline_rows.h"
#include "hpo/log/event_log.h"
#include "hpo/log/score_interval.h"
#include "hpo/log/study_reader.h"
#include "hpo/log/verdict.h"
#include "hpo/report/report.h"

namespace hpo::made {

inline constexpr std::int64_t kBegin = 1'790'000'000'000'000;  // microseconds since 1970

inline StudyFacts facts(std::string name = "digits") {
  return {.name = name,
          .metric = "valid.accuracy",
          .objective = {.maximize = true},
          .parameters = {"lr", "width", "optimizer", "momentum"},
          .resolved = base::cat("name: ", name,
                                "\nseed: 7\n"
                                "data:\n  csv: \"/users/ann smith/tables/digits.csv.gz\"\n"
                                "train:\n  epochs: 27\n"
                                "parameters:\n"
                                "  lr: {type: float, min: 0.0001, max: 0.1, scale: log}\n"
                                "  width: {type: int, min: 16, max: 256, scale: log}\n"
                                "  optimizer: {values: [adam, sgd]}\n"
                                "  momentum: {type: float, min: 0.0, max: 0.99, scale: linear, "
                                "when: {optimizer: sgd}}\n"
                                "limits:\n  trials: 60\n")};
}

/// From 0 to 1, evenly spread over the numbers.
inline double spread(std::uint64_t number, double by) {
  const double x = static_cast<double>(number) * by;
  return x - std::floor(x);
}

inline Params params_of(std::uint64_t trial) {
  const bool sgd = trial % 3 == 0;
  Params params{{"lr", 1e-4 * std::pow(1000, spread(trial, 0.618034))},
                {"width", static_cast<std::int64_t>(16 + 240 * spread(trial, 0.414214))},
                {"optimizer", std::string(sgd ? "sgd" : "adam")}};
  if (sgd) params.append("momentum", 0.99 * spread(trial, 0.732051));
  return params;
}

/// What the trial reaches after `step` of 27 epochs: the rate decides, best near 0.005.
inline double value_of(const Params& params, std::int64_t step) {
  const double lr = std::get<double>(*params.find("lr"));
  const double off = std::log10(lr / 0.005);
  return 0.5 + 0.48 * std::exp(-off * off) * (1 - std::exp(-static_cast<double>(step) / 6));
}

/// A log under construction. Times go on by a second an event.
class Made {
 public:
  explicit Made(const base::Path& folder, const StudyFacts& about = facts())
      : folder_(folder), log_(std::make_unique<EventLog>(folder)) {
    log_->begin(about);
    log_->replay([](const Event&) {});
  }

  void add(std::optional<std::uint64_t> trial, EventBody body, Real real = {}) {
    real.at = kBegin + 1'000'000 * ++seconds_;
    log_->append({.vtime = static_cast<double>(seconds_),
                  .trial = trial,
                  .body = std::move(body),
                  .real = real});
  }

  void create(std::uint64_t trial, Params params, double flops = 10'000) {
    add(trial, Created{.params = std::move(params), .inference_flops = flops});
  }

  void report(std::uint64_t trial, std::int64_t step, double value, Metrics more = {},
              Decision decision = Decision::go) {
    Metrics metrics{{"valid.accuracy", value}};
    metrics.insert(metrics.end(), more.begin(), more.end());
    add(trial,
        Reported{.step = step,
                 .epochs = step,
                 .value = value,
                 .flops = 1e6 * static_cast<double>(step),
                 .metrics = std::move(metrics),
                 .decision = decision},
        {.took = 0.5});
  }

  void end(std::uint64_t trial, TrialState state, Cause cause = Cause::none,
           std::string message = "") {
    add(trial, Ended{state, cause, std::move(message)},
        {.began = kBegin + 1'000'000 * seconds_ - 500'000});
  }

  /// A trial that goes through these steps and ends.
  void trial(std::uint64_t number, const Params& params, std::span<const std::int64_t> steps,
             TrialState state) {
    create(number, params);
    for (const std::int64_t step : steps) report(number, step, value_of(params, step));
    end(number, state);
  }

  /// What two workers did in a session of 8 s: the second one idled half of the time.
  void use() {
    log_->note_use(
        {.began = kBegin,
         .width = 2,
         .seconds = 8,
         .states = {"busy", "moving", "late"},
         .workers = {{.name = "cpu 0", .shares = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}},
                     {.name = "cpu 1", .shares = {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1}}}});
    note(kWorkersFact,
         R"([{"name": "cpu 0", "tasks": 7, "busy": 8, "waiting": 0, "moving": 0, "idle_late": 0}, )"
         R"({"name": "cpu 1", "tasks": 3, "busy": 4, "waiting": 4, "moving": 0, "idle_late": 4}])");
  }

  /// Times go on without an event.
  void wait(std::int64_t seconds) { seconds_ += seconds; }

  void note(const std::string& key, const std::string& value) { log_->note(key, value); }

  void commit() { log_->commit(); }

  /// Hands the study over to readers.
  [[nodiscard]] StudyReader reader() {
    log_->commit();
    log_.reset();
    return StudyReader(folder_);
  }

 private:
  base::Path folder_;
  std::unique_ptr<EventLog> log_;
  std::int64_t seconds_ = 0;
};

/// 60 trials, of which every fifth runs to the end and the others stop at 1, 3 or 9 epochs.
inline void add_sixty(Made& made, std::uint64_t trials = 60) {
  constexpr std::int64_t kSteps[] = {1, 3, 9, 27};
  for (std::uint64_t i = 0; i < trials; ++i) {
    const bool complete = i % 5 == 2;
    const std::size_t count = complete ? 4 : 1 + i % 3;
    made.trial(i, params_of(i), std::span(kSteps).first(count),
               complete ? TrialState::complete : TrialState::stopped);
  }
}

inline Verdict verdict() {
  return {.text =
              "better than logistic regression by 0.0167 in accuracy on 359 unseen rows (95%: "
              "0.000423 to 0.0328); 2 other trials are within one standard error of it",
          .beats = true,
          .baseline = "logistic regression",
          .difference = 0.0167,
          .low = 0.000423,
          .high = 0.0328,
          .rows = 359,
          .within_noise = 3};
}

/// The network of the best trial was written and judged.
inline void judge(Made& made, std::uint64_t trial) {
  made.add(trial,
           Exported{.file = "best.safetensors",
                    .metrics = {{"test.accuracy", 0.986}},
                    .confusion = {
                        .part = "test", .classes = {"no", "yes"}, .counts = {{180, 2}, {3, 174}}}});
  made.note(kVerdictFact, json_of(verdict()));
  made.note(kIntervalsFact, json_of(std::vector<ScoreInterval>{{"test.accuracy", 0.968, 0.994}}));
  made.note(kBaselinesFact,
            json_of(std::vector<BaselineRow>{
                {"majority class", {{"valid.accuracy", 0.1}, {"test.accuracy", 0.11}}},
                {"logistic regression", {{"valid.accuracy", 0.93}, {"test.accuracy", 0.969}}}}));
  made.add({}, Finished{Finish::trials, "60 trials"});
}

inline std::string page_of(const StudyReader& study, ReportOptions options = {}) {
  options.version = "1.2.3";
  return report_page(std::span(&study, 1), options);
}

}  // namespace hpo::made
