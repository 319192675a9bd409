#include "hpo/study/asked.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.h"
#include "base/text.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/command.h"
#include "hpo/study/places.h"
#include "hpo/study/stopping.h"

namespace hpo {

namespace {

base::Error wrong_kind(const StudySpec& study, std::string_view problem) {
  return {base::Errc::study, base::cat(base::printable(study.file), ":1:1: ", problem)};
}

}  // namespace

void require_own_trials(const StudySpec& study) {
  if (!study.is_asked) return;
  throw wrong_kind(
      study,
      "the study has neither data nor a command, so its trials cannot be run here; add "
      "one of the two, or use trellis ask and trellis tell");
}

void require_asked(const StudySpec& study) {
  if (study.is_asked) return;
  throw wrong_kind(study, base::cat("the study has ", study.runs_command ? "a command" : "data",
                                    ", so its trials are run by trellis sweep; for trellis ask, "
                                    "remove command, data, network, train and adapt"));
}

namespace study {

std::string_view source_of_study(const Node& root) {
  if (root.find("command") != nullptr) return "command";
  constexpr std::array kOfNetworks{"data", "network", "train", "adapt", "from"};
  const auto has = [&](const char* key) { return root.find(key) != nullptr; };
  const bool networks = std::ranges::any_of(kOfNetworks, has);
  return !networks && has("parameters") ? "ask" : "data";
}

void check_asked(const StudySpec& study) {
  check_named_metric(study);
  const Position rule = study.places->at("early_stop");
  if (rule_pauses(study.early_stop))
    throw StudyError(rule, base::cat("early_stop: ", study.early_stop.kind,
                                     " with these fields pauses trials, which cannot be used with "
                                     "trellis ask; use a rule that only stops them"));
  if (study.early_stop_unit != Unit::epochs && study.early_stop_unit != Unit::steps)
    throw StudyError(
        rule,
        "early_stop.unit must be epochs or steps with trellis ask, because nothing else is "
        "reported");
  if (is_population(study.method.kind))
    throw StudyError(
        study.places->at("method"),
        base::cat("method ", study.method.kind,
                  " cannot be used with trellis ask, because it copies networks between trials; "
                  "use another method"));
}

}  // namespace study

}  // namespace hpo
