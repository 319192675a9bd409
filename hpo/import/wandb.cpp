#include "hpo/import/wandb.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "hpo/import/names.h"
#include "hpo/space/value.h"
#include "hpo/study/document.h"
#include "hpo/study/node.h"
#include "hpo/study/substitute.h"
#include "hpo/study/yaml_reader.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

using study::Entry;
using study::Fault;
using study::Node;
using study::Position;

/// A scalar as a study file writes it.
std::string value_text(const Node& node) {
  if (!node.is_scalar())
    throw Fault(node.at, rt::cat("a value is ", study::describe(node), ", expected a scalar"));
  const ParamValue value = node.quoted ? ParamValue(node.text) : parse_value(node.text);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return text_of(value);
  return node.quoted ? quote_json(study::escape(*text)) : text_of(ParamValue(study::escape(*text)));
}

/// Beyond it no int of a study file lies.
constexpr double kMost = 9e15;

class Importer {
 public:
  explicit Importer(const Node& root) : root_(root) {}

  Imported run() {
    if (!root_.is_map() || root_.find("parameters") == nullptr || root_.find("method") == nullptr)
      throw Fault(root_.at, "this is no W&B sweep file, expected the keys method and parameters");
    add_name();
    add_command();
    add_metric();
    add_method();
    body_ += "parameters:\n";
    add_parameters(*root_.find("parameters"), "");
    if (body_.ends_with("parameters:\n")) body_.replace(body_.size() - 1, 1, " {}\n");
    add_rule();
    add_limit();
    name_the_rest();
    std::string head;
    for (const std::string& line : left_) head += rt::cat("# not carried over: ", line, "\n");
    return {.yaml = head + body_, .left_out = left_};
  }

 private:
  void leave(const std::string& line) { left_.push_back(rt::printable(line, 300)); }

  [[nodiscard]] std::string text_at(const Node& map, std::string_view key) const {
    const Node* node = map.find(key);
    return node != nullptr && node->is_scalar() ? node->text : "";
  }

  static double positive_at(const Node& map, const std::string& key) {
    const double number = number_at(map, key);
    if (number > 0) return number;
    throw Fault(map.find(key)->at, rt::cat(key, " is ", number, ", expected more than 0"));
  }

  static double number_at(const Node& map, const std::string& key) {
    const Node* node = map.find(key);
    const auto number =
        node != nullptr && node->is_scalar() ? rt::parse_double(node->text) : std::nullopt;
    if (!number || !(std::abs(*number) < kMost))
      throw Fault(node != nullptr ? node->at : map.at, rt::cat(key, " is missing, or no number"));
    return *number;
  }

  void add_name() {
    std::string name = text_at(root_, "name");
    if (name.empty()) return;
    for (char& c : name) {
      const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
      c = fits ? c : '-';
    }
    name.erase(0, std::min(name.find_first_not_of(".-"), name.size()));
    if (!name.empty()) body_ += rt::cat("name: ", quote_json(name.substr(0, 64)), "\n");
  }

  /// The words of a macro; nothing for one that stands for no word of ours.
  std::vector<std::string> words_of(const std::string& word) {
    if (word == "${env}") return {};  // /usr/bin/env: the program is looked for in PATH anyway
    if (word == "${interpreter}") return {"python3"};
    if (word == "${program}") {
      if (text_at(root_, "program").empty())
        throw Fault(root_.at,
                    "command names ${program}, but program is missing, expected its path");
      return {study::escape(text_at(root_, "program"))};
    }
    if (word == "${args}") return {"$args"};
    if (word.starts_with("${args")) {
      leave(rt::cat(word, ": $args stands in its place, which gives --name=value"));
      return {"$args"};
    }
    if (word.starts_with("${envvar:")) {
      leave(rt::cat(word, ": a program finds the environment itself"));
      return {};
    }
    return {study::escape(word)};
  }

  void add_command() {
    std::vector<std::string> given{"${interpreter}", "${program}", "${args}"};
    const Node* command = root_.find("command");
    if (command == nullptr && root_.find("program") == nullptr) return;
    if (command != nullptr) {
      if (!command->is_list()) throw Fault(command->at, "command is no list, expected its words");
      given.clear();
      for (const Node& word : command->items) given.push_back(word.text);
    }
    std::string line;
    for (const std::string& word : given) {
      for (const std::string& ours : words_of(word))
        line += rt::cat(line.empty() ? "" : ", ", quote_json(ours));
    }
    body_ += rt::cat("command: [", line, "]\n");
  }

  void add_metric() {
    const Node* metric = root_.find("metric");
    if (metric == nullptr || !metric->is_map() || text_at(*metric, "name").empty()) {
      leave("there is no metric: name the number that the program reports");
      body_ += "metric: {name: loss, goal: minimize}\n";
      return;
    }
    const std::string goal = text_at(*metric, "goal") == "maximize" ? "maximize" : "minimize";
    body_ +=
        rt::cat("metric: {name: ", quote_json(text_at(*metric, "name")), ", goal: ", goal, "}\n");
    for (const Entry& entry : metric->entries) {
      if (entry.key != "name" && entry.key != "goal")
        leave(rt::cat("metric.", entry.key, ": ", study::describe(entry.value)));
    }
  }

  void add_method() {
    const std::string method = text_at(root_, "method");
    if (method == "grid" || method == "random") {
      body_ += rt::cat("method: ", method, "\n");
    } else {
      if (method != "bayes") leave(rt::cat("method ", method, ": gp stands in its place"));
      body_ += "method: gp\n";
    }
  }

  /// Nested parameters get the names of their way, joined: a study has one level.
  void add_parameters(const Node& block, const std::string& prefix) {
    if (!block.is_map()) throw Fault(block.at, "parameters is no map, expected one");
    for (const Entry& entry : block.entries) {
      const std::string name = our_name(prefix + entry.key);
      if (!entry.value.is_map())
        throw Fault(entry.value.at, rt::cat("parameter ", name, " is no map"));
      if (const Node* nested = entry.value.find("parameters")) {
        leave(rt::cat("the block ", name, ": its parameters are called ", name, "_..."));
        add_parameters(*nested, name + "_");
      } else {
        body_ += rt::cat("  ", name, ": {", domain_of(entry.value, name), "}\n");
      }
    }
  }

  std::string our_name(const std::string& name) {
    const std::string& ours = names_.ours(name);
    if (ours != name) leave(rt::cat("the name ", name, ": it is ", ours, " here"));
    return ours;
  }

  std::string domain_of(const Node& parameter, const std::string& name) {
    if (const Node* value = parameter.find("value")) return rt::cat("value: ", value_text(*value));
    if (const Node* values = parameter.find("values")) {
      if (!values->is_list() || values->items.empty())
        throw Fault(values->at, rt::cat("values of ", name, " is no list of values"));
      if (parameter.find("probabilities") != nullptr)
        leave(rt::cat("probabilities of ", name, ": each of its values is as likely as another"));
      return rt::cat("values: [", list_of(*values, name), "]");
    }
    return range_of(parameter, name);
  }

  std::string list_of(const Node& values, const std::string& name) {
    std::string list;
    std::set<std::string> seen;
    for (const Node& one : values.items) {
      const std::string text = value_text(one);
      if (seen.insert(text).second)
        list += rt::cat(list.empty() ? "" : ", ", text);
      else
        leave(rt::cat("the second ", text, " of ", name, ": each value stands once"));
    }
    return list;
  }

  std::string range_of(const Node& parameter, const std::string& name) {
    const std::string kind = text_at(parameter, "distribution");
    require_known(parameter, kind);
    const bool quantised = kind.starts_with("q_");
    if (!quantised && parameter.find("q") != nullptr)
      leave(rt::cat("q of ", name, ": its distribution has none"));
    if (kind.ends_with("normal")) return normal_of(parameter, name, kind);
    const bool ints =
        !kind.empty() ? kind == "int_uniform" : whole(parameter, "min") && whole(parameter, "max");
    const bool log = kind.find("log") != std::string::npos;
    auto [min, max] = ends_of(parameter, kind);
    if (kind.starts_with("inv_") || kind.ends_with("beta"))
      leave(rt::cat("the distribution ", kind, " of ", name, ": it is ", log ? "log" : "linear",
                    " here"));
    double step = 0;
    if (quantised) {
      step = parameter.find("q") != nullptr ? positive_at(parameter, "q") : 1;
      if (log) {
        leave(rt::cat("q of ", name, ": its steps begin at min"));
      } else {  // multiples of q
        min = std::round(min / step) * step;
        max = std::round(max / step) * step;
      }
    }
    const auto said = [&](double number) {
      return ints ? rt::cat(static_cast<std::int64_t>(number)) : text_of(number);
    };
    if (min == max) return rt::cat("value: ", said(min));
    std::string text =
        rt::cat("type: ", ints ? "int" : "float", ", min: ", said(min), ", max: ", said(max));
    if (log) text += ", scale: log";
    if (step > 0) text += rt::cat(", step: ", step);
    return text;
  }

  static void require_known(const Node& parameter, const std::string& kind) {
    static const std::vector<std::string> kKnown{
        "uniform",     "int_uniform",        "q_uniform",
        "log_uniform", "q_log_uniform",      "normal",
        "q_normal",    "log_normal",         "q_log_normal",
        "beta",        "log_uniform_values", "q_log_uniform_values",
        "q_beta",      "inv_log_uniform",    "inv_log_uniform_values"};
    if (kind.empty() || std::ranges::find(kKnown, kind) != kKnown.end()) return;
    throw Fault(parameter.find("distribution")->at,
                rt::cat("the distribution ", rt::printable(kind, 60),
                        " is unknown, expected one of W&B's", rt::did_you_mean(kind, kKnown)));
  }

  /// The smallest and the largest value, not an exponent.
  static std::pair<double, double> ends_of(const Node& parameter, const std::string& kind) {
    if (kind.ends_with("beta") && parameter.find("min") == nullptr) return {0, 1};
    double min = number_at(parameter, "min"), max = number_at(parameter, "max");
    const Position at = parameter.find("min")->at;
    if (min > max) throw Fault(at, rt::cat("min is above max, expected at most ", max));
    if (kind.find("log") == std::string::npos) return {min, max};
    if (kind.ends_with("_values")) {
      if (min <= 0)
        throw Fault(at, rt::cat("min of a logarithm is ", min, ", expected more than 0"));
    } else if (kind.starts_with("inv_")) {
      std::tie(min, max) = std::pair(std::exp(-max), std::exp(-min));
    } else {
      std::tie(min, max) = std::pair(std::exp(min), std::exp(max));
    }
    if (min == 0 || max > kMost)
      throw Fault(at,
                  "min and max are exponents of e, which lead out of all numbers; expected "
                  "log_uniform_values for bounds that are values");
    return {min, max};
  }

  static bool whole(const Node& parameter, std::string_view key) {
    const Node* node = parameter.find(key);
    return node != nullptr && rt::parse_int(node->text).has_value();
  }

  std::string normal_of(const Node& parameter, const std::string& name, const std::string& kind) {
    const double mean = parameter.find("mu") != nullptr ? number_at(parameter, "mu") : 0;
    const double deviation =
        parameter.find("sigma") != nullptr ? positive_at(parameter, "sigma") : 1;
    const bool log = kind.find("log") != std::string::npos;
    if (kind.starts_with("q_")) leave(rt::cat("q of ", name, ": it has no steps"));
    if (!log) return rt::cat("mean: ", text_of(mean), ", deviation: ", text_of(deviation));
    if (std::abs(mean) + 6 * deviation > std::log(kMost))
      throw Fault(parameter.at, "mu and sigma lead out of all numbers, expected exponents of e");
    return rt::cat("mean: ", text_of(std::exp(mean)), ", deviation: ", text_of(std::exp(deviation)),
                   ", scale: log");
  }

  void add_rule() {
    const Node* rule = root_.find("early_terminate");
    if (rule == nullptr || !rule->is_map()) return;
    const double eta = rule->find("eta") != nullptr ? std::max(2.0, number_at(*rule, "eta")) : 3;
    double min = 1;
    std::string end;
    if (rule->find("min_iter") != nullptr) {
      min = number_at(*rule, "min_iter");
    } else if (rule->find("max_iter") != nullptr) {
      const double max = number_at(*rule, "max_iter");
      const double s = rule->find("s") != nullptr ? number_at(*rule, "s") : 1;
      min = std::clamp(std::floor(max / std::pow(eta, s)), 1.0, kMost);
      end = rt::cat(", max: ", static_cast<std::int64_t>(max));
    }
    body_ += rt::cat("early_stop: {type: asha, min: ", static_cast<std::int64_t>(min),
                     ", eta: ", static_cast<std::int64_t>(eta), end, "}\n");
    leave("early_terminate: asha stands in its place, whose rungs are its brackets");
  }

  void add_limit() {
    const Node* cap = root_.find("run_cap");
    if (cap != nullptr) body_ += rt::cat("limits: {trials: ", value_text(*cap), "}\n");
  }

  void name_the_rest() {
    static constexpr std::string_view kCarried[]{"name",    "program",         "command",
                                                 "metric",  "method",          "parameters",
                                                 "run_cap", "early_terminate", "$schema"};
    for (const Entry& entry : root_.entries) {
      if (std::ranges::find(kCarried, entry.key) == std::end(kCarried))
        leave(rt::cat(entry.key, ": ", study::describe(entry.value)));
    }
  }

  const Node& root_;
  std::string body_;
  std::vector<std::string> left_;
  Names names_;
};

}  // namespace

Imported import_wandb(const std::string& text, const std::string& file) {
  Imported imported = study::with_place(file, [&] {
    const Node root = study::read_yaml(text);
    return Importer(root).run();
  });
  (void)study_made(imported.yaml, file, "study.yaml");
  return imported;
}

}  // namespace hpo
