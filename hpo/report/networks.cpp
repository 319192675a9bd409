#include "hpo/report/networks.h"

#include <map>
#include <variant>

#include "base/json.h"
#include "base/text.h"
#include "hpo/report/text.h"

namespace hpo::report {

namespace {

/// "lr 0.02 -> 0.024": where two lists differ.
std::string changed_params(const Gathered& study, const Params& before, const Params& after) {
  std::string out;
  const auto append = [&](const std::string& name, const std::string& from, const std::string& to) {
    out += base::cat(out.empty() ? "" : ", ", visible(name, kLongName), " ", from, " → ", to);
  };
  for (const auto& [name, value] : after) {
    const ParamValue* was = before.find(name);
    if (was == nullptr)
      append(name, "none", study.label(value));
    else if (*was != value)
      append(name, study.label(*was), study.label(value));
  }
  for (const auto& [name, value] : before)
    if (!after.contains(name)) append(name, study.label(value), "none");
  return out;
}

}  // namespace

std::string operations_text(const std::string& operations) {
  const auto json = base::Json::try_parse(operations);
  if (!json || !json->is_list()) return "";
  std::string out;
  for (const auto& [none, operation] : json->members()) {
    if (!operation.is_object() || operation.members().empty()) continue;
    const auto& [kind, fields] = operation.members().front();
    out += base::cat(out.empty() ? "" : ", ", visible(kind, kLongName));
    if (const base::Json* layer = fields.find("layer"))
      out += base::cat(" ", visible(layer->as_text().value_or(""), kLongName));
    if (const base::Json* by = fields.find("by")) out += base::cat(" by ", by->raw());
  }
  return out;
}

std::vector<HandOver> hand_overs(const Gathered& study) {
  std::vector<HandOver> all;
  std::map<std::uint64_t, Params> now;
  for (const Turn& turn : study.turns) {
    if (const auto* created = std::get_if<Created>(&turn.body); created != nullptr && turn.trial)
      now[*turn.trial] = created->params;
    const auto* replaced = std::get_if<Replaced>(&turn.body);
    const std::size_t trials = study.trials.size();
    if (replaced == nullptr || !turn.trial || *turn.trial >= trials || replaced->source >= trials)
      continue;
    all.push_back({.trial = *turn.trial,
                   .source = replaced->source,
                   .step = replaced->step,
                   .params = changed_params(study, now[replaced->source], replaced->params),
                   .change = operations_text(replaced->operations)});
    now[*turn.trial] = replaced->params;
  }
  return all;
}

std::vector<Descent> descent_of_best(const Gathered& study, const std::vector<HandOver>& all) {
  std::vector<Descent> descent{{.trial = study.best->trial}};
  // From the end back: which trial had the network before.
  std::uint64_t trial = study.best->trial;
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (one->trial != trial) continue;
    descent.front().from = one->step;
    descent.insert(descent.begin(), {.trial = one->source});
    trial = one->source;
  }
  return descent;
}

std::vector<const Adapted*> rounds_of_best(const Gathered& study) {
  std::vector<const Adapted*> rounds;
  for (const Turn& turn : study.turns) {
    const auto* round = std::get_if<Adapted>(&turn.body);
    if (round != nullptr && study.best && turn.trial == study.best->trial) rounds.push_back(round);
  }
  return rounds;
}

}  // namespace hpo::report
