#include "hpo/space/ancestors.h"

namespace hpo {

std::vector<std::size_t> with_ancestors(const Space& space, std::size_t at) {
  std::vector<std::size_t> open{at}, found;
  std::vector<bool> seen(space.size());
  while (!open.empty()) {
    const std::size_t one = open.back();
    open.pop_back();
    if (seen[one]) continue;
    seen[one] = true;
    found.push_back(one);
    for (const Condition& condition : space.parameters()[one].when)
      open.push_back(*space.index_of(condition.parameter));
  }
  return found;
}

}  // namespace hpo
