#pragma once
// The two ways to use a network.

#include <cstdint>

namespace nn {

/// What a network is planned for: to answer, or to learn.
enum class Use : std::uint8_t { inference, training };

}  // namespace nn
