#pragma once
// What policies that take their turns at equal distances, and grow, have in common.

#include <cstdint>
#include <string>

#include "nn/adapt/grid.h"
#include "nn/error.h"
#include "nn/reshape/operation.h"

/// Adds `by` units to a layer by a rule.
inline nn::Operation widening(const std::string& layer, std::int64_t by, const std::string& rule) {
  return {"widen", layer, {{"by", by}, {"rule", rule}}};
}

/// Whether an operation can be done to a network within a bound of weights (0: none).
inline bool possible(const nn::ModelSpec& spec, const nn::Operation& operation,
                     std::uint64_t most_weights) {
  try {
    (void)nn::reshaped_within(spec, nn::complete(operation), most_weights);
    return true;
  } catch (const nn::SpecError&) {
    return false;
  }
}

/// Throws where a policy would never have a turn before the end of the training.
inline void check_turns(const nn::Beat& beat, std::int64_t end, const std::string& who) {
  const auto first = beat.from(0);
  if (!first || *first >= end)
    throw nn::SpecError(-1, "every", who + ": `every` leaves no turn before the end");
}
