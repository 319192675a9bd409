#include "runtime/net/sums/schedule.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "runtime/net/sums/tree.h"
#include "runtime/net/sums/ways.h"

namespace rt::net::sums {

std::string name_of(const Way& way) {
  switch (way.kind) {
    case Way::Kind::doubling:
      return "doubling";
    case Way::Kind::halving:
      return "halving";
    case Way::Kind::subtrees:
      return "subtrees";
    case Way::Kind::rings:
      break;
  }
  if (way.dimensions.size() <= 1) return "ring";
  std::string name = way.dimensions.size() == 2 ? "hierarchical " : "torus ";
  for (std::size_t i = 0; i < way.dimensions.size(); ++i)
    name += base::cat(i == 0 ? "" : "x", way.dimensions[i]);
  return name;
}

bool fits(const Way& way, const Shape& shape) {
  if (shape.members < 1 || shape.members > kMostMembers || shape.shards < 1) return false;
  if (way.kind == Way::Kind::subtrees) return true;
  if (way.kind != Way::Kind::rings) return is_balanced(shape.members, shape.shards);
  if (shape.shards != shape.members) return false;
  const auto& dimensions = way.dimensions;
  if (std::any_of(dimensions.begin(), dimensions.end(), [](int d) { return d < 1; })) return false;
  return std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies<>()) ==
         shape.members;
}

Schedule schedule_of(const Way& way, const Shape& shape, int member) {
  if (!fits(way, shape) || member < 0 || member >= shape.members)
    throw base::Error(base::Errc::internal,
                      base::cat("no sum by ", name_of(way), " over ", shape.shards, " shards of ",
                                shape.members, " members for member ", member));
  Schedule made;
  if (shape.count == 0) return made;
  add_own(shape, member, made);
  switch (way.kind) {
    case Way::Kind::doubling:
      add_doubling(shape, member, made);
      break;
    case Way::Kind::halving:
      add_halving(shape, member, made);
      break;
    case Way::Kind::subtrees:
      add_subtrees(shape, member, made);
      break;
    case Way::Kind::rings:
      add_rings(way.dimensions, shape, member, made);
      break;
  }
  std::erase_if(made.rounds, [](const Round& round) {
    return round.sends.empty() && round.receives.empty() && round.adds.empty();
  });
  return made;
}

Schedule half_of(const Schedule& schedule, bool gathers) {
  Schedule half{.rounds = {}, .scratch = schedule.scratch};
  std::ranges::copy_if(schedule.rounds, std::back_inserter(half.rounds),
                       [&](const Round& round) { return round.gathers == gathers; });
  return half;
}

std::size_t bytes_sent(const Schedule& schedule, int peer) {
  std::size_t bytes = 0;
  for (const Round& round : schedule.rounds)
    for (const Send& send : round.sends)
      if (peer < 0 || send.peer == peer) bytes += send.from.count * kElement;
  return bytes;
}

}  // namespace rt::net::sums
