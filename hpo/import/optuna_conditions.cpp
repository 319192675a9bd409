#include "hpo/import/optuna_conditions.h"

#include <algorithm>
#include <set>

namespace hpo {

namespace {

/// Ints with more values are no parent: any half of a few trials could be told by them.
constexpr std::size_t kMostInts = 64;
constexpr std::size_t kMostChoices = 1'000'000;
/// Of so few also some in the middle.
constexpr std::size_t kFewInts = 8;

/// Of a parent's values those that were seen with a param, and without it.
struct Seen {
  std::set<double> with, without;
};

bool overlap(const Seen& seen) {
  return std::ranges::any_of(seen.with, [&](double value) { return seen.without.contains(value); });
}

/// Of all ints those that a param goes with; empty: none that could be told in few words.
std::vector<double> ints_with(const Seen& seen, std::vector<double> all) {
  const std::set<double>& with = seen.with;
  const std::set<double>& without = seen.without;
  if (with.empty()) return {};
  if (*with.begin() > *without.rbegin())
    std::erase_if(all, [&](double value) { return value < *with.begin(); });
  else if (*with.rbegin() < *without.begin())
    std::erase_if(all, [&](double value) { return value > *with.rbegin(); });
  else
    std::erase_if(all, [few = all.size() <= kFewInts, &with](double value) {
      return !few || !with.contains(value);
    });
  return all;
}

}  // namespace

OptunaConditions::OptunaConditions(const std::vector<const OptunaTrial*>& trials,
                                   const std::vector<std::string>& order,
                                   const std::map<std::string, OptunaDomain>& domains)
    : trials_(trials),
      domains_(domains),
      some_ended_well_(std::ranges::any_of(trials, &OptunaTrial::ended_well)) {
  for (const std::string& name : order) {
    places_.emplace(name, places_.size());
    if (domains.at(name).categorical()) parents_.push_back(name);
  }
  std::vector<std::pair<std::size_t, std::string>> ints;
  for (const std::string& name : order) {
    const OptunaDomain& domain = domains.at(name);
    const std::size_t values = domain.categorical() ? 0 : domain.all(kMostInts).size();
    if (values > 0) ints.emplace_back(values, name);
  }
  std::stable_sort(ints.begin(), ints.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [values, name] : ints) parents_.push_back(std::move(name));
}

OptunaCondition OptunaConditions::of(const std::string& name) const {
  if (always_exists(name)) return {};
  for (const std::string& parent : parents_) {
    if (!can_be_parent(parent, name)) continue;
    std::vector<double> values = values_with(name, parent);
    if (!values.empty()) return {.parent = parent, .values = std::move(values)};
  }
  return {.known = false};
}

bool OptunaConditions::tells(const OptunaTrial& trial, const std::string& name) const {
  return trial.ended_well() || !some_ended_well_ || trial.params.contains(name);
}

bool OptunaConditions::always_exists(const std::string& name) const {
  return std::ranges::none_of(trials_, [&](const OptunaTrial* trial) {
    return tells(*trial, name) && !trial->params.contains(name);
  });
}

/// Two that exist together would be each other's parents.
bool OptunaConditions::can_be_parent(const std::string& parent, const std::string& name) const {
  return parent != name && (places_.at(parent) < places_.at(name) || always_exists(parent));
}

std::vector<double> OptunaConditions::values_with(const std::string& name,
                                                  const std::string& parent) const {
  Seen seen;
  for (const OptunaTrial* trial : trials_) {
    if (!tells(*trial, name)) continue;
    const bool has = trial->params.contains(name);
    const auto at = trial->params.find(parent);
    if (at != trial->params.end())
      (has ? seen.with : seen.without).insert(at->second.internal);
    else if (has)
      return {};
  }
  if (overlap(seen)) return {};
  const OptunaDomain& domain = domains_.at(parent);
  if (seen.without.empty()) return domain.all(domain.categorical() ? kMostChoices : kMostInts);
  if (domain.categorical()) return {seen.with.begin(), seen.with.end()};
  return ints_with(seen, domain.all(kMostInts));
}

}  // namespace hpo
