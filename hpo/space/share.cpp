#include "hpo/space/share.h"

#include <algorithm>
#include <vector>

#include "hpo/space/fill.h"
#include "hpo/space/parts.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr int kShareDraws = 10'000, kMostDraws = 1'000'000;
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

/// Where no draw tells whether something is left.
bool has_point(const Space& part) {
  const Filled found = filled(part, {});
  if (found.point || found.is_none) return found.point.has_value();
  if (const auto points = part.grid_size()) return *points > 0;
  return Draws(part).any(most_draws(part));
}

double share_of(const Space& part) {
  Draws draws(part);
  int allowed = 0;
  for (int i = 0; i < kShareDraws; ++i) allowed += draws.next() ? 1 : 0;
  if (allowed > 0) return static_cast<double>(allowed) / kShareDraws;
  if (!has_point(part)) return 0;
  return 1.0 / (part.grid_size() ? kShareDraws : most_draws(part));
}

bool leaves_some_of(const Space& part) { return Draws(part).any(kShareDraws) || has_point(part); }

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
