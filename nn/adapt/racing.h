#pragma once
// What policies share that decide by races: who races, what a network costs, and when to give up.

#include <algorithm>

#include "nn/adapt/contest.h"
#include "nn/adapt/judge.h"

namespace nn {

/// Of a derived policy `grid_` and `length_` are set by its constructor; turn() and next() are its
/// own.
class Racing : public Policy {
 public:
  [[nodiscard]] std::int64_t grid() const final { return grid_; }
  [[nodiscard]] std::int64_t rows() const final { return judge_.rows(); }
  [[nodiscard]] std::optional<std::vector<Operations>> options(const ModelSpec& spec) const final {
    return contest_.entrants(spec, {true, true, true});
  }
  [[nodiscard]] double cost(const ModelSpec& spec) const final { return judge_.cost(spec); }
  void judge(Round& round) const final { judge_.judge(round); }

  void told(const Round& round) override {
    judge_.told(round, grid_);
    done_ = round.from;
    kept_ = round.accepted().operations.empty() ? kept_ + 1 : 0;
  }

 protected:
  /// Throws SpecError where no race of the policy called `word` could change the network.
  Racing(const PolicySetup& setup, const char* word)
      : contest_(setup.adaptation),
        patience_(integer(setup.adaptation.policy.fields, "patience")),
        judge_(setup) {
    contest_.check(setup.spec, word);
  }

  void begins(std::int64_t now) {
    done_ = now;
    judge_.begins(static_cast<double>(now) / static_cast<double>(grid_));
  }
  /// The boundary where a race that begins at `now` ends: at the latest with its epoch.
  [[nodiscard]] std::int64_t race_end(std::int64_t now) const {
    return std::min(now + length_, (now / grid_ + 1) * grid_);
  }
  [[nodiscard]] bool gives_up() const { return kept_ >= patience_; }

  Contest contest_;
  std::int64_t grid_ = 1, length_ = 1;
  std::int64_t done_ = -1;  ///< boundary of the last turn

 private:
  std::int64_t patience_;
  std::int64_t kept_ = 0;  ///< races in a row that changed nothing
  Judge judge_;
};

}  // namespace nn
