#include "hpo/samplers/explore.h"

#include <algorithm>
#include <cmath>

namespace hpo {

namespace {

/// One step or more along the ranks of a domain whose values are evenly spaced.
ParamValue along_ranks(const Domain& domain, const ParamValue& value, double factor, bool up) {
  const auto last = static_cast<double>(*cardinality(domain) - 1);
  if (last <= 0) return value;
  const auto rank = static_cast<double>(*rank_of(domain, value));
  const double low = number_of(nth_value(domain, 0)).value();
  const double step = number_of(nth_value(domain, 1)).value() - low;
  const double number = number_of(value).value();
  const double target = std::round(((up ? number * factor : number / factor) - low) / step);
  const double moved = up ? std::max(target, rank + 1) : std::min(target, rank - 1);
  return nth_value(domain, static_cast<std::uint64_t>(std::clamp(moved, 0.0, last)));
}

struct Perturb {
  const Domain& domain;
  const ParamValue& value;
  double factor;
  bool up;

  ParamValue operator()(const FloatRange& range) const {
    if (cardinality(domain)) return along_ranks(domain, value, factor, up);
    const double number = std::get<double>(value);
    const double moved = std::clamp(up ? number * factor : number / factor, range.min, range.max);
    return from_unit(domain, to_unit(domain, moved));
  }
  ParamValue operator()(const IntRange&) const { return along_ranks(domain, value, factor, up); }
  ParamValue operator()(const Choice& choice) const {
    if (choice.ordered && !are_sorted_numbers(choice.values)) return along_words(choice);
    std::optional<ParamValue> nearest;
    const std::optional<double> here = number_of(value);
    for (const ParamValue& other : choice.values) {
      const std::optional<double> there = number_of(other);
      if (!here || !there) return value;
      if (up ? *there <= *here : *there >= *here) continue;
      const double known = nearest ? *number_of(*nearest) : 0;
      if (!nearest || (up ? *there < known : *there > known)) nearest = other;
    }
    return nearest.value_or(value);
  }
  ParamValue operator()(const Constant&) const { return value; }

  [[nodiscard]] ParamValue along_words(const Choice& choice) const {
    const std::uint64_t rank = *rank_of(domain, value);
    if (up) return choice.values[std::min<std::size_t>(rank + 1, choice.values.size() - 1)];
    return choice.values[rank == 0 ? 0 : rank - 1];
  }
};

}  // namespace

ParamValue perturbed(const Domain& domain, const ParamValue& value, double factor, bool up) {
  return std::visit(Perturb{domain, value, factor, up}, domain);
}

Params explored(const Space& space, const Params& source, const Exploration& how, Stream& stream) {
  Params moved;
  for (const std::size_t i : space.order()) {
    const Parameter& parameter = space.parameters()[i];
    const bool anew = stream.uniform() < how.resample;
    const double place = stream.uniform();
    const bool up = stream.uniform() < 0.5;
    if (!space.is_active(i, moved)) continue;
    const ParamValue* value = source.find(parameter.name);
    const bool moves = std::ranges::find(how.parameters, parameter.name) != how.parameters.end();
    if (value == nullptr || (moves && anew)) {
      moved.set(parameter.name, from_unit(parameter.domain, place));
    } else {
      moved.set(parameter.name,
                moves ? perturbed(parameter.domain, *value, how.factor, up) : *value);
    }
  }
  Params result = space.adopt(moved);
  return space.allows(result) ? result : source;
}

}  // namespace hpo
