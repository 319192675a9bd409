#pragma once
// A value that changes while a network trains, written as [[epoch, value], ...].

#include <cstdint>
#include <utility>
#include <vector>

#include "hpo/study/node.h"

namespace hpo::study {

/// The pairs of a checked course without references.
[[nodiscard]] std::vector<std::pair<std::int64_t, double>> read_course(const Node& node);

}  // namespace hpo::study
