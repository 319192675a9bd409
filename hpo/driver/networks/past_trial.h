#pragma once
// A part of a network's life, gone through again.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hpo/driver/trial_work.h"

namespace hpo {

/// What the log has of its rounds is repeated, and nothing counts.
class PastTrial final : public TrialContext {
 public:
  explicit PastTrial(Stage stage) : lineage_{std::move(stage)} {}

  std::uint64_t trial() const override { return lineage_.back().trial; }
  const Params& params() const override { return lineage_.back().params; }
  const Lineage& lineage() const override { return lineage_; }
  std::span<const Reported> logged() const override { return {}; }
  void go_on_behind(std::size_t) override {}
  void segment(double) override {}
  bool in_past() const override { return true; }
  const Adapted* logged_round() const override {
    const std::vector<Adapted>& rounds = lineage_.back().rounds;
    return next_ < rounds.size() ? &rounds[next_] : nullptr;
  }
  std::vector<Adapted> rounds_before(std::size_t) const override { return {}; }
  void adapted(Adapted) override { ++next_; }
  bool replayed() override { return true; }
  bool pauses(std::int64_t) const override { return false; }
  rt::Async<Decision> report(Report) override { co_return Decision::go; }
  void note(std::string) override {}

 private:
  Lineage lineage_;
  std::size_t next_ = 0;
};

}  // namespace hpo
