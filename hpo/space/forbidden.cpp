#include "hpo/space/forbidden.h"

#include <algorithm>

#include "base/text.h"

namespace hpo {

namespace {

bool is_true(const Clause& clause, const Params& params) {
  const ParamValue* value = params.find(clause.parameter);
  if (value == nullptr) return false;
  const auto compare = [&](const ParamValue& with) {
    if (clause.is == Clause::Is::equal) return same_value(*value, with);
    const auto x = number_of(*value), y = number_of(with);
    return x && y && (clause.is == Clause::Is::above ? *x > *y : *x < *y);
  };
  if (clause.other.empty()) return std::ranges::any_of(clause.values, compare);
  const ParamValue* other = params.find(clause.other);
  return other != nullptr && compare(*other);
}

std::string said(const Clause& clause) {
  std::string text = clause.parameter + " is ";
  if (clause.is != Clause::Is::equal) text += clause.is == Clause::Is::above ? "above " : "below ";
  if (!clause.other.empty()) return text + "$" + clause.other;
  for (std::size_t i = 0; i < clause.values.size(); ++i)
    text += (i == 0 ? "" : " or ") + text_of(clause.values[i]);
  return text;
}

}  // namespace

bool holds(const Forbidden& combination, const Params& params) {
  return std::ranges::all_of(combination.clauses,
                             [&](const Clause& clause) { return is_true(clause, params); });
}

std::string text_of(const Forbidden& combination) {
  std::string text;
  for (const Clause& clause : combination.clauses)
    text += (text.empty() ? "" : " and ") + said(clause);
  return text;
}

}  // namespace hpo
