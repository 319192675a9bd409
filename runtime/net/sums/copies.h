// Copies of bytes from one member of a gang to others: what a member that comes, or one that is
// behind, lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/net/sums/links.h"

namespace rt::net::sums {

/// Sends each of `parts`, of a multiple of 4 bytes each, to the members `to`, over links on which
/// nothing of this membership was sent before. Throws LinkLost.
void send_copies(Links& links, std::uint64_t epoch, std::span<const std::span<std::byte>> parts,
                 std::span<const int> to);

/// Fills `parts` with what the member `from` sends. Throws LinkLost, and then leaves them as they
/// were.
void receive_copy(Links& links, std::uint64_t epoch, std::span<const std::span<std::byte>> parts,
                  int from);

}  // namespace rt::net::sums
