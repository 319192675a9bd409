#include "hpo/space/ties.h"

#include <algorithm>

#include "hpo/space/ancestors.h"

namespace hpo {

namespace {

/// Times that bounds may push each other on before they are left as they are: numbers in different
/// steps creep.
constexpr int kMostRounds = 1000;

Holds known(bool all, bool none) {
  if (none) return Holds::never;
  return all ? Holds::surely : Holds::perhaps;
}

/// Whether what is left of `x` lies above what is left of `y`.
Holds above(const Left& x, const Left& y) {
  if (!x.numbers() || !y.numbers()) return Holds::perhaps;
  return known(x.low() > y.high(), x.high() <= y.low());
}

Holds above(const Left& x, double bound) {
  if (!x.numbers()) return Holds::perhaps;
  return known(x.low() > bound, x.high() <= bound);
}

Holds below(const Left& x, double bound) {
  if (!x.numbers()) return Holds::perhaps;
  return known(x.high() < bound, x.low() >= bound);
}

Holds equal(const Left& x, const Left& y) {
  const auto a = x.only(), b = y.only();
  if (a && b) return known(same_value(*a, *b), !same_value(*a, *b));
  if (a || b) return (a ? y.has_same(*a) : x.has_same(*b)) ? Holds::perhaps : Holds::never;
  if (x.numbers() && y.numbers() && (x.high() < y.low() || y.high() < x.low())) return Holds::never;
  return Holds::perhaps;
}

bool has(const std::vector<ParamValue>& values, const ParamValue& value, bool exactly) {
  return std::ranges::any_of(values, [&](const ParamValue& one) {
    return exactly ? one == value : same_value(one, value);
  });
}

Holds one_of(const Left& x, const std::vector<ParamValue>& values, bool exactly) {
  if (const auto value = x.only()) {
    const bool is = has(values, *value, exactly);
    return known(is, !is);
  }
  const bool all =
      x.all_listed([&](const ParamValue& value) { return has(values, value, exactly); });
  const bool none = std::ranges::none_of(
      values, [&](const ParamValue& value) { return exactly ? x.has(value) : x.has_same(value); });
  return known(all, none);
}

}  // namespace

Ties::Ties(const Space& space) {
  const auto place = [&](const std::string& name) { return *space.index_of(name); };
  for (const Forbidden& combination : space.forbidden()) {
    std::vector<Atom> tie;
    for (const Clause& clause : combination.clauses) {
      Atom atom{.at = place(clause.parameter), .values = clause.values};
      if (clause.is != Clause::Is::equal)
        atom.is = clause.is == Clause::Is::above ? Atom::Is::above : Atom::Is::below;
      if (!clause.other.empty()) atom.other = place(clause.other);
      tie.push_back(atom);
      add_conditions(space, atom.at, tie);
      if (atom.other) add_conditions(space, *atom.other, tie);
    }
    for (const Atom& atom : tie) {
      named_.push_back(atom.at);
      if (atom.other) named_.push_back(*atom.other);
    }
    ties_.push_back(std::move(tie));
  }
  std::ranges::sort(named_);
  named_.erase(std::unique(named_.begin(), named_.end()), named_.end());
}

void Ties::add_conditions(const Space& space, std::size_t at, std::vector<Atom>& tie) {
  for (const std::size_t one : with_ancestors(space, at)) {
    for (const Condition& condition : space.parameters()[one].when)
      tie.push_back({.at = *space.index_of(condition.parameter),
                     .is = Atom::Is::exactly,
                     .values = condition.values});
  }
}

Holds Ties::holds(std::size_t tie, std::size_t atom, const std::vector<Left>& left) const {
  return holds(ties_[tie][atom], left);
}

Holds Ties::holds(const Atom& atom, const std::vector<Left>& left) {
  using Is = Atom::Is;
  const Left& x = left[atom.at];
  if (atom.other) {
    const Left& y = left[*atom.other];
    if (atom.is == Is::equal) return equal(x, y);
    return atom.is == Is::above ? above(x, y) : above(y, x);
  }
  if (atom.is == Is::exactly || atom.is == Is::equal)
    return one_of(x, atom.values, atom.is == Is::exactly);
  const auto bound = atom.values.empty() ? std::nullopt : number_of(atom.values.front());
  if (!bound) return Holds::never;
  return atom.is == Is::above ? above(x, *bound) : below(x, *bound);
}

bool Ties::refute(const Atom& atom, std::vector<Left>& left) {
  using Is = Atom::Is;
  Left& x = left[atom.at];
  bool changed = false;
  if (atom.is == Is::exactly || (atom.is == Is::equal && !atom.other)) {
    for (const ParamValue& value : atom.values)
      changed |= atom.is == Is::exactly ? x.take(value) : x.take_same(value);
    return changed;
  }
  if (!atom.other) {
    const double bound = *number_of(atom.values.front());
    return x.numbers() && (atom.is == Is::above ? x.keep_to(bound) : x.keep_from(bound));
  }
  Left& y = left[*atom.other];
  if (atom.is == Is::equal) {
    if (const auto value = x.only()) return y.take_same(*value);
    const auto value = y.only();
    return value && x.take_same(*value);
  }
  if (!x.numbers() || !y.numbers()) return false;
  Left& less = atom.is == Is::above ? x : y;
  Left& more = atom.is == Is::above ? y : x;
  changed = less.keep_to(more.high());
  return (!less.empty() && more.keep_from(less.low())) || changed;
}

Ties::Last Ties::last_open(std::size_t tie, const std::vector<Left>& left) const {
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < ties_[tie].size(); ++i) {
    const Holds now = holds(tie, i, left);
    if (now == Holds::surely) continue;
    if (now == Holds::never || open) return {};
    open = i;
  }
  return {.all_hold = !open, .atom = open};
}

bool Ties::narrow(std::vector<Left>& left,
                  const std::vector<std::optional<std::size_t>>& chosen) const {
  if (std::ranges::any_of(left, &Left::empty)) return false;
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (std::size_t tie = 0; tie < ties_.size(); ++tie) {
      std::optional<std::size_t> atom = chosen[tie];
      if (!atom) {
        const Last last = last_open(tie, left);
        if (last.all_hold) return false;
        atom = last.atom;
      }
      if (!atom || !refute(ties_[tie][*atom], left)) continue;
      changed = true;
      const Atom& refuted = ties_[tie][*atom];
      if (left[refuted.at].empty() || (refuted.other && left[*refuted.other].empty())) return false;
    }
  }
  return true;
}

}  // namespace hpo
