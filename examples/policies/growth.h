#pragma once
// What policies that grow have in common.

#include <cstdint>
#include <string>

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
