#include "hpo/study/plugin.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "hpo/study/field.h"
#include "hpo/study/substitute.h"
#include "nn/adapt/plugin.h"

namespace hpo::study {

namespace {

constexpr std::string_view kPlugin = "plugin", kContent = "content";

/// Turns what `ask` throws into a refusal of the plugin that `node` names.
template <class Ask>
auto or_refuse(const Node& node, const Ask& ask) {
  try {
    return ask();
  } catch (const base::Error& error) {
    throw StudyError(node.at, base::cat("adapt.plugin: ", error.what()));
  }
}

}  // namespace

void locate_plugin(Node& root, const std::string& folder) {
  Node* block = root.find("adapt");
  if (block == nullptr || !block->is_map() || block->find(kPlugin) == nullptr) return;
  if (Node* named = block->find(kPlugin); named->is_map()) {
    block = named;
  } else if (const std::string& key = policy_set()->key; block->find(key) == nullptr) {
    const Position at = named->at;
    block->entries.insert(block->entries.begin(), {key, at, plain_node(std::string(kPlugin), at)});
  }
  Node* plugin = block->find(kPlugin);
  if (plugin == nullptr || !plugin->is_scalar() || !references(*plugin).names.empty()) return;
  const std::filesystem::path path = std::filesystem::path(folder) / unescape(*plugin).text;
  const std::string absolute = path.lexically_normal().string();
  *plugin = string_node(escape(absolute), plugin->at);
  if (block->find(kContent) != nullptr) return;
  const Position at = plugin->at;
  Node content = string_node(or_refuse(*plugin, [&] { return nn::plugin_content(absolute); }), at);
  const auto entry = std::ranges::find(block->entries, kPlugin, &Entry::key);
  block->entries.insert(entry + 1, {std::string(kContent), at, std::move(content)});
}

const nn::PolicyKind* plugin_of(const Node& block, bool literal) {
  const Node* plugin = block.find(kPlugin);
  const Node* content = block.find(kContent);
  const auto stands = [&](const Node* node) {
    return node != nullptr && node->is_scalar() && (literal || references(*node).names.empty());
  };
  const auto text = [&](const Node& node) { return literal ? node.text : unescape(node).text; };
  if (!stands(plugin)) return nullptr;
  if (!stands(content)) {
    const Node& at = content != nullptr ? *content : block;
    throw StudyError(
        at.at, "adapt.content is not a string; write the hash's 32 digits, or remove the key");
  }
  return or_refuse(*plugin, [&] { return &nn::plugin_kind(text(*plugin), text(*content)); });
}

}  // namespace hpo::study
