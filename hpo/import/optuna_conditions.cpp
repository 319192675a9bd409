#include "hpo/import/optuna_conditions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace hpo {

namespace {

/// Ints with more values are no parent: any half of a few trials could be told by them.
constexpr std::size_t kMostInts = 64;
constexpr std::size_t kMostChoices = 1'000'000;
/// Of so few also some in the middle.
constexpr std::size_t kFewInts = 8;

bool is_there(double value) { return !std::isnan(value); }

/// Of a parent's values those that were seen with a param, and without it.
struct Seen {
  std::set<double> with, without;
};

/// Of all ints those that a param goes with; empty: none that could be told in few words.
std::vector<double> ints_with(const Seen& seen, std::vector<double> all) {
  const std::set<double>& with = seen.with;
  const std::set<double>& without = seen.without;
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
    : domains_(domains) {
  for (const OptunaTrial* trial : trials) {
    ended_well_.push_back(trial->ended_well());
    some_ended_well_ = some_ended_well_ || trial->ended_well();
  }
  for (const std::string& name : order) {
    Column column;
    for (const OptunaTrial* trial : trials) {
      const auto at = trial->params.find(name);
      column.push_back(at == trial->params.end() ? std::numeric_limits<double>::quiet_NaN()
                                                 : at->second.internal);
    }
    columns_.emplace(name, std::move(column));
    places_.emplace(name, places_.size());
    const Column& own = columns_.at(name);
    always_[name] =
        std::ranges::all_of(telling(name), [&](std::size_t row) { return is_there(own[row]); });
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
  if (always_.at(name)) return {};
  const Rows rows = telling(name);
  for (const std::string& parent : parents_) {
    if (!can_be_parent(parent, name)) continue;
    std::vector<double> values = values_with(name, parent, rows);
    if (!values.empty()) return {.all = {{parent, std::move(values)}}};
  }
  return of_two(name, rows);
}

OptunaCondition OptunaConditions::of_two(const std::string& name, const Rows& rows) const {
  for (const std::string& first : parents_) {
    const OptunaDomain& domain = domains_.at(first);
    const bool few = domain.categorical() || !domain.all(kFewInts).empty();
    if (!few || !can_be_parent(first, name)) continue;
    std::vector<double> values;
    const Rows open = left_open(name, first, rows, values);
    if (open.size() == rows.size()) continue;
    for (const std::string& second : parents_) {
      if (second == first || !can_be_parent(second, name)) continue;
      std::vector<double> others = values_with(name, second, open);
      if (!others.empty())
        return {.all = {{first, std::move(values)}, {second, std::move(others)}}};
    }
  }
  return {.known = false};
}

OptunaConditions::Near OptunaConditions::nearest(const std::string& name) const {
  Near best;
  const Rows rows = telling(name);
  const Column& own = columns_.at(name);
  for (const std::string& parent : parents_) {
    if (!domains_.at(parent).categorical() || !can_be_parent(parent, name)) continue;
    const Column& theirs = columns_.at(parent);
    std::map<double, std::ptrdiff_t> surplus;  // of trials that have the param
    for (const std::size_t row : rows)
      if (is_there(theirs[row])) surplus[theirs[row]] += is_there(own[row]) ? 1 : -1;
    Near near{.on = {parent, {}}, .against = {}};
    for (const auto& [value, more] : surplus)
      if (more >= 0) near.on.values.push_back(value);
    for (const std::size_t row : rows) {
      const bool told = is_there(theirs[row]) && surplus.at(theirs[row]) >= 0;
      if (told != is_there(own[row])) near.against.push_back(row);
    }
    if (near.on.values.empty()) continue;
    if (best.on.parent.empty() || near.against.size() < best.against.size()) best = std::move(near);
  }
  return best;
}

OptunaConditions::Rows OptunaConditions::telling(const std::string& name) const {
  Rows rows;
  const Column& own = columns_.at(name);
  for (std::size_t row = 0; row < ended_well_.size(); ++row)
    if (ended_well_[row] || !some_ended_well_ || is_there(own[row])) rows.push_back(row);
  return rows;
}

bool OptunaConditions::has(std::size_t row, const std::string& name) const {
  return is_there(columns_.at(name)[row]);
}

/// Two that exist together would be each other's parents.
bool OptunaConditions::can_be_parent(const std::string& parent, const std::string& name) const {
  return parent != name && (places_.at(parent) < places_.at(name) || always_.at(parent));
}

std::vector<double> OptunaConditions::values_with(const std::string& name,
                                                  const std::string& parent,
                                                  const Rows& rows) const {
  const Column& own = columns_.at(name);
  const Column& theirs = columns_.at(parent);
  Seen seen;
  for (const std::size_t row : rows) {
    const bool has = is_there(own[row]);
    const double value = theirs[row];
    if (!is_there(value)) {
      if (has) return {};
      continue;
    }
    (has ? seen.with : seen.without).insert(value);
    if ((has ? seen.without : seen.with).contains(value)) return {};
  }
  if (seen.with.empty()) return {};
  const OptunaDomain& domain = domains_.at(parent);
  if (seen.without.empty()) return domain.all(domain.categorical() ? kMostChoices : kMostInts);
  if (domain.categorical()) return {seen.with.begin(), seen.with.end()};
  return ints_with(seen, domain.all(kMostInts));
}

OptunaConditions::Rows OptunaConditions::left_open(const std::string& name,
                                                   const std::string& parent, const Rows& rows,
                                                   std::vector<double>& values) const {
  const Column& own = columns_.at(name);
  const Column& theirs = columns_.at(parent);
  std::set<double> with;
  for (const std::size_t row : rows) {
    if (!is_there(own[row])) continue;
    if (!is_there(theirs[row])) return rows;
    with.insert(theirs[row]);
  }
  values.assign(with.begin(), with.end());
  Rows open;
  std::ranges::copy_if(rows, std::back_inserter(open), [&](std::size_t row) {
    return is_there(theirs[row]) && with.contains(theirs[row]);
  });
  return open;
}

}  // namespace hpo
