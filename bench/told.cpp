#include "bench/told.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace bench {

namespace {

double number_of(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : NAN;
}

Case case_of(const nlohmann::json& json) {
  Case one{.name = json["case"],
           .ours = json["ours"],
           .unit = json["unit"],
           .rival = json["rival"],
           .rival_value = number_of(json, "rival_value"),
           .ratio = number_of(json, "ratio")};
  const double half = number_of(json, "half");
  one.spread = std::isfinite(half) && one.ours > 0 ? 2 * half / one.ours : 0;
  return one;
}

}  // namespace

std::vector<Case> told_cases(const std::string& output) {
  std::vector<Case> cases;
  const nlohmann::json answer = nlohmann::json::parse(output);
  for (const nlohmann::json& one : answer["cases"]) cases.push_back(case_of(one));
  return cases;
}

}  // namespace bench
