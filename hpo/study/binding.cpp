#include "hpo/study/binding.h"

#include "base/text.h"

namespace hpo::study {

void read_block(void* owner, const Node& map, const Field& block) {
  for (const Field& row : block.fields) {
    const Node* value = map.find(row.name);
    if (value != nullptr && row.binding.read != nullptr) row.binding.read(owner, *value, row);
  }
}

std::optional<Node> write_block(const void* owner, const Field& block, std::string_view source) {
  Node map = map_node({});
  for (const Field& row : block.fields) {
    if (row.binding.write == nullptr || !applies_to(row, source)) continue;
    if (auto value = row.binding.write(owner, row, source))
      map.entries.push_back({row.name, {}, std::move(*value)});
  }
  return map.entries.empty() ? std::nullopt : std::optional(std::move(map));
}

bool zero_is_word(const Field& row) {
  const bool above = row.min && (*row.min > 0 || (*row.min == 0 && row.min_excluded));
  return above && row.words.size() == 1;
}

namespace {

Bound read_bound(const Entry& entry) {
  Bound bound{.metric = entry.key};
  const Node& node = entry.value;
  if (!node.is_map()) return bound.max = as_number(node), bound;
  if (const Node* min = node.find("min")) bound.min = as_number(*min);
  if (const Node* max = node.find("max")) bound.max = as_number(*max);
  if (bound.min && bound.max && *bound.min > *bound.max)
    throw StudyError(node.at, base::cat("subject_to.", entry.key, " has min ",
                                        base::format_double(*bound.min), " above max ",
                                        base::format_double(*bound.max), ", expected min <= max"));
  return bound;
}

Node bound_node(const Bound& bound) {
  const auto number = [](double x) { return node_of(ParamValue(x), {}); };
  if (!bound.min) return number(*bound.max);
  Node range = map_node({});
  range.entries.push_back({"min", {}, number(*bound.min)});
  if (bound.max) range.entries.push_back({"max", {}, number(*bound.max)});
  return range;
}

}  // namespace

void Codec<std::vector<Bound>>::read(std::vector<Bound>& value, const Node& node, const Field&) {
  value.clear();
  for (const Entry& entry : node.entries) value.push_back(read_bound(entry));
}

std::optional<Node> Codec<std::vector<Bound>>::write(const std::vector<Bound>& value, const Field&,
                                                     std::string_view) {
  if (value.empty()) return std::nullopt;
  Node map = map_node({});
  for (const Bound& bound : value) map.entries.push_back({bound.metric, {}, bound_node(bound)});
  return map;
}

}  // namespace hpo::study
