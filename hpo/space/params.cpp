#include "hpo/space/params.h"

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo {

namespace {

struct AddTo {
  base::Hasher& hasher;
  void operator()(bool value) const { hasher.add(value ? 1 : 0); }
  void operator()(const auto& value) const { hasher.add(value); }
};

}  // namespace

Params::Params(std::initializer_list<Entry> entries) {
  for (const auto& [name, value] : entries) set(name, value);
}

const ParamValue* Params::find(std::string_view name) const {
  for (const auto& [known, value] : entries_) {
    if (known == name) return &value;
  }
  return nullptr;
}

void Params::set(std::string_view name, ParamValue value) {
  for (auto& [known, old] : entries_) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  append(name, std::move(value));
}

std::string json_of(const Params& params) {
  base::JsonWriter json;
  json.begin_object();
  for (const auto& [name, value] : params) json.key(name).raw(json_of(value));
  json.end_object();
  return std::move(json).text();
}

base::Key key_of(const Params& params) {
  base::Hasher hasher;
  for (const auto& [name, value] : params) {
    hasher.add(name).add(static_cast<std::uint64_t>(value.index()));
    std::visit(AddTo{hasher}, value);
  }
  return hasher.finish();
}

std::string text_of(const Params& params) {
  std::string out;
  for (const auto& [name, value] : params) {
    if (!out.empty()) out += ' ';
    out += name + "=" + text_of(value);
  }
  return out;
}

Params params_from_json(const base::Json& json) {
  if (!json.is_object())
    throw base::Error(base::Errc::storage, "params: expected a JSON object of name and value");
  Params params;
  for (const auto& [name, value] : json.members()) {
    auto read = value_from_json(value);
    if (!read)
      throw base::Error(base::Errc::storage, base::cat("params: \"", base::printable(name, 80),
                                                       "\" is not a bool, int, float or string"));
    params.set(name, std::move(*read));
  }
  return params;
}

Params params_from_json(std::string_view text) {
  const auto json = base::Json::try_parse(text, {.utf8 = true});
  return params_from_json(json ? *json : base::Json());
}

}  // namespace hpo
