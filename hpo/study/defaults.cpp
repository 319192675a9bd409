// What a study file may leave out although no fixed default exists for it.

#include <algorithm>

#include "base/json_writer.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/asked.h"
#include "hpo/study/load_steps.h"
#include "hpo/study/yaml_reader.h"

namespace hpo::study {

namespace {

/// Sets `key` of a map to a value written as YAML, unless the file has it.
void add(Node& map, const std::string& key, const std::string& yaml) {
  if (!map.is_map() || map.find(key) != nullptr) return;
  map.entries.push_back({key, map.at, read_yaml(yaml, map.at)});
}

/// The map at `key`, made when it is missing; null when the file has something else there.
Node* block(Node& root, const std::string& key) {
  add(root, key, "{}");
  Node* node = root.find(key);
  return node->is_map() ? node : nullptr;
}

/// The kind that is chosen at `key`, whichever way it is written; empty when unknown.
std::string kind_at(const Node& map, const std::string& key) {
  const Node* node = map.find(key);
  if (node == nullptr) return "";
  if (node->is_scalar()) return node->text;
  if (const Node* type = node->find("type")) return type->text;
  return node->entries.size() == 1 ? node->entries[0].key : "";
}

bool has_several_metrics(const Node& root) {
  const Node* metric = root.find("metric");
  return metric != nullptr && metric->items.size() > 1;
}

/// Whether rows may be images, which a dense layer takes after a flatten.
bool may_be_images(const Node& root) {
  const Node* data = root.find("data");
  return data != nullptr && data->is_map() && data->find("csv") == nullptr;
}

/// A network that goes on is the model's.
void add_network(Node& root) {
  if (root.find("from") != nullptr) return add(root, "network", "[]");
  const std::string dense = "{dense: {units: 64, activation: relu}}";
  add(root, "network",
      base::cat("[", may_be_images(root) ? "flatten, " : "", dense, ", ", dense, "]"));
}

/// Whether the search is left to us. A file may say how it trains, but for the optimizer, whose
/// options are searched; a network that adapts finds its size by itself.
bool leaves_search_open(const Node& root) {
  const Node* train = root.find("train");
  return root.find("parameters") == nullptr && root.find("network") == nullptr &&
         root.find("adapt") == nullptr && root.find("from") == nullptr &&
         (train == nullptr || (train->is_map() && train->find("optimizer") == nullptr));
}

/// The search of the least file: dense networks from none to four hidden layers, so that a linear
/// model is among them, and how hard they are trained and held back. Tables, small as they often
/// are, need many epochs; images would take days with them.
void add_search(Node& root) {
  const bool images = may_be_images(root);
  add(root, "network",
      base::cat("[", images ? "flatten, " : "",
                "{repeat: {times: $depth, of: [{dense: {units: $width, activation: relu}}]}}]"));
  Node& train = *block(root, "train");
  const bool batch = train.find("batch") == nullptr;
  add(train, "optimizer", "{type: adam, lr: $lr, weight_decay: $weight_decay}");
  add(train, "schedule", "cosine");
  add(train, "batch", "$batch");
  add(train, "epochs", images ? "27" : "81");
  add(root, "parameters",
      base::cat("{lr: {min: 1e-3, max: 3e-2, scale: log}, depth: {type: int, min: 0, max: 4}, "
                "width: {type: int, min: 16, max: 256, scale: log}, ",
                batch ? "batch: {values: [16, 32, 64]}, " : "",
                "weight_decay: {min: 1e-6, max: 1e-1, scale: log}}"));
}

/// Whether time, and no number of trials, ends the search.
bool ends_by_time(const Node& root) {
  return root.find_path({"limits", "time"}) != nullptr &&
         root.find_path({"limits", "trials"}) == nullptr;
}

/// Where time ends the search it pays to have trials wait: more begin, and the best go on.
const char* usual_rule(const Node& root) { return ends_by_time(root) ? "auto" : "asha"; }

/// The first rung at a ninth of the epochs.
std::string rule_of_search(const Node& root) {
  const std::int64_t epochs =
      base::parse_int(root.find_path({"train", "epochs"})->text).value_or(1);
  return base::cat("{", usual_rule(root), ": {min: ", std::max<std::int64_t>(1, epochs / 9), "}}");
}

void add_data_defaults(Node& data) {
  if (!data.is_map()) return;
  add(data, "scale", data.find("idx") != nullptr ? "unit" : "standard");
  if (data.find("test") == nullptr) return;
  if (Node* split = block(data, "split")) add(*split, "test", "0");
}

/// Whether the file says how many rows validate: it wants one split then.
bool says_valid(const Node& data) {
  const Node* split = data.find("split");
  return split != nullptr && split->find("valid") != nullptr;
}

/// What a network is made of where the file leaves it out.
void add_network_defaults(Node& root) {
  const bool open = leaves_search_open(root);
  if (open) add_search(root);
  Node* data = root.find("data");
  const std::string method = kind_at(root, "method");
  const bool one_network = is_population(method);  // goes on where another one was
  if (open && data != nullptr && !may_be_images(root) && !one_network && !says_valid(*data))
    add(*data, "folds", "auto");
  if (open && method != "grid" && !is_population(method) && !has_several_metrics(root))
    add(root, "early_stop", rule_of_search(root));
  add_network(root);
  if ((data = root.find("data")) != nullptr) add_data_defaults(*data);
}

/// Nobody knows what programs cost, nor whether they report before they end.
void add_command_defaults(Node& root) {
  add(root, "early_stop", "none");
  add(root, "order", "arrival");
  const Node& order = *root.find("order");
  add(root, "parallel", order.is_scalar() && order.text == "arrival" ? "auto" : "8");
  if (Node* resources = block(root, "resources")) add(*resources, "gpus", "auto");
}

/// Whoever asks decides how many trials there are, and whether they report before they end.
void add_asked_defaults(Node& root) { add(root, "early_stop", "none"); }

}  // namespace

void add_defaults(Node& root, const std::string& stem) {
  if (!root.is_map()) return;
  add(root, "name", base::quote_json(stem));
  add(root, "method", "tpe");
  const std::string_view source = source_of_study(root);
  if (source == "ask") return add_asked_defaults(root);
  source == "command" ? add_command_defaults(root) : add_network_defaults(root);
  add(root, "parameters", "{}");
  add(root, "order", "virtual");
  add(root, "parallel", "8");
  if (Node* resources = block(root, "resources")) add(*resources, "gpus", "0");
  const std::string method = kind_at(root, "method");
  const bool fixed = root.find("parameters")->entries.empty();
  const bool none = fixed || has_several_metrics(root) || method == "grid" || is_population(method);
  add(root, "early_stop", none ? "none" : method == "bohb" ? "auto" : usual_rule(root));
  Node* limits = method == "grid" || is_population(method) ? nullptr : block(root, "limits");
  if (limits != nullptr && (fixed || !ends_by_time(root)))
    add(*limits, "trials", fixed ? "1" : "60");
}

}  // namespace hpo::study
