#pragma once
// The search for the point that a model expects the most of.

#include <span>
#include <vector>

#include "hpo/samplers/gaussian_process.h"
#include "hpo/samplers/surrogate.h"
#include "hpo/space/random.h"

namespace hpo {

/// Points of the unit cube of `space`, the most promising first: random ones, neighbours of
/// `leaders`, and what a search uphill makes of the best of these. `best` is the value to improve
/// on.
[[nodiscard]] std::vector<std::vector<double>> promising(
    const Features& features, GaussianProcess& model, double best,
    std::span<const std::vector<double>> leaders, std::size_t parameters, Stream& stream);

}  // namespace hpo
