#include "hpo/import/wandb_words.h"

#include <string_view>

#include "base/text.h"
#include "hpo/space/value.h"
#include "hpo/study/yaml11.h"

namespace hpo::wandb {

namespace {

using study::Entry;
using study::Node;

/// A number of YAML 1.2 that Python takes for a text, but for those with an exponent, which people
/// mean as numbers and a program reads as such.
bool is_number_here_alone(const Node& node) {
  const Scalar here = read_scalar(node.text);
  const bool number =
      std::holds_alternative<std::int64_t>(here) || std::holds_alternative<double>(here);
  const bool has_exponent =
      node.text.find_first_of("eE") != node.text.npos && !node.text.starts_with("0o");
  return number && !has_exponent && !study::yaml11_value(node.text);
}

void read_value(Node& node, ImportNotes& notes) {
  for (Node& item : node.items) read_value(item, notes);
  for (Entry& entry : node.entries) read_value(entry.value, notes);
  if (!node.is_scalar() || node.quoted) return;
  const std::string was = base::cat(node.text, " in line ", node.at.line);
  if (const auto value = study::only_in_yaml11(node.text)) {
    node.text = text_of(*value);
    const auto* truth = std::get_if<bool>(&*value);
    const std::string shown = truth == nullptr ? node.text : *truth ? "True" : "False";
    notes.carry(base::cat(shown, ", as YAML 1.1 reads it"), was);
  } else if (const auto same = study::yaml11_value(node.text)) {
    node.text = text_of(*same);  // 0x1F and such
  } else if (is_number_here_alone(node)) {
    node.quoted = true;
    notes.carry("a string, as YAML 1.1 reads it", was);
  }
}

}  // namespace

void read_words_as_python(Node& root, ImportNotes& notes) {
  for (const std::string_view key : {"parameters", "early_terminate", "run_cap"}) {
    if (Node* values = root.find(key)) read_value(*values, notes);
  }
  for (const std::string_view key : {"metric", "metrics"}) {
    Node* metric = root.find(key);
    if (metric == nullptr) continue;
    if (Node* target = metric->find("target")) read_value(*target, notes);
    for (Node& one : metric->items) {
      if (Node* target = one.find("target")) read_value(*target, notes);
    }
  }
}

}  // namespace hpo::wandb
