#include "hpo/wandb/sweep_config.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo::wandb {

namespace {

/// YAML 1.1, which Python reads, wants a point and a sign in 1e-05: 1.0e-05, 1.0e+20.
std::string number_text(std::string text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent == text.npos) return text;
  if (text[exponent + 1] != '-' && text[exponent + 1] != '+') text.insert(exponent + 1, "+");
  if (text.find('.') == text.npos) text.insert(exponent, ".0");
  return text;
}

std::string string_text(const std::string& text) {
  if (text == "True") return "true";
  if (text == "False") return "false";
  if (text == "None") return "null";
  if (text.starts_with('[')) {
    std::string list = text;
    std::ranges::replace(list, '\'', '"');
    if (base::Json::try_parse(list)) return list;
  }
  return base::quote_json(text);
}

std::string value_text(const ParamValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return string_text(*text);
  const std::string text = json_of(value);
  return std::holds_alternative<double>(value) ? number_text(text) : text;
}

/// A map of wandb.config, with the order of its parameters.
struct Level {
  std::string name;
  std::string value;  ///< of a parameter; else it is a map
  std::vector<Level> inner;

  Level& at(const std::string& inner_name) {
    const auto found = std::ranges::find(inner, inner_name, &Level::name);
    return found != inner.end() ? *found : inner.emplace_back(Level{inner_name, {}, {}});
  }
  void put(std::span<const std::string> names, std::string text) {
    if (names.empty())
      value = std::move(text);
    else
      at(names.front()).put(names.subspan(1), std::move(text));
  }
  [[nodiscard]] std::string text() const {
    if (!value.empty()) return value;
    std::string all;
    for (const Level& level : inner)
      all += base::cat(all.empty() ? "" : ", ", base::quote_json(level.name), ": ", level.text());
    return "{" + all + "}";
  }
};

}  // namespace

std::string sweep_config(const Params& params, const ConfigNames& names) {
  Level config;
  for (const auto& [name, value] : params) {
    const auto known = names.find(name);
    if (known == names.end())
      config.at(name).put({}, value_text(value));
    else
      config.put(known->second, value_text(value));
  }
  std::string text = "wandb_version: 1\n";
  for (const Level& level : config.inner)
    text += base::cat(base::quote_json(level.name), ": {\"value\": ", level.text(), "}\n");
  return text;
}

}  // namespace hpo::wandb
