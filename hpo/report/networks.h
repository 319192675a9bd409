#pragma once
// Networks that go on from each other, for the sections and pictures about them.

#include <cstdint>
#include <string>
#include <vector>

#include "hpo/report/gathered.h"

namespace hpo::report {

/// A trial went on with the network of another one.
struct HandOver {
  std::uint64_t trial = 0;
  std::uint64_t source = 0;
  std::int64_t step = 0;
  std::string params;  ///< what changed, for people
  std::string change;  ///< what the network went through first: "widen fc1 by 8", or empty
};

[[nodiscard]] std::vector<HandOver> hand_overs(const Gathered& study);

/// A part of the winner's life: the trial that had its network, from which step on.
struct Descent {
  std::uint64_t trial = 0;
  std::int64_t from = 0;
};

/// From the network's birth on. `all`: hand_overs() of the study, which has a best trial.
[[nodiscard]] std::vector<Descent> descent_of_best(const Gathered& study,
                                                   const std::vector<HandOver>& all);

/// The rounds of the winner's network; empty where it does not adapt.
[[nodiscard]] std::vector<const Adapted*> rounds_of_best(const Gathered& study);

/// The number of reshape operations that a JSON list names.
[[nodiscard]] std::string operations_text(const std::string& operations);

}  // namespace hpo::report
