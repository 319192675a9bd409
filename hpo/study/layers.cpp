#include "hpo/study/layers.h"

#include "base/text.h"
#include "hpo/study/piecewise.h"
#include "hpo/study/scalars.h"

namespace hpo::study {

namespace {

constexpr std::size_t kMostLayers = 1000;

/// Layers in order, and the node that each came from.
struct Written {
  std::vector<nn::LayerSpec> layers;
  std::vector<const Node*> nodes;
};

void write_layer(const Node& node, nn::LayerSpec layer, Written& out) {
  if (out.layers.size() == kMostLayers) {
    throw StudyError(node.at, base::cat("too many layers, expected at most ", kMostLayers));
  }
  out.layers.push_back(std::move(layer));
  out.nodes.push_back(&node);
}

void write_out(const Node& list, const std::string& suffix, Written& out) {
  for (const Node& node : list.items) {
    const std::string& type = node.find("type")->text;
    if (type == "repeat") {
      const std::int64_t times = as_integer(*node.find("times"));
      for (std::int64_t i = 1; i <= times; ++i) {
        write_out(*node.find("of"), base::cat(suffix, suffix.empty() ? "" : "_", i), out);
      }
      continue;
    }
    const Node* given = node.find("name");
    const std::string name = given != nullptr ? given->text + suffix : "";
    nn::Fields fields = fields_of(node, *layer_set()->find(type));
    if (type == "residual") {
      write_layer(node, {.kind = "residual_begin", .name = name, .fields = {}}, out);
      write_out(*node.find("of"), suffix, out);
      write_layer(node, {.kind = "residual_end", .name = "", .fields = std::move(fields)}, out);
      continue;
    }
    write_layer(node, {.kind = type, .name = name, .fields = std::move(fields)}, out);
  }
}

[[noreturn]] void fail_at_layer(const Written& written, const Node& network,
                                const nn::SpecError& error) {
  const auto index = static_cast<std::size_t>(error.layer());
  if (error.layer() < 0 || index >= written.nodes.size())
    throw StudyError(network.at, error.what());
  const Node& node = *written.nodes[index];
  const Node* field = error.field().empty() ? nullptr : node.find(error.field());
  throw StudyError(field != nullptr ? field->at : node.at, error.what());
}

nn::NumberByName numbers_of(const Node& map) {
  nn::NumberByName numbers;
  for (const Entry& entry : map.entries) numbers[entry.key] = as_number(entry.value);
  return numbers;
}

}  // namespace

nn::Fields fields_of(const Node& node, const Kind& kind) {
  nn::Fields fields;
  for (const Entry& entry : node.entries) {
    const Field* field = kind.block.find(entry.key);
    if (field == nullptr || entry.key == "name") continue;
    // Of a value that changes, what it begins with. Other lists and maps are no single values.
    if (entry.value.is_list() && field->type == Type::number)
      fields[entry.key] = read_piecewise(entry.value)[0].second;
    else if (entry.value.is_map() && field->type == Type::numbers)
      fields[entry.key] = numbers_of(entry.value);
    else if (entry.value.is_scalar())
      std::visit([&](const auto& plain) { fields[entry.key] = plain; },
                 as_value(entry.value).value());
  }
  return fields;
}

nn::ModelSpec build_network(const Node& network, const nn::Shape& input, std::int64_t outputs) {
  Written written;
  write_out(network, "", written);
  nn::ModelSpec model{.input = input, .layers = written.layers};
  try {
    return nn::complete(nn::with_output(nn::complete(model), outputs));
  } catch (const nn::SpecError& error) {
    fail_at_layer(written, network, error);
  }
}

}  // namespace hpo::study
