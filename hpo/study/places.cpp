#include "hpo/study/places.h"

#include "base/text.h"
#include "hpo/study/field.h"
#include "hpo/study/node.h"

namespace hpo::study {

Places::Places(const Node& root, const Field& block) {
  all_.emplace("", Place{root.at, root.at});
  add_block(root, block, "");
}

void Places::add_block(const Node& map, const Field& block, const std::string& path) {
  for (const Entry& entry : map.entries) {
    // A default has the position of the map that it was added to.
    const Field* row = block.find(entry.key);
    const bool written = !(entry.key_at == map.at) || !(entry.value.at == map.at);
    if (row == nullptr || !written) continue;
    add(entry.value, entry.key_at, *row, path.empty() ? entry.key : path + "." + entry.key);
  }
}

void Places::add(const Node& node, Position key, const Field& row, const std::string& path) {
  all_.emplace(path, Place{node.at, key});
  const bool kinds = row.type == Type::kind || row.type == Type::conditions ||
                     row.type == Type::combination || row.type == Type::blocks;
  if (kinds) return;  // their nodes have positions of their own
  for (std::size_t i = 0; i < node.items.size(); ++i)
    add(node.items[i], node.items[i].at, row, base::cat(path, ".", i));
  if (row.type == Type::block && node.is_map()) add_block(node, row, path);
  if (row.type != Type::bounds) return;
  for (const Entry& bound : node.entries)
    all_.emplace(path + "." + bound.key, Place{bound.value.at, bound.key_at});
}

const Places::Place* Places::nearest(std::string_view path) const {
  for (;;) {
    if (const auto found = all_.find(path); found != all_.end()) return &found->second;
    if (path.empty()) return nullptr;
    const std::size_t dot = path.rfind('.');
    path = dot == path.npos ? std::string_view() : path.substr(0, dot);
  }
}

Position Places::at(std::string_view path) const {
  const Place* place = nearest(path);
  return place != nullptr ? place->value : Position{};
}

Position Places::key_at(std::string_view path) const {
  const Place* place = nearest(path);
  return place != nullptr ? place->key : Position{};
}

}  // namespace hpo::study
