#include "hpo/study/domains.h"

#include <algorithm>
#include <cmath>

#include "base/digits.h"
#include "base/text.h"
#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

constexpr double kLargest = 1e14;  // of a bound that is left out: every int up to it is exact
constexpr int kDigits = 12;        // of a bound that is worked out
constexpr double kReach = 6;  // deviations from the mean at which a bound that is left out lies

/// Where a bound lies that is left out beside a prior: as many whole steps from the mean as fit
/// into the reach.
double reach(const Normal& prior, Scale scale, double step, bool up) {
  double end = 0;
  if (scale == Scale::linear) {
    const double far = kReach * prior.deviation, steps = step > 0 ? std::floor(far / step) : 0;
    const bool whole = step > 0 && step == std::floor(step);
    const double middle = whole ? std::round(prior.mean) : prior.mean;
    const double length = step > 0 ? steps * step : far;
    end = up ? middle + length : middle - length;
  } else {
    const double factor = std::pow(prior.deviation, kReach);
    end = up ? prior.mean * factor : prior.mean / factor;
    if (step > 0) end = std::max(1.0, std::round(end / step)) * step;
  }
  return std::isfinite(end) ? std::clamp(base::rounded_to_digits(end, kDigits), -kLargest, kLargest)
                            : 1;
}

/// One entry of the section, and the questions one has about it.
class DomainReader {
 public:
  explicit DomainReader(const Entry& entry)
      : name_(entry.key), at_(entry.key_at), node_(entry.value) {}

  [[nodiscard]] Domain domain() const {
    const bool range = has("min") || has("max"), prior = has("mean") || has("deviation");
    if (has("values") + has("value") + (range || prior) != 1) {
      fail(at_, base::cat("parameter \"", name_, "\" has ", forms(range, prior),
                          ", expected one of {min, max}, {mean, deviation}, {values}, {choice} or "
                          "{value}"));
    }
    if (has("values")) return choice();
    if (has("value")) return constant();
    return this->range();
  }

 private:
  [[nodiscard]] bool has(std::string_view key) const { return node_.find(key) != nullptr; }

  [[nodiscard]] std::string forms(bool range, bool prior) const {
    std::string text;
    for (const auto& [present, name] : {std::pair(range, "min and max"),
                                        {prior, "mean and deviation"},
                                        {has("values"), "values"},
                                        {has("value"), "value"}}) {
      if (present) text += (text.empty() ? "" : " and ") + std::string(name);
    }
    return text.empty() ? "no values" : text;
  }

  /// Keys that mean nothing here would be silently ignored otherwise.
  void refuse(std::initializer_list<std::string_view> keys, std::string_view with) const {
    for (const std::string_view key : keys) {
      if (const Entry* entry = node_.find_entry(key)) {
        fail(entry->key_at, base::cat("\"", key, "\" cannot be used with ", with, ", only with ",
                                      key == "ordered" ? "\"values\"" : "\"min\" and \"max\""));
      }
    }
  }

  [[nodiscard]] ParamValue value_of(const Node& node) const {
    return as_value(unescape(node)).value();
  }

  [[nodiscard]] std::string type() const {
    const Node* type = node_.find("type");
    return type != nullptr ? type->text : "";
  }

  /// The number at `key`, which must be one.
  [[nodiscard]] double number(std::string_view key) const {
    const Node& node = *node_.find(key);
    const auto value = number_of(value_of(node));
    if (!value || !std::isfinite(*value)) {
      fail(node.at, base::cat("parameters.", name_, ".", key, " is ", describe(node),
                              ", expected a number", node.quoted ? " without quotes" : ""));
    }
    return *value;
  }

  /// A number that must be whole because the parameter is an int.
  [[nodiscard]] std::int64_t whole(std::string_view key) const {
    const double value = number(key);
    const Node& node = *node_.find(key);
    const ParamValue exact = value_of(node);
    if (const auto* integer = std::get_if<std::int64_t>(&exact)) return *integer;
    if (value != std::floor(value) || std::abs(value) > static_cast<double>(kLargestBound)) {
      fail(node.at, base::cat("parameters.", name_, ".", key, " is ", describe(node),
                              ", expected an int, as type: int says"));
    }
    return static_cast<std::int64_t>(value);
  }

  [[nodiscard]] bool all_ints() const {
    for (const std::string_view key : {"min", "max", "step"}) {
      const Node* node = node_.find(key);
      if (node != nullptr && !std::holds_alternative<std::int64_t>(value_of(*node))) return false;
    }
    return true;
  }

  [[nodiscard]] Domain range() const {
    refuse({"ordered"}, "min and max");
    const std::optional<Normal> prior = this->prior();
    for (const std::string_view key : {"min", "max"}) {
      if (!has(key) && !prior)
        fail(at_,
             base::cat("parameter \"", name_, "\" has no ", key, ", expected both min and max"));
      if (has(key)) (void)number(key);
    }
    if (has("step")) (void)number("step");
    const Node* scale = node_.find("scale");
    const Scale as = scale != nullptr && scale->text == "log" ? Scale::log : Scale::linear;
    const bool integer = type() == "int" || (type().empty() && !prior && all_ints());
    if (integer) {
      const std::int64_t step = has("step") ? whole("step") : 1;
      const auto end = [&](std::string_view key) {
        return has(key) ? whole(key)
                        : static_cast<std::int64_t>(
                              reach(*prior, as, static_cast<double>(step), key == "max"));
      };
      return IntRange{end("min"), end("max"), as, step, prior};
    }
    if (has("step") && number("step") == 0)
      fail(node_.find("step")->at, "step is 0, expected a number above 0");
    const double step = has("step") ? number("step") : 0;
    const auto end = [&](std::string_view key) {
      return has(key) ? number(key) : reach(*prior, as, step, key == "max");
    };
    return FloatRange{end("min"), end("max"), as, step, prior};
  }

  [[nodiscard]] std::optional<Normal> prior() const {
    if (!has("mean") && !has("deviation")) return std::nullopt;
    for (const std::string_view key : {"mean", "deviation"}) {
      if (!has(key))
        fail(at_, base::cat("parameter \"", name_, "\" has no ", key,
                            ", expected both mean and deviation"));
    }
    return Normal{number("mean"), number("deviation")};
  }

  [[nodiscard]] Domain choice() const {
    refuse({"scale", "step"}, "values");
    Choice choice;
    bool floats = type() == "float";
    bool numbers = true;
    for (const Node& item : node_.find("values")->items) {
      choice.values.push_back(value_of(item));
      floats = floats || std::holds_alternative<double>(choice.values.back());
      numbers = numbers && number_of(choice.values.back()).has_value();
    }
    for (std::size_t i = 0; i < choice.values.size(); ++i) {
      const Node& item = node_.find("values")->items[i];
      if (!type().empty() && !numbers && !number_of(choice.values[i])) {
        fail(item.at, base::cat("parameters.", name_, ".values has ", describe(item),
                                ", expected numbers, as type: ", type(), " says"));
      }
      if (type() == "int" && !std::holds_alternative<std::int64_t>(choice.values[i])) {
        fail(item.at, base::cat("parameters.", name_, ".values has ", describe(item),
                                ", expected ints, as type: int says"));
      }
      if (numbers && floats) choice.values[i] = *number_of(choice.values[i]);
      for (std::size_t k = 0; k < i && choice.values.size() <= 1000; ++k) {
        if (choice.values[k] == choice.values[i]) {
          fail(item.at, base::cat("parameters.", name_, ".values has ", describe(item),
                                  " twice, expected distinct values"));
        }
      }
    }
    const Node* ordered = node_.find("ordered");
    choice.ordered = ordered != nullptr
                         ? ordered->text == "true"
                         : choice.values.size() > 2 && are_sorted_numbers(choice.values);
    return choice;
  }

  [[nodiscard]] Domain constant() const {
    refuse({"type", "scale", "step", "ordered"}, "value");
    return Constant{value_of(*node_.find("value"))};
  }

  const std::string& name_;
  Position at_;
  const Node& node_;
};

Node number_node(double value) { return node_of(value, {}); }
Node int_node(std::int64_t value) { return node_of(value, {}); }

struct WriteDomain {
  Node& map;

  void add(std::string key, Node value) const {
    map.entries.push_back({std::move(key), {}, std::move(value)});
  }

  template <class Range, class Write>
  void range(const Range& range, const char* type, Write write) const {
    add("type", plain_node(type, {}));
    add("min", write(range.min));
    add("max", write(range.max));
    add("scale", plain_node(range.scale == Scale::log ? "log" : "linear", {}));
    if (!range.prior) return;
    add("mean", number_node(range.prior->mean));
    add("deviation", number_node(range.prior->deviation));
  }
  void operator()(const FloatRange& r) const {
    range(r, "float", number_node);
    if (r.step != 0) add("step", number_node(r.step));
  }
  void operator()(const IntRange& r) const {
    range(r, "int", int_node);
    if (r.step != 1) add("step", int_node(r.step));
  }
  void operator()(const Choice& choice) const {
    Node list{.kind = Node::Kind::list};
    for (const ParamValue& value : choice.values) list.items.push_back(value_node(value));
    add("values", std::move(list));
    add("ordered", plain_node(choice.ordered ? "true" : "false", {}));
  }
  void operator()(const Constant& constant) const { add("value", value_node(constant.value)); }
};

}  // namespace

Domain read_domain(const Entry& parameter) { return DomainReader(parameter).domain(); }

Node domain_node(const Domain& domain) {
  Node map = map_node({});
  std::visit(WriteDomain{map}, domain);
  return map;
}

Node value_node(const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? string_node(escape(*text), {}) : node_of(value, {});
}

}  // namespace hpo::study
