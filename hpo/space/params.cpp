#include "hpo/space/params.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
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
  std::string out = "{";
  for (const auto& [name, value] : params) {
    if (out.size() > 1) out += ", ";
    out += quote_json(name) + ": " + json_of(value);
  }
  return out + "}";
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

Params params_from_json(std::string_view json) {
  using Json = nlohmann::ordered_json;
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object())
    throw base::Error(base::Errc::storage, "params: expected a JSON object of name and value");
  Params params;
  for (const auto& [name, value] : parsed.items()) {
    const bool fits =
        value.is_number_integer() &&
        (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    if (value.is_boolean()) {
      params.set(name, value.get<bool>());
    } else if (fits) {
      params.set(name, value.get<std::int64_t>());
    } else if (value.is_number_float()) {
      params.set(name, value.get<double>());
    } else if (value.is_string()) {
      params.set(name, value.get<std::string>());
    } else {
      throw base::Error(base::Errc::storage, base::cat("params: \"", base::printable(name, 80),
                                                       "\" is no bool, int, float or string"));
    }
  }
  return params;
}

}  // namespace hpo
