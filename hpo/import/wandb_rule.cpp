#include "hpo/import/wandb_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "hpo/import/wandb_node.h"
#include "hpo/study/node.h"
#include "runtime/base/text.h"

namespace hpo::wandb {

namespace {

using study::Entry;
using study::Fault;
using study::Node;

void require_hyperband(const Node& rule) {
  if (!rule.is_map())
    throw Fault(rule.at, rt::cat("early_terminate is ", study::describe(rule),
                                 ", expected {type: hyperband, ...}"));
  const Node* type = rule.find("type");
  if (type == nullptr) throw Fault(rule.at, "early_terminate has no type, expected hyperband");
  if (text_at(rule, "type") != "hyperband")
    throw Fault(type->at, rt::cat("early_terminate.type is ", study::describe(*type),
                                  ", expected hyperband"));
}

}  // namespace

Rule rule_of(const Node& root) {
  const Node* found = root.find("early_terminate");
  if (found == nullptr || found->is_null()) return {};
  const Node& rule = *found;
  require_hyperband(rule);
  Rule made;
  const double eta = rule.find("eta") != nullptr ? std::max(2.0, number_at(rule, "eta")) : 3;
  double min = 1;
  std::string end;
  if (eta != std::floor(eta))
    made.left_out.push_back(rt::cat("eta of early_terminate: it is ", std::floor(eta), " here"));
  if (rule.find("max_iter") != nullptr) {
    const double max = number_at(rule, "max_iter");
    const double s = rule.find("s") != nullptr ? number_at(rule, "s") : 1;
    min = std::clamp(std::floor(max / std::pow(eta, s)), 1.0, kMost);
    end = rt::cat(", max: ", static_cast<std::int64_t>(max));
  } else if (rule.find("min_iter") != nullptr) {
    min = number_at(rule, "min_iter");
  }
  made.yaml = rt::cat("early_stop: {type: asha, min: ", static_cast<std::int64_t>(min),
                      ", eta: ", static_cast<std::int64_t>(eta), end, "}\n");
  static constexpr std::string_view kCarried[]{"type", "eta", "s", "min_iter", "max_iter"};
  for (const Entry& entry : rule.entries) {
    if (std::ranges::find(kCarried, entry.key) == std::end(kCarried))
      made.left_out.push_back(
          rt::cat("early_terminate.", entry.key, ": ", study::describe(entry.value)));
  }
  made.left_out.emplace_back(
      "early_terminate: asha stands in its place, whose rungs are its brackets");
  return made;
}

}  // namespace hpo::wandb
