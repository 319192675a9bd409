#include "hpo/space/share.h"

#include <algorithm>
#include <vector>

#include "hpo/space/parts.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr int kDraws = 10'000, kMostDraws = 1'000'000;
/// What the draws for one rare point may come to in values: they end in less than a second.
constexpr std::size_t kMostValues = 2'000'000;

/// Points of a space, drawn as if nothing were forbidden: whether the next is allowed.
class Draws {
 public:
  explicit Draws(const Space& space) : space_(space), place_(space.size()) {}

  bool next() {
    for (double& u : place_) u = stream_.uniform();
    return space_.allows(space_.from_unit(place_));
  }

  /// Whether one of the next `most` is.
  bool any(int most) {
    for (int i = 0; i < most; ++i) {
      if (next()) return true;
    }
    return false;
  }

 private:
  const Space& space_;
  Stream stream_{0, "allowed share"};
  std::vector<double> place_;
};

int most_draws(const Space& part) {
  return static_cast<int>(std::min<std::size_t>(kMostDraws, kMostValues / part.size()));
}

double share_of(const Space& part) {
  Draws draws(part);
  int allowed = 0;
  for (int i = 0; i < kDraws; ++i) allowed += draws.next() ? 1 : 0;
  if (allowed > 0) return static_cast<double>(allowed) / kDraws;
  if (const auto points = part.grid_size()) return *points > 0 ? 1.0 / kDraws : 0;
  return draws.any(most_draws(part)) ? 1.0 / most_draws(part) : 0;
}

bool leaves_some_of(const Space& part) {
  Draws draws(part);
  if (draws.any(kDraws)) return true;
  if (const auto points = part.grid_size()) return *points > 0;
  return draws.any(most_draws(part));
}

}  // namespace

double allowed_share(const Space& space) {
  double share = 1;
  for (const SpacePart& part : parts_of(space)) share *= share_of(part.space);
  return share;
}

bool leaves_some(const Space& space) {
  return std::ranges::all_of(parts_of(space), leaves_some_of, &SpacePart::space);
}

}  // namespace hpo
