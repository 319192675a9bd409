#include "runtime/net/sums/copies.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "runtime/net/sums/exchange.h"

namespace rt::net::sums {

namespace {

/// Whoever is silent for long is taken for dead elsewhere, which ends the link.
constexpr base::Duration kLongest = std::chrono::hours(24);

void run(Links& links, std::uint64_t epoch, std::span<const std::span<std::byte>> parts,
         const Round& round) {
  Exchange exchange(links);
  std::uint32_t number = 0;
  for (const std::span<std::byte> part : parts) {
    Round of_part = round;
    const Piece whole{0, 0, part.size() / kElement};
    for (Send& send : of_part.sends) send.from = whole;
    for (Receive& receive : of_part.receives) receive.to = whole;
    const auto schedule = std::make_shared<Schedule>();
    schedule->rounds.push_back(std::move(of_part));
    exchange.begin({.tag = {.epoch = epoch, .step = 0, .bucket = number++},
                    .schedule = schedule,
                    .buffers = {part.data()}});
  }
  exchange.finish(0, kLongest);
}

}  // namespace

void send_copies(Links& links, std::uint64_t epoch, std::span<const std::span<std::byte>> parts,
                 std::span<const int> to) {
  Round round;
  for (const int peer : to) round.sends.push_back({peer, {}});
  if (!to.empty()) run(links, epoch, parts, round);
}

void receive_copy(Links& links, std::uint64_t epoch, std::span<const std::span<std::byte>> parts,
                  int from) {
  // The sender may be lost halfway, and then what was here before is needed again.
  std::vector<std::vector<std::uint32_t>> come;
  std::vector<std::span<std::byte>> places;
  for (const std::span<std::byte> part : parts)
    places.push_back(
        std::as_writable_bytes(std::span(come.emplace_back(part.size() / sizeof(std::uint32_t)))));
  Round round;
  round.receives.push_back({from, {}, false});
  run(links, epoch, places, round);
  for (std::size_t i = 0; i < parts.size(); ++i) std::ranges::copy(places[i], parts[i].begin());
}

}  // namespace rt::net::sums
