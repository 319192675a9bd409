#include "cli/lineage.h"

#include "base/text.h"
#include "base/words.h"
#include "cli/terminal.h"

namespace cli {

namespace {

std::string value_text(const std::optional<double>& value) {
  return value ? short_number(*value) : "no value";
}

void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ", ") + item;
}

/// What is different, by name: "lr 0.02 -> 0.024"; a parameter that begins or ends to exist has one
/// side only.
std::string changes(const hpo::Params& before, const hpo::Params& after) {
  std::string list;
  for (const auto& [name, value] : before) {
    const hpo::ParamValue* now = after.find(name);
    if (now == nullptr) {
      append(list, base::cat(name, " ", hpo::text_of(value), " -> none"));
    } else if (*now != value) {
      append(list, base::cat(name, " ", hpo::text_of(value), " -> ", hpo::text_of(*now)));
    }
  }
  for (const auto& [name, value] : after) {
    if (!before.contains(name)) append(list, base::cat(name, " none -> ", hpo::text_of(value)));
  }
  return list;
}

std::string taken_over(const hpo::Stage& from, const hpo::Stage& to) {
  std::string list = changes(from.params, to.params);
  for (const hpo::Adapted& round : to.rounds)
    append(list, base::cat(round.accepted().change, " -> ", round.accepted().shape));
  return base::cat("epoch ", to.from, ": trial ", to.trial, " takes over, ", value_text(from.value),
                   " instead of ", value_text(to.before), ": ", list.empty() ? "as it is" : list);
}

}  // namespace

std::string replaced_line(const hpo::TrialRow& trial, const hpo::Replaced& replaced) {
  return base::cat("trial ", trial.trial, " continues from trial ", replaced.source, " after ",
                   base::counted(replaced.step, "epoch"), ": ", hpo::text_of(replaced.params));
}

std::string lineage_lines(const hpo::Lineage& lineage) {
  std::string out;
  for (std::size_t i = 0; i < lineage.size(); ++i) {
    const std::string line = i == 0 ? base::cat("epoch 0: trial ", lineage[0].trial,
                                                " begins: ", hpo::text_of(lineage[0].params))
                                    : taken_over(lineage[i - 1], lineage[i]);
    out += base::cat("  ", line, "\n");
  }
  return out;
}

}  // namespace cli
