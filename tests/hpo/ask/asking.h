// A study that others run, over a log in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "hpo/ask/asked_study.h"
#include "hpo/driver/adopt.h"
#include "hpo/study/spec.h"
#include "tests/support/temp_folder.h"

namespace hpo {

class Asking : public testing::Test {
 protected:
  static constexpr const char* kMetric = "{name: accuracy, goal: maximize}";

  Asking() { begin(); }

  /// A keeper comes, after the one before went without a word.
  void begin(const std::string& more = "") {
    if (!more.empty()) more_ = more;
    asked_.reset();
    log_.reset();
    spec_ = parse_study(base::cat("name: asked\nmetric: ", metric_,
                                  "\n"
                                  "parameters: {lr: {min: 1e-4, max: 0.1, scale: log}, "
                                  "width: {type: int, min: 4, max: 64}}\n",
                                  more_),
                        "asked.yaml", folder_.path().string());
    log_ = std::make_unique<EventLog>(folder());
    const auto changes = adopt(*log_, spec_, nullptr, folder());
    asked_ = std::make_unique<AskedStudy>(spec_, *log_, changes);
  }

  /// The keeper of another study, in a folder of its own.
  void begin_other(const std::string& more, const std::string& metric = kMetric) {
    metric_ = metric;
    ++studies_;
    begin(more);
  }

  /// Dates the asking of a trial back; between two keepers.
  void make_older(std::uint64_t trial, base::Duration age) {
    std::vector<Event> events;
    asked_.reset();
    log_.reset();
    log_ = std::make_unique<EventLog>(folder());
    const StudyFacts facts = log_->facts().value();
    log_->replay([&](const Event& event) { events.push_back(event); });
    log_.reset();
    log_ = std::make_unique<EventLog>(folder());
    log_->begin_anew(facts);
    log_->replay([](const Event&) {});
    for (Event& event : events) {
      if (std::holds_alternative<Created>(event.body) && event.trial == trial)
        event.real.at -= std::chrono::duration_cast<std::chrono::microseconds>(age).count();
      log_->append(std::move(event));
    }
    log_->commit();
    log_.reset();
  }

  [[nodiscard]] base::Path folder() const { return folder_ / base::cat("run", studies_); }
  [[nodiscard]] AskedStudy& asked() { return *asked_; }
  [[nodiscard]] const TrialRow& row(std::uint64_t trial) const { return log_->trials().row(trial); }

 private:
  support::TempFolder folder_;
  int studies_ = 0;
  std::string more_, metric_ = kMetric;
  StudySpec spec_;
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<AskedStudy> asked_;
};

}  // namespace hpo
