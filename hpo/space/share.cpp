#include "hpo/space/share.h"

#include <vector>

#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr int kDraws = 10'000, kMostDraws = 1'000'000;

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

}  // namespace

double allowed_share(const Space& space) {
  if (space.forbidden().empty()) return 1;
  Draws draws(space);
  int allowed = 0;
  for (int i = 0; i < kDraws; ++i) allowed += draws.next() ? 1 : 0;
  if (allowed > 0) return static_cast<double>(allowed) / kDraws;
  if (const auto points = space.grid_size()) return *points > 0 ? 1.0 / kDraws : 0;
  return draws.any(kMostDraws) ? 1.0 / kMostDraws : 0;
}

bool leaves_some(const Space& space) {
  if (space.forbidden().empty()) return true;
  Draws draws(space);
  if (draws.any(kDraws)) return true;
  if (const auto points = space.grid_size()) return *points > 0;
  return draws.any(kMostDraws);
}

}  // namespace hpo
