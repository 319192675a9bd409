#include "hpo/import/wandb_keys.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "hpo/import/wandb_node.h"

namespace hpo::wandb {

namespace {

using study::Entry;
using study::Node;

/// What decides what a parameter is, and the keys that have a say beside it.
struct DomainForm {
  std::string_view decides;
  std::vector<std::string_view> keys;
};

DomainForm form_of(const Node& parameter) {
  const std::string kind = text_at(parameter, "distribution");
  const auto with = [](bool fits, std::vector<std::string_view> keys) {
    if (fits) keys.emplace_back("distribution");
    return keys;
  };
  if (parameter.find("parameters") != nullptr) return {"parameters", {"parameters"}};
  if (parameter.find("value") != nullptr) return {"value", with(kind == "constant", {"value"})};
  if (parameter.find("values") != nullptr)
    return {"values", with(kind.starts_with("categorical"), {"values", "probabilities"})};
  if (kind.ends_with("normal")) return {"mu and sigma", {"mu", "sigma", "q", "distribution"}};
  if (kind.ends_with("beta")) return {"min and max", {"min", "max", "q", "distribution", "a", "b"}};
  return {"min and max", {"min", "max", "q", "distribution"}};
}

}  // namespace

std::vector<std::string> idle_keys(const Node& parameter, const std::string& name) {
  static constexpr std::string_view kKnown[]{
      "value", "values", "probabilities", "distribution", "min", "max",
      "q",     "mu",     "sigma",         "parameters",   "a",   "b"};
  const DomainForm form = form_of(parameter);
  std::vector<std::string> lines;
  for (const Entry& entry : parameter.entries) {
    if (std::ranges::find(kKnown, entry.key) == std::end(kKnown))
      lines.push_back(base::cat(entry.key, " of ", name, ": a sweep file has no such key"));
    else if (std::ranges::find(form.keys, entry.key) == form.keys.end())
      lines.push_back(base::cat(entry.key, " of ", name, ": ignored because of ", form.decides));
  }
  return lines;
}

}  // namespace hpo::wandb
