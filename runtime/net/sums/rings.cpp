// Reduce-scatter along the rings of each dimension, all-gather back in the opposite order. Later
// dimensions carry less, so the first one should be the one with the fastest links.
#include "runtime/net/sums/ways.h"

namespace rt::net::sums {

namespace {

struct Ring {
  int size;                  ///< members
  int place;                 ///< this member's
  int next, previous;        ///< neighbors
  std::size_t first, count;  ///< the elements that this ring's members share out
};

Piece piece_of(const Ring& ring, int number) {
  const auto size = static_cast<std::size_t>(ring.size);
  const auto i = static_cast<std::size_t>((number % ring.size + ring.size) % ring.size);
  const std::size_t from = ring.count * i / size, to = ring.count * (i + 1) / size;
  return {0, ring.first + from, to - from};
}

void pass_on(const Ring& ring, int out, int in, bool adds, Schedule& schedule) {
  const Piece from = piece_of(ring, out), to = piece_of(ring, in);
  Round round;
  round.gathers = !adds;
  if (from.count > 0) round.sends.push_back({ring.next, from});
  if (to.count > 0) round.receives.push_back({ring.previous, to, adds});
  schedule.rounds.push_back(std::move(round));
}

}  // namespace

void add_rings(const std::vector<int>& dimensions, const Shape& shape, int member,
               Schedule& schedule) {
  std::vector<Ring> rings;
  std::size_t first = 0, count = shape.count;
  int stride = 1;
  for (const int size : dimensions) {
    const int place = member / stride % size;
    const auto at = [&](int other) { return member + (other - place) * stride; };
    rings.push_back(
        {size, place, at((place + 1) % size), at((place + size - 1) % size), first, count});
    const Piece mine = piece_of(rings.back(), place);
    first = mine.offset;
    count = mine.count;
    stride *= size;
  }
  for (const Ring& ring : rings)
    for (int step = 0; step + 1 < ring.size; ++step)
      pass_on(ring, ring.place - step - 1, ring.place - step - 2, true, schedule);
  for (; !rings.empty(); rings.pop_back())
    for (int step = 0; step + 1 < rings.back().size; ++step) {
      const Ring& ring = rings.back();
      pass_on(ring, ring.place - step, ring.place - step - 1, false, schedule);
    }
}

}  // namespace rt::net::sums
