// Searches without trials behind them, for tests of what a sampler learns.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hpo/samplers/registry.h"

namespace hpo {

inline std::unique_ptr<Sampler> make(const std::string& kind, const Space& space,
                                     std::uint64_t seed, std::size_t metrics = 1) {
  const SamplerKind& known = *find_sampler_kind(kind);
  return known.make(
      {.space = space, .seed = seed, .options = options_of(known.info), .metrics = metrics});
}

using Loss = std::function<double(const Params&)>;

/// Least loss of `trials` trials, `slots` of them running at a time.
inline double best_of(const std::string& kind, const Space& space, std::uint64_t seed, int trials,
                      const Loss& loss, int slots = 1) {
  auto sampler = make(kind, space, seed);
  double best = INFINITY;
  std::vector<Params> all;
  for (int i = 0; i < trials + slots; ++i) {
    if (i >= slots) {
      const auto done = static_cast<std::uint64_t>(i - slots);
      const double value = loss(all[done]);
      sampler->reported(done, 1, Score(value));
      sampler->ended(done, std::isnan(value) ? TrialState::failed : TrialState::complete);
      if (value < best) best = value;
    }
    if (i >= trials) continue;
    all.push_back(sampler->propose(static_cast<std::uint64_t>(i)).value());
    sampler->created(static_cast<std::uint64_t>(i), all.back());
  }
  return best;
}

inline double mean_best(const std::string& kind, const Space& space, int trials, const Loss& loss,
                        int slots = 1) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    sum += best_of(kind, space, seed, trials, loss, slots);
  return sum / 10;
}

}  // namespace hpo
