#include "hpo/import/wandb_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "base/words.h"
#include "hpo/import/wandb_node.h"
#include "hpo/study/node.h"

namespace hpo::wandb {

namespace {

using study::Entry;
using study::Node;
using study::StudyError;

void require_hyperband(const Node& rule) {
  if (!rule.is_map())
    throw StudyError(rule.at, base::cat("early_terminate is ", study::describe(rule),
                                        ", expected {type: hyperband, ...}"));
  const Node* type = rule.find("type");
  if (type == nullptr) throw StudyError(rule.at, "early_terminate has no type, expected hyperband");
  if (text_at(rule, "type") != "hyperband")
    throw StudyError(type->at, base::cat("early_terminate.type is ", study::describe(*type),
                                         ", expected hyperband"));
}

/// Where W&B looks at a run, and where we do.
struct Rungs {
  std::vector<std::int64_t> theirs, ours;
  std::int64_t end = 0;  ///< what would be our next
};

/// Theirs are parts of the end, rounded down each for itself (`theirs` is the factor that the file
/// says); ours are powers of the factor times the first.
Rungs rungs_of(const Node& rule, double theirs, double ours) {
  const double max = number_at(rule, "max_iter");
  const double s = rule.find("s") != nullptr ? number_at(rule, "s") : 1;
  constexpr double kMostRungs = 40;
  Rungs rungs;
  for (double i = std::clamp(std::floor(s), 1.0, kMostRungs); i >= 1; --i) {
    const double part = max / std::pow(std::max(theirs, 1.0), i);
    if (part < 1 && i > 1) continue;
    const double at = std::clamp(std::floor(part), 1.0, kMost);
    if (rungs.theirs.empty() || at > static_cast<double>(rungs.theirs.back()))
      rungs.theirs.push_back(static_cast<std::int64_t>(at));
  }
  double at = static_cast<double>(rungs.theirs.front());
  for (std::size_t i = 0; i < rungs.theirs.size() && at <= kMost; ++i, at *= ours)
    rungs.ours.push_back(static_cast<std::int64_t>(at));
  rungs.end = static_cast<std::int64_t>(std::min(at, kMost));
  return rungs;
}

}  // namespace

Rule rule_of(const Node& root) {
  const Node* found = root.find("early_terminate");
  if (found == nullptr || found->is_null()) return {};
  const Node& rule = *found;
  require_hyperband(rule);
  Rule made;
  const double said = rule.find("eta") != nullptr ? number_at(rule, "eta") : 3;
  const double eta = std::floor(std::max(2.0, said));
  if (eta != said)
    made.notes.carry(base::cat("eta ", eta), base::cat("eta ", said, " of early_terminate"));
  bool same = true;
  made.yaml = "early_stop: {type: asha, min: ";
  if (rule.find("max_iter") != nullptr) {
    const Rungs rungs = rungs_of(rule, said, eta);
    made.yaml += base::cat(rungs.ours.front(), ", eta: ", eta, ", max: ", rungs.end, "}\n");
    same = rungs.ours == rungs.theirs;
    if (!same)
      made.notes.carry("rungs at " + base::listed(rungs.ours),
                       "the brackets of early_terminate at " + base::listed(rungs.theirs));
  } else if (rule.find("min_iter") != nullptr) {
    made.yaml +=
        base::cat(static_cast<std::int64_t>(number_at(rule, "min_iter")), ", eta: ", eta, "}\n");
  } else {
    throw StudyError(rule.at,
                     "early_terminate has neither min_iter nor max_iter, expected one of them");
  }
  static constexpr std::string_view kCarried[]{"type", "eta", "s", "min_iter", "max_iter"};
  for (const Entry& entry : rule.entries) {
    if (std::ranges::find(kCarried, entry.key) == std::end(kCarried))
      made.notes.leave(
          base::cat("early_terminate.", entry.key, ": ", study::describe(entry.value)));
  }
  made.notes.carry("early_stop: asha", "early_terminate", same ? "its brackets are the rungs" : "");
  return made;
}

}  // namespace hpo::wandb
