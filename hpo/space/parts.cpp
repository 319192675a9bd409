#include "hpo/space/parts.h"

#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "hpo/space/ancestors.h"

namespace hpo {

namespace {

class Parts {
 public:
  explicit Parts(const Space& space) : space_(space), leader_(space.size()) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
    for (const Forbidden& combination : space.forbidden()) {
      for (const Clause& clause : combination.clauses) {
        join(first_of(combination), clause.parameter);
        if (!clause.other.empty()) join(first_of(combination), clause.other);
      }
    }
  }

  [[nodiscard]] std::vector<SpacePart> all() {
    std::map<std::size_t, std::vector<Forbidden>> by_leader;
    for (const Forbidden& combination : space_.forbidden())
      by_leader[leader_of(first_of(combination))].push_back(combination);
    std::vector<SpacePart> result;
    for (auto& [leader, forbidden] : by_leader) {
      std::vector<Parameter> parameters;
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < space_.size(); ++i) {
        if (leader_of(i) != leader) continue;
        parameters.push_back(space_.parameters()[i]);
        places.push_back(i);
      }
      result.push_back({Space(std::move(parameters), std::move(forbidden)), std::move(places)});
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    return *space_.index_of(name);
  }

  [[nodiscard]] std::size_t first_of(const Forbidden& combination) const {
    return index_of(combination.clauses.front().parameter);
  }

  std::size_t leader_of(std::size_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }

  /// Puts a parameter, and all that its conditions hang on, into the part of `first`.
  void join(std::size_t first, const std::string& name) {
    for (const std::size_t at : with_ancestors(space_, index_of(name)))
      leader_[leader_of(at)] = leader_of(first);
  }

  const Space& space_;
  std::vector<std::size_t> leader_;
};

}  // namespace

std::vector<SpacePart> parts_of(const Space& space) { return Parts(space).all(); }

}  // namespace hpo
