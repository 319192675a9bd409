#include "runtime/net/places.h"

#include <utility>

namespace rt::net {

Value* Places::find(base::Key key) noexcept {
  const auto at = values_.find(key);
  return at != values_.end() ? &at->second : nullptr;
}

const Value* Places::find(base::Key key) const noexcept {
  const auto at = values_.find(key);
  return at != values_.end() ? &at->second : nullptr;
}

void Places::learn(const Call& call, const std::vector<FileInput>& files, bool source) {
  std::shared_ptr<Recipe> recipe;
  for (const base::Key& key : call.outputs) {
    if (!key) continue;
    Value& value = values_[key];
    if (value.recipe) continue;
    if (!recipe) {
      recipe = std::make_shared<Recipe>(Recipe{call, files, source});
      recipe->call.back.assign(call.outputs.size(), 0);
      for (const base::Key& input : call.inputs) ++values_[input].heirs;
    }
    values_[key].recipe = recipe;
  }
}

void Places::release(base::Key key) {
  Value* const value = find(key);
  if (value == nullptr || value->uses == 0) return;
  --value->uses;
  tidy(key);
}

void Places::tidy(base::Key key) {
  Value* const value = find(key);
  if (value == nullptr || value->uses > 0) return;
  if (!value->at.empty()) listener_.dropped(key, std::exchange(value->at, {}));
  let_go(key);
}

void Places::let_go(base::Key first) {
  std::vector<base::Key> doubtful{first};
  while (!doubtful.empty()) {
    const base::Key key = doubtful.back();
    doubtful.pop_back();
    const auto at = values_.find(key);
    if (at == values_.end()) continue;
    const Value& value = at->second;
    if (value.uses > 0 || value.heirs > 0 || !value.makers.empty() || !value.readers.empty())
      continue;
    const std::shared_ptr<Recipe> recipe = value.recipe;
    const bool here = value.here;
    values_.erase(at);
    if (here) listener_.unneeded(key);
    if (!recipe || recipe.use_count() > 1) continue;
    for (const base::Key& input : recipe->call.inputs) {
      --values_[input].heirs;
      doubtful.push_back(input);
    }
  }
}

}  // namespace rt::net
