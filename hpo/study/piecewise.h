#pragma once
// A value that changes while a network trains, written as [[epoch, value], ...].

#include <cstdint>
#include <utility>
#include <vector>

#include "hpo/study/node.h"

namespace hpo::study {

/// The pairs of a checked list without references.
[[nodiscard]] std::vector<std::pair<std::int64_t, double>> read_piecewise(const Node& node);

}  // namespace hpo::study
