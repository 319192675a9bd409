#include "hpo/space/share.h"

#include <vector>

#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr int kDraws = 10'000, kMostDraws = 1'000'000;

}  // namespace

double allowed_share(const Space& space) {
  if (space.forbidden().empty()) return 1;
  Stream stream(0, "allowed share");
  std::vector<double> place(space.size());
  const auto draw = [&] {
    for (double& u : place) u = stream.uniform();
    return space.allows(space.from_unit(place)) ? 1 : 0;
  };
  int allowed = 0;
  for (int i = 0; i < kDraws; ++i) allowed += draw();
  if (allowed > 0) return static_cast<double>(allowed) / kDraws;
  if (const auto points = space.grid_size()) return *points > 0 ? 1.0 / kDraws : 0;
  for (int i = 0; i < kMostDraws; ++i) {
    if (draw() > 0) return 1.0 / kMostDraws;
  }
  return 0;
}

}  // namespace hpo
