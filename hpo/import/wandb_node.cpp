#include "hpo/import/wandb_node.h"

#include <cmath>
#include <optional>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/space/value.h"
#include "hpo/study/study_error.h"
#include "hpo/study/substitute.h"

namespace hpo::wandb {

namespace {

using study::Node;
using study::StudyError;

/// As Python's str() has it, inside of a list as repr().
std::string python_text(const Node& node) {
  if (node.is_null()) return "None";
  if (node.is_scalar()) {
    const ParamValue value = node.quoted ? ParamValue(node.text) : parse_value(node.text);
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
    if (const auto* text = std::get_if<std::string>(&value)) return base::cat("'", *text, "'");
    return text_of(value);
  }
  if (!node.is_list())
    throw StudyError(node.at, base::cat("a value is ", study::describe(node),
                                        ", expected a scalar or a list of scalars"));
  return base::cat("[", base::listed(node.items, python_text), "]");
}

}  // namespace

std::string text_at(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  return node != nullptr && node->is_scalar() ? node->text : "";
}

double number_at(const Node& map, const std::string& key) {
  const Node* node = map.find(key);
  const auto number =
      node != nullptr && node->is_scalar() ? base::parse_double(node->text) : std::nullopt;
  if (!number || !(std::abs(*number) < kMost))
    throw StudyError(node != nullptr ? node->at : map.at,
                     base::cat(key, " is missing or not a number"));
  return *number;
}

double positive_at(const Node& map, const std::string& key) {
  const double number = number_at(map, key);
  if (number > 0) return number;
  throw StudyError(map.find(key)->at, base::cat(key, " is ", number, ", expected more than 0"));
}

bool is_bool(const Node& node) {
  return node.is_scalar() && !node.quoted && std::holds_alternative<bool>(parse_value(node.text));
}

std::string value_text(const Node& node, bool keeps_bools) {
  if (!node.is_scalar() || (!keeps_bools && is_bool(node)))
    return base::quote_json(study::escape(python_text(node)));
  const ParamValue value = node.quoted ? ParamValue(node.text) : parse_value(node.text);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return text_of(value);
  return node.quoted ? base::quote_json(study::escape(*text))
                     : text_of(ParamValue(study::escape(*text)));
}

}  // namespace hpo::wandb
