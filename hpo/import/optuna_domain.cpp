#include "hpo/import/optuna_domain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/import/optuna_storage.h"
#include "hpo/space/parameter.h"
#include "hpo/study/substitute.h"

namespace hpo {

namespace {

constexpr double kLargest = 1e300;

std::int64_t whole(double number) {
  constexpr double kMost = 9e15;
  if (std::abs(number) <= kMost) return static_cast<std::int64_t>(number);
  throw base::Error(base::Errc::data,
                    base::cat("has the int ", number, ", expected one below ", kMost));
}

/// A text, a number, true, false or None.
ParamValue scalar_of(const base::Json& json) {
  if (json.is_null()) return std::string("None");
  if (auto value = value_from_json(json)) return std::move(*value);
  throw base::Error(base::Errc::data,
                    base::cat("has the choice ", base::printable(json.raw(), 60),
                              ", expected strings, numbers, true, false and None"));
}

}  // namespace

OptunaDomain::OptunaDomain(const std::string& distribution) {
  if (!base::Json::try_parse(distribution) && base::Json::try_parse(distribution, kPythonJson))
    throw base::Error(base::Errc::data,
                      base::cat("has a bound or a choice that is not a number, expected ",
                                "strings, finite numbers, true, false and None"));
  const base::Json json = base::Json::parse(distribution, {.utf8 = true});
  const std::string name = json.at("name").text();
  const base::Json& attributes = json.at("attributes");
  categorical_ = name == "CategoricalDistribution";
  ints_ = name == "IntDistribution";
  if (categorical_) {
    add_choices(attributes.at("choices"));
    return;
  }
  if (!ints_ && name != "FloatDistribution")
    throw base::Error(base::Errc::data, base::cat("the distribution ", base::printable(name, 60),
                                                  " is unknown, expected one of Optuna 3 to 5"));
  low_ = attributes.at("low").number();
  high_ = attributes.at("high").number();
  if (!(std::abs(low_) <= kLargest && std::abs(high_) <= kLargest))
    throw base::Error(base::Errc::data, base::cat("has a bound beyond ", kLargest));
  log_ = attributes.at("log").as_bool().value_or(false);
  if (!attributes.at("step").is_null()) step_ = attributes.at("step").number();
}

std::string OptunaDomain::yaml() const {
  if (categorical_) {
    const std::string list = base::listed(choices_, yaml_of);
    return choices_.size() == 1 ? base::cat("value: ", list) : base::cat("values: [", list, "]");
  }
  if (low_ == high_) return base::cat("value: ", text_of(value(low_)));
  std::string text = base::cat("type: ", ints_ ? "int" : "float", ", min: ", text_of(value(low_)),
                               ", max: ", text_of(value(high_)));
  if (log_) text += ", scale: log";
  if (step_ > 0 && !(ints_ && step_ == 1)) text += base::cat(", step: ", text_of(value(step_)));
  return text;
}

bool OptunaDomain::widen(const OptunaDomain& later) {
  if (categorical_ || later.categorical_ || ints_ != later.ints_) return false;
  step_ = common_step(later);
  low_ = std::min(low_, later.low_);
  high_ = std::max(high_, later.high_);
  log_ = later.log_ && (ints_ ? low_ >= 1 : low_ > 0);
  if (log_) step_ = ints_ ? 1 : 0;
  return true;
}

double OptunaDomain::common_step(const OptunaDomain& later) const {
  const double apart = std::abs(low_ - later.low_);
  if (ints_) {
    const auto between = [](double number) { return whole(std::max(number, 0.0)); };
    const std::int64_t own = single() ? 0 : between(step_),
                       theirs = later.single() ? 0 : between(later.step_);
    const std::int64_t step = std::gcd(std::gcd(own, theirs), between(apart));
    return static_cast<double>(std::max<std::int64_t>(step, 1));
  }
  const double own = single() ? later.step_ : step_, theirs = later.single() ? own : later.step_;
  const double steps = own > 0 ? apart / own : 0;
  const bool same = own > 0 && own == theirs && !(single() && later.single());
  return same && std::abs(steps - std::round(steps)) < 1e-9 * std::max(steps, 1.0) ? own : 0;
}

ParamValue OptunaDomain::value(double internal) const {
  if (ints_) return whole(internal);
  if (!categorical_) return step_ > 0 && low_ < high_ ? on_grid(internal) : internal;
  const auto place = static_cast<std::size_t>(std::clamp(internal, 0.0, 1e9));
  if (place >= choices_.size())
    throw base::Error(base::Errc::data, base::cat("choice ", internal, " of ", choices_.size()));
  return choices_[place];
}

ParamValue OptunaDomain::fixed(const std::string& json) const {
  const ParamValue given = scalar_of(base::Json::parse(json));
  const std::optional<double> number = number_of(given);
  return categorical_ || !number ? as_here(given) : value(*number);
}

ParamValue OptunaDomain::as_here(const ParamValue& value) const {
  const std::optional<double> number = number_of(value);
  if (!number) return value;
  if (!categorical_) return ints_ ? value : ParamValue(*number);
  const auto same = std::ranges::find(choices_, number,
                                      [](const ParamValue& choice) { return number_of(choice); });
  return same == choices_.end() ? value : *same;
}

std::vector<double> OptunaDomain::all(std::size_t most) const {
  std::vector<double> places;
  if (categorical_) {
    for (std::size_t i = 0; i < choices_.size() && i < most; ++i)
      places.push_back(static_cast<double>(i));
    return choices_.size() > most ? std::vector<double>{} : places;
  }
  const double step = std::max(step_, 1.0);
  if (!ints_ || (high_ - low_) / step >= static_cast<double>(most)) return places;
  for (double place = low_; place <= high_ && places.size() < most; place += step)
    places.push_back(place);
  return places;
}

std::string OptunaDomain::yaml_of(const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text_of(text != nullptr ? ParamValue(study::escape(*text)) : value);
}

/// Their 0.30000000000000004 is the third step of ours, 0.3.
double OptunaDomain::on_grid(double number) const {
  const Domain grid = FloatRange{.min = low_, .max = high_, .step = step_};
  if (fault_of(grid)) return number;
  const auto last = static_cast<double>(cardinality(grid).value_or(1) - 1);
  const double rank = std::clamp(std::round((number - low_) / step_), 0.0, last);
  const double ours = number_of(nth_value(grid, static_cast<std::uint64_t>(rank))).value();
  return std::abs(ours - number) < step_ * 1e-6 ? ours : number;
}

/// Numbers with a float among them are floats, as in a study file.
void OptunaDomain::add_choices(const base::Json& list) {
  std::vector<ParamValue> all;
  for (const auto& [place, choice] : list.members()) {
    all.push_back(scalar_of(choice));
    none_ = none_ || choice.is_null();
  }
  const auto is_number = [](const ParamValue& value) { return number_of(value).has_value(); };
  const auto is_float = [](const ParamValue& value) {
    return std::holds_alternative<double>(value);
  };
  const bool floats = std::ranges::all_of(all, is_number) && std::ranges::any_of(all, is_float);
  for (const ParamValue& choice : all) add_choice(floats ? ParamValue(*number_of(choice)) : choice);
}

void OptunaDomain::add_choice(const ParamValue& choice) {
  choices_.push_back(choice);
  if (std::ranges::count(choices_, choice) > 1)
    throw base::Error(base::Errc::data,
                      base::cat("has the choice ", yaml_of(choice),
                                " twice as a study file writes it, expected different ones"));
}

}  // namespace hpo
