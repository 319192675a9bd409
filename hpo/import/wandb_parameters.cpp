#include "hpo/import/wandb_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <tuple>

#include "base/text.h"
#include "hpo/import/names.h"
#include "hpo/import/wandb_keys.h"
#include "hpo/import/wandb_node.h"
#include "hpo/space/value.h"
#include "hpo/study/study_error.h"

namespace hpo::wandb {

namespace {

using study::Entry;
using study::Node;
using study::Position;
using study::StudyError;

/// Deviations from the mean beyond which a normal distribution counts as empty.
constexpr double kReach = 6;

class Reader {
 public:
  explicit Reader(Bools bools) : bools_(bools) {}

  Parameters run(const Node& block) {
    keep_names(block, "");
    add(block, "");
    return std::move(made_);
  }

 private:
  void leave(const std::string& what) { made_.notes.leave(what); }
  void carry(const std::string& here, const std::string& what, const std::string& why = "") {
    made_.notes.carry(here, what, why);
  }

  void keep_names(const Node& block, const std::string& prefix) {
    if (!block.is_map()) return;
    for (const Entry& entry : block.entries) {
      names_.keep(prefix + entry.key);
      if (const Node* nested = entry.value.is_map() ? entry.value.find("parameters") : nullptr)
        keep_names(*nested, prefix + entry.key + "_");
    }
  }

  /// Nested parameters get the names of their way, joined: a study has one level.
  void add(const Node& block, const std::string& prefix) {
    if (!block.is_map()) throw StudyError(block.at, "parameters is not a map");
    for (const Entry& entry : block.entries) {
      const std::string name = our_name(prefix + entry.key);
      if (!entry.value.is_map())
        throw StudyError(entry.value.at, base::cat("parameter ", name, " is not a map"));
      for (const std::string& line : idle_keys(entry.value, name)) leave(line);
      if (const Node* nested = entry.value.find("parameters")) {
        carry(name + "_...", "the block " + name);
        path_.push_back(entry.key);
        add(*nested, name + "_");
        path_.pop_back();
      } else {
        made_.yaml += base::cat("  ", name, ": {", domain_of(entry.value, name), "}\n");
        made_.names.emplace_back(prefix.empty() ? entry.key : name, name);
        std::vector<std::string>& path = made_.paths.emplace_back(name, path_).second;
        path.push_back(entry.key);
      }
    }
  }

  std::string our_name(const std::string& name) {
    const std::string& ours = names_.ours(name);
    if (ours != name) made_.notes.rename(ours, name);
    return ours;
  }

  std::string domain_of(const Node& parameter, const std::string& name) {
    if (const Node* value = parameter.find("value")) {
      if (is_bool(*value)) made_.bools.insert(name);
      if (is_text(*value)) made_.texts.insert(name);
      return base::cat("value: ", text(*value, name, bools_ != Bools::words));
    }
    if (const Node* values = parameter.find("values")) {
      if (!values->is_list() || values->items.empty())
        throw StudyError(values->at, base::cat("values of ", name, " is not a list of values"));
      if (parameter.find("probabilities") != nullptr)
        leave(base::cat("probabilities of ", name, ": all its values are equally likely"));
      return base::cat("values: [", list_of(*values, name), "]");
    }
    return range_of(parameter, name);
  }

  std::string list_of(const Node& values, const std::string& name) {
    std::string list;
    std::set<std::string> seen;
    bool ints = false, floats = false;
    const bool all = std::ranges::all_of(values.items, is_bool);
    if (all) made_.bools.insert(name);
    if (std::ranges::all_of(values.items, is_text)) made_.texts.insert(name);
    const bool keeps = bools_ == Bools::values || (bools_ == Bools::flags && all);
    for (const Node& one : values.items) {
      if (one.is_scalar() && !one.quoted) {
        const ParamValue plain = parse_value(one.text);
        ints = ints || std::holds_alternative<std::int64_t>(plain);
        floats = floats || std::holds_alternative<double>(plain);
      }
      const std::string value = text(one, name, keeps);
      if (seen.insert(value).second)
        list += base::cat(list.empty() ? "" : ", ", value);
      else
        leave(base::cat("the second ", value, " of ", name, ": each value appears once"));
    }
    if (ints && floats)
      carry("floats", base::cat("ints among floats of ", name), "a program gets 1.0 for 1");
    return list;
  }

  static bool is_text(const Node& node) {
    if (!node.is_scalar() || node.is_null() || is_bool(node)) return false;
    return node.quoted || std::holds_alternative<std::string>(parse_value(node.text));
  }

  std::string text(const Node& node, const std::string& name, bool keeps_bools) {
    std::string value = value_text(node, keeps_bools);
    if (!node.is_scalar()) carry("a string", base::cat("the value ", value, " of ", name));
    return value;
  }

  std::string range_of(const Node& parameter, const std::string& name) {
    const std::string kind = text_at(parameter, "distribution");
    if (kind == "constant" || kind.starts_with("categorical"))
      throw StudyError(parameter.at,
                       base::cat(name, " has no ", kind == "constant" ? "value" : "values"));
    require_known(parameter, kind);
    const bool quantised = kind.starts_with("q_");
    if (!quantised && parameter.find("q") != nullptr)
      leave(base::cat("q of ", name, ": its distribution has none"));
    if (kind.ends_with("normal")) return normal_of(parameter, name, kind);
    const bool counts =
        quantised && (parameter.find("q") == nullptr || whole(parameter, "q"));  // multiples of it
    const bool ints =
        counts || (!kind.empty() ? kind == "int_uniform"
                                 : whole(parameter, "min") && whole(parameter, "max"));
    const bool log = kind.find("log") != std::string::npos;
    auto [min, max] = ends_of(parameter, kind);
    if (kind.starts_with("inv_") || kind.ends_with("beta"))
      carry(log ? "scale: log" : "a linear scale",
            base::cat("the distribution ", kind, " of ", name));
    double step = 0;
    if (quantised) {
      step = parameter.find("q") != nullptr ? positive_at(parameter, "q") : 1;
      if (log && !ints) {
        carry("a plain range", base::cat("q of ", name), "its scale is logarithmic");
      } else {
        std::tie(min, max) = multiples(min, max, step, name);
        if (log) {  // 0 has no logarithm
          min = std::max(min, step);
          max = std::max(max, step);
        }
      }
    }
    const auto said = [&](double number) {
      return ints ? base::cat(static_cast<std::int64_t>(number)) : text_of(number);
    };
    if (min == max) return base::cat("value: ", said(min));
    std::string text =
        base::cat("type: ", ints ? "int" : "float", ", min: ", said(min), ", max: ", said(max));
    if (log) text += ", scale: log";
    if (step > 0) text += base::cat(", step: ", step);
    return text;
  }

  /// The first and the last multiple of `step` between the ends; W&B rounds what lies there, also
  /// to one beyond, which is all there is where none lies between.
  std::pair<double, double> multiples(double min, double max, double step,
                                      const std::string& name) {
    constexpr double kRoundingOff = 1e-9;
    const double low = std::round(min / step), high = std::round(max / step);
    const double first = std::ceil(min / step - kRoundingOff),
                 last = std::floor(max / step + kRoundingOff);
    if (first > last) return {low * step + 0.0, high * step + 0.0};  // no -0
    if (first > low || last < high)
      leave(base::cat("ends of ", name, ": W&B rounds to multiples of ", step,
                      " beyond them as well"));
    return {first * step + 0.0, last * step + 0.0};
  }

  static void require_known(const Node& parameter, const std::string& kind) {
    static const std::vector<std::string> kKnown{
        "uniform",     "int_uniform",        "q_uniform",
        "log_uniform", "q_log_uniform",      "normal",
        "q_normal",    "log_normal",         "q_log_normal",
        "beta",        "log_uniform_values", "q_log_uniform_values",
        "q_beta",      "inv_log_uniform",    "inv_log_uniform_values"};
    if (kind.empty() || std::ranges::find(kKnown, kind) != kKnown.end()) return;
    throw StudyError(
        parameter.find("distribution")->at,
        base::cat("the distribution ", base::printable(kind, 60),
                  " is unknown, expected one of W&B's", base::did_you_mean(kind, kKnown)));
  }

  /// The smallest and the largest value, not an exponent.
  static std::pair<double, double> ends_of(const Node& parameter, const std::string& kind) {
    if (kind.ends_with("beta") && parameter.find("min") == nullptr) return {0, 1};
    double min = number_at(parameter, "min"), max = number_at(parameter, "max");
    const Position at = parameter.find("min")->at;
    if (min > max) throw StudyError(at, base::cat("min is above max, expected at most ", max));
    if (kind == "int_uniform") {
      for (const char* key : {"min", "max"}) require_int(parameter, key);
    }
    if (kind.find("log") == std::string::npos) return {min, max};
    if (kind.ends_with("_values")) {
      if (min <= 0)
        throw StudyError(at, base::cat("min of a logarithm is ", min, ", expected more than 0"));
    } else if (kind.starts_with("inv_")) {
      std::tie(min, max) = std::pair(std::exp(-max), std::exp(-min));
    } else {
      std::tie(min, max) = std::pair(std::exp(min), std::exp(max));
    }
    if (min == 0 || max > kMost)
      throw StudyError(at,
                       "min and max are exponents of e, which lead out of all numbers; expected "
                       "log_uniform_values for bounds that are values");
    return {min, max};
  }

  static void require_int(const Node& parameter, const char* key) {
    const double number = number_at(parameter, key);
    if (number != std::floor(number))
      throw StudyError(parameter.find(key)->at,
                       base::cat(key, " is ", number, ", expected an int, as int_uniform says"));
  }

  static bool whole(const Node& parameter, std::string_view key) {
    const Node* node = parameter.find(key);
    return node != nullptr && base::parse_int(node->text).has_value();
  }

  std::string normal_of(const Node& parameter, const std::string& name, const std::string& kind) {
    const double mu = parameter.find("mu") != nullptr ? number_at(parameter, "mu") : 0;
    const double sigma = parameter.find("sigma") != nullptr ? positive_at(parameter, "sigma") : 1;
    const bool log = kind.find("log") != std::string::npos;
    if (log && std::abs(mu) + kReach * sigma > std::log(kMost))
      throw StudyError(parameter.at,
                       "mu and sigma lead out of all numbers, expected exponents of e");
    const double mean = log ? std::exp(mu) : mu, deviation = log ? std::exp(sigma) : sigma;
    const std::string steps =
        kind.starts_with("q_") ? steps_of_normal(parameter, mean, deviation, log) : "";
    if (kind.starts_with("q_") && steps.empty())
      leave(base::cat("q of ", name, ": it has no steps"));
    return base::cat(steps, "mean: ", text_of(mean), ", deviation: ", text_of(deviation),
                     log ? ", scale: log" : "");
  }

  /// The range and the steps of a normal distribution whose values are multiples of q, between the
  /// ends where W&B itself all but never goes. Empty: no range of ours has such values.
  static std::string steps_of_normal(const Node& parameter, double mean, double deviation,
                                     bool log) {
    const bool says_q = parameter.find("q") != nullptr;
    const double q = says_q ? positive_at(parameter, "q") : 1;
    const bool ints = !says_q || whole(parameter, "q");
    if (log && (!ints || mean < q)) return "";
    const double far = kReach * deviation, factor = std::pow(deviation, kReach);
    const double low =
        log ? std::max(q, std::ceil(mean / factor / q) * q) : std::ceil((mean - far) / q) * q;
    const double high = std::floor((log ? mean * factor : mean + far) / q) * q;
    if (!(low < mean && mean < high) || std::abs(low) > kMost || high > kMost) return "";
    const auto said = [&](double number) {
      return ints ? base::cat(static_cast<std::int64_t>(number)) : text_of(number + 0.0);
    };
    return base::cat("type: ", ints ? "int" : "float", ", min: ", said(low), ", max: ", said(high),
                     ", step: ", said(q), ", ");
  }

  Bools bools_;
  Parameters made_;
  Names names_;
  std::vector<std::string> path_;  ///< of the nested block that is read
};

}  // namespace

Parameters parameters_of(const Node& block, Bools bools) { return Reader(bools).run(block); }

}  // namespace hpo::wandb
