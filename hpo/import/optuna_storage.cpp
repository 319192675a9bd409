#include "hpo/import/optuna_storage.h"

#include <cstring>
#include <ctime>
#include <string_view>

#include "base/text.h"

namespace hpo {

void OptunaTrial::suggest(const std::string& name, double internal, std::string distribution) {
  const auto known = params.find(name);
  const std::size_t place = known == params.end() ? params.size() : known->second.place;
  params[name] = {internal, std::move(distribution), place};
}

void OptunaTrial::set_system_attribute(const std::string& name, const base::Json& value) {
  constexpr std::string_view kList = "constraints", kOne = "constraints:";
  if (name == kList) {  // null: what was to say them failed
    std::size_t i = 0;
    for (const auto& [none, one] : value.members())
      constraints[base::cat("constraint", i++)] = one.number();
  } else if (name.starts_with(kOne)) {
    constraints[name.substr(kOne.size())] = value.number();
  } else if (name == "fixed_params") {
    for (const auto& [param, one] : value.members()) fixed[param] = one.raw();
  }
}

std::optional<double> moment_of(const std::string& time) {
  std::tm parts{};
  const char* rest = ::strptime(time.c_str(), "%Y-%m-%d", &parts);
  if (rest == nullptr || (*rest != 'T' && *rest != ' ')) return std::nullopt;
  rest = ::strptime(rest + 1, "%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  const std::string fraction(rest, *rest == '.' ? 1 + std::strspn(rest + 1, "0123456789") : 0);
  const auto whole = static_cast<double>(::timegm(&parts));
  return whole + (fraction.size() > 1 ? base::parse_double("0" + fraction).value_or(0) : 0);
}

}  // namespace hpo
