#include "hpo/study/json_tree.h"

#include <algorithm>

namespace hpo::study {

JsonTree::JsonTree(std::string_view text) : scalar_(text_of(text)) {}

JsonTree::JsonTree(std::initializer_list<std::pair<std::string_view, JsonTree>> members)
    : kind_(Kind::object), members_(members.begin(), members.end()) {}

JsonTree JsonTree::object() {
  JsonTree object;
  object.kind_ = Kind::object;
  return object;
}

JsonTree JsonTree::list(std::vector<JsonTree> elements) {
  JsonTree list;
  list.kind_ = Kind::list;
  for (JsonTree& element : elements) list.push_back(std::move(element));
  return list;
}

JsonTree& JsonTree::operator[](std::string_view name) {
  kind_ = Kind::object;
  const auto found = std::ranges::find(
      members_, name, [](auto& m) -> auto& { return m.first; });
  if (found != members_.end()) return found->second;
  return members_.emplace_back(std::string(name), JsonTree()).second;
}

void JsonTree::push_back(JsonTree element) {
  kind_ = Kind::list;
  members_.emplace_back(std::string(), std::move(element));
}

void JsonTree::erase(std::string_view name) {
  std::erase_if(members_, [&](const auto& member) { return member.first == name; });
}

void JsonTree::write(base::JsonWriter& json) const {
  if (kind_ == Kind::scalar) {
    json.raw(scalar_);
    return;
  }
  kind_ == Kind::object ? json.begin_object() : json.begin_array();
  for (const auto& [name, value] : members_) {
    if (kind_ == Kind::object) json.key(name);
    value.write(json);
  }
  kind_ == Kind::object ? json.end_object() : json.end_array();
}

}  // namespace hpo::study
